/** Look-ups of many keys: their requests, and the pages that they keep. */

import { describe, expect, test } from '@jest/globals';

import { rejection } from '../js/support/errors.js';
import type { Asked, FakeHost, SetOptions } from '../js/support/pages.js';
import { expectRejection, hosted, KEYS, open } from '../js/support/signed-pages.js';
import { holdTimers, pass, until } from '../js/support/waiting.js';

const KIB = 2 ** 10;

/** A host whose pages all have a key, and a key of each page. */
function paged(options: SetOptions) {
  const { host, set } = hosted(options);
  const keyOf = new Map(KEYS.map((key) => [set.pageOf(key), key]));
  const keysOf = (...pages: number[]) => pages.map((page) => keyOf.get(page) as string);
  return { host, set, keysOf };
}

/** The first and the last page of each request, and its part. */
const asked = (host: FakeHost, stride: number) =>
  host.pagesAsked.map(({ name, range }) => {
    const [from, to] = (range as string).slice(6).split('-').map(Number) as [number, number];
    return [Number(name.split('.').at(-2)), from / stride, (to + 1) / stride - 1];
  });

describe('a request of a batch', () => {
  test('has neighbours, and what lies between pages unless it is over 64 KiB', async () => {
    const { host, set, keysOf } = paged({ pages: 40, strideBytes: 16 * KIB });
    const { stride } = set.fields;
    const filter = await open(host);
    // Four pages between 3 and 8, and five between 8 and 14.
    const keys = keysOf(14, 3, 8, 15);
    expect([...(await filter.hasMany(keys))]).toEqual([1, 1, 1, 1]);
    expect(asked(host, stride)).toEqual([
      [0, 3, 8],
      [0, 14, 15],
    ]);
    const manifest = (host.files.get('manifest.json') as string).length;
    expect(filter.status).toMatchObject({
      requests: 3,
      receivedBytes: manifest + 8 * stride,
      cachedPages: 4,
    });
    // The pages in between are not in memory.
    await filter.prefetch(keysOf(5));
    expect(host.pagesAsked).toHaveLength(3);
    filter.close();
  });

  test('does not look at pages between', async () => {
    const { host, set, keysOf } = paged({ pages: 8 });
    for (const part of set.parts.values())
      part.fill(1, 4 * set.fields.stride, 5 * set.fields.stride);
    const filter = await open(host);
    expect([...(await filter.hasMany(keysOf(3, 5)))]).toEqual([1, 1]);
    expect(host.pagesAsked).toHaveLength(1);
    await expectRejection(filter.hasMany(keysOf(4)), 'CORRUPT');
    filter.close();
  });

  test('has at most 4 MiB, and pages of one part', async () => {
    const { host, set, keysOf } = paged({ pages: 24, strideBytes: 1024 * KIB, pagesPerPart: 16 });
    const { stride, pagesPerPart } = set.fields;
    expect([stride, pagesPerPart]).toEqual([2 ** 20, 16]);
    const filter = await open(host);
    await filter.prefetch(keysOf(0, 1, 2, 3, 4, 5, 14, 15, 16, 17));
    expect(asked(host, stride)).toEqual([
      [0, 0, 3],
      [0, 4, 5],
      [0, 14, 15],
      [1, 0, 1],
    ]);
    filter.close();
  });

  test('is kept by the browser where no other runs, whose ranges would wait for it', async () => {
    const { host, keysOf } = paged({ pages: 24, strideBytes: 128 * KIB });
    const filter = await open(host);
    await filter.prefetch(keysOf(0));
    await filter.prefetch(keysOf(4, 8, 12));
    await filter.prefetch(keysOf(16));
    const caches = host.pagesAsked.map(({ cache }) => cache);
    expect(caches).toEqual([undefined, undefined, 'no-store', 'no-store', undefined]);
    filter.close();
  });

  test('asks for what lacks alone', async () => {
    const { host, set, keysOf } = paged({ pages: 8 });
    const filter = await open(host);
    await filter.prefetch(keysOf(0, 1, 7));
    await filter.prefetch(keysOf(0, 1, 2, 3, 7));
    expect(asked(host, set.fields.stride)).toEqual([
      [0, 0, 7],
      [0, 2, 3],
    ]);
    filter.close();
  });
});

describe('a request that is late', () => {
  holdTimers();

  test('may take the time of each MiB', async () => {
    const { host, keysOf } = paged({ pages: 8, strideBytes: 1024 * KIB });
    const filter = await open(host, { timeoutMs: 1000 });
    host.fault = ({ range }) => {
      if (range !== undefined) pass(1500);
      return undefined;
    };
    await expectRejection(filter.prefetch(keysOf(7)), 'UNAVAILABLE', /1,?000 ms/);
    await filter.prefetch(keysOf(0, 1, 2, 3));
    filter.close();
  });
});

describe('pages of a batch', () => {
  test('stay until it is answered, whatever the cache keeps', async () => {
    const { host, keysOf } = paged({ pages: 8, strideBytes: 128 * KIB });
    const filter = await open(host, { cachePages: 1 });
    let answer = () => {};
    host.fault = ({ name, range }) =>
      host.pagesAsked.length < 2
        ? undefined
        : new Promise((resolve) => {
            answer = () => resolve(host.answer(name, range));
          });
    const all = keysOf(0, 1, 4, 5);
    const first = filter.hasMany(all);
    await until(() => filter.status.cachedPages === 2);
    const second = filter.hasMany(all);
    await until(() => host.pagesAsked.length === 2);
    answer();
    expect([...(await first), ...(await second)]).toEqual(Array(8).fill(1));
    expect(host.pagesAsked).toHaveLength(2);
    expect(filter.status.cachedPages).toBe(1);
    filter.close();
  });

  test('that two batches want come once', async () => {
    const { host, set, keysOf } = paged({ pages: 8, strideBytes: 128 * KIB });
    const filter = await open(host, { cachePages: 1 });
    const two = [filter.hasMany(keysOf(0, 1, 2)), filter.hasMany(keysOf(1, 2, 3))];
    expect((await Promise.all(two)).map((one) => [...one])).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);
    expect(asked(host, set.fields.stride)).toEqual([
      [0, 0, 2],
      [0, 3, 3],
    ]);
    filter.close();
  });

  test('that are damaged fail who wants them, and are asked for again alone', async () => {
    const { host, set, keysOf } = paged({ pages: 8 });
    const { stride } = set.fields;
    const filter = await open(host, { retries: 1, random: () => 0 });
    for (const part of set.parts.values()) part.fill(1, 2 * stride + 70, 2 * stride + 80);
    const whole = rejection(filter.hasMany(keysOf(1, 2, 3)));
    const others = filter.hasMany(keysOf(1, 3));
    expect([...(await others)]).toEqual([1, 1]);
    expect((await whole).code).toBe('ERR_TAMIS_CORRUPT');
    expect(asked(host, stride)).toEqual([
      [0, 1, 3],
      [0, 2, 2],
    ]);
    expect(host.pagesAsked[1]?.cache).toBe('reload');
    expect([...(await filter.hasMany(keysOf(1, 3)))]).toEqual([1, 1]);
    expect(host.pagesAsked).toHaveLength(2);
    filter.close();
  });
});

describe('an abort', () => {
  test('leaves the range to others that wait for a page of it', async () => {
    const { host, keysOf } = paged({ pages: 8 });
    const filter = await open(host);
    let answer = () => {};
    host.fault = ({ name, range }) =>
      new Promise((resolve) => {
        answer = () => resolve(host.answer(name, range));
      });
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('no longer wanted');
    const first = filter.hasMany(keysOf(1, 2, 3), { signal }).catch((error) => error);
    const second = filter.hasMany(keysOf(3));
    await until(() => host.pagesAsked.length === 1);
    controller.abort(reason);
    expect(await first).toBe(reason);
    expect(host.pagesAsked[0]?.signal.aborted).toBe(false);
    answer();
    expect([...(await second)]).toEqual([1]);
    // No look-up waited for it.
    expect(filter.status.cachedPages).toBe(1);
    filter.close();
  });

  test('of all ends it', async () => {
    const { host, keysOf } = paged({ pages: 8 });
    const filter = await open(host);
    host.fault = () => new Promise(() => {});
    const controllers = [new AbortController(), new AbortController()];
    const asking = controllers.map(({ signal }, i) =>
      filter.hasMany(keysOf(1, 2 + i), { signal }).catch(() => {}),
    );
    await until(() => host.pagesAsked.length === 2);
    const [first, second] = host.pagesAsked as [Asked, Asked];
    controllers[0]?.abort();
    await asking[0];
    expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false]);
    controllers[1]?.abort();
    await asking[1];
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, true]);
    filter.close();
  });
});

describe('a host without ranges', () => {
  const whole = (options: SetOptions) => {
    const made = paged(options);
    const { host } = made;
    host.fault = ({ name, range }) => (range === undefined ? undefined : host.answer(name));
    return made;
  };

  test('sends each part once to a batch, and none again to the next look-up', async () => {
    const options = { pages: 24, strideBytes: 1024 * KIB, pagesPerPart: 16 };
    const { host, set, keysOf } = whole(options);
    const filter = await open(host, { fullResponses: 'use', cachePages: 1 });
    const all = keysOf(...Array.from({ length: 24 }, (_, page) => page));
    expect([...(await filter.hasMany(all))]).toEqual(Array(24).fill(1));
    expect(host.pagesAsked.map(({ name }) => name).sort()).toEqual([...set.parts.keys()].sort());
    expect(filter.status.receivedBytes).toBeGreaterThan(24 * 2 ** 20);
    // One of the parts is in memory.
    await filter.has(keysOf(1)[0] as string);
    const requests = host.pagesAsked.length;
    for (const page of [5, 9]) await filter.has(keysOf(page)[0] as string);
    expect(host.pagesAsked).toHaveLength(requests);
    filter.close();
  });

  test('is asked once by look-ups at the same time', async () => {
    const { host, keysOf } = whole({ pages: 40, strideBytes: 128 * KIB });
    const filter = await open(host, { fullResponses: 'use' });
    const asking = keysOf(0, 10, 20, 30).map((key) => filter.has(key));
    expect(await Promise.all(asking)).toEqual([true, true, true, true]);
    expect(host.pagesAsked).toHaveLength(1);
    filter.close();
  });

  test('is asked anew where the part did not come', async () => {
    const { host, keysOf } = whole({ pages: 40, strideBytes: 128 * KIB });
    const filter = await open(host, { fullResponses: 'use' });
    host.fault = ({ name }, count) =>
      count === 2 ? new Response(null, { status: 503 }) : host.answer(name);
    const [first, ...others] = keysOf(0, 10, 20).map((key) => filter.has(key));
    expect((await rejection(first as Promise<unknown>)).code).toBe('ERR_TAMIS_UNAVAILABLE');
    expect(await Promise.all(others)).toEqual([true, true]);
    expect(host.pagesAsked).toHaveLength(2);
    filter.close();
  });

  test('may damage a page of a part that stays in memory, and is asked for it again', async () => {
    const { host, set, keysOf } = whole({ pages: 8, strideBytes: 128 * KIB });
    const [[name, part]] = [...set.parts] as [[string, Uint8Array]];
    const damaged = part.slice().fill(1, 5 * set.fields.stride + 70, 5 * set.fields.stride + 80);
    host.files.set(name, damaged);
    const filter = await open(host, { fullResponses: 'use' });
    expect([...(await filter.hasMany(keysOf(1)))]).toEqual([1]);
    host.files.set(name, part);
    expect([...(await filter.hasMany(keysOf(5)))]).toEqual([1]);
    expect(host.pagesAsked).toHaveLength(2);
    filter.close();
  });

  test('that learns ranges is asked for several at once', async () => {
    const { host, keysOf } = paged({ pages: 40, strideBytes: 128 * KIB });
    const filter = await open(host, { fullResponses: 'use' });
    await filter.has(keysOf(0)[0] as string);
    host.fault = () => new Promise(() => {});
    const asking = keysOf(10, 20).map((key) => filter.has(key).catch(() => {}));
    await until(() => host.pagesAsked.length === 3);
    filter.close();
    await Promise.all(asking);
  });
});

describe('a file for each page', () => {
  test('is asked for without a range', async () => {
    const { host, set, keysOf } = paged({ pages: 8, pagesPerPart: 1 });
    expect(set.parts.size).toBe(8);
    const filter = await open(host);
    expect([...(await filter.hasMany(keysOf(1, 2)))]).toEqual([1, 1]);
    expect(host.pagesAsked).toMatchObject([{ range: undefined }, { range: undefined }]);
    const names = [1, 2].map((page) => `list.${set.fields.root.slice(0, 16)}.${page}.page`);
    expect(host.pagesAsked.map(({ name }) => name)).toEqual(names);
    const path = names[0] as string;
    const right = host.files.get(path) as Uint8Array;
    const fresh = await open(host);
    host.files.set(path, right.slice(1));
    await expectRejection(fresh.hasMany(keysOf(1)), 'TRUNCATED');
    host.files.set(path, new Uint8Array(right.length + 1));
    await expectRejection(fresh.hasMany(keysOf(1)), 'TOO_LARGE');
    host.files.set(path, new Uint8Array(right.length));
    await expectRejection(fresh.hasMany(keysOf(1)), 'CORRUPT');
    host.fault = () => new Response(right as Uint8Array<ArrayBuffer>, { status: 206 });
    await expectRejection(fresh.hasMany(keysOf(1)), 'UNAVAILABLE', /answered 206/);
    filter.close();
    fresh.close();
  });

  test('is what the last part is where it has one page', async () => {
    const { host, keysOf } = paged({ pages: 3, strideBytes: 6 * 1024 * KIB });
    const filter = await open(host);
    expect([...(await filter.hasMany(keysOf(1, 2)))]).toEqual([1, 1]);
    expect(host.pagesAsked.map(({ range }) => range !== undefined)).toEqual([true, false]);
    filter.close();
  });
});
