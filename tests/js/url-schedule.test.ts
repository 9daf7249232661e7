/** The schedule of a UrlChecker: one request for many pages, delays after failures, and never too early. */
import { beforeEach, describe, expect, test } from '@jest/globals';

import { DAY, first, newKeys, START, second, versionOf } from './support/url-publisher.js';
import {
  answer,
  begin,
  clock,
  due,
  dueKey,
  EVERY,
  load,
  MINUTE,
  NEXT,
  publisher,
  setDue,
  storage,
  unavailable,
  waitOf,
} from './support/url-schedule.js';
import { hang, holdTimers, pass, until } from './support/waiting.js';

beforeEach(begin);
holdTimers();

describe('one page after the other', () => {
  test('five loads are one question', async () => {
    expect((await load()).asked).toEqual(['manifest.json', 'snap']);
    for (let i = 0; i < 5; i++) {
      clock.ms += MINUTE;
      const { checker, asked } = await load();
      expect(asked).toEqual([]);
      expect(versionOf(checker)).toBe('first');
      expect(checker.status).toMatchObject({ source: 'storage', error: undefined });
      expect(checker.status.nextUpdateMs).toBe(clock.ms + NEXT - (i + 1) * MINUTE);
    }
    clock.ms += NEXT - 5 * MINUTE;
    expect((await load()).asked).toEqual(['manifest.json']);
    expect((await load()).asked).toEqual([]);
  });

  test('what is due comes, in a page that is open', async () => {
    await load();
    await publisher.publish(second);
    clock.ms += NEXT - 5;
    const { checker } = await load();
    pass(5);
    await until(() => versionOf(checker) === 'second');
    expect(checker.status).toMatchObject({ source: 'network', error: undefined });
  });

  test('update() asks at once', async () => {
    await load();
    const { checker } = await load();
    await publisher.publish(second);
    expect(await checker.update()).toMatchObject({ changed: true });
    expect((await load()).asked).toEqual([]);
  });

  test('without a list in its time the server is asked', async () => {
    await load();
    for (const key of [...storage.files.keys()]) {
      if (key !== dueKey()) storage.files.set(key, new Uint8Array(9));
    }
    expect((await load()).asked).toEqual(['manifest.json', 'snap']);
    clock.ms += 7 * DAY;
    setDue({ ...due(), nextMs: clock.ms + MINUTE });
    expect((await load()).asked).toEqual(['manifest.json']);
  });

  test("where updates are the caller's own, nothing is put off or stored", async () => {
    await load();
    const before = storage.files.get(dueKey());
    answer(503, { 'Retry-After': '60' });
    const { checker, asked } = await load({ updateEveryMs: 0 });
    expect([asked, checker.status.nextUpdateMs]).toEqual([[], undefined]);
    await expect(checker.update()).rejects.toMatchObject(unavailable);
    expect(checker.status.nextUpdateMs).toBeUndefined();
    expect(storage.files.get(dueKey())).toEqual(before);
  });

  test('a storage that fails costs a question, and no list', async () => {
    await load();
    const breaks: ((operation: string, key: string) => unknown)[] = [
      (operation) => operation === 'set' && Promise.reject(new Error('full')),
      (_, key) => key.endsWith('-due.json') && hang(),
    ];
    for (const before of breaks) {
      clock.ms += NEXT;
      storage.before = before;
      const { checker } = await load();
      expect(versionOf(checker)).toBe('first');
      storage.before = () => undefined;
    }
  });

  test('a storage that lies puts nothing off for longer than ever', async () => {
    await load();
    const told = due();
    const lies: unknown[] = [
      ...['text', null, 7, [], {}].map((value) => value),
      ...[Number.NaN, -1, 1e300, clock.ms + 1.1 * EVERY + 1, `${clock.ms + 1}`, [clock.ms + 1]].map(
        (nextMs) => ({ ...told, nextMs }),
      ),
      { ...told, failures: 3, nextMs: clock.ms + DAY + 1 },
      { ...told, failures: 0.5 },
      { ...told, failures: '1' },
      { ...told, of: 'somebody' },
    ];
    for (const lie of lies) {
      setDue(lie);
      expect((await load()).asked).toEqual(['manifest.json']);
    }
    storage.files.set(dueKey(), Uint8Array.of(0xff, 0x7b));
    expect((await load()).asked).toEqual(['manifest.json']);
    storage.files.set(dueKey(), 'text' as never);
    expect((await load()).asked).toEqual(['manifest.json']);
  });

  test('whatever is stored of failures, a wait is never over a day', async () => {
    await load();
    answer(500);
    for (const failures of [-7, 0, 60, 1e6, Number.MAX_SAFE_INTEGER]) {
      setDue({ ...due(), failures, nextMs: clock.ms });
      const { checker } = await load();
      const wait = (checker.status.nextUpdateMs as number) - clock.ms;
      expect(wait).toBe(failures > 0 ? DAY : 22.5 * MINUTE);
    }
  });

  test.each([
    ['back by a minute', -MINUTE],
    ['back', -DAY],
    ['back by years', -3000 * DAY],
    ['forward', 3 * DAY],
    ['forward by years', 3000 * DAY],
  ])('a clock that is put %s does not stop updates', async (_, ms) => {
    await load();
    clock.ms += ms;
    expect((await load()).asked.length).toBeGreaterThan(0);
  });

  test('a clock that is broken does not either', async () => {
    await load();
    clock.ms = Number.NaN;
    expect((await load()).asked).toEqual(['manifest.json']);
  });
});

describe('failures', () => {
  test('are counted from page to page, with or without a list', async () => {
    await publisher.publish(first, { notAfter: new Date(START + 90 * DAY).toISOString() });
    for (const hasList of [false, true]) {
      if (hasList) {
        publisher.instead.clear();
        clock.ms += DAY;
        await load();
        clock.ms += DAY;
      }
      answer(500);
      const waits: number[] = [];
      for (let i = 0; i < 9; i++) {
        const { checker, asked } = await load();
        expect(asked).toEqual(['manifest.json']);
        const { nextUpdateMs } = checker.status;
        for (let page = 0; page < 4; page++) {
          const next = await load();
          expect(next.asked).toEqual([]);
          expect(next.checker.status).toMatchObject({ nextUpdateMs });
          expect(next.checker.status.error).toEqual(
            hasList ? undefined : expect.objectContaining(unavailable),
          );
        }
        waits.push((nextUpdateMs as number) - clock.ms);
        clock.ms = nextUpdateMs as number;
      }
      expect(waits.slice(0, 4)).toEqual([22.5, 45, 90, 180].map((minutes) => minutes * MINUTE));
      expect(waits.slice(-2)).toEqual([DAY, DAY]);
    }
    publisher.instead.clear();
    expect((await load()).asked).toEqual(['manifest.json']);
    expect(due()).toMatchObject({ failures: 0, nextMs: clock.ms + NEXT });
  });

  test('of what was asked otherwise say nothing', async () => {
    const { publicKey } = await newKeys();
    const wrong = { publicKeys: [publicKey] };
    const { checker } = await load(wrong);
    expect(checker.status).toMatchObject({ error: { code: 'ERR_TAMIS_BAD_SIGNATURE' } });
    expect((await load(wrong)).asked).toEqual([]);
    expect((await load({ name: 'other' })).asked).toEqual(['manifest.json']);
    expect((await load({ name: 'other' })).asked).toEqual([]);
    const mended = await load();
    expect(mended.asked).toEqual(['manifest.json', 'snap']);
    expect(mended.checker.status.error).toBeUndefined();
  });

  test('a copy that lies damaged in a cache is passed by in the next page too', async () => {
    publisher.instead.set('snap', ({ cache }) => {
      return cache === 'reload'
        ? new Response([...publisher.files].find(([name]) => name.startsWith('snap'))?.[1] as never)
        : new Response('damaged');
    });
    const { checker } = await load();
    expect(checker.status.error).toMatchObject({ code: 'ERR_TAMIS_TRUNCATED' });
    clock.ms = checker.status.nextUpdateMs as number;
    expect(versionOf((await load()).checker)).toBe('first');
  });
});

describe('Retry-After', () => {
  const date = (ms: number) => new Date(clock.ms + ms).toUTCString();

  test('in seconds or as a date is kept, at most a day, and from page to page', async () => {
    const least = 22.5 * MINUTE;
    const kept: [number, () => string, number][] = [
      [503, () => '7200', 1.05 * 120 * MINUTE],
      [429, () => date(120 * MINUTE), 1.05 * 120 * MINUTE],
      [404, () => '7200', 1.05 * 120 * MINUTE],
      // Shorter than the wait after a failure.
      [503, () => '1', least],
      [503, () => '0', least],
      [503, () => date(-DAY), least],
      [503, () => '86400', DAY],
      [503, () => '9'.repeat(400), DAY],
      [503, () => date(9999 * DAY), DAY],
      ...['', '-7200', '7200.5x', '1e9', 'soon', '7200, 7200', 'Infinity'].map(
        (text): [number, () => string, number] => [503, () => text, least],
      ),
    ];
    for (const [status, header, wait] of kept) {
      storage.files.clear();
      answer(status, { 'Retry-After': header() });
      const { checker } = await load();
      expect([header(), (checker.status.nextUpdateMs as number) - clock.ms]).toEqual([
        header(),
        wait,
      ]);
      const next = await load();
      expect(next.asked).toEqual([]);
      expect(next.checker.status.nextUpdateMs).toBe(clock.ms + wait);
    }
  });

  test('of an answer that is of use means nothing', async () => {
    await load();
    clock.ms += NEXT;
    publisher.instead.set('manifest.json', () => {
      const body = publisher.files.get('manifest.json') as never;
      return new Response(body, { headers: { 'Retry-After': '7200' } });
    });
    const { checker } = await load();
    expect(checker.status.nextUpdateMs).toBe(clock.ms + NEXT);
  });

  test('of one file keeps the next from being asked for', async () => {
    await load();
    await publisher.publish(second);
    const { checker } = await load();
    const headers = { 'Retry-After': '7200' };
    publisher.instead.set('delta', () => new Response(null, { status: 503, headers }));
    expect(await waitOf(checker)).toBe(1.05 * 120 * MINUTE);
    expect(publisher.drain()).toEqual(['manifest.json', 'delta']);
    publisher.instead.clear();
    expect(await checker.update()).toMatchObject({ by: 'deltas' });
  });
});

test('a confirm server that asks to be left alone is', async () => {
  const url = 'https://old.example/';
  let asked = 0;
  publisher.instead.set('https://api.example/confirm', () => {
    asked++;
    return new Response(null, { status: 429, headers: { 'Retry-After': '60' } });
  });
  const { checker } = await load();
  for (let i = 0; i < 3; i++) {
    expect(await checker.verify(url)).toEqual({ verdict: 'unknown', from: 'server' });
  }
  expect(asked).toBe(1);
  clock.ms += MINUTE - 1;
  await checker.verify(url);
  expect(asked).toBe(1);
  clock.ms += 1;
  await checker.verify(url);
  expect(asked).toBe(2);
  // If the clock was set back, the rest of the wait is unknown.
  clock.ms -= 1;
  await checker.verify(url);
  expect(asked).toBe(3);
});
