// How long a page waits for its first answer: from the text of a bundle to it, with the start of WebAssembly. Each
// measurement is one of a fresh process of Node, or of a fresh page.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BloomFilter } from 'tamis';
import { serveBundle } from '../../tests/e2e/bundle.mjs';
import { allEngines, outcomeOf, startEngine } from '../../tests/e2e/engines/index.mjs';
import { root } from '../scripts/run.mjs';
import { summary } from './measure.mjs';

const KEYS = Array.from({ length: 1000 }, (_, i) => `key ${i}`);

/** What a page does first; each answers true. */
const ACTS = {
  make: `const filter = new BloomFilter({ capacity: 1000 });
    filter.add('key 7');
    return filter.has('key 7');`,
  load: "return BloomFilter.fromBytes(bytes).has('key 7');",
};
const ROWS = [
  { name: 'new BloomFilter', act: 'make', entry: 'index.js' },
  { name: 'BloomFilter.fromBytes', act: 'load', entry: 'index.js' },
  { name: 'BloomFilter.fromBytes of tamis/read', act: 'load', entry: 'read/index.js' },
];

/** The text of a bundle that exports `first`, which acts on the bytes of a filter. */
async function bundleOf(folder, { act, entry }, platform) {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { BloomFilter } from './${entry}';
export function first(bytes) { ${ACTS[act]} }`,
      resolveDir: folder,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    write: false,
  });
  return outputFiles[0].text;
}

/** Each row of this build, and of the one before where it has the entry; for Node of the form that Node takes. */
async function bundlesOf(before, platform) {
  const bundles = [];
  for (const row of ROWS) {
    for (const [as, dist] of Object.entries({ tamis: join(root, 'dist'), before })) {
      if (dist === undefined) continue;
      const ofNode = join(dist, 'node');
      const folder = platform === 'node' && existsSync(ofNode) ? ofNode : dist;
      if (!existsSync(join(folder, row.entry))) continue;
      bundles.push({ row: row.name, as, text: await bundleOf(folder, row, platform) });
    }
  }
  return bundles;
}

const stored = () => [...BloomFilter.from(KEYS).toBytes()];

/** A module that measures one bundle, which `read` makes an address of, and leaves the milliseconds. */
const sourceOf = (read, clock) => `
const bytes = Uint8Array.from(${JSON.stringify(stored())});
// The first import of all starts the loader.
await import('data:text/javascript,');
const address = ${read};
${clock}
const stop = startClock();
const { first } = await import(address);
if (first(bytes) !== true) throw new Error('a key is not found');
export const ms = stop();`;

/** A function that measures a bundle once. */
function inNode({ text }, i) {
  const folder = join(root, 'build', 'bench');
  mkdirSync(folder, { recursive: true });
  const bundle = join(folder, `first-${i}.mjs`);
  writeFileSync(bundle, text);
  const file = join(folder, `startup-${i}.mjs`);
  const clock = "import { startClock } from '../../js/bench/measure.mjs';";
  const source = sourceOf(`'./first-${i}.mjs'`, clock);
  writeFileSync(file, `${source}\nconsole.log(ms);\n`);
  return async () => Number(execFileSync(process.execPath, [file], { encoding: 'utf8' }));
}

const csp = "script-src 'self' blob: data: 'wasm-unsafe-eval'";

async function inPage(engine, { text }) {
  const blob = `new Blob([${JSON.stringify(text)}], { type: 'text/javascript' })`;
  const clock = `const startClock = () => {
  const start = performance.now();
  return () => performance.now() - start;
};`;
  // A blob's address is new in each page: no engine keeps code for it.
  const source = `${sourceOf(`URL.createObjectURL(${blob})`, clock)}\nglobalThis.outcome = ms;\n`;
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

/** The bundles' times, by row; each round measures all in turn, and the first warms up the machine. */
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

/** Runs are short: three for each round. */
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
