/** addFrom: what it adds, and what stays when it ends early; static-sources.test.ts has its aborts and options. */
import { describe, expect, test } from '@jest/globals';
import type { Key, PackedKeys } from 'tamis';
import { BloomFilter, funnel, keyBatchesFrom, keysFromLines, withFunnel } from 'tamis';

import { filterCases, members } from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectCode, rejection } from './support/errors.js';
import { utf8 } from './support/keys.js';
import { abortedHalfWay, given, stream } from './support/sources.js';

type Source = AsyncIterable<Key | PackedKeys>;
const filterOf = (capacity = 2000): BloomFilter => new BloomFilter({ capacity });

describe.each(filterCases.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  test('takes what addMany takes, whatever it comes in', async () => {
    const keys = members(800);
    const twin = one.create(1000);
    const fresh = twin.addMany(keys);
    const text = utf8(keys.join('\n'));
    const rest = keysFromLines(utf8(keys.slice(3, 700).join('\n')));
    const sources = (): (Source | ReadableStream<Key | PackedKeys>)[] => [
      given(keys),
      given(keys.map(utf8)),
      given([keysFromLines(text)]),
      given<Key | PackedKeys>([...keys.slice(0, 3), rest, ...keys.slice(700)]),
      stream<Key>(keys),
      stream<PackedKeys>([keysFromLines(text)]),
      keyBatchesFrom(new Blob([text]).stream()),
    ];
    for (const source of sources()) {
      const filter = one.create(1000);
      expect(await filter.addFrom(source as AsyncIterable<Key>)).toBe(fresh);
      expectSame(filter.toBytes(), twin.toBytes());
    }
    expect(await one.create(5).addFrom(given<Key>([]))).toBe(0);
  });
});

describe('an abort', () => {
  const reason = new Error('enough');

  test('half-way: rejects with its reason, and what was added stays', async () => {
    const source = abortedHalfWay(reason);
    const filter = filterOf(100_000);
    const adding = filter.addFrom(source.keys, { signal: source.signal, batch: 500 });
    await expect(adding).rejects.toBe(reason);
    expect(source.isClosed).toBe(true);
    expect(filter.has('key-0')).toBe(true);
    expect(filter.has('key-4000')).toBe(true);
    expect(filter.count).toBeLessThan(10_000);
    filter.validate();
    filter.add('goes on');
    expect(filter.has('goes on')).toBe(true);
  });

  test('reaches a source that has fallen silent', async () => {
    const controller = new AbortController();
    let cancelled: unknown;
    const silent = new ReadableStream<string>({
      start: (source) => source.enqueue('first'),
      cancel: (why) => {
        cancelled = why;
      },
    });
    const filter = filterOf();
    const pending = filter.addFrom(silent, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 10);
    await expect(pending).rejects.toBe(reason);
    expect(cancelled).toBe(reason);
  });

  test("without a reason of its own gives the platform's", async () => {
    const signal = AbortSignal.abort();
    const failed = filterOf().addFrom(given(['a']), { signal });
    await expect(failed).rejects.toBe(signal.reason);
  });
});

test('the batch is the most keys that wait', async () => {
  const filter = filterOf();
  const lag: number[] = [];
  async function* source(): AsyncGenerator<string> {
    for (let i = 0; i < 100; i++) {
      lag.push(i - filter.count);
      yield `key-${i}`;
    }
  }
  await filter.addFrom(source(), { batch: 10 });
  expect(Math.max(...lag)).toBeLessThanOrEqual(10);
  expect(filter.count).toBe(100);
});

test('a stream of bytes is a TypeError that names keyBatchesFrom', async () => {
  const bytes = (): ReadableStream<Uint8Array> => new Blob([utf8('a\nb\n')]).stream();
  const filter = filterOf();
  const error = await rejection(filter.addFrom(bytes() as never));
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toMatch(/keyBatchesFrom/);
  expect(filter.count).toBe(0);
});

test('what is no source is a TypeError', async () => {
  for (const wrong of [undefined, null, 7, 'text', {}, () => given(['a'])]) {
    const error = await rejection(filterOf().addFrom(wrong as never));
    expect(error).toBeInstanceOf(TypeError);
  }
});

test('a bad key: those before it stay, error.index counts from the start of the source', async () => {
  for (const at of [0, 1, 255, 256, 700]) {
    const keys: unknown[] = members(1000);
    keys[at] = '\ud800';
    const filter = filterOf();
    const error = await rejection(filter.addFrom(given(keys) as Source, { batch: 100 }));
    expect(error.code).toBe('ERR_TAMIS_INVALID_KEY');
    expect(error.index).toBe(at);
    const twin = filterOf();
    twin.addMany(members(at));
    expectSame(filter.toBytes(), twin.toBytes());
  }
});

test('what the source throws goes through, and what came before it stays', async () => {
  const failure = new Error('the line went dead');
  async function* broken(): AsyncGenerator<string> {
    yield* members(700);
    throw failure;
  }
  const filter = filterOf();
  await expect(filter.addFrom(broken())).rejects.toBe(failure);
  expect(filter.hasMany(members(700))).toEqual(new Uint8Array(700).fill(1));
});

test('a filter that is disposed meanwhile', async () => {
  const filter = filterOf();
  async function* source(): AsyncGenerator<string> {
    for (let i = 0; i < 5000; i++) {
      if (i === 700) filter.dispose();
      yield `key-${i}`;
    }
  }
  expect((await rejection(filter.addFrom(source()))).code).toBe('ERR_TAMIS_DISPOSED');
});

test('two sources at once, and a batch between', async () => {
  const filter = filterOf(5000);
  async function* slowly(from: number): AsyncGenerator<string> {
    for (let i = from; i < from + 1000; i++) {
      if (i % 90 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      yield `key-${i}`;
    }
  }
  const both = Promise.all([
    filter.addFrom(slowly(0), { batch: 64 }),
    filter.addFrom(slowly(1000), { batch: 64 }),
  ]);
  filter.addMany(['between']);
  await both;
  const all = Array.from({ length: 2000 }, (_, i) => `key-${i}`);
  expect(filter.hasMany(all)).toEqual(new Uint8Array(2000).fill(1));
  const twin = filterOf(5000);
  twin.addMany(['between', ...all]);
  expect(filter.toBytes().subarray(64)).toEqual(twin.toBytes().subarray(64));
});

test('withFunnel beside a stream: the funnel makes the bytes', async () => {
  const point = funnel<{ x: number; y: number }>((p, sink) => void sink.int32(p.x).int32(p.y));
  const filter = filterOf();
  const points = withFunnel(filter, point);
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let x = 0; x < 300; x++) yield point({ x, y: -x });
  }
  await filter.addFrom(source());
  expect(points.has({ x: 299, y: -299 })).toBe(true);
  expect(points.has({ x: 299, y: 299 })).toBe(false);
  expectCode(() => points.add({ x: 2 ** 40, y: 0 }), 'INVALID_KEY');
});
