/** Fuse and xor filters of C, Go and Rust: their answers, their layouts, and bytes that are no such filter. */
import { describe, expect, test } from '@jest/globals';
import { withFunnel } from 'tamis';
import { type BinaryFuseOptions, binaryFuse, encodings } from 'tamis/interop';

import { expectSame } from './support/bytes.js';
import { type Code, expectCode } from './support/errors.js';
import { answersOf, bytesOf, changed, joined, numbers } from './support/interop.js';
import { runMutations } from './support/mutations.js';

const questions = numbers.map(encodings.int64);
const c = bytesOf('binary-fuse/int64.bf8.c-serialize.bin');
const packed = bytesOf('binary-fuse/int64.bf8.c-pack.bin');
const go = bytesOf('binary-fuse/int64.bf8.go-save.bin');
const answersOfC = answersOf('binary-fuse/int64.bf8.c.expected.txt');
const answersOfGo = answersOf('binary-fuse/int64.bf8.go.expected.txt');

/** Returns the file as older versions of the C library wrote it, without the number of keys. */
const older = (bytes: Uint8Array) => joined(bytes.subarray(0, 8), bytes.subarray(12));

/** The same file with fingerprints of more bytes, the new ones 0. */
function widened(bytes: Uint8Array, width: number, excess = 0): Uint8Array<ArrayBuffer> {
  const wide = new Uint8Array(28 + (bytes.length - 28) * width + excess);
  wide.set(bytes.subarray(0, 28));
  for (let i = 28; i < bytes.length; i++) wide[28 + (i - 28) * width] = bytes[i] as number;
  return wide;
}

test.each<[string, Uint8Array<ArrayBuffer>, BinaryFuseOptions, Uint8Array]>([
  ['C', c, {}, answersOfC],
  ['C with its bits', c, { layout: 'serialize', bits: 8, keys: 'uint64' }, answersOfC],
  ['C before it wrote the number of keys', older(c), {}, answersOfC],
  ['C, packed', packed, { layout: 'pack' }, answersOfC],
  ['C, packed, with its bits', packed, { layout: 'pack', bits: 8 }, answersOfC],
  ['Go', go, {}, answersOfGo],
])('%s', (_what, bytes, options, answers) => {
  const filter = binaryFuse.decode(bytes, options);
  expectSame(filter.hasMany(questions), answers);
  expectSame(
    Uint8Array.from(questions, (key) => (filter.has(key) ? 1 : 0)),
    answers,
  );
  expectSame(filter.toBytes(), bytes);
  expectSame(withFunnel(filter, encodings.int64).hasMany(numbers), answers);
  expect(filter.format).toBe('binary-fuse');
});

test.each<[string, BinaryFuseOptions]>([
  ['bf8', {}],
  ['bf16', {}],
  ['bf32', {}],
  ['bf32', { bits: 32 }],
  ['xor8', { layout: 'xor8' }],
])("Rust's xorf in the layouts of Go and C: %s, %j", (name, options) => {
  const bytes = bytesOf(`binary-fuse/int64.${name}.xorf.bin`);
  const filter = binaryFuse.decode(bytes, options);
  const answers = answersOf(`binary-fuse/int64.${name}.xorf.expected.txt`);
  expectSame(filter.hasMany(questions), answers);
  expect(questions.filter((_, i) => i % 5 < 2 && answers[i] === 1)).toHaveLength(800);
  expectSame(filter.toBytes(), bytes);
});

test('a key is a number of 8 bytes, unless keys are hashed', () => {
  const filter = binaryFuse.decode(c);
  for (const key of ['', 'a', '1234567', '123456789', new Uint8Array(7), new Uint8Array(16)]) {
    expectCode(() => filter.has(key), 'INVALID_KEY');
    const error = expectCode(() => filter.hasMany(['12345678', key]), 'INVALID_KEY');
    expect(error.index).toBe(1);
  }
  expect(typeof filter.has('12345678')).toBe('boolean');
  // XXH64 of 'hello', seed 0.
  const hash = encodings.int64(BigInt.asIntN(64, 0x26c7827d889f6da3n));
  const hashed = binaryFuse.decode(c, { keys: 'xxh64' });
  expect(hashed.has('hello')).toBe(filter.has(hash));
  let same = 0;
  for (let i = 0; i < 3000; i++) same += hashed.has(`${i}`) ? 1 : 0;
  expect(same).toBeGreaterThan(0);
  expect(same).toBeLessThan(60);
});

/** A filter of one key: the slot of its first segment holds the fingerprint. */
function madeFor(number: bigint, width: number, xor: boolean): Uint8Array<ArrayBuffer> {
  const mask = (1n << 64n) - 1n;
  let hash = number & mask;
  hash = ((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn) & mask;
  hash = ((hash ^ (hash >> 33n)) * 0xc4ceb9fe1a85ec53n) & mask;
  hash ^= hash >> 33n;
  const print = hash ^ (hash >> 32n);
  const [segment, first] = [4n, 8n];
  const low = hash & 0xffffffffn;
  const slot = Number(xor ? (low * first) >> 32n : (hash * first) >> 64n);
  const slots = Number(xor ? 3n * first : first + 2n * segment);
  const bytes = new Uint8Array((xor ? 16 : 28) + slots * width);
  const view = new DataView(bytes.buffer);
  if (xor) view.setBigUint64(8, first, true);
  else {
    [1, 4, 2, 8, 16].forEach((word, i) => {
      view.setUint32(8 + 4 * i, word, true);
    });
  }
  for (let i = 0; i < width; i++) {
    bytes[(xor ? 16 : 28) + slot * width + i] = Number((print >> BigInt(8 * i)) & 255n);
  }
  return bytes;
}

test.each([
  [8, 1, false],
  [16, 2, false],
  [32, 4, false],
  [8, 1, true],
] as const)('%i bits: a fingerprint is found', (bits, width, xor) => {
  const layout = xor ? 'xor8' : 'serialize';
  const filter = binaryFuse.decode(madeFor(12345n, width, xor), { layout });
  expect(filter.has(encodings.int64(12345n))).toBe(true);
  expectSame(
    binaryFuse.decode(madeFor(12345n, width, xor), { layout, bits }).toBytes(),
    filter.toBytes(),
  );
  let others = 0;
  for (let i = 0n; i < 1000n; i++) others += filter.has(encodings.int64(i)) ? 1 : 0;
  expect(others).toBeLessThan(20);
});

test('the width is told by the length, where C says four bytes more too', () => {
  for (const width of [1, 2, 4]) {
    const wide = widened(c, width);
    const filter = binaryFuse.decode(wide);
    expect(filter.sizeBytes).toBe(wide.length);
    expectSame(filter.toBytes(), wide);
    const bits = (8 * width) as 8 | 16 | 32;
    expectSame(binaryFuse.decode(wide, { bits }).toBytes(), wide);
    for (const other of ([8, 16, 32] as const).filter((one) => one !== bits)) {
      expectCode(
        () => binaryFuse.decode(wide, { bits: other }),
        other > bits ? 'TRUNCATED' : 'CORRUPT',
      );
    }
  }
  const long = widened(c, 2, 4);
  expectSame(binaryFuse.decode(long).toBytes(), long);
  expectSame(binaryFuse.decode(older(long)).toBytes(), older(long));
  expectCode(() => binaryFuse.decode(widened(go, 2, 4)), 'CORRUPT');
  expectCode(() => binaryFuse.decode(widened(c, 4, 4)), 'CORRUPT');
});

describe('packed', () => {
  const header = (keys: number) =>
    changed(new Uint8Array(12), (view) => view.setUint32(8, keys, true));
  const sizes = [0, 1, 2, 3, 10, 100, 1000, 12345, 1_000_000];

  test('every slot comes back, of every width and number of keys', () => {
    for (const keys of sizes) {
      const size = keys > 10_000 ? 0 : undefined;
      const empty = binaryFuse.decode(
        joined(
          header(keys),
          mapFor(keys, () => false),
        ),
        { layout: 'pack' },
      );
      expect(empty.toBytes().length).toBe(12 + mapFor(keys, () => false).length);
      if (size === 0) continue;
      for (const width of [1, 2, 4] as const) {
        const map = mapFor(keys, (i) => i % 3 !== 1);
        const taken = map.reduce(
          (sum, byte) => sum + byte.toString(2).replaceAll('0', '').length,
          0,
        );
        const prints = Uint8Array.from({ length: taken * width }, (_, i) => 1 + (i % 255));
        const bytes = joined(header(keys), map, prints);
        const bits = (8 * width) as 8 | 16 | 32;
        expectSame(binaryFuse.decode(bytes, { layout: 'pack', bits }).toBytes(), bytes);
        expectSame(binaryFuse.decode(bytes, { layout: 'pack' }).toBytes(), bytes);
      }
    }
  });

  /** The slots that the C library itself allocates. */
  const slotsOf = new Map([
    [0, 12],
    [1, 12],
    [2, 12],
    [3, 24],
    [10, 48],
    [100, 192],
    [1000, 1408],
    [12_345, 15_360],
    [1_000_000, 1_130_496],
  ]);
  function mapFor(keys: number, isTaken: (i: number) => boolean): Uint8Array<ArrayBuffer> {
    const slots = slotsOf.get(keys) as number;
    const map = new Uint8Array(Math.ceil(slots / 8));
    for (let i = 0; i < slots; i++) {
      if (isTaken(i)) map[i >> 3] = (map[i >> 3] as number) | (1 << (i & 7));
    }
    return map;
  }

  test('a bit behind the last slot, and bytes too many or few, are refused', () => {
    const options = { layout: 'pack' } as const;
    const bytes = joined(header(1), Uint8Array.of(1, 0), Uint8Array.of(7));
    binaryFuse.decode(bytes, options).dispose();
    expectCode(
      () =>
        binaryFuse.decode(
          changed(bytes, (_, copy) => copy.set([16], 13)),
          options,
        ),
      'CORRUPT',
    );
    expectCode(
      () => binaryFuse.decode(joined(bytes, Uint8Array.of(1)), { ...options, bits: 8 }),
      'CORRUPT',
    );
    expectCode(() => binaryFuse.decode(joined(packed, Uint8Array.of(1)), options), 'CORRUPT');
    for (let size = 0; size < packed.length; size += size < 30 ? 1 : 97) {
      expectCode(() => binaryFuse.decode(packed.subarray(0, size), options), 'TRUNCATED');
    }
    // The size that the header claims for the unpacked filter is above the limit.
    expectCode(() => binaryFuse.decode(header(0xffffffff), options), 'TOO_LARGE');
    expectCode(
      () => binaryFuse.decode(packed, { ...options, maxBytes: packed.length }),
      'TOO_LARGE',
    );
  });
});

const u32 = (at: number, value: number) => changed(c, (view) => view.setUint32(at, value, true));
test.each<[string, Uint8Array<ArrayBuffer>, Code]>([
  ['no segment', u32(12, 0), 'CORRUPT'],
  ['segments of 3', u32(12, 3), 'CORRUPT'],
  ['segments of 2^19', u32(12, 2 ** 19), 'CORRUPT'],
  ['segments of 2^31', u32(12, 2 ** 31), 'CORRUPT'],
  ['no segments', u32(16, 0), 'CORRUPT'],
  ['a segment more', u32(16, 15), 'CORRUPT'],
  ['2^32 - 1 segments', u32(16, 0xffffffff), 'CORRUPT'],
  ['fewer first slots', u32(20, 1), 'CORRUPT'],
  ['no first slots', u32(20, 0), 'CORRUPT'],
  ['first slots that overflow', u32(20, 0xffffffff), 'CORRUPT'],
  ['fewer slots', u32(24, 4095), 'CORRUPT'],
  ['no slots', u32(24, 0), 'CORRUPT'],
  ['more slots', u32(24, 0xffffffff), 'CORRUPT'],
  ['a byte behind', joined(c, Uint8Array.of(0)), 'CORRUPT'],
  ['four bytes behind', joined(c, new Uint8Array(4)), 'CORRUPT'],
  ['Go and a byte behind', joined(go, Uint8Array.of(0)), 'CORRUPT'],
  [
    'a table of 4 GB',
    changed(c, (view) => {
      [3000, 2 ** 18, 16_381, 2 ** 18 * 16_381, 2 ** 18 * 16_383].forEach((word, i) => {
        view.setUint32(8 + 4 * i, word, true);
      });
    }),
    'TOO_LARGE',
  ],
])('%s is refused', (_what, bytes, code) => {
  expectCode(() => binaryFuse.decode(bytes), code);
});

test('every truncation is TRUNCATED', () => {
  for (const bytes of [c, go, older(c)]) {
    for (let size = 0; size < bytes.length; size += size < 100 ? 1 : 61) {
      expectCode(() => binaryFuse.decode(bytes.subarray(0, size)), 'TRUNCATED');
    }
  }
});

test('xor8 is bounded by its blocks', () => {
  const options = { layout: 'xor8' } as const;
  const bytes = madeFor(1n, 1, true);
  for (let size = 0; size < bytes.length; size++) {
    expectCode(() => binaryFuse.decode(bytes.subarray(0, size), options), 'TRUNCATED');
  }
  const blocks = (count: bigint) => changed(bytes, (view) => view.setBigUint64(8, count, true));
  expectCode(() => binaryFuse.decode(blocks(0n), options), 'CORRUPT');
  expectCode(() => binaryFuse.decode(blocks(7n), options), 'CORRUPT');
  expectCode(() => binaryFuse.decode(blocks(9n), options), 'TRUNCATED');
  expectCode(() => binaryFuse.decode(blocks((1n << 64n) - 1n), options), 'TOO_LARGE');
  expectCode(() => binaryFuse.decode(bytes, { ...options, bits: 16 }), 'UNSUPPORTED');
});

test('options and data of a wrong type are refused', () => {
  for (const options of [
    { layout: 'other' },
    { bits: 12 },
    { bits: '8' },
    { keys: 'utf8' },
    { maxBytes: 0 },
    7,
  ]) {
    expectCode(() => binaryFuse.decode(c, options as never), 'INVALID_OPTION');
  }
  for (const data of [undefined, null, 'text', {}, [1, 2]]) {
    expectCode(() => binaryFuse.decode(data as never), 'INVALID_OPTION');
  }
  expectCode(() => binaryFuse.decode(c, { maxBytes: c.length - 1 }), 'TOO_LARGE');
});

test.each([
  ['serialize', [madeFor(1n, 1, false), widened(madeFor(1n, 1, false), 2), c, go]],
  ['pack', [joined(new Uint8Array(12), new Uint8Array(2)), packed]],
  ['xor8', [madeFor(1n, 1, true)]],
] as const)('whatever is changed is refused with a code or answers: %s', (layout, files) => {
  const lengths = [8, 12, 16, 20, 24].map((at) => ({ at, bytes: 4 as const }));
  const keys = numbers.slice(0, 5).map(encodings.int64);
  for (const hashes of ['uint64', 'xxh64'] as const) {
    const decode = (bytes: Uint8Array, maxBytes: number) =>
      binaryFuse.decode(bytes, { layout, maxBytes, keys: hashes });
    const { taken } = runMutations({ files, headerBytes: 28, lengths, decode, keys });
    expect(taken).toBeGreaterThan(0);
  }
});
