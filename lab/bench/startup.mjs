// The time from the text of a bundle to the first answer, with the start of WebAssembly. Each measurement has its own
// fresh process of Node, or its own fresh page.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BloomFilter as Peer } from 'bloomfilter';
import { build } from 'esbuild';
import { BloomFilter, bloomSizing } from 'tamis';
import { root } from '../../js/scripts/run.mjs';
import { serveBundle } from '../../tests/e2e/bundle.mjs';
import { allEngines, outcomeOf, startEngine } from '../../tests/e2e/engines/index.mjs';
import { summary } from './measure.mjs';

const KEYS = Array.from({ length: 10_000 }, (_, i) => `key ${i}`);
const ONE_PERCENT = { fpr: 0.01 };

/** The first act of a page with its stored filter. Each answers true. */
const MAKE = `const filter = new BloomFilter({ capacity: 10_000 });
    filter.add('key 7');
    return filter.has('key 7');`;
const LOAD = "return BloomFilter.fromBytes(stored).has('key 7');";
/** The first act as the README of bloomfilter has it, with JSON as the stored form. */
const LOAD_PEER = "return new BloomFilter(JSON.parse(stored), 7).test('key 7');";

/** The rows. Entries of this package are files of a build, and others are packages. */
const ROWS = [
  { name: 'new BloomFilter', act: MAKE, entry: 'index.js' },
  { name: 'BloomFilter.fromBytes', act: LOAD, entry: 'index.js' },
  { name: 'BloomFilter.fromBytes of tamis/read', act: LOAD, entry: 'read/index.js' },
  { name: 'npm bloomfilter', act: LOAD_PEER, peer: 'bloomfilter' },
];

/** The text of a bundle that exports `first`, which acts on a stored filter. */
async function bundleOf(folder, { act, entry, peer }, platform) {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { BloomFilter } from '${peer ?? `./${entry}`}';
export function first(stored) { ${act} }`,
      resolveDir: peer === undefined ? folder : import.meta.dirname,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    write: false,
  });
  return outputFiles[0].text;
}

/** Each row of this build, and of the build before if that has the entry. For Node, it is the form that Node takes. */
async function bundlesOf(before, platform) {
  const bundles = [];
  for (const row of ROWS) {
    for (const [as, dist] of Object.entries({ now: join(root, 'dist'), before })) {
      if (dist === undefined || (row.peer !== undefined && as !== 'now')) continue;
      const ofNode = join(dist, 'node');
      const folder = platform === 'node' && existsSync(ofNode) ? ofNode : dist;
      if (row.entry !== undefined && !existsSync(join(folder, row.entry))) continue;
      bundles.push({ row: row.name, as, text: await bundleOf(folder, row, platform) });
    }
  }
  return bundles;
}

/** The stored filter as JavaScript source: bytes, or JSON for the peer. */
function storedOf(row) {
  if (row !== 'npm bloomfilter') {
    return `Uint8Array.from(${JSON.stringify([...BloomFilter.from(KEYS, ONE_PERCENT).toBytes()])})`;
  }
  const { bits, hashes } = bloomSizing({ capacity: KEYS.length, ...ONE_PERCENT });
  const filter = new Peer(bits, hashes);
  for (const key of KEYS) filter.add(key);
  return JSON.stringify(JSON.stringify([...filter.buckets]));
}

/** A module that measures the bundle of a row, and leaves the milliseconds. `read` makes an address of the bundle. */
const sourceOf = (row, read, clock) => `
const stored = ${storedOf(row)};
// The first import of a process also starts its loader.
await import('data:text/javascript,');
const address = ${read};
${clock}
const stop = startClock();
const { first } = await import(address);
if (first(stored) !== true) throw new Error('a key is not found');
export const ms = stop();`;

/** Returns a function that measures a bundle once. */
function inNode({ row, text }, i) {
  const folder = join(import.meta.dirname, '../build');
  mkdirSync(folder, { recursive: true });
  const bundle = join(folder, `first-${i}.mjs`);
  writeFileSync(bundle, text);
  const file = join(folder, `startup-${i}.mjs`);
  const clock = "import { startClock } from '../bench/measure.mjs';";
  const source = sourceOf(row, `'./first-${i}.mjs'`, clock);
  writeFileSync(file, `${source}\nconsole.log(ms);\n`);
  return async () => Number(execFileSync(process.execPath, [file], { encoding: 'utf8' }));
}

const csp = "script-src 'self' blob: data: 'wasm-unsafe-eval'";

async function inPage(engine, { row, text }) {
  const blob = `new Blob([${JSON.stringify(text)}], { type: 'text/javascript' })`;
  const clock = `const startClock = () => {
  const start = performance.now();
  return () => performance.now() - start;
};`;
  // The address of a blob is new in each page, so no engine keeps code for it.
  const source = `${sourceOf(row, `URL.createObjectURL(${blob})`, clock)}\nglobalThis.outcome = ms;\n`;
  const server = await serveBundle({ sources: { 'page.js': source }, resolveDir: root, csp });
  return {
    async measure() {
      const page = await engine.open(server.url);
      try {
        return await outcomeOf(page);
      } finally {
        await page.close();
      }
    },
    close: server.close,
  };
}

/** The times of the bundles, by row. Each round measures all in turn, and the first one warms up the machine. */
async function timesOf(bundles, measures, rounds) {
  const times = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [i, { row, as }] of bundles.entries()) {
      const ms = await measures[i]();
      times[row] ??= {};
      times[row][as] ??= [];
      if (round > 0) times[row][as].push(ms);
    }
  }
  for (const row of Object.values(times)) {
    for (const as of Object.keys(row)) row[as] = summary(row[as]);
  }
  return times;
}

/** Three runs for each round, since runs are short. */
export async function measureStartup({ rounds: asked, before, say, engine: only }) {
  const rounds = 3 * asked;
  const engines = [];
  for (const name of only ?? ['node', ...allEngines]) {
    say(`start-up in ${name}`);
    const bundles = await bundlesOf(before, name === 'node' ? 'node' : 'browser');
    if (name === 'node') {
      engines.push({ name, times: await timesOf(bundles, bundles.map(inNode), rounds) });
      continue;
    }
    const engine = await startEngine(name);
    const pages = [];
    try {
      for (const bundle of bundles) pages.push(await inPage(engine, bundle));
      const measures = pages.map(({ measure }) => measure);
      engines.push({ name, times: await timesOf(bundles, measures, rounds) });
    } finally {
      for (const { close } of pages) await close();
      await engine.close();
    }
  }
  return { rounds, engines };
}
