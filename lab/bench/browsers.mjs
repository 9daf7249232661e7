// Measures look-ups of strings in Node, Chromium, Firefox and WebKit. engine.mjs runs in pages and in Node.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serveBundle } from '../../tests/e2e/bundle.mjs';
import { allEngines, startEngine } from '../../tests/e2e/engines/index.mjs';
import { CSP } from '../../web-demo/serve.mjs';
import { CONTENDERS } from './contenders.mjs';

const lab = join(import.meta.dirname, '..');

/** A module that measures and stores a promise of its results. `from` is the path to this folder. */
function sourceOf({ quick, rounds, before }, from) {
  // bloom-filters as a single file, because its other files need Node's Buffer.
  const paths = { 'bloom-filters': 'bloom-filters/dist/bloom/bloom-filter.js' };
  const all = Object.entries(CONTENDERS.browsers).map(([name, { module }]) => {
    return { name, as: name, module: module && (paths[module] ?? module) };
  });
  if (before !== undefined) all.splice(1, 0, { name: 'tamis', as: 'before', module: before });
  // Each contender has its own copy of the loops, so that engines learn nothing from others.
  const lines = all.map(
    ({ name, as, module }, i) => `
${module ? `import * as module${i} from '${module}'` : `const module${i} = undefined`};
import { adapt as adapt${i} } from '${from}/contenders.mjs?${as}';
import { addAll as add${i}, askAll as ask${i} } from '${from}/measure.mjs?${as}';
const own${i} = adapt${i}('browsers', '${name}', module${i}, module0);
contenders['${as}'] = { ...own${i}, addAll: add${i}, askAll: ask${i} };`,
  );
  return `
import { measure } from '${from}/engine.mjs';
const contenders = {};${lines.join('')}
globalThis.outcome = measure(contenders, ${JSON.stringify({ quick, rounds })});
`;
}

/** The entry point of the other build, as an import path. */
const entryOf = (folder) => folder && join(folder, 'index.js');

function runNode(path, options) {
  const folder = join(lab, 'build');
  mkdirSync(folder, { recursive: true });
  const before = options.before && pathToFileURL(entryOf(options.before)).href;
  const file = join(folder, 'node.mjs');
  const source = sourceOf({ ...options, before }, '../bench');
  writeFileSync(file, `${source}console.log(JSON.stringify(await outcome));\n`);
  return JSON.parse(execFileSync(path, [file], { encoding: 'utf8', maxBuffer: 1 << 26 }));
}

async function runPage(engine, options) {
  const source = sourceOf({ ...options, before: entryOf(options.before) }, './bench');
  const server = await serveBundle({ sources: { 'page.js': source }, resolveDir: lab, csp: CSP });
  try {
    const page = await engine.open(server.url);
    return await page.evaluate('globalThis.outcome');
  } finally {
    await server.close();
  }
}

const NAMES = { chromium: 'Chromium', firefox: 'Firefox', webkit: 'WebKitGTK' };
const VERSION = /(?:Chrome|Firefox)\/(\d+)/;

export async function measureBrowsers(options) {
  const { say, node = [], engine: asked = ['node', ...allEngines] } = options;
  const engines = [];
  for (const path of asked.includes('node') ? [process.execPath, ...node] : node) {
    say(`strings in ${path}`);
    const outcome = runNode(path, options);
    engines.push({ name: `Node ${/\d+/.exec(outcome.runtime)}`, times: outcome.times });
  }
  for (const name of allEngines.filter((one) => asked.includes(one))) {
    say(`strings in ${name}`);
    const engine = await startEngine(name);
    try {
      const { runtime, times } = await runPage(engine, options);
      const version = VERSION.exec(runtime)?.[1] ?? '';
      engines.push({ name: `${NAMES[name]} ${version}`.trim(), times });
    } finally {
      await engine.close();
    }
  }
  return { runtime: undefined, rounds: options.rounds, engines };
}
