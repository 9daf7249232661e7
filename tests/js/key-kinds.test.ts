/** The kinds of keys that C++ has (tests/cpp/contract/key_types_test.cpp): the same keys give the same file. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, funnel, type Key, key } from 'tamis';
import { HEADER } from './support/container.js';
import { splitmix64 } from './support/mixing.js';

const numbers = Array.from({ length: 100_000 }, (_, i) => splitmix64(BigInt(i)));
const signed = (bits: number, n: bigint): bigint => BigInt.asIntN(bits, n);
const octets = (n: bigint): Uint8Array =>
  Uint8Array.from({ length: Number(n % 20n) }, (_, i) =>
    Number((n >> BigInt(8 * (i % 8))) & 0xffn),
  );
const point = funnel<bigint>((n, sink) =>
  sink.int32(Number(signed(32, n >> 32n))).int32(Number(signed(32, n))),
);

const kinds: Record<string, (n: bigint) => Key> = {
  text: (n) => `key-${n}`,
  utf8: (n) => `cl\u00e9 \u9375 \u{1f511} ${n}`,
  bytes: octets,
  octets,
  array: (n) => new Uint8Array(BigUint64Array.of(n, ~n).buffer),
  int16: (n) => key.int64(signed(16, n)),
  int32: (n) => key.int64(signed(32, n)),
  uint32: (n) => key.int64(BigInt.asUintN(32, n)),
  int64: (n) => key.int64(signed(64, n)),
  uint64: (n) => key.int64(signed(64, n)),
  int32_key: (n) => key.int32(Number(signed(32, n))),
  struct: point,
};

const lines = readFileSync(new URL('../vectors/key-kinds.tsv', import.meta.url), 'utf8').split(
  '\n',
);
const expectKind = (kind: string, filter: BloomFilter): void => {
  const header = Buffer.from(filter.toBytes().subarray(0, HEADER)).toString('hex');
  expect(lines).toContain(`${kind}\t${header}`);
};

describe('the filter that C++ makes', () => {
  test.each(Object.entries(kinds))('%s', (kind, keyOf) => {
    const filter = new BloomFilter({ capacity: numbers.length });
    filter.addMany(numbers.map(keyOf));
    expect(numbers.filter((n) => !filter.has(keyOf(n)))).toEqual([]);
    expectKind(kind, filter);
  });

  test('hash', () => {
    const filter = new BloomFilter({ capacity: numbers.length });
    filter.addHashes(BigUint64Array.from(numbers));
    expectKind('hash', filter);
  });
});
