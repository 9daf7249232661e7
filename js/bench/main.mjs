// `npm run bench`: some parts, each of which measures all that it compares in one run.
//
//   node js/bench/main.mjs [--quick] [--part NAME] [--rounds N] [--out FILE] [--lists FOLDER]
//
//   comparison   tamis against JS Set and two npm packages; saves js/bench/results/latest.json
//   dynamic      the filters that change, against BloomFilter and npm bloom-filters; saves dynamic.json
//   static       what is built once, against BloomFilter and npm binary-fuse-filter; saves static.json
//   accuracy     bits per key against the least possible, every type; saves accuracy.json
//   url          URLs against a list of hosts, real ones with --lists FOLDER; saves url.json
//   ratio        WebAssembly against native, from what the others and bench:native saved; saves ratio.json
//
// --quick takes a tenth of the keys and 2 rounds, to try a change; it saves only where --out says, and
// --out goes with --part.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runAccuracy } from './accuracy.mjs';
import { runComparison } from './comparison.mjs';
import { runDynamic } from './dynamic.mjs';
import { runRatio } from './ratio.mjs';
import { HERE } from './run.mjs';
import { runStatic } from './static.mjs';
import { runUrl } from './url.mjs';

const PARTS = {
  comparison: { run: runComparison, file: 'latest.json' },
  dynamic: { run: runDynamic, file: 'dynamic.json' },
  static: { run: runStatic, file: 'static.json' },
  accuracy: { run: runAccuracy, file: 'accuracy.json' },
  url: { run: runUrl, file: 'url.json' },
  ratio: { run: runRatio, file: 'ratio.json' },
};
const LEAST_ROUNDS = 5;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    part: { type: 'string' },
    rounds: { type: 'string' },
    out: { type: 'string' },
    lists: { type: 'string' },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 2 : 7));
if (!Number.isInteger(rounds) || rounds < (options.quick ? 1 : LEAST_ROUNDS)) {
  throw new RangeError(`--rounds expects at least ${LEAST_ROUNDS}, got ${options.rounds}`);
}
// The last part wants the native bench: it runs where it is asked for.
const measured = Object.keys(PARTS).filter((name) => name !== 'ratio');
const parts = options.part === undefined ? measured : [options.part];
if (!(parts[0] in PARTS)) throw new RangeError(`--part expects ${Object.keys(PARTS).join(' or ')}`);
if (options.out !== undefined && parts.length > 1) throw new TypeError('--out goes with --part');

for (const part of parts) {
  const { run, file } = PARTS[part];
  const saved = options.quick ? undefined : join(HERE, 'results', file);
  const { out = saved, lists } = options;
  await run({ keyCount: options.quick ? 100_000 : 1_000_000, rounds, out, lists });
}
