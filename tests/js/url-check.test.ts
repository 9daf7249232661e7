/** Checks of URLs: no disguise hides a listed entry, and invalid URLs are 'invalid'. */
import { describe, expect, test } from '@jest/globals';
import { UrlListBuilder } from 'tamis/url';

import { expectOption } from './support/errors.js';
import { random } from './support/keys.js';

const builder = (options = {}): UrlListBuilder => new UrlListBuilder(options);
const hostsOf = (count: number, tag: string): string[] =>
  Array.from({ length: count }, (_, i) => `${tag}${i}.example`);

/** URLs that lead to the page `host` + `path`, or to one below. */
const disguises = (host: string, path: string): string[] => [
  `http://${host}${path}`,
  `https://${host}${path}`,
  `HTTP://${host.toUpperCase()}${path}`,
  `  http://${host}${path}#top\t`,
  `http://user@${host}${path}`,
  `http://user:pass%40word@${host}${path}`,
  `http://good.example%2F@${host}${path}`,
  `http://good.example%3F:x@${host}${path}`,
  `http://${host}:8080${path}`,
  `http://${host}.${path}`,
  `http:\\\\${host}${path.replaceAll('/', '\\')}`,
  `http:${host}${path}`,
  `http:////${host}${path}`,
  `ht\ntp://${host}\t${path}`,
  `http://${host}/a/..${path}`,
  `http://${host}/.${path}`,
  `http://${host}/%2e%2e${path}`,
  `http://${host}/${path}`,
  `http://${[...host].map((c) => (c === '.' ? c : `%${c.charCodeAt(0).toString(16)}`)).join('')}${path}`,
  `http://${host}${path.replace(/[a-z]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`,
  `http://${host}${path.replace(/[a-z]/g, (c) => `%25%32%35${c.charCodeAt(0).toString(16)}`)}`,
  `//${host}${path}`,
  `${host}${path}`,
  `${host}\\${path.slice(1)}`,
];

describe('no listed entry is missed', () => {
  const list = builder()
    .addHosts([
      'EVIL.example.',
      '127.0.0.1',
      '[::ffff:1.2.3.4]',
      '[2001:db8::1]',
      'b\u00fccher.example',
    ])
    .addUrls(['https://host.example/login/page?x=1', 'http://host.example/one'])
    .addExpressions(['folder.example/bad/'])
    .build();

  const forms = [
    ...disguises('evil.example', '/'),
    ...disguises('a.b.evil.example', '/x/y'),
    ...disguises('host.example', '/one'),
    ...disguises('host.example', '/login/page?x=1').filter((url) => !/%25%32%35/.test(url)),
    ...disguises('folder.example', '/bad/x/y.html'),
    ...disguises('127.0.0.1', '/any'),
    ...['127.1', '0x7f.1', '0177.0.0.1', '2130706433', '0x7f000001', '127.0.1', '%31%32%37.1'].map(
      (ip) => `http://${ip}/`,
    ),
    ...['1.2.3.4', '[::ffff:102:304]', '[::FFFF:1.2.3.4]', '[64:ff9b::1.2.3.4]', '16909060'].map(
      (ip) => `http://${ip}/`,
    ),
    ...['[2001:DB8:0:0::1]', '[2001:0db8:0000::0001]'].map((ip) => `http://${ip}:80/`),
    ...[
      'b\u00fccher.example',
      'B\u00dcCHER.example',
      'xn--bcher-kva.example',
      'b%C3%BCcher.example',
    ].map((host) => `http://${host}/`),
    'ftp://b\u00fccher.example/',
    'http://evil\u3002example/',
    'http://\uff45vil.example/',
    'http://ev\u00adil.example/',
    // Invisible characters of pasted text. A browser's parser does not drop them.
    ...['\u00a0', '\ufeff', '\u200b', '\u2003\u2060', '\u202a\u0001 '].flatMap((blank) => [
      `${blank}http://evil.example/`,
      `${blank}HTTPS:\\\\u@evil.example`,
      `${blank}//evil.example/x`,
      `${blank}evil.example`,
    ]),
  ];

  test.each(forms)('%j', (url) => {
    expect(list.check(url)).toBe('maybe');
    expect(list.hits(url).length).toBeGreaterThan(0);
  });

  test('by checkMany neither', () => {
    expect(list.checkMany(forms)).toEqual(forms.map(() => 'maybe'));
    expect(list.checkMany(new Set(forms))).toHaveLength(new Set(forms).size);
  });

  test('and what is not listed is safe', () => {
    const good = [
      'http://example/',
      'http://host.example/',
      'http://host.example/login/page',
      'http://host.example/ONE',
      'http://folder.example/',
      'http://folder.example/bad',
      'http://notevil.example/',
      'http://evil.example.good.example/',
      'http://good.example/?u=http://evil.example/',
      'http://evil.example@good.example/',
      'http://good.example/#@evil.example/',
    ];
    expect(list.checkMany(good)).toEqual(good.map(() => 'safe'));
    for (const url of good) expect(list.hits(url)).toEqual([]);
  });
});

describe('bad input', () => {
  const list = builder().addHosts(['evil.example']).build();
  // url-safe.test.ts has every kind.
  const invalid = [
    '',
    'javascript:alert(1)',
    'http://',
    `http://good.example/${'x'.repeat(2 ** 21)}`,
  ];

  test('does not disturb its neighbours', () => {
    const urls = invalid.flatMap((url) => [url, 'http://evil.example/', 'http://good.example/']);
    expect(list.checkMany(urls)).toEqual(invalid.flatMap(() => ['invalid', 'maybe', 'safe']));
  });

  test('a lone surrogate in a path is what a browser sends', () => {
    expect(list.check('http://evil.example/\ud800')).toBe('maybe');
  });

  test.each([undefined, null, 7, {}, new Uint8Array(3)])('%p is a TypeError', (url) => {
    expectOption(() => list.check(url as string), TypeError);
    expectOption(() => list.hits(url as string), TypeError);
    const error = expectOption(
      () => list.checkMany(['http://a.example', url as string]),
      TypeError,
    );
    expect(error.index).toBe(1);
  });

  test('no iterable is a TypeError', () => {
    expect(() => list.checkMany('http://evil.example/')).toThrow(TypeError);
    expect(() => list.checkMany(7 as never)).toThrow(TypeError);
  });
});

test('thousands at once are answered as one by one', () => {
  const hosts = hostsOf(3000, 'evil');
  const list = builder().addHosts(hosts).build();
  const next = random(5);
  const urls = Array.from({ length: 9000 }, (_, i) => {
    const tail = 'x'.repeat(next() % (i % 500 === 0 ? 200_000 : 60));
    return `http://a${i}.${next() % 2 ? 'evil' : 'good'}${next() % 4000}.example/${tail}`;
  });
  const many = list.checkMany(urls);
  expect(many).toEqual(urls.map((url) => list.check(url)));
  expect(many.filter((word) => word === 'maybe').length).toBeGreaterThan(2500);
  urls.forEach((url, i) => {
    if (/evil[012]?\d{0,3}\./.test(url)) expect(many[i]).toBe('maybe');
  });
});
