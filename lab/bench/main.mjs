// `npm run bench` runs the parts. Each part measures all that it compares in one run, and saves
// lab/bench/results/PART.json. Then it brings the documents up to date. README.md here describes the parts.
//
//   node lab/bench/main.mjs [--quick] [--part NAME] [--rounds N] [--out FILE] [--before FOLDER]
//                          [--lists FOLDER] [--engine NAME]... [--node PATH]...
//
// --quick    a tenth of the keys and 2 rounds, to try a change; saves only to the file of --out
// --out      another file to save to; goes with --part
// --before   the dist of another build of tamis, measured in the same run; prints how much slower this one is.
//            Saves only to the file of --out
// --lists    real lists for the part url, from this folder
// --engine   for browsers: node, chromium, firefox, webkit; all unless given
// --node     for browsers: another Node

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from '../../js/scripts/run.mjs';
import { makeFolder } from '../folders.mjs';
import { CONTENDERS, packageOf } from './contenders.mjs';
import { number, table, time, writeRows } from './format.mjs';
import { makeUrls } from './keys.mjs';
import { figureOf, figuresInTurn, inTurn } from './measure.mjs';
import { tablesOf } from './tables.mjs';

const ROUNDS = 5;
const FIRST_RUNS = 15;
const ROUND = join(import.meta.dirname, 'round.mjs');

const say = (text) => process.stderr.write(`${text}\n`);
const savedAs = (part) => join(import.meta.dirname, 'results', `${part}.json`);

/** Runs a child process, and returns its output. */
const runChild = (...args) =>
  execFileSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** The first fields of the results, which describe the machine and the versions. */
function environment() {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  return {
    date: new Date().toISOString(),
    commit: git('rev-parse', 'HEAD'),
    changedFiles: git('status', '--porcelain').split('\n').filter(Boolean).length,
    cpu: `${cpus()[0].model}, ${cpus().length} cores`,
    runtime: `Node ${process.version}, V8 ${process.versions.v8}`,
  };
}

/** The installed version of a package. */
function versionOf(name) {
  const folders = ['lab', '.'].map((folder) => join(root, folder, 'node_modules', name));
  return JSON.parse(readFileSync(join(folders.find(existsSync), 'package.json'), 'utf8')).version;
}

/** Merges the rounds of one contender: the times of each measure, and the counts, which must not differ. */
function summarize(name, runs) {
  const [{ counts, times }] = runs;
  for (const run of runs) {
    if (JSON.stringify(run.counts) !== JSON.stringify(counts)) {
      throw new Error(`${name}: two rounds on the same keys counted differently`);
    }
  }
  const figures = Object.keys(times).map((measure) => [
    measure,
    figureOf(runs.map((run) => run.times[measure])),
  ]);
  return { counts, times: Object.fromEntries(figures) };
}

/** Writes the keys of the rounds. */
function writeKeys(folder, keyCount) {
  say(`making ${2 * keyCount} URLs`);
  const members = makeUrls(0, keyCount);
  writeFileSync(join(folder, 'members.txt'), members);
  writeFileSync(join(folder, 'absent-keys.txt'), makeUrls(keyCount, keyCount));
  return { averageKeyBytes: Math.round((members.length / keyCount - 1) * 10) / 10 };
}

/** Runs a contender in a process of its own for a round, with this build or the one before. */
const processOf = (part, name, folder, rounds, build) => (round) => {
  const most = Math.min(rounds, CONTENDERS[part][name].most ?? rounds);
  if (round > most) return undefined;
  say(`round ${round} of ${most}: ${name}${build && ', before'}`);
  return JSON.parse(runChild('--expose-gc', ROUND, part, name, folder, build));
};

/** Runs the contenders of a part and the functions in `more`, in turn. With `before`, only tamis, in both builds. */
async function runContenders(part, { rounds, before }, folder, more = {}) {
  const ways = { ...more };
  const entry = part === 'url' ? 'url/index.js' : 'index.js';
  for (const [name, contender] of Object.entries(CONTENDERS[part])) {
    if (before !== undefined && packageOf(contender) !== 'tamis') continue;
    ways[name] = processOf(part, name, folder, rounds, '');
    if (before === undefined) continue;
    const build = pathToFileURL(join(before, entry)).href;
    ways[`${name}, before`] = processOf(part, name, folder, rounds, build);
  }
  const runs = Object.entries(await inTurn(rounds, ways));
  return Object.fromEntries(runs.map(([name, all]) => [name, summarize(name, all)]));
}

/** Adds the milliseconds from import to the first filter. V8 gets no flag: with one, Node cannot use its code cache. */
async function addFirst({ contenders }) {
  say(`import and first filter, ${FIRST_RUNS} times`);
  const names = Object.keys(contenders).filter((name) => CONTENDERS.comparison[name].module);
  const way = (name) => () => {
    const ms = Number(runChild(ROUND, 'comparison', name));
    return [ms, ms];
  };
  const ways = Object.fromEntries(names.map((name) => [name, way(name)]));
  const firsts = await figuresInTurn(FIRST_RUNS, ways);
  for (const name of names) contenders[name].times.first = firsts[name];
}

/** A table of the times of this build and of the build before. */
function beforeTable(part, { contenders, rounds }) {
  const rows = [];
  for (const [name, { times }] of Object.entries(contenders)) {
    const { times: old } = contenders[`${name}, before`] ?? {};
    for (const measure of Object.keys(old ?? {})) {
      const [now, then] = [times[measure], old[measure]];
      rows.push([
        name,
        measure,
        time(then[0]),
        time(now[0]),
        ...now.map((ns, i) => number(ns / then[i], 2)),
      ]);
    }
  }
  const heads = [part, 'measure', 'before', 'after', 'minimum', 'median'];
  return `${table(heads, rows)}\n\nNanoseconds or milliseconds of ${rounds} interleaved rounds.`;
}

/** A part whose contenders run in rounds. `prepare` writes what they read, and `finish` makes further measurements. */
const inRounds =
  (part, most, { prepare = writeKeys, ways, finish = () => {} } = {}) =>
  async (options) => {
    const { keyCount, lists, before } = options;
    const folder = makeFolder('bench');
    const { made, ...given } = await prepare(folder, keyCount, lists);
    const rounds = Math.min(most, options.rounds);
    const more = before === undefined ? await ways?.(options) : {};
    const contenders = await runContenders(part, { rounds, before }, folder, more);
    const packages = new Set(Object.values(CONTENDERS[part]).map(packageOf).filter(Boolean));
    const versions = [...packages].map((name) => [name, versionOf(name)]);
    const results = {
      versions: Object.fromEntries(versions),
      keys: keyCount,
      rounds,
      ...given,
      contenders,
    };
    if (before === undefined) Object.assign(results, await finish(results, made));
    return results;
  };

/** The URL part, with the measurements that are not made in rounds. */
const URLS = {
  async prepare(folder, keyCount, lists) {
    const { writeLists } = await import('./url.mjs');
    const made = await writeLists(folder, lists, keyCount / 1_000_000);
    return { isReal: made.isReal, made };
  },
  async finish({ contenders }, made) {
    say('reading feeds, replaying and publishing the history, and opening in Chromium');
    return (await import('./url-extras.mjs')).measureExtras(contenders, made);
  },
};

const imported = (module, name) => async (options) => (await import(module))[name](options);

const PARTS = {
  comparison: inRounds('comparison', Infinity, { finish: addFirst }),
  dynamic: inRounds('dynamic', Infinity),
  static: inRounds('static', Infinity),
  url: inRounds('url', Infinity, URLS),
  sizes: imported('./sizes.mjs', 'measureSizes'),
  accuracy: imported('./accuracy.mjs', 'measureAccuracy'),
  browsers: imported('./browsers.mjs', 'measureBrowsers'),
  native: inRounds('native', 3, {
    ways: imported('./native.mjs', 'nativeWays'),
    finish: imported('./native.mjs', 'compilerOf'),
  }),
  peers: imported('./peers.mjs', 'measurePeers'),
  redis: imported('./redis.mjs', 'measureRedis'),
  pages: imported('./pages.mjs', 'measurePages'),
};
const WITH_BEFORE = ['comparison', 'dynamic', 'static', 'url'];

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    part: { type: 'string' },
    rounds: { type: 'string' },
    out: { type: 'string' },
    before: { type: 'string' },
    lists: { type: 'string' },
    engine: { type: 'string', multiple: true },
    node: { type: 'string', multiple: true },
  },
});
const { quick, part: only } = options;
const rounds = Number(options.rounds ?? (quick ? 2 : ROUNDS));
if (!Number.isInteger(rounds) || rounds < (quick ? 1 : ROUNDS)) {
  throw new RangeError(`--rounds expects at least ${ROUNDS}, got ${options.rounds}`);
}
if (only !== undefined && !(only in PARTS)) {
  throw new RangeError(`--part expects ${Object.keys(PARTS).join(' or ')}`);
}
if (options.out !== undefined && only === undefined) throw new TypeError('--out goes with --part');
const before = options.before && resolve(options.before);
const keyCount = quick ? 100_000 : 1_000_000;
const isAsked = (part) => {
  if (only !== undefined) return part === only;
  // The part with a billion keys in pages takes almost as long as all others together, so it runs only on request.
  return before === undefined ? part !== 'pages' : WITH_BEFORE.includes(part);
};

for (const part of Object.keys(PARTS).filter(isAsked)) {
  const given = { ...options, keyCount, rounds, before, say };
  const results = { ...environment(), ...(await PARTS[part](given)) };
  const isCompared = before !== undefined && WITH_BEFORE.includes(part);
  const shown = isCompared ? beforeTable(part, results) : tablesOf(part, results);
  process.stdout.write(`${shown}\n\n`);
  const isPartial = quick || before !== undefined;
  const out = options.out ?? (isPartial ? undefined : savedAs(part));
  if (out !== undefined) {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, `${writeRows(results)}\n`);
    say(`saved ${out}`);
  }
  if (out === savedAs(part)) say(runChild('js/scripts/documents.mjs'));
}
