/** tamis url build --format: feeds of others in a list, and the report on them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { UrlList, UrlListBuilder } from 'tamis/url';
import { folder, get, onTerminal, put, refused, run, tamis, textOf } from './support/cli.js';
import { formats, goldenFeeds } from './support/feeds.js';

const build = ['url', 'build'];
const to = ['-o', 'bad.tamis'];

const listOf = (listed: readonly string[], options = {}): Buffer =>
  Buffer.from(new UrlListBuilder(options).addHosts(listed).build().toBytes());

const ads = textOf([
  '[Adblock Plus 2.0]',
  '! Title: ours',
  '',
  '||evil.example^',
  '||shop.evil.example^$important',
  '@@||good.example^',
  '||tracker.example^$third-party',
  '||ga.example^$domain=~a.example',
  'shop.example##.banner',
]);
const hosts = textOf([
  '# ours',
  '127.0.0.1 localhost',
  '0.0.0.0 good.example www.good.example',
  '0.0.0.0 bad.example',
]);
const config = JSON.stringify({ blacklist: ['meta.example'], fuzzylist: ['a.example'] });

describe('several feeds', () => {
  test('of several formats are one list, and each is told of', async () => {
    put('ads.txt', ads);
    put('hosts.gz', gzipSync(hosts));
    const args = [...build, 'ads.txt', 'hosts.gz', '-', ...to, '--format', 'auto'];
    const { code, out, err } = await tamis([...args, '--report', 'r.json'], config);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const all = ['evil.example', 'shop.evil.example', 'bad.example', 'meta.example'];
    expect(get('bad.tamis').equals(listOf(all))).toBe(true);
    const [heading, ...rows] = out.split('\n');
    expect(heading).toMatch(/^bad\.tamis: 3 feeds, [\d.]+ m?s$/);
    expect(rows).toContain('  entries          4');
    expect(rows.slice(rows.findIndex((row) => row.startsWith('  widened')))).toEqual([
      '  widened          3 hosts, now with all subdomains',
      '  taken off        2 by exceptions: good.example, www.good.example',
      '  public suffixes  not checked: --public-suffixes FILE',
      'Feeds, and what was skipped:',
      '  ads.txt         adblock   2 entries of 6 lines',
      '    1 exception',
      '    modifier  2  line 7: ||tracker.example^$third-party',
      '    cosmetic  1  line 9: shop.example##.banner',
      '  hosts.gz        hosts     3 entries of 3 lines',
      '    local-name  1  line 2: localhost',
      '  standard input  metamask  1 entry of 2 lines',
      '    fuzzy  1  line 2: a.example',
      '',
    ]);
    expect(JSON.parse(get('r.json').toString())).toEqual({
      ...{ name: 'bad', output: 'bad.tamis', report: 'r.json', type: 'url-list', count: 4 },
      ...{ prefixBytes: 4, rule: 'parents', fpr: 4 / 2 ** 32, sizeBytes: expect.any(Number) },
      sha256: expect.stringMatching(/^[\da-f]{64}$/),
      fileBytes: get('bad.tamis').length,
      buildMs: expect.any(Number),
      exact: 'widen',
      publicSuffixes: 'not checked',
      exceptions: {
        removed: { count: 2, first: ['good.example', 'www.good.example'] },
        unmet: { count: 0, first: [] },
      },
      feeds: [
        {
          ...{ feed: 'ads.txt', format: 'adblock', lines: 9, entries: 2, allowed: 1 },
          ...{
            comments: 3,
            widened: { hosts: 0, pages: 0 },
            skipped: { modifier: 2, cosmetic: 1 },
          },
          first: [
            { line: 7, text: '||tracker.example^$third-party', reason: 'modifier' },
            { line: 8, text: '||ga.example^$domain=~a.example', reason: 'modifier' },
            { line: 9, text: 'shop.example##.banner', reason: 'cosmetic' },
          ],
        },
        {
          ...{ feed: 'hosts.gz', format: 'hosts', lines: 4, entries: 3, allowed: 0 },
          ...{ comments: 1, widened: { hosts: 3, pages: 0 }, skipped: { 'local-name': 1 } },
          first: [{ line: 2, text: 'localhost', reason: 'local-name' }],
        },
        {
          ...{ feed: 'standard input', format: 'metamask', lines: 2, entries: 1, allowed: 0 },
          ...{ comments: 0, widened: { hosts: 0, pages: 0 }, skipped: { fuzzy: 1 } },
          first: [{ line: 2, text: 'a.example', reason: 'fuzzy' }],
        },
      ],
    });
  });

  test('--json prints the object of --report, and nothing else', async () => {
    put('ads.txt', ads);
    const args = [...build, 'ads.txt', ...to, '--format', 'adblock', '--report', 'r', '--json'];
    const told = JSON.parse(await run(args));
    expect(told).toEqual(JSON.parse(get('r').toString()));
    expect(told).toMatchObject({
      ...{ name: 'bad', output: 'bad.tamis', report: 'r', type: 'url-list', prefixBytes: 4 },
      ...{ fpr: 2 / 2 ** 32, fileBytes: get('bad.tamis').length, feeds: [{ entries: 2 }] },
    });
    // So it does for a list that is refused.
    const { code, out } = await tamis([...args, '--min-entries', '9']);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toEqual(JSON.parse(get('r').toString()));
    expect(JSON.parse(out)).toMatchObject({ refused: expect.any(String), feeds: [{ entries: 2 }] });
  });

  test('a feed is the list that its lines make without --format', async () => {
    put('list', textOf(['a.example', 'b.example']));
    for (const options of [[], ['--prefix-bytes', '16', '--hashes', 'h']]) {
      await run([...build, 'list', '-o', 'plain', ...options]);
      const out = await run([...build, 'list', ...to, '--format', 'domains', ...options]);
      expect(out).toMatch(
        /\nFeeds, of which nothing was skipped:\n {2}list {2}domains {2}2 entries of 2 lines\n$/,
      );
      expect(get('bad.tamis').equals(get('plain'))).toBe(true);
    }
    expect(get('h').length).toBe(64);
  });
});

test.each(goldenFeeds)('--format $format takes the golden feed $name', async (feed) => {
  put('feed', feed.text);
  const options = ['--max-skipped', '100', '--report', 'r', '--json'];
  if (feed.format === 'csv') options.push('--columns', 'url=link');
  const out = await run([...build, 'feed', ...to, '--format', feed.format, ...options]);
  const { first: _, feed: __, widened, ...told } = JSON.parse(get('r').toString()).feeds[0];
  const expected = JSON.parse(feed.expected.trimEnd().split('\n').at(-1) as string);
  expect(widened.hosts).toBe(expected.exact);
  const noUrl = told.skipped['no-url'] ?? 0;
  expect({ ...told, entries: told.entries + noUrl }).toEqual({
    ...expected,
    exact: undefined,
    skipped: { ...expected.skipped, ...(noUrl > 0 && { 'no-url': noUrl }) },
  });
  expect(JSON.parse(out).count).toBeGreaterThan(0);
});

test('each format that the help names is one of the package, and the other way round', async () => {
  const { out } = await tamis(['help', 'url', 'build']);
  const help = out.replace(/\s+/g, ' ');
  const [, named = ''] = /64 kB: ([a-z, -]+?) --report/.exec(help) ?? [];
  expect(named.split(', ').sort()).toEqual(['auto', ...formats].sort());
});

describe('--exact', () => {
  const feed = '0.0.0.0 a.example\n0.0.0.0 b.example\n';

  test('widen lists subdomains too, skip does not list the host, and says so', async () => {
    put('feed', feed);
    put('other', 'c.example\n');
    const args = [...build, 'feed', 'other', ...to, '--format', 'auto'];
    const widened = await run([...args, '--exact', 'widen', '--json']);
    expect(JSON.parse(widened)).toMatchObject({ count: 3, exact: 'widen' });
    const out = await tamis([...args, '--exact', 'skip', '--report', 'r']);
    expect(out.err).toMatch(
      /^tamis: feed: no line of the feed is an entry\n {2}exact {2}2 {2}line/,
    );
    put('feed', `${feed}bad line\n`);
    put('feed', 'a.example CNAME .\n*.a.example CNAME .\nb.example CNAME .\n');
    const some = await run([...build, 'feed', ...to, '--format', 'rpz', '--exact', 'skip']);
    expect(some).toMatch(
      /\n {2}feed {2}rpz {2}1 entry of 2 lines\n {4}exact {2}1 {2}line 3: b\.example\n$/,
    );
    expect(get('bad.tamis').equals(listOf(['a.example']))).toBe(true);
  });
});

describe('--columns, --landing', () => {
  test('name the column of a table', async () => {
    put('feed', 'a,link\n1,http://a.example/x\n2,"http://b.example/\ny"\n');
    const args = [...build, 'feed', ...to, '--max-skipped', '67', '--format', 'csv', '--columns'];
    for (const column of ['url=2', 'url=LINK']) await run([...args, column]);
    const expected = new UrlListBuilder().addUrls(['http://a.example/x']).build();
    expect(get('bad.tamis').equals(expected.toBytes())).toBe(true);
    put('feed', 'a.example,x\nb.example,y\n');
    await run([...args, 'url=1']);
    expect(get('bad.tamis').equals(listOf(['a.example', 'b.example']))).toBe(true);
  });

  test('name what stands for a blocked name', async () => {
    put('feed', '192.0.2.1 a.example\n2001:DB8::1 b.example\n192.0.2.2 c.example\n');
    const args = [...build, 'feed', ...to, '--format', 'hosts'];
    await run([...args, '--landing', '192.0.2.1', '--landing', '2001:db8::1']);
    expect(get('bad.tamis').equals(listOf(['a.example', 'b.example']))).toBe(true);
    put('feed', 'a.example CNAME wall.example.\nb.example CNAME other.example.\n');
    await run([...build, 'feed', ...to, '--format', 'rpz', '--landing', 'wall.example']);
    expect(get('bad.tamis').equals(listOf(['a.example']))).toBe(true);
  });
});

describe('what a person sees', () => {
  test('no line is wider than the terminal, and nothing steers it', async () => {
    const long = `${'x'.repeat(60)}.example##.${'y'.repeat(200)}`;
    put(
      'long.txt',
      `||evil.example^\n${long}\n||\u001b[31mred.example^\u202e\n@@||evil.example^\n`,
    );
    put('f'.repeat(90), '||other.example^\n||more.example^\n');
    for (const columns of [40, 80, 120]) {
      const args = [...build, 'long.txt', 'f'.repeat(90), ...to, '--format', 'adblock'];
      const { code, out } = await onTerminal(args, { columns });
      expect(code).toBe(0);
      const rows = out.slice(out.indexOf('  public suffixes')).split('\n');
      for (const row of rows) expect(row.length).toBeLessThanOrEqual(columns);
      for (const control of ['\u001b[31m', '\u202e']) expect(out).not.toContain(control);
    }
    const { out } = await tamis([
      ...build,
      'long.txt',
      'f'.repeat(90),
      ...to,
      '--format',
      'adblock',
    ]);
    expect(out).toContain('line 3: ||\\x1b[31mred.example^\\u202e\n');
  });

  test('a progress line for each feed, which goes away', async () => {
    put('a', 'a.example\n');
    put('b', 'b.example\n');
    const args = [...build, 'a', '-', 'b', ...to, '--format', 'domains'];
    const stdin = () => Readable.from(['c.example\n'], { objectMode: false });
    const { err } = await onTerminal(args, { stdin: stdin() });
    expect(err).toContain('feed 1 of 3 [');
    expect(err).toContain('feed 2 of 3 ');
    expect(err).toContain('feed 3 of 3 [');
    const quiet = await onTerminal([...args, '--quiet'], { stdin: stdin() });
    expect(quiet.err).toBe('');
    put('c', 'c.example\n');
    expect((await onTerminal([...build, 'c', ...to, '--format', 'domains'])).err).toMatch(
      /reading \[/,
    );
  });
});

describe('what is no feed', () => {
  const html = '<!DOCTYPE html>\n<html>\n<body>\n<p>Not found</p>\n</body>\n</html>\n';
  const cut = '{"blacklist":["a.example","b.exam';
  const cases: [string, string, string, RegExp][] = [
    [
      'a page',
      'hosts',
      html,
      /^tamis: feed: no line of the feed is an entry\n {2}not-understood {2}6 {2}line 1: <!DOCTYPE html>\n$/,
    ],
    [
      'a page, told by itself',
      'auto',
      html,
      /^tamis: feed: the content is HTML: pass a list as text \(.*INVALID_OPTION\)\n$/,
    ],
    [
      'cut JSON',
      'metamask',
      cut,
      /^tamis: feed: the JSON of the feed ends too early \(ERR_TAMIS_TRUNCATED\)\n$/,
    ],
    ['damaged JSON', 'metamask', '{"a" 1}', /^tamis: feed: .*damaged \(ERR_TAMIS_CORRUPT\)\n$/],
    ['nothing', 'hosts', '', /^tamis: feed: no line of the feed is an entry\n$/],
    ['comments alone', 'hosts', '# a\n\n', /^tamis: feed: no line of the feed is an entry\n$/],
    [
      'all skipped',
      'adblock',
      '##.a\n/x/\n##.b\n',
      /entry\n {2}cosmetic {2}2 {2}line 1: ##\.a\n {2}regex {5}1 {2}line 2: \/x\/\n$/,
    ],
    [
      'most skipped',
      'domains',
      'a.example\nb c\nd e\n\n# x\n',
      /^tamis: feed: 2 of 3 lines were skipped, over 50 %; --max-skipped allows more\n {2}not-understood {2}2 {2}line 2: b c\n$/,
    ],
  ];
  test.each(cases)('%s: the list that stands stays', async (_, format, text, message) => {
    put('good', 'good.example\n');
    put('feed', text);
    put('bad.tamis', 'as it was');
    put('h', 'as it was');
    const args = [...build, 'good', 'feed', ...to, '--hashes', 'h', '--report', 'r'];
    const options = ['--format', format];
    if (!['auto', 'domains'].includes(format)) args.splice(2, 1);
    const err = await refused([...args, ...options]);
    expect(err).toMatch(message);
    expect(get('bad.tamis').toString()).toBe('as it was');
    expect(get('h').toString()).toBe('as it was');
    const told = JSON.parse(get('r').toString());
    expect(told).toMatchObject({ refused: expect.any(String), exact: 'widen' });
    expect(err).toContain(told.refused);
    expect(told).not.toHaveProperty('output');
  });

  test('a file that is not there, a folder, gzip that is cut', async () => {
    put('bad.tamis', 'as it was');
    put('cut.gz', gzipSync('a.example\n'.repeat(9999)).subarray(0, 40));
    const args = (feed: string) => [...build, feed, ...to, '--format', 'domains'];
    expect(await refused(args('none'))).toBe('tamis: none: no such file or folder\n');
    expect(await refused(args('.'))).toBe('tamis: .: is a folder, not a list\n');
    expect(await refused(args('cut.gz'))).toBe('tamis: cut.gz: the gzip data is cut short\n');
    expect(get('bad.tamis').toString()).toBe('as it was');
  });

  test('--max-skipped says how much may be, of one feed', async () => {
    const feed = textOf(['a.example', 'b.example', 'c d', '# x', '', 'e f']);
    put('feed', feed);
    put('long', textOf(Array.from({ length: 99 }, (_, i) => `host-${i}.example`)));
    const args = [...build, 'long', 'feed', ...to, '--format', 'domains', '--max-skipped'];
    for (const most of ['50', '50%', '100']) await run([...args, most]);
    expect(await refused([...args, '49.9'])).toMatch(
      /^tamis: feed: 2 of 4 lines were skipped, over 49\.9 %;/,
    );
    expect(await refused([...args, '0'])).toMatch(/2 of 4 lines were skipped, over 0 %/);
  });

  test('exceptions that leave nothing are an error', async () => {
    put('feed', '||a.example^\n@@||a.example^\n');
    put('bad.tamis', 'as it was');
    const err = await refused([...build, 'feed', ...to, '--format', 'adblock']);
    expect(err).toBe('tamis: bad: no entry is left\n');
    expect(get('bad.tamis').toString()).toBe('as it was');
    put('feed', '@@||a.example^\n');
    expect(await refused([...build, 'feed', ...to, '--format', 'adblock'])).toBe(err);
  });

  test('a report that cannot be written leaves the list, and is an error', async () => {
    put('feed', 'a.example\n');
    const args = [...build, 'feed', ...to, '--format', 'domains', '--report', 'none/r'];
    expect(await refused(args)).toBe('tamis: none/r: no such file or folder\n');
    expect(existsSync(join(folder, 'bad.tamis'))).toBe(false);
  });
});

test('what the reader takes and no browser opens is told, and is nothing that was taken off', async () => {
  put('feed', 'http://1.2.3.4.5/\nhttp://a.example/\nhttp://[::/x\n');
  put('allow', 'a.example.org\n');
  const args = [...build, 'feed', ...to, '--format', 'urls', '--allow', 'allow', '--json'];
  expect(JSON.parse(await run([...args, '--max-skipped', '67']))).toMatchObject({
    count: 1,
    exceptions: { removed: { count: 0, first: [] } },
    feeds: [{ entries: 1, skipped: { 'no-url': 2 }, first: [{ line: 1 }, { line: 3 }] }],
  });
});

test('a line that is too long is skipped, by --max-line', async () => {
  put('feed', `a.example\n${'b'.repeat(100)}.example\nc.example\n`);
  const args = [...build, 'feed', ...to, '--format', 'domains', '--max-line', '50', '--json'];
  expect(JSON.parse(await run(args)).feeds[0].skipped).toEqual({ 'too-long': 1 });
  expect(UrlList.fromBytes(get('bad.tamis')).count).toBe(2);
});

describe('arguments', () => {
  const feed = [...build, 'list', '-o', 'x'];
  const wrong: ReadonlyArray<[string[], RegExp]> = [
    [[...build, 'list', 'list', '-o', 'x'], /url build: expected one LIST, a file or -/],
    [[...build, '-o', 'x', '--format', 'auto'], /url build: expected one LIST/],
    [[...feed, '--format', 'host'], /--format host: did you mean hosts\?/],
    [[...feed, '--format', 'toString'], /--format toString: expected one of auto, domains, hosts/],
    [[...feed, '--format', 'auto', '--kind', 'hosts'], /--kind does not go with --format/],
    [[...feed, '--format', 'auto', '--exact', 'no'], /--exact no: expected one of widen, skip/],
    [[...feed, '--format', 'auto', '--max-skipped', 'x'], /--max-skipped x: expected a share/],
    [[...feed, '--format', 'auto', '--report', 'x'], /-o and --report need two different files/],
    [[...feed, '--format', 'auto', '--report', './x'], /-o and --report need two different files/],
    [
      [...feed, '--format', 'auto', '--report', 'r', '--hashes', 'r'],
      /--hashes and --report need two different files/,
    ],
    [
      [...feed, '--format', 'auto', '--report', 'list'],
      /--report list: it is also an input, and would/,
    ],
    [
      [...build, 'x', '-o', 'list', '--format', 'auto', '--allow', 'list'],
      /-o list: it is also an input/,
    ],
    [
      [...feed, '--format', 'auto', '--allow', '-', '--public-suffixes', '-'],
      /input can be read only once/,
    ],
    [[...build, '-', '-', '-o', 'x', '--format', 'auto'], /standard input can be read only once/],
    [[...feed, '--max-line', '0', '--format', 'auto'], /--max-line 0: expected .* at least 1/],
    [[...feed, '--format', 'csv'], /the format 'csv' needs the option column/],
    [[...feed, '--format', 'csv', '--columns', '2'], /--columns 2: expected url=2 or url=NAME/],
    [[...feed, '--format', 'csv', '--columns', 'url=0'], /--columns url=0: expected/],
    [[...feed, '--format', 'hosts', '--keep', 'a.example'], /--keep needs --public-suffixes/],
    [
      [...feed, '--format', 'hosts', '--keep', 'com', '--public-suffixes', 'x'],
      /com: expected a host/,
    ],
    ...['report', 'allow', 'public-suffixes'].map((name): [string[], RegExp] => [
      [...feed, `--${name}`, 'f'],
      new RegExp(`url build: --${name} needs --format`),
    ]),
    [[...feed, '--exact', 'widen'], /url build: --exact needs --format/],
    [[...feed, '--max-skipped', '5'], /url build: --max-skipped needs --format/],
  ];
  test.each(wrong)('%j is a mistake that is explained', async (args, message) => {
    put('list', 'a.example\n');
    const err = await refused(args);
    expect(err).toMatch(message);
    expect(err.endsWith('\ntry: tamis url build --help\n')).toBe(true);
    expect(existsSync(join(folder, 'x'))).toBe(false);
    expect(get('list').toString()).toBe('a.example\n');
  });
});
