/** The command line on every type: --type with the options of each, then check and inspect of its file. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import {
  BinaryFuseFilter,
  BlockedBloomFilter,
  type BloomFilter,
  BloomierMap,
  CountingBloomFilter,
  CuckooFilter,
  DeletableBloomFilter,
  ExactFilter,
  type Filter,
  InvertibleBloomTable,
  RibbonFilter,
  RotatingBloomFilter,
  ScalableBloomFilter,
  type Structure,
  TombstoneBloomFilter,
} from 'tamis';
import { classesOf } from './support/all-classes.mjs';
import {
  built,
  folder,
  get,
  hosts,
  KEY,
  output,
  put,
  refused,
  tamis as run,
  textOf,
} from './support/cli.js';

const others = Array.from({ length: 2000 }, (_, i) => `benign-${i}.example`);

const capacity = hosts.length;
type Growing = Filter & { addMany(keys: Iterable<string>): number };
/** The filter with all hosts. */
const filled = (filter: Growing): Filter => {
  filter.addMany(hosts);
  return filter;
};

/**
 * Rows of a type, its options on the command line, and the same filter by a program. First comes every changing type
 * but the default, without options, and then some with options.
 */
const types: ReadonlyArray<[string, string[], () => Filter]> = [
  ...classesOf(tamis)
    .filter(({ prototype }) => 'addFrom' in prototype && prototype.type !== 'bloom')
    .map((Class): [string, string[], () => Filter] => [
      Class.prototype.type,
      [],
      () => filled(new (Class as typeof BloomFilter)({ capacity })),
    ]),
  [
    'blocked-bloom',
    ['--fpr', '0.001'],
    () => filled(new BlockedBloomFilter({ capacity, fpr: 0.001 })),
  ],
  [
    'counting-bloom',
    ['--counter-bits', '8', '--seed', '7'],
    () => filled(new CountingBloomFilter({ capacity, counterBits: 8, seed: 7n })),
  ],
  [
    'tombstone-bloom',
    ['--deletions', '20'],
    () => filled(new TombstoneBloomFilter({ capacity, deletions: 20 })),
  ],
  [
    'deletable-bloom',
    ['--regions', '400'],
    () => filled(new DeletableBloomFilter({ capacity, regions: 400 })),
  ],
  [
    'scalable-bloom',
    ['--capacity', '30', '--growth', '3', '--tightening', '0.6'],
    () => filled(new ScalableBloomFilter({ capacity: 30, growth: 3, tightening: 0.6 })),
  ],
  [
    'rotating-bloom',
    ['--generations', '4', '--period-ms', '60000'],
    () => filled(new RotatingBloomFilter({ capacity, generations: 4, periodMs: 60_000 })),
  ],
  [
    'cuckoo',
    ['--fingerprint-bits', '9', '--bucket-size', '2'],
    () => filled(new CuckooFilter({ capacity, fingerprintBits: 9, bucketSize: 2 })),
  ],
  ['ribbon', [], () => RibbonFilter.from(hosts)],
  ['ribbon', ['--fpr', '2^-16'], () => RibbonFilter.from(hosts, { fpr: 2 ** -16 })],
  [
    'ribbon',
    ['--fingerprint-bits', '9', '--seed', '7'],
    () => RibbonFilter.from(hosts, { fingerprintBits: 9, seed: 7n }),
  ],
  ['ribbon', ['--secret-file', 'key'], () => RibbonFilter.from(hosts, { secret: KEY })],
  ['binary-fuse', [], () => BinaryFuseFilter.from(hosts)],
  [
    'binary-fuse',
    ['--arity', '4', '--fingerprint-bits', '12'],
    () => BinaryFuseFilter.from(hosts, { arity: 4, fingerprintBits: 12 }),
  ],
  ['exact', ['--exclude', 'others'], () => ExactFilter.from({ include: hosts, exclude: others })],
  [
    'exact',
    ['--exclude', 'others', '--fpr', '0.001'],
    () => ExactFilter.from({ include: hosts, exclude: others }, { fpr: 0.001 }),
  ],
  [
    'exact',
    ['--exclude', 'others', '--seed', '0xfeed', '--secret-file', 'key'],
    () => ExactFilter.from({ include: hosts, exclude: others }, { seed: 0xfeedn, secret: KEY }),
  ],
];

/** Checks that inspect reports the figures of the structure, both as JSON and as text. */
async function expectFigures(structure: Structure, ...options: string[]): Promise<string> {
  const figures = { ...structure.toJSON(), content: undefined };
  const json = await run(['inspect', 'a.tms', '--json', ...options]);
  expect({ ...json, out: JSON.parse(json.out) }).toEqual({
    code: 0,
    out: { ...figures, fileBytes: structure.toBytes().length, overfull: false },
    err: '',
  });
  const { out } = await run(['inspect', 'a.tms', ...options]);
  const rows = out.trimEnd().split('\n').slice(1);
  // One row for the size of the file, and none for `content`.
  expect(rows).toHaveLength(Object.keys(figures).length);
  for (const name of Object.keys(figures).filter((name) => /[A-Z]/.test(name))) {
    expect(out).not.toContain(`  ${name} `);
  }
  const columns = rows.map((row) => row.search(/(?<=^ {2}.* {2})\S/));
  expect(new Set(columns).size).toBe(1);
  return out;
}

describe.each(types)('%s %j', (type, options, make) => {
  test('is what the package builds, and can be asked and inspected', async () => {
    put('others', textOf(others));
    put('key', KEY);
    await built('a.tms', hosts, '--type', type, ...options);
    const filter = make();
    expect(get('a.tms').equals(filter.toBytes())).toBe(true);

    const asked = [...hosts, ...others, 'stranger.example'];
    const secret = options.includes('--secret-file') ? ['--secret-file', 'key'] : [];
    const check = await run(['check', 'a.tms', '--json', ...secret], asked.join('\n'));
    const answers = filter.hasMany(asked);
    expect(check).toEqual({
      code: 0,
      out: asked.map((key, i) => `${JSON.stringify({ key, has: answers[i] === 1 })}\n`).join(''),
      err: '',
    });
    expect(answers.subarray(0, hosts.length).every((answer) => answer === 1)).toBe(true);
    const out = await expectFigures(filter, ...secret);
    expect(out).toMatch(/\n {2}.{15} {2}\S/);
  });
});

test('inspect says what is particular to a type', async () => {
  const shown = async (type: string, ...options: string[]): Promise<string> => {
    await built(type, hosts, '--type', type, ...options);
    return (await run(['inspect', type])).out;
  };
  expect(await shown('counting-bloom')).toMatch(/^ {2}counter bits +4$/m);
  expect(await shown('deletable-bloom')).toMatch(/^ {2}deletable now +[\d.]+ % of the keys$/m);
  expect(await shown('scalable-bloom', '--capacity', '100')).toMatch(/^ {2}layers +3$/m);
  expect(await shown('rotating-bloom')).toMatch(/^ {2}generations +2\n {2}period +none$/m);

  const tombstones = new TombstoneBloomFilter({ capacity: 100, deletions: 1 });
  tombstones.addMany(hosts.slice(0, 100));
  for (const host of hosts.slice(0, 50)) tombstones.delete(host);
  put('deleted.tms', tombstones.toBytes());
  const { out } = await run(['inspect', 'deleted.tms']);
  const rate = Number(/^ {2}false negatives +([\d.]+) %/m.exec(out)?.[1]);
  expect(rate).toBeCloseTo(100 * tombstones.falseNegativeRate, 1);
  expect(rate).toBeGreaterThan(0);
});

test('a filter of several parts is overfull when all of them are', async () => {
  const warned = async (filter: Growing): Promise<boolean> => {
    put('a.tms', filter.toBytes());
    const { code, err } = await run(['inspect', 'a.tms']);
    expect(code).toBe(0);
    return err !== '';
  };
  const rotating = new RotatingBloomFilter({ capacity: 100, generations: 3 });
  for (let period = 0; period < 5; period++) {
    if (period > 0) rotating.rotate();
    rotating.addMany(Array.from({ length: 100 }, (_, i) => `${period}-${i}`));
  }
  expect(rotating.count).toBeGreaterThan(rotating.capacity);
  expect(await warned(rotating)).toBe(false);
  rotating.addMany(hosts);
  expect(await warned(rotating)).toBe(true);

  const scalable = new ScalableBloomFilter({ capacity: 1 });
  scalable.addMany(hosts);
  expect(scalable.count).toBeGreaterThan(scalable.capacity);
  expect(await warned(scalable)).toBe(false);
});

test('a map is inspected and asked for its keys', async () => {
  const entries = hosts.map((host, i) => [host, i % 32] as const);
  const map = BloomierMap.from(entries, { valueBits: 5, checkBits: 20 });
  put('a.tms', map.toBytes());
  const out = await expectFigures(map);
  expect(out).toMatch(/^ {2}value +5 bits$/m);
  expect(out).toMatch(/^ {2}check +20 bits$/m);
  const absentKeys = others.slice(0, 50).filter((key) => !map.has(key));
  expect(absentKeys.length).toBeGreaterThan(40);
  expect(await run(['check', 'a.tms', ...absentKeys])).toEqual({
    code: 1,
    out: absentKeys.map((key) => `certainly absent  ${key}\n`).join(''),
    err: '',
  });
  expect(await run(['check', 'a.tms'], textOf(hosts))).toEqual({
    code: 0,
    out: hosts.map((key) => `probably present  ${key}\n`).join(''),
    err: '',
  });
});

test('a table of differences is inspected, not asked', async () => {
  const table = new InvertibleBloomTable({ differences: 5, keyBytes: 8 });
  table.add('8 bytes.');
  put('t.tms', table.toBytes());
  const out = await output(['inspect', 't.tms']);
  expect(out).toMatch(/^ {2}type +iblt$/m);
  expect(out).toMatch(/^ {2}differences +room for 5$/m);
  expect(out).toMatch(/^ {2}key +8 bytes$/m);
  const json = JSON.parse((await run(['inspect', 't.tms', '--json'])).out);
  expect(json).toEqual({
    ...table.toJSON(),
    content: undefined,
    fileBytes: table.toBytes().length,
    overfull: false,
  });
  expect(await refused(['check', 't.tms', '8 bytes.'])).toBe(
    'tamis: t.tms: an iblt has no keys to look up, only the differences of two sets: try inspect\n',
  );
});

test('--bits is for types that show their bits', async () => {
  await built('a.tms', hosts, '--type', 'blocked-bloom');
  expect(await refused(['inspect', 'a.tms', '--bits', '0:8'])).toBe(
    'tamis: a.tms: --bits shows the bits of a bloom or a bit-array, but this is a blocked-bloom\n',
  );
});

const exact = ['--type', 'exact', '--exclude', 'others'];
const wrong: ReadonlyArray<[string[], RegExp]> = [
  [['--counter-bits', '4'], /--counter-bits works only with --type counting-bloom, not bloom\n/],
  [['--type', 'cuckoo', '--scheme', 'mcg'], /--scheme works only with --type bloom, not cuckoo\n/],
  [['--type', 'scalable-bloom', '--tightening', 'tight'], /--tightening tight: expected a number/],
  [['--type', 'scalable-bloom', '--tightening', '1'], /tightening.*ERR_TAMIS_INVALID_OPTION/],
  [['--type', 'counting-bloom', '--counter-bits', '17'], /counterBits.*ERR_TAMIS_INVALID_OPTION/],
  [['--type', 'counting-bloom', '--counter-bits', '2.5'], /--counter-bits 2\.5: expected a whole/],
  [['--type', 'deletable-bloom', '--regions', '9000'], /regions.*ERR_TAMIS_INVALID_OPTION/],
  [['--type', 'rotating-bloom', '--generations', '1'], /generations.*ERR_TAMIS_INVALID_OPTION/],
  [['--type', 'blocked-bloom', '--fpr', '2^-25'], /fpr.*ERR_TAMIS_INVALID_OPTION/],
  [
    ['--type', 'cuckoo', '--fpr', '0.01', '--fingerprint-bits', '8'],
    /fpr and fingerprintBits.*ERR_TAMIS_INVALID_OPTION/,
  ],
  [['--type', 'cuckoo', '--bucket-size', '3'], /bucketSize.*ERR_TAMIS_INVALID_OPTION/],
  [['--type', 'ribbon', '--capacity', '500'], /--capacity: --type ribbon counts the keys in LIST/],
  [[...exact, '--capacity', '500'], /--capacity: --type exact counts the keys in LIST/],
  [['--type', 'ribbon', '--fpr', '2^-33'], /fpr must be at least 2\^-32.*ERR_TAMIS_INVALID_OPTION/],
  [
    ['--type', 'ribbon', '--fpr', '0.01', '--fingerprint-bits', '8'],
    /fpr and fingerprintBits.*ERR_TAMIS_INVALID_OPTION/,
  ],
  [['--type', 'ribbon', '--fingerprint-bits', '33'], /fingerprintBits.*INVALID_OPTION/],
  [['--type', 'ribbon', '--arity', '3'], /--arity works only with --type binary-fuse, not ribbon/],
  [['--type', 'binary-fuse', '--arity', '5'], /arity.*INVALID_OPTION/],
  [['--type', 'binary-fuse', '--arity', 'x'], /--arity x: expected a whole/],
  [
    ['--fingerprint-bits', '8'],
    /--fingerprint-bits works only with --type cuckoo, ribbon, binary-fuse, not bloom/,
  ],
  [['--type', 'exact'], /expected --exclude LIST2/],
  [[...exact, '--fpr', '2^-34'], /fpr must be at least 2\^-33.*INVALID_OPTION/],
  [['--type', 'ribbon', '--exclude', 'others'], /--exclude works only with --type exact/],
];
test.each(wrong)('%j is a mistake that is explained', async (options, message) => {
  put('list', hosts.join('\n'));
  put('others', textOf(others));
  const err = await refused(['build', 'list', '-o', 'x', ...options]);
  expect(err).toMatch(message);
  expect(err).toMatch(/\ntry: tamis build --help\n$/);
  expect(existsSync(join(folder, 'x'))).toBe(false);
});

test('a list that finds no room is an error that names the key, and no file', async () => {
  put('list', hosts.join('\n'));
  const growth = ['--type', 'scalable-bloom', '--growth', '1', '--capacity', '1'];
  const err = await refused(['build', 'list', '-o', 'x', ...growth]);
  const filter = new ScalableBloomFilter({ capacity: 1, growth: 1 });
  let key = 1;
  expect(() => {
    for (const host of hosts) {
      filter.add(host);
      key++;
    }
  }).toThrow(/no room/);
  expect(err).toMatch(new RegExp(`^tamis: list: key ${key}: no room: .*ERR_TAMIS_FULL`));
  expect(existsSync(join(folder, 'x'))).toBe(false);
});
