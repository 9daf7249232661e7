/** cpp/FORMAT.md as a second implementation: its reader, its hashes and its tables of vectors. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, hashKey } from 'tamis';
import { type Golden, golden } from './support/golden.js';

const root = new URL('../../', import.meta.url);
const path = (name: string) => fileURLToPath(new URL(name, root));
const read = (name: string) => readFileSync(path(name), 'utf8');

const FORMAT = read('cpp/FORMAT.md');
const VECTORS = 'tests/vectors/v1';
const SECRET = Uint8Array.from({ length: 16 }, (_, index) => index);

function python(args: readonly string[], input = '') {
  const child = spawnSync('python3', ['-B', ...args], { input, encoding: 'utf8', timeout: 50_000 });
  if (child.error !== undefined) throw child.error;
  return child;
}
const reader = (one: Golden, lines: readonly string[]) =>
  python(
    [
      path('cpp/tools/read_format.py'),
      path(`${VECTORS}/${one.file}`),
      ...(one.key ? [one.key] : []),
    ],
    lines.map((line) => `${line}\n`).join(''),
  );

/** The cells of the table whose head begins with `first`. */
function table(first: string): string[][] {
  const lines = FORMAT.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${first} |`)) + 2;
  const end = lines.findIndex((line, index) => index >= start && !line.startsWith('|'));
  return lines.slice(start, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

test('the reader in FORMAT.md is the file', () => {
  const fence = /```python\n([\s\S]*?)```/.exec(FORMAT)?.[1];
  expect(fence).toBe(read('cpp/tools/read_format.py'));
  expect(fence?.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});

describe('the golden files', () => {
  test('are of both kinds, and each is what the manifest says', () => {
    expect(golden.filter((one) => one.valid).length).toBeGreaterThan(0);
    expect(golden.filter((one) => !one.valid).length).toBeGreaterThan(0);
    for (const { file, sha256 } of golden) {
      const digest = createHash('sha256').update(readFileSync(path(`${VECTORS}/${file}`)));
      expect(`${file} ${digest.digest('hex')}`).toBe(`${file} ${sha256}`);
    }
  });

  test.each(golden.filter((one) => one.valid))(
    '$file: the reader gives the exact answers',
    (one) => {
      const present = one.present ?? [];
      const absent = one.absent ?? [];
      const child = reader(one, [...present, ...absent.map(({ key }) => key)]);
      expect(child.stderr).toBe('');
      expect(child.status).toBe(0);
      const expected = [...present.map(() => '1'), ...absent.map(({ has }) => (has ? '1' : '0'))];
      expect(child.stdout.trim().split('\n')).toEqual(expected.length > 0 ? expected : ['']);
    },
  );

  test.each(golden.filter((one) => !one.valid))('$file: the reader refuses it: $error', (one) => {
    const child = reader(one, []);
    expect(child.status).toBe(1);
    expect(child.stderr.trim()).toBe(one.error);
  });
});

describe('the hashes of the reader', () => {
  const run = (program: string, lines: readonly string[]) => {
    const source = `import sys; sys.path.insert(0, ${JSON.stringify(path('cpp/tools'))})\n${program}`;
    const child = python(['-c', source], lines.join('\n'));
    expect(child.stderr).toBe('');
    return child.stdout.trim().split('\n');
  };
  const published = (name: string) =>
    read(`tests/vectors/${name}`)
      .split('\n')
      .filter((line) => /^[0-9a-f]/.test(line));

  test('XXH3-64 has the published values', () => {
    const lines = published('xxh3-64.txt');
    const program = [
      'from hashes import *',
      'g, data = 2654435761, bytearray()',
      'for _ in range(5000): data.append(g >> 56); g = g * 11400714785074694797 & M64',
      'for line in sys.stdin:',
      '    length, seed, _ = line.split()',
      "    print('%016x' % xxh3_64(bytes(data[:int(length)]), int(seed, 16)))",
    ].join('\n');
    expect(lines.length).toBeGreaterThan(20);
    expect(run(program, lines)).toEqual(lines.map((line) => line.split(' ')[2]));
  });

  test('SipHash-2-4 has the published values', () => {
    const lines = published('siphash-2-4.txt');
    const program = [
      'from hashes import *',
      'for i in range(64):',
      "    print(siphash_2_4(bytes(range(i)), bytes(range(16))).to_bytes(8, 'little').hex())",
    ].join('\n');
    expect(lines).toHaveLength(64);
    expect(run(program, lines)).toEqual(lines);
  });

  test("h and g are those of FORMAT.md's table", () => {
    const program = [
      'from hashes import *',
      "for line in sys.stdin.read().split('\\n'):",
      '    key = bytes.fromhex(line)',
      '    h = xxh3_64(key)',
      "    print('%016x %016x %016x' % (h, fmix64(h), siphash_2_4(key, bytes(range(16)))))",
    ].join('\n');
    const rows = table('key (hex)');
    const keys = rows.map(([key]) => key as string);
    expect(run(program, keys)).toEqual(rows.map((row) => row.slice(1).join(' ')));
  });

  test('CRC-32C and MurmurHash2A have their check values', () => {
    const program = [
      'from hashes import *',
      "print('%08x' % crc32c(b'123456789'))",
      "each = [murmur2a(bytes(range(i)), 256 - i).to_bytes(4, 'little') for i in range(256)]",
      "print('%08x' % murmur2a(b''.join(each)))",
    ].join('\n');
    expect(run(program, [])).toEqual(['e3069283', '7fbd4396']);
  });
});

describe("FORMAT.md's vectors", () => {
  const hashes = table('key (hex)');
  test.each(hashes)('hash of the key %j', (...[key, fast, , keyed]) => {
    const hex = (hash: bigint) => hash.toString(16).padStart(16, '0');
    expect(hex(hashKey(bytes(key as string)))).toBe(fast);
    expect(hex(hashKey(bytes(key as string), { key: SECRET }))).toBe(keyed);
  });

  const positions = table('scheme');
  test.each(positions)('positions under %s, seed %s, m %s, k %s, key %j', (...cells) => {
    const [name, seed, bits, hashCount, key, expected] = cells as string[];
    const [scheme, keyed] = (name as string).split(', ');
    const filter = new BloomFilter({
      bits: Number(bits),
      hashes: Number(hashCount),
      scheme,
      ...(seed === '0' ? {} : { seed: BigInt(seed as string) }),
      ...(keyed === undefined ? {} : { hash: 'keyed', key: SECRET }),
    } as ConstructorParameters<typeof BloomFilter>[0]);
    expect(filter.positions(bytes(key as string)).join(' ')).toBe(expected);
    filter.dispose();
  });

  test('are all there', () => {
    expect(hashes.length).toBeGreaterThanOrEqual(8);
    expect(new Set(positions.map(([scheme]) => scheme)).size).toBe(6);
  });
});
