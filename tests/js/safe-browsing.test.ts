/** SafeBrowsing.check and verify in the three modes: requests, cached answers, failures. */
import { describe, expect, test } from '@jest/globals';
import { SafeBrowsing, type SafeBrowsingOptions } from 'tamis/safe-browsing';

import { FakeGoogle, field, hashOf, openClient, prefixesOf } from './support/safe-browsing.js';
import { Clock } from './support/url-publisher.js';
import { hang, holdTimers } from './support/waiting.js';

holdTimers();

const EVIL = 'https://login.evil.example/x';
const GOOD = 'https://good.example/';
const prefix = (expression: string) => hashOf(expression).slice(0, 8);

/** Lists that have evil.example and, by its prefix alone, half.example; 'gc-32b' has good.example. */
function served() {
  const google = new FakeGoogle();
  google.serve('se-4b', prefixesOf(['evil.example/', 'half.example/']));
  google.serve('mw-4b', prefixesOf(['evil.example/', 'page.example/a/b']));
  google.serve('uws-4b', []);
  google.serve('gc-32b', prefixesOf(['good.example/', 'known.example/'], 32));
  google.threats = {
    'evil.example/': [{ type: 2 }, { type: 1 }],
    'page.example/a/b': [{ type: 3 }],
    'fresh.example/': [{ type: 2 }],
  };
  const clock = new Clock();
  const open = (more: Partial<SafeBrowsingOptions> = {}) =>
    openClient(google, { now: clock.now, ...more });
  return { google, clock, open };
}

const modes = ['local-lists', 'real-time', 'no-storage'] as const;

describe("mode 'local-lists'", () => {
  test('asks for what hits alone, and tells why and what is listed', async () => {
    const { google, open } = served();
    const client = await open();
    expect(await client.verify(GOOD)).toEqual({
      verdict: 'safe',
      from: 'list',
      threats: [],
      frameOnly: false,
    });
    expect(google.searches).toEqual([]);
    expect(client.check(EVIL)).toBe('maybe');
    expect(await client.verify(EVIL)).toEqual({
      verdict: 'unsafe',
      from: 'server',
      threats: ['social-engineering', 'malware'],
      frameOnly: false,
      expression: 'evil.example/',
    });
    expect(await client.verify('https://page.example/a/b?c')).toMatchObject({
      threats: ['unwanted-software'],
      expression: 'page.example/a/b',
    });
    expect(await client.verify('https://half.example/')).toMatchObject({
      verdict: 'safe',
      from: 'server',
    });
    expect(google.searches).toEqual([
      [prefix('evil.example/')],
      [prefix('page.example/a/b')],
      [prefix('half.example/')],
    ]);
    const { headers, query, redirect } = google.requests.at(-1) as FakeGoogle['requests'][0];
    expect([headers.get('X-Goog-Api-Key'), redirect]).toEqual(['the-key', 'manual']);
    expect([...query.keys()]).not.toContain('key');
  });

  test('an answer is remembered as long as the server says, also one that has nothing', async () => {
    const { google, clock, open } = served();
    const client = await open();
    for (const [url, verdict] of [
      [EVIL, 'unsafe'],
      ['https://half.example/', 'safe'],
    ] as const) {
      await client.verify(url);
      clock.ms += 299_999;
      expect(await client.verify(url)).toMatchObject({ verdict, from: 'cache' });
      clock.ms += 1;
      expect(await client.verify(url)).toMatchObject({ verdict, from: 'server' });
    }
    expect(google.searches).toHaveLength(4);
    // If the clock was set back, the age of an answer is unknown.
    clock.ms -= 1_000_000;
    expect(await client.verify(EVIL)).toMatchObject({ from: 'server' });
  });

  test('what is remembered as listed stays so when the list has it no more', async () => {
    const { google, clock, open } = served();
    google.waitSeconds = 60;
    const client = await open();
    await client.verify(EVIL);
    for (const name of ['se-4b', 'mw-4b']) google.push(name, []);
    clock.ms += 60_000;
    await client.update();
    expect(client.check(EVIL)).toBe('maybe');
    expect(await client.verify(EVIL)).toMatchObject({ verdict: 'unsafe', from: 'cache' });
    clock.ms += 300_000;
    expect(client.check(EVIL)).toBe('safe');
  });

  test('an answer that holds for no time is an answer all the same; one for a year holds a day', async () => {
    const { google, clock, open } = served();
    const client = await open();
    google.cacheSeconds = 0;
    expect(await client.verify(EVIL)).toMatchObject({ verdict: 'unsafe', from: 'server' });
    google.cacheSeconds = 366 * 24 * 3600;
    await client.verify(EVIL);
    clock.ms += 24 * 3600 * 1000 - 1;
    expect(await client.verify(EVIL)).toMatchObject({ from: 'cache' });
    clock.ms += 1;
    expect(await client.verify(EVIL)).toMatchObject({ from: 'server' });
  });

  test('asks for each listed form of a URL in disguise', async () => {
    const forms: [string, string][] = [
      ['https://evil.example/bad/..%2fx', 'evil.example/bad/'],
      ['https://evil.example/%62ad/%2e%2e/page', 'evil.example/page'],
      ['http:\\\\user@EVIL.example:8443\\a?b#c', 'evil.example/a?b'],
      ['https://a.b.c.d.e.f.evil.example/', 'd.e.f.evil.example/'],
      ['https://evil.example:99999/a', 'evil.example/a'],
      ['http://0x7f.1/', '127.0.0.1/'],
    ];
    for (const [url, expression] of forms) {
      const { google, open } = served();
      for (const name of ['se-4b', 'mw-4b']) google.push(name, prefixesOf([expression]));
      google.threats = { [expression]: [{ type: 1 }] };
      for (const mode of modes) {
        const client = await open({ mode });
        expect(client.check(url)).toBe('maybe');
        expect(await client.verify(url)).toMatchObject({ verdict: 'unsafe', expression });
      }
      expect(google.searches[0]).toEqual([prefix(expression)]);
    }
  });

  test('who asks the same meanwhile waits for the same answer, and may leave', async () => {
    const { google, open } = served();
    const client = await open();
    const controller = new AbortController();
    const left = client.verify(EVIL, { signal: controller.signal });
    const others = [client.verify(EVIL), client.verify('http://evil.example/')];
    controller.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    for (const one of await Promise.all(others)) expect(one.verdict).toBe('unsafe');
    expect(google.searches).toHaveLength(1);
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(client.verify(EVIL, { signal: gone })).rejects.toThrow('gone');
  });

  test('without all lists nothing is safe, and what hits is asked', async () => {
    const { google, open } = served();
    google.change = (message) => {
      if (message.name === 'uws-4b') message.name = 'pha-4b';
    };
    const client = await open();
    expect(client.status.stale).toBe(true);
    expect(client.check(GOOD)).toBe('unknown');
    expect(await client.verify(GOOD)).toMatchObject({ verdict: 'unknown', from: 'list' });
    expect(client.check(EVIL)).toBe('maybe');
    expect(await client.verify(EVIL)).toMatchObject({ verdict: 'unsafe' });
  });
});

describe("mode 'real-time'", () => {
  test('asks for all but what the list of good sites has, and finds what no list has yet', async () => {
    const { google, open } = served();
    const client = await open({ mode: 'real-time' });
    const url = 'https://a.fresh.example/b/c?d';
    expect(client.check(url)).toBe('maybe');
    expect(await client.verify(url)).toMatchObject({
      verdict: 'unsafe',
      from: 'server',
      expression: 'fresh.example/',
    });
    const expressions = ['a.fresh.example/', 'fresh.example/'].flatMap((host) =>
      ['', 'b/', 'b/c', 'b/c?d'].map((path) => host + path),
    );
    expect(google.searches).toEqual([expressions.map(prefix).sort()]);
    expect(client.check(GOOD)).toBe('safe');
    expect(await client.verify(GOOD)).toMatchObject({ verdict: 'safe', from: 'list' });
    expect(google.searches).toHaveLength(1);
    // For a second page of the host, only the new part is sent.
    await client.verify('https://a.fresh.example/b/e');
    expect(await client.verify('https://good.fresh.example/')).toMatchObject({ from: 'cache' });
  });

  test('what the list of good sites has is looked up in the others', async () => {
    const { google, open } = served();
    google.push('se-4b', prefixesOf(['known.example/x']));
    google.threats = { 'known.example/x': [{ type: 2 }] };
    const client = await open({ mode: 'real-time' });
    expect(client.check('https://known.example/')).toBe('safe');
    expect(client.check('https://known.example/x')).toBe('maybe');
    expect(await client.verify('https://known.example/x')).toMatchObject({ verdict: 'unsafe' });
    expect(google.searches).toEqual([[prefix('known.example/x')]]);
  });

  test('without an answer the lists say', async () => {
    const { google, open } = served();
    const client = await open({ mode: 'real-time', whenSearchFails: 'throw' });
    google.instead = () => new Response('', { status: 500 });
    expect(await client.verify('https://fresh.example/')).toMatchObject({
      verdict: 'safe',
      from: 'list',
    });
    await expect(client.verify(EVIL)).rejects.toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
  });

  test('where a list is missing too, nothing is safe', async () => {
    const { google, open } = served();
    google.instead = () => new Response('', { status: 500 });
    const client = await open({ mode: 'real-time' });
    for (const url of [EVIL, GOOD]) {
      expect(client.check(url)).toBe('maybe');
      expect((await client.verify(url)).verdict).toBe('unknown');
    }
  });

  test('without the list of good sites everything is asked', async () => {
    const { google, open } = served();
    google.change = (message) => {
      if (message.name === 'gc-32b') message.sha256 = hashOf('x');
    };
    const client = await open({ mode: 'real-time' });
    expect(client.check(GOOD)).toBe('maybe');
    expect(await client.verify(GOOD)).toMatchObject({ verdict: 'safe', from: 'server' });
  });
});

describe("mode 'no-storage'", () => {
  test('asks for everything, and keeps no list', async () => {
    const { google, open } = served();
    const client = await open({ mode: 'no-storage' });
    expect(client.check(GOOD)).toBe('maybe');
    expect(await client.verify(GOOD)).toMatchObject({ verdict: 'safe', from: 'server' });
    expect(await client.verify(GOOD)).toMatchObject({ verdict: 'safe', from: 'cache' });
    expect(await client.verify(EVIL)).toMatchObject({ verdict: 'unsafe' });
    expect(await client.update()).toMatchObject({ changed: false, by: 'none' });
    expect(google.updates).toEqual([]);
    expect(client.status).toMatchObject({ stale: false, source: 'none', count: 0 });
    expect(client.onUpdate(() => {})()).toBeUndefined();
  });
});

describe.each(modes)("where no answer comes, '%s'", (mode) => {
  const ask = async (whenSearchFails: 'unknown' | 'throw' | 'safe', url = EVIL) => {
    const { google, open } = served();
    const client = await open({ mode, whenSearchFails });
    google.instead = () => new Response('', { status: 500 });
    return client.verify(url);
  };

  test('ends as whenSearchFails says', async () => {
    expect(await ask('unknown')).toMatchObject({ verdict: 'unknown', from: 'server' });
    expect(await ask('safe')).toMatchObject({ verdict: 'safe', from: 'server' });
    await expect(ask('throw')).rejects.toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
  });

  test("what no browser surely opens is never 'safe'", async () => {
    const bent = 'https://evil.example:99999/';
    expect((await ask('safe', bent)).verdict).toBe('invalid');
    const other = 'https://other.example:99999/';
    for (const whenSearchFails of ['unknown', 'safe', 'throw'] as const) {
      const client = await served().open({ mode, whenSearchFails });
      expect(await client.verify(other)).toMatchObject({ verdict: 'invalid' });
      expect((await client.verify(bent)).verdict).toBe('unsafe');
    }
    const { open } = served();
    const client = await open({ mode });
    for (const url of ['mailto:a@b.example', 'javascript:x', 'about:blank', '']) {
      expect(client.check(url)).toBe('invalid');
      expect((await client.verify(url)).verdict).toBe('invalid');
    }
  });
});

describe('details of a hash', () => {
  const verdictOf = async (details: { type: number; attributes?: number[] }[], options = {}) => {
    const { google, open } = served();
    google.threats = { 'evil.example/': details };
    const client = await open();
    return client.verify(EVIL, options);
  };

  test.each([
    ['an unknown threat', [{ type: 5 }]],
    ['no threat', [{ type: 0 }]],
    ['an unknown attribute', [{ type: 1, attributes: [3] }]],
    ['an attribute without a number', [{ type: 1, attributes: [2, 0] }]],
    ['a canary', [{ type: 1, attributes: [1] }]],
    ['none at all', []],
  ])('%s does not count', async (_, details) => {
    expect(await verdictOf(details)).toMatchObject({ verdict: 'safe', frameOnly: false });
    expect(await verdictOf([...details, { type: 4 }])).toMatchObject({
      verdict: 'unsafe',
      threats: ['potentially-harmful-application'],
    });
  });

  test.each([
    ['a canary', [1]],
    ['one for frames that is a canary', [2, 1]],
  ])('%s does not count in a frame either', async (_, attributes) => {
    const verdict = await verdictOf([{ type: 1, attributes }], { isFrame: true });
    expect(verdict).toMatchObject({ verdict: 'safe', frameOnly: false });
  });

  test('one for frames counts in a frame alone', async () => {
    const details = [{ type: 1, attributes: [2] }];
    expect(await verdictOf(details)).toMatchObject({
      verdict: 'safe',
      threats: [],
      frameOnly: true,
    });
    expect(await verdictOf(details, { isFrame: true })).toMatchObject({
      verdict: 'unsafe',
      threats: ['malware'],
      frameOnly: false,
    });
    expect(await verdictOf([...details, { type: 3 }])).toMatchObject({
      verdict: 'unsafe',
      threats: ['unwanted-software'],
    });
  });

  test('a cached entry for frames says nothing about a page that another entry lists', async () => {
    const { google, open } = served();
    google.threats = {
      'evil.example/': [{ type: 1, attributes: [2] }],
      'login.evil.example/': [{ type: 2 }],
    };
    const client = await open({ mode: 'no-storage' });
    expect(await client.verify('https://evil.example/')).toMatchObject({ frameOnly: true });
    expect(await client.verify(EVIL)).toMatchObject({ verdict: 'unsafe', frameOnly: false });
  });
});

const reply = (bytes: readonly number[]) =>
  new Response(Uint8Array.from(bytes), { headers: { 'Content-Type': 'application/x-protobuf' } });

test('an answer may hold for parts of a second', async () => {
  const { google, clock, open } = served();
  const client = await open();
  google.instead = () => reply(field(2, [...field(1, 1), ...field(2, 5e8)]));
  expect(await client.verify(EVIL)).toMatchObject({ verdict: 'safe', from: 'server' });
  clock.ms += 1499;
  expect(await client.verify(EVIL)).toMatchObject({ from: 'cache' });
  clock.ms += 1;
  expect(await client.verify(EVIL)).toMatchObject({ from: 'server' });
});

test('hashes that were not asked for, or only begin alike, are neither told nor remembered', async () => {
  const { google, open } = served();
  const client = await open({ mode: 'no-storage' });
  const fresh = hashOf('fresh.example/');
  const alike = prefix('good.example/') + fresh.slice(8);
  const hashes = [fresh, alike].flatMap((hash) =>
    field(1, [...field(1, Buffer.from(hash, 'hex')), ...field(2, field(1, 1))]),
  );
  google.instead = () => reply([...hashes, ...field(2, field(1, 300))]);
  expect(await client.verify(GOOD)).toMatchObject({ verdict: 'safe', from: 'server' });
  google.threats = {};
  google.instead = () => undefined;
  const verdict = await client.verify('https://fresh.example/');
  expect(verdict).toMatchObject({ verdict: 'safe', from: 'server' });
});

describe('answers of a search that do not fit', () => {
  test.each<[string, () => Response]>([
    ['JSON', () => Response.json({})],
    ['nothing', () => reply([])],
    ['a hash of 31 bytes', () => reply([10, 33, 10, 31, ...Array(31).fill(0), 18, 2, 8, 5])],
    ['an empty hash', () => reply([...field(1, field(1, [])), ...field(2, field(1, 5))])],
    ['a negative part', () => reply(field(2, [...field(1, 1), ...field(2, -2e9)]))],
    ['status 204', () => new Response(null, { status: 204 })],
    ['status 404', () => new Response(null, { status: 404 })],
    ['a negative duration', () => reply([18, 11, 8, ...Array(9).fill(255), 1])],
    ['half a field', () => reply([18, 200])],
    ['more than a MiB', () => reply(Array(2 ** 20 + 1).fill(0))],
  ])('%s is no answer', async (_, answer) => {
    const { google, open } = served();
    const client = await open();
    google.instead = answer;
    expect(await client.verify(EVIL)).toMatchObject({ verdict: 'unknown', from: 'server' });
    google.instead = () => undefined;
    expect(await client.verify(EVIL)).toMatchObject({ verdict: 'unsafe' });
  });

  test('a server that fails three times is left alone for minutes, and longer where it says so', async () => {
    const { google, clock, open } = served();
    const client = await open();
    const asked = () => google.searches.length;
    google.instead = () => new Response('', { status: 503 });
    for (let i = 0; i < 5; i++) await client.verify(EVIL);
    expect(asked()).toBe(3);
    google.instead = () => new Response('', { status: 503, headers: { 'Retry-After': '3600' } });
    clock.ms += 7.5 * 60_000;
    await client.verify(EVIL);
    clock.ms += 3600_000 - 1;
    expect((await client.verify(EVIL)).verdict).toBe('unknown');
    expect(asked()).toBe(4);
    google.instead = () => undefined;
    clock.ms += 1;
    expect((await client.verify(EVIL)).verdict).toBe('unsafe');
  });

  test('a search that hangs ends in time', async () => {
    const { google, open } = served();
    const client = await open();
    google.instead = hang;
    expect((await client.verify(EVIL)).verdict).toBe('unknown');
  });
});

test("a threat's own action is told; where one has none, that of the source counts", async () => {
  const { open } = served();
  const action = { 'social-engineering': 'block', 'unwanted-software': 'warn' } as const;
  const client = await open({ action: { ...action, malware: 'note' } });
  expect((await client.verify(EVIL)).action).toBe('block');
  expect((await client.verify('https://page.example/a/b')).action).toBe('warn');
  const milder = await open({ action: { 'social-engineering': 'warn' } });
  expect(await milder.verify(EVIL)).not.toHaveProperty('action');
});

test("a second threat without an action never weakens another's 'block'", async () => {
  const { open } = served();
  const client = await open({ action: { 'social-engineering': 'block' } });
  expect(await client.verify(EVIL)).toMatchObject({
    threats: ['social-engineering', 'malware'],
    action: 'block',
  });
});

test('a proxy of your own adds the key, wherever it stands', async () => {
  const { google, open } = served();
  for (const endpoint of ['https://me.example/google', new URL('https://me.example/google/')]) {
    const client = await open({ apiKey: null, endpoint });
    await client.verify(EVIL);
    const { path, headers } = google.requests.at(-1) as FakeGoogle['requests'][0];
    expect(path).toBe('/google/v5/hashes:search');
    expect(headers.has('X-Goog-Api-Key')).toBe(false);
  }
});

test('a rule of public suffixes takes the place of the last five labels', async () => {
  const { google, open } = served();
  const url = 'https://a.b.c.d.e.evil.co.example/';
  const rule = {
    name: 'all',
    registrableDomain: (host: string) => host.split('.').slice(-3).join('.'),
  };
  google.push('se-4b', prefixesOf(['c.d.e.evil.co.example/']));
  google.push('mw-4b', []);
  expect((await open()).check(url)).toBe('safe');
  expect((await open({ rule })).check(url)).toBe('maybe');
});

test.each<[string, object, typeof TypeError | typeof RangeError]>([
  ['no key', { apiKey: undefined }, TypeError],
  ['a key with a line end', { apiKey: 'a\n' }, RangeError],
  ['an unknown mode', { mode: 'local' }, RangeError],
  ['no mode', { mode: undefined }, TypeError],
  ['a rule that looks up each parent', { rule: 'parents' }, TypeError],
  ['no storage', { storage: undefined }, TypeError],
  ['no whenSearchFails', { whenSearchFails: undefined }, TypeError],
  ['no list', { lists: [] }, RangeError],
  ['a list twice', { lists: ['se-4b', 'se-4b'] }, RangeError],
  ['a list without a width', { lists: ['se'] }, RangeError],
  ['a list of another width', { lists: ['se-5b'] }, RangeError],
  ['lists that are no array', { lists: 'se-4b' }, TypeError],
  ['an unknown threat', { action: { phishing: 'warn' } }, TypeError],
  ['an unknown action', { action: { malware: 'shout' } }, RangeError],
  ['a relative endpoint', { endpoint: 'v5' }, RangeError],
  ['fewer entries than the server takes', { maxEntries: 1023 }, RangeError],
  ['an unknown option', { key: 'x' }, TypeError],
])('%s is refused', async (_, more, Class) => {
  const { google, open } = served();
  const opening = open(more as never);
  await expect(opening).rejects.toBeInstanceOf(Class);
  await expect(opening).rejects.toMatchObject({ code: 'ERR_TAMIS_INVALID_OPTION' });
  expect(google.requests).toEqual([]);
});

test('has a class that only open makes, and figures', async () => {
  const { open } = served();
  const client = await open();
  const Class = SafeBrowsing as unknown as new () => unknown;
  expect(() => new Class()).toThrow(TypeError);
  expect(client.toJSON()).toMatchObject({ type: 'safe-browsing', mode: 'local-lists', count: 4 });
  expect(() => client.check(7 as never)).toThrow(TypeError);
  expect(() => client.checkMany([GOOD, 7 as never])).toThrow(expect.objectContaining({ index: 1 }));
  expect(client.checkMany([GOOD, EVIL])).toEqual(['safe', 'maybe']);
  (client as unknown as Disposable)[Symbol.dispose]();
  expect(() => client.check(GOOD)).toThrow(expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' }));
});
