/** cpp/FORMAT.md, section 6: the package and a second implementation, in Python, make the same of each URL. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { canonicalize, expressions, hashExpression, UrlList, UrlListBuilder } from 'tamis/url';
import { budget, seed } from './support/budget.js';
import { fc } from './support/fast-check.js';

import { urlGoldenFolder } from './support/golden.js';
import { run } from './support/python.js';
import { latin1, toHex, urlVectors } from './support/url-vectors.js';

const rules = ['parents', 'labels5'] as const;

/** Returns the package's canonical form and expressions of a URL by each rule, or 'none' if it has no canonical form. */
function ofPackage(url: Uint8Array): string {
  try {
    const all = rules.flatMap((rule) =>
      expressions(url, { rule })
        .map((one) => toHex(latin1(one)))
        .sort(),
    );
    return [toHex(latin1(canonicalize(url))), ...all].join(' ');
  } catch (error) {
    expect(error).toHaveProperty('code', 'ERR_TAMIS_INVALID_URL');
    return 'none';
  }
}

const program = `
from urls import *
for line in sys.stdin:
    url = bytes.fromhex(line)
    try:
        text = text_of(url)
        by = lambda rule: sorted(one.hex() for one in expressions(url, rule))
        print(*[text.hex(), *by('parents'), *by('labels5')] if text else ['none'])
    except NotImplementedError:
        print('idna')
`;

/** Both, for URLs whose host needs no IDNA. */
function compare(urls: readonly Uint8Array[]): void {
  const found = run(program, urls.map(toHex));
  const expected = urls.map((url, i) => (found[i] === 'idna' ? 'idna' : ofPackage(url)));
  expect(found).toEqual(expected);
  expect(found.filter((one) => one === 'idna').length).toBeLessThan(urls.length / 10);
}

describe('the same canonical form and expressions', () => {
  test('of the vectors', () => {
    const names = ['canonicalize.json', 'expressions.json'];
    compare(names.flatMap(urlVectors).map(({ input }) => latin1(input)));
    const hosts = urlVectors('ip.json').map(({ input }) => input);
    compare(hosts.flatMap((host) => [`http://${host}/`, `http://[${host}]/`].map(latin1)));
  });

  test('of texts that are made of the parts of URLs', () => {
    const parts = [
      'http:',
      '//',
      '/',
      '.',
      '..',
      '%2e',
      '%252f',
      '%',
      '%20',
      ':',
      '80',
      '@',
      '?',
      '#',
      '[',
    ];
    parts.push(
      ']',
      '::1',
      'ffff',
      '0x7f',
      '010',
      '255',
      'A',
      'b-',
      'evil',
      '\\',
      '\t',
      ' ',
      '%23',
      '*',
    );
    const url = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 12 });
    const urls = fc.sample(url, { numRuns: budget(3000), seed }).map((some) => some.join(''));
    compare(urls.map(latin1));
    compare(urls.map((rest) => latin1(`https://a.b.c.d.e.example/${rest}`)));
  });
});

test('hosts of many labels by the rule parents', () => {
  const labels = (count: number, last: string) => `${'x.'.repeat(count - 1)}${last}`;
  const long = [labels(126, 'yz'), labels(127, 'y'), labels(128, 'y'), labels(300, 'yz')];
  const wide = 'w'.repeat(300);
  const hosts = [...long, `a.${wide}.b.c.d.e.f`, `a.b.${wide}.c.d.e.f`, `a.b.${wide}.c`];
  compare(hosts.map((host) => latin1(`http://${host}/`)));
});

test('a list by the rule parents has the marks of its hosts', () => {
  const file = new URL('url-list-parents.tamis', urlGoldenFolder);
  const golden = UrlList.fromBytes(new Uint8Array(readFileSync(file)));
  const listed = [
    'evil.example/',
    'a.b.c.d.e.example/',
    'a.b.c.d.bad.example/',
    'f.e.d.c.b.a.bad.example/',
  ];
  expect(new UrlListBuilder().addExpressions(listed).build().identity).toEqual(golden.identity);
  const [found = ''] = run(
    [
      'from urls import *',
      'listed = [line.strip().encode() for line in sys.stdin]',
      'print(*sorted(one.decode() for one in marks(listed)))',
    ].join('\n'),
    [...listed, '1.2.3.4/', '[1:2:3:4:5:6:7:8]/', 'b.c.d.e.example/', 'a.example/b.c.d.e.f.g'],
  );
  expect(found.split(' ')).toEqual(['.a.bad.example/', '.d.bad.example/', '.d.e.example/']);
  const hashes = [...listed, ...found.split(' ')].map((one) => toHex(hashExpression(one)));
  expect(toHex(golden.prefixes()).match(/.{8}/g)).toEqual(
    hashes.map((hash) => hash.slice(0, 8)).sort(),
  );
});

test('hosts by the rule of public suffixes', () => {
  const hosts = [
    'example.co.uk',
    'a.example.co.uk',
    'f.e.d.c.b.a.example.co.uk',
    'co.uk',
    'x.y',
    '1.2.3.4',
  ];
  const domainOf = (host: string) => /[^.]+\.co\.uk$/.exec(host)?.[0] ?? null;
  const rule = { name: 'test', registrableDomain: domainOf };
  const expected = hosts.map((host) => expressions(`http://${host}/x`, { rule }).sort().join(' '));
  const lines = hosts.map((host) => `${host} ${domainOf(host) ?? host}`);
  const found = run(
    [
      'from urls import *',
      'for line in sys.stdin:',
      '    host, domain = line.encode().split()',
      "    print(*sorted(one.decode() for one in expressions(b'http://%b/x' % host, domain)))",
    ].join('\n'),
    lines,
  );
  expect(found).toEqual(expected);
});
