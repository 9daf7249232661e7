/**
 * Only 'safe' means safe. A text is not 'safe' if some browser may open it as a listed page. Nor is it if browsers may
 * not open it.
 */
import { describe, expect, test } from '@jest/globals';
import { type HostRule, hashExpression, UrlList, UrlListBuilder } from 'tamis/url';
import { budget, isLong } from './support/budget.js';
import { expectCode } from './support/errors.js';
import { fc } from './support/fast-check.js';
import { wholeRule } from './support/suffix-rules.js';

const builder = (rule: HostRule = 'parents') => new UrlListBuilder({ rule });

const lists = (['parents', 'labels5', wholeRule] as const).map((rule) =>
  builder(rule)
    .addHosts(['evil.com'])
    .addExpressions(['folder.example/bad/', 'folder.example/deep/er/', 'folder.example/a/b/c/'])
    .build(),
);

/** The answer of all three methods, by all rules. */
function verdictOf(url: string, asked = lists): string {
  const [verdict = '', ...others] = asked.flatMap((list) => {
    const one = list.check(url);
    expect(list.checkMany(['http://x.example/', url])).toEqual(['safe', one]);
    if (one === 'invalid') expectCode(() => list.hits(url), 'INVALID_URL');
    else expect(list.hits(url).length > 0).toBe(one === 'maybe');
    return one;
  });
  for (const other of others) expect(other).toBe(verdict);
  return verdict;
}

describe('what the parser of this platform refuses', () => {
  test.each([
    'http://ev\u180eil.com/',
    'http://ev%E1%A0%8Eil.com/',
    '\u180eev\u206ail.com',
    'https://e\u115fv\u1160i\u3164l\uffa0.com/x',
    'http://evi\u{1d173}l.com:80',
    'http://xn--a.evil.com\\@good.com/',
    'http://\ua7cb.evil.com\\@good.com/',
    '\ua7cb.evil.com\\@good.com/',
    'ht\ntp://ev\til.com\\@xn--a.good.com:99999/',
    'http:\\\\user%2F@\ua7cb.evil.com?@good.com',
    'ws:\ua7cb.EVIL.com',
    'http://xn--a.evil.com',
    'http://a b.evil.com/',
    'http://a\u2003b.evil.com/',
    'http://\u{1ccda}\u{1cceb}\u{1ccde}\u{1cce1}.com/',
    'http://\u{1ccda}%F0%9C%B3%ABil.com/',
    'http://\ud800.evil.com/',
    'http://<b>.evil.com/',
    'http://evil.com:99999/',
    'http://xn--a.folder.example/bad/x',
    'http://xn--a.folder.example\\bad\\x',
    'http://xn--a.folder.example/bad/..%2fx',
  ])('%j is listed in some reading', (url) => {
    expect(verdictOf(url)).toBe('maybe');
  });

  test('a host that is too long for any name', () => {
    const list = builder().addHosts(['evil.com']).build();
    for (const label of ['\u4e00', '\u4e00.x', '%e4%b8%80', 'a', 'a.a']) {
      const host = label.repeat(budget(50_000));
      const unlisted = label.startsWith('a') ? 'safe' : 'invalid';
      for (const start of ['http://', '', 'http://u@']) {
        const urls = [`${start}${host}.evil.com\\@good.com/`, `${start}${host}.good.com/`];
        expect(list.checkMany(urls)).toEqual(['maybe', unlisted]);
        expect(urls.map((url) => list.check(url))).toEqual(['maybe', unlisted]);
        expect(list.hits(urls[0] as string)).toHaveLength(1);
        if (unlisted === 'safe') expect(list.hits(urls[1] as string)).toEqual([]);
        else expectCode(() => list.hits(urls[1] as string), 'INVALID_URL');
      }
    }
  });

  test.each([
    'hello world',
    'not a url',
    'http://1.2.3.256/',
    '1.2.3.256',
    '<script>',
    '<a href="x">',
    'http://good.com:99999/',
    'http://xn--a.good.com\\@evil.com.good.com/',
    // A permanent noncharacter of Unicode.
    'http://\ufdd0.good.com/',
    'http://%zz.good.com/',
    'http://\ud800.good.com/',
    'http://[1::2::3]/',
    'http://[evil.com]/',
    '',
    '\u180e',
    '\ud800',
    'http://',
    'https:///',
    '?',
    '#http://evil.com/',
  ])('%j is no URL', (url) => {
    expect(verdictOf(url)).toBe('invalid');
  });

  test('no code point in a host makes a listed one safe', () => {
    const list = builder().addHosts(['evil.com']).build();
    // Ranges in which tables of IDNA differ, without ideographs.
    const ranges = [
      [0x80, 0x3400],
      [0xa000, 0xac00],
      [0xf900, 0x10000],
      [0x10000, 0x10900],
      [0x1cc00, 0x1d200],
      [0xe0000, 0xe0200],
    ] as const;
    const step = isLong ? 1 : 4;
    const points = ranges.flatMap(([from, to]) =>
      Array.from({ length: (to - from) / step }, (_, i) => from + i * step),
    );
    const urls = points.flatMap((point) => {
      const letter = String.fromCodePoint(point);
      return [`http://ev${letter}il.com/`, `http://${letter}.evil.com\\@good.com/`];
    });
    const answers = list.checkMany(urls);
    const bad = urls.filter((url, i) => {
      if (i % 2 === 1) return answers[i] !== 'maybe' && !/[\u{d800}-\u{dfff}]/u.test(url);
      if (answers[i] !== 'safe') return false;
      const { hostname } = new URL(url); // a host of another name to this platform, and not refused
      return hostname === 'evil.com';
    });
    expect(bad).toEqual([]);
  });
});

test('U+1E9E is a sharp s, in lists as in questions', () => {
  const list = builder().addHosts(['stra\u1e9ee.example', '%e1%ba%9e.example']).build();
  const same = builder().addHosts(['stra\u00dfe.example', '\u00df.example']).build();
  expect(list.toBytes()).toEqual(same.toBytes());
  const urls = ['\u1e9e', '\u00df', '%E1%BA%9E', '%e1%Ba%9e', '%E1\t%BA%9e', '%C3%9F'];
  for (const letter of urls) {
    const url = `http://u:\u1e9e@a.STRA${letter}e.example/x`;
    expect([letter, list.check(url)]).toEqual([letter, 'maybe']);
    expect(list.checkMany([url])).toEqual(['maybe']);
    expect(list.check(`${letter}.example\\@good.com`)).toBe('maybe');
  }
  expect(list.check('http://strasse.example/')).toBe('safe');
  expect(list.check('http://ss.example/')).toBe('safe');

  // In a path it is an ordinary letter.
  const page = builder().addUrls(['http://a.example/\u1e9e']).build();
  expect(page.check('http://a.example/\u1e9e')).toBe('maybe');
  expect(page.check('http://a.example/%e1%ba%9e')).toBe('maybe');
  expect(page.check('http://a.example/\u00df')).toBe('safe');
});

describe('schemes', () => {
  test.each(['http', 'https', 'ws', 'wss', 'ftp', 'HTTP', 'wSs'])(
    '%s is one of pages',
    (scheme) => {
      expect(verdictOf(`${scheme}://good.example/`)).toBe('safe');
      expect(verdictOf(`${scheme}://evil.com/`)).toBe('maybe');
    },
  );

  test.each([
    "javascript://good.example/%0alocation='http://evil.com/'",
    'java\nscript://good.example/',
    'intent://good.example/#Intent;scheme=http;end',
    'data:text/html,<script>location="http://evil.com/"</script>',
    'vbscript:x',
    'blob:http://good.example/1',
    'view-source:http://good.example/',
    'file://good.example/x',
    'file:///etc/passwd',
    'foo://good.example/',
    'foo://\ua7cb/',
    'foo://good.example:99999/',
    'about:blank',
    'mailto:a@good.example',
    'http+x://good.example/',
    'httpx://good.example/',
    'good.example:80/',
    'C:\\x',
    ' \u00a0Javascript://good.example/',
    '\u200bmailto:a@good.example',
    'foo://b\u00fccher.good.example/',
  ])('%j is none', (url) => {
    expect(verdictOf(url)).toBe('invalid');
    expect(verdictOf(url.replaceAll('good.example', 'evil.com'))).toBe('invalid');
  });
});

describe('length', () => {
  // The texts are long, so npm test takes one rule.
  const verdictOfLong = (url: string) => verdictOf(url, isLong ? lists : lists.slice(0, 1));
  const longest = 2 ** 21;
  const filled = (start: string, length: number) => start.padEnd(length, 'x');

  test('the fragment is not measured', () => {
    for (const length of [longest, 3 * longest]) {
      expect(verdictOfLong(`http://evil.com/#${'a'.repeat(length)}`)).toBe('maybe');
      expect(verdictOfLong(`http://good.com/#${'a'.repeat(length)}`)).toBe('safe');
      expect(verdictOfLong(`http://good.com/?#\ud800?${'/'.repeat(length)}`)).toBe('safe');
    }
    const list = builder().addUrls(['http://a.example/x%20']).build();
    expect(list.check('http://a.example/x #y')).toBe('maybe');
  });

  test.each(['http://good.com/', 'http://good.com/a/b?', 'good.com/'])(
    '2 MiB of %s are one, and no more',
    (start) => {
      const length = start.startsWith('http') ? longest : longest - 'http://'.length;
      for (const fragment of ['', `#${'x'.repeat(100)}`]) {
        expect(verdictOfLong(filled(start, length) + fragment)).toBe('safe');
        expect(verdictOfLong(filled(start, length + 1) + fragment)).toBe('invalid');
        expect(verdictOfLong(filled(start, 2 * length) + fragment)).toBe('invalid');
      }
    },
  );

  test('above it the host and the folders decide', () => {
    expect(verdictOfLong(filled('http://evil.com/', longest + 1))).toBe('maybe');
    expect(verdictOfLong(filled('http://folder.example/bad/', 2 * longest))).toBe('maybe');
    expect(verdictOfLong(filled('http://folder.example/bad/..%2f', 2 * longest))).toBe('maybe');
    expect(verdictOfLong(`http://folder.example/${'\u00fc'.repeat(longest)}`)).toBe('invalid');
    expect(verdictOfLong(`${filled('http://u@', longest)}:x@evil.com/`)).toBe('maybe');
    expect(verdictOfLong(filled('http://xn--a.evil.com\\@good.com/', 2 * longest))).toBe('maybe');
  });
});

describe('folders that decoding takes away', () => {
  test.each([
    '/bad/%252e%252e/x',
    '/bad/..%2fx',
    '/bad/..%2Fx?q',
    '/bad/%2e%2e%2fx',
    '/bad/.%2e%252fx/y',
    '/b%61d/x%2f..%2f..%2f..%2fy',
    '/deep/er/%252e%252e/%252e%252e/x',
    '/deep/er/%25252e%25252e%25252f..%2f..%2fx',
    '/deep%2fer/..%2f..%2fx',
    '/a/b/c/..%2f..%2f..%2fd',
    '/good/../bad/..%2fx',
    '////bad/..%2fx',
    '/deep////er/%252e%252e/x',
    '//a///b////c/..%2fx',
  ])('%s', (path) => {
    expect(verdictOf(`http://folder.example${path}`)).toBe('maybe');
    expect(verdictOf(`www.folder.example${path}#x`)).toBe('maybe');
    expect(verdictOf(`http://other.example${path}`)).toBe('safe');
  });

  test.each([
    '/bad',
    '/x/bad/..%2fy',
    '/baD/..%2fx',
    '/x?/bad/..%2f',
    '/good/%25/x',
    '/%2e%2e/deep/x',
  ])('%s is in none', (path) => {
    expect(verdictOf(`http://folder.example${path}`)).toBe('safe');
  });

  test('hits name them, each once', () => {
    for (const list of lists) {
      const hits = list.hits('http://folder.example/a/b/c/x%252f');
      expect(hits.map(({ expression }) => expression)).toEqual(['folder.example/a/b/c/']);
      const taken = list.hits('http://folder.example/bad/..%2fx');
      expect(taken).toEqual([
        { expression: 'folder.example/bad/', hash: hashExpression('folder.example/bad/') },
      ]);
    }
  });
});

describe('the shapes of what a list holds', () => {
  const shapesAt = 64 + 12;
  const entries: readonly string[] = [
    'a.example/',
    'b.example/x/',
    'c.example/x/y/',
    'd.example/x/y/z/',
    'e.example/page',
    'f.example/page?query',
    'g.example/1/2/3/4/',
    'h.example/x/?q',
  ];
  const bits = [0, 1, 2, 3, 4, 5, 4, 5];
  const urlFor = (expression: string) => `http://${expression}`;
  const listOf = (some: readonly string[]) => builder().addUrls(some.map(urlFor)).build();

  test('are those of the entries, and no listed URL of any is safe', () => {
    const urls = entries.map(urlFor);
    for (let subset = 0; subset < 2 ** entries.length; subset++) {
      const isIn = (_: unknown, i: number) => ((subset >> i) & 1) === 1;
      const list = listOf(entries.filter(isIn));
      const expected = bits.filter(isIn).reduce((shapes, bit) => shapes | (1 << bit), 0);
      expect(list.toBytes()[shapesAt]).toBe(expected);
      const words = urls.map((_, i) => (isIn(_, i) ? 'maybe' : 'safe'));
      expect(list.checkMany(urls)).toEqual(words);
      expect(urls.map((url) => list.check(`${url}#`))).toEqual(words);
      expect(UrlList.fromBytes(list.toBytes()).checkMany(urls)).toEqual(words);
      list.dispose();
    }
  });

  test('folders are found from below, whatever else is not listed', () => {
    const below = (folder: string) => [`http://w.${folder}`, `http://${folder}x/y.html?q`];
    for (const [i, entry] of entries.slice(0, 4).entries()) {
      const list = listOf([entry]);
      expect(list.toBytes()[shapesAt]).toBe(1 << i);
      expect(list.checkMany(below(entry))).toEqual(['maybe', 'maybe']);
      expect(list.check(`http://${entry}..%252f`)).toBe('maybe');
      list.dispose();
    }
  });

  test('the last page that goes takes its bit, by a delta too', () => {
    const all = listOf(entries);
    const fewer = listOf(
      entries.filter((entry) => !entry.includes('page') && !entry.includes('4')),
    );
    expect([all, fewer].map((list) => list.toBytes()[shapesAt])).toEqual([0b111111, 0b101111]);
    const delta = fewer.diff(all);
    expect(delta.toBytes()[64 + 7]).toBe(0b101111);
    expect(all.apply(delta).toBytes()).toEqual(fewer.toBytes());
    expect(fewer.apply(all.diff(fewer)).toBytes()).toEqual(all.toBytes());
  });

  test("a chain of deltas gives the builder's bytes", () => {
    const some = fc.subarray([...entries]);
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 8 }), (versions) => {
        let list = listOf([]);
        for (const version of versions) {
          const built = listOf(version);
          const next = list.apply(built.diff(list));
          expect(next.toBytes()).toEqual(built.toBytes());
          expect(next.identity).toEqual(built.identity);
          list.dispose();
          built.dispose();
          list = next;
        }
        list.dispose();
      }),
      { numRuns: budget(200) },
    );
  });

  test('the same prefixes of other shapes are another list', () => {
    const list = listOf(['a.example/']);
    expect(list.identity).not.toEqual(list.sha256);
    expect(list.identity).toEqual(UrlList.fromBytes(list.toBytes()).identity);
    expect(list.identity).not.toEqual(listOf(['b.example/x/']).identity);
  });
});
