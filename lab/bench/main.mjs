// `npm run bench` runs the parts. Each part measures all that it compares in one run, and saves
// lab/bench/results/PART.json. Then it brings the documents up to date. README.md here describes the parts.
//
//   node lab/bench/main.mjs [--quick] [--part NAME] [--rounds N] [--out FILE] [--before FOLDER]
//                          [--lists FOLDER] [--engine NAME]... [--node PATH]...
//
// --quick    a tenth of the keys and 2 rounds, to try a change; saves only to the file of --out
// --out      another file to save to; goes with --part
// --before   the dist of another build of tamis, measured in the same run; prints what is slower by more than 5 %.
//            Saves only to the file of --out; browsers and startup save it beside, and print all
// --lists    real lists for the part url, from this folder
// --engine   for browsers and startup: node, chromium, firefox, webkit; all unless given
// --node     for browsers: another Node
//
// Options that begin with --benchmark_ go to Google Benchmark, and the part native then saves nothing.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from '../../js/scripts/run.mjs';
import { CONTENDERS, packageOf } from './contenders.mjs';
import { faultsOf, slowerTable } from './faults.mjs';
import { writeRows } from './format.mjs';
import { makeUrls } from './keys.mjs';
import { CLOCK, summary } from './measure.mjs';
import { TABLES } from './report.mjs';

const LEAST_ROUNDS = 5;
const FIRST_RUNS = 15;
const ROUND = join(import.meta.dirname, 'round.mjs');

const say = (text) => process.stderr.write(`${text}\n`);
const savedAs = (part) => join(import.meta.dirname, 'results', `${part}.json`);

function readSaved(part) {
  if (!existsSync(savedAs(part))) throw new Error(`${part}.json is not there: run that part first`);
  return JSON.parse(readFileSync(savedAs(part), 'utf8'));
}

/** The output of the child process. */
const runChild = (...args) =>
  execFileSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** The head of the results. */
function environment() {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  return {
    date: new Date().toISOString(),
    commit: git('rev-parse', 'HEAD'),
    changedFiles: git('status', '--porcelain').split('\n').filter(Boolean).length,
    cpu: `${cpus()[0].model}, ${cpus().length} cores`,
    platform: `${process.platform} ${process.arch}`,
  };
}

/** The installed version of a package. */
function versionOf(name) {
  const folders = ['lab', '.'].map((folder) => join(root, folder, 'node_modules', name));
  return JSON.parse(readFileSync(join(folders.find(existsSync), 'package.json'), 'utf8')).version;
}

/** Merges the rounds of one contender: the times of each measure, and the counts, which must agree. */
function summarize(name, runs) {
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

/**
 * Runs the rounds of a part. Each round runs all contenders, so that a slow minute of the machine affects all alike.
 * With `before`, only tamis and its other build take part.
 */
function runRounds(part, { rounds, before }, directory) {
  const entry = part === 'url' ? 'url/index.js' : 'index.js';
  const builds = before === undefined ? [''] : ['', pathToFileURL(join(before, entry)).href];
  const names = Object.keys(CONTENDERS[part]).filter(
    (name) => before === undefined || packageOf(CONTENDERS[part][name]) === 'tamis',
  );
  const runs = builds.map(() => Object.fromEntries(names.map((name) => [name, []])));
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      const most = Math.min(rounds, CONTENDERS[part][name].most ?? rounds);
      if (round > most) continue;
      say(`round ${round} of ${most}: ${name}`);
      builds.forEach((build, i) => {
        const args = ['--expose-gc', ROUND, part, name, directory, build];
        runs[i][name].push(JSON.parse(runChild(...args)));
      });
    }
  }
  return runs.map((all) =>
    Object.fromEntries(names.map((name) => [name, summarize(name, all[name])])),
  );
}

/** Runs `act` with a directory of the part's keys. */
async function withKeys(part, { keyCount, lists }, act) {
  const directory = mkdtempSync(join(tmpdir(), 'tamis-bench-'));
  try {
    if (part === 'url') {
      const { writeLists } = await import('./url.mjs');
      return await act(directory, await writeLists(directory, lists, keyCount / 1_000_000));
    }
    say(`making ${2 * keyCount} URLs`);
    const members = makeUrls(0, keyCount);
    writeFileSync(join(directory, 'members.txt'), members);
    writeFileSync(join(directory, 'absent-keys.txt'), makeUrls(keyCount, keyCount));
    const averageKeyBytes = Math.round((members.length / keyCount - 1) * 10) / 10;
    return await act(directory, { averageKeyBytes });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The measurements of a part beside its rounds, by its name. */
const EXTRAS = {
  async comparison({ contenders, averageKeyBytes }) {
    say(`import and first filter, ${FIRST_RUNS} times`);
    const names = Object.keys(contenders);
    const firsts = Object.fromEntries(names.map((name) => [name, []]));
    for (let i = 0; i < FIRST_RUNS; i++) {
      // V8 gets no flag: with one, Node cannot use the compiled code of its own modules.
      for (const name of names) firsts[name].push(Number(runChild(ROUND, 'comparison', name)));
    }
    for (const name of names) {
      const { module } = CONTENDERS.comparison[name];
      if (module === undefined) continue;
      contenders[name].times.first = summary(firsts[name]);
    }
    return { averageKeyBytes, firstRuns: FIRST_RUNS };
  },
  async dynamic({ averageKeyBytes, keyCount }) {
    say('counting keys until the first refusal');
    const { refusals } = await import('./accuracy.mjs');
    return { averageKeyBytes, refused: refusals(keyCount) };
  },
  static: async ({ averageKeyBytes }) => ({ averageKeyBytes }),
  async url({ isReal, history, hosts, made }) {
    const { hasChromium, publishHistory, replay, timeFeeds, timeOpening } = await import(
      './url-extras.mjs'
    );
    const { timeHashLists } = await import('./url-google.mjs');
    const { timeImage } = await import('./url-image.mjs');
    say('reading feeds, replaying and publishing the history, and opening in Chromium');
    return {
      isReal,
      feeds: await timeFeeds(hosts),
      history: history && (await replay(history)),
      published: history && (await publishHistory(history)),
      open: await timeOpening(made),
      image: await timeImage(made, hasChromium()),
      google: await timeHashLists(hosts),
    };
  },
};

/** Runs a part that has rounds. */
const inRounds = (part, most) => (options) =>
  withKeys(part, options, async (directory, given) => {
    const rounds = Math.min(most, options.rounds);
    const [contenders, before] = runRounds(part, { ...options, rounds }, directory);
    if (before !== undefined) return { contenders, before, rounds };
    const { keyCount } = options;
    const packages = new Set(Object.values(CONTENDERS[part]).map(packageOf).filter(Boolean));
    const versions = [...packages].map((name) => [name, versionOf(name)]);
    return {
      runtime: `Node ${process.version}, V8 ${process.versions.v8}`,
      clock: CLOCK,
      versions: Object.fromEntries(versions),
      keys: keyCount,
      rounds,
      fewRounds: Math.min(rounds, 3),
      contenders,
      ...(await EXTRAS[part]({ ...given, keyCount, contenders })),
    };
  });

const PARTS = {
  comparison: inRounds('comparison', Infinity),
  dynamic: inRounds('dynamic', Infinity),
  static: inRounds('static', 5),
  url: inRounds('url', Infinity),
  sizes: async () => (await import('./sizes.mjs')).measureSizes(),
  accuracy: async (options) => (await import('./accuracy.mjs')).measureAccuracy(options),
  interop: async (options) => (await import('./interop.mjs')).measureInterop(options),
  redis: async (options) => (await import('./redis.mjs')).measureRedis(options),
  browsers: async (options) => (await import('./browsers.mjs')).measureBrowsers(options),
  startup: async (options) => (await import('./startup.mjs')).measureStartup(options),
  native: async (options) => (await import('./native.mjs')).measureNative(options),
  ratio: async (options) => (await import('./native.mjs')).measureRatio(options),
  huge: async (options) => (await import('./huge.mjs')).measureHuge(options),
  pages: async (options) => (await import('./pages.mjs')).measurePages(options),
};
/** Parts that run only if --part names them. */
const ASKED_FOR = ['browsers', 'startup', 'native', 'ratio', 'huge', 'pages', 'redis'];

const isForNative = (argument) => argument.startsWith('--benchmark_');
const { values: options } = parseArgs({
  args: process.argv.slice(2).filter((argument) => !isForNative(argument)),
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
const { quick, part: only, lists, engine, node } = options;
const rounds = Number(options.rounds ?? (quick ? 2 : 7));
if (!Number.isInteger(rounds) || rounds < (quick ? 1 : LEAST_ROUNDS)) {
  throw new RangeError(`--rounds expects at least ${LEAST_ROUNDS}, got ${options.rounds}`);
}
if (only !== undefined && !(only in PARTS)) {
  throw new RangeError(`--part expects ${Object.keys(PARTS).join(' or ')}`);
}
if (options.out !== undefined && only === undefined) throw new TypeError('--out goes with --part');
const before = options.before && resolve(options.before);
const more = process.argv.slice(2).filter(isForNative);
const keyCount = quick ? 100_000 : 1_000_000;
const isAsked = (part) => {
  if (only !== undefined) return part === only;
  return before === undefined ? !ASKED_FOR.includes(part) : part in EXTRAS;
};

for (const part of Object.keys(PARTS).filter(isAsked)) {
  const given = { quick, keyCount, rounds, before, lists, engine, node, more, say, readSaved };
  const measured = await PARTS[part](given);
  const isCompared = measured.before !== undefined;
  const results = { ...environment(), ...measured };
  const shown = isCompared ? slowerTable(part, measured) : TABLES[part](results);
  process.stdout.write(`${shown}\n\n`);
  const isPartial = quick || isCompared || more.length > 0;
  const out = options.out ?? (isPartial ? undefined : savedAs(part));
  if (out !== undefined) {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, `${writeRows(results)}\n`);
    say(`saved ${out}`);
  }
  const faults = faultsOf(part, results);
  for (const fault of faults) say(`${part}: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  else if (out === savedAs(part)) say(runChild('js/scripts/documents.mjs'));
}
