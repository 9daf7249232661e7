/** Promises of the core's border about numbers that this release's TypeScript never sends. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { BloomFilter } from 'tamis';
import { seeds } from 'tamis/schemes';
import { hashIds } from '../../js/src/wasm/registry.js';
import { handlesOf } from './support/handles.js';
import { rawFunction, rawMemory } from './support/raw-core.js';

let bytes: Uint8Array;

beforeAll(() => {
  const filter = new BloomFilter({ capacity: 10 });
  filter.add('a key');
  bytes = filter.toBytes();
});

describe('ids of more than a byte are unknown, whatever their last byte', () => {
  const ids = [256, 257, 1 + 2 ** 16, 2 ** 31 + 1, 2 ** 32 - 255];
  const unassigned = 99;

  /** Puts bytes into the core's memory, and returns room for its answers behind them. */
  function put(given = bytes): { address: number; answer: number; view: DataView } {
    const { view, free } = rawMemory();
    new Uint8Array(view.buffer).set(given, free);
    return { address: free, answer: free + 512, view };
  }

  test('in a header', () => {
    const { address } = put();
    const open = (type: number): number =>
      rawFunction('open')(address, bytes.length, type, 2 ** 20);
    expect(open(1)).toBe(bytes.length);
    for (const id of ids) expect(open(id)).toBe(open(unassigned));
    expect(open(unassigned)).toBeLessThan(0);
  });

  test('in bytes that are decoded, of a scheme', () => {
    const ofScheme = new BloomFilter({ capacity: 10, scheme: seeds }).toBytes();
    const { address, answer, view } = put(ofScheme);
    const decode = (scheme: number): [boolean, number] => {
      expect(rawFunction('open')(address, ofScheme.length, 1, 2 ** 20)).toBe(ofScheme.length);
      const rest = [address + 64, ofScheme.length - 64] as const;
      const handle = rawFunction('decode')(...rest, 0, scheme, answer);
      rawFunction('dispose')(handle);
      return [handle !== 0, view.getInt32(answer, true)];
    };
    expect(decode(hashIds.seeds)).toEqual([true, 0]);
    for (const id of ids) expect(decode(id - 1 + hashIds.seeds)).toEqual(decode(unassigned));
    expect(decode(unassigned)[0]).toBe(false);
  });

  test('in what is made, of types and of hashes', () => {
    new BloomFilter({ capacity: 10 }).dispose(); // brings the part that makes filters
    const { answer, view } = put();
    const fields = answer + 64;
    const create = (type: number, hash: number): [boolean, number] => {
      for (let i = 0; i < 12; i++) view.setFloat64(fields + 8 * i, Number.NaN, true);
      for (const [i, value] of [hash, 0, 0, 10].entries()) {
        view.setFloat64(fields + 8 * i, value, true);
      }
      const handle = rawFunction('create')(type, fields, 0, answer);
      rawFunction('dispose')(handle);
      return [handle !== 0, view.getInt32(answer, true)];
    };
    expect(create(1, 1)).toEqual([true, 0]);
    for (const id of ids) {
      expect(create(id, 1)).toEqual(create(unassigned, 1));
      expect(create(1, id)).toEqual(create(1, unassigned));
    }
    expect(create(unassigned, 1)[0]).toBe(false);
    expect(create(1, unassigned)[0]).toBe(false);
  });
});

describe('handles', () => {
  test('a place is used again and again, each time by a handle of its own', () => {
    const made = handlesOf(20_000);
    expect(new Set(made.map(({ place }) => place)).size).toBe(1);
    expect(new Set(made.map(({ handle }) => handle)).size).toBe(20_000);
    // The handle exceeds 32 bits. A handle with fewer bits for its generation would begin anew.
    expect(made.at(-1)?.handle).toBeGreaterThan(2 ** 32);
  });

  test('a handle beyond 32 bits names its structure, and no other', () => {
    const used = handlesOf(5_000).at(-1);
    expect(used?.handle).toBeGreaterThan(2 ** 32);
    const filter = new BloomFilter({ capacity: 10 });
    filter.add('a key');
    expect([filter.has('a key'), filter.has('another')]).toEqual([true, false]);
    expect(filter.hasMany(['a key', 'another'])).toEqual(new Uint8Array([1, 0]));
    expect(filter.clone().toBytes()).toEqual(filter.toBytes());
    const { view, free } = rawMemory();
    const header = (handle: number) => rawFunction('header')(handle, free);
    // This handle is stale, and has the same place.
    expect(header(used?.handle as number)).toBeLessThan(0);
    expect(header((used?.handle as number) + 2 ** 20)).toBe(0);
    // This number is the id of its hash.
    expect(view.getFloat64(free + 16, true)).toBe(1);
    // This handle is equal in the lowest 32 bits.
    expect(header((used?.handle as number) + 2 ** 20 - 2 ** 32)).toBeLessThan(0);
  });
});
