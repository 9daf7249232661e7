/** Loading by tamis/read: the files that each class loads, and the errors for all others. */
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as read from 'tamis/read';

import { KEY, OTHER_KEY } from './classes.js';
import { classesOf } from './support/all-classes.mjs';
import { expectCode, expectOption, rejection } from './support/errors.js';
import { utf8 } from './support/keys.js';
import { readers, transfer } from './support/readable.js';

const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const bloomBytes = tamis.BloomFilter.from(keys, { fpr: 1e-6 }).toBytes();
const ribbonBytes = tamis.RibbonFilter.from(keys, { fpr: 1e-6 }).toBytes();
const keyedBytes = tamis.CuckooFilter.from(keys, { secret: KEY }).toBytes();
const tableBytes = new tamis.InvertibleBloomTable({ differences: 5, keyBytes: 4 }).toBytes();
const isWhole = (reader: read.Filter) =>
  keys.every((key) => reader.has(key)) && !reader.has('none');

describe('fromBytesOf', () => {
  test('takes the class of the type, and has its type', () => {
    const filter = read.fromBytesOf([read.BloomFilter, read.RibbonFilter], ribbonBytes);
    // The compiler checks what it is.
    const same: read.BloomFilter | read.RibbonFilter = filter;
    const type: 'bloom' | 'ribbon' = filter.type;
    expect(type).toBe('ribbon');
    expect(same).toBeInstanceOf(read.RibbonFilter);
    expect(isWhole(filter)).toBe(true);
    const classes: read.ReaderClass<read.BloomFilter | read.RibbonFilter>[] = [read.BloomFilter];
    expect(isWhole(read.fromBytesOf(classes, bloomBytes))).toBe(true);
    // @ts-expect-error that it is a ribbon nobody has looked at
    const { fingerprints } = filter;
    expect(fingerprints).toBeUndefined();
  });

  test('refuses another type, and says which it takes', () => {
    const classes = [read.BloomFilter, read.CuckooFilter];
    const { message } = expectCode(() => read.fromBytesOf(classes, ribbonBytes), 'WRONG_TYPE');
    expect(message).toContain('bloom, cuckoo');
    expectCode(() => read.fromBytesOf([], ribbonBytes), 'WRONG_TYPE');
    expectCode(() => read.fromBytesOf(classes, tableBytes), 'WRONG_TYPE');
    const noClasses = [undefined, null, {}, ribbonBytes, read.RibbonFilter];
    for (const other of [...noClasses, [undefined], [{}], [tamis.RibbonFilter], [Map]]) {
      expectOption(() => read.fromBytesOf(other as never, ribbonBytes), TypeError);
    }
  });

  test('keeps to the options', () => {
    const classes = [read.CuckooFilter];
    expect(isWhole(read.fromBytesOf(classes, keyedBytes, { secret: KEY }))).toBe(true);
    expectCode(() => read.fromBytesOf(classes, keyedBytes), 'KEY_REQUIRED');
    expectCode(() => read.fromBytesOf(classes, keyedBytes, { secret: OTHER_KEY }), 'WRONG_KEY');
    expectCode(
      () => read.fromBytesOf(classes, keyedBytes, { secret: KEY, maxBytes: 65 }),
      'TOO_LARGE',
    );
    expectOption(() => read.fromBytesOf(classes, keyedBytes, { keys: KEY } as never), TypeError);
  });
});

describe('fromBytes', () => {
  test('has every class', () => {
    expect(isWhole(read.fromBytes(bloomBytes) as read.BloomFilter)).toBe(true);
    expect(read.fromBytes(keyedBytes, { secret: KEY })).toBeInstanceOf(read.CuckooFilter);
    expectCode(() => read.fromBytes(keyedBytes), 'KEY_REQUIRED');
    expectCode(() => read.fromBytes(keyedBytes, { secret: KEY, maxBytes: 65 }), 'TOO_LARGE');
    expectOption(() => read.fromBytes(bloomBytes, { keys: KEY } as never), TypeError);
    // All but the table.
    expect(readers.size).toBe(classesOf(tamis).length - 1);
  });

  test('refuses what has no keys to look up', () => {
    const { message } = expectCode(() => read.fromBytes(tableBytes), 'WRONG_TYPE');
    for (const type of readers.keys()) {
      if (type !== 'bit-array') expect(message).toContain(type);
    }
    const bits = new tamis.BitArray(5).set(3).toBytes();
    const ofBits = expectCode(() => read.fromBytes(bits), 'WRONG_TYPE');
    expect(ofBits.message).toMatch(/, got a bit-array: use BitArray\.fromBytes$/);
    expect(read.fromBytesOf([read.BloomFilter, read.BitArray], bits).type).toBe('bit-array');
  });
});

describe('fromStream', () => {
  async function* pieces(bytes: Uint8Array, size: number) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }

  test('takes pieces of any size', async () => {
    for (const size of [1, 7, 63, 64, 65, 1e6]) {
      const classes = [read.BloomFilter, read.RibbonFilter] as const;
      expect(isWhole(await read.fromStreamOf(classes, pieces(ribbonBytes, size)))).toBe(true);
    }
    const body = new Blob([keyedBytes]).stream();
    expect(isWhole(await read.fromStreamOf([read.CuckooFilter], body, { secret: KEY }))).toBe(true);
  });

  test('refuses as soon as it can', async () => {
    const codeOf = async (bytes: Uint8Array, options?: object) => {
      let seen = 0;
      let isStopped = false;
      const source = async function* () {
        try {
          for await (const piece of pieces(bytes, 64)) {
            seen++;
            yield piece;
          }
        } finally {
          isStopped = true;
        }
      };
      const { code } = await rejection(read.fromStreamOf([read.BloomFilter], source(), options));
      await new Promise((resolve) => setTimeout(resolve));
      expect(isStopped).toBe(true);
      return [code.replace('ERR_TAMIS_', ''), seen];
    };
    expect(await codeOf(bloomBytes, { maxBytes: 70 })).toEqual(['TOO_LARGE', 1]);
    expect(await codeOf(ribbonBytes)).toEqual(['WRONG_TYPE', 1]);
    expect(await codeOf(utf8('<!doctype html>'.repeat(100)))).toEqual(['NOT_TAMIS', 1]);
    const longer = new Uint8Array(2 * bloomBytes.length + 640);
    longer.set(bloomBytes);
    expect(await codeOf(longer)).toEqual(['CORRUPT', Math.ceil((bloomBytes.length + 1) / 64)]);
    const cut = bloomBytes.slice(0, -1);
    expect(await codeOf(cut)).toEqual(['TRUNCATED', Math.ceil(cut.length / 64)]);
  });

  test('tells the bytes that are there, and all once the header is', async () => {
    const seen: read.Progress[] = [];
    const onProgress = (progress: read.Progress) => void seen.push(progress);
    const loaded = await read.fromStream(pieces(ribbonBytes, 50), { onProgress });
    expect(loaded.type).toBe('ribbon');
    const total = ribbonBytes.length;
    expect(seen.slice(0, 2)).toEqual([{ done: 50 }, { done: 100, total }]);
    expect(seen.at(-1)).toEqual({ done: total, total });
  });

  test('an abort ends it, also while the source hangs, and stops the source', async () => {
    for (const when of ['before', 'between', 'while it hangs']) {
      const controller = new AbortController();
      const reason = new Error(when);
      let isStopped = false;
      const source = new ReadableStream<Uint8Array>({
        start: (to) => to.enqueue(ribbonBytes.subarray(0, 100)),
        cancel: () => {
          isStopped = true;
        },
      });
      if (when === 'before') controller.abort(reason);
      const onProgress = () => {
        if (when === 'between') controller.abort(reason);
        else setTimeout(() => controller.abort(reason));
      };
      const { signal } = controller;
      await expect(read.fromStream(source, { signal, onProgress })).rejects.toBe(reason);
      await new Promise((resolve) => setTimeout(resolve));
      expect(isStopped).toBe(true);
    }
  });

  test('an abort after the end changes nothing', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const loaded = await read.fromStreamOf([read.RibbonFilter], pieces(ribbonBytes, 99), {
      signal,
    });
    controller.abort();
    expect(isWhole(loaded)).toBe(true);
  });

  test('refuses wrong options before it reads', async () => {
    const source = pieces(ribbonBytes, 9);
    for (const options of [{ signal: {} }, { onProgress: 'x' }, { more: 1 }]) {
      const { code } = await rejection(read.fromStream(source, options as never));
      expect(code).toBe('ERR_TAMIS_INVALID_OPTION');
    }
    expect((await source.next()).value).toEqual(ribbonBytes.subarray(0, 9));
  });
});

test('what are no bytes is a wrong argument', () => {
  const gone = bloomBytes.slice();
  transfer(gone.buffer);
  const others = [
    'text',
    7,
    null,
    undefined,
    {},
    [1, 2],
    new Uint16Array(64),
    new DataView(bloomBytes.buffer),
  ];
  for (const bytes of [...others, gone, gone.buffer]) {
    expectOption(() => read.BloomFilter.fromBytes(bytes as never), TypeError);
    expectOption(() => read.fromBytes(bytes as never), TypeError);
  }
});

test('bytes of another library, a page or a half are refused by every class', () => {
  for (const Class of readers.values()) {
    for (const length of [0, 7, 8, 9, 10, 63, 64, bloomBytes.length - 1]) {
      const code = length < 8 ? 'NOT_TAMIS' : length < 64 ? 'TRUNCATED' : undefined;
      const own = Class.prototype.type === 'bloom' ? 'TRUNCATED' : 'WRONG_TYPE';
      expectCode(() => Class.fromBytes(bloomBytes.subarray(0, length)), code ?? own);
    }
  }
});

test('a structure is made by fromBytes alone, and the error says what builds one', () => {
  type Made = new (given: unknown) => unknown;
  for (const Class of readers.values() as unknown as Iterable<Made>) {
    for (const given of [{ capacity: 5 }, undefined, 7, bloomBytes]) {
      const { message } = expectOption(() => new Class(given), TypeError);
      expect(message).toMatch(/fromBytes.*'tamis'/);
    }
  }
});

test('a subclass loads itself, and open takes it', () => {
  class Names extends read.RibbonFilter {
    isTaken(name: string): boolean {
      return this.has(name.toLowerCase());
    }
  }
  const direct = Names.fromBytes(ribbonBytes) as Names;
  const opened = read.fromBytesOf([read.BloomFilter, Names], ribbonBytes) as Names;
  for (const names of [direct, opened]) {
    expect(names).toBeInstanceOf(Names);
    expect(names.isTaken('KEY 7')).toBe(true);
    expect(names.type).toBe('ribbon');
  }
  expectCode(() => Names.fromBytes(bloomBytes), 'WRONG_TYPE');
});

test('what somebody put on Object.prototype changes nothing', () => {
  const whole = tamis.hashKey('a');
  const bytes = bloomBytes.slice();
  const added = { secret: OTHER_KEY, maxBytes: 1, view: true, key: OTHER_KEY, more: 1 };
  const options: read.LoadOptions[] = [];
  let reader: read.BloomFilter | undefined;
  let keyed: read.AnyFilter | undefined;
  let hash = 0n;
  try {
    Object.assign(Object.prototype, added);
    for (const given of [undefined, {}]) {
      options.push(given as never);
      reader = read.BloomFilter.fromBytes(bytes, given);
      read.fromBytesOf([read.BloomFilter], bytes, given);
    }
    keyed = read.fromBytes(keyedBytes, { secret: KEY });
    hash = read.hashKey('a');
  } finally {
    for (const name of Object.keys(added))
      delete (Object.prototype as Record<string, unknown>)[name];
  }
  expect(hash).toBe(whole);
  expect(isWhole(keyed as read.CuckooFilter)).toBe(true);
  // It is a copy.
  bytes.fill(0);
  expect(isWhole(reader as read.BloomFilter)).toBe(true);
});

test('bytes, keys and hashes of another realm are taken', () => {
  const there = <T>(source: string, ...of: unknown[]): T => runInNewContext(source, { of });
  const copy = (bytes: Uint8Array) => there<Uint8Array>('Uint8Array.from(of)', ...bytes);
  expect(copy(KEY)).not.toBeInstanceOf(Uint8Array);
  const foreign = copy(keyedBytes);
  for (const bytes of [foreign, foreign.buffer as ArrayBuffer]) {
    for (const view of [false, true]) {
      const reader = read.CuckooFilter.fromBytes(bytes, { secret: copy(KEY), view });
      expect(isWhole(reader)).toBe(true);
      expect(reader.hasMany(keys.map((key) => copy(utf8(key))))).toEqual(reader.hasMany(keys));
      const hashes = tamis.hashKeys(keys, { secret: KEY });
      const theirs = there<BigUint64Array>('BigUint64Array.from(of)', ...hashes);
      expect(reader.hasHashes(theirs)).toEqual(reader.hasMany(keys));
    }
  }
  expect(read.hashKey(copy(utf8('a')), { secret: copy(KEY) })).toBe(
    tamis.hashKey('a', { secret: KEY }),
  );
});

test('a secret key is copied, also that of a Buffer, and stays as it is', () => {
  for (const make of [() => KEY.slice(), () => Buffer.from(KEY), () => Buffer.alloc(16, KEY)]) {
    // In Node's pool they lie side by side.
    const [before, key, after] = [Buffer.from('before'), make(), Buffer.from('after')];
    expect(read.hashKey('a', { secret: key })).toBe(tamis.hashKey('a', { secret: KEY }));
    const reader = read.CuckooFilter.fromBytes(Buffer.from(keyedBytes), { secret: key });
    expect(isWhole(reader)).toBe(true);
    read.CuckooFilter.fromBytes(keyedBytes, { secret: key }).dispose();
    expect([String(before), new Uint8Array(key), String(after)]).toEqual(['before', KEY, 'after']);
    key.fill(0);
    expect(isWhole(reader)).toBe(true);
  }
});
