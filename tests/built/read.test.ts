// tamis/read beside tamis: the same answers, the same figures and the same refusals.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as tamis from 'tamis';
import * as read from 'tamis/read';

import { structureCases } from '../js/classes.js';
import { runModule } from '../js/support/child.js';
import { expectCode, rejection, thrownBy } from '../js/support/errors.js';
import { type Golden, golden, goldenFolder } from '../js/support/golden.js';
import { liarOf } from '../js/support/liars.js';

const bytesOf = (one: Golden): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(one.file, goldenFolder)));
const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const optionsOf = (one: Golden): { key?: Uint8Array } =>
  one.key === undefined ? {} : { key: fromHex(one.key) };

/** The class of a type in tamis, and in tamis/read where it has one. */
interface Loader {
  fromBytes(bytes: Uint8Array | ArrayBuffer, options?: object): tamis.AnyStructure;
}
const classOf = (from: object, type: string): Loader | undefined =>
  Object.values(from).find((value) => value?.define?.().type === type);

/** The answers about some keys; of a map also the values. */
function answersOf(loaded: tamis.AnyStructure | read.AnyReader, keys: readonly string[]): unknown {
  if (loaded.type === 'bit-array') return keys.map((index) => loaded.has(Number(index)));
  const asked = keys.map(fromHex);
  const { has, hasMany } = loaded as read.BloomFilter;
  const answers = [asked.map((key) => has.call(loaded, key)), [...hasMany.call(loaded, asked)]];
  return loaded.type === 'bloomier' ? [answers, loaded.getMany(asked)] : answers;
}

const asked = golden.filter(({ type }) => type !== 'iblt');
/** Whether a file names a scheme that wants the keys themselves. */
const hasScheme = (one: Golden): boolean => {
  const bytes = bytesOf(one);
  return (bytes[10] as number) <= 2 && (bytes[11] as number) >= 3;
};

describe('golden files', () => {
  const valid = asked.filter((one) => one.valid && !hasScheme(one));
  test.each(valid.map((one) => [one.file, one] as const))('%s', async (_file, one) => {
    const bytes = bytesOf(one);
    const whole = classOf(tamis, one.type)?.fromBytes(bytes, optionsOf(one));
    const reader = classOf(read, one.type)?.fromBytes(bytes, optionsOf(one));
    const keys = [...(one.present ?? []), ...(one.absent ?? []).map(({ key }) => key)];
    expect(answersOf(reader as tamis.AnyStructure, keys)).toEqual(
      answersOf(whole as tamis.AnyStructure, keys),
    );
    expect(reader?.toJSON()).toEqual(whole?.toJSON());
    expect(reader?.[Symbol.toStringTag]).toBe(whole?.[Symbol.toStringTag]);
    const opened = await read.open(bytes, optionsOf(one));
    expect(opened.toJSON()).toEqual(whole?.toJSON());
    for (const one of [whole, reader, opened]) one?.dispose();
  });

  const damaged = asked.filter((one) => !one.valid && !hasScheme(one));
  test.each(damaged.map((one) => [one.file, one] as const))('%s', async (_file, one) => {
    const bytes = bytesOf(one);
    const type = classOf(read, one.type) === undefined ? 'bloom' : one.type;
    const wanted = thrownBy(() => classOf(tamis, type)?.fromBytes(bytes, optionsOf(one)));
    const got = thrownBy(() => classOf(read, type)?.fromBytes(bytes, optionsOf(one)));
    expect([got.code, got.message]).toEqual([wanted.code, wanted.message]);
    const any = thrownBy(() => tamis.fromBytes(bytes, optionsOf(one)));
    await expect(read.open(bytes, optionsOf(one))).rejects.toMatchObject({ code: any.code });
  });

  test.each(golden.filter(hasScheme).map((one) => [one.file, one] as const))(
    '%s: no other rule answers',
    (_file, one) => {
      const { code } = thrownBy(() =>
        classOf(read, one.type)?.fromBytes(bytesOf(one), optionsOf(one)),
      );
      if (one.valid) expect(code).toBe('ERR_TAMIS_UNSUPPORTED');
    },
  );

  test('of what answers no questions', async () => {
    const table = golden.find(({ type, valid }) => type === 'iblt' && valid) as Golden;
    await expect(read.open(bytesOf(table), optionsOf(table))).rejects.toMatchObject({
      code: 'ERR_TAMIS_UNSUPPORTED',
      message: expect.stringMatching(/iblt.*'tamis'/),
    });
    const hosts = new Uint8Array(64);
    await expect(read.open(hosts)).rejects.toMatchObject({ code: 'ERR_TAMIS_NOT_TAMIS' });
  });
});

/** A filter of each kind, and of a map, that holds `n` keys: in tamis, and what tamis/read makes of its bytes. */
const readable = structureCases.filter(
  ({ type, make }) =>
    classOf(read, type) !== undefined &&
    type !== 'bit-array' &&
    ['mcg', 'default', undefined].includes((make(0) as tamis.BloomFilter).scheme),
);
function pairOf({ type, make, load }: (typeof readable)[number], n: number) {
  const whole = make(n) as tamis.BloomFilter;
  const reader = classOf(read, type)?.fromBytes(
    whole.toBytes(),
    load,
  ) as unknown as read.BloomFilter;
  return { whole, reader };
}

const anyKey = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ maxLength: 300 }),
  fc.uint8Array({ maxLength: 600 }),
);

describe.each(readable.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  test('answers as the whole package does, whatever is asked', () => {
    const { whole, reader } = pairOf(one, 300);
    fc.assert(
      fc.property(fc.array(anyKey, { maxLength: 300 }), (keys) => {
        const answers = whole.hasMany(keys);
        expect(reader.hasMany(keys)).toEqual(answers);
        expect(reader.hasMany(new Set(keys).size === keys.length ? new Set(keys) : keys)).toEqual(
          answers,
        );
        expect(keys.map((key) => Number(reader.has(key)))).toEqual([...answers]);
        const texts = keys.filter((key) => typeof key === 'string' && !/[\r\n]/.test(key) && key);
        const lines = tamis.keysFromLines(new TextEncoder().encode(texts.join('\n')));
        expect(reader.hasMany(lines)).toEqual(whole.hasMany(lines));
        if (one.type === 'bloomier') return;
        const hashes = tamis.hashKeys(keys, one.load);
        expect(reader.hasHashes(hashes)).toEqual(whole.hasHashes(hashes));
      }),
      { numRuns: 30 },
    );
    expect(reader.toJSON()).toEqual(whole.toJSON());
  });

  test('refuses what is no key as the whole package does, and lives on', () => {
    const { whole, reader } = pairOf(one, 10);
    const detached = new Uint8Array(8);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    for (const key of [7, 7n, null, undefined, {}, 'a\ud800', detached, new Uint16Array(2)]) {
      const wanted = thrownBy(() => whole.has(key as never));
      expect(thrownBy(() => reader.has(key as never)).message).toBe(wanted.message);
      const { index } = expectCode(() => reader.hasMany(['a', key as never]), 'INVALID_KEY');
      expect(index).toBe(1);
    }
    for (const keys of ['one', 7, new Uint8Array(3)]) {
      expectCode(() => reader.hasMany(keys as never), 'INVALID_KEY');
    }
    const long = 'x'.repeat(200_000);
    expect(reader.has(long)).toBe(whole.has(long));
    expect(reader.hasMany(['a', long, 'b'])).toEqual(whole.hasMany(['a', long, 'b']));
    const bytes = new TextEncoder().encode('a key');
    expect(reader.has(liarOf(bytes, 2))).toBe(whole.has(bytes));
    expect(() => structuredClone(reader)).toThrow('could not be cloned');
  });

  test('is gone once it was disposed of', () => {
    const { reader } = pairOf(one, 10);
    const dying = function* () {
      yield* Array.from({ length: 300 }, (_, i) => `key ${i}`);
      reader.dispose();
      yield 'the last';
    };
    expectCode(() => reader.hasMany(dying()), 'DISPOSED');
    reader.dispose();
    expectCode(() => reader.has('a'), 'DISPOSED');
    expectCode(() => reader.hasMany([]), 'DISPOSED');
    expectCode(() => reader.count, 'DISPOSED');
    if (one.type !== 'bloomier')
      expectCode(() => reader.hasHashes(new BigUint64Array(1)), 'DISPOSED');
  });

  test('loads from a stream, with a key, and up to a limit', async () => {
    const bytes = (one.make(50) as tamis.BloomFilter).toBytes();
    const Class = classOf(read, one.type) as unknown as typeof read.BloomFilter;
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    }
    const seen: number[] = [];
    const loaded = await Class.fromStream(pieces(), {
      ...one.load,
      onProgress: ({ done }) => seen.push(done),
    });
    expect(loaded.sizeBytes).toBeLessThan(bytes.length);
    expect(seen.at(-1)).toBe(bytes.length);
    expect((await rejection(Class.fromStream(pieces(), { maxBytes: 70 }))).code).toBe(
      'ERR_TAMIS_TOO_LARGE',
    );
    expectCode(() => Class.fromBytes(bytes, { maxBytes: 70 }), 'TOO_LARGE');
    expectCode(() => Class.fromBytes(bytes, { nokey: 1 } as never), 'INVALID_OPTION');
    expectCode(() => Class.fromBytes(bytes, { key: new Uint8Array(16).fill(9) }), 'WRONG_KEY');
    if (one.load.key !== undefined) expectCode(() => Class.fromBytes(bytes), 'KEY_REQUIRED');
    expect(() => new Class({ capacity: 5 } as never)).toThrow();
  });
});

test('a map gives the values that it was built of', () => {
  const entries = Array.from({ length: 500 }, (_, i) => [`key ${i}`, i] as const);
  const whole = tamis.BloomierMap.from(entries, { valueBits: 9 });
  const map = read.BloomierMap.fromBytes(whole.toBytes());
  const keys = Array.from({ length: 700 }, (_, i) => `key ${i}`);
  expect(map.getMany(keys)).toEqual(whole.getMany(keys));
  expect(keys.map((key) => map.get(key))).toEqual(keys.map((key) => whole.get(key)));
  expect(map.get('key 7')).toBe(7);
});

test('a bit array answers for its own indices alone', () => {
  const whole = new tamis.BitArray(70).set(3).set(69);
  const bits = read.BitArray.fromBytes(whole.toBytes());
  expect(Array.from({ length: 70 }, (_, i) => bits.has(i)).lastIndexOf(true)).toBe(69);
  for (const index of [70, -1, 2 ** 32, 1.5]) {
    expect(() => bits.has(index)).toThrow(RangeError);
  }
});

test('counts and deletability are those of the whole package', () => {
  const keys = ['a', 'a', 'b'];
  const counted = [
    read.CountingBloomFilter.fromBytes(
      tamis.CountingBloomFilter.from(keys, { capacity: 100 }).toBytes(),
    ),
    read.DLeftCountingFilter.fromBytes(
      tamis.DLeftCountingFilter.from(keys, { capacity: 100 }).toBytes(),
    ),
  ];
  for (const reader of counted) {
    expect(['a', 'b', 'c'].map((key) => reader.countOf(key))).toEqual([2, 1, 0]);
  }
  const bytes = tamis.DeletableBloomFilter.from(keys, { capacity: 100 }).toBytes();
  const reader = read.DeletableBloomFilter.fromBytes(bytes);
  expect([reader.isDeletable('b'), reader.isDeletable('c')]).toEqual([true, false]);
});

test('thousands live at once, and what is disposed of makes room', async () => {
  const source = `
    import * as tamis from 'tamis';
    import { BloomFilter, CuckooFilter, RibbonFilter } from 'tamis/read';
    const memories = [];
    const { Instance } = WebAssembly;
    WebAssembly.Instance = class extends Instance {
      constructor(...given) {
        super(...given);
        if (this.exports.memory) memories.push(this.exports.memory);
      }
    };
    const keys = Array.from({ length: 200 }, (_, i) => 'key ' + i);
    const makers = [[tamis.BloomFilter, BloomFilter], [tamis.CuckooFilter, CuckooFilter], [tamis.RibbonFilter, RibbonFilter]];
    const files = makers.map(([Class, Reader]) => [Class.from(keys).toBytes(), Reader]);
    memories.length = 0;
    const load = (i) => files[i % 3][1].fromBytes(files[i % 3][0]);
    const living = Array.from({ length: 5000 }, (_, i) => load(i));
    console.log(memories.length, living.every((reader) => reader.has('key 7')));
    for (const reader of living) reader.dispose();
    const full = memories[0].buffer.byteLength;
    for (let i = 0; i < 10_000; i++) load(i).dispose();
    const long = load(0);
    for (let i = 0; i < 200; i++) { long.has('x'.repeat(300_000)); long.has(new Uint8Array(300_000)); }
    console.log(memories[0].buffer.byteLength === full || memories[0].buffer.byteLength < 1.5 * full, memories.length);`;
  expect(await runModule(source)).toBe('1 true\ntrue 1\n');
});

test('a trap ends every answer', async () => {
  const source = `
    import { BloomFilter as Builder } from 'tamis';
    const { Instance } = WebAssembly;
    let memory;
    WebAssembly.Instance = class extends Instance {
      constructor(...given) { super(...given); memory ??= this.exports.memory; }
    };
    const { BloomFilter } = await import('tamis/read');
    const bytes = Builder.from(['a']).toBytes();
    memory = undefined;
    const filter = BloomFilter.fromBytes(bytes);
    const other = BloomFilter.fromBytes(bytes);
    new Uint32Array(memory.buffer).fill(0x7fffffff, 1024 / 4);
    const codes = [];
    for (const ask of [() => filter.has('a'), () => filter.has('a'), () => other.hasMany(['a']), () => BloomFilter.fromBytes(bytes)]) {
      try { ask(); codes.push('answered'); } catch (error) { codes.push(error.code); }
    }
    console.log(codes.join());`;
  expect((await runModule(source)).trim()).toBe(Array(4).fill('ERR_TAMIS_INTERNAL').join());
});

test('open finds the class, and keeps to the options', async () => {
  const key = new Uint8Array(16).fill(3);
  const bytes = tamis.CuckooFilter.from(['a'], { hash: 'keyed', key }).toBytes();
  expect(await read.open(bytes, { key })).toBeInstanceOf(read.CuckooFilter);
  expect((await rejection(read.open(bytes))).code).toBe('ERR_TAMIS_KEY_REQUIRED');
  expect((await rejection(read.open(bytes, { maxBytes: 65 }))).code).toBe('ERR_TAMIS_TOO_LARGE');
  expect((await rejection(read.open('a' as never))).code).toBe('ERR_TAMIS_INVALID_OPTION');
});
