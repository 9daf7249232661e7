/** The format that `auto` tells, of small feeds, of feeds in the form of real ones, and of what is no feed. */
import { describe, expect, test } from '@jest/globals';
import { type FeedFormat, readFeed } from 'tamis/feeds';

import { inPieces, readAll } from './support/feeds.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const codeOf = (error: unknown) => (error as { code?: string } | undefined)?.code;

const clean: Readonly<Record<FeedFormat, string>> = {
  hosts: '127.0.0.1 localhost\n0.0.0.0 a.example\n',
  domains: '# title\na.example\nb.example\n',
  adblock: '[Adblock Plus]\n||a.example^\nb.example##.x\n',
  rpz: '$TTL 60\n@ SOA a. b. 1 2 3 4 5\n  NS localhost.\na.example CNAME .\n',
  dnsmasq: '# title\naddress=/a.example/#\n',
  unbound: 'server:\nlocal-zone: "a.example" static\n',
  urls: '# title\nhttps://a.example/x\n',
  'urlhaus-csv':
    '# id,dateadded,url,url_status,threat,tags\n"1","-","http://a.example/x","online","m","a"\n',
  'phishtank-csv': 'phish_id,url,verified,online,target\n1,http://a.example/x,yes,yes,Other\n',
  'urlhaus-json': '{"1":[{"url":"http://a.example/x","url_status":"online","threat":"m"}]}',
  'phishtank-json': '[{"phish_id":"1","url":"http://a.example/x","verified":"yes"}]',
  metamask: '{"version":2,"blacklist":["a.example"]}',
  csv: '',
  json: '["a.example", "b.example"]',
};

describe('auto', () => {
  test.each(Object.entries(clean).filter(([, text]) => text !== ''))(
    'tells %s',
    async (format, text) => {
      const feed = readFeed(text);
      expect(feed.report.format).toBe('auto');
      for await (const entry of feed) expect(entry.text).toMatch(/[ab]\.example/);
      expect(feed.report).toMatchObject({ format, entries: /domains|^json/.test(format) ? 2 : 1 });
    },
  );

  test.each(Object.entries(clean).filter(([format]) => !/csv$|json|metamask/.test(format)))(
    'looks no further than the first 64 kB of %s, however they are cut',
    async (format, text) => {
      const lines = text.trimEnd().split('\n');
      const last = lines.pop() as string;
      const sample = [...lines, ...Array(Math.ceil(65_536 / last.length)).fill(last)];
      const other = Array(9999).fill('<what/is this?>');
      for (const lengths of [[1000], [100, 3]]) {
        const feed = readFeed(inPieces(bytesOf([...sample, ...other].join('\r\n')), lengths));
        for await (const _ of feed);
        expect(feed.report).toMatchObject({ format, skipped: { 'not-understood': 9999 } });
      }
    },
  );

  const latin1 = (lines: readonly string[]) => Buffer.from(`${lines.join('\n')}\n`, 'latin1');
  const rules = ['! Title: ours \u00e9', '! Expires: 1 day', '||evil.example^', 'a.example##.ad'];
  const parts = ['&ad_zone=', '-banner.$image', '/ads/*/x.', '||b.example^$third-party,script'];
  const made: readonly (readonly [string, FeedFormat, readonly string[], number])[] = [
    [
      'EasyList',
      'adblock',
      ['[Adblock Plus 2.0]', ...Array(20).fill('what is this?'), ...rules],
      1,
    ],
    ['EasyPrivacy', 'adblock', ['[Adblock Plus 2.0]', ...rules, ...parts], 1],
    [
      'uBlock',
      'adblock',
      [
        ...[...rules, ...parts, 'google.*###x', 'a.example##+js(set, b, 1)', '##^script:has(a)'],
        ...['!#if env_firefox', '/^https?:..a/$popup', '*$script,3p,domain=a.example', '!#endif'],
      ],
      1,
    ],
    [
      'AdGuard Home',
      'adblock',
      ['!', ...rules.slice(0, 3), '|c.example^', '192.0.2.1', '0.0.0.0 d.example', 'e.example'],
      5,
    ],
    [
      'hosts',
      'hosts',
      ['! Title: ours \u00e9', '# x', '127.0.0.1 localhost', '0.0.0.0 a.example'],
      1,
    ],
    ['dnsmasq', 'dnsmasq', ['! ours', 'local=/a.example/', 'server=/b.example/#'], 1],
    ['unbound', 'unbound', ['! ours', 'server:', 'local-zone: "a.example" static'], 1],
    ['urls', 'urls', ['! ours', 'https://a.example/x'], 1],
    ['names and pages', 'domains', ['a.example', 'https://b.example/x'], 2],
    [
      'URLhaus by country',
      'urlhaus-csv',
      [
        '# Dateadded (UTC),URL,URL_status,Threat,Host,IPaddress,ASnumber,Country',
        '"2024-01-01 00:00:00","http://a.example/x","online","m","a.example","192.0.2.1","1","US"',
      ],
      1,
    ],
  ];
  test.each(made)('tells a list in the form of %s', async (_, format, lines, entries) => {
    const feed = readFeed(inPieces(latin1(lines), [7]));
    for await (const entry of feed) expect(entry.text).toMatch(/example|192/);
    expect(feed.report).toMatchObject({ format, entries });
  });

  test('takes a table by its known columns, and never by an unknown one', async () => {
    const text = `${clean['phishtank-csv']}2,http://good.example/,no,yes,Other\n`;
    expect((await readAll(text, {})).rows).toEqual([
      '2\tpage\thttp://a.example/x\tOther',
      '3\tskip unverified\thttp://good.example/',
    ]);
    const { error } = await readAll('id,url\n1,http://a.example/x\n', {});
    expect((error as Error).message).toMatch(/no format fits/);
  });

  test('knows the addresses of landing, and an array behind a number', async () => {
    const options = { landing: ['192.0.2.1'] };
    const { rows } = await readAll('192.0.2.1 a.example\n', options);
    expect(rows).toEqual(['1\thost exact\ta.example']);
    expect((await readAll('[1, "a.example"]', {})).rows).toEqual(['1\thost\ta.example']);
  });

  test('a rule among names leaves a list of names', async () => {
    const names = Array.from({ length: 19 }, (_, i) => `h${i}.example`);
    const feed = readFeed([...names, '||b.example^$third-party'].join('\n'));
    for await (const { isExact } of feed) expect(isExact).toBe(undefined);
    expect(feed.report.format).toBe('domains');
  });

  test('nine of ten lines must be understood, and the best guess is named', async () => {
    const ten = [...Array(9).fill('0.0.0.0 a.example'), 'what is this?'];
    expect((await readAll(ten.join('\n'), {})).rows).toHaveLength(10);
    // What is skipped for another reason is understood.
    const local = [...Array(8).fill('0.0.0.0 localhost'), ...ten.slice(8)];
    expect((await readAll(local.join('\n'), {})).error).toBeUndefined();
    // So is an exception.
    expect((await readAll('||a.example^\n@@||b.example^', {})).error).toBeUndefined();
    const { error } = await readAll(ten.slice(1).join('\n'), {});
    expect(codeOf(error)).toBe('ERR_TAMIS_INVALID_OPTION');
    expect((error as Error).message).toBe(
      "readFeed: no format fits ('hosts' understands 89 % of the lines): pass the option format",
    );
  });

  test.each([
    ['', 'no format fits the lines'],
    ['\n\n', 'no format fits the lines'],
    ['# nothing\n', 'no format fits the lines'],
    ['What is this?\nAnd this?\n', 'no format fits the lines'],
    ['[{}]', 'the content is JSON, but not in a known list format'],
    ['{"a":1}', 'the content is JSON, but not in a known list format'],
    ['\n<!DOCTYPE html>\n<html></html>', 'the content is HTML: pass a list as text'],
    ['a\0.\0e\0x\0', 'the content is UTF-16, not UTF-8: pass a list as text'],
    [Uint8Array.of(0xff, 0xfe, 97, 0), 'the content is UTF-16, not UTF-8: pass a list as text'],
    ['PK\x03\x04', 'the content is zip: pass a list as text'],
    ['BZh91AY', 'the content is bzip2: pass a list as text'],
    [`hosts.txt${'\0'.repeat(248)}ustar`, 'the content is tar: pass a list as text'],
  ])('does not guess what %j is', async (content, message) => {
    const bytes = typeof content === 'string' ? bytesOf(content) : content;
    const { error } = await readAll(inPieces(bytes, [1]), {});
    expect(error).toMatchObject({ code: 'ERR_TAMIS_INVALID_OPTION' });
    expect((error as Error).message).toBe(`readFeed: ${message}`);
  });

  test('a feed of more than 64 kB goes on behind what was looked at', async () => {
    const names = Array.from({ length: 9000 }, (_, i) => `h${i}.example`);
    const { rows } = await readAll(inPieces(bytesOf(names.join('\n')), [997]), {});
    expect(rows).toEqual(names.map((name, i) => `${i + 1}\thost\t${name}`));
  });
});
