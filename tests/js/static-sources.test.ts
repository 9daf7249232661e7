/** fromAsync and addFrom: keys as they arrive, with progress and an abort. */
import { describe, expect, test } from '@jest/globals';
import {
  BinaryFuseFilter,
  BloomFilter,
  type Key,
  type KeySource,
  keyBatchesFrom,
  keysFromLines,
  type PackedKeys,
} from 'tamis';

import {
  firstListFilters,
  listFilters,
  members,
  ofEachType,
  others,
  type StaticCase,
  staticCases,
  staticFilters,
} from './classes.js';
import { expectSame } from './support/bytes.js';
import { expectOption, rejection } from './support/errors.js';
import { leftBehind } from './support/handles.js';
import { utf8 } from './support/keys.js';
import { abortedHalfWay, given, stream } from './support/sources.js';

const reason = new Error('enough');

const bloomOf = (keys: Iterable<Key>): BloomFilter => {
  const filter = new BloomFilter({ capacity: 5000 });
  filter.addMany(keys);
  return filter;
};
/** A filter that takes keys as it is; streams.test.ts has what stays in it. */
const adding: Pick<StaticCase, 'label' | 'type' | 'make' | 'from' | 'fromAsync'> = {
  label: 'addFrom',
  type: 'bloom',
  make: (n) => bloomOf(members(n)),
  from: bloomOf,
  fromAsync: async (source, options) => {
    const filter = bloomOf([]);
    try {
      await filter.addFrom(source, options);
      return filter;
    } catch (error) {
      filter.dispose();
      throw error;
    }
  },
};

const cases = [...ofEachType(staticCases), adding].map((one) => [one.label, one] as const);

describe.each(cases)('%s', (_label, one) => {
  test('builds what from builds', async () => {
    const keys = members(1100);
    const expected = one.from(keys).toBytes();
    for (const source of [given(keys), given(keys.map(utf8)), given([...keys, ...keys])]) {
      expectSame((await one.fromAsync(source)).toBytes(), expected);
    }
    for (const batch of [1, 10, 100_000]) {
      expectSame((await one.fromAsync(given(keys), { batch })).toBytes(), expected);
    }
    const empty = await one.fromAsync(given<Key>([]));
    expectSame(empty.toBytes(), one.make(0).toBytes());
  });

  test('progress only grows, and ends with the number of keys', async () => {
    const seen: number[] = [];
    const onProgress = ({ done }: { readonly done: number }) => seen.push(done);
    await one.fromAsync(given(members(2500)), { onProgress });
    const own = one.type === 'exact' ? seen.slice(0, seen.indexOf(2500) + 1) : seen;
    expect(own).toEqual([1024, 2048, 2500]);
    // An exact filter counts anew for the keys that it excludes.
    if (one.type === 'exact') expect(seen.slice(3)).toEqual([1024, others.length]);
  });

  test('an abort before the start: nothing is read', async () => {
    let read = false;
    async function* source(): AsyncGenerator<string> {
      read = true;
      yield 'a';
    }
    const left = await leftBehind(async () => {
      const building = one.fromAsync(source(), { signal: AbortSignal.abort(reason) });
      await expect(building).rejects.toBe(reason);
    });
    expect(read).toBe(false);
    expect(left).toBe(0);
  });

  test('an abort half-way: no filter, and the source is let go', async () => {
    const source = abortedHalfWay(reason);
    const left = await leftBehind(async () => {
      const building = one.fromAsync(source.keys, { signal: source.signal, batch: 500 });
      await expect(building).rejects.toBe(reason);
    });
    expect(source.isClosed).toBe(true);
    expect(left).toBe(0);
  });

  test('an abort by the progress, at the very last key too', async () => {
    for (const last of [1024, 2500]) {
      const controller = new AbortController();
      const building = one.fromAsync(given(members(2500)), {
        signal: controller.signal,
        onProgress: ({ done }) => {
          if (done === last) controller.abort(reason);
        },
      });
      // After an abort behind the last key, the call may return the filter or throw. The filter lacks no key.
      const built = await building.catch((error: unknown) => error);
      if (built === reason) continue;
      expect(last).toBe(2500);
      expect((built as { count: number }).count).toBe(2500);
    }
  });

  test('an abort reaches a source that has fallen silent', async () => {
    const controller = new AbortController();
    async function* silent(): AsyncGenerator<string> {
      yield 'first';
      await new Promise(() => {});
    }
    const building = one.fromAsync(silent(), { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 10);
    await expect(building).rejects.toBe(reason);
  });

  test('a source that fails half-way: its error goes through, and nothing is left', async () => {
    const failure = new Error('the line went dead');
    async function* broken(): AsyncGenerator<string> {
      yield* members(3000);
      throw failure;
    }
    const left = await leftBehind(async () => {
      await expect(one.fromAsync(broken())).rejects.toBe(failure);
    });
    expect(left).toBe(0);
  });

  test('what the progress throws goes through', async () => {
    const onProgress = () => {
      throw reason;
    };
    const left = await leftBehind(async () => {
      await expect(one.fromAsync(given(members(10)), { onProgress })).rejects.toBe(reason);
    });
    expect(left).toBe(0);
  });

  test('options are checked', async () => {
    for (const [options, kind] of [
      [{ batch: 0 }, RangeError],
      [{ batch: 1.5 }, RangeError],
      [{ batch: '5' }, TypeError],
      [{ signal: {} }, TypeError],
      [{ onProgress: 5 }, TypeError],
      [{ progress: 5 }, TypeError],
    ] as const) {
      const error = await rejection(one.fromAsync(given(['a']), options as object));
      expectOption(() => {
        throw error;
      }, kind);
    }
  });

  test('two builds at a time, and answers between, do not disturb each other', async () => {
    const other = one.make(100);
    async function* slow(n: number): AsyncGenerator<string> {
      for (const key of members(n)) {
        if (key.endsWith('5')) await null;
        if (!other.has('member-1')) throw new Error('lost');
        yield key;
      }
    }
    const [first, second] = await Promise.all([
      one.fromAsync(slow(1500), { batch: 7 }),
      one.fromAsync(slow(2000), { batch: 13 }),
    ]);
    expectSame(first?.toBytes() as Uint8Array, one.make(1500).toBytes());
    expectSame(second?.toBytes() as Uint8Array, one.make(2000).toBytes());
  });
});

describe.each(staticFilters.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  test('a key that is none is named', async () => {
    const keys = [...members(2000), '\ud800', 'a'];
    const left = await leftBehind(async () => {
      for (const batch of [1, 100, 5000]) {
        const error = await rejection(one.fromAsync(given(keys), { batch }));
        expect(error).toMatchObject({ code: 'ERR_TAMIS_INVALID_KEY', index: 2000 });
      }
      const five = await rejection(one.fromAsync(given(['a', 5 as unknown as string])));
      expect(five).toMatchObject({ code: 'ERR_TAMIS_INVALID_KEY', index: 1 });
    });
    expect(left).toBe(0);
  });
});

describe.each(listFilters.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const build = (source: unknown, more?: object) =>
    one.Class.fromAsync(source as KeySource, { ...one.options, ...more });

  test('takes what addFrom takes', async () => {
    const keys = members(2000);
    const expected = one.from(keys).toBytes();
    const text = utf8(keys.join('\n'));
    const rest = keysFromLines(utf8(keys.slice(3, 1700).join('\n')));
    const sources: KeySource[] = [
      given([keysFromLines(text)]),
      given<Key | PackedKeys>([...keys.slice(0, 3), rest, ...keys.slice(1700)]),
      stream<Key>(keys),
      stream<PackedKeys>([keysFromLines(text)]),
      keyBatchesFrom(new Blob([text]).stream()),
      keyBatchesFrom(given([text.subarray(0, 777), text.subarray(777)])),
    ];
    for (const source of sources) expectSame((await build(source)).toBytes(), expected);
  });

  test('a stream of bytes is a TypeError that names keyBatchesFrom', async () => {
    const error = await rejection(build(new Blob(['a\n']).stream()));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/keyBatchesFrom/);
    expect(error.message).toContain(one.className);
    for (const wrong of [undefined, null, 7, 'text', {}, ['a'], new Set(['a'])]) {
      const refused = await rejection(build(wrong));
      expect(refused).toBeInstanceOf(TypeError);
    }
  });

  test('the count is not given, here too', async () => {
    const error = await rejection(build(given(['a']), { capacity: 5 }));
    expect(error.message).toContain('capacity');
    expect(error.message).toContain('signal');
  });

  test('a stream that fails, or is called off, is let go', async () => {
    const failure = new Error('the line went dead');
    let cancelled: unknown;
    const endless = new ReadableStream<string>({
      pull: (controller) => controller.enqueue('key'),
      cancel: (why) => {
        cancelled = why;
      },
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 30);
    await expect(build(endless, { signal: controller.signal })).rejects.toBe(reason);
    expect(cancelled).toBe(reason);
    const broken = new ReadableStream<string>({
      start(from) {
        from.enqueue('a');
        from.error(failure);
      },
    });
    const left = await leftBehind(() => expect(build(broken)).rejects.toBe(failure));
    expect(left).toBe(0);
  });

  test('an abort while the last keys are told is an abort', async () => {
    const controller = new AbortController();
    const onProgress = () => controller.abort(reason);
    const building = build(given(members(10)), { signal: controller.signal, onProgress });
    await expect(building).rejects.toBe(reason);
    const filter = new BloomFilter({ capacity: 10 });
    const adding = filter.addFrom(given(members(10)), {
      signal: AbortSignal.abort(reason),
    });
    await expect(adding).rejects.toBe(reason);
  });

  test('a stream is let go where the signal had aborted before', async () => {
    let why: unknown;
    const stream = new ReadableStream<string>({
      cancel: (given) => {
        why = given;
      },
    });
    const building = build(stream, { signal: AbortSignal.abort(reason) });
    await expect(building).rejects.toBe(reason);
    expect(why).toBe(reason);
  });
});

describe.each(firstListFilters.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  test('a long build from a source that is always ready leaves room for timers', async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    async function* ready(): AsyncGenerator<string> {
      // Until timers ran. Without room for them it would have no end.
      for (let i = 0; ticks < 3 && i < 3_000_000; i++) yield `key-${i}`;
    }
    await one.Class.fromAsync(ready(), one.options);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(2);
  });
});

test('a filter is built where it is awaited, not before its keys are there', async () => {
  let send = (_key: string) => {};
  const source = new ReadableStream<string>({
    start(controller) {
      send = (key) => (key === '' ? controller.close() : controller.enqueue(key));
    },
  });
  const building = BinaryFuseFilter.fromAsync(source, { fpr: 2 ** -20 });
  for (const key of ['a', 'b', '']) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    send(key);
  }
  const filter = await building;
  expect([filter.count, filter.has('a'), filter.has('b'), filter.has('c')]).toEqual([
    2,
    true,
    true,
    false,
  ]);
});
