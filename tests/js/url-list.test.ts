/** Lists of URLs: no listed entry is missed in any disguise, lists travel whole, deltas make the next one. */
import { createHash } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';
import { BloomFilter, fromBytes, fromStream, type TamisError } from 'tamis';
import {
  expressions,
  hashExpression,
  type PublicSuffixRule,
  UrlDelta,
  UrlList,
  UrlListBuilder,
} from 'tamis/url';

import { expectCode, expectOption, rejection } from './support/errors.js';
import { leftBehind } from './support/handles.js';
import { random } from './support/keys.js';
import { toHex } from './support/url-vectors.js';

const builder = (options = {}): UrlListBuilder => new UrlListBuilder({ name: 'test', ...options });
const hostsOf = (count: number, tag: string): string[] =>
  Array.from({ length: count }, (_, i) => `${tag}${i}.example`);

/** By its last two labels; co.uk is the one suffix of two. */
const rule: PublicSuffixRule = {
  name: 'small-psl@1',
  registrableDomain(host) {
    const labels = host.split('.');
    const wanted = /(^|\.)co\.uk$/.test(host) ? 3 : 2;
    return labels.length < wanted ? null : labels.slice(-wanted).join('.');
  },
};

/** What leads to the page `host` + `path`, or to one below. */
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
    'foo://b\u00fccher.example/',
    'http://evil\u3002example/',
    'http://\uff45vil.example/',
    'http://ev\u00adil.example/',
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
  const invalid = [
    '',
    'javascript:alert(1)',
    'data:text/html,x',
    'mailto:a@evil.example',
    'http://',
    'http://\ud800.example/',
    `http://good.example/${'x'.repeat(2 ** 20)}`,
    'evil.example:8080/',
  ];

  test.each(invalid.map((url) => [url.slice(0, 40), url]))('%j is invalid', (_name, url) => {
    expect(list.check(url)).toBe('invalid');
    expectCode(() => list.hits(url), 'INVALID_URL');
  });

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

describe('what a list says of itself', () => {
  test.each([4, 8, 16, 32] as const)('with %d bytes an entry', (prefixBytes) => {
    const hosts = hostsOf(2000, 'h');
    const list = builder({ prefixBytes }).addHosts(hosts).build();
    const expected = hosts
      .map((host) =>
        createHash('sha256')
          .update(`${host}/`)
          .digest('hex')
          .slice(0, 2 * prefixBytes),
      )
      .sort();
    expect(toHex(list.prefixes())).toBe(expected.join(''));
    expect(list.count).toBe(2000);
    expect(list.prefixBytes).toBe(prefixBytes);
    expect(list.rule).toBe('labels5');
    expect(list.seed).toBe(0n);
    expect(list.sha256).toEqual(
      new Uint8Array(createHash('sha256').update(list.prefixes()).digest()),
    );
    expect(list.check(`http://${hosts[7]}/x`)).toBe('maybe');
    list.validate();
    expect(list.toJSON()).toEqual({
      type: 'url-list',
      count: 2000,
      prefixBytes,
      rule: 'labels5',
      sizeBytes: list.sizeBytes,
    });
  });

  test('an empty list is one', () => {
    const list = builder().build();
    expect(list.count).toBe(0);
    expect(list.prefixes()).toHaveLength(0);
    expect(list.check('http://a.example/')).toBe('safe');
    expect(UrlList.fromBytes(list.toBytes()).toBytes()).toEqual(list.toBytes());
  });

  test('hits are expressions, with their hashes', () => {
    const list = builder().addHosts(['evil.example', 'a.evil.example']).build();
    const hits = list.hits('http://a.evil.example/x');
    expect(hits.map(({ expression }) => expression).sort()).toEqual([
      'a.evil.example/',
      'evil.example/',
    ]);
    for (const { expression, hash } of hits) expect(hash).toEqual(hashExpression(expression));
  });
});

describe('on the way', () => {
  const list = builder().addHosts(hostsOf(500, 'evil')).build();
  const bytes = list.toBytes();

  test('is the same list again', async () => {
    const stream = new Response(bytes).body as ReadableStream<Uint8Array>;
    for (const loaded of [
      UrlList.fromBytes(bytes),
      await UrlList.fromStream(stream),
      list.clone(),
    ]) {
      expect(loaded.toBytes()).toEqual(bytes);
      expect(loaded.check('http://evil7.example/')).toBe('maybe');
    }
  });

  test('every cut and flipped bit is told', () => {
    for (let size = 0; size < bytes.length; size += 1 + (size >> 4)) {
      expect(() => UrlList.fromBytes(bytes.slice(0, size))).toThrow();
    }
    for (let bit = 0; bit < 8 * bytes.length; bit += 13) {
      const damaged = bytes.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => UrlList.fromBytes(damaged)).toThrow();
    }
  });

  test('types are told apart', async () => {
    const delta = list.diff(builder().build()).toBytes();
    expectCode(() => UrlList.fromBytes(delta), 'WRONG_TYPE');
    expectCode(() => UrlDelta.fromBytes(bytes), 'WRONG_TYPE');
    expectCode(() => UrlList.fromBytes(BloomFilter.from(['a']).toBytes()), 'WRONG_TYPE');
    expectCode(() => BloomFilter.fromBytes(bytes), 'WRONG_TYPE');
    for (const some of [bytes, delta]) {
      expect(expectCode(() => fromBytes(some), 'WRONG_TYPE').message).toMatch(/tamis\/url/);
      const stream = new Response(some as Uint8Array<ArrayBuffer>)
        .body as ReadableStream<Uint8Array>;
      expect((await rejection(fromStream(stream))).code).toBe('ERR_TAMIS_WRONG_TYPE');
    }
    expectCode(() => UrlList.fromBytes(bytes, { maxBytes: 100 }), 'TOO_LARGE');
    expectCode(() => UrlList.fromBytes(bytes, { key: new Uint8Array(16) } as never), 'WRONG_KEY');
  });
});

describe('the rule', () => {
  const list = builder({ rule }).addHosts(['example.co.uk', 'a.b.c.d.e.f.example']).build();
  const bytes = list.toBytes();

  test('is part of the list', () => {
    expect(list.rule).toBe('small-psl@1');
    const loaded = UrlList.fromBytes(bytes, { rule });
    for (const one of [list, loaded, loaded.clone()]) {
      expect(one.check('http://www.example.co.uk/x')).toBe('maybe');
      expect(one.check('http://other.co.uk/x')).toBe('safe');
      expect(one.checkMany(['http://www.example.co.uk/', 'http://co.uk', 'x:'])).toEqual([
        'maybe',
        'safe',
        'invalid',
      ]);
    }
  });

  test('a list is asked by no other', () => {
    const unknown = UrlList.fromBytes(bytes);
    expect(unknown.toBytes()).toEqual(bytes);
    expectCode(() => unknown.check('http://www.example.co.uk/'), 'INCOMPATIBLE');
    expectCode(() => unknown.checkMany([]), 'INCOMPATIBLE');
    expectCode(() => unknown.hits('http://www.example.co.uk/'), 'INCOMPATIBLE');
    for (const other of ['labels5', { ...rule, name: 'small-psl@2' }] as const) {
      expectCode(() => UrlList.fromBytes(bytes, { rule: other }), 'INCOMPATIBLE');
    }
    const plain = builder().build().toBytes();
    expectCode(() => UrlList.fromBytes(plain, { rule }), 'INCOMPATIBLE');
    expectCode(() => list.diff(UrlList.fromBytes(plain)), 'INCOMPATIBLE');
  });

  test('that fails is no answer', () => {
    const broken = { name: rule.name, registrableDomain: () => 'elsewhere' };
    const loaded = UrlList.fromBytes(bytes, { rule: broken });
    expectOption(() => loaded.check('http://www.example.co.uk/'), TypeError);
    expectOption(() => loaded.checkMany(['http://www.example.co.uk/']), TypeError);
  });
});

describe('deltas', () => {
  test('make each version of a history of the one before', () => {
    const next = random(9);
    let hosts = new Set(hostsOf(400, 'h'));
    let list = builder().addHosts(hosts).build();
    for (let step = 0; step < 60; step++) {
      hosts = new Set([...hosts].filter(() => next() % 40 !== 0));
      for (let i = next() % 30; i > 0; i--) hosts.add(`new${next() % 5000}.example`);
      const full = builder().addHosts(hosts).build();
      const delta = UrlDelta.fromBytes(full.diff(list).toBytes());
      const before = list.toBytes();
      const applied = list.apply(delta);
      expect(list.toBytes()).toEqual(before);
      expect(applied.toBytes()).toEqual(full.toBytes());
      expect(applied.count - list.count).toBe(delta.additions - delta.removals);
      expectCode(() => full.apply(delta), 'INCOMPATIBLE');
      list.dispose();
      list = applied;
      expect(list.check(`http://${[...hosts][0]}/`)).toBe('maybe');
    }
  });

  test('say what they are', () => {
    const older = builder().addHosts(hostsOf(10, 'a')).build();
    const newer = builder()
      .addHosts([...hostsOf(7, 'a'), ...hostsOf(2, 'b')])
      .build();
    const delta = newer.diff(older);
    expect(delta.toJSON()).toEqual({
      type: 'url-delta',
      removals: 3,
      additions: 2,
      prefixBytes: 4,
      sizeBytes: delta.sizeBytes,
    });
    expect(delta.clone().toBytes()).toEqual(delta.toBytes());
    delta.validate();
  });

  test('are of lists alike', () => {
    const list = builder().build();
    expectCode(() => list.diff(builder({ prefixBytes: 8 }).build()), 'INCOMPATIBLE');
    expectOption(() => list.diff(list.toBytes() as never), TypeError);
    expectOption(() => list.apply(list as never), TypeError);
  });
});

describe('life', () => {
  test('nothing is left behind, whatever fails', async () => {
    const work = () => {
      const older = builder().addHosts(hostsOf(50, 'a')).build();
      const newer = builder().addHosts(hostsOf(60, 'a')).build({ previous: older, gate: {} });
      const delta = newer.diff(older);
      const made = [older, newer, delta, older.apply(delta), newer.clone(), delta.clone()];
      expectCode(() => newer.apply(delta), 'INCOMPATIBLE');
      expectCode(() => builder().build({ gate: { minEntries: 1 } }), 'REFUSED');
      expectCode(() => UrlList.fromBytes(newer.toBytes(), { rule }), 'INCOMPATIBLE');
      expectCode(() => UrlList.fromBytes(newer.toBytes().slice(0, -1)), 'TRUNCATED');
      for (const one of made) one.dispose();
    };
    work();
    expect(await leftBehind(work)).toBe(0);
  });

  test('after dispose nothing answers', () => {
    const list = builder().addHosts(['a.example']).build();
    const other = list.clone();
    const delta = list.diff(other);
    list.dispose();
    list.dispose();
    for (const act of [
      () => list.check('http://a.example/'),
      () => list.checkMany(['http://a.example/']),
      () => list.hits('http://a.example/'),
      () => list.count,
      () => list.sha256,
      () => list.prefixes(),
      () => list.toBytes(),
      () => list.clone(),
      () => list.validate(),
      () => list.apply(delta),
      () => list.diff(other),
      () => other.diff(list),
    ]) {
      expectCode(act, 'DISPOSED');
    }
    delta.dispose();
    expectCode(() => other.apply(delta), 'DISPOSED');
  });

  test('none is made by new', () => {
    expectOption(() => new UrlList(undefined as never), TypeError);
    expectOption(() => new UrlDelta({} as never), TypeError);
  });
});

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
    // Found by trying: the first 4 bytes of SHA-256 of their expressions are the same.
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

  test('addUrls refuses what leads to no page', () => {
    expectCode(() => builder().addUrls(['mailto:a@b.example']), 'INVALID_URL');
    expectOption(() => builder().addUrls([7 as never]), TypeError);
    expect(() => builder().addUrls('http://a.example' as never)).toThrow(TypeError);
  });

  test.each<[object, typeof TypeError | typeof RangeError]>([
    [{}, TypeError],
    [{ name: '' }, TypeError],
    [{ name: 'x', prefixBytes: 5 }, RangeError],
    [{ name: 'x', prefixBytes: '4' }, TypeError],
    [{ name: 'x', rule: 'labels7' }, TypeError],
    [{ name: 'x', other: 1 }, TypeError],
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

  test('tells an entry from one that begins alike', () => {
    const made = builder().addHosts(hostsOf(2000, 'evil'));
    const mustNotMatch = hostsOf(20_000, 'good');
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
    expect(refused(of(94, 0), gate).message).toMatch(/6 entries of 100 were removed/);
    expect(refused(of(100, 21), gate).message).toMatch(/21 entries of 100 were added/);
    of(1, 500).build({ gate }).dispose();
  });

  test.each<[object, typeof TypeError | typeof RangeError]>([
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
