// The pages part. `tamis shard` divides a long list into pages, and `tamis build` makes one RibbonFilter from the same
// lines. Then it looks up keys like a client. Each command is a process, which reads lines from here.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openAsBlob, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { RemoteFilter } from 'tamis/remote';
import { binomialInterval } from '../../js/examples/binomial.mjs';
import { makeFolder } from '../folders.mjs';
import { makeSerials } from './keys.mjs';
import { ones } from './measure.mjs';

const CHUNK_LINES = 20_000;
const ASKED = 1_000_000;
const RUNS = 20;
const LOOK_EVERY_MS = 2000;
/** The size of a file. A file that is renamed or deleted meanwhile counts as 0. */
const QUIET = { throwIfNoEntry: false };
const TIMES = { compared: 100, whole: 1000 };
const BITS = 8;
const TAMIS = join(import.meta.dirname, '..', '..', 'dist', 'cli.mjs');
const SAY_PEAK = 'process.on("exit",()=>console.error(process.resourceUsage().maxRSS))';

function* linesOf(count) {
  for (let line = 0; line < count; line += CHUNK_LINES) {
    yield makeSerials(line, Math.min(CHUNK_LINES, count - line));
  }
}

/** Runs a command of tamis on `count` lines. Returns its seconds and its peak of memory. */
async function runOn(count, args) {
  const begin = performance.now();
  const flags = ['--import', `data:text/javascript,${SAY_PEAK}`];
  const stdio = ['pipe', 'ignore', 'pipe'];
  const child = spawn(process.execPath, [...flags, TAMIS, ...args], { stdio });
  // A program that fails stops reading, and reports its own error below.
  const fed = pipeline(Readable.from(linesOf(count)), child.stdin).catch(() => {});
  const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr), fed]);
  if (code !== 0) throw new Error(`tamis ${args[0]} ended with ${code}: ${said}`);
  const seconds = Math.round((performance.now() - begin) / 100) / 10;
  const peakMb = Math.round(Number(said.trim().split('\n').at(-1)) / 1024);
  return { seconds, peakMb };
}

/** A `fetch` that answers like a static host of the folder. */
const hostOf =
  (folder) =>
  async (url, { headers } = {}) => {
    const path = join(folder, basename(new URL(url).pathname));
    const range = new Headers(headers).get('range');
    if (range === null) return new Response(readFileSync(path));
    const [first, last] = /^bytes=(\d+)-(\d+)$/.exec(range).slice(1).map(Number);
    const file = await openAsBlob(path);
    const place = { 'content-range': `bytes ${first}-${last}/${file.size}` };
    return new Response(file.slice(first, last + 1), { status: 206, headers: place });
  };

/** Counts how many of ASKED lines are found. They are in runs, spread evenly over `count` lines from `first` on. */
async function countPassing(filter, first, count) {
  const length = ASKED / RUNS;
  const keys = Array.from({ length: RUNS }, (_, run) => {
    const from = first + Math.round((run * (count - length)) / (RUNS - 1));
    return makeSerials(from, length).toString('latin1').trimEnd().split('\n');
  });
  // One call for all, so that each page is fetched once.
  return ones(await filter.hasMany(keys.flat()));
}

/** The size on disk of all files in a folder. */
function diskBytesOf(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const found = entry.isFile() && statSync(join(entry.parentPath, entry.name), QUIET);
    if (found) bytes += 512 * found.blocks;
  }
  return bytes;
}

/** Awaits `work`, and measures the largest size on disk of the folder meanwhile. */
async function watchDisk(folder, work) {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, diskBytesOf(folder));
  }, LOOK_EVERY_MS);
  try {
    return { ...(await work), diskBytes: Math.max(most, diskBytesOf(folder)) };
  } finally {
    clearInterval(timer);
  }
}

/** Divides `count` lines into pages in a folder, then looks up ASKED members and ASKED absent keys. */
async function cut(folder, count, say) {
  say(`cutting ${count} lines into pages`);
  const shape = ['--fingerprint-bits', `${BITS}`, '--memory', '200MB'];
  const work = runOn(count, ['shard', '-', '-o', folder, '--name', 'bench', ...shape]);
  const costs = await watchDisk(folder, work);
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const { pages } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  say(`looking up ${2 * ASKED} keys`);
  const options = { name: 'bench', publicKeys: null, fetch: hostOf(folder), cachePages: 64 };
  const filter = await RemoteFilter.open('https://pages.invalid/manifest.json', options);
  const falseNegatives = ASKED - (await countPassing(filter, 0, count));
  const falsePositives = await countPassing(filter, count, ASKED);
  filter.close();
  const { low, high } = binomialInterval(ASKED, 2 ** -BITS, 1e-9);
  if (falseNegatives > 0 || falsePositives < low || falsePositives > high) {
    throw new Error(`${falseNegatives} false negatives, ${falsePositives} false positives`);
  }
  return {
    keys: count,
    ...costs,
    bytes,
    pageBytes: Math.round(bytes / pages),
    falseNegatives,
    falsePositives,
  };
}

export async function measurePages({ keyCount, quick, say }) {
  const count = TIMES.compared * keyCount;
  say(`building one filter of ${count} lines`);
  const file = join(makeFolder('bench'), 'one.tamis');
  const shape = ['--type', 'ribbon', '--fingerprint-bits', `${BITS}`];
  const costs = await runOn(count, ['build', '-', '-o', file, ...shape]);
  const counts = quick ? [count] : [count, TIMES.whole * keyCount];
  const sets = [];
  for (const keys of counts) sets.push(await cut(makeFolder('bench'), keys, say));
  return { asked: ASKED, one: { keys: count, ...costs }, sets };
}
