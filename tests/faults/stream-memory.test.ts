/** The cost of a stream: memory for its bytes, in chunks of any size, and an end at any time. */
import { describe, expect, test } from '@jest/globals';
import { BitArray, BloomFilter, keyBatchesFrom } from 'tamis';

import { runModule } from '../js/support/child.js';
import { edited } from '../js/support/container.js';
import { rejection } from '../js/support/errors.js';

/** Yields empty chunks for ever, and never lets anything else run. */
const endless: Record<string, () => AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>> = {
  'an async iterable': async function* () {
    for (;;) yield new Uint8Array(0);
  },
  'a web stream': () =>
    new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(0)) }),
};

describe.each(Object.entries(endless))('nothing but empty chunks, from %s', (_name, make) => {
  const reason = new Error('enough');
  const signal = (): AbortSignal => {
    const control = new AbortController();
    setTimeout(() => control.abort(reason), 50);
    return control.signal;
  };

  test('fromStream ends when it is told to', async () => {
    await expect(BloomFilter.fromStream(make(), { signal: signal() })).rejects.toBe(reason);
  });

  test('keyBatchesFrom ends when it is told to', async () => {
    const filter = new BloomFilter({ capacity: 10 });
    const adding = filter.addFrom(keyBatchesFrom(make(), { signal: signal() }));
    await expect(adding).rejects.toBe(reason);
  });
});

/** The bytes of Node's objects and buffers at the end of a run of small chunks. */
const heldAfter = async (run: string): Promise<number> => {
  const out = await runModule(
    `import { BitArray, keyBatchesFrom } from 'tamis';
    const held = () => {
      gc();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const bytes = new BitArray(8_000_000).toBytes();
    async function* single(content, count, emptyEach) {
      for (let i = 0; i < count; i++) {
        for (let j = 0; j < emptyEach; j++) yield new Uint8Array(0);
        yield Uint8Array.of(content[i]);
      }
      console.log(held() - before);
      throw new Error('that is all');
    }
    let before = held();
    await (${run})().catch(({ message }) => message === 'that is all' || console.log(message));`,
    ['--expose-gc'],
  );
  return Number(out.trim());
};

test.each([
  ['fromStream, one byte at a time', 'async () => BitArray.fromStream(single(bytes, 150_000, 0))'],
  ['fromStream, mostly of nothing', 'async () => BitArray.fromStream(single(bytes, 1000, 150))'],
  [
    'keyBatchesFrom, of a line without an end',
    'async () => { for await (const _ of keyBatchesFrom(single(bytes, 150_000, 0), { maxLineBytes: 1e6 })); }',
  ],
])('%s holds no object for a chunk', async (_name, run) => {
  // 150,000 bytes, in a buffer that may have twice the room; an object each would be 30 MB.
  const held = await heldAfter(run);
  expect(held).toBeLessThan(8e6);
});

test('the length that a header names is taken for nothing until the bytes are there', async () => {
  const claimed = edited(new BitArray(64).toBytes(), (view) => {
    view.setBigUint64(48, 2n ** 27n, true);
  });
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  async function* short(): AsyncGenerator<Uint8Array> {
    yield claimed;
    yield new Uint8Array(1000);
    most = process.memoryUsage().arrayBuffers - before;
  }
  const error = await rejection(BitArray.fromStream(short()));
  expect(error.code).toBe('ERR_TAMIS_TRUNCATED');
  expect(most).toBeLessThan(2 ** 24);
});

test('maxBytes holds for the header, before what follows it is read', async () => {
  const bytes = new BitArray(8_000_000).toBytes();
  for (const size of [1, 64, 65, bytes.length]) {
    let given = 0;
    async function* cut(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) {
        given = at;
        yield bytes.subarray(at, at + size);
      }
    }
    const error = await rejection(BitArray.fromStream(cut(), { maxBytes: 999_999 }));
    expect(error.code).toBe('ERR_TAMIS_TOO_LARGE');
    expect(given).toBeLessThan(64);
  }
});
