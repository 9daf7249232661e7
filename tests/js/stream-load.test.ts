/** fromStream: the same answers as fromBytes for any chunks, and nothing half-made. */
import { describe, expect, test } from '@jest/globals';
import type { Progress } from 'tamis';
import * as tamis from 'tamis';
import { BloomFilter, fromStreamOf } from 'tamis';

import type { StreamOptions, StructureCase } from './classes.js';
import { ofEachType, structureCases } from './classes.js';
import { classesOf } from './support/all-classes.mjs';
import { isLong } from './support/budget.js';
import { expectSame } from './support/bytes.js';
import { codeExpected, edited, flipped, HEADER } from './support/container.js';
import { expectOption, rejection } from './support/errors.js';

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A web stream of the chunks; `state` says what was pulled and whether it was cancelled. */
function webStream(
  bytes: Uint8Array,
  size: number,
): {
  stream: ReadableStream<Uint8Array>;
  state: { pulled: number; cancelled: boolean };
} {
  const state = { pulled: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (state.pulled >= bytes.length) controller.close();
        else controller.enqueue(bytes.slice(state.pulled, state.pulled + size));
        state.pulled += size;
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, state };
}

const cases = ofEachType(structureCases).map((one) => [one.label, one] as const);

describe.each(cases)('%s', (_label, one) => {
  const bytes = one.make(100).toBytes();

  test.each(isLong ? [1, 7, 63, 64, 65, 1000, 1 << 20] : [1, 63, 64, 65, 1 << 20])(
    'chunks of %d bytes',
    async (size) => {
      const fromIterable = await one.Class.fromStream(chunks(bytes, size), one.load);
      expectSame(fromIterable.toBytes(), bytes);
      const fromWeb = await one.Class.fromStream(webStream(bytes, size).stream, one.load);
      expectSame(fromWeb.toBytes(), bytes);
      const every = await fromStreamOf(classesOf(tamis), chunks(bytes, size), one.load);
      expectSame(every.toBytes(), bytes);
    },
  );

  test('empty chunks and one buffer used again and again do no harm', async () => {
    async function* reused(): AsyncGenerator<Uint8Array> {
      // A Buffer of Node, whose slice is a view.
      const buffer = Buffer.alloc(16);
      for (let at = 0; at < bytes.length; at += 16) {
        yield new Uint8Array(0);
        const part = bytes.subarray(at, at + 16);
        buffer.set(part);
        yield buffer.subarray(0, part.length);
        buffer.fill(0xaa);
      }
    }
    expectSame((await one.Class.fromStream(reused(), one.load)).toBytes(), bytes);
  });

  test('the codes are those of fromBytes', async () => {
    const small = one.make(5).toBytes();
    const cases = [
      new Uint8Array(0),
      small.subarray(0, 5),
      small.subarray(0, 9),
      small.subarray(0, 40),
      small.subarray(0, HEADER),
      small.subarray(0, small.length - 1),
      new Uint8Array([...small, 0]),
      ...[0, 65, 84, 90, 100, 130, 300, 460, 500, 570].map((bit) => flipped(small, bit)),
      edited(small, (view) => view.setBigUint64(48, 2n ** 40n, true)),
      edited(small, (view) => view.setBigUint64(48, 2n ** 20n, true)),
    ];
    for (const wrong of cases) {
      const expected = codeExpected(wrong, { ...one.load, asked: one.type });
      for (const size of isLong ? [1, 7, 4096] : [7, 4096]) {
        const error = await rejection(one.Class.fromStream(chunks(wrong, size), one.load));
        expect(error.code).toBe(`ERR_TAMIS_${expected}`);
      }
    }
  });

  test('a bad header is refused after 64 bytes, and the source is let go', async () => {
    const wrong = edited(bytes, (view) => view.setBigUint64(48, 2n ** 40n, true));
    const { stream, state } = webStream(wrong, 64);
    const error = await rejection(one.Class.fromStream(stream, one.load));
    expect(error.code).toBe('ERR_TAMIS_TOO_LARGE');
    expect(state).toEqual({ pulled: 64, cancelled: true });

    let finished = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        yield wrong.subarray(0, 64);
        throw new Error('read on');
      } finally {
        finished = true;
      }
    }
    expect((await rejection(one.Class.fromStream(endless(), one.load))).code).toBe(
      'ERR_TAMIS_TOO_LARGE',
    );
    expect(finished).toBe(true);
  });

  test('a source that gives more than its header says is not read to its end', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield bytes;
      for (;;) {
        given++;
        if (given > 1000) throw new Error('read on');
        yield new Uint8Array(1024);
      }
    }
    const error = await rejection(one.Class.fromStream(endless(), one.load));
    expect(error.code).toBe('ERR_TAMIS_CORRUPT');
  });

  test('an abort before or half-way leaves nothing', async () => {
    await aborts(one, bytes);
  });

  test('progress only grows, and ends with all bytes', async () => {
    const seen: Progress[] = [];
    const options: StreamOptions = { ...one.load, onProgress: (progress) => seen.push(progress) };
    await one.Class.fromStream(chunks(bytes, 50), options);
    const done = seen.map((progress) => progress.done);
    expect(done.length).toBeGreaterThan(0);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(done.at(-1)).toBe(bytes.length);
    for (const { total } of seen) if (total !== undefined) expect(total).toBe(bytes.length);
  });
});

async function aborts(one: StructureCase, bytes: Uint8Array): Promise<void> {
  const reason = new Error('changed my mind');
  const before = one.Class.fromStream(chunks(bytes, 8), {
    ...one.load,
    signal: AbortSignal.abort(reason),
  });
  await expect(before).rejects.toBe(reason);

  const controller = new AbortController();
  let finished = false;
  async function* half(): AsyncGenerator<Uint8Array> {
    try {
      yield bytes.subarray(0, 70);
      controller.abort(reason);
      yield bytes.subarray(70);
      throw new Error('read on');
    } finally {
      finished = true;
    }
  }
  const midway = one.Class.fromStream(half(), { ...one.load, signal: controller.signal });
  await expect(midway).rejects.toBe(reason);
  expect(finished).toBe(true);

  // A source that never answers does not delay the abort.
  const waiting = new AbortController();
  const silent = new ReadableStream<Uint8Array>({});
  const pending = one.Class.fromStream(silent, { ...one.load, signal: waiting.signal });
  setTimeout(() => waiting.abort(reason), 5);
  await expect(pending).rejects.toBe(reason);
}

test('what the source throws is what the load rejects with', async () => {
  const failure = new Error('the line went dead');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new BloomFilter({ capacity: 9 }).toBytes().subarray(0, 66);
    throw failure;
  }
  await expect(BloomFilter.fromStream(broken())).rejects.toBe(failure);
});

test('what is no stream of bytes is a TypeError', async () => {
  const bytes = new BloomFilter({ capacity: 9 }).toBytes();
  async function* texts(): AsyncGenerator<string> {
    yield 'text';
  }
  for (const wrong of [undefined, null, 7, 'text', {}, bytes, texts()]) {
    const error = await rejection(
      BloomFilter.fromStream(wrong as unknown as AsyncIterable<Uint8Array>),
    );
    expectOption(() => {
      throw error;
    }, TypeError);
  }
});
