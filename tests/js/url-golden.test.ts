/** The golden files of lists and deltas: every file stays readable, and damaged ones are refused. */
import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';
import { fromBytes } from 'tamis';
import { UrlDelta, UrlList } from 'tamis/url';

import { expectCode } from './support/errors.js';
import { urlGolden, urlGoldenFolder } from './support/golden.js';
import { toHex } from './support/url-vectors.js';

/** Only the names of rules matter here. */
const load = (type: string, bytes: Uint8Array): UrlList | UrlDelta =>
  type === 'url-list' ? UrlList.fromBytes(bytes) : UrlDelta.fromBytes(bytes);
const bytesOf = (file: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(file, urlGoldenFolder)));
const files = urlGolden.map((one) => [one.file, one] as const);

test.each(files.filter(([, one]) => one.valid))('%s', (file, one) => {
  const bytes = bytesOf(file);
  const loaded = load(one.type, bytes);
  loaded.validate();
  expect(loaded.type).toBe(one.type);
  expect(loaded.toBytes()).toEqual(bytes);
  expect(loaded.clone().toBytes()).toEqual(bytes);
  if (!(loaded instanceof UrlList)) return;
  const all = toHex(loaded.prefixes());
  const width = 2 * loaded.prefixBytes;
  const entries = new Set(
    Array.from({ length: loaded.count }, (_, i) => all.slice(i * width, (i + 1) * width)),
  );
  for (const hash of one.present ?? []) expect(entries).toContain(hash.slice(0, width));
  for (const { key, has } of one.absent ?? []) expect(entries.has(key.slice(0, width))).toBe(has);
});

describe('damaged files', () => {
  test.each(files.filter(([, one]) => !one.valid))('%s', (file, one) => {
    const bytes = bytesOf(file);
    const code = (one.error as string).replace('ERR_TAMIS_', '') as 'CORRUPT';
    expectCode(() => load(one.type, bytes), code);
    // A fault of the header comes first.
    expect(() => fromBytes(bytes)).toThrow();
  });
});
