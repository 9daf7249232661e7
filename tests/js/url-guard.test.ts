/** UrlGuard: several lists as one answer, missing lists, and requests. */
import { describe, expect, test } from '@jest/globals';
import { memoryStorage, signManifest, UrlGuard, type UrlGuardOptions } from 'tamis/url';

import { common, keys, network, openGuard } from './support/url-guard.js';
import { Clock, DAY, START, TestStorage } from './support/url-publisher.js';
import { until } from './support/waiting.js';

const EVIL = 'https://login.evil.example/x?y';
const GOOD = 'https://good.example/';
const none: readonly string[] = [];

/** Lists with prefixes of 8 bytes, each with these entries. */
async function published(...entries: (readonly string[])[]) {
  const { hosts, fetch } = network(entries.length);
  for (const [i, some] of entries.entries()) await hosts[i]?.publish(some, { prefixBytes: 8 });
  return { hosts, fetch };
}

type Hosts = Awaited<ReturnType<typeof published>>['hosts'];
const host = (hosts: Hosts, i: number) => hosts[i] as Hosts[number];

describe('check', () => {
  test('names the lists that hit, and those that are missing', async () => {
    const { hosts, fetch } = await published(
      ['evil.example/'],
      ['evil.example/', 'bad.example/'],
      [],
    );
    host(hosts, 2).instead.manifest = () => new Response(null, { status: 503 });
    const guard = await openGuard({
      ...common(fetch),
      lists: {
        one: host(hosts, 0).as('block'),
        two: host(hosts, 1).as('warn'),
        three: host(hosts, 2).as('note', { isOptional: true }),
      },
    });
    expect(guard.check(EVIL)).toEqual({
      answer: 'maybe',
      lists: ['one', 'two'],
      missing: ['three'],
    });
    expect(guard.check('http://bad.example/')).toMatchObject({ answer: 'maybe', lists: ['two'] });
    expect(guard.check(GOOD)).toEqual({ answer: 'safe', lists: none, missing: ['three'] });
    expect(guard.check('mailto:a@evil.example').answer).toBe('invalid');
    const urls = [EVIL, GOOD, 'http://bad.example/'];
    expect(guard.checkMany(urls)).toEqual(urls.map((url) => guard.check(url)));
  });

  test.each(['unknown', 'throw', 'maybe'] as const)(
    'a missing list that is needed makes nothing safe, with whenMissing %s',
    async (whenMissing) => {
      const { hosts, fetch } = await published(['evil.example/'], []);
      host(hosts, 1).instead.manifest = () => new Response(null, { status: 503 });
      const lists = { one: host(hosts, 0).as('block'), two: host(hosts, 1).as('note') };
      const guard = await openGuard({ ...common(fetch, { whenMissing }), lists });
      expect(guard.check(EVIL)).toEqual({ answer: 'maybe', lists: ['one'], missing: ['two'] });
      expect(await guard.verify(EVIL)).toEqual({
        verdict: 'unsafe',
        action: 'block',
        name: 'one',
        also: [],
        expression: 'evil.example/',
        from: 'list',
        missing: ['two'],
      });
      const unavailable = { code: 'ERR_TAMIS_UNAVAILABLE', cause: expect.anything() };
      if (whenMissing === 'throw') {
        expect(() => guard.check(GOOD)).toThrow(expect.objectContaining(unavailable));
        await expect(guard.verify(GOOD)).rejects.toMatchObject(unavailable);
      } else {
        expect(guard.check(GOOD)).toEqual({ answer: whenMissing, lists: none, missing: ['two'] });
        expect(await guard.verify(GOOD)).toMatchObject({ verdict: 'unknown', action: 'none' });
        expect((await guard.verify('mailto:a@evil.example')).verdict).toBe('invalid');
      }
    },
  );

  test('nothing is safe where all lists are optional and none is in hand', async () => {
    const { hosts, fetch } = await published([], []);
    const lists = Object.fromEntries(
      hosts.map((one) => [one.name, one.as('block', { isOptional: true })]),
    );
    for (const one of hosts) one.instead.manifest = () => new Response(null, { status: 503 });
    const guard = await openGuard({ ...common(fetch), lists });
    expect(guard.check(GOOD)).toEqual({ answer: 'unknown', lists: none, missing: ['l0', 'l1'] });
    host(hosts, 0).instead = {};
    const results = await guard.update();
    expect(results.l0).toMatchObject({ changed: true });
    expect(results.l1).toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
    expect(guard.check(GOOD).answer).toBe('safe');
  });

  test('a list past its time is missing, and its status says so', async () => {
    const clock = new Clock();
    const { hosts, fetch } = await published(['evil.example/'], ['evil.example/']);
    const guard = await openGuard({
      ...common(fetch, { now: clock.now }),
      lists: { one: host(hosts, 0).as('block'), two: host(hosts, 1).as('block') },
    });
    await host(hosts, 1).publish(['evil.example/'], {
      prefixBytes: 8,
      now: () => START + 3 * DAY,
    });
    await guard.update();
    expect(guard.check(EVIL)).toEqual({ answer: 'maybe', lists: ['one', 'two'], missing: [] });
    expect(guard.check(GOOD).answer).toBe('safe');
    // A clock that is set back brings a list back, as in UrlChecker.
    for (const ms of [7 * DAY, 7 * DAY - 1, 8 * DAY]) {
      clock.ms = START + ms;
      const missing = ms < 7 * DAY ? [] : ['one'];
      expect([ms, guard.check(GOOD).missing]).toEqual([ms, missing]);
    }
    expect(guard.check(EVIL)).toEqual({ answer: 'maybe', lists: ['two'], missing: ['one'] });
    expect(guard.check(GOOD).answer).toBe('unknown');
    expect(guard.status).toMatchObject({ one: { stale: true }, two: { stale: false } });
  });

  test('a list that is rolled back stays the newer one, and says so', async () => {
    const { hosts, fetch } = await published(['evil.example/'], []);
    const old = host(hosts, 0).storage.files.get('manifest.json') as Uint8Array;
    await host(hosts, 0).publish(['evil.example/', 'bad.example/'], { prefixBytes: 8 });
    const lists = { one: host(hosts, 0).as('block'), two: host(hosts, 1).as('warn') };
    const guard = await openGuard({ ...common(fetch), lists });
    host(hosts, 0).storage.files.set('manifest.json', old);
    const { one, two } = await guard.update();
    expect(one).toMatchObject({ code: 'ERR_TAMIS_ROLLBACK' });
    expect(two).toMatchObject({ changed: false });
    expect(guard.check('http://bad.example/').lists).toEqual(['one']);
    expect(guard.status.one?.error?.code).toBe('ERR_TAMIS_ROLLBACK');
    expect(guard.status.two?.error).toBeUndefined();
  });

  test('refuses what is no text, and names its place in a batch', async () => {
    const { hosts, fetch } = await published(['evil.example/']);
    const guard = await openGuard({ ...common(fetch), lists: { one: host(hosts, 0).as('block') } });
    expect(() => guard.check(5 as never)).toThrow(TypeError);
    expect(() => guard.checkMany([GOOD, 5 as never])).toThrow(
      expect.objectContaining({ index: 1 }),
    );
    for (const none of [5, GOOD]) {
      expect(() => guard.checkMany(none as never)).toThrow(/^URLs must be/);
    }
    await expect(guard.verify(5 as never)).rejects.toThrow(TypeError);
  });
});

test('checkHost takes hosts as DNS and mail have them, and no pages of them', async () => {
  const { hosts, fetch } = await published([
    'evil.example/',
    'page.example/x',
    '127.0.0.1/',
    '[::1]/',
  ]);
  const guard = await openGuard({ ...common(fetch), lists: { one: host(hosts, 0).as('block') } });
  const answers: Record<string, string[]> = {
    maybe: ['evil.example', 'EVIL.example.', '_dmarc.a.evil.example', '127.0.0.1', '::1', '[::1]'],
    safe: [
      'good.example',
      'page.example',
      'xn--bcher-kva.example',
      'b\u00fccher.example',
      'a',
      '2001:db8::1',
    ],
    invalid: [
      ...['', '.', 'a..b', 'evil.example:80', 'evil.example/', 'eve@evil.example', 'http://a/'],
      ...[
        'evil example',
        `${'a'.repeat(64)}.example`,
        `${'abc.'.repeat(64)}example`,
        '[::1'.repeat(2),
      ],
      ...['evil.example#', 'a:b:c:d', '[', '256.1.1.1'],
    ],
  };
  for (const [answer, names] of Object.entries(answers)) {
    for (const name of names) expect([name, guard.checkHost(name).answer]).toEqual([name, answer]);
  }
  expect(guard.checkHost('evil.example')).toEqual(guard.check('http://evil.example/'));
  expect(() => guard.checkHost(5 as never)).toThrow(TypeError);
});

describe('the options', () => {
  const list = (i: number) => network(i + 1).hosts[i]?.as('block');
  const lists = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, list(i)]));
  const open = (options: object) =>
    UrlGuard.open({ ...common(undefined), ...options } as UrlGuardOptions);

  test.each([
    ['no list', {}],
    ['33 lists', lists(33)],
    ['a name in upper case', { Phish: list(0) }],
    ['an empty name', { '': list(0) }],
    ['a name of 33 letters', { ['a'.repeat(33)]: list(0) }],
    ['a name with a dot', { 'a.b': list(0) }],
    ['a name with a comma', { 'a,b': list(0) }],
    ['an empty name among others', { a: list(0), '': list(1) }],
    ['two lists of one manifest', { a: list(0), b: list(0) }],
    ['another action', { a: { ...list(0), action: 'drop' } }],
  ])('RangeError for %s', async (_, lists) => {
    await expect(open({ lists })).rejects.toThrow(RangeError);
  });

  test.each([
    ['no lists', {}],
    ['lists that are none', { lists: [list(0)] }],
    ['no action', { lists: { a: { ...list(0), action: undefined } } }],
    ["no publisher's name", { lists: { a: { ...list(0), name: undefined } } }],
    ['no confirm', { lists: { a: { ...list(0), confirm: undefined } } }],
    ['no storage', { lists: lists(1), storage: undefined }],
    ['no whenMissing', { lists: lists(1), whenMissing: undefined }],
    ['an unknown option', { lists: lists(1), none: 1 }],
    ['an unknown option of a list', { lists: { a: { ...list(0), none: 1 } } }],
    ['no list at all', { lists: { a: undefined } }],
  ])('TypeError for %s', async (_, options) => {
    await expect(open(options)).rejects.toThrow(TypeError);
  });

  test('an error names the list', async () => {
    const given = { lists: { phish: { ...list(0), action: undefined } } };
    await expect(open(given)).rejects.toThrow('UrlGuard.open: lists.phish');
    await expect(open({ lists: { Phish: list(0) } })).rejects.toThrow('got Phish');
    const twice = open({ lists: { a: list(0), b: list(0) } });
    await expect(twice).rejects.toThrow('lists.b must have another manifest than lists.a');
  });

  test('32 lists are asked, each in its place', async () => {
    const { hosts, fetch } = await published(
      ...Array.from({ length: 32 }, (_, i) => [`h${i}.example/`, 'all.example/']),
    );
    const all = Object.fromEntries(hosts.map((one) => [one.name, one.as('note')]));
    const guard = await openGuard({ ...common(fetch), lists: all });
    for (let i = 0; i < 32; i++) {
      expect(guard.check(`http://h${i}.example/`).lists).toEqual([`l${i}`]);
    }
    expect(guard.check('http://all.example/').lists).toEqual(Object.keys(all));
    expect(guard.check(GOOD).answer).toBe('safe');
  });

  test('one storage serves all lists, and opens them without a network', async () => {
    const { hosts, fetch } = await published(['evil.example/'], ['evil.example/']);
    const storage = memoryStorage();
    const lists = { one: host(hosts, 0).as('block'), two: host(hosts, 1).as('warn') };
    (await openGuard({ ...common(fetch, { storage }), lists })).close();
    const dead = async () => {
      throw new TypeError('no network');
    };
    const guard = await openGuard({ ...common(dead, { storage }), lists });
    expect(guard.check(EVIL).lists).toEqual(['one', 'two']);
    expect(guard.status.two?.source).toBe('storage');
  });
});

describe('the status', () => {
  test('says of a list without a confirm server that 4 bytes are too few', async () => {
    const { hosts, fetch } = network(2);
    await host(hosts, 0).publish(['evil.example/'], { prefixBytes: 4 });
    await host(hosts, 1).publish(['evil.example/'], { prefixBytes: 8 });
    const lists = { one: host(hosts, 0).as('block'), two: host(hosts, 1).as('note') };
    const guard = await openGuard({ ...common(fetch), lists });
    expect(guard.status.one?.error?.code).toBe('ERR_TAMIS_INCOMPATIBLE');
    expect(guard.status.two?.error).toBeUndefined();
    expect(await guard.verify(EVIL)).toMatchObject({
      verdict: 'unsafe',
      action: 'note',
      name: 'two',
      missing: ['one'],
    });
  });

  test('has what the publisher says to users, in its right form alone', async () => {
    const { hosts, fetch } = network(3);
    const shown = {
      label: 'Phishing',
      severity: 7.5,
      report: 'https://report.example/wrong?url={url}',
    };
    await host(hosts, 0).publish(['evil.example/'], { prefixBytes: 8, ...shown });
    await host(hosts, 1).publish([], { prefixBytes: 8 });
    // Signed by a publisher that does not know the form.
    const wrong = [
      { label: '', severity: 11, report: 'http://report.example/{url}' },
      { label: 'a'.repeat(65), severity: '5', report: 'https://{url}/' },
      { label: 'b\u00e4d', severity: -1, report: 'https://report.example/' },
      { label: 5, severity: null, report: `https://report.example/{url}${'a'.repeat(2048)}` },
      { label: 'x\n', severity: {}, report: 'https://{url}@report.example/x' },
      { label: [], severity: true, report: 'javascript:alert("{url}")' },
    ];
    const lists = Object.fromEntries(
      hosts.map((one) => [one.name, one.as('note', { isOptional: true })]),
    );
    const guard = await openGuard({ ...common(fetch), lists });
    expect(guard.status.l0).toMatchObject(shown);
    for (const said of wrong) {
      const { storage } = host(hosts, 1);
      const {
        sig: _,
        keyId: __,
        ...fields
      } = JSON.parse(new TextDecoder().decode(storage.files.get('manifest.json')));
      const manifest = await signManifest({ ...fields, seq: fields.seq + 1, ...said }, keys);
      storage.files.set('manifest.json', new TextEncoder().encode(JSON.stringify(manifest)));
      expect((await guard.update()).l1).toMatchObject({ changed: true });
      for (const name of Object.keys(shown)) expect(guard.status.l1).not.toHaveProperty(name);
    }
    for (const name of ['label', 'severity', 'report'] as const) {
      for (const said of wrong) {
        const publishing = host(hosts, 2).publish([], { [name]: said[name] });
        await expect(publishing).rejects.toMatchObject({ code: 'ERR_TAMIS_INVALID_OPTION' });
      }
    }
  });

  test('updates are told with the name of the list', async () => {
    const { hosts, fetch } = await published(['evil.example/'], []);
    const lists = { one: host(hosts, 0).as('block'), two: host(hosts, 1).as('warn') };
    const guard = await openGuard({ ...common(fetch), lists });
    const told: string[] = [];
    const end = guard.onUpdate((list, { to }) => told.push(`${list} ${to.length > 0}`));
    await host(hosts, 1).publish(['bad.example/'], { prefixBytes: 8 });
    await guard.update();
    await until(() => told.length > 0);
    expect(told).toEqual(['two true']);
    end();
    expect(() => guard.onUpdate(5 as never)).toThrow(TypeError);
    expect(JSON.parse(JSON.stringify(guard))).toMatchObject({
      type: 'url-guard',
      lists: { one: {} },
    });
  });
});

test('once closed all is DISPOSED, and closing twice is fine', async () => {
  const { hosts, fetch } = await published(['evil.example/']);
  const guard = await openGuard({ ...common(fetch), lists: { one: host(hosts, 0).as('block') } });
  const { overrides } = guard;
  const updating = guard.update();
  guard.close();
  guard.close();
  const disposed = expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' });
  await expect(updating).rejects.toEqual(disposed);
  expect(() => guard.check(GOOD)).toThrow(disposed);
  expect(() => guard.checkHost('good.example')).toThrow(disposed);
  expect(() => guard.checkMany([GOOD])).toThrow(disposed);
  expect(() => guard.status).toThrow(disposed);
  expect(() => guard.onUpdate(() => {})).toThrow(disposed);
  expect(() => overrides.list()).toThrow(disposed);
  expect(() => overrides.onChange(() => {})).toThrow(disposed);
  await expect(guard.verify(GOOD)).rejects.toEqual(disposed);
  await expect(guard.update()).rejects.toEqual(disposed);
  await expect(overrides.clear()).rejects.toEqual(disposed);
});

test.each(['fails', 'lies'] as const)(
  'a storage that %s costs downloads, and no answer',
  async (how) => {
    const { hosts, fetch } = await published(['evil.example/'], []);
    const storage = new TestStorage();
    if (how === 'fails') {
      storage.before = () => {
        throw new Error('broken');
      };
    } else {
      storage.get = async () => Uint8Array.of(123, 34, 0, 255);
    }
    const lists = { one: host(hosts, 0).as('block'), two: host(hosts, 1).as('warn') };
    const guard = await openGuard({ ...common(fetch, { storage }), lists });
    expect(guard.check(EVIL).lists).toEqual(['one']);
    expect(guard.check(GOOD).answer).toBe('safe');
    const code = how === 'fails' ? 'ERR_TAMIS_UNAVAILABLE' : 'ERR_TAMIS_CORRUPT';
    expect(guard.overrides.error?.code).toBe(code);
  },
);
