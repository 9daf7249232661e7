/** tamis url build and diff: the lists that the package builds, and the checks before a list is built. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { createConfirmHandler, hashExpression, UrlDelta, UrlList, UrlListBuilder } from 'tamis/url';

import { folder, get, hosts, output, put, tamis } from './support/cli.js';

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');
const builder = (options = {}) => new UrlListBuilder(options);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Builds `name`.tamis of hosts. */
async function listOf(name: string, listed: readonly string[], ...options: string[]) {
  put(`${name}.txt`, lines(listed));
  const args = ['url', 'build', `${name}.txt`, '-o', `${name}.tamis`, ...options];
  expect(await tamis(args)).toMatchObject({ code: 0, err: '' });
}

describe('url build', () => {
  test('writes the list that the package builds, and says what it is', async () => {
    put('bad.txt', lines(hosts));
    const out = await output(['url', 'build', 'bad.txt', '-o', 'bad.tamis']);
    const list = builder().addHosts(hosts).build();
    expect(get('bad.tamis').equals(list.toBytes())).toBe(true);
    expect(out).toMatch(/^bad\.tamis: 500 lines of bad\.txt, [\d.]+ m?s\n {2}type +url-list\n/);
    expect(out).toMatch(/^ {2}entries +500$/m);
    expect(out).toMatch(/^ {2}prefix +4 bytes$/m);
    expect(out).toMatch(/^ {2}rule +parents$/m);
    expect(out).toMatch(/^ {2}false positives .*\(1 in 8,589,935\) of expressions$/m);
    expect(out).toContain(hex(list.sha256));
  });

  test('counts the pages that stand for more', async () => {
    put('bad.txt', 'http://a.example/x\nhttp://a.example/y/\nhttp://b.example//\n');
    const out = await output(['url', 'build', 'bad.txt', '-o', 'bad.tamis', '--kind', 'urls']);
    expect(out).toMatch(
      /^bad\.tamis: 3 lines of bad\.txt, 2 pages widened to all below, [\d.]+ m?s/,
    );
  });

  test('calls standard input by its name', async () => {
    const { out } = await tamis(['url', 'build', '-', '-o', 'bad.tamis'], 'evil.example\n');
    expect(out).toMatch(/^bad\.tamis: 1 line of standard input, /);
  });

  test.each(['hosts', 'urls', 'expressions'] as const)(
    '--kind %s, from .gz on stdin',
    async (kind) => {
      const texts = {
        hosts: ['EVIL.example:80', 'b\u00fccher.example', '0x7f.1'],
        urls: ['https://good.example/~eve?x=1', 'host.example', 'http://a.example/b/../c'],
        expressions: ['good.example/~eve/', 'host.example/page?query'],
      }[kind];
      const made = builder();
      if (kind === 'hosts') made.addHosts(texts);
      if (kind === 'urls') made.addUrls(texts);
      if (kind === 'expressions') made.addExpressions(texts);
      const args = ['url', 'build', '-', '-o', 'x', '--kind', kind, '--hashes', 'h', '--json'];
      const options = ['--prefix-bytes', '16', '--name', 'mine'];
      const out = await output([...args, ...options], gzipSync(lines(texts)));
      const widened = kind === 'urls' && { widened: { hosts: 0, pages: 1 } }; // `host.example`
      expect(JSON.parse(out)).toEqual({
        ...widened,
        name: 'mine',
        type: 'url-list',
        count: texts.length,
        prefixBytes: 16,
        rule: 'parents',
        sizeBytes: expect.any(Number),
        fpr: texts.length / 2 ** 128,
        sha256: expect.stringMatching(/^[\da-f]{64}$/),
        fileBytes: get('x').length,
        output: 'x',
        hashes: 'h',
        lines: texts.length,
        comments: 0,
        blanks: 0,
        buildMs: expect.any(Number),
      });
      const prefixes = UrlList.fromBytes(get('x')).prefixes();
      const first = made.fullHashes.filter((_, i) => i % 32 < 16);
      expect(hex(prefixes)).toBe(hex(first));
      expect(get('h').equals(made.fullHashes)).toBe(true);
    },
  );

  test('--hashes are what the confirm server takes', async () => {
    await listOf('bad', hosts, '--hashes', 'h');
    const handle = createConfirmHandler(get('h'), { cacheSeconds: 1, negativeSeconds: 1 });
    const hash = hashExpression(`${hosts[7]}/`);
    const request = { method: 'POST', body: hash.slice(0, 4) };
    const answer = await handle(new Request('https://api.example/', request));
    expect(Buffer.from(await answer.arrayBuffer()).includes(Buffer.from(hash))).toBe(true);
  });

  test('a line that is none is named, and nothing is written', async () => {
    const cases: [string, string, RegExp][] = [
      ['hosts', 'a.example\n\nx/y\nb.example\n', /^tamis: list: line 3.*'x\/y'.*no host/],
      ['urls', '\ufeffa.example\r\nmailto:eve', /^tamis: list: line 2.*'mailto:eve'.*no URL/],
      ['expressions', 'A.example/\n', /^tamis: list: line 1.*'A\.example\/'.*'a\.example\/'/],
      ['hosts', '# x/y\n', /^tamis: list: line 1.*; --comments '#' drops comments\n/],
      ['hosts', '0.0.0.0 a.example\n', /; --format hosts reads such lines\n$/],
      ['hosts', '! Title\n||a.example^\n', /; --format adblock reads such lines\n$/],
      ['hosts', 'address=/a.example/0.0.0.0\n', /; --format dnsmasq reads such lines\n$/],
      ['hosts', '<!DOCTYPE html>\n', /; this is HTML, perhaps the page of an error\n$/],
      ['urls', '||a.example^\n', /; --format adblock reads such lines\n$/],
      ['hosts', 'http://a.example/x\n', /; --kind urls reads such lines\n$/],
      ['hosts', '', /^tamis: list: an empty list/],
      ['hosts', 'a.example\n\0', /^tamis: list: not text/],
      ['hosts', `${'x'.repeat(999)}/y\n`, /^tamis: list: line 1.*'x{80}\.\.\.'/],
      ['hosts', `${`${lines(hosts)}\n\n`.repeat(20)}/`, /^tamis: list: line 10,041.*'\/'/],
    ];
    for (const [kind, text, message] of cases) {
      put('list', text);
      put('x', 'as it was');
      const args = ['url', 'build', 'list', '-o', 'x', '--hashes', 'h', '--kind', kind];
      const { code, out, err } = await tamis(args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(message);
      expect(err.split('\n')).toHaveLength(2);
      expect(get('x').toString()).toBe('as it was');
      expect(existsSync(join(folder, 'h'))).toBe(false);
    }
  });

  test('--rule tldts takes the package that is installed where the command runs', async () => {
    const home = join(folder, 'node_modules', 'tldts');
    mkdirSync(home, { recursive: true });
    put('node_modules/tldts/package.json', '{"name":"tldts","version":"7.0.1","main":"index.js"}');
    put(
      'node_modules/tldts/index.js',
      "exports.getDomain = (host) => host === 'co.uk' ? null : host.split('.').slice(-3).join('.')",
    );
    await listOf('bad', ['evil.co.uk'], '--rule', 'tldts');
    expect(UrlList.fromBytes(get('bad.tamis')).rule).toBe('psl-icann+private@tldts-7.0.1');
    const check = (...args: string[]) => tamis(['url', 'check', 'bad.tamis', ...args]);
    expect(await check('--rule', 'tldts', 'http://a.b.evil.co.uk/', 'http://co.uk/')).toEqual({
      code: 0,
      out: 'maybe    http://a.b.evil.co.uk/  by evil.co.uk/\nsafe     http://co.uk/\n',
      err: '',
    });
    const other = await check('http://a.b.evil.co.uk/');
    expect(other).toMatchObject({ code: 2, out: '' });
    expect(other.err).toMatch(
      /^tamis: bad\.tamis: .*'psl-icann\+private@tldts-7\.0\.1': expected --rule tldts\n/,
    );
  });
});

test('url check takes the rule of the list, unless it needs a package', async () => {
  const host = 'a.b.c.d.e.example';
  const check = (name: string, ...args: string[]) =>
    tamis(['url', 'check', `${name}.tamis`, `x.${host}`, ...args]);
  await listOf('new', [host]);
  await listOf('old', [host], '--rule', 'labels5');
  expect(await check('new')).toMatchObject({ code: 0, err: '' });
  expect(await check('old')).toMatchObject({ code: 1, err: '' });
  expect(await check('old', '--rule', 'labels5')).toMatchObject({ code: 1, err: '' });
  const refused = await check('old', '--rule', 'parents');
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toMatch(/^tamis: old\.tamis: .*'labels5', not with 'parents'/);
});

describe('the gate', () => {
  test('names what offends, and the list that stands stays', async () => {
    put('good.txt', 'https://www.google.example/maps\ngood.example\n');
    put('bad.txt', lines([...hosts, 'google.example', 'good.example']));
    put('x', 'as it was');
    const args = ['url', 'build', 'bad.txt', '-o', 'x', '--must-not-match', 'good.txt'];
    expect(await tamis(args)).toEqual({
      code: 2,
      out: '',
      err:
        "tamis: bad: sites of mustNotMatch are on the list (entries: 2): 'https://www.google.example/maps' is on " +
        "the list as 'google.example/' (ERR_TAMIS_REFUSED)\n  google.example/\n  good.example/\n",
    });
    const json = await tamis([...args, '--json']);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.out)).toEqual({
      name: 'bad',
      refused: expect.stringContaining('(entries: 2)'),
      offenders: ['google.example/', 'good.example/'],
    });
    expect(json.err.split('\n')).toHaveLength(2);
    expect(get('x').toString()).toBe('as it was');

    put('good.txt', lines(hosts.slice(0, 33)));
    const many = await tamis(args);
    expect(many.err.split('\n')).toHaveLength(23);
    expect(many.err).toMatch(/\n {2}host-19\.example\/\n {2}and 13 more\n$/);
  });

  test('a site that is no URL is an error that names it', async () => {
    put('bad.txt', lines(hosts));
    put('good.txt', 'good.example\nmailto:eve\n');
    const args = ['url', 'build', 'bad.txt', '-o', 'x', '--must-not-match', 'good.txt'];
    const { code, err } = await tamis(args);
    expect(code).toBe(2);
    expect(err).toMatch(/^tamis: good\.txt: line 2.*'mailto:eve'.*INVALID_URL\)\n$/);
  });

  test('compares with the list before', async () => {
    await listOf('old', hosts.slice(0, 480));
    put('new.txt', lines(hosts));
    const build = (...options: string[]) =>
      tamis(['url', 'build', 'new.txt', '-o', 'x', '--previous', 'old.tamis', ...options]);
    const refused = await build('--max-change', '4');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(/^tamis: new: over 4 % of the entries were added: 20 of 480/);
    expect(existsSync(join(folder, 'x'))).toBe(false);
    const { out } = await build('--max-change', '4.5%', '--min-entries', '500');
    expect(out).toMatch(/^x: 500 lines of new\.txt, .*; 20 added, 0 removed\n/);
    expect(JSON.parse((await build('--json')).out)).toMatchObject({ additions: 20, removals: 0 });
    expect((await build('--min-entries', '501')).err).toMatch(/has fewer than 501 entries: 500/);
    for (const [options, what] of [
      [['--prefix-bytes', '8'], "'parents' with 8"],
      [['--rule', 'labels5'], "'labels5' with 4"],
    ] as const) {
      const other = await build(...options);
      expect(other).toMatchObject({ code: 2, out: '' });
      const old = "--previous old.tamis is of rule 'parents' with prefixes of 4 bytes";
      const cure = 'build both with the same --rule and --prefix-bytes';
      expect(other.err).toBe(`tamis: ${old}, and new is of rule ${what}: ${cure}\n`);
    }
  });
});

test('with --allow-first, only a list before that is not there is none', async () => {
  put('new.txt', lines(hosts));
  const build = (...options: string[]) => {
    const gate = ['--max-change', '4', '--previous', 'old.tamis', ...options];
    return tamis(['url', 'build', 'new.txt', '-o', 'old.tamis', ...gate]);
  };
  expect(await build()).toEqual({
    ...{ code: 2, out: '' },
    err: 'tamis: --previous old.tamis: no such file or folder; if this is the first version, pass --allow-first\n',
  });
  for (const wrong of [
    ['--previous', ''],
    ['--previous', 'new.txt/x'],
    ['--min-entries', '501'],
  ]) {
    expect(await build('--allow-first', ...wrong)).toMatchObject({ code: 2, out: '' });
  }
  expect(await build('--allow-first')).toMatchObject({ code: 0, err: '' });
  put('new.txt', lines(hosts.slice(21)));
  expect((await build('--allow-first')).err).toMatch(
    /over 4 % of the entries were removed: 21 of 500/,
  );
  put('old.tamis', 'damaged');
  expect(await build('--allow-first')).toMatchObject({ code: 2, out: '' });
});

describe('url diff', () => {
  test('makes the new list of the old one', async () => {
    await listOf('old', hosts.slice(3));
    await listOf('new', hosts.slice(0, -5));
    const out = await output(['url', 'diff', 'old.tamis', 'new.tamis', '-o', 'd']);
    expect(out).toMatch(/^d: from old\.tamis to new\.tamis\n {2}type +url-delta\n {2}added +3\n/);
    const next = UrlList.fromBytes(get('old.tamis')).apply(UrlDelta.fromBytes(get('d')));
    expect(get('new.tamis').equals(next.toBytes())).toBe(true);
    const json = await tamis(['url', 'diff', 'old.tamis', 'new.tamis', '-o', 'd', '--json']);
    expect(JSON.parse(json.out)).toEqual({
      type: 'url-delta',
      removals: 5,
      additions: 3,
      prefixBytes: 4,
      sizeBytes: expect.any(Number),
      fileBytes: get('d').length,
      output: 'd',
    });
    const inspected = await tamis(['inspect', 'd']);
    expect(inspected.out).toBe(out.replace(/^d: .*/, 'd'));
    expect((await tamis(['inspect', 'new.tamis'])).out).toMatch(/^ {2}entries +495$/m);
  });

  test('of lists that have nothing to do with one another, or none', async () => {
    await listOf('old', hosts);
    await listOf('new', hosts, '--prefix-bytes', '8');
    await listOf('other', hosts, '--rule', 'labels5');
    put('text', 'a\n');
    const cases: [string, string, RegExp][] = [
      ['old.tamis', 'new.tamis', /^tamis: old\.tamis is .* new\.tamis is .* same --rule and --pre/],
      [
        'old.tamis',
        'other.tamis',
        /^tamis: old\.tamis is .*'parents' .* is of rule 'labels5' with 4/,
      ],
      [
        'old.tamis',
        'text',
        /^tamis: text: not a list of tamis url build \(ERR_TAMIS_NOT_TAMIS\): run tamis url build first, which makes a list from text\n$/,
      ],
      ['none', 'old.tamis', /^tamis: none: no such file or folder/],
    ];
    for (const [older, newer, message] of cases) {
      const { code, out, err } = await tamis(['url', 'diff', older, newer, '-o', 'd']);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(message);
      expect(existsSync(join(folder, 'd'))).toBe(false);
    }
  });
});

test('other commands say where lists of URLs belong', async () => {
  await listOf('bad', hosts);
  const { code, err } = await tamis(['check', 'bad.tamis', 'host-1.example']);
  expect(code).toBe(2);
  expect(err).toBe('tamis: bad.tamis: a url-list contains URLs: try tamis url check\n');
});

describe('arguments', () => {
  const build = ['url', 'build', 'list', '-o', 'x'];
  const publish = ['url', 'publish', 'list', '--to', 'x', '--sign', 'k', '--name', 'n'];
  const wrong: ReadonlyArray<[string[], RegExp]> = [
    [['url', 'frob'], /unknown command url frob: expected one of url build, url diff, url publish/],
    [['url', '-x'], /unknown option -x\n/],
    [['url', 'build'], /url build: expected one LIST/],
    [['url', 'build', 'a', 'b', '-o', 'x'], /url build: expected one LIST/],
    [['url', 'build', 'list'], /url build: expected -o FILE/],
    [[...build, '--kind', 'toString'], /--kind toString: expected one of hosts, urls, expressions/],
    [[...build, '--prefix-bytes', '5'], /prefixBytes.*ERR_TAMIS_INVALID_OPTION/],
    [[...build, '--prefix-bytes', 'x'], /--prefix-bytes x: expected a whole number/],
    [[...build, '--name', ''], /url build: --name must not be empty/],
    [[...build, '--rule', 'psl'], /--rule psl: expected one of parents, labels5, tldts/],
    [[...build, '--max-change', '5'], /--max-change needs --previous/],
    [[...build, '--allow-first'], /--allow-first needs --previous/],
    [[...build, '--max-change', 'x', '--previous', 'p'], /--max-change x: expected a share/],
    [[...build, '--min-entries', '-'], /--min-entries -: expected a whole number/],
    [[...build, '--hashes', 'x'], /-o and --hashes need two different files/],
    [[...build, '--hashes', './x'], /-o and --hashes need two different files/],
    [['url', 'build', '-', '-o', 'x', '--must-not-match', '-'], /standard input can be read only/],
    [['url', 'diff', 'a', '-o', 'x'], /url diff: expected OLD and NEW/],
    [['url', 'diff', 'a', 'b'], /url diff: expected -o FILE/],
    [['url', 'publish', '--to', 'x'], /url publish: expected one FILE/],
    [[...publish, '--key', 'k'], /unknown option --key\n/],
    [['url', 'publish', 'list', '--to', 'x'], /url publish: expected --sign PEM, --name NAME\n/],
    [publish.slice(0, -2), /url publish: expected --name NAME\n/],
    [[...publish, '--lifetime', '7'], /--lifetime 7: expected minutes, hours or days/],
    [[...publish, '--lifetime', '36526d'], /--lifetime 36526d: expected minutes, hours or days/],
    [[...publish, '--max-deltas', 'x'], /--max-deltas x: expected a whole number/],
    [[...publish, '--old-key', 'ab'], /--old-key ab: expected 64 hex digits/],
    [['url', 'check'], /url check: expected a list/],
    [['url', 'check', 'x', '-', '-'], /url check: standard input can be read only once/],
    [['url', 'check', 'x', '--public-key', 'z'], /--public-key z: expected 64 hex digits/],
    [['url', 'check', 'x', '--public-key', 'a'.repeat(64)], /x: a list in a file is not signed/],
    [['url', 'check', 'x', '--name', 'a'], /x: a list in a file is not signed/],
    [['url', 'check', '.', 'a'], /\.: expected --public-key HEX/],
    [['url', 'check', '.', 'a', '--name', 'a'], /\.: expected --public-key HEX/],
    [['url', 'check', '.', 'a', '--public-key', 'a'.repeat(64)], /\.: expected --name NAME/],
    [['url', 'check', 'http://a.example/manifest.json', 'a'], /expected --public-key HEX/],
  ];
  test.each(wrong)('%j is a mistake that is explained', async (args, message) => {
    put('list', 'a.example\n');
    const { code, out, err } = await tamis(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
    expect(err).not.toMatch(/^\s+at /m);
    const command = args
      .slice(0, 2)
      .join(' ')
      .replace(/ (frob|-x)$/, '');
    expect(err.endsWith(`\ntry: tamis ${command} --help\n`)).toBe(true);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('--help', async () => {
    const general = await tamis(['url', '--help']);
    expect(general).toMatchObject({ code: 0, err: '' });
    const options = {
      build: [
        ...['output', 'name', 'kind', 'prefix-bytes', 'rule', 'hashes'],
        ...['skip-invalid', 'comments', 'max-line', 'json', 'quiet'],
        ...['format', 'report', 'exact', 'columns', 'landing', 'allow', 'public-suffixes', 'keep'],
        'max-skipped',
        ...['must-not-match', 'previous', 'allow-first', 'max-change', 'min-entries'],
      ],
      diff: ['output', 'json', 'quiet'],
      publish: [
        ...['to', 'sign', 'create-key', 'name', 'previous', 'allow-first', 'version'],
        ...['label', 'severity', 'report-to', 'lifetime', 'jumps', 'max-deltas'],
        ...['old-key', 'json', 'quiet'],
      ],
      check: ['public-key', 'name', 'rule', 'comments', 'max-line', 'json', 'quiet'],
      key: ['create', 'json', 'quiet'],
    };
    for (const [command, names] of Object.entries(options)) {
      const out = await output(['url', command, 'x', '--help']);
      expect(out.startsWith(`tamis url ${command} `)).toBe(true);
      expect(general.out).toContain(`tamis url ${command} `);
      const shown = [...out.matchAll(/^ {2}(?:-\w, | {4})--([\w-]+)/gm)].map(([, name]) => name);
      expect(shown).toEqual(names);
    }
  });
});
