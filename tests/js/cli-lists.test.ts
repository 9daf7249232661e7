/** Lists as people have them: comments, blanks, endless lines; and outputs that are inputs. */
import { linkSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter } from 'tamis';
import { UrlListBuilder } from 'tamis/url';
import { isLong } from './support/budget.js';
import { built, folder, get, hosts, KEY, output, put, refused, tamis } from './support/cli.js';

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');

describe('a line has a limit', () => {
  /** The commands that read lists, with `list` as the one that is too long; `-` is standard input. */
  const readers: ReadonlyArray<[string, string[]]> = [
    ['list', ['plan', 'list']],
    ['list', ['build', 'list', '-o', 'x']],
    ['list', ['build', 'list', '-o', 'x', '--type', 'ribbon']],
    ['list', ['build', 'hosts', '-o', 'x', '--type', 'exact', '--exclude', 'list']],
    ['standard input', ['build', '-', '-o', 'x', '--capacity', '500']],
    ['standard input', ['check', 'a.tms']],
    ['list', ['url', 'build', 'list', '-o', 'x']],
    ['list', ['url', 'build', 'hosts', '-o', 'x', '--must-not-match', 'list']],
    ['standard input', ['url', 'check', 'l.tamis', '-']],
  ];
  test.each(readers)('%s of %j', async (name, args) => {
    await built('a.tms', hosts);
    put('l.tamis', new UrlListBuilder().addHosts(hosts).build().toBytes());
    put('hosts', lines(hosts));
    const long = `a.example\n\n${'b'.repeat(65_537)}`;
    for (const content of [`${long}\n`, long, gzipSync(long)]) {
      put('list', content);
      const { code, err } = await tamis(args, content);
      expect(code).toBe(2);
      expect(err).toBe(
        `tamis: ${name}: line 3 has more than 65,536 bytes: --max-line N lets it be longer\n`,
      );
      expect(readdirSync(folder)).not.toContain('x');
    }
  });

  test('which may be changed', async () => {
    const keys = ['a', 'b'.repeat(65_536), 'c'];
    put('list', lines(keys));
    expect((await tamis(['build', 'list', '-o', 'x'])).code).toBe(0);
    expect(get('x').equals(BloomFilter.from(keys).toBytes())).toBe(true);
    const longer = [...keys, 'd'.repeat(70_000)];
    put('list', lines(longer));
    expect((await tamis(['build', 'list', '-o', 'x'])).code).toBe(2);
    expect(get('x').equals(BloomFilter.from(keys).toBytes())).toBe(true);
    expect((await tamis(['build', 'list', '-o', 'x', '--max-line', '70000'])).code).toBe(0);
    expect(get('x').equals(BloomFilter.from(longer).toBytes())).toBe(true);
    expect((await tamis(['build', 'list', '-o', 'x', '--max-line', '2'])).err).toMatch(
      /^tamis: list: line 2 has more than 2 bytes: /,
    );
  });

  test.each([
    ['one line', 'x', 8, /line 1 has more than 65,536 bytes/],
    ...(isLong ? [['comments', `${'#'.repeat(60_000)}\n`, 5, /an empty list/] as const] : []),
  ] as const)(
    'so that a small gzip file of %s takes little memory',
    async (_, text, parts, message) => {
      // Whole lines, one part after the other.
      const size = 2 ** 26 - (2 ** 26 % text.length);
      const part = gzipSync(Buffer.alloc(size, text));
      // 500 MB, and 330 MB, if all of it were kept. The garbage of a busy machine may be 100 MB.
      const bomb = Buffer.concat(Array.from({ length: parts }, () => part));
      expect(bomb.length).toBeLessThan(2e6);
      put('bomb.gz', bomb);
      const before = process.resourceUsage().maxRSS;
      const { code, err } = await tamis(['build', 'bomb.gz', '-o', 'x', '--comments', '#']);
      expect(code).toBe(2);
      expect(err).toMatch(message);
      expect(process.resourceUsage().maxRSS - before).toBeLessThan(250_000);
    },
  );
});

describe('comments, and blanks around keys', () => {
  const list =
    '# of 2026\na.example\n  b.example\nc.example\t\r\n\t# d.example\ne.example # why\nf#g\n';
  const asTheyStand = [
    ...['# of 2026', 'a.example', '  b.example', 'c.example\t', '\t# d.example'],
    ...['e.example # why', 'f#g'],
  ];
  const dropped = ['a.example', 'b.example', 'c.example', 'e.example', 'f#g'];

  test('are keys as they stand, and said', async () => {
    put('list', list);
    const { code, out, err } = await tamis(['build', 'list', '-o', 'x']);
    expect(code).toBe(0);
    expect(get('x').equals(BloomFilter.from(asTheyStand).toBytes())).toBe(true);
    expect(out).toMatch(/^x: 7 lines of list, [\d.]+ m?s\n/);
    const warning =
      'tamis: list: warning: 2 lines begin with #, 2 have blanks around the key: ' +
      "lines are taken as they stand; --comments '#' drops comments and blanks\n";
    expect(err).toBe(warning);
    const json = await tamis(['build', 'list', '-o', 'x', '--json']);
    expect(json.err).toBe(warning);
    expect(JSON.parse(json.out)).toMatchObject({ lines: 7, comments: 2, blanks: 2 });
    const plan = await tamis(['plan', 'list', '--json']);
    expect(plan.err).toBe(warning);
    expect(JSON.parse(plan.out)).toMatchObject({ capacity: 7, comments: 2, blanks: 2 });
    const check = await tamis(['check', 'x'], list);
    expect(check.out.match(/^probably present/gm)).toHaveLength(7);
    expect(check.err).toBe(warning.replace('list:', 'standard input:'));
  });

  test('are dropped by --comments', async () => {
    put('list', list);
    const options = ['--comments', '#'];
    const out = await output(['build', 'list', '-o', 'x', ...options]);
    expect(get('x').equals(BloomFilter.from(dropped).toBytes())).toBe(true);
    expect(out).toMatch(
      /^x: 5 lines of list, 3 comments and blanks around 2 keys dropped, [\d.]+ m?s\n/,
    );
    const json = await tamis(['build', 'list', '-o', 'x', '--json', ...options]);
    expect(JSON.parse(json.out)).toMatchObject({ lines: 5, comments: 3, blanks: 2 });
    expect(JSON.parse((await tamis(['plan', 'list', '--json', ...options])).out)).toMatchObject({
      capacity: 5,
      comments: 3,
      blanks: 2,
    });
    const check = await tamis(['check', 'x', ...options], list);
    expect(check).toEqual({
      code: 0,
      out: lines(dropped.map((key) => `probably present  ${key}`)),
      err: '',
    });
    put('only', '# a\n#\n  \n');
    expect((await tamis(['build', 'only', '-o', 'y', ...options])).err).toMatch(
      /: an empty list: /,
    );
  });

  test('of every list, in every form', async () => {
    put('good', lines(dropped));
    put('others', '# benign\n x \n');
    const exact = ['build', 'good', '-o', 'x', '--type', 'exact', '--exclude', 'others'];
    const { err } = await tamis(exact);
    expect(err).toMatch(/^tamis: others: warning: 1 line begins with #, 1 has blanks /);
    expect(await tamis([...exact, '--comments', '#'])).toMatchObject({ code: 0, err: '' });
    expect(await tamis(['check', 'x', 'x'])).toMatchObject({ code: 1 });

    put('list', '! AdGuard\na.example ! why\nb!c\n!!\n');
    expect((await tamis(['build', 'list', '-o', 'x', '--comments', '!'])).code).toBe(0);
    expect(get('x').equals(BloomFilter.from(['a.example', 'b!c']).toBytes())).toBe(true);

    put('urls', '\ufeff# listed\r\nhttp://a.example/#top # why\r\n');
    const build = ['url', 'build', 'urls', '-o', 'l.tamis', '--kind', 'urls', '--comments', '#'];
    const json = await tamis([...build, '--json']);
    expect(json).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(json.out)).toMatchObject({ count: 1, lines: 1, comments: 2, blanks: 0 });
    const check = await tamis(['url', 'check', 'l.tamis', '--comments', '#'], '# a\na.example #\n');
    expect(check.out).toBe('maybe    a.example  by a.example/\n');
  });

  test('long lists, whatever the borders of the chunks', async () => {
    const keys = Array.from({ length: 30_000 }, (_, i) => `${i}-\u00e9\u20ac\u{1f600}`);
    put(
      'list',
      gzipSync(keys.map((key, i) => `${' '.repeat(i % 3)}${key} #\u00e9 ${i}\n`).join('')),
    );
    const { code, out } = await tamis([
      'build',
      'list',
      '-o',
      'x',
      '--comments',
      '#\u00e9',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ lines: 30_000, comments: 30_000, blanks: 0 });
    expect(get('x').equals(BloomFilter.from(keys).toBytes())).toBe(true);
  });
});

describe('an output that is an input', () => {
  const cases: ReadonlyArray<[string, string[], string]> = [
    ['-o', ['build', 'list', '-o', 'list'], 'list'],
    ['-o', ['build', 'list', '-o', './list'], 'list'],
    ['-o', ['build', './list', '-o', 'symlink'], 'list'],
    ['-o', ['build', 'symlink', '-o', 'link'], 'list'],
    ['-o', ['build', 'list', '-o', 'others', '--type', 'exact', '--exclude', 'others'], 'others'],
    ['-o', ['build', 'list', '-o', 'key', '--secret-file', 'key'], 'key'],
    ['-o', ['merge', 'a.tms', 'b.tms', '-o', 'key', '--secret-file', 'key'], 'key'],
    ['-o', ['url', 'build', 'list', '-o', 'link'], 'list'],
    ['-o', ['url', 'build', 'list', '-o', 'others', '--must-not-match', 'others'], 'others'],
    ['--hashes', ['url', 'build', 'list', '-o', 'x', '--hashes', 'symlink'], 'list'],
    [
      '--hashes',
      ['url', 'build', 'list', '-o', 'x', '--must-not-match', 'others', '--hashes', './others'],
      'others',
    ],
    [
      '--hashes',
      ['url', 'build', 'list', '-o', 'x', '--previous', 'l.tamis', '--hashes', 'l.tamis'],
      'l.tamis',
    ],
    ['-o', ['url', 'diff', 'l.tamis', 'm.tamis', '-o', 'l.tamis'], 'l.tamis'],
    ['-o', ['url', 'diff', 'l.tamis', 'm.tamis', '-o', './m.tamis'], 'm.tamis'],
  ];
  test.each(cases)('%s of %j is refused', async (option, args, kept) => {
    put('list', lines(hosts));
    put('others', 'x.example\n');
    put('key', KEY);
    symlinkSync('list', join(folder, 'symlink'));
    linkSync(join(folder, 'list'), join(folder, 'link'));
    const listOf = (listed: readonly string[]): Uint8Array =>
      new UrlListBuilder().addHosts(listed).build().toBytes();
    put('l.tamis', listOf(hosts));
    put('m.tamis', listOf(hosts.slice(9)));
    for (const name of ['a.tms', 'b.tms']) put(name, BloomFilter.from(hosts).toBytes());
    const before = get(kept);
    const files = readdirSync(folder);
    const err = await refused(args);
    expect(err.startsWith(`tamis: ${option} `)).toBe(true);
    expect(err).toMatch(/: it is (read, too|the same file as \S+), and would be lost\ntry: /);
    expect(get(kept).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(files);
  });

  test('is allowed where nothing is lost', async () => {
    put('list', lines(hosts));
    expect((await tamis(['url', 'build', 'list', '-o', 'l.tamis'])).code).toBe(0);
    const again = ['url', 'build', 'list', '-o', 'l.tamis', '--previous', 'l.tamis'];
    expect((await tamis(again)).code).toBe(0);
    // Devices lose nothing.
    const none = await tamis(['build', '/dev/null', '-o', '/dev/null']);
    expect(none.err).toMatch(/^tamis: \/dev\/null: an empty list/);
  });
});
