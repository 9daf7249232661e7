/** tamis hash, pages and manifest in a shell, as the guide has them: on one machine, as jobs, and through pipes. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cli, env, folder, get, put, start, tamis, textOf, waitForEnd } from '../js/support/cli.js';
import { checkFolder, sumsOf } from '../js/support/page-folders.js';

const keys = Array.from({ length: 20_000 }, (_, i) => `key-${i}`);
const named = ['--name', 'list'];

/** Runs a script of bash in this test's folder; `tamis` is the command. */
function bash(script: string): string {
  const whole = `set -eu; tamis() { '${process.execPath}' '${cli}' "$@"; }; ${script}`;
  const options = { cwd: folder, env: { ...env, LC_ALL: 'C' }, encoding: 'utf8' } as const;
  return execFileSync('bash', ['-c', whole], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function shardAll(): Promise<Record<string, string>> {
  put('keys', textOf(keys));
  const shard = ['shard', 'keys', '-o', 'whole', '--pages', '4', ...named];
  expect(await tamis(shard)).toMatchObject({ code: 0, err: '' });
  return sumsOf('whole');
}

test('two jobs take their pages and all closing lines by awk', async () => {
  const sums = await shardAll();
  bash(`
    tamis hash --pages 4 keys | sort -u > records
    awk '/^~/ || $1 < "00000002"' records | tamis pages --pages 4 --range 0:2 --run monday --name list -o public
    awk '/^~/ || $1 >= "00000002"' records | tamis pages --pages 4 --range 2:4 --run monday --name list -o public
    tamis manifest public --name list`);
  expect(sumsOf('public')).toEqual(sums);
  expect(readdirSync(join(folder, 'public'))).toHaveLength(2);
});

test('several runs of hash go through one sort', async () => {
  const sums = await shardAll();
  bash(`
    head -15000 keys > one; tail -15000 keys > two
    { tamis hash --pages 4 one; tamis hash --pages 4 two; } | sort -u |
      tamis pages --pages 4 --hashes 2 --name list -o public
    tamis manifest public --name list`);
  expect(sumsOf('public')).toEqual(sums);
});

test('pages -o - writes a part to a pipe, which manifest takes from a file', async () => {
  const sums = await shardAll();
  mkdirSync(join(folder, 'parts'));
  const said = bash(`
    tamis hash --pages 4 keys | sort -u > records
    build() { tamis pages --pages 4 --range $1 --run one --name list -o - 2>> said; }
    awk '/^~/ || $1 < "00000001"' records | build 0:1 | cat > parts/b.part
    awk '/^~/ || $1 >= "00000001"' records | build 1:4 | cat > parts/a.part
    cat said`);
  expect(said).toMatch(/^tamis: 1 page, 0 to 0, of [\d,]+ distinct keys\ntamis: 3 pages, 1 to 3, /);
  // A broken pipe leaves a file that is no part.
  const [a, all] = [join(folder, 'parts', 'a.part'), get('parts/a.part')];
  truncateSync(a, all.length - 20);
  expect(await tamis(['manifest', 'parts', '-o', 'public', ...named])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/parts\/a\.part: not a complete part of tamis pages\n$/),
  });
  put('parts/a.part', all);
  bash('tamis manifest parts -o public --name list');
  expect(sumsOf('public')).toEqual(sums);
  checkFolder('public');
  expect(readdirSync(join(folder, 'parts'))).toEqual([]);
});

test('pages -o - ends with an error where its lines are refused, or nobody reads', async () => {
  await shardAll();
  const { out } = await tamis(['hash', '--pages', '1', 'keys']);
  const lines = out.trimEnd().split('\n').sort();
  const pages = ['pages', '--pages', '1', '-o', '-', ...named];
  mkdirSync(join(folder, 'parts'));
  put('records', textOf(lines.slice(0, -1)));
  bash(`! tamis ${pages.join(' ')} records > parts/a.part 2> said`);
  expect(get('said').toString()).toMatch(/^tamis: records: no closing line/);
  expect(await tamis(['manifest', 'parts', ...named])).toMatchObject({ code: 2 });

  const child = start(pages);
  const end = waitForEnd(child);
  child.stdout?.destroy();
  child.stdin?.end(textOf(lines));
  expect(await end).toMatchObject({
    code: 2,
    err: 'tamis: standard output: its reader closed the pipe\n',
  });
});
