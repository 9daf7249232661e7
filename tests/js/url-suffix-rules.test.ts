/** Rules by public suffixes from the packages that keep the list, tldts and psl, as users would pass them. */
import { createRequire } from 'node:module';

import { describe, expect, test } from '@jest/globals';
import { expressions, type PublicSuffixRule, UrlListBuilder } from 'tamis/url';
import { wholeRule } from './support/suffix-rules.js';

import { latin1, urlVectors } from './support/url-vectors.js';

const psl: { get(host: string): string | null } = createRequire(import.meta.url)('psl');

const rules: [string, PublicSuffixRule][] = [
  ['tldts', wholeRule],
  ['psl', { name: 'psl 1.15.0', registrableDomain: psl.get }],
];

describe.each(rules)('%s', (_, rule) => {
  const hosts = (url: string) => [
    ...new Set(expressions(url, { rule }).map((expression) => expression.split('/')[0])),
  ];

  test.each([
    // From the specification: the host itself, and up to four suffixes from the registrable domain on.
    ['a.b.c.d.e.f.g', ['f.g', 'e.f.g', 'd.e.f.g', 'c.d.e.f.g']],
    ['www.example.co.uk', ['example.co.uk']],
    [
      'a.b.c.d.e.example.co.uk',
      ['example.co.uk', 'e.example.co.uk', 'd.e.example.co.uk', 'c.d.e.example.co.uk'],
    ],
    ['example.co.uk', []],
    ['co.uk', []],
    ['localhost', []],
    // Private suffixes: each of their users is a registrant.
    ['eve.github.io', []],
    ['www.eve.github.io', ['eve.github.io']],
    ['github.io', []],
    ['a.eve.blogspot.com', ['eve.blogspot.com']],
    ['s3.amazonaws.com', []],
    ['eve.s3.amazonaws.com', []],
    // Wildcards and their exceptions.
    ['a.www.ck', ['www.ck']],
    ['a.b.ck', []],
    ['x.city.kobe.jp', ['city.kobe.jp']],
    // An unknown suffix is one label.
    ['a.b.unknown', ['b.unknown']],
    // Suffixes in Punycode.
    ['www.xn--85x722f.xn--55qx5d.cn', ['xn--85x722f.xn--55qx5d.cn']],
    ['\u98df\u72ee.\u516c\u53f8.cn', []],
    ['www.\u4f8b.xn--p1ai', ['xn--fsq.xn--p1ai']],
    // Addresses have no suffix.
    ['1.2.3.4', []],
    ['0x7f.1', []],
    ['[::1]', []],
    ['[64:ff9b::1.2.3.4]', []],
  ])('%s', (host, above) => {
    const [own, ...others] = hosts(`http://${host}/`);
    expect(own).toBe(expressions(`http://${host}/`)[0]?.split('/')[0]);
    expect(others).toEqual(above);
  });

  test('hosts that the package calls none, and a browser opens', () => {
    for (const label of ['x-', '-x', '--', 'a_b', '_', 'a!b', '*', 'x--y-', 'a$-']) {
      const host = `${label}.evil.co.uk`;
      expect(new URL(`http://${host}/`).hostname).toBe(host);
      expect(hosts(`http://${host}/`)).toEqual([host, 'evil.co.uk']);
    }
    const all = '-.x-.evil.example';
    expect(hosts(`http://${all}/`)).toEqual([all, 'evil.example', 'x-.evil.example']);
    expect(hosts('http://%01.x%C3%BC%23.evil.example/')[1]).toBe('evil.example');
  });

  test('no host below a listed one is missed', () => {
    const list = new UrlListBuilder({ rule }).addHosts(['evil.co.uk']).build();
    for (const label of ['www', 'x-', '-x', 'a_b', 'a!b']) {
      const urls = [`http://${label}.evil.co.uk/`, `https://u@${label}.EVIL.co.uk.:8080/a/../x`];
      expect(list.checkMany(urls)).toEqual(['maybe', 'maybe']);
    }
    expect(list.check('http://good.co.uk/')).toBe('safe');
  });

  test('the vectors of version 5', () => {
    let found = 0;
    for (const vector of urlVectors('expressions.json')) {
      const { rules, conflicts_with_spec, expressions: expected } = vector;
      if (!rules?.includes('v5') || conflicts_with_spec !== undefined || !expected) continue;
      found++;
      expect(expressions(latin1(vector.input), { rule }).sort()).toEqual([...expected].sort());
    }
    expect(found).toBeGreaterThan(0);
  });
});
