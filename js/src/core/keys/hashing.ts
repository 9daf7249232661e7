// Hashes keys, and checks the options of hashing.

import { filters } from '../../wasm/parts/filters.js';
import {
  batchCounts,
  batchKeys,
  copyHashes,
  hashesAddress,
  raw,
  readHashes,
  sipKeyAddress,
  write,
} from '../border/memory.js';
import { call, core, coreWith } from '../border/runtime.js';
import { atIndex, type TamisError } from '../errors.js';
import type { GrowingBytes } from '../growing-bytes.js';
import type { Key, Keys } from '../key-types.js';
import { readOptions, seedReader, sixteenBytes } from '../options.js';
import { statusError } from '../statuses.js';
import { Blocks, joinBlocks } from './blocks.js';
import { sendKeys, withKey } from './keys.js';

/** The options of every structure that hashes keys. */
export interface HashOptions {
  /** A number that is mixed into every hash, so that filters differ: 0 to 2n ** 64n - 1n, default 0. It is no secret. */
  readonly seed?: number | bigint;
  /** 16 secret bytes, if others can choose the keys. SipHash-2-4 then hashes the keys. No file contains the secret. */
  readonly secret?: Uint8Array;
}

export const hashReaders = () => ({
  seed: seedReader,
  secret: sixteenBytes,
});

/** Runs `act` with the address of a copy of the secret, or 0 without one, and wipes the copy afterwards. */
export function withSecret<T>(secret: Uint8Array | undefined, act: (address: number) => T): T {
  core(); // sets sipKeyAddress
  if (secret === undefined) return act(0);
  write(sipKeyAddress, 16, secret);
  try {
    return act(sipKeyAddress);
  } finally {
    write(sipKeyAddress, 16, new Uint8Array(16));
  }
}

/** The options of hashKey and hashKeys. */
export interface HashKeyOptions {
  /** The 16 secret bytes of a keyed filter. */
  readonly secret?: Uint8Array;
}

/**
 * Hashes one key, without a seed: XXH3-64, or SipHash-2-4 with a secret.
 *
 * @example
 * import { hashKey } from 'tamis';
 * hashKey(''); // => 0x2d06800538d394c2n
 */
export function hashKey(key: Key, options?: HashKeyOptions): bigint {
  const { secret } = readOptions(options, { secret: sixteenBytes }, 'hashKey');
  return withSecret(secret, (address) => {
    const act = (at: number, size: number) => {
      raw._tamis_hash(address, at, size);
      return 0; // no error
    };
    withKey(key, act, filters);
    return readHashes(1)[0] as bigint;
  });
}

/** The id of a secret in files (cpp/FORMAT.md, section 4.3). It does not reveal the secret. */
export function keyIdOf(secret: Uint8Array): string {
  return hashKey('tamis-key-id', { secret }).toString(16).padStart(16, '0');
}

/**
 * Hashes keys once, for any number of filters: `filter.hasHashes(hashes)` and `filter.addHashes(hashes)`. A filter
 * cannot detect hashes that were made with another secret.
 *
 * @example
 * import { BloomFilter, hashKeys } from 'tamis';
 * const hashes = hashKeys(['alice', 'bob']);
 * const filter = new BloomFilter({ capacity: 100 });
 * filter.addHashes(hashes); // => 2
 * filter.has('alice'); // => true
 */
export function hashKeys(keys: Keys, options?: HashKeyOptions): BigUint64Array<ArrayBuffer> {
  const { secret } = readOptions(options, { secret: sixteenBytes }, 'hashKeys');
  const hashes = new Blocks(BigUint64Array);
  gatherHashes(hashes, keys, secret);
  return joinBlocks(hashes);
}

/** The hashes of keys, in the order of the keys. */
export type HashBlocks = Blocks<BigUint64Array<ArrayBuffer>>;

/** Hashes the keys, and appends the hashes. */
export const gatherHashes = (hashes: HashBlocks, keys: Keys, secret?: Uint8Array): void =>
  hashEach(keys, secret, (count) => hashes.add(count, copyHashes));

/** Hashes the keys, and appends the hashes, 8 bytes each. */
export const appendHashes = (bytes: GrowingBytes, keys: Keys, secret?: Uint8Array): void =>
  hashEach(keys, secret, (count) => {
    const at = bytes.extend(8 * count);
    copyHashes(new BigUint64Array(bytes.buffer.buffer), at / 8, 0, count);
  });

/** Hashes the keys in chunks. `take` is called with the size of each chunk, whose hashes are in the scratch. */
function hashEach(keys: Keys, secret: Uint8Array | undefined, take: (count: number) => void): void {
  coreWith(filters);
  sendKeys(keys, {
    many: (offset, size, count) =>
      withSecret(secret, (address) => raw._tamis_hash_many(address, offset, size, count)),
    one: (at, size) => {
      withSecret(secret, (address) => raw._tamis_hash(address, at, size));
      return 0; // no error
    },
    take,
  });
}

/** Sends hashes in chunks: `act` processes one, then `take` gets its start and size. `errorOf` is as in Batch. */
export function sendHashes(
  hashes: BigUint64Array,
  act: (count: number) => number,
  take: (at: number, count: number) => void,
  most = batchKeys,
  errorOf: (status: number) => TamisError = statusError,
): void {
  for (let at = 0; at < hashes.length; at += most) {
    const part = hashes.subarray(at, at + most);
    write(hashesAddress, 8 * batchKeys, part);
    const status = call(() => act(part.length));
    if (status < 0) throw atIndex(errorOf(status), at + batchCounts().done);
    take(at, part.length);
  }
}
