// The second part: the filters that change, against BloomFilter and npm's bloom-filters.

import { DYNAMIC } from './dynamic-contenders.mjs';
import { deletableCurve, refusals } from './dynamic-counts.mjs';
import { curveTable, dynamicFigures, dynamicTables } from './dynamic-report.mjs';
import { figureTable } from './report.mjs';
import {
  environment,
  finish,
  runRounds,
  say,
  summarizeRounds,
  versionOf,
  withKeys,
} from './run.mjs';

/** bloom-filters takes 20 seconds a round, and its factor of hundreds needs no more. */
const PAIR_ROUNDS = 3;
const names = Object.keys(DYNAMIC);

export const runDynamic = ({ keyCount, rounds, out }) =>
  withKeys(keyCount, (directory, averageKeyBytes) => {
    say('counting deletable keys, and keys until the first refusal');
    const [deletable, refused] = [deletableCurve(), refusals(keyCount)];
    const pairRounds = Math.min(PAIR_ROUNDS, rounds);
    const runs = runRounds('dynamic-round.mjs', names, rounds, directory, (name) =>
      DYNAMIC[name].part === 'pair' ? pairRounds : rounds,
    );
    const contenders = {};
    for (const name of names) contenders[name] = summarizeRounds(name, runs[name]);
    const results = {
      ...environment(),
      versions: { tamis: versionOf('tamis'), 'bloom-filters': versionOf('bloom-filters') },
      keys: keyCount,
      averageKeyBytes,
      rounds,
      pairRounds,
      contenders,
      deletable,
      refused,
    };
    results.figures = dynamicFigures(results);
    const tables = [dynamicTables(results), curveTable(results), figureTable(results.figures)];
    process.stdout.write(`${tables.join('\n\n')}\n`);
    finish(results, out);
  });
