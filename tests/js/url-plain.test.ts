/** Most URLs are checked without parsing. The answer equals that for the URL of the platform's parser. */
import { describe, expect, jest, test } from '@jest/globals';
import { type ListAnswer, type UrlList, UrlListBuilder } from 'tamis/url';
import { budget } from './support/budget.js';
import { fc } from './support/fast-check.js';

/** Paths too, so that each change of a path would change an answer. */
const listed = [
  'a.example/x',
  'a.example/x/',
  'a.example/x/y',
  'b.example/',
  'a.example/X',
  'a.example/.x',
  'a.example/x?y',
  'a.example/~x/y?z',
  'xn--bcher-kva.example/',
  '127.0.0.1/x',
  'c.a.example/x/y',
];
const pages = new UrlListBuilder().addExpressions(listed).build();
/** Its URLs need no canonical form, and its hosts are cached. */
const hosts = new UrlListBuilder().addHosts(['a.example', 'xn--bcher-kva.example']).build();

/** `hits` always uses the platform's parser. */
function reference(list: UrlList, text: string): ListAnswer {
  try {
    return list.hits(text).length > 0 ? 'maybe' : 'safe';
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_TAMIS_INVALID_URL' });
    return 'invalid';
  }
}

const piece = fc.constantFrom(
  ...['http://', 'https://', 'HTTP://', 'http:/', 'a.example', 'b.example', 'A.example', '127.1'],
  ...[
    'c.',
    '.',
    '..',
    '/',
    '//',
    '/.',
    '/..',
    '/x',
    '/y',
    'x',
    'X',
    '?',
    '#',
    '%2e',
    '%61',
    '%',
    '@',
  ],
  ...[':80', ':', ' ', '\t', '\n', '\\', 'xn--bcher-kva.', 'b\u00fccher.', '~', "'", '"', '|', '^'],
  ...[
    '\u3002',
    '\u00ad',
    '\ud800',
    '\0',
    '1',
    '0x7f',
    '-',
    '_',
    '?y',
    '/~x/y?z',
    '[',
    ']',
    ';',
    '&',
  ],
);
const built = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const likely = fc
  .tuple(fc.constantFrom('http://', 'https://'), fc.constantFrom('a', 'c.a', 'b'), built)
  .map(([scheme, host, rest]) => `${scheme}${host}.example${rest}`);

test('a plain URL needs no parser of the platform', () => {
  const urls = ['https://a.example/x?y', 'http://c.a.example/x/y', 'https://good.example/'];
  const parser = jest.spyOn(globalThis, 'URL').mockImplementation(() => {
    throw new TypeError('no parser');
  });
  const [each, many] = [urls.map((url) => pages.check(url)), pages.checkMany(urls)];
  parser.mockRestore();
  expect(each).toEqual(['maybe', 'maybe', 'safe']);
  expect(many).toEqual(each);
});

describe.each([
  ['pages', pages],
  ['hosts', hosts],
])('the answer of a list of %s is that for what a browser would open', (_kind, list) => {
  test.each([
    ['of pieces', built],
    ['of a host of the list, and pieces', likely],
    ['of anything', fc.string({ unit: 'binary' })],
  ])('%s', (_name, texts) => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 20 }), (some) => {
        const expected = some.map((text) => reference(list, text));
        expect(some.map((text) => list.check(text))).toEqual(expected);
        expect(list.checkMany([...some, ...some])).toEqual([...expected, ...expected]);
        expect(some.map((text) => list.check(text))).toEqual(expected);
      }),
      { numRuns: budget(5000, 60) },
    );
  });
});
