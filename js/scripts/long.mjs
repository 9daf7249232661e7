// Runs the long suites until a budget of time is used up.

import { createHash, randomInt } from 'node:crypto';
import { run, show } from './run.mjs';
import { jest, suites, testsWith } from './suites.mjs';

/** Matches the text of suites that generate their cases, or that kill a program at each step. */
const generative = /support\/(budget|fast-check|mutations)\.js'|ofEachType/;

/**
 * Runs a program until it ends or `milliseconds` have passed. Resolves to what it printed, and whether it ended by
 * itself. Rejects if it fails. If the time is up, it rejects if `hasFailed` is true for what was printed so far.
 */
async function runUntil(start, milliseconds, hasFailed) {
  let printed = '';
  const write = (text) => {
    printed += text;
    show(text);
  };
  const signal = AbortSignal.timeout(milliseconds);
  try {
    await start({ write, signal });
    return { printed, isWhole: true };
  } catch (error) {
    if (!signal.aborted || hasFailed(printed)) throw error;
    return { printed, isWhole: false };
  }
}

/** Runs each file with all of its cases. The seed decides the order of the files. */
async function runLongJest(milliseconds, env, seed) {
  const end = Date.now() + milliseconds;
  const placeOf = (file) => createHash('sha256').update(`${seed} ${file}`).digest('hex');
  const all = testsWith(generative, [suites.js, suites.built, suites.faults]);
  const files = all.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  let passed = 0;
  for (const file of files) {
    const start = (options) => jest(['--runInBand', file], { ...options, env });
    const { isWhole } = await runUntil(start, Math.max(1, end - Date.now()), (printed) =>
      /^FAIL/m.test(printed),
    );
    if (!isWhole) break;
    passed++;
  }
  console.log(`long suites of JavaScript: ${passed} of ${files.length} files passed in time`);
}

/** Runs the long suites of C++. The seed decides their order. */
async function runLongNative(program, milliseconds, env) {
  const flags = ['--gtest_filter=*Long*', '--gtest_shuffle', '--gtest_fail_fast'];
  const start = (options) => run(program, flags, { ...options, env });
  const { printed } = await runUntil(start, milliseconds, (text) => /: Failure$/m.test(text));
  const passed = printed.match(/^\[ {7}OK \]/gm)?.length ?? 0;
  const [, all = 'all'] = /^\[=+\] Running (\d+) tests/m.exec(printed) ?? [];
  console.log(`long suite of C++: ${passed} of ${all} tests passed in time`);
}

/** Runs the long suites for this number of seconds. A failure before that ends the run. */
export async function runLong(program, seconds) {
  // An error in a generative suite prints the seed; setting the variable to it repeats the run.
  const seed = process.env.TAMIS_SEED ?? String(randomInt(2 ** 31));
  console.log(`\nThe seed of the generative suites is TAMIS_SEED=${seed}\n`);
  const env = { ...process.env, TAMIS_LONG: '1', TAMIS_SEED: seed };
  const end = Date.now() + 1000 * seconds;
  await runLongJest(750 * seconds, env, seed);
  await runLongNative(program, Math.max(1, end - Date.now()), env);
}
