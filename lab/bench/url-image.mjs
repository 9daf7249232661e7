// The time to open a stored list: from its bytes, and from the image that a client stores. Both run warm in Node, and
// in fresh pages of Chromium if it is here. The time ends with the first answer, and begins with the bytes in memory.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../js/scripts/run.mjs';
import { launchBrowser } from '../../tests/e2e/browser.mjs';
import { startServer } from '../../web-demo/serve.mjs';
import { startClock, summary } from './measure.mjs';
import { writePage } from './url-extras.mjs';

const RUNS = 20;
const VISITS = 11;
/** The modules that browsers get, since no entry of the package exports images. */
const browserForm = (module) => join(root, 'dist', module);
const ways = ['fromBytes', 'image'];

/** A page that opens the list in the way that its hash names. The wasm has started before, as in real pages. */
const pageOf = (options) => `
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

async function timeInNode(forms, options) {
  const { UrlList } = await import(browserForm('url/index.js'));
  const { openImage } = await import(browserForm('url/list/list-image.js'));
  const open = {
    fromBytes: () => UrlList.fromBytes(forms.fromBytes),
    image: () => openImage(forms.image, options),
  };
  const times = { fromBytes: [], image: [] };
  // The first run of each warms up.
  for (let run = 0; run <= RUNS; run++) {
    for (const way of ways) {
      const stop = startClock();
      const list = await open[way]();
      const ms = stop();
      list.dispose();
      if (run > 0) times[way].push(ms);
    }
  }
  return { fromBytes: summary(times.fromBytes), image: summary(times.image) };
}

async function timeInPages(forms, options) {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-image-'));
  for (const way of ways) writeFileSync(join(folder, way), forms[way]);
  await writePage(folder, pageOf(options));
  const server = await startServer({ root: folder, port: 0 });
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext();
    const times = { fromBytes: [], image: [] };
    for (let visit = 0; visit <= VISITS; visit++) {
      for (const way of ways) {
        const tab = await context.newPage();
        await tab.goto(`${server.url}#${way}`);
        await tab.waitForFunction(() => globalThis.outcome !== undefined);
        const { ms } = await tab.evaluate(() => globalThis.outcome);
        if (visit > 0) times[way].push(ms);
        await tab.close();
      }
    }
    return { fromBytes: summary(times.fromBytes), image: summary(times.image) };
  } finally {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

/** Milliseconds of both ways, and the bytes of both forms. `pages` is undefined without Chromium. */
export async function timeImage(list, hasChromium) {
  const { UrlList } = await import(browserForm('url/index.js'));
  const { imageOf } = await import(browserForm('url/list/list-image.js'));
  const fromBytes = list.toBytes();
  const image = imageOf(UrlList.fromBytes(fromBytes));
  const { count, prefixBytes } = list;
  const options = { identity: Buffer.from(list.identity).toString('hex'), count, prefixBytes };
  const forms = { fromBytes, image };
  return {
    bytes: fromBytes.length,
    imageBytes: image.length,
    node: await timeInNode(forms, options),
    pages: hasChromium ? await timeInPages(forms, options) : undefined,
  };
}
