// npm test: set-up, build, and every suite but those of test:web and test:long. Two tracks side by side, one
// for each core: the native suite and fuzz targets, whose output is shown when they are done, and everything
// in JavaScript.

import { readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { bin, jest, root, run, show } from './run.mjs';
import { setUp } from './setup.mjs';

const fuzzSeconds = 10;

/** The native suite under ASan and UBSan, the long one in short, an example, and the fuzz targets. */
async function native(write) {
  // Not at the top: before the set-up there is no esbuild to import.
  const { buildLong, buildSanitized, fuzz, fuzzersIn, makeCorpus, runExample } = await import(
    './native.mjs'
  );
  const folder = await buildSanitized(write);
  const long = await buildLong(write);
  const suite = [join(folder, 'tamis_tests'), ['--gtest_brief=1']];
  const shards = Math.min(2, availableParallelism());
  await Promise.all(
    Array.from({ length: shards }, (_, i) => {
      const env = { ...process.env, GTEST_TOTAL_SHARDS: `${shards}`, GTEST_SHARD_INDEX: `${i}` };
      return run(...suite, { write, env });
    }),
  );
  await run(long, ['--gtest_brief=1'], { write });
  await runExample(write);
  const corpus = await makeCorpus(write);
  for (const fuzzer of fuzzersIn(folder)) await fuzz(fuzzer, fuzzSeconds, { corpus, write });
}

/** Everything that runs on the built package. */
async function javascript() {
  const node = (...args) => run(process.execPath, args);
  await node('js/scripts/build.mjs');
  await run(bin('biome'), ['ci', '.']);
  await node('js/scripts/check-rooms.mjs');
  await node('js/scripts/check-registry.mjs');
  await node('js/scripts/format-dump.mjs', '--check');
  await node('js/scripts/readme-tables.mjs', '--check');
  await node('node_modules/typescript/bin/tsc', '-p', 'tests/tsconfig.json');
  await node('node_modules/typescript/bin/tsc', '-p', 'web-demo/tsconfig.json');
  await jest();
  // Files of a folder one after the other: the pages' tests build the same demo.
  for (const folder of ['tests/package', 'tests/e2e']) {
    const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.test.mjs'));
    await node('--test', '--test-concurrency=1', ...names.map((name) => `${folder}/${name}`));
  }
}

await setUp('test');
rmSync(join(root, 'build', 'fuzz'), { recursive: true, force: true });

const held = [];
const started = Date.now();
const results = await Promise.allSettled([
  native((text) => held.push(String(text))).finally(() => show(held.join(''))),
  javascript(),
]);
const failures = results.filter(({ status }) => status === 'rejected');
for (const { reason } of failures) console.error(`\nnpm test: ${reason.message}`);
if (failures.length > 0) process.exitCode = 1;
else console.log(`\nnpm test: all suites passed in ${Math.round((Date.now() - started) / 1000)} s`);
