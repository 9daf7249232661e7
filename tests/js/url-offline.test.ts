/** A UrlChecker without a network: that is no failure of the server. It tries again once there is a network. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { closeAll, DAY, offline, second } from './support/url-publisher.js';
import {
  answer,
  begin,
  clock,
  due,
  load,
  NEXT,
  publisher,
  unavailable,
  waitOf,
} from './support/url-schedule.js';

beforeEach(begin);

describe('offline', () => {
  const globals = globalThis as { navigator?: unknown; addEventListener?: unknown };
  const before = Object.getOwnPropertyDescriptor(globals, 'navigator');
  let network: EventTarget & { onLine: boolean };

  beforeEach(async () => {
    network = Object.assign(new EventTarget(), { onLine: true });
    Object.defineProperty(globals, 'navigator', { value: network, configurable: true });
    globals.addEventListener = network.addEventListener.bind(network);
    await load();
    clock.ms += NEXT;
  });

  afterEach(() => {
    closeAll();
    delete globals.addEventListener;
    if (before) Object.defineProperty(globals, 'navigator', before);
    else delete globals.navigator;
  });

  function goOffline() {
    network.onLine = false;
    publisher.instead.set('manifest.json', offline);
  }

  /** The requests as soon as the network is back. */
  function goOnline(): string[] {
    network.onLine = true;
    publisher.instead.clear();
    publisher.drain();
    network.dispatchEvent(new Event('online'));
    return publisher.drain();
  }

  test('is no failure, and being online again is a try', async () => {
    const stored = due();
    await publisher.publish(second);
    goOffline();
    const { checker, asked } = await load();
    expect(asked).toEqual(['manifest.json']);
    expect(checker.status).toMatchObject({
      ...{ offline: true, error: unavailable, nextUpdateMs: clock.ms + NEXT },
    });
    expect(due()).toEqual(stored);
    const updated = new Promise((resolve) => checker.onUpdate(resolve));
    expect(goOnline()).toEqual(['manifest.json']);
    expect(await updated).toMatchObject({ to: 'v2' });
    expect(checker.status).toMatchObject({ error: undefined });
    // The end of that update. A second update would report no change.
    expect(await checker.update()).toMatchObject({ changed: true });
    expect(checker.status.nextUpdateMs).toBe(clock.ms + NEXT);
    // A client that was online has nothing to retry.
    expect(goOnline()).toEqual([]);
  });

  test('an answer in the place of the network is no failure of the server either', async () => {
    goOffline();
    answer(503, { 'Retry-After': '7200' });
    const { checker } = await load();
    expect(checker.status.nextUpdateMs).toBe(clock.ms + NEXT);
    expect(goOnline()).toEqual(['manifest.json']);
    await checker.update();
    expect(publisher.drain()).toEqual([]);
    expect(checker.status).toMatchObject({ error: undefined });
  });

  test('does not shorten what a server was to be left alone for', async () => {
    answer(503, { 'Retry-After': '7200' });
    const { checker } = await load();
    const { nextUpdateMs } = checker.status;
    goOffline();
    await expect(checker.update()).rejects.toMatchObject(unavailable);
    expect(checker.status).toMatchObject({ nextUpdateMs });
    expect(due()).toMatchObject({ failures: 1, nextMs: nextUpdateMs });
  });

  test('keeps no wait of a clock that was ahead', async () => {
    clock.ms += 3000 * DAY;
    answer(503, { 'Retry-After': '7200' });
    const { checker } = await load();
    clock.ms -= 3000 * DAY;
    goOffline();
    await expect(checker.update()).rejects.toMatchObject(unavailable);
    expect(checker.status.nextUpdateMs).toBe(clock.ms + NEXT);
  });

  test("after close, or where updates are the caller's own, nothing is tried", async () => {
    goOffline();
    const { checker } = await load();
    checker.close();
    expect(goOnline()).toEqual([]);
    goOffline();
    const own = await load({ updateEveryMs: 0 });
    await expect(own.checker.update()).rejects.toMatchObject(unavailable);
    expect(goOnline()).toEqual([]);
  });
});

describe('a network that is down in Node', () => {
  const failure = (code?: string, syscall?: string) =>
    Object.assign(new Error(code), { code, syscall });
  const both = (...errors: Error[]) =>
    Object.assign(new AggregateError(errors), { code: 'ENETUNREACH' });
  const fail = (cause: unknown) =>
    publisher.instead.set('manifest.json', () =>
      Promise.reject(new TypeError('fetch failed', { cause })),
    );
  const down = [
    failure('ENETUNREACH', 'connect'),
    failure('EAI_AGAIN', 'getaddrinfo'),
    failure('ENOTFOUND', 'getaddrinfo'),
    failure('ECONNREFUSED', 'queryA'),
    both(failure('ENETUNREACH', 'connect'), failure('ENETUNREACH', 'connect')),
  ];
  const up = [
    undefined,
    failure(),
    failure('ECONNREFUSED', 'connect'),
    failure('ECONNRESET', 'read'),
    // The machine has no IPv6, and the server refuses by IPv4.
    both(failure('ENETUNREACH', 'connect'), failure('ECONNREFUSED', 'connect')),
  ];

  beforeEach(async () => {
    await load();
    clock.ms += NEXT;
  });

  test.each(down)('is no failure of the server, however often: %p', async (cause) => {
    const stored = due();
    fail(cause);
    const { checker } = await load();
    for (let i = 0; i < 5; i++) {
      expect(checker.status).toMatchObject({ offline: true, error: unavailable });
      expect(await waitOf(checker)).toBe(NEXT);
    }
    expect(due()).toEqual(stored);
    publisher.instead.clear();
    await checker.update();
    expect(checker.status).toMatchObject({ offline: false, error: undefined });
  });

  test.each(up)('is none of these, which are failures: %p', async (cause) => {
    fail(cause);
    const { checker } = await load();
    const waits = [await waitOf(checker), await waitOf(checker)];
    expect(waits[1]).toBe(2 * (waits[0] as number));
    expect(checker.status).toMatchObject({ offline: false, error: unavailable });
    expect(due()).toMatchObject({ failures: 3 });
  });

  test('is over where a request had an answer since', async () => {
    await publisher.publish(second);
    fail(down[0]);
    const { checker } = await load();
    publisher.instead.clear();
    for (const file of ['delta', 'snap']) {
      publisher.instead.set(file, () => new Response(null, { status: 500 }));
    }
    expect(await waitOf(checker)).toBeLessThan(NEXT);
    expect(checker.status).toMatchObject({ offline: false });
  });
});
