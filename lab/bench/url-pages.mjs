// Measures how long it takes to open a list in new pages of Chromium: with the list in IndexedDB, from its bytes, and
// from the image that a client stores. The last two are also measured in Node, warmed up.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { fileStorage } from 'tamis/url';
import { root } from '../../js/scripts/run.mjs';
import { launchBrowser } from '../../tests/e2e/browser.mjs';
import { startServer } from '../../web-demo/serve.mjs';
import { makeFolder, writeFiles } from '../folders.mjs';
import { inMemory, publish } from '../lists.mjs';
import { figuresInTurn, timeOnce } from './measure.mjs';

const RUNS = 20;
const VISITS = 9;

/** The time runs from the call of `open` to the first answer. */
const OPENING = `
import { UrlChecker } from 'tamis/url';
const publicKeys = [new URL(location.href).hash.slice(1)];
const start = performance.now();
const checker = await UrlChecker.open('list/manifest.json', {
  name: 'bench',
  publicKeys,
  confirm: null,
  ...${JSON.stringify({ ...inMemory, storage: 'indexeddb' })},
});
const answer = checker.check('https://example.org/');
globalThis.outcome = { ms: performance.now() - start, answer, source: checker.status.source };
`;

/** The modules for browsers, since no entry point of the package exports images. */
const browserForm = (module) => join(root, 'dist', module);

/** A page that opens the list in the way that its hash names. The wasm has already started, as in real pages. */
const imagePage = (options) => `
import { UrlList } from ${JSON.stringify(browserForm('url/index.js'))};
import { openImage } from ${JSON.stringify(browserForm('url/list/list-image.js'))};
import { coreWith } from ${JSON.stringify(browserForm('core/border/runtime.js'))};
import { url } from ${JSON.stringify(browserForm('wasm/parts/url.js'))};
import { urlImage } from ${JSON.stringify(browserForm('wasm/parts/url-image.js'))};
const way = location.hash.slice(1);
const bytes = new Uint8Array(await (await fetch(way)).arrayBuffer());
for (const part of [url, urlImage]) coreWith(part);
const start = performance.now();
const list = way === 'image' ? await openImage(bytes, ${JSON.stringify(options)}) : UrlList.fromBytes(bytes);
const answer = list.check('https://example.org/');
globalThis.outcome = { ms: performance.now() - start, answer };
`;

/** Writes a page and its script, bundled as for a site, into a folder. */
async function writePage(folder, contents) {
  writeFileSync(join(folder, 'index.html'), '<script type="module" src="page.js"></script>');
  await build({
    stdin: { contents, resolveDir: root },
    outfile: join(folder, 'page.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  });
}

/**
 * The figures of visits to a page, each in a new tab of the same profile. `waysOf` gets a function that opens the page
 * with a hash and resolves to the page's result. The first visit does not count.
 */
async function timeVisits(contents, fill, waysOf) {
  const folder = makeFolder('bench');
  await fill(folder);
  await writePage(folder, contents);
  const server = await startServer({ root: folder, port: 0 });
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext();
    const visit = async (hash) => {
      const tab = await context.newPage();
      await tab.goto(`${server.url}#${hash}`);
      await tab.waitForFunction(() => globalThis.outcome !== undefined);
      const outcome = await tab.evaluate(() => globalThis.outcome);
      await tab.close();
      return outcome;
    };
    return await figuresInTurn(VISITS, waysOf(visit), 1);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Milliseconds from `UrlChecker.open` to the first answer, if an earlier visit stored the list in IndexedDB. */
export async function timeOpening(list) {
  let key;
  const fill = async (folder) => {
    const storage = fileStorage(join(folder, 'list'));
    key = (await publish(list, 'bench', { storage })).publicKey;
  };
  const waysOf = (visit) => ({
    async stored(round) {
      const { ms, source } = await visit(key);
      const expected = round === 0 ? 'network' : 'storage';
      if (source !== expected) throw new Error(`expected the list from ${expected}, got ${source}`);
      return [ms, ms];
    },
  });
  return (await timeVisits(OPENING, fill, waysOf)).stored;
}

/** Milliseconds to open a list from its bytes and from its image, and the size of the image. */
export async function timeImage(list) {
  const { UrlList } = await import(browserForm('url/index.js'));
  const { imageOf, openImage } = await import(browserForm('url/list/list-image.js'));
  const fromBytes = list.toBytes();
  const image = imageOf(UrlList.fromBytes(fromBytes));
  const { count, prefixBytes } = list;
  const options = { identity: Buffer.from(list.identity).toString('hex'), count, prefixBytes };
  const after = (opened) => opened.dispose();
  const inNode = {
    fromBytes: () => timeOnce(() => UrlList.fromBytes(fromBytes), { after }),
    image: () => timeOnce(() => openImage(image, options), { after }),
  };
  const fill = (folder) => writeFiles(folder, { fromBytes, image });
  const waysOf = (visit) => {
    const way = async (name) => Array(2).fill((await visit(name)).ms);
    return { fromBytes: () => way('fromBytes'), image: () => way('image') };
  };
  return {
    imageBytes: image.length,
    node: await figuresInTurn(RUNS, inNode, 1),
    pages: await timeVisits(imagePage(options), fill, waysOf),
  };
}
