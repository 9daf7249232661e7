/** Cuckoo filters of Redis and of Go: their answers, their bytes, and bytes that are no such filter. */
import { describe, expect, test } from '@jest/globals';
import { withFunnel } from 'tamis';
import { encodings, goCuckoo, type LoadChunk, redisBloom, redisCuckoo } from 'tamis/interop';

import { expectSame } from './support/bytes.js';
import { type Code, expectCode } from './support/errors.js';
import { answersOf, bytesOf, changed, joined, numbers, strings } from './support/interop.js';
import { runMutations } from './support/mutations.js';
import { chunksOf, joinedOf, splitAt } from './support/redis-dumps.js';

const { keys, probes } = strings;
const chunks = chunksOf('cf-strings');
const whole = joinedOf(chunks);

describe('a dump of Redis', () => {
  const answers = answersOf('redisbloom/cf-strings.expected.txt');

  test.each([
    ['chunks', chunks],
    ['all bytes', whole],
  ])('answers from %s as Redis does, and is written again', (_how, data) => {
    const filter = redisCuckoo.decode(data);
    expectSame(filter.hasMany(probes), answers);
    expectSame(
      Uint8Array.from(probes, (key) => (filter.has(key) ? 1 : 0)),
      answers,
    );
    expect(filter.hasMany(keys).every((answer) => answer === 1)).toBe(true);
    expectSame(filter.toBytes(), whole);
    expect(redisCuckoo.encode(filter)).toEqual(chunks);
  });

  test('other filters are not written', () => {
    const go = goCuckoo.decode(new Uint8Array(16));
    expect(expectCode(() => redisCuckoo.encode(go), 'INCOMPATIBLE').message).toContain(
      "'go-cuckoo'",
    );
    expectCode(() => redisBloom.encode(redisCuckoo.decode(chunks)), 'INCOMPATIBLE');
    expectCode(() => redisCuckoo.encode({} as never), 'INVALID_OPTION');
  });

  // If the address is no multiple of 4, the unaligned head of a chunk may be longer than the chunk.
  test.each([0, 1, 2, 3])('of a few bytes is read wherever it lies: %d bytes on', (offset) => {
    const at = (bytes: Uint8Array) => {
      const all = new Uint8Array(offset + bytes.length);
      all.set(bytes, offset);
      return all.subarray(offset);
    };
    for (let bucketSize = 1; bucketSize <= 5; bucketSize++) {
      const header = new Uint8Array(38);
      const view = new DataView(header.buffer);
      for (const field of [0, 8, 24]) view.setBigUint64(field, 1n, true);
      view.setUint16(32, bucketSize, true);
      view.setUint16(36, 1, true);
      const table = new Uint8Array(bucketSize);
      table[bucketSize - 1] = 7;
      const split: LoadChunk[] = [
        [1, header],
        [1 + bucketSize, at(table) as LoadChunk[1]],
      ];
      const filter = redisCuckoo.decode(split);
      expectSame(filter.toBytes().subarray(38), table);
      expectSame(redisCuckoo.decode(at(joinedOf(split))).toBytes(), filter.toBytes());
      const empty = at(new Uint8Array(bucketSize)) as LoadChunk[1];
      const lost: LoadChunk[] = [split[0] as LoadChunk, [1 + bucketSize, empty]];
      expectCode(() => redisCuckoo.decode(lost), 'CORRUPT');
    }
  });

  const u16 = (at: number, value: number) =>
    changed(whole, (view) => view.setUint16(at, value, true));
  const u64 = (at: number, value: bigint) =>
    changed(whole, (view) => view.setBigUint64(at, value, true));
  test('a number of keys that the tables contradict', () => {
    const refusal = (bytes: Uint8Array<ArrayBuffer>) =>
      expectCode(() => redisCuckoo.decode(bytes), 'CORRUPT').message;
    expect(refusal(u64(0, 0n))).toMatch(/the header says 0 keys, but the table is not empty$/);
    const empty = changed(whole, (_, copy) => copy.fill(0, 38));
    expect(refusal(empty)).toMatch(/the header says \d+ keys, but the table is empty$/);
  });
  test.each<[string, Uint8Array<ArrayBuffer>, Code]>([
    ['no keys in full tables', u64(0, 0n), 'CORRUPT'],
    ['keys in empty tables', changed(whole, (_, copy) => copy.fill(0, 38)), 'CORRUPT'],
    ['no buckets', u64(8, 0n), 'CORRUPT'],
    ['2049 buckets', u64(8, 2049n), 'CORRUPT'],
    ['4096 buckets', u64(8, 4096n), 'TRUNCATED'],
    ['1024 buckets', u64(8, 1024n), 'CORRUPT'],
    [
      '2^30 buckets and a key, as Dragonfly begins',
      changed(whole, (view) => {
        view.setBigUint64(0, 1n, true);
        view.setBigUint64(8, 1n << 30n, true);
      }),
      'TOO_LARGE',
    ],
    ['2^63 buckets', u64(8, 1n << 63n), 'TOO_LARGE'],
    ['no table', u64(24, 0n), 'CORRUPT'],
    ['three tables', u64(24, 3n), 'TRUNCATED'],
    ['one table', u64(24, 1n), 'CORRUPT'],
    ['2^40 tables', u64(24, 1n << 40n), 'CORRUPT'],
    ['buckets of no slot', u16(32, 0), 'CORRUPT'],
    ['buckets of 4 slots', u16(32, 4), 'TRUNCATED'],
    ['buckets of 256 slots', u16(32, 256), 'CORRUPT'],
    ['no expansion of two tables', u16(36, 0), 'CORRUPT'],
    ['an expansion of 3', u16(36, 3), 'CORRUPT'],
    ['an expansion of 2', u16(36, 2), 'TRUNCATED'],
    ['a byte behind', joined(whole, Uint8Array.of(0)), 'CORRUPT'],
  ])('%s are refused', (_what, bytes, code) => {
    expectCode(() => redisCuckoo.decode(bytes), code);
    expectCode(() => redisCuckoo.decode(splitAt(bytes, 38)), code);
  });

  test('a Bloom filter, and a dump of Dragonfly, are named', () => {
    for (const name of ['bf-strings-1layer', 'bf-strings-4layers']) {
      const bloom = chunksOf(name);
      for (const data of [bloom, joinedOf(bloom)]) {
        const { message } = expectCode(() => redisCuckoo.decode(data), 'UNSUPPORTED');
        expect(message).toContain('use redisBloom');
      }
    }
    const dragonfly: LoadChunk = [1, Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64)];
    expect(expectCode(() => redisCuckoo.decode([dragonfly]), 'UNSUPPORTED').message).toContain(
      'Dragonfly',
    );
  });

  test('every truncation is TRUNCATED, and an empty dump says why', () => {
    for (let size = 0; size < whole.length; size += size < 100 ? 1 : 17) {
      expectCode(() => redisCuckoo.decode(whole.subarray(0, size)), 'TRUNCATED');
    }
    expect(expectCode(() => redisCuckoo.decode([]), 'TRUNCATED').message).toContain('empty cuckoo');
    expectCode(() => redisCuckoo.decode(chunks.slice(0, -1)), 'TRUNCATED');
  });

  test('the limit is kept', () => {
    expectCode(() => redisCuckoo.decode(whole, { maxBytes: whole.length - 1 }), 'TOO_LARGE');
    expectCode(() => redisCuckoo.decode(chunks, { maxBytes: whole.length - 1 }), 'TOO_LARGE');
    redisCuckoo.decode(chunks, { maxBytes: whole.length }).dispose();
  });

  test('whatever is changed is refused with a code or answers', () => {
    const header = Uint8Array.of(
      ...Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0),
      ...new Uint8Array(8),
      2,
      ...new Uint8Array(7),
      2,
      0,
      20,
      0,
      2,
      0,
    );
    const small = joined(header, new Uint8Array(24).fill(9, 3, 9));
    redisCuckoo.decode(small).dispose();
    const lengths = [
      { at: 8, bytes: 8 },
      { at: 24, bytes: 8 },
      { at: 32, bytes: 2 },
      { at: 36, bytes: 2 },
    ] as const;
    for (const decode of [
      (bytes: Uint8Array, maxBytes: number) => redisCuckoo.decode(bytes, { maxBytes }),
      (bytes: Uint8Array, maxBytes: number) =>
        redisCuckoo.decode(splitAt(new Uint8Array(bytes), 38), { maxBytes }),
    ]) {
      const { taken } = runMutations({ files: [small, whole], headerBytes: 38, lengths, decode });
      expect(taken).toBeGreaterThan(0);
    }
  });
});

describe('a file of Go', () => {
  const toKey = encodings.int64;
  test.each([
    ['strings.cap4096', probes, {}],
    ['strings3.cap1', probes, {}],
    ['empty.cap64', probes, {}],
    ['int64le.cap4096', numbers.map(toKey), {}],
    ['old-2018.strings.cap4096', probes, { since: '2018-01' }],
    ['strings.scalable-default.gob', probes, { scalable: true }],
  ] as const)('%s answers as Go does', (name, questions, options) => {
    const bytes = bytesOf(`seiflotfy/${name}.bin`);
    const answers = answersOf(`seiflotfy/${name}.expected.txt`);
    const filter = goCuckoo.decode(bytes, options);
    expectSame(filter.hasMany(questions), answers);
    expectSame(
      Uint8Array.from(questions, (key: string | Uint8Array) => (filter.has(key) ? 1 : 0)),
      answers,
    );
    expectSame(filter.toBytes(), bytes);
    expect(filter.format).toBe('go-cuckoo');
  });

  test('by the rule of another era nearly all members are missed', () => {
    for (const [name, since] of [
      ['strings.cap4096', '2018-01'],
      ['old-2018.strings.cap4096', '2020-10'],
    ] as const) {
      const answers = goCuckoo.decode(bytesOf(`seiflotfy/${name}.bin`), { since }).hasMany(keys);
      expect(answers.filter((answer) => answer === 1).length).toBeLessThan(150);
    }
  });

  test('keys go through a funnel', () => {
    const filter = goCuckoo.decode(bytesOf('seiflotfy/int64le.cap4096.bin'));
    const typed = withFunnel(filter, encodings.int64);
    expectSame(typed.hasMany(numbers), answersOf('seiflotfy/int64le.cap4096.expected.txt'));
    expect(typed.has(numbers[0] as bigint)).toBe(filter.has(toKey(numbers[0] as bigint)));
    expect(typed.filter).toBe(filter);
    expect('add' in typed).toBe(false);
  });

  test('sizes that no table has are refused', () => {
    expectCode(() => goCuckoo.decode(new Uint8Array(0)), 'TRUNCATED');
    for (const size of [1, 2, 3, 5, 6, 12, 20, 4095, 4097, 4100, 3 * 4096]) {
      expectCode(() => goCuckoo.decode(new Uint8Array(size)), 'CORRUPT');
    }
    expectCode(() => goCuckoo.decode(new Uint8Array(64), { maxBytes: 63 }), 'TOO_LARGE');
    for (const options of [{ since: '2019-01' }, { since: 2018 }, { scalable: 1 }, { other: 1 }]) {
      expectCode(() => goCuckoo.decode(new Uint8Array(64), options as never), 'INVALID_OPTION');
    }
    expectCode(() => goCuckoo.decode('text' as never), 'INVALID_OPTION');
  });
});

describe('a gob', () => {
  const options = { scalable: true } as const;
  const bytes = bytesOf('seiflotfy/strings.scalable-default.gob.bin');

  /** A number as encoding/gob writes it. */
  const uint = (value: number): number[] => {
    if (value < 128) return [value];
    const digits: number[] = [];
    for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
    return [256 - digits.length, ...digits];
  };
  const message = (...body: number[]) => Uint8Array.of(...uint(body.length), ...body);
  const definition = message(1, 2, 3);
  /** A value whose tables have these sizes. */
  const value = (...sizes: number[]) => {
    const tables = sizes.flatMap((size) => [...uint(size), ...new Uint8Array(size)]);
    return message(130 & 126, 1, ...uint(sizes.length), ...tables, 1, 254, 0xcc, 0xec, 0);
  };

  test('of several tables looks into each', () => {
    const three = joined(definition, value(8, 512, 16));
    const filter = goCuckoo.decode(three, options);
    expect(filter.has('hello')).toBe(false);
    // 'hello' has the fingerprint 132 in every table.
    for (const [from, to] of [
      [11, 19],
      [three.length - 21, three.length - 5],
    ] as const) {
      const filled = changed(three, (_, copy) => copy.fill(132, from, to));
      expect(goCuckoo.decode(filled, options).has('hello')).toBe(true);
    }
  });

  test.each<[string, Uint8Array<ArrayBuffer>, Code]>([
    ['a byte behind', joined(bytes, Uint8Array.of(0)), 'CORRUPT'],
    ['no value', definition, 'TRUNCATED'],
    ['no table', joined(definition, value()), 'CORRUPT'],
    ['a table of 12 bytes', value(12), 'CORRUPT'],
    ['an empty table', value(0), 'CORRUPT'],
    ['a table of 2^40 bytes', message(2, 1, 1, 250, 1, 0, 0, 0, 0, 0), 'TOO_LARGE'],
    ['a message of 2^40 bytes', Uint8Array.of(250, 1, 0, 0, 0, 0, 0), 'TOO_LARGE'],
    ['a number of 9 bytes', Uint8Array.of(247, 1, 1, 1, 1, 1, 1, 1, 1, 1), 'CORRUPT'],
    ['a third field', message(2, 3, 0, 0), 'UNSUPPORTED'],
    ['a message that is too long', message(...value(8).subarray(1), 0), 'CORRUPT'],
    [
      'a message that is too short',
      changed(value(8), (_, copy) => copy.set([copy.length - 2])),
      'CORRUPT',
    ],
  ])('with %s is refused', (_what, data, code) => {
    expectCode(() => goCuckoo.decode(data, options), code);
  });

  test('that is cut is TRUNCATED', () => {
    for (let size = 0; size < bytes.length; size += size < 200 ? 1 : 101) {
      expectCode(() => goCuckoo.decode(bytes.subarray(0, size), options), 'TRUNCATED');
    }
  });

  test('whatever is changed is refused with a code or answers', () => {
    const files = [joined(definition, value(8, 64)), bytes];
    for (const [given, headerBytes] of [
      [options, 100],
      [{}, 4],
    ] as const) {
      const decode = (data: Uint8Array, maxBytes: number) =>
        goCuckoo.decode(data, { ...given, maxBytes });
      const { taken } = runMutations({
        files: given === options ? files : [new Uint8Array(16)],
        headerBytes,
        lengths: [],
        decode,
      });
      expect(taken).toBeGreaterThan(0);
    }
  });
});
