// What both parts of the bench share: child processes, where and when, summaries, saving.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLOCK, median, minimum } from './clock.mjs';
import { makeUrls } from './urls.mjs';

export const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = join(HERE, '..', '..');

export const say = (text) => process.stderr.write(`${text}\n`);

/** What the child process printed. */
export const runChild = (...args) =>
  execFileSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 20,
  });

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** The installed version of a package; null for what the engine has. */
export function versionOf(module) {
  if (module === null) return null;
  if (module === 'tamis')
    return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
  const entry = createRequire(import.meta.url).resolve(module);
  const folder = entry.slice(0, entry.lastIndexOf(`node_modules/${module}/`));
  return JSON.parse(readFileSync(join(folder, 'node_modules', module, 'package.json'), 'utf8'))
    .version;
}

/** The head of the saved results. */
export const environment = () => ({
  date: new Date().toISOString(),
  commit: git('rev-parse', 'HEAD'),
  changedFiles: git('status', '--porcelain').split('\n').filter(Boolean).length,
  cpu: `${cpus()[0].model}, ${cpus().length} cores`,
  runtime: `Node ${process.version}, V8 ${process.versions.v8}`,
  platform: `${process.platform} ${process.arch}`,
  clock: CLOCK,
});

/** Runs `act` with a directory of `count` members and as many strangers, one URL a line. */
export async function withKeys(count, act) {
  const directory = mkdtempSync(join(tmpdir(), 'tamis-bench-'));
  try {
    say(`making ${2 * count} URLs`);
    const members = makeUrls(0, count);
    writeFileSync(join(directory, 'members.txt'), members);
    writeFileSync(join(directory, 'strangers.txt'), makeUrls(count, count));
    const averageKeyBytes = Math.round((members.length / count - 1) * 10) / 10;
    return await act(directory, averageKeyBytes);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * The rounds of all children; each round runs all, so that a slow minute of the machine meets all
 * alike. `roundsOf` says how many of them a child takes part in.
 */
export function runRounds(script, names, rounds, directory, roundsOf = () => rounds) {
  const all = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const name of names.filter((one) => round <= roundsOf(one))) {
      say(`round ${round} of ${roundsOf(name)}: ${name}`);
      all[name].push(JSON.parse(runChild('--expose-gc', join(HERE, script), name, directory)));
    }
  }
  return all;
}

export const summary = (values) => ({ min: minimum(values), median: median(values), all: values });

/** One contender's rounds in one: the times of each measure, and the counts, which must agree. */
export function summarizeRounds(name, runs) {
  const { counts } = runs[0];
  for (const run of runs) {
    if (JSON.stringify(run.counts) !== JSON.stringify(counts)) {
      throw new Error(`${name}: two rounds on the same keys counted differently`);
    }
  }
  const times = {};
  for (const measure of Object.keys(runs[0].times)) {
    times[measure] = summary(runs.map((run) => run.times[measure]));
  }
  return { counts, times };
}

/** Saves the results as a file. */
export function save(results, out) {
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, `${JSON.stringify(results, null, 2)}\n`);
  say(`saved ${out}; README.md: node js/scripts/readme-tables.mjs`);
}

/** Saves the results where `out` says, and fails the process where tamis answered wrongly. */
export function finish(results, out) {
  if (out !== undefined) save(results, out);
  const wrong = results.figures.filter(({ what, reached }) => /^false/.test(what) && !reached);
  if (wrong.length === 0) return;
  say(`tamis answered wrongly: ${JSON.stringify(wrong)}`);
  process.exitCode = 1;
}
