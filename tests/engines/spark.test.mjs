// Pages made by Spark, on executors that are processes of their own: the files that one machine makes. Run by
// `npm run test:engines`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../../js/scripts/run.mjs';

const run = promisify(execFile);

const cli = join(root, 'dist', 'cli.mjs');
const environment = join(root, 'build', 'engines', 'spark');
const python = join(environment, 'bin', 'python');
const PYSPARK = 'pyspark==4.3.0';

const KEYS = 100_000;
const PAGES = 13;

/** Why there is no Spark; undefined where it is ready. */
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

/** The SHA-256 of each part in a folder, by the part's name. */
const partsIn = (folder) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.startsWith('users.'))
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  );

const factsIn = (folder) => {
  const {
    created: _,
    notAfter: __,
    ...facts
  } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return facts;
};

let folder;
let missing;
before(async () => {
  missing = await prepareSpark();
  folder = mkdtempSync(join(tmpdir(), 'tamis-spark-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('two executors make the files of tamis shard', async (t) => {
  if (missing !== undefined) {
    console.error(`\nMISSING: Spark, from PyPI: ${missing}\n`);
    t.skip('PyPI does not answer');
    return;
  }
  const list = join(folder, 'keys.txt');
  // Some keys come twice, in parts of the file that different tasks read.
  const keys = Array.from({ length: KEYS }, (_, i) => `user-${i}@example.org`);
  writeFileSync(list, `${[...keys, ...keys.slice(0, 1000)].join('\n')}\n`);
  const [bySpark, byShard] = [join(folder, 'spark'), join(folder, 'shard')];
  await run('node', [cli, 'shard', list, '-o', byShard, '--pages', `${PAGES}`, '--name', 'users']);

  const submit = join(environment, 'bin', 'spark-submit');
  const script = join(root, 'js', 'examples', 'spark', 'shard.py');
  const tasks = ['--tasks', '5', '--pages', `${PAGES}`, '--name', 'users'];
  const program = ['--tamis', `node ${cli}`];
  // Two processes, each with a core and 1024 MB.
  const master = ['--master', 'local-cluster[2,1,1024]', '--conf', 'spark.ui.enabled=false'];
  const local = { SPARK_LOCAL_IP: '127.0.0.1', PYSPARK_PYTHON: python };
  await run(submit, [...master, script, list, bySpark, ...tasks, ...program], {
    cwd: folder,
    env: { ...process.env, ...local },
  });

  assert.deepEqual(partsIn(bySpark), partsIn(byShard));
  assert.deepEqual(factsIn(bySpark), factsIn(byShard));
  assert.equal(factsIn(bySpark).keys, KEYS);
});
