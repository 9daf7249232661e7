/** Damaged, hostile and foreign bytes: each is rejected with the code that comes first by the format's order. */
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import { BloomFilter, fromBytesOf, type LoadOptions } from 'tamis';
import type { StructureCase } from './classes.js';
import { KEY, OTHER_KEY, structureCases } from './classes.js';
import { classesOf } from './support/all-classes.mjs';
import { budget, isLong } from './support/budget.js';
import {
  codeExpected,
  edited,
  flipped,
  HEADER,
  repaired,
  TYPE_IDS,
  URL_TYPE_IDS,
} from './support/container.js';
import { deepFault } from './support/deep-check.js';
import type { Code } from './support/errors.js';
import { expectCode, expectOption, thrownBy } from './support/errors.js';
import { fc } from './support/fast-check.js';
import { everyScheme } from './support/schemes.js';

/** Loads bytes of any type of `tamis`. */
const fromAny = (bytes: Uint8Array | ArrayBuffer, load?: LoadOptions) =>
  fromBytesOf(classesOf(tamis), bytes, load);

/** Reads the bytes, and compares the outcome with the rules. Returns true if the bytes were accepted. */
function judge(one: StructureCase, bytes: Uint8Array): boolean {
  const expected = codeExpected(bytes, { ...one.load, asked: one.type });
  let code: string | undefined;
  try {
    // The changed byte may be that of the scheme, so all schemes are given.
    const loaded = one.Class.fromBytes(bytes, { ...one.load, schemes: everyScheme });
    loaded.validate();
    if (!Buffer.from(loaded.toBytes()).equals(bytes)) throw new Error('accepted, not canonical');
    loaded.dispose();
  } catch (error) {
    code = (error as { code?: string }).code;
    if (code === undefined) throw error;
  }
  if (expected !== 'DEEP') {
    if (code !== `ERR_TAMIS_${expected}`) throw new Error(`${code}, expected ${expected}`);
    return false;
  }
  const deep = deepFault(bytes, one.load.secret) ? 'ERR_TAMIS_CORRUPT' : undefined;
  if (code !== deep) throw new Error(`deep check: ${code}, expected ${deep}`);
  return code === undefined;
}

/** npm test takes each seventh bit, so that each bit of a byte has its turn. */
const bitStep = isLong ? 1 : 7;

/** `judge`, with the place named when it fails. */
function judgeAt(one: StructureCase, bytes: Uint8Array, place: string): boolean {
  try {
    return judge(one, bytes);
  } catch (error) {
    throw new Error(`${one.label}, ${place}: ${(error as Error).message}`, { cause: error });
  }
}

// A seed makes no other kind of bytes, and of the keyed two types will do.
const swept = structureCases.filter(({ label, type }) => {
  return type === 'bloom' || label === 'iblt, keyed' || !/seeded|keyed|5 generations/.test(label);
});
/** One of each type. */
const firsts = new Set([...new Map([...swept].reverse().map((one) => [one.type, one])).values()]);

describe.each(swept.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const bytes = one.make(5).toBytes();
  // Room for a record whose numbers grow without the payload's length changing.
  const field = (offset: number, value: bigint): Uint8Array =>
    edited(bytes, (view) => view.setBigUint64(offset, value, true));

  test('the bytes themselves are taken', () => {
    expect(judge(one, bytes)).toBe(true);
  });

  test('every truncation and extension is rejected', () => {
    for (let n = 0; n < bytes.length; n++) {
      expect(judgeAt(one, bytes.slice(0, n), `${n} bytes`)).toBe(false);
    }
    for (let more = 1; more <= 9; more++) {
      const longer = new Uint8Array(bytes.length + more);
      longer.set(bytes);
      expect(judgeAt(one, longer, `${more} more`)).toBe(false);
    }
    expect(codeExpected(bytes.slice(0, 7))).toBe('NOT_TAMIS');
    expect(codeExpected(bytes.slice(0, 8))).toBe('TRUNCATED');
    expect(codeExpected(bytes.slice(0, 63))).toBe('TRUNCATED');
    expect(codeExpected(bytes.slice(0, -1))).toBe('TRUNCATED');
  });

  test('single-bit flips are rejected', () => {
    for (let i = 0; i < 8 * bytes.length; i += bitStep) {
      const damaged = flipped(bytes, i);
      if (judgeAt(one, damaged, `bit ${i}`)) throw new Error(`bit ${i} was not missed`);
      expectSameGeneric(one, damaged);
    }
  });

  test('single-bit flips with the checksums repaired are rejected, or valid ones', () => {
    let taken = 0;
    for (let i = 0; i < 8 * bytes.length; i += bitStep) {
      if (judgeAt(one, repaired(flipped(bytes, i)), `bit ${i}, repaired`)) taken++;
    }
    // Flips in the seed or the content can make another valid structure. So the deep checks were reached.
    if (one.type !== 'bit-array') expect(taken).toBeGreaterThan(8 / bitStep);
  });

  test('each byte of the header with many values, with the checksums repaired', () => {
    if (!firsts.has(one)) return;
    const step = isLong ? 1 : 11;
    for (let at = 0; at < 56; at++) {
      for (let value = 0; value < 256; value += step) {
        const changed = edited(bytes, (view) => view.setUint8(at, value));
        judgeAt(one, changed, `byte ${at} = ${value}`);
      }
    }
  });

  test('every field at its borders, with the checksums repaired', () => {
    const borders = [
      0n,
      1n,
      2n,
      63n,
      64n,
      65n,
      2n ** 31n - 1n,
      2n ** 31n,
      2n ** 32n - 1n,
      2n ** 32n,
      2n ** 32n + 1n,
      2n ** 40n,
      2n ** 53n - 1n,
      2n ** 53n,
      2n ** 63n,
      2n ** 64n - 1n,
    ];
    for (let offset = 16; offset + 8 <= bytes.length; offset += 8) {
      if (offset === 56) continue;
      for (const value of borders) judgeAt(one, field(offset, value), `${value} at ${offset}`);
    }
    const over = (offset: number, value: bigint, code: Code): void => {
      expectCode(() => one.Class.fromBytes(field(offset, value), one.load), code);
    };
    over(32, 2n ** 53n, 'TOO_LARGE');
    over(40, 2n ** 53n, 'TOO_LARGE');
    over(48, 2n ** 37n, 'TOO_LARGE');
    over(48, 2n ** 64n - 1n, 'TOO_LARGE');
    over(48, 2n ** 20n, 'TRUNCATED');
    over(HEADER, 2n ** 64n - 1n, 'CORRUPT');
    if (one.type === 'bloom') over(HEADER, 2n ** 40n, 'CORRUPT');
    if (one.type === 'bit-array') over(32, 2n ** 40n, 'CORRUPT');
  });

  test('swapped words, zeroed words and foreign halves', () => {
    const other = one.make(6).toBytes();
    const words = Math.floor(bytes.length / 8);
    fc.assert(
      fc.property(fc.nat(words - 1), fc.nat(words - 1), (a, b) => {
        const swapped = bytes.slice();
        swapped.set(bytes.subarray(8 * a, 8 * a + 8), 8 * b);
        swapped.set(bytes.subarray(8 * b, 8 * b + 8), 8 * a);
        judgeAt(one, swapped, `words ${a} and ${b}`);
        judgeAt(one, repaired(swapped), `words ${a} and ${b}, repaired`);
        const zeroed = bytes.slice().fill(0, 8 * a, 8 * a + 8);
        judgeAt(one, zeroed, `word ${a} zero`);
        judgeAt(one, repaired(zeroed), `word ${a} zero, repaired`);
      }),
      { numRuns: budget(200) },
    );
    const mixed = Buffer.concat([bytes.subarray(0, HEADER), other.subarray(HEADER)]);
    judgeAt(one, new Uint8Array(mixed), 'a header and another payload');
    judgeAt(one, repaired(new Uint8Array(mixed)), 'the same, repaired');
  });

  test('random bytes, and random damage', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        judge(one, noise);
        const behind = new Uint8Array(HEADER + noise.length);
        behind.set(bytes.subarray(0, HEADER));
        behind.set(noise, HEADER);
        new DataView(behind.buffer).setBigUint64(48, BigInt(noise.length), true);
        judge(one, repaired(behind));
      }),
      { numRuns: budget(500) },
    );
  });

  test('another version, another type, no type', () => {
    const load = (changed: Uint8Array): unknown => one.Class.fromBytes(changed, one.load);
    const version = bytes.slice();
    version[8] = 2;
    expectCode(() => load(version), 'UNSUPPORTED_VERSION');
    expectCode(() => load(repaired(version).subarray(0, 20)), 'UNSUPPORTED_VERSION');
    const mine = TYPE_IDS[one.type];
    for (let id = 0; id < 256; id++) {
      if (id === mine || !(isLong || firsts.has(one))) continue;
      const known = [...Object.values(TYPE_IDS), ...URL_TYPE_IDS].includes(id);
      const changed = edited(bytes, (view) => view.setUint8(10, id));
      expectCode(() => load(changed), known ? 'WRONG_TYPE' : 'UNKNOWN_TYPE');
      if (!known) expectCode(() => fromAny(changed, one.load), 'UNKNOWN_TYPE');
    }
  });

  test('maxBytes is the most that is read', () => {
    const options = (maxBytes: number): object => ({ ...one.load, maxBytes });
    expect(one.Class.fromBytes(bytes, options(bytes.length)).toBytes()).toEqual(bytes);
    const most = bytes.length - 1;
    const error = expectCode(() => one.Class.fromBytes(bytes, options(most)), 'TOO_LARGE');
    expect(error.message).toBe(`the bytes exceed \`maxBytes\` (${most})`);
    expectCode(() => fromAny(bytes, options(1)), 'TOO_LARGE');
    const half = bytes.subarray(0, HEADER + 1);
    expectCode(() => one.Class.fromBytes(half, options(bytes.length - 1)), 'TOO_LARGE');
    expectCode(() => one.Class.fromBytes(half, options(2 ** 31)), 'TRUNCATED');
    for (const wrong of [-1, 1.5, NaN, 2 ** 53]) {
      expectOption(() => one.Class.fromBytes(bytes, options(wrong)), RangeError);
    }
    expectOption(() => one.Class.fromBytes(bytes, { maxBytes: '9' } as object), TypeError);
  });

  test('a zero-filled, an empty and a foreign file', () => {
    for (const wrong of [new Uint8Array(0), new Uint8Array(500), Buffer.from('<!doctype html>')]) {
      expectCode(() => one.Class.fromBytes(wrong, one.load), 'NOT_TAMIS');
      expectCode(() => fromAny(wrong, one.load), 'NOT_TAMIS');
    }
  });

  test('bytes lie in every kind of buffer', () => {
    const same = (input: ArrayBuffer | Uint8Array): void => {
      expect(one.Class.fromBytes(input, one.load).toBytes()).toEqual(bytes);
      expect(fromAny(input, one.load).toBytes()).toEqual(bytes);
    };
    for (let offset = 0; offset < 9; offset++) {
      const room = new Uint8Array(bytes.length + 20).fill(0xee);
      room.set(bytes, offset);
      same(room.subarray(offset, offset + bytes.length));
    }
    same(bytes.slice().buffer);
    same(Buffer.from(bytes));
    const resizable = new ArrayBuffer(bytes.length, { maxByteLength: 4096 });
    new Uint8Array(resizable).set(bytes);
    same(resizable);
    same(new Uint8Array(resizable));
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    same(shared as unknown as Uint8Array);
  });

  test('a detached buffer, and what is no bytes', () => {
    const buffer = bytes.slice().buffer;
    const view = new Uint8Array(buffer);
    structuredClone(buffer, { transfer: [buffer] });
    thrownBy(() => one.Class.fromBytes(view, one.load));
    thrownBy(() => one.Class.fromBytes(buffer, one.load));
    for (const wrong of [undefined, null, 7, 'text', [...bytes], {}, new Uint16Array(50)]) {
      const load = (): unknown => one.Class.fromBytes(wrong as Uint8Array, one.load);
      expectOption(load, TypeError);
      expectOption(() => fromAny(wrong as Uint8Array, one.load), TypeError);
    }
  });
});

/** Checks that the generic reader returns what the class returns, if no other type is involved. */
function expectSameGeneric(one: StructureCase, bytes: Uint8Array): void {
  const expected = codeExpected(bytes, one.load);
  const code = thrownBy(() => fromAny(bytes, one.load)).code;
  if (code !== `ERR_TAMIS_${expected}`) throw new Error(`fromBytes: ${code}, not ${expected}`);
}

describe('keyed bytes', () => {
  const make = (): Uint8Array => new BloomFilter({ capacity: 5, secret: KEY }).toBytes();

  test('want the key, after everything else was checked', () => {
    const bytes = make();
    expectCode(() => BloomFilter.fromBytes(bytes), 'KEY_REQUIRED');
    expectCode(() => BloomFilter.fromBytes(bytes, { secret: OTHER_KEY }), 'WRONG_KEY');
    expectCode(() => BloomFilter.fromBytes(bytes.subarray(0, 70)), 'TRUNCATED');
    expectCode(() => BloomFilter.fromBytes(flipped(bytes, 8 * 80)), 'CORRUPT');
    const plain = new BloomFilter({ capacity: 5 }).toBytes();
    expectCode(() => BloomFilter.fromBytes(plain, { secret: KEY }), 'WRONG_KEY');
    expectCode(() => BloomFilter.fromBytes(flipped(plain, 8 * 80), { secret: KEY }), 'CORRUPT');
  });

  test('a key is 16 bytes', () => {
    for (const key of [new Uint8Array(0), new Uint8Array(15), new Uint8Array(32)]) {
      expectOption(() => BloomFilter.fromBytes(make(), { secret: key }), RangeError);
    }
    for (const key of ['0123456789abcdef', [...KEY], null, 5]) {
      expectOption(() => BloomFilter.fromBytes(make(), { key } as object), TypeError);
    }
  });
});
