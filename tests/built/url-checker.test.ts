/** UrlChecker: answers, updates and confirmations, and the URLs that are never safe. */
import { describe, expect, test } from '@jest/globals';
import { hashExpression, signManifest, UrlChecker } from 'tamis/url';

import { runModule } from '../js/support/child.js';
import { rejection } from '../js/support/errors.js';
import { leftBehind } from '../js/support/handles.js';
import {
  Clock,
  CONFIRM,
  closeAll,
  DAY,
  hex,
  listOf,
  MANIFEST_URL,
  newKeys,
  openFor,
  optionsFor,
  Publisher,
  START,
  someHosts,
  TestStorage,
} from '../js/support/url-publisher.js';
import { until } from '../js/support/waiting.js';

const filler = someHosts(300);
const EVIL = 'https://evil.example/login';
const GOOD = 'https://good.example/';
const NO_URLS = ['', 'javascript:alert(1)', 'data:text/html,x', 'mailto:a@b.example'];

const unavailable = { code: 'ERR_TAMIS_UNAVAILABLE' };

describe('check', () => {
  test('of a list that was fetched', async () => {
    const publisher = await Publisher.with(['evil.example', ...filler]);
    const checker = await openFor(publisher);
    expect(checker.check(EVIL)).toBe('maybe');
    expect(checker.check('HTTPS://user@WWW.EVIL.example:8443//a/..?q')).toBe('maybe');
    expect(checker.check(GOOD)).toBe('safe');
    for (const url of NO_URLS) expect(checker.check(url)).toBe('invalid');
    const all = [EVIL, GOOD, ...NO_URLS];
    expect(checker.checkMany(all)).toEqual(all.map((url) => checker.check(url)));
    expect(checker.checkMany(new Set([GOOD]))).toEqual(['safe']);
    expect(checker.status).toMatchObject({
      version: 'v1',
      count: 301,
      ageMs: DAY - 1000,
      stale: false,
      source: 'network',
      error: undefined,
      nextUpdateMs: undefined,
    });
    expect(checker.status.sizeBytes).toBeGreaterThan(0);
  });

  test('of what is no string', async () => {
    const checker = await openFor(await Publisher.with(['evil.example']));
    for (const url of [7, null, undefined, new URL(EVIL), ['x']]) {
      expect(() => checker.check(url as never)).toThrow(TypeError);
      expect(() => checker.checkMany([GOOD, url as never])).toThrow(TypeError);
      expect((await rejection(checker.verify(url as never))).code).toBe('ERR_TAMIS_INVALID_OPTION');
    }
  });

  test('of many that are none', async () => {
    const checker = await openFor(await Publisher.with(['evil.example']));
    for (const urls of [EVIL, 7, null, {}]) {
      expect(() => checker.checkMany(urls as never)).toThrow(TypeError);
    }
  });

  test('without a list nothing is safe', async () => {
    const publisher = new Publisher(await newKeys());
    const unknown = await openFor(publisher);
    expect(unknown.status).toMatchObject({ version: undefined, count: 0, source: 'none' });
    expect(unknown.status).toMatchObject({ stale: true, ageMs: undefined, error: unavailable });
    expect(unknown.checkMany([GOOD, EVIL, ''])).toEqual(['unknown', 'unknown', 'invalid']);
    expect(await unknown.verify(GOOD)).toEqual({ verdict: 'unknown', from: 'list' });
    const maybe = await openFor(publisher, { whenMissing: 'maybe' });
    expect(maybe.check(GOOD)).toBe('maybe');
    expect(maybe.check('')).toBe('invalid');
    expect(await maybe.verify(GOOD)).toEqual({ verdict: 'unknown', from: 'list' });
    const thrower = await openFor(publisher, { whenMissing: 'throw', allow: { has: () => true } });
    for (const ask of [() => thrower.check(GOOD), () => thrower.checkMany([GOOD])]) {
      expect(ask).toThrow(expect.objectContaining(unavailable));
    }
    await expect(thrower.verify(GOOD)).rejects.toMatchObject(unavailable);
    expect(publisher.drain()).not.toContain(CONFIRM);
  });

  test('past its time nothing is safe, and an update brings it back', async () => {
    const publisher = await Publisher.with(['evil.example', ...filler]);
    const clock = new Clock();
    const storage = new TestStorage();
    const allow = { has: () => true };
    const checker = await openFor(publisher, { now: clock.now, storage, allow });
    clock.ms = START + 7 * DAY - 1;
    expect(checker.check(GOOD)).toBe('safe');
    clock.ms++;
    expect(checker.checkMany([GOOD, EVIL])).toEqual(['unknown', 'unknown']);
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'unknown', from: 'list' });
    expect(checker.status).toMatchObject({ stale: true, version: 'v1' });
    // The server has nothing newer: a 304 renews nothing.
    expect((await rejection(checker.update())).code).toBe('ERR_TAMIS_EXPIRED');
    const next = await openFor(publisher, { now: clock.now, storage });
    expect(next.status).toMatchObject({ stale: true, source: 'storage', version: 'v1' });
    expect(next.check(GOOD)).toBe('unknown');
    const notAfter = new Date(START + 20 * DAY).toISOString();
    await publisher.publish(['evil.example', ...filler], { notAfter });
    publisher.drain();
    expect(await checker.update()).toMatchObject({ changed: true, receivedBytes: 0, by: 'none' });
    expect(publisher.drain()).toEqual(['manifest.json']);
    expect(checker.check(GOOD)).toBe('safe');
  });

  test('a clock that is broken makes nothing safe', async () => {
    const clock = new Clock();
    const checker = await openFor(await Publisher.with(['evil.example']), { now: clock.now });
    clock.ms = Number.NaN;
    expect(checker.check(GOOD)).toBe('unknown');
    // A list could contain these, but not the others.
    const texts = [
      'ev\u180eil.example',
      'http://xn--a.example\\@b',
      'ws:x',
      'foo://x',
      '',
      'http://',
    ];
    const words = ['unknown', 'unknown', 'unknown', 'invalid', 'invalid', 'invalid'];
    expect(checker.checkMany(texts)).toEqual(words);
    expect(texts.map((text) => checker.check(text))).toEqual(words);
  });

  test('of what hits, the expressions that do', async () => {
    const publisher = await Publisher.with(['evil.example', ...filler]);
    const clock = new Clock();
    const allow = { has: (host: string) => host === 'mine.evil.example' };
    const checker = await openFor(publisher, { now: clock.now, allow, whenMissing: 'maybe' });
    const [hit, ...more] = checker.hits('HTTPS://a.evil.example/login?next=/');
    expect(hit?.expression).toBe('evil.example/');
    expect(hit?.hash).toEqual(hashExpression('evil.example/'));
    expect(more).toEqual([]);
    for (const url of [GOOD, ...NO_URLS, 'http://mine.evil.example/']) {
      expect(checker.hits(url)).toEqual([]);
    }
    expect(() => checker.hits(7 as never)).toThrow(TypeError);
    clock.ms = START + 7 * DAY;
    expect(checker.check(EVIL)).toBe('maybe');
    expect(checker.hits(EVIL)).toEqual([]);
    checker.close();
    expect(() => checker.hits(EVIL)).toThrow(
      expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' }),
    );
  });
});

describe('options', () => {
  const wrong: [string, unknown][] = [
    ...['name', 'publicKeys', 'storage', 'confirm', 'whenMissing', 'whenUnconfirmed'].map(
      (name): [string, unknown] => [name, undefined],
    ),
    ['publicKeys', []],
    ['publicKeys', ['zz']],
    ['storage', 'disk'],
    ['storage', { get: () => undefined }],
    ['confirm', ''],
    ['whenMissing', 'safe'],
    ['whenUnconfirmed', 'safe'],
    ['rule', 'labels4'],
    ['rule', { name: 'psl' }],
    ['name', 7],
    ['allow', () => true],
    ['decoys', 30],
    ['updateEveryMs', -1],
    ['downloadTimeoutMs', 0],
    ['confirmTimeoutMs', '1'],
    ['maxBytes', 0.5],
    ['fetch', 'fetch'],
    ['now', 0],
    ['random', {}],
    ['unknown', 1],
  ];
  test.each(wrong)('%s: %p', async (name, value) => {
    const publisher = await Publisher.with(['evil.example']);
    const options = { ...optionsFor(publisher), [name]: value };
    const error = await rejection(UrlChecker.open(MANIFEST_URL, options as never));
    expect(error.code).toBe('ERR_TAMIS_INVALID_OPTION');
    expect(error.message).toContain(name);
    expect(publisher.asked).toEqual([]);
  });
});

describe('life', () => {
  test('using closes it at the end of the block', async () => {
    const opened = await openFor(await Publisher.with(['evil.example']));
    {
      using checker = opened;
      expect(checker.check(EVIL)).toBe('maybe');
    }
    expect(() => opened.check(EVIL)).toThrow(
      expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' }),
    );
  });

  test('a closed checker answers nothing', async () => {
    const publisher = await Publisher.with(['evil.example']);
    const checker = await openFor(publisher);
    checker.close();
    checker.close();
    const disposed = expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' });
    for (const use of [
      () => checker.check(GOOD),
      () => checker.checkMany([]),
      () => checker.status,
      () => checker.onUpdate(() => {}),
    ]) {
      expect(use).toThrow(disposed);
    }
    await expect(checker.verify(GOOD)).rejects.toEqual(disposed);
    await expect(checker.update()).rejects.toEqual(disposed);
  });

  test('closing ends what is on its way', async () => {
    const publisher = await Publisher.with(['evil.example', ...filler]);
    const checker = await openFor(publisher);
    await publisher.publish(filler);
    for (const path of ['snap', 'delta', CONFIRM]) {
      publisher.instead.set(path, () => new Promise(() => {}));
    }
    publisher.drain();
    const update = checker.update();
    const verification = checker.verify(EVIL);
    // The manifest, the delta and the question.
    await until(() => publisher.asked.length === 3);
    checker.close();
    await expect(update).rejects.toMatchObject({ code: 'ERR_TAMIS_DISPOSED' });
    await expect(verification).rejects.toMatchObject({ code: 'ERR_TAMIS_DISPOSED' });
  });

  test('listeners hear of switches, until they do not want to', async () => {
    const publisher = await Publisher.with(['evil.example', ...filler]);
    const checker = await openFor(publisher);
    const heard: unknown[] = [];
    const stop = checker.onUpdate((result) => heard.push([result.from, result.to]));
    await checker.update();
    await publisher.publish(filler);
    await checker.update();
    stop();
    await publisher.publish(['evil.example']);
    await checker.update();
    expect(heard).toEqual([['v1', 'v2']]);
    expect(() => checker.onUpdate(7 as never)).toThrow(TypeError);
  });

  test('holds no process, and lets no rejection go, whatever comes late', async () => {
    const source = `
      import { createConfirmHandler, UrlChecker } from 'tamis/url';
      const late = (ms) => () => new Promise((_, reject) => setTimeout(reject, ms, new Error('late')));
      const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
      const manifestUrl = 'https://lists.example/manifest.json';
      const options = {
        name: 'phish',
        publicKeys: [keys.publicKey],
        storage: { get: late(60), set: late(60) },
        confirm: null,
        whenMissing: 'maybe',
        whenUnconfirmed: 'throw',
        downloadTimeoutMs: 20,
      };
      const open = [];
      for (const fetch of [late(40), late(1), () => new Promise(() => {}), () => { throw 7; }]) {
        open.push(await UrlChecker.open(manifestUrl, { ...options, fetch }));
      }
      const updates = open.map((checker) => checker.update());
      open[0].close();
      open[2].close();
      for (const { reason } of await Promise.allSettled(updates)) console.log(reason.code);
    `;
    const out = await runModule(source);
    const codes = ['DISPOSED', 'UNAVAILABLE', 'DISPOSED', 'UNAVAILABLE'];
    expect(out.trim().split('\n')).toEqual(codes.map((code) => `ERR_TAMIS_${code}`));
  });

  test('a guard that is open does not keep the program alive', async () => {
    const source = `
      import { memoryStorage, UrlGuard } from 'tamis/url';
      const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
      const phish = {
        manifest: 'https://lists.example/manifest.json',
        name: 'phish',
        publicKeys: [keys.publicKey],
        action: 'block',
        confirm: null,
      };
      await UrlGuard.open({
        lists: { phish },
        storage: memoryStorage(),
        fetch: async () => new Response(null, { status: 404 }),
        whenMissing: 'unknown',
        whenUnconfirmed: 'unknown',
      });
      console.log('open');
    `;
    expect(await runModule(source)).toBe('open\n');
  });

  test('updates come by themselves, and later after failures', async () => {
    const publisher = await Publisher.with(['evil.example', ...filler]);
    const clock = new Clock();
    const checker = await openFor(publisher, { now: clock.now, updateEveryMs: 10 });
    const updated = new Promise((resolve) => checker.onUpdate(resolve));
    await publisher.publish(filler);
    expect(await updated).toMatchObject({ from: 'v1', to: 'v2' });
    checker.close();
    const minutes = (more: number) => more * 60_000;
    const slow = await openFor(publisher, { now: clock.now, updateEveryMs: 100_000 });
    expect(slow.status.nextUpdateMs).toBe(clock.ms + 105_000);
    publisher.instead.set('manifest.json', () => new Response(null, { status: 500 }));
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      await expect(slow.update()).rejects.toMatchObject(unavailable);
      waits.push((slow.status.nextUpdateMs as number) - clock.ms);
    }
    // random() is 0.5: 1.5 times 15 minutes, doubled, a day at most.
    expect(waits.slice(0, 4)).toEqual([22.5, 45, 90, 180].map(minutes));
    expect(waits.slice(-2)).toEqual([DAY, DAY]);
    publisher.instead.clear();
    await slow.update();
    expect(slow.status).toMatchObject({ nextUpdateMs: clock.ms + 105_000, error: undefined });
  });
});

test('a rule by public suffixes is the same at both ends', async () => {
  const rule = {
    name: 'psl@2026-11',
    registrableDomain: (host: string) => /[^.]+\.example$/.exec(host)?.[0] ?? null,
  };
  const publisher = await Publisher.with(filler);
  const list = listOf(['evil.example'], rule);
  const snapshot = publisher.put('snap', list.toBytes());
  const fields = { n: 1, rule: rule.name, sha256: hex(list.identity), snapshot, deltas: [] };
  await publisher.publish(filler, fields);
  const storage = new TestStorage();
  for (const source of ['network', 'storage']) {
    const checker = await openFor(publisher, { storage, rule });
    expect(checker.status.source).toBe(source);
    expect(checker.checkMany([`https://a.b.evil.example`, GOOD])).toEqual(['maybe', 'safe']);
  }
  const other = await openFor(publisher, { storage, rule: { ...rule, name: 'psl@2026-10' } });
  expect(other.status).toMatchObject({ source: 'none', error: { code: 'ERR_TAMIS_INCOMPATIBLE' } });
});

test('no list is left behind', async () => {
  const act = async () => {
    const publisher = await Publisher.with(['evil.example', ...filler]);
    const storage = new TestStorage();
    const checker = await openFor(publisher, { storage });
    for (const hosts of [filler, ['evil.example', ...filler], ['x.example']]) {
      await publisher.publish(hosts);
      await checker.update();
    }
    // A chain whose last step fails, and a snapshot that fails.
    await publisher.publish(filler);
    publisher.instead.set('snap', () => new Response('no'));
    await publisher.publish(['y.example'], { n: 7 });
    await expect(checker.update()).rejects.toMatchObject({ code: 'ERR_TAMIS_TRUNCATED' });
    await openFor(publisher, { storage });
    closeAll();
    for (const { list } of publisher.versions) list.dispose();
  };
  expect(await leftBehind(act)).toBe(0);
});

test('keys change while clients hold both', async () => {
  const publisher = await Publisher.with(['evil.example']);
  const next = await newKeys();
  const publicKeys = [publisher.keys.publicKey, next.publicKey];
  const checker = await openFor(publisher, { publicKeys });
  publisher.serve(await signManifest(publisher.fields(filler), next));
  expect(await checker.update()).toMatchObject({ from: 'v1', to: 'v2' });
  const old = await openFor(publisher);
  expect(old.status).toMatchObject({ source: 'none', error: { code: 'ERR_TAMIS_BAD_SIGNATURE' } });
});

describe('the URL of the manifest', () => {
  test('may be a URL object', async () => {
    const publisher = await Publisher.with(['evil.example']);
    const checker = await openFor(publisher, {}, new URL(MANIFEST_URL));
    expect(checker.check(EVIL)).toBe('maybe');
  });

  test.each<[unknown, RegExp]>([
    ['manifest.json', /^UrlChecker\.open: manifestUrl must be an absolute URL, got a string/],
    [{ manifest: MANIFEST_URL, name: 'phish' }, /got Object$/],
    [
      undefined,
      /must be called as UrlChecker\.open\(manifestUrl, \{ name, publicKeys, \.\.\. \}\), got undefined/,
    ],
    [7, /^UrlChecker\.open must be called as .*, got 7$/],
  ])('is the first argument: %p is refused', async (first, message) => {
    const publisher = await Publisher.with(['evil.example']);
    const error = await rejection(UrlChecker.open(first as string, optionsFor(publisher)));
    expect(error).toMatchObject({
      code: 'ERR_TAMIS_INVALID_OPTION',
      message: expect.stringMatching(message),
    });
    expect(publisher.asked).toEqual([]);
  });
});
