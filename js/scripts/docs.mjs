// The documentation's site. Serves it on 127.0.0.1 and follows changes of its pages, or makes static files of it in
// docs/.vitepress/dist. Installs the packages of the site, builds the package if dist/ is absent, and writes the pages
// of the API from the sources. The demo is a folder of the site.
//
//   node js/scripts/docs.mjs [serve | build]     (default: serve)
//
// TAMIS_DOCS_URL is the address at which a host will serve the files, such as https://example.org/tamis/. Without it
// the files are for the root of any host, and links to them have no picture.

import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isProgram, root, run } from './run.mjs';
import { setUp } from './setup.mjs';

const tool = (path, ...args) => run(process.execPath, [`docs/node_modules/${path}`, ...args]);

/** Files that pages fetch or name by address: the filter of the figures' real list, its description, and the card. */
const files = [
  'web-demo/public/phishing.tamis',
  'web-demo/public/phishing.json',
  'docs/pictures/og.png',
];

/** Packs the folder of the extension, which its recipe links, as a zip. */
export const zipExtension = (file) =>
  run('python3', ['-m', 'zipfile', '-c', file, 'js/examples/extension']);

async function copyFiles() {
  await run(process.execPath, ['web-demo/build-data.mjs']);
  mkdirSync(join(root, 'docs/public'), { recursive: true });
  for (const file of files)
    copyFileSync(join(root, file), join(root, 'docs/public', basename(file)));
  await zipExtension('docs/public/extension.zip');
}

/** Builds the demo for the site: its pages link to those of the site. */
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

/** Makes the site's static files. */
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
