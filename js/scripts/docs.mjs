// Builds the documentation site. Serves it on 127.0.0.1 and follows changes of its pages, or writes static files to
// docs/.vitepress/dist. Installs the site's npm packages, builds tamis if dist/ is missing, and writes the API pages
// from the sources. The demo is a folder of the site.
//
//   node js/scripts/docs.mjs [serve | build]     (default: serve)
//
// TAMIS_DOCS_URL is the address at which the files will be served, such as https://example.org/tamis/. If it is not
// set, the files work at the root of any host, but links to pages have no preview picture.

import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isProgram, root, run } from './run.mjs';
import { setUp } from './setup.mjs';

const tool = (path, ...args) => run(process.execPath, [`docs/node_modules/${path}`, ...args]);

/** Files that pages fetch or link: the filter in the figures, its description, and the preview picture. */
const files = [
  'web-demo/public/phishing.tamis',
  'web-demo/public/phishing.json',
  'docs/pictures/og.png',
];

/** Writes a zip of the extension's folder, to which the recipe links. */
export const zipExtension = (file) =>
  run('python3', ['-m', 'zipfile', '-c', file, 'js/examples/extension']);

async function copyFiles() {
  await run(process.execPath, ['web-demo/build-data.mjs']);
  mkdirSync(join(root, 'docs/public'), { recursive: true });
  for (const file of files)
    copyFileSync(join(root, file), join(root, 'docs/public', basename(file)));
  await zipExtension('docs/public/extension.zip');
}

/** Builds the demo for the site, whose pages its own pages link to. */
async function buildDemo() {
  const flags = ['--outDir', join(root, 'docs/public/demo'), '--logLevel', 'warn'];
  const env = { ...process.env, TAMIS_DOCS_PAGES: '../*.html' };
  await run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', 'web-demo', ...flags], {
    env,
  });
}

async function makeReady() {
  const isBuilt = existsSync(join(root, 'dist/index.js'));
  await setUp(isBuilt ? 'python' : 'base', 'docs', 'web-demo');
  if (!isBuilt) {
    const { build } = await import('./build.mjs');
    await build();
  }
  await copyFiles();
  await buildDemo();
  await tool('typedoc/bin/typedoc', '--options', 'docs/typedoc.json', '--logLevel', 'Warn');
}

const modes = {
  serve: () => tool('vitepress/bin/vitepress.js', 'dev', 'docs', '--host', '127.0.0.1'),
  build: () => tool('vitepress/bin/vitepress.js', 'build', 'docs'),
};

/** Writes the site's static files. */
export async function buildDocs() {
  await makeReady();
  await modes.build();
}

if (isProgram(import.meta)) {
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
