// The third part: what is built once, beside BloomFilter and npm's binary-fuse-filter.

import { figureTable } from './report.mjs';
import { environment, finish, runRounds, summarizeRounds, versionOf, withKeys } from './run.mjs';
import { STATIC } from './static-contenders.mjs';
import { staticFigures, staticTables } from './static-report.mjs';

/** A round has three builds, and takes long. */
const MOST_ROUNDS = 5;
/** Ten times the keys, and a package that takes microseconds, take longer and differ little. */
const FEW_ROUNDS = 3;
const names = Object.keys(STATIC);

export const runStatic = ({ keyCount, rounds: asked, out }) =>
  withKeys(keyCount, (directory, averageKeyBytes) => {
    const rounds = Math.min(MOST_ROUNDS, asked);
    const fewRounds = Math.min(FEW_ROUNDS, rounds);
    const isFew = ({ part, module }) => ['large', 'universe'].includes(part) || module !== 'tamis';
    const runs = runRounds('static-round.mjs', names, rounds, directory, (name) =>
      isFew(STATIC[name]) ? fewRounds : rounds,
    );
    const contenders = {};
    for (const name of names) contenders[name] = summarizeRounds(name, runs[name]);
    const modules = ['tamis', 'binary-fuse-filter'];
    const results = {
      ...environment(),
      versions: Object.fromEntries(modules.map((module) => [module, versionOf(module)])),
      keys: keyCount,
      averageKeyBytes,
      rounds,
      fewRounds,
      contenders,
    };
    results.figures = staticFigures(results);
    process.stdout.write(`${staticTables(results)}\n\n${figureTable(results.figures)}\n\n`);
    finish(results, out);
  });
