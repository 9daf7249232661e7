/** -q: a command that succeeds prints nothing but data for programs, also where it would warn. Errors are printed. */
import { expect, test } from '@jest/globals';
import { hosts, onTerminal, output, put, tamis, textOf } from './support/cli.js';
import { listOf, PEM } from './support/cli-url.js';

/** Commands that would print figures, answers or warnings, in an order in which each finds its files. */
const quiet: readonly string[][] = [
  ['plan', 'keys'],
  ['build', 'keys', '-o', 'a.tms'],
  ['build', 'keys', '-o', 'b.tms', '--capacity', '9'],
  ['check', 'a.tms', 'host-1.example'],
  ['inspect', 'a.tms', '--bits', '0:64'],
  ['merge', 'a.tms', 'a.tms', '-o', 'c.tms'],
  ['convert', 'g.tms', '--to', 'guava', '-o', 'g.bin'],
  ['shard', 'keys', '-o', 'out', '--name', 'list', '--pages', '2'],
  ['pages', 'records', '-o', 'built', '--name', 'list', '--pages', '1'],
  ['manifest', 'built', '--name', 'list'],
  ['url', 'build', 'lines', '-o', 'l.tamis', '--skip-invalid'],
  ['url', 'build', 'keys', 'lines', '-o', 'm.tamis', '--format', 'domains'],
  ['url', 'diff', 'l.tamis', 'bad.tamis', '-o', 'l.delta'],
  ['url', 'publish', 'bad.tamis', '--to', 'pub', '--name', 'bad', '--sign', 'k.pem'],
  ['url', 'check', 'bad.tamis', 'host-1.example'],
];

test('a command that succeeds prints nothing', async () => {
  put('keys', `# a comment\n${textOf(hosts)}`);
  put('lines', 'a.example\n#\nhttp://b.example/\nc.example\n');
  put('k.pem', PEM);
  put('bad.tamis', listOf(hosts).toBytes());
  put('records', await output(['hash', '-q', '--pages', '1'], textOf(hosts)));
  await output(['build', 'keys', '-o', 'g.tms', '--scheme', 'guava64', '-q']);
  for (const args of quiet) {
    expect({ args, ...(await onTerminal([...args, '-q'])) }).toEqual({
      ...{ args, code: 0, out: '', err: '' },
    });
  }
});

test('data for programs comes all the same', async () => {
  put('keys', textOf(hosts));
  const lines = await output(['hash', 'keys', '--pages', '1', '-q']);
  expect(lines.split('\n')).toHaveLength(502);
  put('records', lines);
  const part = await output(['pages', 'records', '-o', '-', '-q', '--name', 'a', '--pages', '1']);
  expect(part.length).toBeGreaterThan(500);
  expect(JSON.parse(await output(['plan', 'keys', '-q', '--json']))).toHaveProperty('type');
  await output(['build', 'keys', '-o', 'a.tms', '-q']);
  const answer = await tamis(['check', 'a.tms', '-q', '--json', 'host-1.example']);
  expect(answer).toEqual({ code: 0, out: '{"key":"host-1.example","has":true}\n', err: '' });
  put('k.pem', PEM);
  expect(await output(['url', 'key', 'k.pem', '-q'])).toMatch(/^[0-9a-f]{64}\n$/);
  expect(await output(['completion', 'bash', '-q'])).toBe(await output(['completion', 'bash']));
});

test('errors and the exit code come all the same', async () => {
  put('keys', textOf(hosts));
  await output(['build', 'keys', '-o', 'a.tms', '-q']);
  expect(await tamis(['check', 'a.tms', '-q', 'x'])).toEqual({ code: 1, out: '', err: '' });
  const err = 'tamis: none: no such file or folder\n';
  expect(await tamis(['inspect', 'none', '-q'])).toEqual({ code: 2, out: '', err });
  const all = await tamis(['url', 'build', 'keys', '-q', '-o', 'x', '--kind', 'expressions']);
  expect(all).toMatchObject({ code: 2, out: '' });
  expect(all.err).toMatch(/^tamis: keys: line 1: /);
});
