/** Tests the pages, shards and blocks of keys, with the modules of a folder. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { BlockedBloomFilter, hashKey, hashKeys } from 'tamis';

import { KEY } from '../classes.js';
import { expectCode } from './errors.js';
import { randomStrings } from './keys.js';
import { blockOf, placeOf } from './routes.js';

type Routes = typeof import('../../../js/src/core/keys/routes.js');
type Hashing = typeof import('../../../js/src/core/keys/hashing.js');

type Name = 'pagesOf' | 'shardsOf' | 'blocksOf';

const seeds = [0n, 1n, 0x123456789abcdef0n, (1n << 64n) - 1n];
// More than two batches, and the ends of the range.
const keys = randomStrings(9000, 'routed');
const hashes = hashKeys(keys);
hashes[0] = 0n;
hashes[1] = (1n << 64n) - 1n;
const few = hashes.subarray(0, 300);

/** Defines the tests. `folder` contains the modules, including routes.js with these functions; `ask` calls a filter. */
export const describeRoutes = (folder: string, names: readonly Name[], ask: () => boolean) =>
  describe(`routes of ${folder}`, () => {
    let routes: Routes;
    let hashing: Hashing;

    beforeAll(async () => {
      // Starts the wasm, so that the part for routes is loaded into a running core.
      expect(ask()).toBe(true);
      routes = await import(`${folder}/routes.js`);
      hashing = await import(`${folder}/hashing.js`);
    });

    const optionsOf = (places: number, seed = 0n) => ({
      seed,
      pages: places,
      shards: places,
      blocks: places,
    });
    const models = { pagesOf: 'tamis pages', shardsOf: 'tamis shards' } as const;
    const singles = names.filter((name) => name !== 'blocksOf');

    test.each([1, 2, 3, 83_334, 2 ** 31 - 1, 2 ** 31])('of %d pages and shards', (places) => {
      for (const name of singles) {
        for (const seed of seeds) {
          const found = routes[name](few, optionsOf(places, seed));
          expect([...found]).toEqual(
            [...few].map((hash) => placeOf(models[name], hash, seed, places)),
          );
        }
      }
    });

    test.each([1, 7, 83_334, 2 ** 31 - 1, 2 ** 31])('of %d blocks', (blocks) => {
      for (const seed of seeds) {
        const model = [...few].flatMap((hash) => blockOf(hash, seed, blocks));
        expect([...routes.blocksOf(few, { seed, blocks })]).toEqual(model);
      }
    });

    test('of more hashes than one batch has', () => {
      const blocks = routes.blocksOf(hashes, { seed: 5n, blocks: 1000 });
      expect(blocks.length).toBe(9 * 9000);
      for (let i = 0; i < hashes.length; i += 97) {
        const hash = hashes[i] as bigint;
        expect([...blocks.subarray(9 * i, 9 * i + 9)]).toEqual(blockOf(hash, 5n, 1000));
      }
      expect([...blocks.subarray(-9)]).toEqual(blockOf(hashes.at(-1) as bigint, 5n, 1000));
      for (const name of singles) {
        const found = routes[name](hashes, optionsOf(1000, 5n));
        expect([...found]).toEqual(
          [...hashes].map((hash) => placeOf(models[name], hash, 5n, 1000)),
        );
      }
    });

    test('of no hash', () => {
      for (const name of names)
        expect(routes[name](new BigUint64Array(0), optionsOf(1))).toEqual(new Uint32Array(0));
    });

    test('the blocks are those of BlockedBloomFilter', () => {
      for (const options of [{ seed: 77n }, { secret: KEY, seed: 3n }] as const) {
        const filter = new BlockedBloomFilter({ capacity: 9000, ...options });
        filter.addMany(keys);
        const payload = filter.toBytes().subarray(64 + 8);
        const blocks = payload.length / 32;
        const key = 'secret' in options ? { secret: options.secret } : {};
        const found = routes.blocksOf(hashing.hashKeys(keys, key), { seed: options.seed, blocks });
        const bits = new Uint8Array(payload.length);
        for (let i = 0; i < found.length; i += 9) {
          const block = found[i] as number;
          for (const bit of found.subarray(i + 1, i + 9)) {
            bits[32 * block + (bit >> 3)] =
              (bits[32 * block + (bit >> 3)] as number) | (1 << (bit & 7));
          }
        }
        expect(Buffer.from(bits).equals(payload)).toBe(true);
      }
    });

    test('the hashes are those of tamis', () => {
      // A key that is longer than a batch takes another path through the code.
      const some = ['', 'ant', '\u4e16', new Uint8Array(300), 'x'.repeat(200_000), ...keys];
      expect(hashing.hashKeys(some)).toEqual(hashKeys(some));
      expect(hashing.hashKeys(some, { secret: KEY })).toEqual(hashKeys(some, { secret: KEY }));
      expect(hashing.hashKey('ant')).toBe(hashKey('ant'));
      expect(hashing.hashKey('ant', { secret: KEY })).toBe(hashKey('ant', { secret: KEY }));
    });

    test.each([0, 2 ** 31 + 1, 2 ** 32 - 1])('refuses %d places', (places) => {
      for (const name of names)
        expectCode(() => routes[name](few, optionsOf(places)), 'INVALID_OPTION');
    });
  });
