/** Feeds in a list: listed entries, removals by exceptions, and the builder's report on the rest. */
import { describe, expect, test } from '@jest/globals';
import { type FeedFormat, readFeed } from 'tamis/feeds';
import { type UrlList, UrlListBuilder } from 'tamis/url';

import { expectCode, rejection } from './support/errors.js';
import { gate } from './support/waiting.js';

const build = async (...feeds: string[]): Promise<UrlListBuilder> => {
  const builder = new UrlListBuilder({ prefixBytes: 8 });
  for (const feed of feeds) await builder.addFeed(readFeed(feed));
  return builder;
};
const answers = (list: UrlList, ...urls: string[]) => list.checkMany(urls).join(' ');
const hosts = ['a.example', 'b.example', 'sub.c.example', 'xn--bcher-kva.example', '192.0.2.9'];

test('the same hosts are one list, whatever the format', async () => {
  const names = hosts.filter((host) => !/\d$/.test(host));
  const write: Partial<Record<FeedFormat, (host: string) => string>> = {
    domains: (host) => `*.${host}`,
    hosts: (host) => `0.0.0.0 ${host}`,
    adblock: (host) => `||${host}^`,
    rpz: (host) => `${host} CNAME .\n*.${host} CNAME .`,
    dnsmasq: (host) => `address=/${host}/#`,
    unbound: (host) => `local-zone: "${host}." always_null`,
    urls: (host) => `https://${host}/`,
    'phishtank-csv': (host) => `1,https://${host}/,yes,yes,Other`,
    'urlhaus-csv': (host) => `1,https://${host}/,online,m,a`,
  };
  const heads: Partial<Record<FeedFormat, string>> = {
    'phishtank-csv': 'phish_id,url,verified,online,target\n',
    'urlhaus-csv': '# id,url,url_status,threat,tags\n',
  };
  const texts = Object.entries(write).map(([format, line]) => [
    format,
    `${heads[format as FeedFormat] ?? ''}${names.map(line).join('\n')}\n`,
  ]);
  texts.push(['metamask', JSON.stringify({ blacklist: names })]);
  const expected = new UrlListBuilder().addHosts(names).build().identity;
  for (const [format, text] of texts as [FeedFormat, string][]) {
    for (const given of [format, 'auto'] as const) {
      const builder = new UrlListBuilder();
      await builder.addFeed(readFeed(text, { format: given }));
      expect([format, builder.build().identity]).toEqual([format, expected]);
    }
  }
});

describe('addFeed lists', () => {
  test('hosts with what is below, pages alone, and paths as page and folder', async () => {
    const builder = await build(
      '||a.example^\n|https://b.example/x?y|\n||c.example/x/y^\n||d.example/1/2/3/4^\n',
    );
    const list = builder.build();
    expect(builder.count).toBe(5);
    expect(
      answers(
        list,
        ...['http://a.example/', 'http://w.a.example/x', 'http://b.example/x?y'],
        ...['http://c.example/x/y', 'http://c.example/x/y/z', 'http://d.example/1/2/3/4'],
      ),
    ).toBe('maybe maybe maybe maybe maybe maybe');
    expect(
      answers(
        list,
        ...['http://b.example/x', 'http://b.example/', 'http://c.example/x/'],
        ...['http://c.example/x/yz', 'http://d.example/1/2/3/'],
      ),
    ).toBe('safe safe safe safe safe');
  });

  test('what is exact with its subdomains, or skips it and says so', async () => {
    const text = '0.0.0.0 a.example\n0.0.0.0 b.example\n';
    const widened = (await build(text)).build();
    expect(answers(widened, 'http://a.example/', 'http://w.a.example/')).toBe('maybe maybe');
    const builder = new UrlListBuilder();
    await builder.addFeed(readFeed(text), { exact: 'skip' });
    expect(builder.count).toBe(0);
    expect(builder.skipped.count).toBe(2);
    expect(builder.skipped.first[1]).toEqual({
      index: 1,
      entry: 'b.example',
      message: "addFeed: 'b.example' would cover more than meant",
    });
  });

  test('what it can, and counts the rest, also without skipInvalid', async () => {
    const builder = await build('http://a.example/x\nhttp://1.2.3.4.5/x\nhttp://[::/x\n');
    expect(builder.count).toBe(1);
    expect(builder.skipped.count).toBe(2);
  });
});

describe('exceptions', () => {
  const feeds = [
    '||a.example^\n||w.b.example^\n||c.example^\n',
    '@@||a.example^\n@@||b.example^\n',
  ];

  test.each([[feeds], [[...feeds].reverse()], [[feeds.join('')]]])(
    'win whatever the order: %j',
    async (given) => {
      const builder = await build(...given);
      builder.addHosts(['a.example']);
      expect(builder.allowed).toEqual(['a.example', 'b.example']);
      expect(builder.unmet).toEqual([]);
      expect([...builder.removed].sort()).toEqual(['a.example/', 'w.b.example/']);
      expect(builder.count).toBe(3);
      expect(builder.fullHashes).toHaveLength(32);
      const list = builder.build();
      expect(list.count).toBe(1);
      expect(answers(list, 'http://a.example/', 'http://w.b.example/', 'http://c.example/')).toBe(
        'safe safe maybe',
      );
    },
  );

  test('below a listed host take nothing away, and are told', async () => {
    const builder = await build('||a.example^\n@@||w.a.example^\n@@||b.example^\n');
    expect(builder.unmet).toEqual(['w.a.example']);
    expect(builder.removed).toEqual([]);
    expect(answers(builder.build(), 'http://a.example/', 'http://w.a.example/')).toBe(
      'maybe maybe',
    );
  });

  test.each([
    ['their own feed, as in AdGuard', '', 'safe safe'],
    ['no other feed', '||b.example^\n', 'maybe maybe'],
  ])('take pages and paths off %s', async (_, other, expected) => {
    const [pages, exception] = ['||a.example/x^\n|https://a.example/y|\n', '@@||a.example^\n'];
    const builder = await build(...(other ? [pages, other + exception] : [pages + exception]));
    expect(answers(builder.build(), 'http://a.example/x', 'http://a.example/y')).toBe(expected);
  });

  test('are no host to allow if the list still has a page of it', async () => {
    const builder = await build(
      '||a.example/phish^\n||b.example^\n',
      '@@||a.example^\n||c.example^\n',
    );
    expect(builder.allowed).toEqual([]);
    const below = '*.d.example CNAME rpz-passthru.\nz.example CNAME .\n';
    await builder.addFeed(readFeed(below, { format: 'rpz' }));
    await builder.addFeed(readFeed('@@||w.b.example^\n'));
    expect(builder.allowed).toEqual(['w.b.example']);
    expect(builder.unmet).toEqual(['w.b.example']);
  });

  test('of one host in a feed: the last counts', async () => {
    const zone = (type: string) => `local-zone: "a.example" ${type}\n`;
    const text = `local-data: "a.example A 0.0.0.0"\n${zone('always_transparent')}${zone('inform')}`;
    expect((await build(text)).build().count).toBe(1);
    expect(
      (await build(`${zone('static')}${text}${zone('always_transparent')}`)).build().count,
    ).toBe(0);
  });

  test('that are exact take away what is exact, and nothing with subdomains', async () => {
    const zone = (text: string) => readFeed(text, { format: 'rpz' });
    const passing = 'a.example CNAME rpz-passthru.\nb.example CNAME rpz-passthru.\n';
    const builder = new UrlListBuilder();
    await builder.addFeed(zone('a.example CNAME .\nb.example CNAME .\n*.b.example CNAME .\n'));
    await builder.addFeed(zone(passing));
    expect(builder.unmet).toEqual(['b.example']);
    expect(answers(builder.build(), 'http://a.example/', 'http://b.example/')).toBe('safe maybe');
    // A call that lists the host with its subdomains overrides the exception.
    builder.addHosts(['a.example']);
    expect(builder.unmet).toEqual(['a.example', 'b.example']);
  });

  test('of no importance do not reach what is important', async () => {
    const builder = await build(
      '||a.example^$important\n||b.example^$important\n',
      '@@||a.example^\n@@||b.example^$important\n',
    );
    expect(builder.unmet).toEqual(['a.example']);
    expect(answers(builder.build(), 'http://a.example/', 'http://b.example/')).toBe('maybe safe');
  });
});

describe('$badfilter', () => {
  const bad = '||a.example^$badfilter\n';
  test.each([
    ['before its rule', [`${bad}||a.example^\n`], 'safe'],
    ['behind its rule', [`||a.example^\n${bad}`], 'safe'],
    ['where another feed lists it before', ['||a.example^\n', `||a.example^\n${bad}`], 'maybe'],
    ['where another feed lists it behind', [`||a.example^\n${bad}`, '0.0.0.0 a.example'], 'maybe'],
    ['of another rule', [`||a.example^$important\n${bad}`], 'maybe'],
    ['of a host in other letters', [`||A.example^\n${bad}`], 'maybe'],
    ['of a host below', [`||w.a.example^\n||a.example^\n${bad}`], 'safe'],
  ])('%s', async (_, feeds, answer) => {
    const builder = await build(...feeds, '||b.example^\n');
    expect(answers(builder.build(), 'http://a.example/', 'http://b.example/')).toBe(
      `${answer} maybe`,
    );
  });

  test('takes nothing of a feed that is read at the same time', async () => {
    const { opened, open } = gate();
    const slow = async function* () {
      yield { line: 1, kind: 'host', text: 'a.example' } as const;
      await opened;
      yield { line: 2, kind: 'cancel', cancels: 'host', text: 'a.example' } as const;
    };
    const builder = new UrlListBuilder();
    const first = builder.addFeed(slow());
    await builder.addFeed(readFeed('||a.example^\n'));
    open();
    await first;
    expect(builder.build().count).toBe(1);
  });
});

describe('addFeed refuses', () => {
  test('a feed without entries', async () => {
    const page = readFeed('<html>\n<p>Not found\n</html>\n', { format: 'hosts' });
    const error = await rejection(new UrlListBuilder().addFeed(page));
    expect(error).toMatchObject({ code: 'ERR_TAMIS_REFUSED', message: /no entries/ as never });
  });

  test('what is no feed, and options that it does not have', async () => {
    for (const [feed, options] of [
      [undefined],
      [['a.example']],
      [readFeed('a.example'), { exact: 'no' }],
      [readFeed('a.example'), { none: 1 }],
      [
        (async function* () {
          yield 'a.example';
        })(),
      ],
      [
        (async function* () {
          yield { line: 1, kind: 'domain', text: 'a.example' };
        })(),
      ],
    ] as [never, never][]) {
      const error = await rejection(new UrlListBuilder().addFeed(feed, options));
      expect(error).toMatchObject({ code: 'ERR_TAMIS_INVALID_OPTION' });
    }
  });

  test('to go on when the signal aborts; what came before is in', async () => {
    const abort = new AbortController();
    const feed = (async function* () {
      yield { line: 1, kind: 'host', text: 'a.example' } as const;
      await new Promise(() => setTimeout(() => abort.abort(new Error('enough'))));
    })();
    const builder = new UrlListBuilder();
    const adding = builder.addFeed(feed, { signal: abort.signal });
    await expect(adding).rejects.toThrow('enough');
    expect(builder.count).toBe(1);
  });

  test('a feed that is cut, behind its whole records', async () => {
    const builder = new UrlListBuilder();
    const feed = readFeed('{"blacklist":["a.example","b.exam', { format: 'metamask' });
    expect(await rejection(builder.addFeed(feed))).toMatchObject({ code: 'ERR_TAMIS_TRUNCATED' });
    expect(builder.count).toBe(1);
  });
});

test('the gate refuses public suffixes, and names them', async () => {
  const builder = await build('||co.uk^\n||a.co.uk^\n||github.io^\n|https://github.io/x|\n');
  const suffixes = new Set(['co.uk', 'github.io']);
  const asked: string[] = [];
  const publicSuffixes = (host: string) => {
    asked.push(host);
    return suffixes.has(host);
  };
  const error = expectCode(() => builder.build({ gate: { publicSuffixes } }), 'REFUSED');
  expect((error as { offenders?: string[] }).offenders).toEqual(['co.uk/', 'github.io/']);
  expect(error.message).toMatch(/the list has public suffixes \(2\): 'co.uk\/'/);
  expect(asked).toEqual(['co.uk', 'a.co.uk', 'github.io']);
  suffixes.clear();
  expect(builder.build({ gate: { publicSuffixes } }).count).toBe(4);
});

test('a host of a feed is listed as addHosts lists it', async () => {
  const odd = [
    'xn--bcher-kva.example',
    'a_b.example',
    '-a.example',
    'a-.example',
    'a.b.c.d.e.f.g.example',
  ];
  const long = `${'a.'.repeat(120)}example`;
  for (const host of [
    ...hosts,
    ...odd,
    long,
    'a.xn--p1ai',
    'A.example',
    'a.example.',
    'x..example',
    'a.b1',
  ]) {
    const builder = new UrlListBuilder();
    await builder.addFeed(
      (async function* () {
        yield { line: 1, kind: 'host', text: host } as const;
      })(),
    );
    const expected = new UrlListBuilder({ skipInvalid: true }).addHosts([host]);
    expect([host, builder.build().identity]).toEqual([host, expected.build().identity]);
  }
});
