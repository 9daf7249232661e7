// npm run test:long -- [--budget 20m]: what npm test does not run, for as long as is given, beside the time of
// the builds. Two tracks side by side, one for each core: the long suites, in an order that changes from run to
// run, and the fuzz targets, which share what is left to them.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { jest, root, run, show } from './run.mjs';
import { setUp } from './setup.mjs';

/** Seconds of '90s', '20m' or '2h'. */
function secondsOf(text) {
  const [, number, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (number === undefined)
    throw new Error(`--budget: expected such as 90s, 20m or 2h, got ${text}`);
  return number * { s: 1, m: 60, h: 3600 }[unit];
}

const { values } = parseArgs({ options: { budget: { type: 'string', default: '20m' } } });
const budget = secondsOf(values.budget);

await setUp('test');
// Not at the top: before the set-up there is no esbuild to import.
const { buildFuzzers32, buildLong, buildSanitized, fuzz, fuzzersIn, makeCorpus } = await import(
  './native.mjs'
);
const { build } = await import('./build.mjs');
rmSync(join(root, 'build', 'fuzz'), { recursive: true, force: true });
const long = await buildLong();
const fuzzers = [...fuzzersIn(await buildSanitized()), ...(await buildFuzzers32())];
const corpus = await makeCorpus();
await build();

const env = { ...process.env, TAMIS_LONG: '1' };
const deadline = Date.now() + 1000 * budget;
const left = () => Math.max(0, deadline - Date.now());

/** The native long suite until the deadline. What failed before that fails the run. */
async function longSuites() {
  await jest(['tests/js/url-history.test.ts'], { env });
  let printed = '';
  const write = (text) => {
    printed += text;
    show(text);
  };
  const signal = AbortSignal.timeout(left());
  try {
    await run(long, ['--gtest_filter=*Long*', '--gtest_shuffle', '--gtest_fail_fast'], {
      write,
      env,
      signal,
    });
  } catch (error) {
    if (!signal.aborted || /: Failure$/m.test(printed)) throw error;
  }
  const passed = printed.match(/^\[ {7}OK \]/gm)?.length ?? 0;
  const [, all = 'all'] = /^\[=+\] Running (\d+) tests/m.exec(printed) ?? [];
  console.log(`long suite: ${passed} of ${all} tests passed within the budget`);
}

/** Each target for an equal share of the time. */
async function fuzzAll(write) {
  const seconds = Math.max(1, Math.floor(left() / 1000 / fuzzers.length));
  for (const fuzzer of fuzzers) await fuzz(fuzzer, seconds, { corpus, write });
}

const held = [];
const results = await Promise.allSettled([
  longSuites(),
  fuzzAll((text) => held.push(String(text))).finally(() => show(held.join(''))),
]);
const failures = results.filter(({ status }) => status === 'rejected');
for (const { reason } of failures) console.error(`\nnpm run test:long: ${reason.message}`);
if (failures.length > 0) process.exitCode = 1;
else console.log(`\nnpm run test:long: all passed in ${values.budget}`);
