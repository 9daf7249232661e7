/** Entries that a list builder refuses: those that no look-up finds, and lines in the syntax of other programs. */

import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { TamisError } from 'tamis';
import { type HostRule, UrlListBuilder, type UrlListBuilderOptions } from 'tamis/url';
import { isLong } from './support/budget.js';
import { expectCode, expectOption } from './support/errors.js';
import { fc } from './support/fast-check.js';

type Method = 'addHosts' | 'addUrls' | 'addExpressions';

const builder = (options: Partial<UrlListBuilderOptions> = {}): UrlListBuilder =>
  new UrlListBuilder(options);

function refusal(method: Method, entry: string): TamisError {
  const made = builder().addExpressions(['first.example/']);
  const error = expectCode(() => made[method]([entry]), 'INVALID_URL');
  expect(made.count).toBe(1);
  expect(error.index).toBe(0);
  return error as TamisError;
}

/** Lines that none of the three methods takes, and their names in the message. */
const others: [string, RegExp][] = [
  ['||evil.com^', /an AdGuard rule/],
  ['||evil.com^$third-party', /an AdGuard rule/],
  ['@@||good.com^', /an AdGuard rule/],
  ['@@good.com/x', /an AdGuard rule/],
  ['|http://evil.com/', /an AdGuard rule/],
  ['evil.com^', /an AdGuard rule/],
  ['evil.com$third-party', /an AdGuard rule/],
  ['evil.com##.ad', /an AdGuard rule/],
  ['evil.com#@#.ad', /an AdGuard rule/],
  ['evil.com#%#x', /an AdGuard rule/],
  ['##.ad', /an AdGuard rule/],
  ['! Title: bad hosts', /an AdGuard rule/],
  ['!Title', /an AdGuard rule/],
  ['[Adblock Plus 2.0]', /an AdGuard rule/],
  ['0.0.0.0 ads.example', /a hosts file/],
  ['127.0.0.1\tads.example', /a hosts file/],
  [' 0.0.0.0   ads.example # why', /a hosts file/],
  ['::1 localhost', /a hosts file/],
  ['fe80::1%lo0 localhost', /a hosts file/],
  ['2001:db8::1 ads.example', /a hosts file/],
  ['evil.com,phish', /CSV/],
  ['evil.com,', /CSV/],
  ['"evil.com"', /CSV/],
  ['"evil.com","phish"', /CSV/],
  ['1,http://evil.com/x,2026', /CSV/],
  ['"1","2026-11-22","http://evil.com/x","online"', /CSV/],
  ['evil.com;phish', /CSV/],
  ['http://evil.com,phish', /CSV/],
  ['evil[.]com', /defanged/],
  ['evil(.)com', /defanged/],
  ['evil{.}com', /defanged/],
  ['evil[dot]com', /defanged/],
  ['hxxp://evil.com/x', /defanged/],
  ['hXXps://evil[.]com/x', /defanged/],
  ['http[:]//evil.com/x', /defanged/],
  ['*', /a wildcard/],
  ['*.evil.com', /a wildcard/],
  ['*://evil.com/*', /a wildcard/],
  ['https://*.evil.com/', /a wildcard/],
  ['# comment', /a comment/],
  ['#comment', /a comment/],
  ['## Comment', /a comment/],
  ['com', /./],
  ['hello world', /several words/],
  ['evil.com good.com', /several words/],
  ['evil.com # why', /./],
  ['evil.com\nevil.org', /./],
  ['<script>', /./],
  ['address=/evil.com/0.0.0.0', /./],
  ['local-zone: "evil.com" static', /./],
  ['{"host":"evil.com"}', /./],
  ['/evil[0-9]+/', /./],
  ['/banner/ad.js', /./],
  ['eve@evil.com', /./],
  ['mailto:eve@evil.com', /./],
  ["javascript://evil.com/%0alocation='http://evil.org/'", /./],
  ['intent://evil.com/#Intent;end', /./],
  ['data:text/html,x', /./],
  ['view-source:http://evil.com/', /./],
  ['blob:http://evil.com/x', /./],
  ['file://evil.com/x', /./],
  ['http://', /./],
  ['http://1.2.3.256/', /./],
  ['http://evil.com:99999/', /./],
  ['1.2.3.256', /./],
  ['evil.123', /./],
  ['evil.0x', /./],
  ['ev!l.com', /./],
  ['evil.com&x', /./],
  ['evil%2fcom', /./],
  ['good.com%40evil.com', /./],
  ['', /./],
  [' ', /./],
  ['\ud800.com', /./],
];

describe.each<Method>(['addHosts', 'addUrls', 'addExpressions'])('%s', (method) => {
  test.each(others)('refuses %j', (entry, named) => {
    const { message } = refusal(method, entry);
    expect(message).toContain(`${method}: '${entry.slice(0, 40)}`);
    expect(message).toMatch(named);
  });

  test('shows the beginning of a long one', () => {
    const { message } = refusal(method, `${'x'.repeat(100_000)}^`);
    expect(message.length).toBeLessThan(300);
    expect(message).toContain(`${'x'.repeat(80)}...`);
  });
});

describe('addHosts', () => {
  test.each(['localhost', 'COM.', '3232235777', '0x7f000001', 'b\u00fccher'])(
    'refuses the single label %j',
    (host) => {
      expect(refusal('addHosts', host).message).toMatch(/single label/);
    },
  );

  test.each(['http://evil.com/', 'https://evil.com/x?y', 'evil.com/', 'evil.com/x'])(
    'calls %j a URL',
    (host) => {
      expect(refusal('addHosts', host).message).toMatch(/, but a URL/);
    },
  );

  test.each([
    ['evil.com', 'evil.com/'],
    ['EVIL.com', 'evil.com/'],
    [' evil.com\t', 'evil.com/'],
    ['\ufeffevil.com', 'evil.com/'],
    ['evil.com.', 'evil.com/'],
    ['.evil.com', 'evil.com/'],
    ['evil.com:8080', 'evil.com/'],
    ['konto_identity.evil.com', 'konto_identity.evil.com/'],
    ['_dmarc.evil.com', '_dmarc.evil.com/'],
    ['-evil-.com', '-evil-.com/'],
    ['e--vil.com', 'e--vil.com/'],
    ['b\u00fccher.example', 'xn--bcher-kva.example/'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example/'],
    // Chromium opens it, and other parsers refuse it.
    ['xn--a.evil.com', 'xn--a.evil.com/'],
    ['\u4f8b\u3048\u3002\u30c6\u30b9\u30c8', 'xn--r8jz45g.xn--zckzah/'],
    ['1.2.3.4', '1.2.3.4/'],
    ['0x1.2.3.4', '1.2.3.4/'],
    ['[2001:DB8::1]', '[2001:db8::1]/'],
    ['[::ffff:1.2.3.4]', '1.2.3.4/'],
    ['1.2.3.4.example', '1.2.3.4.example/'],
    ['4chan.0x7f.example', '4chan.0x7f.example/'],
    ['123.456', '123.0.1.200/'],
    [`${'a'.repeat(64)}.example`, `${'a'.repeat(64)}.example/`],
    ['a.b.c.d.e.f.g.h.example', 'a.b.c.d.e.f.g.h.example/'],
  ])('lists %j', (host, expression) => {
    const made = builder().addHosts([host]);
    expect(made.fullHashes).toEqual(builder().addExpressions([expression]).fullHashes);
    made.build().dispose();
  });
});

describe('addUrls', () => {
  test.each([
    ['http://localhost/x', 'localhost/x'],
    ['https://localhost', 'localhost/'],
    ['http://3232235777/x', '192.168.1.1/x'],
    ['//evil.com/x', 'evil.com/x'],
    ['evil.com/x', 'evil.com/x'],
    ['  https://evil.com/x \n', 'evil.com/x'],
    ['HTTPS://user:secret@EVIL.com:8443/x#y', 'evil.com/x'],
    ['wss://evil.com/x', 'evil.com/x'],
    ['ftp://evil.com/x', 'evil.com/x'],
    ['http://evil.com/a,b;c"d*e^f$g|h', 'evil.com/a,b;c"d*e^f$g|h'],
    ['http://evil.com/[.]?x=*.y,"z"&u=hxxp://w', 'evil.com/[.]?x=*.y,"z"&u=hxxp://w'],
    ['http://evil.com/@eve', 'evil.com/@eve'],
    ['evil.com/x#/login', 'evil.com/x'],
    ['evil.com#login', 'evil.com/'],
    ['http://evil.com/x#Main Story', 'evil.com/x'],
    ['http://evil.com/x y?z z', 'evil.com/x%20y?z%20z'],
    ['http://evil.com/a/b/c/d/e/', 'evil.com/a/b/c/d/e/'],
    ['http://evil.com/a%5Cb', 'evil.com/a\\b'],
    ['http://evil.com\\a', 'evil.com/a'],
    ['http://[2001:db8::1]/x', '[2001:db8::1]/x'],
  ])('lists %j', (url, expression) => {
    const made = builder().addUrls([url]);
    const pages = builder().addUrls([`http://${expression.replaceAll('\\', '%5C')}`]);
    expect(made.fullHashes).toEqual(pages.fullHashes);
    const list = made.build();
    expect(list.check(`http://${expression.replaceAll('\\', '%5C')}`)).toBe('maybe');
    list.dispose();
  });

  test.each(['http://evil.com/*', 'http://evil.com/x/*', 'evil.com/*'])('refuses %j', (url) => {
    expect(refusal('addUrls', url).message).toMatch(/a wildcard/);
  });

  test.each([
    'http://evil.com/x # why',
    'http://evil.com/x http://a.b',
    'http://evil.com/x\thttp://a.b',
    'evil.com/x phish',
  ])('refuses %j, which has white space within', (url) => {
    refusal('addUrls', url);
  });

  test('refuses what has a longer canonical form than any look-up takes', () => {
    refusal('addUrls', `http://evil.com/${'%'.repeat(2 ** 20)}`);
  });
});

describe('addExpressions', () => {
  test.each([
    'localhost/',
    'evil.com/a/b/c/',
    'evil.com/a/b/c/d',
    'evil.com/a/b/c/d/?x',
    'h.i/a\\b',
  ])('lists %j', (expression) => {
    const list = builder().addExpressions([expression]).build();
    expect(list.check(`http://${expression.replaceAll('\\', '%5C')}`)).toBe('maybe');
  });

  test('refuses a folder deeper than any look-up makes', () => {
    for (const folder of ['evil.com/a/b/c/d/', 'evil.com/a/b/c/d/e/f/']) {
      expect(refusal('addExpressions', folder).message).toMatch(/folder/);
    }
  });
});

describe('skipInvalid', () => {
  test('counts what it skips, and keeps the first 20', () => {
    const made = builder({ skipInvalid: true });
    expect(made.skipped).toEqual({ count: 0, first: [] });
    made.addHosts(['a.example', '||evil.com^', 'b.example', '*']);
    made.addUrls(['http://a.example/x', 'hxxp://evil.com/x']);
    expect(made.count).toBe(3);
    const { count, first } = made.skipped;
    expect(count).toBe(3);
    expect(first.map(({ index, entry }) => [index, entry])).toEqual([
      [1, '||evil.com^'],
      [3, '*'],
      [1, 'hxxp://evil.com/x'],
    ]);
    for (const { entry, message } of first) expect(message).toContain(`'${entry}' is no `);
    expect(first[0]?.message).toBe(refusal('addHosts', '||evil.com^').message);

    made.addHosts(Array.from({ length: 100 }, (_, i) => `*.${i}.example`));
    expect(count).toBe(3);
    expect(made.skipped.count).toBe(103);
    expect(made.skipped.first).toHaveLength(20);
    expect(made.skipped.first[19]).toMatchObject({ index: 16, entry: '*.16.example' });
    const list = made.build();
    expect(list.count).toBe(3);
    list.dispose();
  });

  test('keeps no more than the beginning of a long entry', () => {
    const made = builder({ skipInvalid: true }).addHosts([`${'x'.repeat(1e6)}^`]);
    expect(made.skipped.first[0]?.entry).toBe(`${'x'.repeat(80)}...`);
  });

  test('throws for what is no string, and as the entries do', () => {
    const made = builder({ skipInvalid: true });
    const error = expectOption(() => made.addHosts(['*', 7 as never]), TypeError);
    expect(error.index).toBe(1);
    const own = new Error('the feed broke off');
    function* feed() {
      yield 'a.example';
      throw own;
    }
    expect(() => made.addHosts(feed())).toThrow(own);
    expect(made.skipped.count).toBe(1);
    expectOption(() => builder({ skipInvalid: 1 as never }), TypeError);
  });
});

describe('a build', () => {
  const { URL: given } = globalThis;
  afterEach(() => {
    globalThis.URL = given;
    jest.restoreAllMocks();
  });

  test('is refused where a look-up misses an entry', () => {
    // Compared with the platform's parser, since such a host has several spellings.
    const made = builder().addHosts(['xn--bcher-kva.example', 'b.example']);
    globalThis.URL = class extends given {
      override get href(): string {
        return super.href.replace('xn--bcher-kva', 'other');
      }
    } as typeof URL;
    const error = expectCode(() => made.build(), 'REFUSED') as TamisError;
    expect(error.offenders).toEqual(['xn--bcher-kva.example/']);
    globalThis.URL = given;
    expect(made.build().count).toBe(2);
  });

  test('fails as its rule does', () => {
    const own = new Error('no suffixes');
    const rule: HostRule = {
      name: 'broken',
      registrableDomain() {
        throw own;
      },
    };
    const made = builder({ rule }).addHosts(['a.example']);
    expect(() => made.build()).toThrow(own);
  });
});

test('whatever is taken is found', () => {
  const pieces = fc.constantFrom(
    ...['http://', 'https:', '//', '/', '\\', '.', '..', '%', '%2e', '%5c', '%25', '%zz', '?', '#'],
    ...[
      '"',
      "'",
      '^',
      '|',
      '`',
      '{',
      '<',
      '*',
      '@',
      ':',
      ' ',
      '\t',
      '\u00fc',
      '\u1e9e',
      '\u180e',
      '~',
    ],
    ...['a', 'b.c', 'evil.example', 'xn--a', 'xn--bcher-kva', '1', '0x1', '1.2.3.4', '[::1]'],
  );
  const entry = fc.array(pieces, { maxLength: 9 }).map((all) => all.join(''));
  const below = entry.map((text) => `http://evil.example/${text}`);
  const methods = fc.constantFrom<Method>('addHosts', 'addUrls', 'addExpressions');
  let taken = 0;
  fc.assert(
    fc.property(methods, fc.array(fc.oneof(entry, below), { minLength: 50 }), (method, entries) => {
      const made = builder({ skipInvalid: true })[method](entries);
      made.addExpressions(entries.map((text) => text.replace(/^http:\/\//, '')));
      const list = made.build();
      taken += list.count;
      list.dispose();
    }),
    { numRuns: 60 },
  );
  expect(taken).toBeGreaterThan(100);
});

test.each(['"', '%', '\u00fc', '<', '\\'])(
  'a page of many %j is taken and found, or refused',
  (letter) => {
    const all = [2 ** 18, 699_000, 699_100, 2 ** 20, 2 ** 21 - 30, 2 ** 21];
    const counts = isLong ? all : [699_000, 2 ** 21];
    for (const count of counts) {
      const text = `evil.example/${letter.repeat(count)}`;
      const made = builder({ skipInvalid: true })
        .addUrls([`http://${text}`])
        .addExpressions([text]);
      made.build().dispose();
      expect(made.count + made.skipped.count).toBeGreaterThan(0);
    }
  },
);

test('good sites that are none guard nothing', () => {
  const made = builder().addHosts(['evil.example']);
  for (const [entry] of others) {
    // A bare word may be a host of an intranet.
    if (/^\w+$/.test(entry)) continue;
    const gate = { mustNotMatch: ['good.example', entry] };
    expect([entry, expectCode(() => made.build({ gate }), 'INVALID_URL').index]).toEqual([
      entry,
      1,
    ]);
  }
  made.build({ gate: { mustNotMatch: ['localhost', 'http://good.example/a%20b'] } }).dispose();
});
