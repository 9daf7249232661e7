// What a page waits for that has the list from an earlier visit: from `UrlChecker.open` to the first
// answer, in Chromium, with the list in IndexedDB. Every visit is a page in a process of its own.

import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { fileStorage, publishList } from 'tamis/url';
import { startServer } from '../../web-demo/serve.mjs';
import { ROOT } from './run.mjs';

const page = `
import { UrlChecker } from 'tamis/url';
const publicKeys = [new URL(location.href).hash.slice(1)];
const start = performance.now();
const checker = await UrlChecker.open({
  manifest: 'list/manifest.json',
  publicKeys,
  storage: 'indexeddb',
  confirm: null,
  onMissing: 'throw',
  onConfirmError: 'throw',
  updateEveryMs: 0,
});
const answer = checker.check('https://example.org/');
globalThis.outcome = { ms: performance.now() - start, answer, source: checker.status.source };
`;

const hexOf = (bytes) => Buffer.from(bytes).toString('hex');

/** Milliseconds of each visit. `launch` starts the browser, as Playwright does. */
export async function timeOpening(list, visits, launch) {
  const root = await fs.mkdtemp(join(tmpdir(), 'tamis-open-'));
  const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const storage = fileStorage(fs, join(root, 'list'));
  await publishList(list, { name: 'bench', storage, keys });
  await fs.writeFile(join(root, 'index.html'), '<script type="module" src="page.js"></script>');
  await build({
    stdin: { contents: page, resolveDir: ROOT },
    outfile: join(root, 'page.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  });
  const server = await startServer({ root, port: 0 });
  const browser = await launch();
  try {
    const publicKey = hexOf(await crypto.subtle.exportKey('raw', keys.publicKey));
    const context = await browser.newContext();
    const times = [];
    for (let visit = 0; visit <= visits; visit++) {
      const tab = await context.newPage();
      await tab.goto(`${server.url}#${publicKey}`);
      await tab.waitForFunction(() => globalThis.outcome !== undefined);
      const { ms, source } = await tab.evaluate(() => globalThis.outcome);
      const expected = visit === 0 ? 'network' : 'storage';
      if (source !== expected) throw new Error(`expected the list from ${expected}, got ${source}`);
      if (visit > 0) times.push(ms);
      await tab.close();
    }
    return times;
  } finally {
    await browser.close();
    await server.close();
    await fs.rm(root, { recursive: true });
  }
}
