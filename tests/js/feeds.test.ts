/** The meaning of each line, by golden feeds; options; damaged feeds. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type FeedFormat, type FeedSkip, readFeed } from 'tamis/feeds';

import { expectOption, isDocumented } from './support/errors.js';
import { formats, goldenFeeds, inPieces, optionsOf, readAll } from './support/feeds.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const codeOf = (error: unknown) => (error as { code?: string } | undefined)?.code;

describe.each(goldenFeeds)('the golden feed $name', ({ format, text, expected }) => {
  const options = optionsOf(format);

  test('gives this for each line', async () => {
    expect(await readAll(text, options)).toEqual({
      text: expected,
      rows: expected.trimEnd().split('\n').slice(0, -1),
    });
  });

  test('gives the same with CRLF, a byte order mark and any cuts', async () => {
    const bytes = bytesOf(text);
    for (const lengths of [[1], [7, 1, 64], [1000]]) {
      expect((await readAll(inPieces(bytes, lengths), options)).text).toBe(expected);
    }
    const marked = bytesOf(`\ufeff${text.replaceAll('\n', '\r\n')}`);
    expect((await readAll(inPieces(marked, [5, 2]), options)).text).toBe(expected);
    expect((await readAll(new Blob([bytes]).stream(), options)).text).toBe(expected);
  });

  test('counts each of its lines', async () => {
    const { rows, text: all } = await readAll(text, options);
    const report = JSON.parse(all.trimEnd().split('\n').at(-1) as string);
    const skipped = Object.values(report.skipped as Record<string, number>);
    const sum = skipped.reduce((total, count) => total + count, 0);
    // The data of a zone count as a comment, if they say no more than the zone.
    const others = format === 'unbound' ? 1 : 0;
    expect(report.entries + report.allowed + sum).toBe(rows.length - others);
    expect(report.exact).toBe(
      rows.filter((row) => /^\d+\thost (exact|below)/.test(row)).length - others,
    );
  });
});

describe('options', () => {
  test('online: false keeps what is dead', async () => {
    const text = '[{"url":"http://a.example/x","verified":"yes","online":"no"}]';
    const format = 'phishtank-json';
    expect((await readAll(text, { format })).rows).toEqual(['1\tskip offline\thttp://a.example/x']);
    const { rows } = await readAll(text, { format, online: false });
    expect(rows).toEqual(['1\tpage\thttp://a.example/x']);
  });

  test.each([1, 9, 10, 65_536])('a line of %i bytes is read, one more is skipped', async (most) => {
    const name = (length: number) => `${'a'.repeat(length)}\n`;
    const text = `${name(most)}${name(most + 1)}${name(most).trim()}\r\n${name(5 * most)}${name(1)}`;
    // 65,536 is the default.
    const options = {
      format: 'domains' as const,
      ...(most !== 65_536 && { maxLineBytes: most }),
    };
    const told: FeedSkip[] = [];
    for (const lengths of [[most < 100 ? 1 : 97], [most], [most + 1, 3], [text.length]]) {
      const skips: FeedSkip[] = [];
      const onSkip = (skip: FeedSkip) => skips.push(skip);
      const feed = readFeed(inPieces(bytesOf(text), lengths), { ...options, onSkip });
      for await (const _ of feed) throw new Error('no name is here');
      const tooLong = skips.map(({ reason }) => reason === 'too-long');
      expect(tooLong).toEqual([false, true, false, true, false]);
      expect(skips.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
      if (told.length === 0) told.push(...skips);
      expect(skips).toEqual(told);
    }
  });

  test('a string of JSON has at most maxLineBytes too', async () => {
    const text = '{"blacklist":["bb.example","b.example"]}';
    const { rows } = await readAll(text, { format: 'metamask', maxLineBytes: 9 });
    expect(rows).toEqual(['1\tskip too-long\tan entry of blacklist', '2\thost\tb.example']);
  });

  test('the report shows 20 of each reason, and onSkip all', async () => {
    let count = 0;
    const onSkip = () => {
      count++;
    };
    const text = `${'single\n'.repeat(50)}${'a b\n'.repeat(2)}-1.2.3.4\n1.2.3.256\n`;
    const feed = readFeed(text, { format: 'domains', onSkip });
    for await (const _ of feed) throw new Error('no name is here');
    expect(count).toBe(54);
    expect(feed.report.first).toHaveLength(24);
    expect(feed.report.skipped).toEqual({ 'single-label': 50, 'not-understood': 4 });
  });

  test.each<[unknown, typeof TypeError | typeof RangeError]>([
    [{ format: 'tsv' }, RangeError],
    [{ format: 'csv' }, TypeError],
    [{ format: 'urls', column: 1 }, TypeError],
    [{ format: 'csv', column: 0 }, RangeError],
    [{ format: 'csv', column: '' }, TypeError],
    [{ format: 'csv', column: {} }, TypeError],
    [{ landing: '192.0.2.1' }, TypeError],
    [{ landing: [1] }, TypeError],
    [{ format: 1 }, TypeError],
    [{ maxLineBytes: 0 }, RangeError],
    [{ online: 1 }, TypeError],
    [{ onSkip: 1 }, TypeError],
    [{ none: 1 }, TypeError],
    [7, TypeError],
  ])('refuses the options %p', (options, kind) => {
    expect(expectOption(() => readFeed('', options as never), kind).message).toMatch(/^readFeed: /);
  });

  test('refuses what is no source', async () => {
    for (const source of [undefined, 7, {}, Promise.resolve('x')]) {
      expectOption(() => readFeed(source as never), TypeError);
    }
    for (const url of ['https://a.example/hosts.txt', 'HTTP://a.example']) {
      const { message } = expectOption(() => readFeed(url), TypeError);
      expect(message).toMatch(/the text is only a URL: pass the body of await fetch/);
      // A feed of one line, or of more, is one.
      for (const text of [`${url}\n`, `${url}\n${url}`, ` ${url} # page`]) {
        expect((await readAll(text, { format: 'urls' })).error).toBe(undefined);
      }
    }
    const strings = (async function* () {
      yield 'a.example';
    })();
    const { error } = await readAll(strings as never, {});
    expect(isDocumented(error)).toBe(true);
    expect((error as Error).message).toMatch(/^readFeed: chunk/);
  });
});

test.each<[string, FeedFormat, string, object, string[]]>([
  [
    'a number of a column names no heading',
    'csv',
    '1,a.example\n2,b.example\n',
    { column: 2 },
    ['1\thost\ta.example', '2\thost\tb.example'],
  ],
  [
    'a comment gives no columns',
    'csv',
    '# for us,url\nid,good,url\n1,good.example,https://a.example/x\n',
    { column: 'url' },
    ['3\tpage\thttps://a.example/x'],
  ],
  [
    'a record that a long line ends is skipped whole',
    'csv',
    `url\n"http://a.example/\n${'x'.repeat(99)}"\nb.example\n`,
    { column: 'url', maxLineBytes: 50 },
    [
      '2\tskip too-long\t"http://a.example/',
      `3\tskip too-long\t${'x'.repeat(80)}...`,
      '4\thost\tb.example',
    ],
  ],
  [
    'a record that a long line opens goes on',
    'csv',
    `url\n"${'x'.repeat(99)}\ngood.example\n"\nb.example\n`,
    { column: 'url', maxLineBytes: 50 },
    [`2\tskip too-long\t"${'x'.repeat(79)}...`, '5\thost\tb.example'],
  ],
  [
    'a view goes on behind a value on a line of its own',
    'unbound',
    'view:\n name:\n "v"\n local-zone: "a.example" refuse\nserver:\n local-zone: "b.example" refuse\n',
    {},
    [
      '3\tskip not-understood\t "v"',
      '4\tskip not-understood\t local-zone: "a.example" refuse',
      '6\thost\tb.example',
    ],
  ],
  [
    'a heading in front of a zone is no line of its own',
    'unbound',
    'server: local-zone: "a.example" refuse\n',
    {},
    ['1\thost\ta.example'],
  ],
  [
    'a deep folder is narrowed, and a continued line is no name',
    'adblock',
    '||a.example/1/2/3/4/\n||b.example^$domain= \\\n    good.example\n',
    {},
    [
      '1\tskip narrowed\t||a.example/1/2/3/4/',
      '1\tpage ||f$\thttps://a.example/1/2/3/4/',
      '2\tskip not-understood\t||b.example^$domain= \\',
      '3\tskip not-understood\tgood.example',
    ],
  ],
])('%s', async (_, format, text, options, expected) => {
  expect((await readAll(text, { format, ...options })).rows).toEqual(expected);
});

describe('damage', () => {
  test('gzip is named, however it is cut', async () => {
    for (const lengths of [[1], [2], [1000]]) {
      const { error } = await readAll(inPieces(gzipSync('a.example'), lengths), {
        format: 'domains',
      });
      expect(codeOf(error)).toBe('ERR_TAMIS_INVALID_OPTION');
      expect((error as Error).message).toMatch(/DecompressionStream/);
    }
  });

  test.each(goldenFeeds.filter(({ text }) => /^[[{]\n/.test(text)))(
    '$name that is cut anywhere is TRUNCATED behind the whole records',
    async ({ format, text }) => {
      const { rows } = await readAll(text, { format });
      for (let end = 0; end < text.trimEnd().length; end += 3) {
        const cut = await readAll(text.slice(0, end), { format });
        expect(codeOf(cut.error)).toBe('ERR_TAMIS_TRUNCATED');
        expect(rows.slice(0, cut.rows.length)).toEqual(cut.rows);
      }
    },
  );

  test.each([
    '{"a" 1}',
    '[1,]',
    '{,}',
    '[1 2]',
    '{"a":}',
    '[tru]',
    '["\\x"]',
    '["a\nb"]',
    '[] []',
    '[01]',
    ']',
  ])('%j is CORRUPT', async (text) => {
    expect(codeOf((await readAll(text, { format: 'metamask' })).error)).toBe('ERR_TAMIS_CORRUPT');
  });

  test('an item of an array belongs to it, also behind an object that is an item', async () => {
    const text = '{"blacklist":[{"fuzzylist":"x"},"a.example"]}';
    expect((await readAll(text, { format: 'metamask' })).rows).toEqual(['1\thost\ta.example']);
  });

  test('the absolute owner of the SOA record is the zone', async () => {
    const zone = 'rpz.example. SOA a. b. 1 2 3 4 5\na.example.rpz.example. CNAME .\n';
    expect((await readAll(zone, { format: 'rpz' })).rows).toEqual(['2\thost exact\ta.example']);
  });

  test('a zone whose parenthesis is open is TRUNCATED', async () => {
    const { error, rows } = await readAll('a.example CNAME .\nb.example CNAME (\n.\n', {
      format: 'rpz',
    });
    expect(codeOf(error)).toBe('ERR_TAMIS_TRUNCATED');
    expect(rows).toEqual(['1\thost exact\ta.example']);
  });

  test('of adblock rules, a path is no regular expression, and a heading is a comment', async () => {
    const { rows, text } = await readAll('/banner/ads\n# heading\n#heading\n$script\n', {
      format: 'adblock',
    });
    expect(rows).toEqual(['1\tskip pattern\t/banner/ads', '4\tskip modifier\t$script']);
    expect(text).toContain('"comments":2');
  });

  test('of a page of HTML no line is understood', async () => {
    const page = '<!DOCTYPE html>\n<html>\n<body>\n<p class="a">Not found</p>\n</body>\n</html>\n';
    for (const format of formats) {
      if (/json|metamask/.test(format)) continue;
      const { rows } = await readAll(page, optionsOf(format));
      expect(rows).toHaveLength(6);
      for (const row of rows) expect(row).toMatch(/skip not-understood/);
    }
  });

  test('NUL and bytes that are no UTF-8 cost their own line alone', async () => {
    const bytes = Uint8Array.from([
      ...bytesOf('a.example\nb\0.example\nc'),
      0xff,
      ...bytesOf('.example\nd.example'),
    ]);
    for (const length of [1, 1000]) {
      const { rows } = await readAll(inPieces(bytes, [length]), { format: 'domains' });
      expect(rows.map((row) => row.split('\t').slice(0, 2).join())).toEqual([
        '1,host',
        '2,skip not-understood',
        '3,skip not-understood',
        '4,host',
      ]);
    }
  });

  test('an error of the source is told, behind what it gave', async () => {
    const source = (async function* () {
      yield bytesOf('a.example\nb.ex');
      throw new Error('the line is dead');
    })();
    const { rows, error } = await readAll(source, { format: 'domains' });
    expect(rows).toEqual(['1\thost\ta.example']);
    expect((error as Error).message).toBe('the line is dead');
  });
});
