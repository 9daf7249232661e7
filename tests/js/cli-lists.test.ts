/** Lists as people have them: comments, blanks, endless lines; and outputs that are inputs. */
import { linkSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, normalizeKey } from 'tamis';
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
        `tamis: ${name}: line 3 has more than 65,536 bytes: --max-line N allows longer lines\n`,
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
      "lines are used unchanged; --comments '#' drops comments and blanks\n";
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
    expect(err).toMatch(/: it is (also an input|the same file as \S+), and would be lost\ntry: /);
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

describe('the spelling of keys', () => {
  const list = ['Ada', 'ZO\u00cb', 'zoe\u0308', '\uff27race'];
  const options = ['--lower-case', '--nfkc'];

  test('is kept, or becomes that of normalizeKey', async () => {
    put('list', lines(list));
    await output(['build', 'list', '-o', 'kept']);
    expect(get('kept').equals(BloomFilter.from(list).toBytes())).toBe(true);
    for (const [used, how] of [
      [options, { lowerCase: true, nfkc: true }],
      [['--lower-case'], { lowerCase: true }],
      [['--nfkc'], { nfkc: true }],
    ] as const) {
      const keys = list.map((key) => normalizeKey(key, how));
      await output(['build', 'list', '-o', 'x', '--capacity', '9', ...used]);
      expect(get('x').equals(BloomFilter.from(keys, { capacity: 9 }).toBytes())).toBe(true);
    }
  });

  test('is the same for each command, list and encoding of text', async () => {
    put('list', lines(list));
    put('good', 'ALAN\n');
    const types = [['bloom'], ['ribbon'], ['exact', '--exclude', 'good']];
    for (const [type = '', ...more] of types) {
      for (const keys of ['utf8', 'utf16']) {
        const how = ['--keys', keys, ...options];
        await output(['build', 'list', '-o', 'x', '--type', type, ...more, ...how]);
        const asked = ['ADA', 'zo\u00eb', 'Grace'];
        await output(['check', '--all', 'x', ...asked, ...how]);
        expect((await tamis(['check', '--all', 'x', 'ada', 'alan', '--keys', keys])).code).toBe(1);
        // The answers name keys as they came.
        expect(await output(['check', 'x', 'ADA', ...how])).toBe('probably present  ADA\n');
      }
    }
  });

  test('decides the pages and hashes of keys', async () => {
    const hash = (text: string, ...more: string[]) =>
      output(['hash', '--pages', '9', ...more], text).then((out) => out.split('\n')[0]);
    expect(await hash('\uff21DA\n', ...options)).toBe(await hash('ada\n'));
    expect(await hash('ADA\n', '--lower-case')).toBe(await hash('ada\n'));
    expect(await hash('ADA\n', '--nfkc')).not.toBe(await hash('ada\n'));
    for (const option of options) {
      const err = await refused(['hash', '--pages', '9', '--input', 'base64', option]);
      expect(err).toContain(`${option} works only with --input text`);
    }
  });
});

describe('a file that is no list of keys', () => {
  const digest = '5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8';
  const ofPwned =
    'tamis: list: warning: every line is HEX:NUMBER, as in a file of Pwned Passwords: the number is ' +
    "part of the key; 'cut -d: -f1' removes it (see the recipe Breached passwords)\n";
  const ofHtml =
    'tamis: list: warning: this is HTML, perhaps an error page that was saved as the list: ' +
    'each of its lines is a key\n';

  test.each([
    ['digests and counts', `${digest}:9659365\r\n${digest.toLowerCase()}:3\n`, ofPwned],
    ['digests of NTLM', `${digest.slice(8)}:1\n`, ofPwned],
    ['one line without a count', `${digest}:1\n`.repeat(9) + digest, ''],
    ['short words and ports', 'cafe:80\nbad:443\n', ''],
    ['HTML', '<!DOCTYPE html>\n<title>404</title>\n', ofHtml],
    ['HTML behind a BOM, an empty line and blanks', '\ufeff\n\t<html lang="en">\n', ofHtml],
    ['a page of XML', '<?xml version="1.0"?>\n<html>\n', ofHtml],
    ['a page without html', '<head>\n', ofHtml],
    ['HTML in a later line', 'a\n<html>\n', ''],
    ['a key in angles', '<a@b.example>\n', ''],
  ])('%s', async (_, content, warning) => {
    put('list', content);
    for (const words of [
      ['build', 'list', '-o', 'x', '--comments', '#'],
      ['plan', 'list', '--comments', '#'],
      ['hash', '--pages', '3', 'list', '--comments', '#'],
    ]) {
      const { code, err } = await tamis(words);
      expect({ words, code, err }).toEqual({ words, code: 0, err: warning });
    }
  });
});
