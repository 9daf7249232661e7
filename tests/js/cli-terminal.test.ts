/** Output that only a terminal gets, and a pipe does not: colours, the width of help, progress. */
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { built, folder, hosts, looks, onTerminal, put, tamis, textOf } from './support/cli.js';
import { until } from './support/waiting.js';

const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
const green = (text: string): string => `\u001b[32m${text}\u001b[39m`;
const yellow = (text: string): string => `\u001b[33m${text}\u001b[39m`;
const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const plain = (text: string): string => text.replace(/\u001b\[\d+m/g, '');

afterEach(() => {
  jest.restoreAllMocks();
  for (const name of looks) delete process.env[name];
  process.env.TERM = 'xterm';
});

describe('colours', () => {
  test('of verdicts, on a terminal alone', async () => {
    await built('a.tms', hosts, '--fpr', '2^-30');
    const args = ['check', 'a.tms', 'host-1.example', 'no.example'];
    const { out } = await onTerminal(args);
    expect(out).toBe(
      `${yellow('probably present')}  host-1.example\n${green('certainly absent')}  no.example\n`,
    );
    expect((await tamis(args)).out).toBe(plain(out));
    expect((await onTerminal(args, { isPiped: true })).out).toBe(plain(out));
    const json = ['check', 'a.tms', 'host-1.example', '--json'];
    expect((await onTerminal(json)).out).toBe('{"key":"host-1.example","has":true}\n');
  });

  test('of the verdicts on URLs', async () => {
    put('list', 'evil.example\n');
    expect((await tamis(['url', 'build', 'list', '-o', 'l.tamis'])).code).toBe(0);
    const urls = ['http://evil.example/a', 'http://good.example/', 'mailto:eve'];
    const { out, err } = await onTerminal(['url', 'check', 'l.tamis', ...urls]);
    const verdicts = [yellow('maybe  '), green('safe   '), red('invalid')];
    for (const [i, line] of out.trimEnd().split('\n').entries()) {
      expect(line.startsWith(`${verdicts[i]}  ${urls[i]}`)).toBe(true);
    }
    expect(err).toMatch(/is invalid, and not known to be safe\n$/);
  });

  test('of errors, warnings and headings', async () => {
    const { err } = await onTerminal(['check', 'none.tms', 'a']);
    expect(err).toBe(`${red('tamis:')} none.tms: no such file or folder\n`);
    put('list', '# a\nb\n');
    const warned = await onTerminal(['build', 'list', '-o', 'a.tms', '--json']);
    expect(warned.err).toMatch(`tamis: list: ${yellow('warning:')} 1 line begins with #`);
    const { out } = await onTerminal(['build', '--help']);
    expect(out.startsWith(`${bold('tamis build LIST -o FILE [options]')}\n`)).toBe(true);
    expect(out).toContain(`\n${bold('Options:')}\n`);
    expect(plain(out)).toBe((await tamis(['build', '--help'])).out);
  });

  test('NO_COLOR and a dumb terminal have none, FORCE_COLOR brings them to a pipe', async () => {
    const help = (await tamis(['--help'])).out;
    process.env.NO_COLOR = '1';
    expect((await onTerminal(['--help'])).out).toBe(help);
    delete process.env.NO_COLOR;
    process.env.TERM = 'dumb';
    expect((await onTerminal(['--help'])).out).toBe(help);
    process.env.FORCE_COLOR = '1';
    const forced = (await tamis(['--help'])).out;
    expect(forced).not.toBe(help);
    expect(plain(forced)).toBe(help);
    process.env.FORCE_COLOR = '0';
    expect((await onTerminal(['--help'])).out).toBe(help);
  });

  test('a key of an absent key brings none', async () => {
    await built('a.tms', hosts, '--fpr', '2^-30');
    const { out } = await onTerminal(['check', 'a.tms', '\u001b[31mred']);
    expect(out).toBe(`${green('certainly absent')}  \\x1b[31mred\n`);
  });
});

describe('help', () => {
  test('a pipe has 80 columns, or COLUMNS', async () => {
    const { out } = await onTerminal(['help', 'build'], { columns: 110 });
    process.env.COLUMNS = '110';
    expect((await tamis(['help', 'build'])).out).toBe(plain(out));
    process.env.COLUMNS = 'many';
    expect((await tamis(['help', 'build'])).out).toBe(
      plain((await onTerminal(['help', 'build'], { columns: 80 })).out),
    );
  });
});

/** Builds a filter of a list whose second half comes late. The list ends once the terminal shows that half. */
async function buildLate(half: string, of: object = {}): Promise<string> {
  let shown = '';
  async function* slowly(): AsyncGenerator<Buffer> {
    yield Buffer.from(textOf(hosts.slice(0, 250)));
    // There is no rate before half a second.
    const laterMs = performance.now() + 700;
    jest.spyOn(performance, 'now').mockReturnValue(laterMs);
    yield Buffer.from(textOf(hosts.slice(250)));
    await until(() => shown.includes(half));
  }
  const stdin = Object.assign(Readable.from(slowly(), { objectMode: false }), of);
  const told = (text: string): void => {
    shown += text;
  };
  const build = ['build', '-', '-o', 'a.tms', '--capacity', '500'];
  const { code, err } = await onTerminal(build, { stdin, told });
  expect(code).toBe(0);
  return err;
}

describe('progress', () => {
  test('has a rate, and where the size is known, the time that is left', async () => {
    const err = await buildLate('8.4 kB');
    expect(err).toMatch(/reading [\d.]+ kB, [\d.]+ k?B\/s/);
    expect(err).not.toContain(' left');

    // A file as standard input, as the shell makes it for < list. Half of it was read.
    put('list', textOf([...hosts, ...hosts]));
    const fd = openSync(join(folder, 'list'), 'r');
    expect(await buildLate(' 50 %', { fd })).toMatch(
      /reading \[#{8}-{8}\] +50 % of [\d.]+ kB, [\d.]+ k?B\/s, \d+ (s|min) left/,
    );
  });

  test('of a check is shown where the answers go elsewhere', async () => {
    await built('a.tms', hosts);
    const check = (isPiped: boolean) =>
      onTerminal(['check', 'a.tms'], { stdin: Readable.from([Buffer.from('a\nb\n')]), isPiped });
    expect((await check(true)).err).toContain('checking ');
    expect((await check(false)).err).toBe('');
  });

  test('says that a fixed list is solved, and no share of it', async () => {
    put('list', hosts.join('\n'));
    for (const type of ['ribbon', 'binary-fuse']) {
      const { code, err } = await onTerminal(['build', 'list', '-o', 'a.tms', '--type', type]);
      expect(code).toBe(0);
      expect(err.split('solving 500 keys ...\r\u001b[2K').length).toBe(2);
      expect(err).not.toContain('building');
    }
  });

  test('nothing of it with --json, --quiet, or on a pipe', async () => {
    put('list', hosts.join('\n'));
    for (const type of ['bloom', 'ribbon']) {
      const build = ['build', 'list', '-o', 'a.tms', '--type', type];
      for (const option of ['--json', '--quiet', '-q']) {
        expect(await onTerminal([...build, option])).toMatchObject({ code: 0, err: '' });
      }
      expect(await tamis(build)).toMatchObject({ code: 0, err: '' });
    }
  });
});
