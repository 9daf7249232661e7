/** cpp/format against files of other libraries: it makes the same array from the same keys, and answers alike. */
import { describe, expect, test } from '@jest/globals';

import { answersOf, bytesOf, strings, textOf } from '../js/support/interop.js';
import { run } from '../js/support/python.js';

/** The content of a file by the description of its own library. No code of the package reads it here. */
interface Foreign {
  readonly hashId: number;
  readonly seed?: bigint;
  readonly bits: number;
  readonly hashes: number;
  /** Bit p at byte p / 8 and mask 1 << p % 8. */
  readonly array: Uint8Array;
  readonly answers?: string;
  /** In hexadecimal; default: the 3,000 strings. */
  readonly keys?: readonly string[];
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset);
const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

/** Words of 64 bits, the highest byte first, the other way round. */
function words(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes, (_, i) => bytes[(i | 7) - (i & 7)] as number);
}

function guava(name: string, hashId: number): Foreign {
  const bytes = bytesOf(`guava/strings-utf8.${name}.bin`);
  const bits = 64 * viewOf(bytes).getInt32(2);
  const answers = `guava/strings-utf8.${name}.expected.txt`;
  return { hashId, bits, hashes: bytes[1] as number, array: words(bytes.slice(6)), answers };
}

function spark(name: string, more: Partial<Foreign> = {}): Foreign {
  const bytes = bytesOf(`spark/${name}.bin`);
  const view = viewOf(bytes);
  const version = view.getInt32(0);
  const at = version === 1 ? 8 : 12;
  return {
    hashId: version === 1 ? 9 : 10,
    seed: version === 1 ? 0n : BigInt(view.getUint32(8)),
    bits: 64 * view.getInt32(at),
    hashes: view.getInt32(4),
    array: words(bytes.slice(at + 4)),
    ...more,
  };
}

function go(): Foreign {
  const bytes = bytesOf('go/strings.bin');
  const [bits, hashes] = [0, 8].map((at) => Number(viewOf(bytes).getBigUint64(at))) as [
    number,
    number,
  ];
  return {
    hashId: 11,
    bits,
    hashes,
    array: words(bytes.slice(24)),
    answers: 'go/strings.expected.txt',
  };
}

function redisBloom(name: string): Foreign {
  const chunks: { b64: string }[] = JSON.parse(textOf(`redisbloom/${name}.chunks.json`));
  const [header, ...bodies] = chunks.map(({ b64 }) => fromBase64(b64)) as [Uint8Array];
  const view = viewOf(header);
  expect([view.getUint32(8, true), header[72]]).toEqual([1, 0]);
  return {
    hashId: 12,
    bits: Number(view.getBigUint64(28, true)),
    hashes: view.getUint32(60, true),
    array: new Uint8Array(Buffer.concat(bodies)),
    answers: `redisbloom/${name}.expected.txt`,
  };
}

function dataSketches(): Foreign {
  const bytes = bytesOf('data-sketches/strings.bin');
  const view = viewOf(bytes);
  return {
    hashId: 13,
    seed: view.getBigUint64(8, true),
    bits: 64 * view.getUint32(16, true),
    hashes: view.getUint16(4, true),
    array: bytes.slice(32),
    answers: 'data-sketches/strings.expected.txt',
    keys: strings.keys.filter((key) => key !== '').map((key) => hexOf(Buffer.from(key))),
  };
}

function npmBloomFilters(): Foreign {
  const { _size, _nbHashes, _seed, _filter } = JSON.parse(
    textOf('npm-bloom-filters/strings.BloomFilter.json'),
  );
  const answers = 'npm-bloom-filters/strings.BloomFilter.expected.txt';
  const array = fromBase64(_filter.content);
  return { hashId: 14, seed: BigInt(_seed), bits: _size, hashes: _nbHashes, array, answers };
}

function npmBloomfilter(): Foreign {
  const { m, k, buckets } = JSON.parse(textOf('npm-bloomfilter/strings.json'));
  const array = new Uint8Array(4 * buckets.length);
  for (const [i, bucket] of buckets.entries()) viewOf(array).setUint32(4 * i, bucket, true);
  return { hashId: 15, bits: m, hashes: k, array, answers: 'npm-bloomfilter/strings.expected.txt' };
}

function parquet(): Foreign {
  const array = bytesOf('parquet/duckdb-strings.sbbf.bin').slice(16);
  const answers = 'parquet/duckdb-strings.expected.txt';
  return { hashId: 16, bits: 8 * array.length, hashes: 8, array, answers };
}

const longs = Array.from({ length: 35 }, (_, i) =>
  (i + 1).toString(16).padStart(2, '0').padEnd(16, '0'),
);
const files: readonly (readonly [string, Foreign])[] = [
  ['Guava, MURMUR128_MITZ_32', guava('mitz32', 8)],
  ['Guava, MURMUR128_MITZ_64', guava('mitz64', 6)],
  ['Spark, version 1', spark('strings.v1', { answers: 'spark/strings.v1.expected.txt' })],
  ['Spark, version 2', spark('strings.v2', { answers: 'spark/strings.v2.expected.txt' })],
  ["Spark's own literal", spark('golden-spark-testsuite.v1', { keys: longs })],
  ['Spark, version 2 of the seed -7', spark('longs.v2', { keys: longs })],
  ['Go', go()],
  ['RedisBloom', redisBloom('bf-strings-1layer')],
  ['RedisBloom, not scaling', redisBloom('bf-strings-nonscaling')],
  ['DataSketches', dataSketches()],
  ['npm bloom-filters', npmBloomFilters()],
  ['npm bloomfilter', npmBloomfilter()],
  ['Parquet', parquet()],
];

/** The array of the keys, and then 1 for each probe whose positions are all set in it. */
const program = `
from types import SimpleNamespace
from hashes import xxh64
from schemes import in_block, positions
hash_id, seed, m, k, size, number = map(int, sys.stdin.readline().split())
file = SimpleNamespace(hash_id=hash_id, seed=seed)
lines = [bytes.fromhex(line) for line in sys.stdin.read().split('\\n')]

def where(key):
    return in_block(xxh64(key, 0), m) if hash_id == 16 else positions(key, file, m, k)

array = bytearray(size)
for key in lines[:number]:
    for i in where(key):
        array[i // 8] |= 1 << i % 8
print(array.hex())
for probe in lines[number:]:
    print(int((hash_id != 13 or probe != b'') and all(array[i // 8] >> i % 8 & 1 for i in where(probe))))
`;

describe('files of other libraries, made by the reader of FORMAT.md', () => {
  const ofStrings = (list: readonly string[]) => list.map((text) => hexOf(Buffer.from(text)));
  test.each(files)('%s', (_name, file) => {
    const { hashId, seed = 0n, bits, hashes, array, answers } = file;
    const keys = file.keys ?? ofStrings(strings.keys);
    const probes = answers === undefined ? [] : ofStrings(strings.probes);
    const head = [hashId, seed, bits, hashes, array.length, keys.length].join(' ');
    const [made, ...found] = run(program, [head, ...keys, ...probes]);
    expect(made).toBe(hexOf(array));
    if (answers !== undefined) expect(found.map(Number)).toEqual([...answersOf(answers)]);
  });
});
