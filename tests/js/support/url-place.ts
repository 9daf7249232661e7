/** A storage for publishList, and checks of its content. */
import { expect } from '@jest/globals';
import { type Manifest, type PublishOptions, publishList, verifyManifest } from 'tamis/url';

import { seams } from './seams.js';
import { listOf, newKeys, Publisher, START, sha256, TestStorage } from './url-publisher.js';

export const keys = await newKeys();

/** A storage, and functions that publish to it. `clock.ms` is the time. */
export function place(storage = new TestStorage()) {
  const clock = { ms: START };
  const publish = (hosts: readonly string[], more: Partial<PublishOptions> = {}) =>
    publishList(listOf(hosts), {
      name: 'phish',
      storage,
      signingKeys: keys,
      ...seams({ now: () => clock.ms }),
      ...more,
    });
  return {
    storage,
    files: storage.files,
    clock,
    publish,
    host: new Publisher(keys, storage.files),
  };
}

export const manifestIn = (files: ReadonlyMap<string, Uint8Array>): Promise<Manifest> =>
  verifyManifest(files.get('manifest.json') as Uint8Array, {
    publicKeys: [keys.publicKey],
    nowMs: START,
  });

export const filesOf = ({ snapshot, deltas }: Manifest) => [snapshot, ...deltas];

/** The names in the storage, except the two that are always there. */
export const contentIn = (files: ReadonlyMap<string, Uint8Array>): string[] =>
  [...files.keys()].filter((name) => name !== 'manifest.json' && name !== 'files.json').sort();

export const jumpsIn = (files: ReadonlyMap<string, Uint8Array>): string[] =>
  contentIn(files).filter((name) => name.startsWith('jump-'));

/** Checks that the storage has every file that a manifest names, byte for byte. */
export function expectWhole(manifest: Manifest, files: ReadonlyMap<string, Uint8Array>): void {
  for (const { url, bytes, sha256: digest } of filesOf(manifest)) {
    const found = files.get(url);
    expect([url, found?.length, found && sha256(found)]).toEqual([url, bytes, digest]);
  }
}
