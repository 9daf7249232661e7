/** Each command once in a process of its own: pipes, exit codes, signals, a terminal. */
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import {
  built,
  cli,
  env,
  folder,
  get,
  hosts,
  put,
  runProcess,
  start,
  tamis,
  waitForEnd,
} from '../js/support/cli.js';

/** Makes times and random values the same. */
const steady = (text: string): string =>
  text.replace(/[\d.]+ m?s\b/, 'TIME').replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE');

/** Arguments, what stands on standard input, and the exit code. */
const commands: ReadonlyArray<[string, string[], string, number]> = [
  ['nothing', [], '', 2],
  ['plan', ['plan', '-', '--deletes'], hosts.join('\n').repeat(9), 0],
  ['build', ['build', '-', '-o', 'x'], hosts.join('\n'), 0],
  ['check of absent keys', ['check', 'a.tms'], 'stranger.example\n', 1],
  ['merge', ['merge', 'a.tms', 'a.tms', '-o', 'x'], '', 0],
  ['convert', ['convert', 'a.tms', '--to', 'redis-bitmap', '-o', 'x'], '', 0],
  ['inspect', ['inspect', 'a.tms', '--bits', '0:99'], '', 0],
  ['url build', ['url', 'build', '-', '-o', 'x'], hosts.join('\n'), 0],
  [
    'url build of feeds',
    ['url', 'build', '-', 'list', '-o', 'x', '--format', 'auto'],
    '0.0.0.0 a.example\n127.0.0.1 localhost\n0.0.0.0 b.example\n',
    0,
  ],
  ['url diff', ['url', 'diff', 'old.tamis', 'new.tamis', '-o', 'x'], '', 0],
  [
    'url publish',
    [
      'url',
      'publish',
      'new.tamis',
      '--to',
      'pub',
      '--sign',
      'k.pem',
      '--name',
      'n',
      '--create-key',
    ],
    '',
    0,
  ],
  ['url check of what is invalid', ['url', 'check', 'new.tamis'], 'mailto:eve\n', 2],
];
test.each(commands)('%s does in a process what it does here', async (name, args, input, code) => {
  await built('a.tms', hosts, '--fpr', '2^-30');
  for (const [list, part] of Object.entries({ old: hosts.slice(9), new: hosts })) {
    put('list', part.join('\n'));
    expect(await tamis(['url', 'build', 'list', '-o', `${list}.tamis`])).toMatchObject({ code: 0 });
  }
  const alone = await runProcess(args, input);
  expect(alone.code).toBe(code);
  const written = existsSync(join(folder, 'x')) ? get('x') : undefined;
  const here = await tamis(args, input);
  if (name === 'url publish') {
    // There is a key now, and a first version.
    const [first, second] = [alone, here].map(({ out }) => /^ {2}sequence +(\d+)$/m.exec(out)?.[1]);
    expect(Number(second)).toBeGreaterThan(Number(first));
    // Its key is new, so this is surely the first version.
    expect(alone.err).toBe('');
    expect(here.err).toBe('');
    return;
  }
  expect({ ...here, out: steady(here.out) }).toEqual({ ...alone, out: steady(alone.out) });
  if (written) expect(get('x').equals(written)).toBe(true);
});

test.each([
  ['hits', hosts],
  ['absent keys', hosts.map((host) => `${host}.net`)],
])('check ends quietly when its reader has seen enough: %s', async (_, keys) => {
  await built('a.tms', hosts, '--fpr', '2^-30');
  const child = start(['check', 'a.tms', '-']);
  const end = waitForEnd(child);
  const { stdin, stdout } = child;
  stdout?.once('data', () => stdout.destroy());
  const lines = `${keys.join('\n')}\n`;
  // The output exceeds every buffer on the way. If the command missed the end of the pipe, it would never end.
  const feed = (): void => {
    while (stdin?.writable && stdin.write(lines.repeat(20)));
  };
  stdin?.on('drain', feed);
  feed();
  expect(await end).toMatchObject({ code: 0, err: '' });
});

test('a command does its work where nobody reads what it says', async () => {
  put('hosts.txt', hosts.join('\n'));
  const unread = async (args: string[]): Promise<number | null> => {
    const child = start(args);
    const end = waitForEnd(child);
    child.stdout?.destroy();
    child.stderr?.destroy();
    return (await end).code;
  };
  expect(await unread(['build', 'hosts.txt', '-o', 'a.tms', '--capacity', '9'])).toBe(0);
  expect((await tamis(['check', 'a.tms', ...hosts])).code).toBe(0);
  // An error counts even if nobody reads its message.
  expect(await unread(['build', 'none.txt', '-o', 'a.tms'])).toBe(2);
  put('good.txt', 'host-1.example');
  const refused = ['url', 'build', 'hosts.txt', '-o', 'x', '--must-not-match', 'good.txt'];
  expect(await unread([...refused, '--json'])).toBe(2);
});

test('what cannot be printed is an error, not an answer', async () => {
  await built('a.tms', hosts);
  const full = openSync('/dev/full', 'w');
  const child = start(['check', 'a.tms', 'stranger.example'], {
    stdio: ['ignore', full, 'pipe'],
  });
  const end = await waitForEnd(child);
  closeSync(full);
  expect(end).toEqual({ code: 2, out: '', err: 'tamis: no space left on the device\n' });
});

test('standard input that is the output is refused', async () => {
  put('hosts.txt', hosts.join('\n'));
  const input = openSync(join(folder, 'hosts.txt'), 'r');
  const child = start(['build', '-', '-o', 'hosts.txt'], { stdio: [input, 'pipe', 'pipe'] });
  const { code, out, err } = await waitForEnd(child);
  closeSync(input);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^tamis: -o hosts\.txt: it is the same file as standard input, and /);
  expect(get('hosts.txt').toString()).toBe(hosts.join('\n'));
});

test('a command that is killed leaves no lock behind, and dies of the signal', async () => {
  put('hosts.txt', hosts.join('\n'));
  expect((await tamis(['url', 'build', 'hosts.txt', '-o', 'l.tamis'])).code).toBe(0);
  const args = ['url', 'publish', 'l.tamis', '--to', 'pub', '--sign', 'k.pem', '--name', 'n'];
  expect((await tamis([...args, '--create-key'])).code).toBe(0);
  // The first file that the command reads is a pipe without end. So it hangs while it holds the lock.
  const [manifest, lock] = ['manifest.json', 'publish.lock'].map((name) =>
    join(folder, 'pub', name),
  );
  unlinkSync(manifest as string);
  execFileSync('mkfifo', [manifest as string]);
  const child = start(args);
  const end = waitForEnd(child);
  while (!existsSync(lock as string)) await sleep(5);
  child.kill('SIGTERM');
  await end;
  expect(child.signalCode).toBe('SIGTERM');
  expect(existsSync(lock as string)).toBe(false);
});

test('a build that is killed leaves the list that stands', async () => {
  put('x', 'as it was');
  put('feed', '||a.example^\n');
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const args = ['url', 'build', 'feed', 'pipe', '-o', 'x', '--format', 'adblock', '--report', 'r'];
  const child = start(args);
  const end = waitForEnd(child);
  // It opens once the command does: that has read one feed then, and waits for the other.
  const pipe = await open(join(folder, 'pipe'), 'w');
  await pipe.write('||b.example^\n');
  child.kill('SIGTERM');
  expect(await end).toMatchObject({ code: null, out: '' });
  await pipe.close();
  expect(readdirSync(folder).sort()).toEqual(['feed', 'pipe', 'x']);
  expect(get('x').toString()).toBe('as it was');
});

test('progress is shown on a terminal, and leaves nothing behind', () => {
  put('hosts.txt', hosts.join('\n'));
  const command = `'${process.execPath}' '${cli}' build hosts.txt -o a.tms`;
  const out = execFileSync('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(out).toContain('reading [');
  expect(out).toContain('building [');
  expect(out).toContain('a.tms: 500 lines of hosts.txt');
  // The command does not change the terminal's settings: a killed process could not restore them.
  expect(out).not.toContain('\u001b[?');
  // The line is cleared after the last bar, before the figures.
  const lastBar = out.slice(out.lastIndexOf('building ['), out.indexOf('a.tms: 500'));
  expect(lastBar).toContain('\u001b[2K');
});
