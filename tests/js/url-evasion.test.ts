/** No listed entry is ever safe: realistic hosts and pages, each in many disguises at once, by both rules. */
import { describe, expect, test } from '@jest/globals';
import { type HostRule, UrlListBuilder } from 'tamis/url';
import { fc } from './support/fast-check.js';
import { wholeRule } from './support/suffix-rules.js';

const rules: [string, HostRule][] = [
  ['parents', 'parents'],
  ['labels5', 'labels5'],
  ['public suffixes', wholeRule],
];

const escaped = (letter: string): string =>
  [...new TextEncoder().encode(letter)].map((byte) => `%${byte.toString(16)}`).join('');
const pick = <T>(...values: T[]) => fc.constantFrom(...values);

/** Writes some letters of a text in one of the ways. */
const spelled = (text: string, ...ways: ((letter: string) => string)[]): fc.Arbitrary<string> =>
  fc
    .array(fc.nat(3 * ways.length), { minLength: text.length, maxLength: text.length })
    .map((which) => [...text].map((letter, i) => (ways[which[i] ?? 0] ?? String)(letter)).join(''));

const fullwidth = (letter: string) =>
  /[!-~]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter;
const dotted = (letter: string) => (letter === '.' ? '\u3002' : letter);

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,7}(-[a-z0-9]{1,4})?$/);
const name = fc
  .tuple(
    fc.array(
      fc.oneof(label, pick('b\u00fccher', '\u0434\u043e\u043c', 'fa\u00df', '\u4f8b\u3048')),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
    pick('example', 'com', 'co.uk', 'github.io', 'xn--p1ai', 'unknown'),
  )
  .map(([labels, suffix]) => [...labels, suffix].join('.'));

/** Spellings of a host or of a subdomain. */
const named = (host: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(fc.oneof(label, pick('www', 'x-', '-', 'a_b', '*')), { maxLength: 3 }),
      spelled(
        host,
        // The German eszett has no single capital letter: upper case makes another host.
        (letter) => (letter === '\u00df' ? letter : letter.toUpperCase()),
        escaped,
        fullwidth,
        dotted,
        (letter) => letter.normalize('NFD'),
        (letter) => `\u00ad${letter}`,
        (letter) => `${letter}\t`,
      ),
      pick('', '.', '\u3002', '%2e'),
    )
    .map(([below, spelling, end]) => [...below, spelling + end].join('.'));

/** Spellings of an IPv4 address. */
function addressed(bytes: readonly number[]): fc.Arbitrary<string> {
  const spell = (value: number): fc.Arbitrary<string> =>
    pick(
      String(value),
      `0x${value.toString(16)}`,
      `0X000${value.toString(16).toUpperCase()}`,
      `0${value.toString(8)}`,
      `000${value.toString(8)}`,
    );
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const shapes = [
    [a, b, c, d],
    [a, b, c * 256 + d],
    [a, (b * 256 + c) * 256 + d],
  ];
  shapes.push([((a * 256 + b) * 256 + c) * 256 + d]);
  const words = [a * 256 + b, c * 256 + d].map((word) => word.toString(16));
  return fc.oneof(
    ...shapes.map((parts) => fc.tuple(...parts.map(spell)).map((texts) => texts.join('.'))),
    pick('::ffff:', '64:ff9b::', '0:0:0:0:0:FFFF:', '0064:FF9B:0::').chain((prefix) =>
      pick(`[${prefix}${words.join(':')}]`, `[${prefix}${bytes.join('.')}]`),
    ),
  );
}

const segment = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9._~-]{0,8}$/);
const path = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((segments) => `/${segments.join('/')}`);

/** Spellings of a path. Its separators may be escaped, or backslashes. */
const walked = (to: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      pick('', '/', '/.', '/x/..', '/x/y/../..', '/%2e', '/%2E./..', '/x/%2e%2e', '\\', '\\.'),
      spelled(
        to,
        (letter) => (letter === '/' ? letter : escaped(letter)),
        (letter) => (letter === '/' ? letter : escaped(letter).replaceAll('%', '%25')),
        (letter) => (letter === '/' ? '\\' : letter),
        (letter) => (letter === '/' ? '/./' : letter),
        (letter) => `${letter}\n`,
      ),
    )
    .map((parts) => parts.join(''));

const start = fc.oneof(
  pick(
    'http://',
    'https://',
    'HtTp:',
    'https:/',
    'http:\\\\',
    'h\tttp:////',
    ' http://',
    '\u00a0https://',
  ),
  fc
    .tuple(
      pick('http://', 'https:'),
      fc.string({ unit: pick(...'ab:.@%4!2fF\u00fc'), maxLength: 9 }),
    )
    .map(([scheme, user]) => `${scheme}${user}@`),
);
const port = pick('', '', ':', ':80', ':443', ':8080', ':00081');
const end = fc.oneof(
  pick('', ' ', '\n'),
  segment.map((text) => `#${text}@good.example/%2f?`),
);

/** Whole URLs for a host and the rest, in their spellings. */
const urlsFor = (host: fc.Arbitrary<string>, rest: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    fc.tuple(start, host, port, rest, end).map((parts) => parts.join('')),
    fc.tuple(pick('', '//', '\\\\', ' \u200b'), host, rest, end).map((parts) => parts.join('')),
  );

describe.each(rules)('by the rule %s', (_, rule) => {
  type Add = (builder: UrlListBuilder) => UrlListBuilder;

  function expectMaybe(add: Add, urls: readonly string[]): void {
    const list = add(new UrlListBuilder({ rule })).build();
    try {
      for (const url of urls) {
        expect([url, list.check(url)]).toEqual([url, 'maybe']);
        expect(list.hits(url).length).toBeGreaterThan(0);
      }
      expect(list.checkMany(urls)).toEqual(urls.map(() => 'maybe'));
      expect(list.check('https://certainly-good.example/')).toBe('safe');
    } finally {
      list.dispose();
    }
  }

  const several = <T>(url: fc.Arbitrary<T>) => fc.array(url, { minLength: 5, maxLength: 5 });
  const anyPath = fc.oneof(
    fc.constant(''),
    path,
    path.map((text) => `${text}/?a=/../b`),
  );

  test('a host, and each below it', () => {
    const cases = name.chain((host) =>
      fc.tuple(fc.constant(host), several(urlsFor(named(host), anyPath))),
    );
    fc.assert(
      fc.property(cases, ([host, urls]) => expectMaybe((to) => to.addHosts([host]), urls)),
      { numRuns: 150 },
    );
  });

  test('an address', () => {
    const cases = fc
      .tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
      .chain((bytes) => fc.tuple(fc.constant(bytes), several(urlsFor(addressed(bytes), anyPath))));
    fc.assert(
      fc.property(cases, ([bytes, urls]) =>
        expectMaybe((to) => to.addHosts([bytes.join('.')]), urls),
      ),
      { numRuns: 150 },
    );
  });

  test('a page', () => {
    const cases = fc
      .tuple(name, path, pick('', '?q=1', '?a=/b/../c&d'))
      .chain(([host, to, query]) =>
        fc.tuple(
          fc.constant(`https://${host}${to}${query}`),
          several(
            urlsFor(
              named(host),
              walked(to).map((way) => `${way}${query}`),
            ),
          ),
        ),
      );
    fc.assert(
      fc.property(cases, ([page, urls]) => expectMaybe((to) => to.addUrls([page]), urls)),
      { numRuns: 150 },
    );
  });

  test('a folder, and what is below', () => {
    const cases = fc
      .tuple(label, path, fc.oneof(fc.constant(''), segment))
      .chain(([own, to, page]) => {
        const host = `${own}.example`;
        return fc.tuple(
          fc.constant(`${host}${to}/`),
          several(
            urlsFor(
              named(host),
              walked(to).map((way) => `${way}/${page}?q=1`),
            ),
          ),
        );
      });
    fc.assert(
      fc.property(cases, ([folder, urls]) =>
        expectMaybe((to) => to.addExpressions([folder]), urls),
      ),
      { numRuns: 150 },
    );
  });
});

test('a label that no platform takes is read as a parser may that drops what is forbidden', () => {
  const list = new UrlListBuilder().addHosts(['evil.example']).build();
  expect(list.check('http://\uff45vil\uff05.example/')).toBe('maybe');
  expect(list.check('http://\uff47ood\uff05.example/')).toBe('invalid');
});
