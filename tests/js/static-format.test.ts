/** cpp/FORMAT.md on what is built once: its tables of places, by the second reader of its payloads. */
import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';
import { BinaryFuseFilter, BloomierMap, fromBytes, RibbonFilter } from 'tamis';

import { members } from './classes.js';
import { binomialTails } from './support/binomial.js';
import { budget, isLong } from './support/budget.js';
import { expectSame } from './support/bytes.js';
import { HEADER } from './support/container.js';
import { type Golden, golden, goldenFolder } from './support/golden.js';
import { randomStrings } from './support/keys.js';
import {
  answersOf,
  fusePlaces,
  fuseTable,
  levelRecords,
  levelSeed,
  mapAnswers,
  ribbonPlace,
} from './support/static-payload.js';

const FORMAT = readFileSync(new URL('../../cpp/FORMAT.md', import.meta.url), 'utf8');

/** The cells of the table with this head. */
function table(head: string): string[][] {
  const lines = FORMAT.split('\n');
  const start = lines.indexOf(head) + 2;
  const end = lines.findIndex((line, index) => index >= start && !line.startsWith('|'));
  return lines.slice(start, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
const hex = (value: bigint, digits: number): string => value.toString(16).padStart(digits, '0');

test('the places in a binary fuse filter', () => {
  const rows = table('| C | s | g | F | p_0 | p_1 | p_2 | p_3 |');
  expect(rows.length).toBeGreaterThan(3);
  for (const [segments, segmentLog, g, ...expected] of rows as [string, string, string][]) {
    const places = fusePlaces(BigInt(`0x${g}`), Number(segments), Number(segmentLog));
    expect([hex(places.fingerprint, 8), ...places.slots.map(String)]).toEqual(expected);
  }
});

test('the places in a retrieval', () => {
  const rows = table('| seed | level | a | h | m | i | c | check |');
  expect(rows.length).toBeGreaterThan(3);
  for (const [seed, level, attempt, h, slots, ...expected] of rows as [
    string,
    string,
    string,
    string,
    string,
  ][]) {
    const mixed = levelSeed(BigInt(`0x${seed}`), Number(level), Number(attempt));
    const { start, coefficients, check } = ribbonPlace(
      BigInt.asUintN(64, BigInt(`0x${h}`) + mixed),
      Number(slots),
    );
    expect([String(start), hex(coefficients, 16), hex(check, 8)]).toEqual(expected);
  }
});

const absentKeys = [...randomStrings(budget(20_000, 5000), 'golden'), ...members(500)];
const bytesOf = (one: Golden): Uint8Array =>
  new Uint8Array(readFileSync(new URL(one.file, goldenFolder)));
const fromHex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const types = ['binary-fuse', 'ribbon', 'exact', 'bloomier'];
const files = golden.filter(({ type, valid }) => valid && types.includes(type));

describe('golden files', () => {
  test('there are some of each of these types', () => {
    expect([...new Set(files.map(({ type }) => type))].sort()).toEqual([...types].sort());
  });

  test.each(files.map((one) => [one.file, one] as const))('%s', (_file, one) => {
    const bytes = bytesOf(one);
    const key = one.key === undefined ? undefined : fromHex(one.key);
    const options = key === undefined ? {} : { key };
    const answers = answersOf(bytes, key);
    if (answers === undefined) throw new Error(`${one.type}: FORMAT.md was not read`);
    // This reader is slow.
    const every = !isLong && (one.present?.length ?? 0) > 500 ? 10 : 1;
    const present = (one.present ?? []).filter((_, i) => i % every === 0).map(fromHex);
    expect(present.filter((text) => !answers.has(text))).toEqual([]);
    for (const { key: text, has } of one.absent ?? []) {
      expect(answers.has(fromHex(text))).toBe(has);
    }
    const loaded = fromBytes(bytes, options);
    if (!('hasMany' in loaded)) throw new Error('no keys');
    const hits = loaded.hasMany(absentKeys).reduce((sum, hit) => sum + hit, 0);
    const tails = binomialTails(hits, absentKeys.length, answers.rate);
    expect(Math.min(tails.lower, tails.upper)).toBeGreaterThan(1e-9);
    expect(bytes.length - HEADER - loaded.sizeBytes).toBe(answers.recordBytes);
    if (!(loaded instanceof BloomierMap)) return;
    const { get } = mapAnswers(bytes, key);
    const values = present.map((text) => text.length % 2 ** loaded.valueBits);
    expect(present.map(get)).toEqual(values);
    expect(present.map((text) => loaded.get(text))).toEqual(values);
  });

  // The manifest names the keys of the smaller ones all.
  const whole = files.filter((one) => {
    const view = new DataView(bytesOf(one).buffer);
    return one.type !== 'exact' && Number(view.getBigUint64(40, true)) === one.present?.length;
  });

  test('that name all their keys are of each type, too', () => {
    const counts = types.map((type) => whole.filter((one) => one.type === type).length);
    expect(counts.filter((count) => count > 4).length).toBe(3);
  });

  test.each(whole.map((one) => [one.file, one] as const))('%s is built again', (_file, one) => {
    const bytes = bytesOf(one);
    const view = new DataView(bytes.buffer);
    const key = one.key === undefined ? undefined : fromHex(one.key);
    const keys = (one.present ?? []).map(fromHex);
    const build = (seed: bigint): Uint8Array => {
      const hashing = key === undefined ? { seed } : ({ seed, hash: 'keyed', key } as const);
      if (one.type === 'binary-fuse') {
        const { width: fingerprintBits, arity } = fuseTable(bytes);
        const options = { ...hashing, fingerprintBits, arity: arity as 3 | 4 };
        return BinaryFuseFilter.from(keys, options).toBytes();
      }
      if (one.type === 'ribbon') {
        const fingerprintBits = levelRecords(bytes, HEADER)[0]?.width as number;
        return RibbonFilter.from(keys, { ...hashing, fingerprintBits }).toBytes();
      }
      const valueBits = view.getUint32(HEADER, true);
      const checkBits = view.getUint32(HEADER + 4, true);
      const entries = keys.map((text) => [text, text.length % 2 ** valueBits] as const);
      return BloomierMap.from(entries, { ...hashing, valueBits, checkBits }).toBytes();
    };
    // A fuse filter stores the seed with which its build succeeded: the given one, or one of these.
    const seeds = [view.getBigUint64(16, true)];
    if (one.type === 'binary-fuse') seeds.push(0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n);
    const built = seeds.map(build);
    const same = built.find((made) => Buffer.compare(made, bytes) === 0);
    expectSame(same ?? (built[0] as Uint8Array), bytes);
  });
});
