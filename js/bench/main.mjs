// `npm run bench`: two parts, each on the same keys in the same run.
//
//   node js/bench/main.mjs [--quick] [--part NAME] [--rounds N] [--out FILE]
//
//   comparison   tamis against JS Set and two npm packages; saves js/bench/results/latest.json
//   dynamic      the filters that change, against BloomFilter and npm bloom-filters; saves dynamic.json
//
// --quick takes a tenth of the keys and 2 rounds, to try a change; it saves only where --out says, and
// --out goes with --part.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runComparison } from './comparison.mjs';
import { runDynamic } from './dynamic.mjs';
import { HERE } from './run.mjs';

const PARTS = {
  comparison: { run: runComparison, file: 'latest.json' },
  dynamic: { run: runDynamic, file: 'dynamic.json' },
};
const LEAST_ROUNDS = 5;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    part: { type: 'string' },
    rounds: { type: 'string' },
    out: { type: 'string' },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 2 : 7));
if (!Number.isInteger(rounds) || rounds < (options.quick ? 1 : LEAST_ROUNDS)) {
  throw new RangeError(`--rounds expects at least ${LEAST_ROUNDS}, got ${options.rounds}`);
}
const parts = options.part === undefined ? Object.keys(PARTS) : [options.part];
if (!(parts[0] in PARTS)) throw new RangeError(`--part expects ${Object.keys(PARTS).join(' or ')}`);
if (options.out !== undefined && parts.length > 1) throw new TypeError('--out goes with --part');

for (const part of parts) {
  const { run, file } = PARTS[part];
  const saved = options.quick ? undefined : join(HERE, 'results', file);
  await run({ keyCount: options.quick ? 100_000 : 1_000_000, rounds, out: options.out ?? saved });
}
