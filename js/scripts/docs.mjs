// The documentation's site: serves it on 127.0.0.1 and follows changes of its pages, or makes static files of it
// in docs/.vitepress/dist. It installs what the site needs, builds the package where dist/ is absent, and writes
// the pages of the API from the sources.
//
//   node js/scripts/docs.mjs [serve | build]     (default: serve)
//
// TAMIS_DOCS_BASE is the path at which a host will serve the files, such as /tamis/; "/" unless given.

import { copyFileSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, run } from './run.mjs';
import { setUp, setUpNodeModules } from './setup.mjs';

const tool = (path, ...args) => run(process.execPath, [`docs/node_modules/${path}`, ...args]);

/** Makes the filter of the real list that the figures show, and its description. */
async function makeFigureData() {
  await run(process.execPath, ['web-demo/build-data.mjs']);
  mkdirSync(join(root, 'docs/public'), { recursive: true });
  for (const name of ['phishing.tamis', 'phishing.json']) {
    copyFileSync(join(root, 'web-demo/public', name), join(root, 'docs/public', name));
  }
}

async function makeReady() {
  if (existsSync(join(root, 'dist/index.js'))) {
    await setUpNodeModules();
  } else {
    await setUp('base');
    const { build } = await import('./build.mjs');
    await build();
  }
  await setUpNodeModules('docs');
  await makeFigureData();
  await tool('typedoc/bin/typedoc', '--options', 'docs/typedoc.json', '--logLevel', 'Warn');
}

const modes = {
  serve: () => tool('vitepress/bin/vitepress.js', 'dev', 'docs', '--host', '127.0.0.1'),
  build: () => tool('vitepress/bin/vitepress.js', 'build', 'docs'),
};

/** Makes the site's static files. */
export async function buildDocs() {
  await makeReady();
  await modes.build();
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const mode = process.argv[2] ?? 'serve';
  try {
    if (!Object.hasOwn(modes, mode)) throw new Error(`expected serve or build, got ${mode}`);
    await makeReady();
    await modes[mode]();
  } catch (error) {
    console.error(`docs: ${error.message}`);
    process.exitCode = 1;
  }
}
