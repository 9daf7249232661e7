/** Overrides of a UrlGuard: their effect, their duration, and their storage. */
import { describe, expect, jest, test } from '@jest/globals';
import { memoryStorage, type Override, type UrlGuard, type UrlStorage } from 'tamis/url';

import { common, ListHost, openGuard } from './support/url-guard.js';
import { Clock, DAY, TestStorage } from './support/url-publisher.js';
import { turn, until } from './support/waiting.js';

const FILE = 'tamis-overrides.json';
const HOUR = 3_600_000;
const YEAR = 365 * DAY;

const host = new ListHost('l0');
await host.publish(['evil.example/', 'page.example/x?y', '10.0.0.1/'], {
  prefixBytes: 8,
  lifetimeMs: 3000 * DAY,
});
const fetch = async (url: string, init: RequestInit) => host.answer(new Request(url, init));

interface Setting {
  readonly storage?: UrlStorage;
  readonly clock?: Clock;
  readonly canOverride?: boolean;
  readonly downloadTimeoutMs?: number;
  readonly publicSuffixes?: (host: string) => boolean;
}
const open = ({
  storage = memoryStorage(),
  clock = new Clock(),
  canOverride = true,
  ...more
}: Setting = {}) =>
  openGuard({
    ...common(fetch, { storage, now: clock.now, ...more }),
    lists: { one: host.as('block', { canOverride }) },
  });

const EVIL = 'https://evil.example/';
const allow = { scope: 'site', verdict: 'allow' } as const;
const allowEvil = { url: EVIL, ...allow } as const;
const blockGood = { url: 'http://good.example/', scope: 'host', verdict: 'block' } as const;
const answers = (guard: UrlGuard, ...urls: string[]) =>
  guard.checkMany(urls).map(({ answer }) => answer);

describe('the scopes', () => {
  test('a page is this URL alone, with its query, as a browser sends it by any scheme', async () => {
    const guard = await open();
    const added = await guard.overrides.add({
      url: 'http://EVIL.example:80/a/../x?y#z',
      scope: 'page',
      verdict: 'allow',
      note: 'mine',
    });
    expect(added).toEqual({
      target: 'evil.example/x?y',
      scope: 'page',
      verdict: 'allow',
      note: 'mine',
    });
    expect(Object.isFrozen(added)).toBe(true);
    const open1 = [
      'https://evil.example/x?y',
      'http://eve@evil.example\\x?y#b',
      'ws://evil.example/x?y',
    ];
    expect(answers(guard, ...open1)).toEqual(['safe', 'safe', 'safe']);
    const shut = [
      'http://evil.example:8080/x?y',
      'http://evil.example/%78?y',
      'https://evil.example/x',
      'https://evil.example/x?',
      'https://evil.example/x?yy',
      EVIL,
      'https://a.evil.example/x?y',
    ];
    expect(answers(guard, ...shut)).toEqual(shut.map(() => 'maybe'));
  });

  test('an allowed page is no other one, which only Safe Browsing takes for the same', async () => {
    const guard = await open();
    const url = 'https://evil.example/go?u=good%26x';
    const added = await guard.overrides.add({ url, scope: 'page', verdict: 'allow' });
    expect(added.target).toBe('evil.example/go?u=good%26x');
    const others = ['go?u=good&x', 'go%3Fu=good%26x', 'a/..%2fgo?u=good%26x', '/go?u=good%26x'];
    const shut = others.map((path) => `${EVIL}${path}`);
    expect(answers(guard, url, ...shut)).toEqual(['safe', ...shut.map(() => 'maybe')]);
    expect(await guard.overrides.remove(added)).toBe(true);
    expect(answers(guard, url)).toEqual(['maybe']);
  });

  test('a blocked page is blocked in each spelling, until that spelling is allowed', async () => {
    const guard = await open();
    const spellings = ['go?u=a&x', 'go?u=a%26x', 'b/..%2fgo?u=a&x'].map(
      (path) => `http://good.example:80/${path}`,
    );
    const [plain = '', escaped = ''] = spellings;
    const add = (url: string, verdict: 'allow' | 'block') =>
      guard.overrides.add({ url, scope: 'page', verdict });
    const { target } = await add(escaped, 'block');
    expect(target).toBe('good.example/go?u=a%26x');
    expect(answers(guard, ...spellings, 'http://good.example:8080/go?u=a&x')).toEqual(
      Array(4).fill('maybe'),
    );
    // An allow of another spelling opens nothing that is blocked. An allow of the same one ends the block.
    await add(plain, 'allow');
    expect(answers(guard, ...spellings)).toEqual(['maybe', 'maybe', 'maybe']);
    await add(escaped, 'allow');
    expect(answers(guard, ...spellings)).toEqual(['safe', 'safe', 'safe']);
    expect(guard.overrides.list().map(({ verdict }) => verdict)).toEqual(['allow', 'allow']);
    // A block ends the allow of the same spelling, so that it does not return with the end of the block.
    await guard.overrides.remove(
      await add(`${EVIL}?a%26`, 'allow').then(() => add(`${EVIL}?a%26`, 'block')),
    );
    expect(answers(guard, `${EVIL}?a%26`)).toEqual(['maybe']);
  });

  test('a page that a file has in the canonical form is allowed in that spelling alone, and blocked in all', async () => {
    const storage = memoryStorage();
    const first = await open({ storage });
    await first.overrides.add({ url: `${EVIL}go?u=a&x`, scope: 'page', verdict: 'allow' });
    await first.overrides.add({
      url: 'http://good.example/go?u=a&x',
      scope: 'page',
      verdict: 'block',
    });
    const urls = [`${EVIL}go?u=a&x`, `${EVIL}go?u=a%26x`, 'http://good.example/go?u=a%26x'];
    expect(answers(await open({ storage }), ...urls)).toEqual(['safe', 'maybe', 'maybe']);
  });

  test('a page is no host', async () => {
    const guard = await open();
    await guard.overrides.add({ url: EVIL, scope: 'page', verdict: 'allow' });
    await guard.overrides.add({ url: 'http://good.example/', scope: 'page', verdict: 'block' });
    expect(answers(guard, EVIL, 'https://good.example/')).toEqual(['safe', 'maybe']);
    const hosts = ['evil.example', 'good.example'];
    expect(hosts.map((one) => guard.checkHost(one).answer)).toEqual(['maybe', 'safe']);
    await guard.overrides.add({ url: EVIL, scope: 'host', verdict: 'allow' });
    await guard.overrides.add({ url: 'http://good.example/', scope: 'site', verdict: 'block' });
    expect(hosts.map((one) => guard.checkHost(one).answer)).toEqual(['safe', 'maybe']);
  });

  test('a host that `allow` frees is free as a host too, and nothing below it', async () => {
    const guard = await openGuard({
      ...common(fetch, { allow: new Set(['evil.example']), now: new Clock().now }),
      lists: { one: host.as('block') },
    });
    const names = ['evil.example', 'a.evil.example'];
    expect(names.map((one) => guard.checkHost(one).answer)).toEqual(['safe', 'maybe']);
  });

  test('no site is a public suffix, if the option knows them', async () => {
    const asked: string[] = [];
    const publicSuffixes = (name: string) => {
      asked.push(name);
      return ['example', 'pages.example'].includes(name);
    };
    const guard = await open({ publicSuffixes });
    for (const url of ['https://example/', 'https://PAGES.example/x']) {
      const adding = guard.overrides.add({ ...allowEvil, url });
      await expect(adding).rejects.toMatchObject({
        name: 'RangeError',
        code: 'ERR_TAMIS_INVALID_OPTION',
      });
    }
    expect(guard.overrides.list()).toEqual([]);
    expect(asked).toEqual(['example', 'pages.example']);
    await guard.overrides.add({ ...allowEvil, url: 'http://10.0.0.1/' });
    await guard.overrides.add({ url: 'https://pages.example/', scope: 'host', verdict: 'allow' });
    await guard.overrides.add({ url: 'https://pages.example/', scope: 'site', verdict: 'block' });
    await guard.overrides.add(allowEvil);
    expect(answers(guard, EVIL, 'http://10.0.0.1/')).toEqual(['safe', 'safe']);
    expect(asked).toEqual(['example', 'pages.example', 'evil.example']);
  });

  test('a host is all its pages, and nothing below it', async () => {
    const guard = await open();
    await guard.overrides.add({ url: 'http://evil.example/x', scope: 'host', verdict: 'allow' });
    expect(answers(guard, 'https://evil.example/any?page')).toEqual(['safe']);
    expect(answers(guard, 'https://a.evil.example/')).toEqual(['maybe']);
  });

  test('a site is the host and what is below it', async () => {
    const guard = await open();
    await guard.overrides.add(allowEvil);
    const deep = `https://${'a.'.repeat(60)}evil.example/`;
    expect(answers(guard, EVIL, 'https://a.evil.example/x', deep)).toEqual([
      'safe',
      'safe',
      'safe',
    ]);
    expect(guard.check('https://notevil.example/').lists).toEqual([]);
    await guard.overrides.add({ url: 'http://x.good.example/', scope: 'site', verdict: 'block' });
    const urls = [
      'http://x.good.example/',
      'ftp://a.x.good.example/y',
      'http://good.example/',
      'http://yx.good.example/',
    ];
    expect(answers(guard, ...urls)).toEqual(['maybe', 'maybe', 'safe', 'safe']);
    // Only sites that a host name may have are looked for: at most one in two of its 253 characters.
    const lookUps = jest.spyOn(Map.prototype, 'get');
    guard.check(`http://${'a.'.repeat(5000)}evil.example/`);
    expect(lookUps.mock.calls.length).toBeLessThan(300);
    lookUps.mockRestore();
  });

  test('an IP address has nothing above it', async () => {
    const guard = await open();
    await guard.overrides.add({ url: 'http://0.0.0.1/', scope: 'site', verdict: 'allow' });
    expect(answers(guard, 'http://10.0.0.1/')).toEqual(['maybe']);
    await guard.overrides.add({ url: 'http://0xa.1/', scope: 'site', verdict: 'allow' });
    expect(answers(guard, 'http://10.0.0.1/')).toEqual(['safe']);
  });

  test('what no browser surely opens is blocked in any reading, and never allowed', async () => {
    const guard = await open();
    await guard.overrides.add(blockGood);
    await guard.overrides.add(allowEvil);
    expect(answers(guard, 'http://xn--a.b\\@good.example/', 'mailto:a@evil.example')).toEqual([
      'maybe',
      'invalid',
    ]);
    expect(answers(guard, 'http://xn--a.evil.example\\@other.example/')).toEqual(['maybe']);
    for (const url of [
      '',
      'mailto:a@b.example',
      'javascript:1',
      'http://xn--a.b/',
      'http://[::1',
    ]) {
      const adding = guard.overrides.add({ url, ...allow });
      await expect(adding).rejects.toMatchObject({ code: 'ERR_TAMIS_INVALID_URL' });
    }
  });
});

test('a block comes first, and a list that nobody opens before an allow', async () => {
  const locked = await open({ canOverride: false });
  await locked.overrides.add(allowEvil);
  expect(locked.check(EVIL)).toEqual({ answer: 'maybe', lists: ['one'], missing: [] });
  expect(await locked.verify(EVIL)).toMatchObject({ action: 'block', name: 'one', from: 'list' });

  const guard = await open();
  await guard.overrides.add(allowEvil);
  expect(guard.check(EVIL)).toEqual({ answer: 'safe', lists: ['one'], missing: [] });
  await guard.overrides.add({ url: EVIL, scope: 'page', verdict: 'block' });
  expect(answers(guard, EVIL, `${EVIL}x`)).toEqual(['maybe', 'safe']);
  // The later of two with the same scope and target stays.
  await guard.overrides.add({ url: EVIL, scope: 'site', verdict: 'block' });
  expect(guard.overrides.list().map(({ verdict }) => verdict)).toEqual(['block', 'block']);
  expect(answers(guard, `${EVIL}x`)).toEqual(['maybe']);
});

describe('what is kept', () => {
  test('is there for the next guard, and can be removed', async () => {
    const storage = memoryStorage();
    const first = await open({ storage });
    expect(first.overrides.list()).toEqual([]);
    const site = await first.overrides.add({ ...allowEvil, note: '"}{\\\n\u2028 \u00fc' });
    const page = await first.overrides.add({
      url: `${EVIL}x`,
      scope: 'page',
      verdict: 'block',
      forMs: HOUR,
    });
    first.close();
    const guard = await open({ storage });
    expect(guard.overrides.list()).toEqual([site, page]);
    expect(guard.overrides.error).toBeUndefined();
    expect(await guard.overrides.remove({ ...page, verdict: 'allow' })).toBe(false);
    expect(await guard.overrides.remove(page)).toBe(true);
    expect(await guard.overrides.remove(page)).toBe(false);
    expect(await guard.overrides.remove({} as Override)).toBe(false);
    await guard.overrides.clear();
    expect(guard.overrides.list()).toEqual([]);
    expect(answers(guard, EVIL)).toEqual(['maybe']);
  });

  test('many at once, by two guards, are all kept', async () => {
    const storage = new TestStorage();
    storage.before = turn;
    const [one, two] = [await open({ storage }), await open({ storage })];
    const adding = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? one : two).overrides.add({
        url: `http://h${i}.example/`,
        scope: 'host',
        verdict: 'block',
      }),
    );
    await Promise.all(adding);
    expect((await open({ storage })).overrides.list().length).toBe(20);
  });

  test('another tab hears of each change, and goes by it', async () => {
    const storage = memoryStorage();
    const [one, two] = [await open({ storage }), await open({ storage })];
    let heard = 0;
    let own = 0;
    const end = two.overrides.onChange(() => heard++);
    one.overrides.onChange(() => own++);
    const added = await one.overrides.add(allowEvil);
    await until(() => heard === 1 && own === 1);
    expect(answers(two, EVIL)).toEqual(['safe']);
    await one.overrides.remove(added);
    await until(() => heard === 2);
    expect(answers(two, EVIL)).toEqual(['maybe']);
    end();
    await one.overrides.clear();
    await until(() => own === 3);
    expect(heard).toBe(2);
    expect(() => one.overrides.onChange(5 as never)).toThrow(TypeError);
  });

  test('10,000 and no more', async () => {
    const storage = memoryStorage();
    const guard = await open({ storage });
    const { target, ...first } = await guard.overrides.add(allowEvil);
    const text = new TextDecoder().decode(await storage.get(FILE));
    const line = /^\{"target.*$/m.exec(text)?.[0] as string;
    // A valid file: its lines, and their digest.
    const lines = Array.from({ length: 10_000 }, (_, i) => line.replace(target, `h${i}.example/`));
    const body = lines.join(',\n');
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
    const sha256 = Buffer.from(digest).toString('hex');
    const full = `{"sha256":"${sha256}","overrides":[\n${body}\n]}\n`;
    expect(JSON.parse(full).overrides.length).toBe(10_000);
    storage.set(FILE, new TextEncoder().encode(full));
    const next = await open({ storage });
    expect(next.overrides.error).toBeUndefined();
    expect(next.overrides.list().length).toBe(10_000);
    await expect(next.overrides.add(allowEvil)).rejects.toMatchObject({
      code: 'ERR_TAMIS_TOO_LARGE',
    });
    expect(answers(next, EVIL)).toEqual(['maybe']);
    await next.overrides.remove({ ...first, target: 'h7.example/' });
    await next.overrides.add(allowEvil);
    expect(answers(next, EVIL)).toEqual(['safe']);
  });
});

test.each([
  ['no options', undefined, TypeError],
  ['no scope', { url: EVIL, verdict: 'allow' }, TypeError],
  ['another scope', { ...allowEvil, scope: 'domain' }, RangeError],
  ['another verdict', { ...allowEvil, verdict: 'warn' }, RangeError],
  ['a time below 1', { ...allowEvil, forMs: 0 }, RangeError],
  ['a time over a year', { ...allowEvil, forMs: YEAR + 1 }, RangeError],
  ['a time that is none', { ...allowEvil, forMs: Number.NaN }, RangeError],
  ['a time for ever', { ...allowEvil, forMs: Number.POSITIVE_INFINITY }, RangeError],
  ['a long note', { ...allowEvil, note: 'a'.repeat(1001) }, RangeError],
  ['a URL that is no text', { ...allowEvil, url: 5 }, TypeError],
  ['an unknown option', { ...allowEvil, none: 1 }, TypeError],
])('add refuses %s', async (_, given, Class) => {
  const guard = await open();
  await expect(guard.overrides.add(given as never)).rejects.toThrow(Class);
  expect(guard.overrides.list()).toEqual([]);
});

test('add refuses a page that is too long to keep', async () => {
  const guard = await open();
  const url = `${EVIL}${'a'.repeat(9000)}`;
  const adding = guard.overrides.add({ url, scope: 'page', verdict: 'allow' });
  await expect(adding).rejects.toMatchObject({ code: 'ERR_TAMIS_TOO_LARGE' });
});

describe('the time', () => {
  test('ends an override, and not before', async () => {
    const clock = new Clock();
    const storage = memoryStorage();
    const guard = await open({ clock, storage });
    const { untilMs } = await guard.overrides.add({ ...allowEvil, forMs: HOUR });
    expect(untilMs).toBe(clock.ms + HOUR);
    clock.ms += HOUR - 1;
    expect(answers(guard, EVIL)).toEqual(['safe']);
    clock.ms++;
    expect(answers(guard, EVIL)).toEqual(['maybe']);
    expect(guard.overrides.list()).toEqual([]);
    await guard.overrides.add(blockGood);
    const stored = new TextDecoder().decode(await storage.get(FILE));
    expect(stored).toContain('good.example');
    expect(stored).not.toContain('evil.example');
  });

  test.each(['in the page', 'in the next page'])(
    'a clock that is put back by a year revives nothing, %s',
    async (where) => {
      const clock = new Clock();
      const storage = memoryStorage();
      let guard = await open({ clock, storage });
      await guard.overrides.add({ ...allowEvil, forMs: HOUR });
      await guard.overrides.add({ ...blockGood, forMs: HOUR });
      const again = async () => {
        if (where === 'in the page') return;
        await turn();
        guard.close();
        guard = await open({ clock, storage });
      };
      clock.ms -= YEAR;
      await again();
      // The allow ends at once; a block stays.
      expect(answers(guard, EVIL, 'http://good.example/')).toEqual(['maybe', 'maybe']);
      clock.ms += YEAR + HOUR / 2;
      await again();
      const stored = async () => new TextDecoder().decode(await storage.get(FILE));
      const before = await stored();
      expect(JSON.parse(before).overrides).toHaveLength(2);
      expect(answers(guard, EVIL)).toEqual(['safe']);
      // It is stored in the background. A page that ends earlier loses it.
      while ((await stored()) === before) await turn();
      // The time counts, although no override was added or removed then.
      clock.ms -= HOUR / 4;
      await again();
      expect(answers(guard, EVIL)).toEqual(['maybe']);
      clock.ms += YEAR;
      expect(answers(guard, EVIL, 'http://good.example/')).toEqual(['maybe', 'safe']);
      await again();
      clock.ms -= YEAR;
      await again();
      expect(answers(guard, EVIL)).toEqual(['maybe']);
    },
  );

  test('that other pages are checked at is seen too', async () => {
    const clock = new Clock();
    const guard = await open({ clock });
    await guard.overrides.add({ ...allowEvil, forMs: HOUR });
    clock.ms += HOUR - 1;
    guard.check('https://good.example/');
    clock.ms -= HOUR / 2;
    expect(answers(guard, EVIL)).toEqual(['maybe']);
  });

  test('a clock that was ahead once is no reason against what is added then', async () => {
    const clock = new Clock();
    const guard = await open({ clock });
    await guard.overrides.add({ ...allowEvil, forMs: YEAR });
    clock.ms += DAY;
    guard.check(EVIL);
    clock.ms -= DAY;
    expect(answers(guard, EVIL)).toEqual(['maybe']);
    await guard.overrides.add({ ...allowEvil, forMs: HOUR });
    expect(answers(guard, EVIL)).toEqual(['safe']);
  });

  test('a clock without a time opens nothing', async () => {
    const clock = new Clock();
    const guard = await open({ clock });
    await guard.overrides.add({ ...allowEvil, forMs: HOUR });
    await guard.overrides.add({ ...blockGood, forMs: HOUR });
    clock.ms = Number.NaN;
    expect(guard.check(EVIL).answer).toBe('unknown');
    expect(guard.check('http://good.example/').answer).toBe('maybe');
    const adding = guard.overrides.add({ ...allowEvil, forMs: HOUR });
    await expect(adding).rejects.toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
  });
});
