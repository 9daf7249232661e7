// `npm run bench`: tamis against JS Set and two npm packages, on the same keys in the same run.
//
//   node js/bench/main.mjs [--quick] [--rounds N] [--out FILE]
//
// Saves js/bench/results/latest.json. --quick takes a tenth of the keys and 2 rounds, to try a
// change; it saves only where --out says.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleSize } from './bundle-size.mjs';
import { CLOCK, median, minimum } from './clock.mjs';
import { CONTENDERS } from './contenders.mjs';
import { comparison, figures, figureTable, origin } from './report.mjs';
import { makeUrls } from './urls.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '..', '..');
const LATEST = join(HERE, 'results', 'latest.json');
const FIRST_RUNS = 15;
const LEAST_ROUNDS = 5;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    out: { type: 'string' },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 2 : 7));
if (!Number.isInteger(rounds) || rounds < (options.quick ? 1 : LEAST_ROUNDS)) {
  throw new RangeError(`--rounds expects at least ${LEAST_ROUNDS}, got ${options.rounds}`);
}
const keyCount = options.quick ? 100_000 : 1_000_000;
const out = options.out ?? (options.quick ? undefined : LATEST);
const names = Object.keys(CONTENDERS);

const say = (text) => process.stderr.write(`${text}\n`);
const runChild = (...args) =>
  execFileSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 20,
  });

function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function versionOf(module) {
  if (module === null) return null;
  if (module === 'tamis')
    return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
  const entry = createRequire(import.meta.url).resolve(module);
  const folder = entry.slice(0, entry.lastIndexOf(`node_modules/${module}/`));
  return JSON.parse(readFileSync(join(folder, 'node_modules', module, 'package.json'), 'utf8'))
    .version;
}

/** Each round asks every contender once, so that a slow minute of the machine meets all alike. */
function runRounds(directory) {
  const all = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      say(`round ${round} of ${rounds}: ${name}`);
      all[name].push(JSON.parse(runChild('--expose-gc', join(HERE, 'round.mjs'), name, directory)));
    }
  }
  return all;
}

function runFirsts() {
  const all = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < FIRST_RUNS; run++) {
    // No flag for V8: with one, Node cannot use the compiled code of its own modules.
    for (const name of names) all[name].push(Number(runChild(join(HERE, 'first.mjs'), name)));
  }
  return all;
}

const summary = (values) => ({ min: minimum(values), median: median(values), all: values });

async function summarize(name, runs, firsts) {
  const { module } = CONTENDERS[name];
  const counts = runs[0].counts;
  for (const run of runs) {
    if (JSON.stringify(run.counts) !== JSON.stringify(counts)) {
      throw new Error(`${name}: two rounds on the same keys counted differently`);
    }
  }
  const times = {};
  for (const measure of Object.keys(runs[0].times)) {
    times[measure] = summary(runs.map((run) => run.times[measure]));
  }
  if (module !== null) times.first = summary(firsts);
  const gzipBytes = module === null ? null : await bundleSize(module, ROOT);
  return { version: versionOf(module), counts, times, gzipBytes };
}

const directory = mkdtempSync(join(tmpdir(), 'tamis-bench-'));
try {
  say(`making ${2 * keyCount} URLs`);
  const members = makeUrls(0, keyCount);
  writeFileSync(join(directory, 'members.txt'), members);
  writeFileSync(join(directory, 'strangers.txt'), makeUrls(keyCount, keyCount));

  // Before the rounds, whose load a shared machine remembers for a while.
  say(`import and first filter, ${FIRST_RUNS} times`);
  const firsts = runFirsts();
  const runs = runRounds(directory);

  const contenders = {};
  for (const name of names) contenders[name] = await summarize(name, runs[name], firsts[name]);
  const results = {
    date: new Date().toISOString(),
    commit: git('rev-parse', 'HEAD'),
    changedFiles: git('status', '--porcelain').split('\n').filter(Boolean).length,
    cpu: `${cpus()[0].model}, ${cpus().length} cores`,
    runtime: `Node ${process.version}, V8 ${process.versions.v8}`,
    platform: `${process.platform} ${process.arch}`,
    clock: CLOCK,
    keys: keyCount,
    averageKeyBytes: Math.round((members.length / keyCount - 1) * 10) / 10,
    rounds,
    firstRuns: FIRST_RUNS,
    contenders,
  };
  results.figures = figures(results);

  process.stdout.write(`${comparison(results)}\n\n${origin(results)}\n\n${figureTable(results)}\n`);
  if (out !== undefined) {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, `${JSON.stringify(results, null, 2)}\n`);
    say(`saved ${out}; README.md: node js/scripts/readme-tables.mjs`);
  }
  const { counts } = contenders.tamis;
  const sound = results.figures
    .filter(({ what }) => /^false/.test(what))
    .every((row) => row.reached);
  if (!sound) {
    say(`tamis answered wrongly: ${JSON.stringify(counts)}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(directory, { recursive: true });
}
