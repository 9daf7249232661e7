/** The filters of one list that is built once: their options, hashes and seeds, and what fails. */
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, fromBytes, funnel, hashKeys, keysFromLines, withFunnel } from 'tamis';

import type { ListCase, ListFilter } from '../js/classes.js';
import { firstListFilters, KEY, listFilters, members, OTHER_KEY } from '../js/classes.js';
import { binomialTails } from '../js/support/binomial.js';
import { expectSame } from '../js/support/bytes.js';
import { runModule } from '../js/support/child.js';
import { expectCode, expectOption } from '../js/support/errors.js';
import { leftBehind } from '../js/support/handles.js';
import { randomStrings, utf8 } from '../js/support/keys.js';

const ALPHA = 1e-9;
const sum = (answers: Uint8Array): number => answers.reduce((total, answer) => total + answer, 0);

describe.each(firstListFilters.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const { Class, className } = one;
  const keys = members(100);
  const from = (options: unknown, some = keys) => Class.from(some, options as object);

  test('is made by from alone', () => {
    const Made = Class as unknown as new (options?: unknown) => unknown;
    for (const options of [undefined, {}, { fpr: 0.1 }, null, 5, from({})]) {
      const error = expectOption(() => new Made(options), TypeError);
      expect(error.message).toContain(`${className}.from`);
    }
    expect(() => (Class as unknown as () => unknown)()).toThrow(TypeError);
  });

  test('a rate is rounded down to a power of two', () => {
    for (const [fpr, bits] of [
      [0.999, 1],
      [0.5, 1],
      [0.4999, 2],
      [0.01, 7],
      [2 ** -8, 8],
      [2 ** -8 * 0.9999999, 9],
      [1e-6, 20],
      [2 ** -31, 31],
      [2 ** -32, 32],
    ] as const) {
      const filter = from({ fpr });
      expect(filter).toMatchObject({ fingerprintBits: bits, fpr: 2 ** -bits });
      expectSame(from({ fingerprintBits: bits }).toBytes(), filter.toBytes());
      expect(Class.sizeFor({ capacity: 100, fpr })).toBe(
        Class.sizeFor({ capacity: 100, fingerprintBits: bits }),
      );
    }
    expect(from(undefined)).toMatchObject({ fingerprintBits: 7, fpr: 2 ** -7 });
  });

  test.each(Array.from({ length: 32 }, (_, i) => i + 1))('fingerprints of %d bits', (bits) => {
    const filter = from({ fingerprintBits: bits }, members(1500));
    expect(sum(filter.hasMany(members(1500)))).toBe(1500);
    const hits = sum(filter.hasMany(randomStrings(20_000, `w${bits}-`)));
    const tails = binomialTails(hits, 20_000, 2 ** -bits);
    expect(Math.min(tails.lower, tails.upper)).toBeGreaterThan(ALPHA);
    expectSame(fromBytes(filter.toBytes()).toBytes(), filter.toBytes());
  });

  test('a rate below 2^-32, and a rate beside the bits', () => {
    const least = expectOption(() => from({ fpr: 2 ** -32 / 1.001 }), RangeError);
    expect(least.message).toMatch(/fpr.*2\^-32/);
    expectOption(() => Class.sizeFor({ capacity: 5, fpr: 2 ** -40 }), RangeError);
    const both = expectOption(() => from({ fpr: 0.01, fingerprintBits: 7 }), TypeError);
    expect(both.message).toMatch(/fpr.*fingerprintBits/);
    expectOption(() => Class.sizeFor({ capacity: 5, fpr: 0.01, fingerprintBits: 7 }), TypeError);
  });

  test('fromHashes counts its hashes too', () => {
    for (const option of ['excluded', 'batch', 'signal', 'counterBits', '__proto__']) {
      const options = Object.defineProperty({}, option, { value: 100, enumerable: true });
      expectOption(() => Class.fromHashes(hashKeys(keys), options), TypeError);
    }
  });

  test('options are checked before a key is looked at', () => {
    const unread = {
      [Symbol.iterator]: () => {
        throw new Error('read');
      },
    };
    expectOption(() => Class.from(unread, { fpr: 2 }), RangeError);
    expectOption(() => Class.from(unread, { secret: 'x' as never }), TypeError);
    expect(() => Class.from(unread)).toThrow('read');
  });

  test('the secret is copied: what the caller does with it later changes nothing', () => {
    const mine = KEY.slice();
    function* source(): Generator<string> {
      yield* keys.slice(0, 50);
      mine.fill(0);
      yield* keys.slice(50);
    }
    const filter = Class.from(source(), { secret: mine });
    expectSame(filter.toBytes(), from({ secret: KEY }).toBytes());
  });

  test('hashes that were sent away are no hashes', () => {
    const hashes = hashKeys(members(10));
    structuredClone(hashes, { transfer: [hashes.buffer] });
    expectOption(() => Class.fromHashes(hashes), TypeError);
    expectOption(() => Class.from(members(3)).hasHashes(hashes), TypeError);
  });

  test('what is far too large is told', () => {
    // An array of the core has 2^32 bits at most.
    expectCode(() => Class.sizeFor({ capacity: 2 ** 27 + 1, fingerprintBits: 32 }), 'TOO_LARGE');
    expect(Class.sizeFor({ capacity: 2 ** 26, fingerprintBits: 32 })).toBeLessThan(2 ** 29);
  });

  test('reads a source once, and what it throws goes through', async () => {
    let reads = 0;
    const failure = new Error('mine');
    const source = {
      *[Symbol.iterator](): Generator<string> {
        reads++;
        yield* members(1000);
        if (reads === 2) throw failure;
      },
    };
    expectSame(Class.from(source).toBytes(), from({}, members(1000)).toBytes());
    expect(reads).toBe(1);
    const left = await leftBehind(() => expect(() => Class.from(source)).toThrow(failure));
    expect(left).toBe(0);
  });

  test('withFunnel has what such a filter has', () => {
    const byId = funnel<number>((id, sink) => sink.int32(id));
    const typed = withFunnel(Class.from([1, 2, 3].map(byId), { fpr: 2 ** -20 }), byId);
    expect([1, 2, 3, 4].map((id) => typed.has(id))).toEqual([true, true, true, false]);
    expect(typed.hasMany(new Set([3, 9]))).toEqual(Uint8Array.of(1, 0));
    for (const name of ['add', 'addMany', 'addFrom', 'delete']) {
      expect((typed as unknown as Record<string, unknown>)[name]).toBeUndefined();
    }
    typed.filter.dispose();
    expectCode(() => typed.has(1), 'DISPOSED');
  });

  test('a source that builds, asks and disposes of others while it is read', () => {
    const expected = from({}, members(3000)).toBytes();
    const others: ListFilter[] = [];
    function* source(): Generator<string> {
      for (const [i, key] of members(3000).entries()) {
        if (i % 500 === 250) {
          others.push(Class.from(members(i), { secret: OTHER_KEY, seed: 3n }));
          BloomFilter.from(['x'.repeat(200_000)]).has('y');
          keysFromLines(utf8('a\nb'));
          others.shift()?.dispose();
        }
        yield key;
      }
    }
    expectSame(Class.from(source()).toBytes(), expected);
    const filter = from({}, members(3000));
    const asked = filter.hasMany(source());
    expect(sum(asked)).toBe(3000);
    function* ending(): Generator<string> {
      yield* members(700);
      filter.dispose();
      yield* members(700);
    }
    expectCode(() => filter.hasMany(ending()), 'DISPOSED');
  });

  memoryTests(one);
});

describe.each(listFilters.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const { Class, options } = one;
  const keyOptions = one.secret === undefined ? {} : { secret: one.secret };

  test('packed keys are the same keys', () => {
    const keys = members(5000);
    const packed = keysFromLines(utf8(keys.join('\n')));
    expectSame(one.from(packed).toBytes(), one.from(keys).toBytes());
    expect(one.from(keysFromLines(new Uint8Array(0))).count).toBe(0);
  });

  test('fromHashes builds what from builds, and leaves the hashes as they were', () => {
    for (const n of [0, 1, 100, 9000]) {
      const keys = randomStrings(n, 'hashed');
      const hashes = hashKeys(keys, keyOptions);
      const kept = hashes.slice();
      const filter = Class.fromHashes(hashes, options);
      expectSame(filter.toBytes(), one.from(keys).toBytes());
      expect(hashes).toEqual(kept);
      const middle = new BigUint64Array(n + 10).fill(7n);
      middle.set(hashes, 3);
      expectSame(Class.fromHashes(middle.subarray(3, 3 + n), options).toBytes(), filter.toBytes());
    }
    for (const wrong of [[1n], new BigInt64Array(1), new Uint8Array(8), null, undefined, 'a']) {
      expectOption(() => Class.fromHashes(wrong as never, options), TypeError);
    }
  });

  test('hashes of another key are other keys', () => {
    const keys = members(2000);
    const filter = Class.fromHashes(hashKeys(keys, { secret: OTHER_KEY }), options);
    expect(filter.count).toBe(2000);
    const tails = binomialTails(sum(filter.hasMany(keys)), 2000, one.rate(filter));
    expect(Math.min(tails.lower, tails.upper)).toBeGreaterThan(ALPHA);
    expect(sum(filter.hasHashes(hashKeys(keys, { secret: OTHER_KEY })))).toBe(2000);
  });

  test('the seed that it says builds the same filter again', () => {
    for (const n of [1, 2, 5, 40, 300, 5000]) {
      const first = one.make(n);
      const again = Class.from(members(n), { ...options, seed: first.seed });
      expect(again.seed).toBe(first.seed);
      expect(sum(again.hasMany(members(n)))).toBe(n);
      const loaded = Class.fromBytes(first.toBytes(), one.load) as ListFilter;
      expect(loaded.seed).toBe(first.seed);
    }
  });
});

function memoryTests({ className }: ListCase): void {
  test('a build that fails, or is disposed of, takes no memory', async () => {
    const out = await runModule(`
      const memories = [];
      const Instance = WebAssembly.Instance;
      WebAssembly.Instance = new Proxy(Instance, { construct(target, args) {
        const made = new target(...args);
        memories.push(...Object.values(made.exports).filter((value) => value instanceof WebAssembly.Memory));
        return made;
      } });
      const { ${className}: Class } = await import('tamis');
      const keys = Array.from({ length: 2000 }, (_, i) => 'key-' + i);
      const round = async () => {
        const filter = Class.from(keys);
        Class.fromBytes(filter.toBytes()).dispose();
        filter.clone().dispose();
        filter.dispose();
        try { Class.from([...keys, 5]); console.log('built'); } catch {}
        try { Class.from(keys, { fpr: 2 ** -40 }); console.log('built'); } catch {}
      };
      for (let i = 0; i < 20; i++) await round();
      const before = memories[0].buffer.byteLength;
      for (let i = 0; i < 300; i++) await round();
      console.log(memories.length, memories[0].buffer.byteLength - before);
    `);
    expect(out.trim()).toBe('1 0');
  });
}
