/** Completions of shells: every command and option, from scripts that they can load. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { env, folder, output, put, tamis } from './support/cli.js';

const shells = ['bash', 'zsh', 'fish'];
const commands = [
  ...['plan', 'build', 'check', 'merge', 'convert', 'inspect'],
  ...['shard', 'hash', 'pages', 'manifest'],
];
const ofUrls = ['build', 'diff', 'publish', 'check', 'key'];
const ofRedis = ['load', 'check', 'pull', 'push'];
const allCommands = [
  ...commands,
  ...ofUrls.map((name) => `url ${name}`),
  ...ofRedis.map((name) => `redis ${name}`),
];

async function scriptFor(shell: string): Promise<string> {
  const out = await output(['completion', shell]);
  return out;
}

/** The options of a command as its help has them, with their hyphens. */
async function optionsOf(command: string): Promise<string[]> {
  const { out } = await tamis(['help', ...command.split(' ')]);
  return [...out.matchAll(/^ {2}(?:(-\w), | {4})(--[\w-]+)/gm)]
    .flatMap(([, short, long]) => [short, long])
    .filter((form) => form !== undefined);
}

const bash = (script: string): string =>
  execFileSync('bash', ['--norc', '-c', script], { cwd: folder, env, encoding: 'utf8' });

/** The completions of bash after these words. The last word is not finished. */
function completions(...words: string[]): string[] {
  const typed = ['tamis', ...words].map((word) => `'${word}'`).join(' ');
  const printed = bash(
    `source ./script; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _tamis 2> /dev/null
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  );
  return printed.split('\n').filter((word) => word !== '');
}

describe('bash', () => {
  test('loads the script, and is told of the function', async () => {
    put('script', await scriptFor('bash'));
    expect(bash('bash -n ./script')).toBe('');
    expect(bash('source ./script; complete -p tamis')).toBe('complete -F _tamis tamis\n');
    // The line from the help, with the command on PATH.
    expect(bash('set -eu; source <(cat ./script); declare -F _tamis')).toBe('_tamis\n');
  });

  test('completes commands', async () => {
    put('script', await scriptFor('bash'));
    const first = [...commands, 'url', 'redis', 'completion', 'help', '--version'];
    expect(completions('').sort()).toEqual(first.sort());
    expect(completions('in')).toEqual(['inspect']);
    expect(completions('url', '').sort()).toEqual([...ofUrls].sort());
    expect(completions('redis', '').sort()).toEqual([...ofRedis].sort());
    expect(completions('help', 'url', 'p')).toEqual(['publish']);
    expect(completions('completion', '')).toEqual(shells);
  });

  test('completes every option of every command', async () => {
    put('script', await scriptFor('bash'));
    for (const command of allCommands) {
      const options = await optionsOf(command);
      expect(options.length).toBeGreaterThan(1);
      expect(completions(...command.split(' '), '-')).toEqual([...options, '--help']);
    }
    expect(completions('build', 'list', '--cap')).toEqual(['--capacity']);
  });

  test('completes values: words, files, folders, or nothing', async () => {
    put('script', await scriptFor('bash'));
    mkdirSync(join(folder, 'a folder'));
    put('a list', '');
    expect(completions('build', '--type', 'bl')).toEqual(['blocked-bloom', 'bloom']);
    // bash takes = for a word of its own.
    expect(completions('build', 'list', '--type', '=').length).toBeGreaterThan(10);
    expect(completions('build', 'list', '--type', '=', 'rib')).toEqual(['ribbon']);
    expect(completions('url', 'build', '--kind', '')).toEqual(['hosts', 'urls', 'expressions']);
    expect(completions('convert', 'x', '--to', 'redis')).toEqual([
      'redis-bitmap',
      'redisbloom',
      'redis-cuckoo',
    ]);
    expect(completions('check', 'x', '--from', 'go')).toEqual(['go', 'go-cuckoo']);
    expect(completions('check', 'x', '--keys', 'int')).toEqual(['int32', 'int64']);
    expect(completions('build', '--fpr', '')).toEqual([]);
    expect(completions('build', 'a').sort()).toEqual(['a folder', 'a list']);
    expect(completions('build', 'x', '-o', 'a l')).toEqual(['a list']);
    expect(completions('url', 'publish', 'x', '--to', 'a')).toEqual(['a folder']);
  });
});

test.each(shells)('%s has every option in its script', async (shell) => {
  const script = await scriptFor(shell);
  for (const command of allCommands) {
    for (const option of await optionsOf(command)) {
      const name = option.replace(/^--?/, '');
      const ways = {
        bash: new RegExp(`^ +'${command} '\\*\\) words='[^']*${option}\\b`, 'm'),
        zsh: new RegExp(`^ {4}'${command}'\\)(?:(?!;;)[^])*?${option}\\b`, 'm'),
        fish: new RegExp(
          `'__tamis_in ${command}'.* -${option.startsWith('--') ? 'l' : 's'} ${name} `,
        ),
      };
      expect(script).toMatch(ways[shell as keyof typeof ways]);
    }
  }
});

test.each(['zsh', 'fish'])('%s, where it is installed, takes the script', async (shell) => {
  put('script', await scriptFor(shell));
  const { error, status, stderr } = spawnSync(shell, ['-n', 'script'], { cwd: folder, env });
  if (error === undefined) expect([status, stderr.toString()]).toEqual([0, '']);
});

test('another shell is a mistake, and help says how completion is installed', async () => {
  const { code, err } = await tamis(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(err).toBe(
    'tamis: completion tcsh: expected one of bash, zsh, fish\ntry: tamis completion --help\n',
  );
  const general = (await tamis(['help'])).out;
  const own = (await tamis(['help', 'completion'])).out;
  for (const text of [general, own]) {
    expect(text).toMatch(/~\/\.bashrc +source <\(tamis completion bash\)/);
    expect(text).toMatch(/~\/\.zshrc +source <\(tamis completion zsh\)/);
    expect(text).toMatch(/tamis completion fish \| source/);
  }
});
