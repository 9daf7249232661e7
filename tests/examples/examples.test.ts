/** The examples, each run as its reader would run it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { BloomFilter, RibbonFilter } from 'tamis';
import { UrlListBuilder } from 'tamis/url';
import { atLeast, atMost, binomialInterval, logGamma } from '../../js/examples/binomial.mjs';

// Millions of questions: on a busy machine longer than a test usually may take.
const LONG_MS = 2_400_000;

const examples = fileURLToPath(new URL('../../js/examples/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tamis-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an example; rejects, with its output, if it does not end with exit code 0. */
const run = (name: string, ...args: string[]): Promise<Output> =>
  promisify(execFile)(process.execPath, [join(examples, name), ...args], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });

const require = createRequire(import.meta.url);
const phishing: Record<
  'blacklist' | 'whitelist' | 'fuzzylist',
  string[]
> = require('eth-phishing-detect/src/config.json');
const disposable: string[] = require('disposable-email-domains/index.json');
/** Some lines of the lists are single labels, which no list of URLs takes. */
const isHost = (line: string): boolean => line.includes('.');
const excepted = new Set(phishing.whitelist);
/** Neither the host nor one above it is an exception of the feed. */
const isNotExcepted = (host: string): boolean =>
  !host.split('.').some((_, i, labels) => excepted.has(labels.slice(i).join('.')));

test.each(['worker.mjs', 'stream.mjs', 'funnel.mjs', 'categories.mjs'])(
  '%s holds its checks',
  async (name) => {
    const { stdout, stderr } = await run(name);
    expect(stdout).toMatch(/^\w+: \d+ /);
    expect(stderr).toBe('');
  },
);

test('every example is run here', () => {
  const parts = ['binomial.mjs', 'binomial.d.mts', 'absent-hosts.mjs', 'blocklist-lists.mjs'];
  const halves = ['blocklist-client.mjs', 'blocklist-server.mjs', 'blocklist-urls.mjs'];
  const here = ['blocklist', 'categories', 'exact', 'funnel', 'stream', 'worker'];
  // Run by the other examples-*.test.ts, with these parts.
  const uses = ['servers', 'spell-checker', 'read-guard', 'cache-digest', 'dedupe-tree'];
  uses.push('crawler', 'sync-sets', 'log-filter', 'list-server', 'visited-states', 'mail-list');
  const elsewhere = [...here, ...uses].map((name) => `${name}.mjs`);
  elsewhere.push('figures.mjs', 'random.mjs');
  elsewhere.push('list-server.d.mts', 'serve.mjs', 'heap.mjs', 'whole-number.mjs');
  // Run in a browser, by tests/examples/examples.test.mjs.
  elsewhere.push('bundle.mjs', 'chat-links', 'extension');
  // Likewise, by tests/examples/breached-passwords.test.mjs.
  elsewhere.push('breached-passwords.mjs', 'breached-passwords', 'passwords.mjs');
  // On executors, and before a resolver, by lab/engines.
  elsewhere.push('spark', 'dns-server.mjs');
  // On a Redis, by lab/engines/crawler-frontier.test.mjs.
  elsewhere.push('crawler-frontier.mjs', 'crawler-worker.mjs', 'crawler-redis.mjs', 'made-web.mjs');
  expect(readdirSync(examples).sort()).toEqual([...parts, ...halves, ...elsewhere].sort());
});

describe('the crawl by many processes', () => {
  const fail = async (args: string[], env: Readonly<Record<string, string>>) =>
    promisify(execFile)(process.execPath, [join(examples, 'crawler-frontier.mjs'), ...args], {
      env: { NODE_OPTIONS: '', TMPDIR: folder, ...env },
    }).then(
      () => undefined,
      ({ code, stdout, stderr }) => ({ code, stdout, lines: stderr.trimEnd().split('\n') }),
    );

  test('says what to install where there is no redis-server', async () => {
    const before = readdirSync(folder);
    const failure = await fail([], { PATH: folder });
    const line = expect.stringMatching(/^There is no redis-server here\. .*apt-get install redis-/);
    expect(failure).toEqual({ code: 2, stdout: '', lines: [line] });
    expect(readdirSync(folder)).toEqual(before);
  });

  test('says that nobody answers', async () => {
    const failure = await fail(['--redis', 'redis://127.0.0.1:1'], {});
    expect(failure).toEqual({
      code: 2,
      stdout: '',
      lines: [expect.stringMatching(/ECONNREFUSED/)],
    });
  });

  test.each(['0', 'four', '-1', '1.5'])('refuses --processes %s', async (processes) => {
    const failure = await fail([`--processes=${processes}`], {});
    const line = `--processes ${processes}: expected a whole number above 0`;
    expect(failure).toEqual({ code: 2, stdout: '', lines: [line] });
  });
});

describe('the blocklist', () => {
  test(
    'passes from the server to the client, which finds that all holds',
    async () => {
      const { stdout, stderr } = await run('blocklist.mjs', folder);
      expect(stderr).toBe('');
      const cells = (label: string): string[] =>
        new RegExp(`^ *${label}  +(.*)$`, 'm').exec(stdout)?.[1]?.split(/ {2,}/) ?? [];
      const count = (value: number): string => value.toLocaleString('en-US');
      const keys = [phishing.blacklist.length, disposable.length].map(count);
      expect(cells('filter')).toEqual(
        [0, 1].flatMap(() => [BloomFilter, RibbonFilter].map(({ name }) => name)),
      );
      expect(cells('keys')).toEqual(keys.flatMap((number) => [number, number]));
      expect(cells('false negatives')).toEqual(Array(4).fill('0'));
      expect(cells('absent keys looked up')).toEqual(Array(4).fill('1,000,000'));
      const files = ['phishing-hosts', 'disposable-domains'].flatMap((name) =>
        ['BloomFilter', 'RibbonFilter'].map((type) => `${name}-${type}.tamis`),
      );
      const bytes = files.map((name) => readFileSync(join(folder, name)));
      expect(cells('bytes')).toEqual(bytes.map(({ length }) => count(length)));
      expect(bytes[0]?.equals(BloomFilter.from(phishing.blacklist).toBytes())).toBe(true);
      expect(bytes[1]?.equals(RibbonFilter.from(phishing.blacklist).toBytes())).toBe(true);
      expect(cells('  missed')).toEqual(['0', '0']);
      expect(cells('listed hosts in disguise asked')).toEqual(
        [phishing.blacklist.filter(isNotExcepted), disposable].map((keys) =>
          count(4 * keys.filter(isHost).length),
        ),
      );
      const { blacklist, whitelist, fuzzylist } = phishing;
      const hosts = blacklist.filter(isHost).length;
      const taken = new Set(blacklist.filter((host) => !isNotExcepted(host))).size;
      const report = [
        `phishing hosts, a feed that is 'metamask': ${count(blacklist.length + whitelist.length + fuzzylist.length)} lines`,
        `  ${count(hosts)} entries, ${count(whitelist.length)} exceptions`,
        `  ${count(fuzzylist.length)} skipped, fuzzy: line 1, ${fuzzylist[0]}`,
        `  ${count(blacklist.length - hosts)} skipped, single-label: line `,
      ];
      expect(stdout.startsWith(report.join('\n'))).toBe(true);
      expect(stdout).toContain(`\n  ${count(taken)} taken off by exceptions\n`);
      expect(stdout).toContain(`\ndisposable domains, a feed that is 'domains': `);
      expect(stdout).toMatch(/^All checks hold\. .*npm run demo$/m);
      const kB = (size: number): string => `${Math.round(size / 1000)} kB`;
      const text = kB(phishing.blacklist.join('\n').length);
      const [, rate = ''] = cells('  observed false-positive rate');
      const share = Number.parseFloat(rate).toFixed(2);
      expect(stdout.trimEnd().split('\n').at(-1)).toBe(
        `${keys[0]} hosts: ${text} -> ${kB(bytes[1]?.length ?? 0)}, 0 missed, ${share} % false positives`,
      );
    },
    LONG_MS,
  );

  test(
    'fails and names the checks when a filter and a list of URLs lack members',
    async () => {
      const lacking = new BloomFilter({ capacity: phishing.blacklist.length });
      lacking.addMany(phishing.blacklist.slice(1));
      writeFileSync(join(folder, 'phishing-hosts-BloomFilter.tamis'), lacking.toBytes());
      const urls = new UrlListBuilder();
      urls.addHosts(phishing.blacklist.slice(1).filter(isHost));
      writeFileSync(join(folder, 'phishing-hosts-UrlList.tamis'), urls.build().toBytes());
      const failure = await run('blocklist-client.mjs', folder, '10000').then(
        () => undefined,
        (error: Output & { code: number }) => error,
      );
      expect(failure?.code).toBe(1);
      expect(failure?.stderr.split('\n').filter((line) => line !== '')).toEqual([
        'FAILED: phishing hosts, BloomFilter: no false negative, asked with has',
        'FAILED: phishing hosts, BloomFilter: no false negative, asked with hasMany',
        'FAILED: phishing hosts, UrlList: no listed host is missed in any disguise',
      ]);
    },
    LONG_MS,
  );
});

describe('the exact filter', () => {
  test(
    'has every phishing host and no legitimate one',
    async () => {
      const { stdout, stderr } = await run('exact.mjs');
      expect(stderr).toBe('');
      expect(stdout).toMatch(/missed +0\n/);
      expect(stdout).toMatch(/false alarms +0\n/);
    },
    LONG_MS,
  );

  test('takes lists from files, and tells how many lines contradict', async () => {
    const [include, exclude] = ['bad.txt', 'good.txt'].map((name) => join(folder, name));
    writeFileSync(include as string, 'a.example\nb.example\nc.example\n');
    writeFileSync(exclude as string, 'd.example\nc.example\n');
    const args = [include as string, exclude as string];
    const failure = await run('exact.mjs', ...args).catch((error) => error);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringMatching(/^1 key is in both/) });
    const { stdout } = await run('exact.mjs', ...args, '--drop-overlap');
    expect(stdout).toMatch(/included +2\n/);
    expect(stdout).toMatch(/missed +0\n/);
  });
});

describe('the binomial tails', () => {
  test('ln gamma is the logarithm of the factorial', () => {
    let logFactorial = 0;
    for (let n = 1; n <= 300; n++) {
      expect(Math.abs(logGamma(n) - logFactorial)).toBeLessThanOrEqual(
        1e-13 * Math.max(1, logFactorial),
      );
      logFactorial += Math.log(n);
    }
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 13);
  });

  test.each([
    [10, 0.3],
    [30, 0.01],
    [25, 0.97],
  ])('n = %d, p = %d: the sums of all the terms', (n, p) => {
    const terms: number[] = [];
    for (let x = 0; x <= n; x++) {
      let choose = 1;
      for (let i = 0; i < x; i++) choose = (choose * (n - i)) / (i + 1);
      terms.push(choose * p ** x * (1 - p) ** (n - x));
    }
    const sum = (part: number[]): number => part.reduce((total, term) => total + term, 0);
    for (let x = 0; x <= n; x++) {
      expect(atMost(x, n, p)).toBeCloseTo(sum(terms.slice(0, x + 1)), 12);
      expect(atLeast(x, n, p)).toBeCloseTo(sum(terms.slice(x)), 12);
    }
  });

  // Worked out once with another program, to the last count.
  test.each([
    [1e6, 0.01, 9_409, 10_602],
    [1e7, 0.01, 98_119, 101_893],
    [1e6, 2 ** -8, 3_538, 4_286],
    [1e6, 0.001, 816, 1_195],
    [1e7, 2 ** -16, 85, 232],
    [1e7, 1e-6, 0, 34],
    [5, 0, 0, 0],
    [5, 1, 5, 5],
  ])('n = %d, p = %d: accepted at alpha 1e-9 from %d to %d', (n, p, low, high) => {
    expect(binomialInterval(n, p, 1e-9)).toEqual({ low, high });
  });
});
