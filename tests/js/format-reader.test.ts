/** cpp/FORMAT.md as a second implementation: the reader in cpp/format, its hashes and the tables of vectors. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, type BloomSchemeName, hashKey, InvertibleBloomTable } from 'tamis';
import { isLong } from './support/budget.js';
import { FORMAT, table } from './support/format.js';
import { type Golden, golden, urlGolden } from './support/golden.js';
import { run } from './support/python.js';
import { schemeOption } from './support/schemes.js';

const root = new URL('../../', import.meta.url);
const path = (name: string) => fileURLToPath(new URL(name, root));
const read = (name: string) => readFileSync(path(name), 'utf8');

const VECTORS = 'tests/vectors/v1';
const SECRET = Uint8Array.from({ length: 16 }, (_, index) => index);

/** Starts the reader for each file, in one process and compiled once: that takes longer than to read most files. */
const driver = `
import contextlib, io, json, sys
program, tasks = json.load(sys.stdin)
code = compile(open(program).read(), program, 'exec')
results = []
for argv, lines in tasks:
    sys.argv, sys.stdin, out, error = [program, *argv], io.StringIO(lines), io.StringIO(), None
    with contextlib.redirect_stdout(out):
        try:
            exec(code, {'__name__': '__main__'})
        except SystemExit as end:
            error = end.code
    results.append({'out': out.getvalue(), 'error': error})
print(json.dumps(results))
`;
interface Read {
  readonly out: string;
  /** The error that the reader exits with; null if there is none. */
  readonly error: string | null;
}
function runReader(
  folder: string,
  files: readonly Golden[],
  linesOf: (one: Golden) => readonly string[],
): Read[] {
  const program = path('cpp/format/read_format.py');
  const tasks = files.map((one) => [
    [path(`${folder}/${one.file}`), ...(one.key === undefined ? [] : [one.key])],
    linesOf(one)
      .map((line) => `${line}\n`)
      .join(''),
  ]);
  return JSON.parse(run(driver, [JSON.stringify([program, tasks])]).join('\n')) as Read[];
}

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

test('the dump in FORMAT.md has each byte of its file, and the numbers that it says', () => {
  const shown = /`(tests\/vectors\/v1\/[\w.-]+)`, capacity 3, .*:\n\n```text\n([\s\S]*?)\n```/;
  const [, name = '', dump = ''] = shown.exec(FORMAT) ?? [];
  const file = readFileSync(path(name));
  let end = 0;
  for (const line of dump.split('\n')) {
    const [, hex = '', meaning = ''] =
      /^[0-9a-f]{4} {2}((?:[0-9a-f]{2} )+) *(\S.*)$/.exec(line) ?? [];
    const field = Buffer.from(hex.replaceAll(' ', ''), 'hex');
    expect(line.slice(0, 4)).toBe(end.toString(16).padStart(4, '0'));
    expect(file.subarray(end, end + field.length)).toEqual(field);
    end += field.length;
    const numbers = meaning.match(/\b\d+/g)?.map(BigInt) ?? [0n];
    const value = field.reduceRight((high, byte) => (high << 8n) | BigInt(byte), 0n);
    if (meaning.startsWith('bits set')) {
      expect(numbers.reduce((sum, bit) => sum + (1n << bit), 0n)).toBe(value);
    } else if (!/^(magic|CRC)/.test(meaning)) expect(numbers[0]).toBe(value);
  }
  expect(end).toBe(file.length);
});

/** Python is slow, so npm test asks for a few keys of each kind. */
const some = <T>(all: readonly T[] = []) => (isLong ? all : all.slice(0, 4));
const keysOf = ({ present, absent }: Golden) => [
  ...some(present),
  ...some(absent).map(({ key }) => key),
];

describe.each([
  { folder: VECTORS, golden },
  { folder: `${VECTORS}/url`, golden: urlGolden },
])('the golden files of $folder', ({ folder, golden }) => {
  test('are of both kinds, and each is what the manifest says', () => {
    expect(golden.filter((one) => one.valid).length).toBeGreaterThan(0);
    expect(golden.filter((one) => !one.valid).length).toBeGreaterThan(0);
    for (const { file, sha256 } of golden) {
      const digest = createHash('sha256').update(readFileSync(path(`${folder}/${file}`)));
      expect(`${file} ${digest.digest('hex')}`).toBe(`${file} ${sha256}`);
    }
  });

  test('the reader gives the exact answers', () => {
    const valid = golden.filter((one) => one.valid);
    const results = runReader(folder, valid, keysOf);
    const answers = valid.map(({ file }, i) => `${file} ${results[i]?.error} ${results[i]?.out}`);
    const expected = valid.map(({ file, present, absent }) => {
      const each = [
        ...some(present).map(() => '1'),
        ...some(absent).map(({ has }) => (has ? '1' : '0')),
      ];
      return `${file} null ${each.join('\n')}\n`;
    });
    expect(answers).toEqual(expected);
  });

  test('the reader refuses the others, each with its error', () => {
    const invalid = golden.filter((one) => !one.valid);
    const results = runReader(folder, invalid, keysOf);
    const errors = invalid.map(({ file }, i) => `${file} ${results[i]?.error}`);
    expect(errors).toEqual(invalid.map(({ file, error }) => `${file} ${error}`));
  });
});

describe('the golden tables', () => {
  // A golden table stands for its bytes, and for the keys that it lists.
  test('the reader lists the same keys of tables', () => {
    const tables = golden.filter((one) => one.valid && one.type === 'iblt');
    const listed = tables.map((one) => {
      const options = one.key === undefined ? {} : { secret: bytes(one.key) };
      const data = readFileSync(path(`${VECTORS}/${one.file}`));
      const table = InvertibleBloomTable.fromBytes(data, options);
      const { added, removed, complete } = table.decode();
      const absentKey = new Uint8Array(table.keyBytes).fill(0x5a);
      table.dispose();
      return {
        keys: [...added, ...removed, absentKey].map((key) => Buffer.from(key).toString('hex')),
        out: [...added.map(() => '1'), ...removed.map(() => '-1'), '0\n'].join('\n'),
        complete,
      };
    });
    const results = runReader(VECTORS, tables, (one) => listed[tables.indexOf(one)]?.keys ?? []);
    expect(results).toEqual(listed.map(({ out }) => ({ out, error: null })));
    expect(listed.flatMap(({ keys }) => keys).length).toBeGreaterThan(2 * tables.length);
    const program = [
      'from read_format import *',
      "for line in sys.stdin.read().split('\\n'):",
      "    path, _, key = line.partition(' ')",
      "    print(iblt_list(File(open(path, 'rb').read(), bytes.fromhex(key) or None))[1])",
    ].join('\n');
    const paths = tables.map(({ file, key = '' }) => `${path(`${VECTORS}/${file}`)} ${key}`);
    const isComplete = listed.map(({ complete }) => (complete ? 'True' : 'False'));
    expect(run(program, paths)).toEqual(isComplete);
  });
});

describe('the hashes of the reader', () => {
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

  test("the hashes of other libraries are those of FORMAT.md's table", () => {
    const rows = table('hash');
    const program = [
      'from hashes import *',
      'for line in sys.stdin:',
      "    name, seed = line.strip().split('|')",
      "    seed = 0 if seed == '-' else int(seed, 16)",
      "    print({'MurmurHash3 x64 128': lambda: '%016x %016x' % murmur3_x64_128(b'hello'),",
      "           'SparkMurmur3': lambda: '%08x' % spark_murmur3(b'hello', seed),",
      "           'MurmurHash64A': lambda: '%016x' % murmur64a(b'hello', seed),",
      "           'XXH64': lambda: '%016x' % xxh64(b'hello', seed),",
      "           'FNV-1a-64 of units': lambda: '%016x' % fnv1a_64_utf16(b'hello')}[name]())",
    ].join('\n');
    const lines = rows.map(([name, seed]) => `${name}|${seed}`);
    expect(run(program, lines)).toEqual(rows.map(([, , value]) => value));
    expect(rows.length).toBeGreaterThan(8);
  });

  // libxxhash 0.8.1, of 100 bytes 0, 1, 2 and so on, and SMHasher's verification value.
  test('XXH64 and MurmurHash64A have their published values', () => {
    const program = [
      'from hashes import *',
      "print('%016x %016x' % (xxh64(bytes(range(100)), 0), xxh64(bytes(range(100)), M64)))",
      'for hash in xxh64, murmur64a:',
      "    each = [hash(bytes(range(i)), 256 - i).to_bytes(8, 'little') for i in range(256)]",
      "    print('%08x' % (hash(b''.join(each), 0) & M32))",
    ].join('\n');
    expect(run(program, [])).toEqual(['6ac1e58032166597 09a991a091c9f6d7', '024b7cf4', '1f0d3804']);
  });

  test('UTF-16 units follow from the bit patterns of UTF-8', () => {
    const strings = ['', 'hello', 'caf\u00e9', '\u20ac', '\u{1f600}x', '\u{10ffff}', '\u0416\0'];
    const wild: [string, number[]][] = [
      ['80', [0x80]],
      ['c3c3a9', [0xc3, 0xe9]],
      ['e282', [0xe2, 0x82]],
      ['eda0bd', [0xd83d]],
      ['c080', [0]],
      ['f7bfbfbf', [0xdfbf, 0xdfff]],
      ['f888808080', [0xf8, 0x88, 0x80, 0x80, 0x80]],
      ['61e228a162', [0x61, 0xe2, 0x28, 0xa1, 0x62]],
    ];
    const rows = [
      ...strings.map((text) => [
        Buffer.from(text).toString('hex'),
        Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)),
      ]),
      ...wild,
    ];
    const program = [
      'from hashes import *',
      "for line in sys.stdin.read().split('\\n'): print(list(utf16_units(bytes.fromhex(line))))",
    ].join('\n');
    const found = run(
      program,
      rows.map(([hex]) => String(hex)),
    );
    expect(found.map((line) => JSON.parse(line))).toEqual(rows.map(([, units]) => units));
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
    expect(hex(hashKey(bytes(key as string), { secret: SECRET }))).toBe(keyed);
  });

  // The package takes no larger ones, because of wasm and the limit of 512 MiB.
  const positions = table('scheme');
  const held = positions.filter(([, , bits]) => Number(bits) < 2 ** 31);
  test.each(held)('positions under %s, seed %s, m %s, k %s, key %j', (...cells) => {
    const [name, seed, bits, hashCount, key, expected] = cells as string[];
    const [scheme, keyed] = (name as string).split(', ');
    const filter = new BloomFilter({
      bits: Number(bits),
      hashes: Number(hashCount),
      ...schemeOption(scheme as BloomSchemeName),
      ...(seed === '0' ? {} : { seed: BigInt(seed as string) }),
      ...(keyed === undefined ? {} : { secret: SECRET }),
    } as ConstructorParameters<typeof BloomFilter>[0]);
    expect(filter.positions(bytes(key as string)).join(' ')).toBe(expected);
    filter.dispose();
  });

  // The reader's own functions: of the package's, only bytes and answers can be seen.
  const places = (program: string, rows: readonly string[][], cells: number) => {
    const lines = rows.map((row) => row.slice(0, cells).join(' '));
    expect(run(program, lines)).toEqual(rows.map((row) => row.slice(cells).join(' ')));
    expect(rows.length).toBeGreaterThan(5);
  };

  test('of tests/vectors/bloom-positions.txt', () => {
    const rows = read('tests/vectors/bloom-positions.txt')
      .split('\n')
      .filter((row) => /^\d/.test(row));
    const program = [
      'from position_vectors import row',
      'for line in sys.stdin: print(row(line))',
    ].join('\n');
    expect(run(program, rows)).toEqual(rows);
    expect(new Set(rows.map((row) => row.split(' ')[0])).size).toBe(14);
  });

  test('of hi, and the other form', () => {
    const program = [
      'from schemes import *',
      'for line in sys.stdin:',
      '    x, m = (int(text, base) for text, base in zip(line.split(), (16, 10)))',
      '    forms = [(x >> 32) * m >> 32, x * m >> 64]',
      '    forms.remove(hi(x, m))',
      '    print(hi(x, m), *forms)',
    ].join('\n');
    places(program, table('x'), 2);
  });

  test('of the positions, up to 2^46 bits', () => {
    const rows = positions.filter(([name]) => ['mcg', 'seeds'].includes(name as string));
    const ids = { mcg: 1, seeds: 3 } as Record<string, number>;
    const program = [
      'from position_vectors import row',
      'for line in sys.stdin:',
      '    print(row(line))',
    ].join('\n');
    const lines = rows.map(([name, seed, m, k, key, expected]) => {
      const hex = BigInt(seed as string).toString(16);
      return [ids[name as string], hex, m, k, key || '-', expected].join(' ');
    });
    expect(run(program, lines)).toEqual(lines);
    expect(rows.filter(([, , m]) => Number(m) > 2 ** 32).length).toBeGreaterThan(2);
  });

  test('of the blocks', () => {
    const program = [
      'from schemes import *',
      'for line in sys.stdin:',
      '    blocks, g = line.split()',
      '    bits = in_block(int(g, 16), 256 * int(blocks))',
      '    print(bits[0] // 256, *(bit % 32 for bit in bits))',
    ].join('\n');
    places(program, table('B | g'), 2);
  });

  test('of the buckets in d-left counting filters', () => {
    const program = [
      'from read_format import *',
      'for line in sys.stdin:',
      '    buckets, r, g = line.split()',
      '    g, buckets = int(g, 16), int(buckets)',
      '    rest, places = d_left_places(g, buckets, int(r))',
      '    print(hi(g, buckets), rest, *places)',
    ].join('\n');
    places(program, table('B | r'), 3);
  });

  test('of the places in cuckoo filters', () => {
    const program = [
      'from read_format import cuckoo_places',
      'for line in sys.stdin:',
      '    m, f, g = line.split()',
      '    print(*cuckoo_places(int(g, 16), int(m), int(f)))',
    ].join('\n');
    places(program, table('m | f'), 3);
  });

  test('of the rates', () => {
    const program = [
      'from rates import *',
      'for line in sys.stdin:',
      '    row = [int(text) for text in line.split()]',
      "    print('%.9g' % (bloom_rate if len(row) == 3 else blocked_rate)(*row))",
    ].join('\n');
    places(program, table('m | k | n'), 3);
    places(program, table('B | n'), 2);
  });

  test('of the cells in tables', () => {
    const program = [
      'from read_format import *',
      'for line in sys.stdin:',
      '    hash_id, seed, d, m, key = line.split()',
      '    data, width = bytes.fromhex(key), (7 * int(d) + 139) // 20',
      "    h = siphash_2_4(data, bytes(range(16))) if hash_id == '2' else xxh3_64(data)",
      '    cells, check = iblt_places(fmix64(h + int(seed)), width)',
      '    assert 4 * width == int(m)',
      "    print(*cells, '%016x' % check)",
    ].join('\n');
    places(program, table('hash id'), 5);
  });

  test('are all there', () => {
    expect(hashes.length).toBeGreaterThanOrEqual(8);
    expect(new Set(positions.map(([scheme]) => scheme)).size).toBe(14);
  });
});
