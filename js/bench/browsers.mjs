// Strings in Node, Chromium, Firefox and WebKit: engine.mjs in a page of each, and in as many Nodes as are given.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serveBundle } from '../../tests/e2e/bundle.mjs';
import { allEngines, startEngine } from '../../tests/e2e/engines/index.mjs';
import { CSP } from '../../web-demo/serve.mjs';
import { root } from '../scripts/run.mjs';
import { summary } from './measure.mjs';

const MODULES = {
  tamis: 'tamis',
  bloomfilter: 'bloomfilter',
  // Its other half wants Node's Buffer.
  'bloom-filters': 'bloom-filters/dist/bloom/bloom-filter.js',
};

/** A module that measures, and hands its results to `take`; `from` leads to this folder. */
function sourceOf({ quick, rounds, before }, from, take) {
  const modules = Object.entries(MODULES).map(([name, module]) => ({ name, module, as: name }));
  if (before !== undefined) modules.splice(1, 0, { name: 'tamis', module: before, as: 'before' });
  const lines = modules.map(
    ({ name, module, as }, i) => `
import * as module${i} from '${module}';
import { loopsOf as loops${i} } from '${from}/strings.mjs?${as}';
contenders['${as}'] = loops${i}('${name}', module${i});`,
  );
  return `
import { measure } from '${from}/engine.mjs';
import { loopsOf } from '${from}/strings.mjs?set';
const contenders = {};${lines.join('')}
contenders.set = loopsOf('set');
${take}(measure(contenders, ${JSON.stringify({ quick, rounds })}));
`;
}

/** Where the other build begins, as an import names it. */
const entryOf = (folder) => folder && join(folder, 'index.js');

function runNode(path, options) {
  const folder = join(root, 'build', 'bench');
  mkdirSync(folder, { recursive: true });
  const before = options.before && pathToFileURL(entryOf(options.before)).href;
  const take = '((outcome) => outcome.then((got) => console.log(JSON.stringify(got))))';
  const file = join(folder, 'node.mjs');
  writeFileSync(file, sourceOf({ ...options, before }, '../../js/bench', take));
  return JSON.parse(execFileSync(path, [file], { encoding: 'utf8', maxBuffer: 1 << 26 }));
}

async function runPage(engine, options) {
  const take = 'globalThis.take = (outcome) => { globalThis.outcome = outcome; }; take';
  const source = sourceOf({ ...options, before: entryOf(options.before) }, './js/bench', take);
  const server = await serveBundle({ sources: { 'page.js': source }, resolveDir: root, csp: CSP });
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
  const add = (name, { runtime, capacity, times }) => {
    for (const row of Object.values(times)) {
      for (const contender of Object.keys(row)) row[contender] = summary(row[contender]);
    }
    engines.push({ name, runtime, capacity, times });
  };
  for (const path of asked.includes('node') ? [process.execPath, ...node] : node) {
    say(`strings in ${path}`);
    const outcome = runNode(path, options);
    add(`Node ${/\d+/.exec(outcome.runtime)}`, outcome);
  }
  for (const name of allEngines.filter((one) => asked.includes(one))) {
    say(`strings in ${name}`);
    let engine;
    try {
      engine = await startEngine(name);
    } catch (error) {
      if (options.engine !== undefined) throw error;
      say(`left out: ${error.message}`);
      continue;
    }
    try {
      const outcome = await runPage(engine, options);
      add(`${NAMES[name]} ${VERSION.exec(outcome.runtime)?.[1] ?? ''}`.trim(), outcome);
    } finally {
      await engine.close();
    }
  }
  return { rounds: options.rounds, engines };
}
