/** tamis url build --format: entries that must not be listed, exceptions, public suffixes, and all lists' gate. */
import { describe, expect, test } from '@jest/globals';
import { UrlListBuilder } from 'tamis/url';
import { get, put, refused, run, tamis, textOf } from './support/cli.js';

const build = ['url', 'build', 'feed', '-o', 'x', '--format'];
const listOf = (listed: readonly string[]): Buffer =>
  Buffer.from(new UrlListBuilder().addHosts(listed).build().toBytes());

describe('--allow', () => {
  const feed = textOf(['a.example', 'w.a.example', 'b.example', 'c.d.example', 'e.example']);

  test('takes hosts off with what is below them, and says which', async () => {
    put('feed', feed);
    put('allow', '# ours\n\na.example\r\nD.Example\nnone.example\n');
    const args = [...build, 'domains', '--allow', 'allow'];
    const out = await run(args);
    expect(out).toContain(
      '  taken off        3 by exceptions: a.example, w.a.example, c.d.example\n',
    );
    expect(get('x').equals(listOf(['b.example', 'e.example']))).toBe(true);
    expect(JSON.parse(await run([...args, '--json'])).exceptions).toEqual({
      removed: { count: 3, first: ['a.example', 'w.a.example', 'c.d.example'] },
      unmet: { count: 0, first: [] },
    });
  });

  test('wins over $important', async () => {
    put('feed', '||a.example^$important\n||b.example^\n');
    put('allow', 'a.example\n');
    await run([...build, 'adblock', '--allow', 'allow']);
    expect(get('x').equals(listOf(['b.example']))).toBe(true);
  });

  test('=HOST takes off that host alone', async () => {
    put('feed', feed);
    put('allow', '=A.example\n=b.example # why\n=none.example\n');
    const out = await run([...build, 'domains', '--allow', 'allow']);
    expect(out).toContain('  taken off        2 by exceptions: a.example, b.example\n');
    expect(get('x').equals(listOf(['w.a.example', 'c.d.example', 'e.example']))).toBe(true);
  });

  test('takes off what a page at the root of a host lists', async () => {
    put('feed', textOf(['http://a.example/', 'https://u@B.example:8/#x', 'http://c.example/x']));
    put('allow', 'a.example\n=b.example\n=c.example\n');
    const out = await run([...build, 'urls', '--allow', 'allow']);
    expect(out).toContain('  taken off        2 by exceptions: a.example, b.example\n');
    const list = new UrlListBuilder().addUrls(['http://c.example/x']).build();
    expect(get('x').equals(list.toBytes())).toBe(true);
  });

  test('warns of a host that stays, since one above it is listed', async () => {
    put('feed', feed);
    put('allow', 'www.a.example\nx.y.b.example\ne.example\n');
    const { code, out, err } = await tamis([...build, 'domains', '--allow', 'allow']);
    expect(code).toBe(0);
    expect(err).toBe(
      'tamis: x: warning: 2 excepted hosts stay listed, because of a parent host or a stronger rule\n' +
        '  www.a.example\n  x.y.b.example\n',
    );
    expect(out).toContain('  taken off        1 by exceptions: e.example\n');
    put('allow', '=www.a.example\n');
    const json = await tamis([...build, 'domains', '--allow', 'allow', '--json']);
    expect(json.err).toMatch(/^tamis: x: warning: 1 excepted host stays listed/);
    expect(JSON.parse(json.out).exceptions.unmet).toEqual({ count: 1, first: ['www.a.example'] });
  });

  test.each([
    ['a.example\nx/y\n', /^tamis: allow: line 2: 'x\/y' is not a host\n$/],
    ['a.example\n\n=*.x.*\n', /^tamis: allow: line 3: '=\*\.x\.\*' is not a host\n$/],
    ['localhost\n', /^tamis: allow: line 1: 'localhost' is not a host\n$/],
    ['com', /^tamis: allow: line 1: 'com' is not a host\n$/],
    ['# nothing\n', /^tamis: allow: an empty list: expected a host on each line\n$/],
    ['a\0', /^tamis: allow: not text \(a NUL byte/],
  ])('%j is no such file, and nothing is written', async (text, message) => {
    put('feed', feed);
    put('allow', text);
    put('x', 'as it was');
    expect(await refused([...build, 'domains', '--allow', 'allow'])).toMatch(message);
    expect(get('x').toString()).toBe('as it was');
  });
});

describe('--public-suffixes', () => {
  const suffixes = textOf([
    '// This Source Code Form is subject to the terms of the Mozilla Public License',
    '',
    '// ===BEGIN ICANN DOMAINS===',
    'com',
    'uk',
    'co.uk',
    '*.ck',
    '!www.ck',
    '*.kobe.jp',
    '!city.kobe.jp',
    '// xn--p1ai',
    '\u0440\u0444',
    '\u043c\u0441\u043a.\u0440\u0443\u0441  // a comment behind a rule',
    '// ===END ICANN DOMAINS===',
    '// ===BEGIN PRIVATE DOMAINS===',
    'GitHub.io',
    '// ===END PRIVATE DOMAINS===',
  ]);
  const listed = (host: string): Promise<{ code: number | null; out: string; err: string }> => {
    put('feed', `${host}\nz.example\n`);
    put('psl', suffixes);
    return tamis([...build, 'domains', '--public-suffixes', 'psl', '--report', 'r']);
  };

  test.each([
    ...['co.uk', 'github.io', 'foo.ck', 'c.kobe.jp', 'kobe.jp'],
    ...['\u043c\u0441\u043a.\u0440\u0443\u0441', 'GITHUB.IO.'],
  ])('refuses %s', async (host) => {
    put('x', 'as it was');
    const { code, out, err } = await listed(host);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    const name = new URL(`http://${host}/`).hostname.replace(/\.$/, '');
    expect(err).toMatch(
      /^tamis: x: the list has public suffixes \(1\): .* \(ERR_TAMIS_REFUSED\); --allow FILE takes one off: =HOST for it alone, HOST with all that is listed below it; --keep HOST lists it\n/,
    );
    expect(err.endsWith(`\n  ${name}/\n`)).toBe(true);
    expect(get('x').toString()).toBe('as it was');
    expect(JSON.parse(get('r').toString())).toMatchObject({
      refused: expect.stringMatching(/public suffix/),
      offenders: [`${name}/`],
      publicSuffixes: 'checked',
      feeds: [{ entries: 2 }],
    });
    put('allow', `=${host}\n`);
    const out2 = await run([...build, 'domains', '--public-suffixes', 'psl', '--allow', 'allow']);
    expect(out2).toContain('  public suffixes  none listed\n');
    expect(get('x').equals(listOf(['z.example']))).toBe(true);
    await run([...build, 'domains', '--public-suffixes', 'psl', '--keep', 'd.ck', '--keep', host]);
    expect(get('x').equals(listOf([name, 'z.example']))).toBe(true);
  });

  test.each([
    ...['www.ck', 'city.kobe.jp', 'a.co.uk', 'eve.github.io', 'x.c.kobe.jp', 'b.foo.ck'],
    ...['jp.example', 'github.io.example', '192.0.2.7'],
  ])('takes %s', async (host) => {
    expect(await listed(host)).toMatchObject({ code: 0, err: '' });
    expect(get('x').equals(listOf([host, 'z.example']))).toBe(true);
  });

  test.each([
    [
      '<!DOCTYPE html>\n',
      /^tamis: psl: not a public suffix list: line 1 '<!DOCTYPE' is not a rule\n$/,
    ],
    ['com\n*.a.*.b\n', /line 2 '\*\.a\.\*\.b' is not a rule\n$/],
    ['// nothing\n', /^tamis: psl: a public suffix list without rules\n$/],
    ['', /without rules\n$/],
    [suffixes.slice(0, -40), /^tamis: psl: the public suffix list is cut short\n$/],
  ])('%j is no such list, and nothing is written', async (text, message) => {
    put('feed', 'a.example\n');
    put('psl', text);
    put('x', 'as it was');
    expect(await refused([...build, 'domains', '--public-suffixes', 'psl'])).toMatch(message);
    expect(get('x').toString()).toBe('as it was');
  });
});

describe('the gate of all lists', () => {
  test('holds for feeds: what must not match, the change, the least', async () => {
    put('feed', textOf(['a.example', 'b.example']));
    put('good', 'https://www.a.example/\n');
    put('x', 'as it was');
    const args = [...build, 'domains', '--report', 'r'];
    expect(await refused([...args, '--must-not-match', 'good'])).toMatch(
      /^tamis: x: sites of mustNotMatch are on the list \(entries: 1\): .*REFUSED\)\n {2}a\.example\/\n$/,
    );
    expect(await refused([...args, '--min-entries', '3'])).toMatch(/has fewer than 3 entries: 2/);
    expect(JSON.parse(get('r').toString())).toMatchObject({ name: 'x', refused: /fewer/ as never });
    expect(get('x').toString()).toBe('as it was');
    await run(args);
    put('feed', textOf(['a.example', 'b.example', 'c.example']));
    const change = [...args, '--previous', 'x', '--max-change'];
    expect(await refused([...change, '49'])).toMatch(/over 49 % of the entries were added: 1 of 2/);
    expect(await run([...change, '50'])).toMatch(/^x: 1 feed, [\d.]+ m?s; 1 added, 0 removed\n/);
  });
});
