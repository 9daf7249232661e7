/** Ends of requests: an abort, close, or an attempt that succeeds. */

import { describe, expect, jest, test } from '@jest/globals';

import { rejection } from '../js/support/errors.js';
import { type FakeHost, makePages, signPages } from '../js/support/pages.js';
import { expectRejection, HOUR, hosted, KEYS, open, signing } from '../js/support/signed-pages.js';
import { hang, holdTimers, pass, turn, until } from '../js/support/waiting.js';

describe('an abort', () => {
  const stuck = async () => {
    const { host } = hosted();
    const filter = await open(host);
    host.fault = () => new Promise(() => {});
    return { host, filter };
  };
  const reason = new Error('no longer wanted');

  test('ends the look-up with its reason, and the request', async () => {
    const { host, filter } = await stuck();
    const controller = new AbortController();
    const asking = filter.has('key 1', { signal: controller.signal });
    const settled = asking.catch((error) => error);
    await until(() => host.pagesAsked.length > 0);
    controller.abort(reason);
    expect(await settled).toBe(reason);
    expect(host.pagesAsked[0]?.signal.aborted).toBe(true);
    const again = filter.hasMany(['key 1'], { signal: controller.signal }).catch((error) => error);
    expect(await again).toBe(reason);
    expect(host.pagesAsked).toHaveLength(1);
    host.fault = undefined;
    expect(await filter.has('key 1')).toBe(true);
    filter.close();
  });

  test('of one look-up leaves the page to the others that wait for it', async () => {
    const { host, set } = hosted();
    const filter = await open(host);
    let answer: (response: Response) => void = () => {};
    host.fault = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const controller = new AbortController();
    const first = filter.has('key 1', { signal: controller.signal }).catch((error) => error);
    const second = filter.has('key 1');
    await until(() => host.pagesAsked.length > 0);
    controller.abort(reason);
    expect(await first).toBe(reason);
    const [{ name, range, signal }] = host.pagesAsked as [(typeof host.pagesAsked)[0]];
    expect(signal.aborted).toBe(false);
    answer(host.answer(name, range));
    expect(await second).toBe(true);
    expect(host.pagesAsked).toHaveLength(1);
    expect(set.fields.pages).toBe(8);
    filter.close();
  });

  test.each<[string, (nowMs: number) => number]>([
    ['while an expired manifest is fetched again', (nowMs) => nowMs + 8 * 24 * HOUR],
    ['while a newer manifest is looked for', (nowMs) => nowMs],
  ])('is heeded at once %s', async (_, later) => {
    const { host } = hosted();
    let nowMs = Date.now();
    const filter = await open(host, { now: () => nowMs });
    nowMs = later(nowMs);
    host.fault = ({ range }) =>
      range === undefined ? new Promise(() => {}) : new Response(null, { status: 404 });
    const before = host.asked.length;
    const manifests = () =>
      host.asked.slice(before).filter(({ range }) => range === undefined).length;
    const controller = new AbortController();
    const settled = filter.has('key 1', { signal: controller.signal }).catch((error) => error);
    await until(() => manifests() > 0);
    controller.abort(reason);
    expect(await settled).toBe(reason);
    const pages = host.pagesAsked.length;
    const again = filter.has('key 1', { signal: controller.signal }).catch((error) => error);
    expect(await again).toBe(reason);
    expect(host.pagesAsked).toHaveLength(pages);
    filter.close();
  });

  test('that came before the look-up asks the host nothing', async () => {
    const { host } = hosted();
    let nowMs = Date.now();
    const filter = await open(host, { now: () => nowMs });
    nowMs += 8 * 24 * HOUR;
    const signal = AbortSignal.abort(reason);
    expect(await filter.has('key 1', { signal }).catch((error) => error)).toBe(reason);
    expect(host.asked).toHaveLength(1);
    filter.close();
  });

  test('during an update asks for no page once that is done', async () => {
    const { host, set } = hosted();
    let nowMs = Date.now();
    const filter = await open(host, { now: () => nowMs });
    nowMs += 8 * 24 * HOUR;
    const next = makePages(KEYS, { seq: 2, created: nowMs });
    let answer: () => void = () => {};
    host.fault = () =>
      new Promise((resolve) => {
        answer = () => resolve(host.answer('manifest.json'));
      });
    host.publish(next, signPages(next.fields, signing));
    const controller = new AbortController();
    const settled = filter.has('key 1', { signal: controller.signal }).catch((error) => error);
    await until(() => host.asked.length > 1);
    controller.abort(reason);
    expect(await settled).toBe(reason);
    const updating = filter.update();
    answer();
    // The update goes on for the others.
    expect(await updating).toBe(false);
    expect(filter.status.manifest.seq).toBe(2);
    await new Promise((resolve) => setTimeout(resolve));
    expect(host.pagesAsked).toHaveLength(0);
    expect(set.fields.seq).toBe(1);
    filter.close();
  });
});

describe('close', () => {
  test('ends the look-ups of a set that was replaced meanwhile', async () => {
    const { host } = hosted();
    const filter = await open(host);
    host.fault = ({ range }) => (range === undefined ? undefined : new Promise(() => {}));
    const waiting: Promise<{ code: string }>[] = [];
    // The first set is replaced twice, and look-ups wait for pages of all three.
    for (const seq of [2, 3, 4]) {
      waiting.push(rejection(filter.has('key 1')));
      await until(() => host.pagesAsked.length >= seq - 1);
      const next = makePages(KEYS, { seq, seed: BigInt(seq) });
      host.publish(next, signPages(next.fields, signing));
      if (seq < 4) expect(await filter.update()).toBe(true);
    }
    filter.close();
    const codes = (await Promise.all(waiting)).map(({ code }) => code);
    expect(codes).toEqual(Array(3).fill('ERR_TAMIS_DISPOSED'));
    expect(host.pagesAsked.every(({ signal }) => signal.aborted)).toBe(true);
  });

  test('ends a look-up that begins as its set is replaced', async () => {
    const { host } = hosted();
    let onNow = () => {};
    const now = () => {
      onNow();
      return Date.now();
    };
    const filter = await open(host, { now });
    host.fault = ({ range }) => (range === undefined ? undefined : new Promise(() => {}));
    const next = makePages(KEYS, { seq: 2, seed: 2n });
    host.publish(next, signPages(next.fields, signing));
    let waiting: Promise<{ code: string }> | undefined;
    // The update reads the time right before it switches to the set.
    onNow = () => {
      onNow = () => {};
      queueMicrotask(() => {
        waiting = rejection(filter.has('key 1'));
      });
    };
    expect(await filter.update()).toBe(true);
    await until(() => host.pagesAsked.length > 0);
    filter.close();
    expect((await waiting)?.code).toBe('ERR_TAMIS_DISPOSED');
  });

  test.each([
    ['that was over', 8 * 24 * HOUR],
    ['of a set whose part is gone', 0],
  ])('ends a look-up that waits for the manifest after one %s', async (_, laterMs) => {
    const { host } = hosted();
    let nowMs = Date.now();
    const filter = await open(host, { now: () => nowMs });
    nowMs += laterMs;
    let isAsked = false;
    host.fault = ({ range }) => {
      if (range !== undefined) return new Response(null, { status: 404 });
      isAsked = true;
      return new Promise(() => {});
    };
    const waiting = rejection(filter.has('key 1'));
    await until(() => isAsked);
    filter.close();
    expect((await waiting).code).toBe('ERR_TAMIS_DISPOSED');
  });
});

describe('attempts', () => {
  test.each([429, 408, 500])('are made again after %d', async (status) => {
    const { host } = hosted();
    const filter = await open(host, { retries: 1 });
    host.fault = (_, count) => (count === 2 ? new Response(null, { status }) : undefined);
    expect(await filter.has('key 1')).toBe(true);
    expect(host.pagesAsked).toHaveLength(2);
    filter.close();
  });

  test.each([200, 301, 400, 403, 404, 416])('are not made again after %d', async (status) => {
    const { host } = hosted();
    const filter = await open(host, { retries: 5 });
    host.fault = ({ range }) => (range === undefined ? undefined : new Response(null, { status }));
    await expectRejection(filter.has('key 1'), 'UNAVAILABLE');
    expect(host.pagesAsked).toHaveLength(1);
    filter.close();
  });

  /** The first bytes of an answer, and then no more. */
  const broken = (status: number) => {
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(50));
        controller.error(new TypeError('terminated'));
      },
    });
    return new Response(body, { status });
  };

  test('are made again where a manifest breaks off', async () => {
    const { host } = hosted();
    host.fault = (_, count) => (count === 1 ? broken(200) : undefined);
    (await open(host, { retries: 1 })).close();
    expect(host.asked.map(({ cache }) => cache)).toEqual(['no-cache', 'reload']);
    host.fault = () => broken(200);
    await expectRejection(open(host), 'UNAVAILABLE', /broke off/);
  });

  test.each([200, 206])('are made again where a page breaks off, of status %d', async (status) => {
    const { host } = hosted();
    const filter = await open(host, { retries: 1, fullResponses: 'use' });
    host.fault = (_, count) => (count === 2 ? broken(status) : undefined);
    expect(await filter.has('key 1')).toBe(true);
    expect(host.pagesAsked.map(({ cache }) => cache)).toEqual([undefined, 'reload']);
    filter.close();
  });

  test('are not made again where a manifest or a whole part is too large', async () => {
    const { host } = hosted();
    const filter = await open(host, { retries: 5, fullResponses: 'use' });
    host.fault = () => new Response(new Uint8Array(2 ** 21 + 1));
    await expectRejection(filter.update(), 'TOO_LARGE');
    await expectRejection(filter.has('key 1'), 'TOO_LARGE');
    expect(host.asked).toHaveLength(3);
    filter.close();
  });
});

describe('the next attempt', () => {
  holdTimers();

  /** Waits for an attempt to fail. The next comes after this time, and not before. */
  async function expectNext(host: FakeHost, ms: number): Promise<void> {
    const { length } = host.asked;
    await until(() => jest.getTimerCount() === 1);
    pass(ms - 1);
    await turn();
    expect(host.asked).toHaveLength(length);
    pass(1);
  }

  test('comes later each time, past the caches', async () => {
    const { host } = hosted();
    const filter = await open(host, { retries: 2, random: () => 0 });
    const first = host.asked.length;
    host.fault = (_, count) =>
      count - first < 3 ? new Response(null, { status: 503 }) : undefined;
    const asking = filter.has('key 1');
    await until(() => host.pagesAsked.length === 1);
    await expectNext(host, 250);
    await until(() => host.pagesAsked.length === 2);
    await expectNext(host, 500);
    expect(await asking).toBe(true);
    expect(host.pagesAsked.map(({ cache }) => cache)).toEqual([undefined, 'reload', 'reload']);
    filter.close();
  });

  test('waits as long as the host says, or does not come where that is too long', async () => {
    const { host } = hosted();
    const filter = await open(host, { retries: 1 });
    const busy = (seconds: number) =>
      new Response(null, { status: 503, headers: { 'Retry-After': `${seconds}` } });
    host.fault = (_, count) => (count === 2 ? busy(1) : undefined);
    const asking = filter.has('key 1');
    await until(() => host.pagesAsked.length === 1);
    await expectNext(host, 1000);
    expect(await asking).toBe(true);
    host.fault = () => busy(31);
    const fresh = await rejection(open(host, { retries: 5 }));
    expect(fresh.code).toBe('ERR_TAMIS_UNAVAILABLE');
    filter.close();
  });

  test('comes where a manifest is not whole in time', async () => {
    const { host } = hosted();
    let isStuck = false;
    const pull = () => {
      isStuck = true;
      return hang();
    };
    const endless = () => new ReadableStream({ pull }, { highWaterMark: 0 });
    host.fault = (_, count) => (count === 1 ? new Response(endless()) : undefined);
    const opening = open(host, { retries: 1, random: () => 0 });
    await until(() => isStuck);
    await expectNext(host, 250);
    (await opening).close();
    expect(host.asked).toHaveLength(2);
  });

  test('lets other requests go before while it waits', async () => {
    const { host, set } = hosted({ pages: 40 });
    const filter = await open(host, { retries: 1 });
    const ofPages = new Map(KEYS.map((key) => [set.pageOf(key), key]));
    const keys = [...ofPages.values()].slice(0, 7);
    const busy = () => new Response(null, { status: 503, headers: { 'Retry-After': '20' } });
    host.fault = (_, count) => (count <= 7 ? busy() : undefined);
    const failing = keys.slice(0, 6).map((key) => filter.has(key).catch(({ code }) => code));
    expect(await filter.has(keys[6] as string)).toBe(true);
    // None of the six was requested again before it.
    expect(host.pagesAsked).toHaveLength(7);
    filter.close();
    expect(await Promise.all(failing)).toEqual(Array(6).fill('ERR_TAMIS_DISPOSED'));
  });
});
