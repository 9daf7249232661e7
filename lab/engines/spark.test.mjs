// Pages of Spark, with executors in other processes, must equal those of one machine (`npm run test:engines`).
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../../js/scripts/run.mjs';
import { makeFolder } from '../folders.mjs';

const run = promisify(execFile);

const cli = join(root, 'dist', 'cli.mjs');
const environment = join(root, 'build', 'engines', 'spark');
const python = join(environment, 'bin', 'python');
const PYSPARK = 'pyspark==4.3.0';

const KEYS = 100_000;

/** Why Spark is missing, or undefined if it is ready. */
async function prepareSpark() {
  if (existsSync(join(environment, 'bin', 'spark-submit'))) return undefined;
  mkdirSync(join(root, 'build', 'engines'), { recursive: true });
  try {
    await run('python3', ['-m', 'venv', environment]);
    await run(python, ['-m', 'pip', 'install', '--quiet', PYSPARK]);
    return undefined;
  } catch (error) {
    rmSync(environment, { recursive: true, force: true });
    return error.message;
  }
}

/** The parts in a folder, by their names. */
const partsIn = (folder) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.startsWith('users.'))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name))]),
  );

const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));

const factsIn = (folder) => {
  const { seq: _, created: __, notAfter: ___, ...facts } = manifestIn(folder);
  return facts;
};

const missing = await prepareSpark();
const folder = makeFolder('spark');

test('two executors make the files of tamis shard, twice into one folder', async (t) => {
  if (missing !== undefined) {
    console.error(`\nMISSING: Spark, from PyPI: ${missing}\n`);
    t.skip('PyPI does not answer');
    return;
  }
  const list = join(folder, 'keys.txt');
  const bySpark = join(folder, 'spark');
  const submit = join(environment, 'bin', 'spark-submit');
  const script = join(root, 'js', 'examples', 'spark', 'shard.py');
  // Two Spark processes, each with one core and 1024 MB.
  const master = ['--master', 'local-cluster[2,1,1024]', '--conf', 'spark.ui.enabled=false'];
  const local = { SPARK_LOCAL_IP: '127.0.0.1', PYSPARK_PYTHON: python };
  let seq = 0;
  // The list grows, and the number of pages too.
  for (const [count, pages] of [
    [KEYS, 9],
    [KEYS + 10_000, 10],
  ]) {
    // Some keys occur twice, in parts of the file that different tasks read.
    const keys = Array.from({ length: count }, (_, i) => `user-${i}@example.org`);
    writeFileSync(list, `${[...keys, ...keys.slice(0, 1000)].join('\n')}\n`);
    const byShard = join(folder, `shard-${pages}`);
    const options = ['--pages', `${pages}`, '--name', 'users'];
    await run('node', [cli, 'shard', list, '-o', byShard, ...options]);

    const own = [...options, '--tasks', '5', '--tamis', `node ${cli}`];
    await run(submit, [...master, script, list, bySpark, ...own], {
      cwd: folder,
      env: { ...process.env, ...local },
    });

    const { root: top } = factsIn(byShard);
    const [made, wanted] = [partsIn(bySpark), partsIn(byShard)];
    const current = Object.entries(made).filter(([name]) => name.includes(top.slice(0, 16)));
    assert.deepEqual(Object.fromEntries(current), wanted);
    assert.deepEqual(factsIn(bySpark), factsIn(byShard));
    assert.equal(factsIn(bySpark).keys, count);
    assert.deepEqual(
      readdirSync(bySpark).filter((name) => name.endsWith('.part')),
      [],
    );
    const { seq: next } = manifestIn(bySpark);
    assert.ok(next > seq);
    seq = next;
  }
});
