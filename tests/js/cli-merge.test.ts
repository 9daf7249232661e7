/** tamis merge: the union of files of one type, and files that cannot be merged. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  BitArray,
  BlockedBloomFilter,
  BloomFilter,
  CountingBloomFilter,
  InvertibleBloomTable,
} from 'tamis';
import { guava64 } from 'tamis/schemes';
import {
  built,
  figuresOf,
  folder,
  get,
  hosts,
  KEY,
  output,
  put,
  refused,
  tamis,
} from './support/cli.js';

const parts = [hosts.slice(0, 200), hosts.slice(200, 350), hosts.slice(350)] as const;
const options = ['--capacity', '500'];
const files = ['0.tms', '1.tms', '2.tms'];

const builtParts = async (...more: string[]): Promise<void> => {
  for (const [i, keys] of parts.entries()) await built(`${i}.tms`, keys, ...options, ...more);
};

const classes = [
  ['bloom', BloomFilter],
  ['blocked-bloom', BlockedBloomFilter],
  ['counting-bloom', CountingBloomFilter],
] as const;

describe.each(classes)('%s', (type, Type) => {
  test('the union is that of the package, and has every key', async () => {
    await builtParts('--type', type);
    const out = await output(['merge', ...files, '-o', 'all.tms']);
    const filter = new Type({ capacity: 500 });
    for (const keys of parts) {
      const part = new Type({ capacity: 500 });
      part.addMany(keys);
      filter.merge(part as never);
    }
    expect(get('all.tms').equals(filter.toBytes())).toBe(true);
    expect(out).toMatch(/^all\.tms: the union of 3 files\n {2}type +/);
    const check = await tamis(['check', 'all.tms'], hosts.join('\n'));
    expect(check.out).toBe(hosts.map((host) => `probably present  ${host}\n`).join(''));
  });
});

test('--json gives the figures in one line', async () => {
  await builtParts();
  const out = await output(['merge', ...files, '-o', 'all.tms', '--json']);
  expect(out.indexOf('\n')).toBe(out.length - 1);
  const filter = BloomFilter.fromBytes(get('all.tms'));
  expect(JSON.parse(out)).toEqual({
    ...figuresOf(filter),
    output: 'all.tms',
    files: 3,
  });
});

test('bit arrays, and an output that is one of the inputs', async () => {
  put('a.tms', new BitArray(20).set(3).set(7).toBytes());
  put('b.tms', new BitArray(20).set(7).set(19).toBytes());
  await output(['merge', 'a.tms', 'b.tms', '--output', 'a.tms']);
  expect(BitArray.fromBytes(get('a.tms')).toString()).toBe('00010001000000000001');
  expect(readdirSync(folder).sort()).toEqual(['a.tms', 'b.tms']);
});

test('keyed filters merge with their key, and stay keyed', async () => {
  put('key', KEY);
  put(
    'other',
    KEY.map((byte) => byte ^ 1),
  );
  await builtParts('--secret-file', 'key');
  const args = ['merge', ...files, '-o', 'all.tms'];
  const merged = await tamis([...args, '--secret-file', 'key']);
  expect({ ...merged, out: '' }).toEqual({ code: 0, out: '', err: '' });
  const filter = BloomFilter.fromBytes(get('all.tms'), { secret: KEY });
  expect(filter.hasMany(hosts).every((answer) => answer === 1)).toBe(true);
  expect((await tamis(args)).err).toMatch(/^tamis: 0\.tms: .*ERR_TAMIS_KEY_REQUIRED/);
  await built('2.tms', hosts, ...options, '--secret-file', 'other');
  const { code, err } = await tamis([...args, '--secret-file', 'key']);
  expect(code).toBe(2);
  expect(err).toMatch(/^tamis: 2\.tms: .*ERR_TAMIS_WRONG_KEY/);
});

test('warns where the union holds more than it was designed for', async () => {
  const half = hosts.length / 2;
  await built('a.tms', hosts.slice(0, half));
  await built('b.tms', hosts.slice(half));
  const args = ['merge', 'a.tms', 'b.tms', '-o', 'all.tms'];
  const { code, err } = await tamis(args);
  expect(code).toBe(0);
  expect(err).toMatch(/^tamis: all\.tms: warning: overfull: .* keys of 250: rebuild it larger\n$/);
  expect(JSON.parse((await tamis([...args, '--json'])).out)).toMatchObject({ overfull: true });
});

const bloom = (settings: object): Uint8Array =>
  BloomFilter.from(hosts, { bits: 4096, hashes: 5, ...settings }).toBytes();
const unlike: ReadonlyArray<[string, () => Uint8Array, RegExp]> = [
  ['bits', () => bloom({ bits: 8192 }), /bits is 4096 here and 8192 there/],
  ['hashes', () => bloom({ hashes: 4 }), /hashes is 5 here and 4 there/],
  ['seed', () => bloom({ seed: 9n }), /seed is 0 here and 9 there/],
  ['scheme', () => bloom({ scheme: guava64 }), /scheme is mcg here and guava64 there/],
  [
    'type',
    () => BlockedBloomFilter.from(hosts).toBytes(),
    /type is bloom here and blocked-bloom there/,
  ],
];
test.each(unlike)('files that differ in %s are not merged', async (_, other, message) => {
  put('a.tms', bloom({}));
  put('same.tms', bloom({}));
  put('b.tms', other());
  put('all.tms', 'old content');
  const err = await refused(['merge', 'a.tms', 'same.tms', 'b.tms', '-o', 'all.tms']);
  expect(err).toMatch(/^tamis: a\.tms and b\.tms: .*\(ERR_TAMIS_INCOMPATIBLE\)\n$/);
  expect(err).toMatch(message);
  expect(get('all.tms').toString()).toBe('old content');
});

test('types without a union, and files that hold nothing, are refused', async () => {
  const table = new InvertibleBloomTable({ differences: 5, keyBytes: 8 }).toBytes();
  put('t.tms', table);
  await built('s.tms', hosts, '--type', 'scalable-bloom');
  put('text', 'a\n');
  for (const [name, type] of [
    ['t.tms', 'iblt'],
    ['s.tms', 'scalable-bloom'],
  ] as const) {
    expect(await refused(['merge', name, name, '-o', 'all.tms'])).toBe(
      `tamis: ${name}: ${type} cannot be merged: tamis merge --help says what can\n`,
    );
  }
  put('a.tms', bloom({}));
  const { code, err } = await tamis(['merge', 'a.tms', 'text', '-o', 'all.tms']);
  expect(code).toBe(2);
  expect(err).toMatch(/^tamis: text: .*ERR_TAMIS_NOT_TAMIS/);
  expect((await tamis(['merge', 'a.tms', 'none', '-o', 'all.tms'])).err).toBe(
    'tamis: none: no such file or folder\n',
  );
  expect(readdirSync(folder)).not.toContain('all.tms');
});

test('--help names the types that can be merged', async () => {
  const { out } = await tamis(['merge', '--help']);
  const named = [...classes.map(([type]) => type), 'bit-array'].join(', ');
  expect(out.replace(/\s+/g, ' ')).toContain(`files of one type: ${named} Options:`);
});
