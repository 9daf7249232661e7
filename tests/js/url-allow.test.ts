/** UrlChecker's good hosts: an allowed host is never flagged, and a listed host never counts as allowed. */
import { expect, test } from '@jest/globals';
import { BloomFilter, ExactFilter } from 'tamis';
import { type HostSet, UrlListBuilder } from 'tamis/url';

import { rejection } from './support/errors.js';
import { openFor, Publisher } from './support/url-publisher.js';

const EVIL = 'https://evil.example/login';
const GOOD = 'https://good.example/';

test('a named good host is not flagged, and no other is', async () => {
  const publisher = await Publisher.with(['shared.example', 'evil.example']);
  const asked: string[] = [];
  const allow = {
    has(host: string) {
      asked.push(host);
      return host === 'mine.shared.example';
    },
  };
  const checker = await openFor(publisher, { allow });
  const urls = ['https://MINE.shared.example/x', 'https://shared.example', EVIL, GOOD];
  expect(checker.checkMany(urls)).toEqual(['safe', 'maybe', 'maybe', 'safe']);
  expect(urls.map((url) => checker.check(url))).toEqual(['safe', 'maybe', 'maybe', 'safe']);
  expect(new Set(asked)).toEqual(
    new Set(['mine.shared.example', 'shared.example', 'evil.example']),
  );
  const broken = {
    has() {
      throw new Error('disposed');
    },
  };
  const other = await openFor(publisher, { allow: broken });
  expect(() => other.check(EVIL)).toThrow('disposed');
});

test('a good host makes nothing safe that no browser surely opens there', async () => {
  const publisher = await Publisher.with(['evil.example']);
  const checker = await openFor(publisher, { allow: { has: () => true } });
  const refused = ['http://xn--a.evil.example\\@good.example/'];
  // Since Unicode 16, hosts drop U+180E. Earlier versions refuse it.
  if (!URL.canParse('http://ev\u180eil.example')) refused.push('ev\u180eil.example');
  const expected = ['safe', ...refused.map(() => 'maybe')];
  expect(checker.checkMany([EVIL, ...refused])).toEqual(expected);
  expect([EVIL, ...refused].map((url) => checker.check(url))).toEqual(expected);
  for (const url of refused) expect(checker.hits(url)).toHaveLength(1);
});

test('an exact filter stands before the answer', async () => {
  const listed = ['shared.example', 'evil.example'];
  const good = ['mine.shared.example', 'good.example'];
  const allow = ExactFilter.from({ include: good, exclude: listed }, { fpr: 2 ** -32 });
  const checker = await openFor(await Publisher.with(listed), { allow });
  expect(checker.check('https://mine.shared.example/~me?x')).toBe('safe');
  for (const host of listed) expect(checker.check(`https://${host}/`)).toBe('maybe');
  expect(await checker.verify('https://mine.shared.example/')).toEqual({
    verdict: 'safe',
    from: 'list',
  });
});

test('a filter that many others pass is refused: a listed host has subdomains without number', async () => {
  const publisher = await Publisher.with(['evil.example']);
  const lists = { include: ['mine.evil.example'], exclude: ['evil.example'] };
  const subdomains = Array.from({ length: 1000 }, (_, i) => `www${i}.evil.example`);
  const smallest = ExactFilter.from(lists);
  expect(subdomains.some((host) => smallest.has(host))).toBe(true);
  for (const allow of [smallest, new BloomFilter({ capacity: 10 })]) {
    const error = await rejection(openFor(publisher, { allow }));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain('fpr');
  }
  const allow = ExactFilter.from(lists, { fpr: 2 ** -32 });
  const checker = await openFor(publisher, { allow });
  const urls = subdomains.map((host) => `https://${host}/`);
  expect(checker.checkMany(urls)).toEqual(urls.map(() => 'maybe'));
  expect(checker.check('https://mine.evil.example/')).toBe('safe');
});

test('a second list stands before the answer', async () => {
  const publisher = await Publisher.with([
    'shared.example',
    '1.2.3.4',
    '[2001:db8::1]',
    'evil.example',
  ]);
  const good = (prefixBytes: 4 | 8 | 16 | 32) =>
    new UrlListBuilder({ prefixBytes })
      .addHosts(['mine.shared.example', '1.2.3.4', '[2001:db8::1]'])
      .build();
  for (const prefixBytes of [16, 32] as const) {
    const checker = await openFor(publisher, { allow: good(prefixBytes) });
    const safe = [
      'https://mine.shared.example/~me?x',
      'http://www.mine.shared.example',
      'http://0x01020304:81/',
      'http://[::ffff:1.2.3.4]/',
      'http://[2001:DB8:0::1]/',
    ];
    expect(checker.checkMany(safe)).toEqual(safe.map(() => 'safe'));
    const bad = [
      'https://shared.example/mine.shared.example/',
      'http://mine.shared.example@evil.example',
      EVIL,
    ];
    expect(bad.map((url) => checker.check(url))).toEqual(bad.map(() => 'maybe'));
  }
  // An attacker can find a host that shares so short a prefix.
  for (const prefixBytes of [4, 8] as const) {
    const error = await rejection(openFor(publisher, { allow: good(prefixBytes) }));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain('prefixBytes');
  }
});

test('a set is asked for canonical hosts', async () => {
  const allow = new Set(['xn--bcher-kva.example', '127.0.0.1']);
  const checker = await openFor(
    await Publisher.with(['b\u00fccher.example', '127.0.0.1', 'x.example']),
    { allow },
  );
  expect(checker.check('HTTP://B\u00dcCHER.example./')).toBe('safe');
  expect(checker.check('http://0x7f.1/')).toBe('safe');
  expect(checker.check('http://x.example/')).toBe('maybe');
});

test.each([[Promise.resolve(false)], [1], ['no'], [undefined], [{}]])(
  'an answer that is not true: %p',
  async (answer) => {
    const allow = { has: () => answer } as unknown as HostSet;
    const checker = await openFor(await Publisher.with(['evil.example']), { allow });
    expect(checker.check(EVIL)).toBe('maybe');
    expect(checker.checkMany([EVIL, GOOD])).toEqual(['maybe', 'safe']);
  },
);
