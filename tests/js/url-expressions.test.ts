/** The expressions of URLs and their hashes, by each rule. */
import { describe, expect, test } from '@jest/globals';
import { canonicalize, expressions, hashExpression, type PublicSuffixRule } from 'tamis/url';

import { expectCode, expectOption } from './support/errors.js';
import { smallRule as rule } from './support/suffix-rules.js';

const sorted = (strings: Iterable<string>): string[] => [...new Set(strings)].sort();
const hostOf = (expression: string): string => expression.split('/')[0] as string;

test('at most 30, each once, the URL itself first', () => {
  const url = 'http://a.b.c.d.e.f.g.h/1/2/3/4/5/6?q=1';
  for (const one of ['labels5', rule] as const) {
    const all = expressions(url, { rule: one });
    expect(all[0]).toBe('a.b.c.d.e.f.g.h/1/2/3/4/5/6?q=1');
    expect(all).toHaveLength(30);
    expect(new Set(all).size).toBe(30);
  }
});

describe('rule by public suffix', () => {
  test('reaches down to the registrable domain', () => {
    const hosts = (url: string) => sorted(expressions(url, { rule }).map(hostOf));
    expect(hosts('http://www.example.co.uk')).toEqual(['example.co.uk', 'www.example.co.uk']);
    expect(hosts('http://co.uk')).toEqual(['co.uk']);
    expect(hosts('http://localhost')).toEqual(['localhost']);
    expect(hosts('http://1.2.3.4')).toEqual(['1.2.3.4']);
    expect(hosts('http://[::1]')).toEqual(['[::1]']);
  });

  test('may itself use the package', () => {
    const busy: PublicSuffixRule = {
      name: 'busy',
      registrableDomain(host) {
        canonicalize('http://another.example/one');
        expressions('http://and.another.example/one');
        return rule.registrableDomain(host);
      },
    };
    const url = 'http://a.evil.example/x?y';
    expect(expressions(url, { rule: busy })).toEqual(expressions(url, { rule }));
  });

  test.each(['other.example', 'l.example', '', undefined, 7])(
    'that answers %p is refused',
    (answer) => {
      const wrong = { name: 'wrong', registrableDomain: () => answer as string };
      expectOption(() => expressions('http://evil.example/', { rule: wrong }), TypeError);
    },
  );

  test('throws what the function throws', () => {
    const fault = new Error('no list');
    const broken: PublicSuffixRule = {
      name: 'broken',
      registrableDomain() {
        throw fault;
      },
    };
    expect(() => expressions('http://evil.example/', { rule: broken })).toThrow(fault);
  });

  test.each([
    null,
    'labels4',
    {},
    { name: 'x' },
    { name: '', registrableDomain: () => null },
    { name: 'parents', registrableDomain: () => null },
    { name: 'labels5', registrableDomain: () => null },
    { name: '\u00fc', registrableDomain: () => null },
    { name: 'x'.repeat(65), registrableDomain: () => null },
  ])('%p is none', (none) => {
    expectOption(
      () => expressions('http://a.example', { rule: none as PublicSuffixRule }),
      TypeError,
    );
  });
});

test('hashExpression takes a string', () => {
  expectOption(() => hashExpression(7 as unknown as string), TypeError);
});

test('what has no canonical form has none', () => {
  expectCode(() => expressions('javascript:alert(1)'), 'INVALID_URL');
});
