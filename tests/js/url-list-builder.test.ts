/** From hosts, URLs and expressions to a list: look-ups find each entry, and the gate names faults. */
import { createHash } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';
import type { TamisError } from 'tamis';
import { expressions, hashExpression, UrlListBuilder } from 'tamis/url';
import { budget } from './support/budget.js';
import { expectCode, expectOption } from './support/errors.js';
import { toHex } from './support/url-vectors.js';

const builder = (options = {}): UrlListBuilder => new UrlListBuilder(options);
const hostsOf = (count: number, tag: string): string[] =>
  Array.from({ length: count }, (_, i) => `${tag}${i}.example`);

describe('UrlListBuilder', () => {
  test('lists each once, in no order', () => {
    const hosts = hostsOf(300, 'h');
    const one = builder().addHosts(hosts);
    const other = builder()
      .addHosts([...hosts].reverse())
      .addHosts(hosts)
      .addUrls(hosts.map((host) => `https://${host}:81`))
      .addExpressions(hosts.map((host) => `${host}/`));
    expect(other.count).toBe(300);
    expect(other.build().toBytes()).toEqual(one.build().toBytes());
    expect(other.fullHashes).toEqual(one.fullHashes);
    const hashes = hosts.map((host) => toHex(hashExpression(`${host}/`))).sort();
    expect(toHex(one.fullHashes)).toBe(hashes.join(''));
  });

  test('two hashes that begin alike are one entry', () => {
    // Found by search: the SHA-256 of their expressions share the first 4 bytes.
    const seen = new Map<string, string>();
    let pair: [string, string] | undefined;
    for (let i = 0; pair === undefined; i++) {
      const host = `${i.toString(36)}.example`;
      const prefix = createHash('sha256').update(`${host}/`).digest('hex').slice(0, 8);
      const before = seen.get(prefix);
      if (before !== undefined) pair = [before, host];
      seen.set(prefix, host);
    }
    const made = builder().addHosts(pair);
    expect(made.fullHashes).toHaveLength(64);
    expect(made.build().count).toBe(1);
    expect(builder({ prefixBytes: 8 }).addHosts(pair).build().count).toBe(2);
  });

  test.each([
    '',
    ' ',
    '/',
    'a/b',
    'a.example/',
    'http://a.example',
    'a?b',
    'u@a.example',
    'a\\b',
    'a#b',
    '..',
    '0.0.0.0 a.example',
    'a.example\nb.example',
    'a.example\t# why',
  ])('addHosts refuses %j', (host) => {
    const made = builder();
    const error = expectCode(() => made.addHosts(['good.example', host]), 'INVALID_URL');
    expect(error.index).toBe(1);
    expect(made.count).toBe(1);
  });

  test.each([
    'a.example',
    'A.example/',
    'a.example/../',
    'a.example/?',
    'a.example:80/',
    'http://a.example/',
    '',
  ])('addExpressions refuses %j, which nothing would meet', (expression) => {
    expectCode(() => builder().addExpressions([expression]), 'INVALID_URL');
  });

  test('hosts and folders reach as far down as they say', () => {
    const list = builder()
      .addHosts(['b.c.d.e.example', 'a.b.c.d.f.example'])
      .addExpressions(['g.example/1/2/3/', 'local/'])
      .addUrls(['http://g.example/a/b/c/d/'])
      .build();
    const words = {
      'http://x.y.z.b.c.d.e.example/p': 'maybe',
      'http://a.b.c.d.f.example/p': 'maybe',
      'http://x.a.b.c.d.f.example/': 'maybe',
      'http://b.c.d.f.example/': 'safe',
      'http://local/p': 'maybe',
      'http://x.local/': 'safe',
      'http://g.example/1/2/3/4/5/6': 'maybe',
      'http://g.example/a/b/c/d/': 'maybe',
      'http://g.example/a/b/c/d/e': 'safe',
    };
    expect(list.checkMany(Object.keys(words))).toEqual(Object.values(words));
  });

  test('addUrls refuses what leads to no page', () => {
    expectCode(() => builder().addUrls(['mailto:a@b.example']), 'INVALID_URL');
    expectOption(() => builder().addUrls([7 as never]), TypeError);
    expect(() => builder().addUrls('http://a.example' as never)).toThrow(TypeError);
  });

  test.each<[unknown, typeof TypeError | typeof RangeError]>([
    [{ name: 'x' }, TypeError],
    [{ prefixBytes: 5 }, RangeError],
    [{ prefixBytes: '4' }, TypeError],
    [{ rule: 'labels7' }, TypeError],
    ['labels5', TypeError],
  ])('refuses the options %p', (options, kind) => {
    expectOption(() => new UrlListBuilder(options as never), kind);
  });
});

describe('the gate', () => {
  const previous = builder().addHosts(hostsOf(100, 'evil')).build();
  const refused = (made: UrlListBuilder, gate: object, more: object = { previous }) =>
    expectCode(() => made.build({ gate, ...more }), 'REFUSED') as TamisError & {
      offenders: readonly string[];
    };

  test('names the good sites that are listed', () => {
    const made = builder()
      .addHosts([...hostsOf(100, 'evil'), 'good.example', 'bank.example'])
      .addExpressions(['wide.example/a/']);
    const mustNotMatch = [
      'https://www.good.example/x',
      'wide.example',
      'http://wide.example/a/b',
      'fine.example',
    ];
    const error = refused(made, { mustNotMatch });
    expect([...error.offenders].sort()).toEqual(['good.example/', 'wide.example/a/']);
    expect(error.message).toMatch(/www\.good\.example/);
    made.build({ gate: { mustNotMatch: ['fine.example', 'http://wide.example/'] } }).dispose();
  });

  test('names the good site that is none', () => {
    const made = builder().addHosts(['evil.example']);
    for (const site of [7, null, undefined, {}]) {
      const gate = { mustNotMatch: ['good.example', site as never] };
      expect(expectOption(() => made.build({ gate }), TypeError).index).toBe(1);
    }
    const gate = { mustNotMatch: ['good.example', 'also.example', 'good.example:80'] };
    expect(expectCode(() => made.build({ gate }), 'INVALID_URL').index).toBe(2);
  });

  test('tells an entry from one that begins alike', () => {
    const made = builder().addHosts(hostsOf(2000, 'evil'));
    const mustNotMatch = hostsOf(budget(20_000, 5000), 'good');
    expect(made.build({ gate: { mustNotMatch } }).count).toBe(2000);
  });

  test('wants a least number of entries', () => {
    expect(refused(builder().addHosts(hostsOf(9, 'a')), { minEntries: 10 }).offenders).toEqual([]);
    builder()
      .addHosts(hostsOf(10, 'a'))
      .build({ gate: { minEntries: 10 } })
      .dispose();
  });

  test('bounds what goes and comes', () => {
    const of = (kept: number, added: number) =>
      builder().addHosts([...hostsOf(kept, 'evil'), ...hostsOf(added, 'new')]);
    const gate = { maxRemovedPct: 5, maxAddedPct: 20 };
    of(95, 20).build({ previous, gate }).dispose();
    expect(refused(of(94, 0), gate).message).toMatch(/entries were removed: 6 of 100/);
    expect(refused(of(100, 21), gate).message).toMatch(/entries were added: 21 of 100/);
    of(1, 500).build({ gate }).dispose();
  });

  test.each<[unknown, typeof TypeError | typeof RangeError]>([
    [{ gate: 7 }, TypeError],
    [{ gate: { minEntries: -1 } }, RangeError],
    [{ gate: { maxRemovedPct: Number.NaN } }, RangeError],
    [{ gate: { mustNotMatch: 'good.example' } }, TypeError],
    [{ gate: { maxChanged: 1 } }, TypeError],
    [{ previous: new Uint8Array(1) }, TypeError],
  ])('refuses the options %p', (options, kind) => {
    expectOption(() => builder().build(options as never), kind);
  });
});

test('expressions of a URL are those that a list looks for', () => {
  const url = 'http://a.b.example/x/y?z';
  for (const expression of expressions(url)) {
    expect(builder().addExpressions([expression]).build().check(url)).toBe('maybe');
  }
});
