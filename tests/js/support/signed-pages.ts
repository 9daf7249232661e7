/** A signed set of pages on an in-memory host, and checks of rejections. */

import { generateKeyPairSync } from 'node:crypto';
import { expect } from '@jest/globals';
import { RemoteFilter, type RemoteOptions } from 'tamis/remote';

import { type Code, rejection } from './errors.js';
import { BASE, FakeHost, makePages, type SetOptions, signPages } from './pages.js';
import type { Seams } from './seams.js';

export const KEYS = Array.from({ length: 1000 }, (_, i) => `key ${i}`);
export const MANIFEST = `${BASE}manifest.json`;
export const HOUR = 3_600_000;
export const signing = generateKeyPairSync('ed25519');
export const rawOf = ({ publicKey }: typeof signing) =>
  Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url').toString('hex');
export const publicKeys = [rawOf(signing)];

export const hosted = (options?: SetOptions) => {
  const set = makePages(KEYS, options);
  return { set, host: new FakeHost().publish(set, signPages(set.fields, signing)) };
};

/** Opens the set. Attempts follow each other without delay, unless the options set one. */
export const open = (host: FakeHost, options: Partial<RemoteOptions> & Seams = {}) =>
  RemoteFilter.open(MANIFEST, {
    name: 'list',
    publicKeys,
    fetch: host.fetch,
    retries: 0,
    ...options,
  });

export async function expectRejection(asking: Promise<unknown>, code: Code, message?: RegExp) {
  const error = await rejection(asking);
  expect(error.code).toBe(`ERR_TAMIS_${code}`);
  if (message) expect(error.message).toMatch(message);
}
