// The first part: tamis against JS Set and two npm packages.

import { join } from 'node:path';
import { bundleSize } from './bundle-size.mjs';
import { CONTENDERS } from './contenders.mjs';
import { comparison, figures, figureTable, origin } from './report.mjs';
import {
  environment,
  finish,
  HERE,
  ROOT,
  runChild,
  runRounds,
  say,
  summarizeRounds,
  summary,
  versionOf,
  withKeys,
} from './run.mjs';

const FIRST_RUNS = 15;
const names = Object.keys(CONTENDERS);

function runFirsts() {
  const all = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < FIRST_RUNS; run++) {
    // No flag for V8: with one, Node cannot use the compiled code of its own modules.
    for (const name of names) all[name].push(Number(runChild(join(HERE, 'first.mjs'), name)));
  }
  return all;
}

async function summarize(name, runs, firsts) {
  const { module } = CONTENDERS[name];
  const { counts, times } = summarizeRounds(name, runs);
  if (module !== null) times.first = summary(firsts);
  const gzipBytes = module === null ? null : await bundleSize([module], ROOT);
  return { version: versionOf(module), counts, times, gzipBytes };
}

export const runComparison = ({ keyCount, rounds, out }) =>
  withKeys(keyCount, async (directory, averageKeyBytes) => {
    // Before the rounds, whose load a shared machine remembers for a while.
    say(`import and first filter, ${FIRST_RUNS} times`);
    const firsts = runFirsts();
    const runs = runRounds('round.mjs', names, rounds, directory);

    const contenders = {};
    for (const name of names) contenders[name] = await summarize(name, runs[name], firsts[name]);
    const results = {
      ...environment(),
      keys: keyCount,
      averageKeyBytes,
      rounds,
      firstRuns: FIRST_RUNS,
      contenders,
    };
    results.figures = figures(results);
    const tables = [comparison(results), origin(results), figureTable(results.figures)];
    process.stdout.write(`${tables.join('\n\n')}\n\n`);
    finish(results, out);
  });
