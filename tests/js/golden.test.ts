/** The golden files, written by the native build: read here, and written again byte for byte. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import { type AnyFilter, BitArray, fromBytesOf, InvertibleBloomTable } from 'tamis';

import { classesOf } from './support/all-classes.mjs';
import { codeExpected, TYPE_IDS } from './support/container.js';
import { deepFault } from './support/deep-check.js';
import { thrownBy } from './support/errors.js';
import { goldenFolder as folder, type Golden, golden } from './support/golden.js';
import { everyScheme } from './support/schemes.js';

const bytesOf = (one: Golden): Uint8Array =>
  new Uint8Array(readFileSync(new URL(one.file, folder)));
const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const options = (one: Golden) => ({
  schemes: everyScheme,
  ...(one.key && { secret: fromHex(one.key) }),
});

type Loaded = AnyFilter | BitArray | InvertibleBloomTable;

/** Answers for keys in hexadecimal, or a bit array's indices. For an iblt: 1 if its complete list has it as added. */
function answersOf(loaded: Loaded, elements: readonly string[]): number[] {
  if (loaded instanceof BitArray) return elements.map((index) => Number(loaded.has(Number(index))));
  if (loaded instanceof InvertibleBloomTable) {
    const { added, complete } = loaded.decode();
    const listed = added.map((key) => Buffer.from(key).toString('hex'));
    return elements.map((key) => Number(complete && listed.includes(key)));
  }
  return [...loaded.hasMany(elements.map(fromHex))];
}

const valid = golden.filter((one) => one.valid);
const damaged = golden.filter((one) => !one.valid);

test('the manifest names every file, and each has the digest that it had', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.tamis'));
  expect(golden.map((one) => one.file).sort()).toEqual(files.sort());
  for (const one of golden) {
    const digest = createHash('sha256').update(bytesOf(one)).digest('hex');
    expect(`${one.file} ${digest}`).toBe(`${one.file} ${one.sha256}`);
  }
});

describe('valid files', () => {
  test.each(valid.map((one) => [one.file, one] as const))('%s', (_file, one) => {
    const bytes = bytesOf(one);
    const loaded: Loaded = fromBytesOf(classesOf(tamis), bytes, options(one));
    expect(loaded.type).toBe(one.type);
    loaded.validate();
    expect(loaded.toBytes()).toEqual(bytes);
    const present = one.present ?? [];
    const absent = one.absent ?? [];
    expect(answersOf(loaded, present)).toEqual(present.map(() => 1));
    const absentKeys = absent.map(({ key }) => key);
    expect(answersOf(loaded, absentKeys)).toEqual(absent.map(({ has }) => (has ? 1 : 0)));
  });

  test('are of every type and scheme', () => {
    const kinds = new Set(valid.map((one) => bytesOf(one).subarray(10, 12).join()));
    const hashed = Object.values(TYPE_IDS).filter((id) => id !== TYPE_IDS['bit-array']);
    const schemes = [3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15].map((id) => `1,${id}`);
    const all = [...hashed.flatMap((id) => [`${id},1`, `${id},2`]), ...schemes, '2,16', '15,0'];
    expect([...kinds].sort()).toEqual(all.sort());
  });
});

describe('invalid files', () => {
  test.each(damaged.map((one) => [one.file, one] as const))('%s', (_file, one) => {
    const bytes = bytesOf(one);
    const error = thrownBy(() => fromBytesOf(classesOf(tamis), bytes, options(one)));
    const expected = codeExpected(bytes, options(one));
    expect(error.code).toBe(`ERR_TAMIS_${expected === 'DEEP' ? 'CORRUPT' : expected}`);
    if (expected === 'DEEP') expect(deepFault(bytes, options(one).secret)).toBe(true);
    expect(String(one.error).replace('ERR_TAMIS_', '')).toBe(error.code.replace('ERR_TAMIS_', ''));
  });
});
