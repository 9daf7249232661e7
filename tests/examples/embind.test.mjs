// The example of embind: the command in its head builds it, and its class answers as the package does.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { BloomFilter } from 'tamis';
import { toolchain } from '../../js/scripts/build.mjs';
import { root } from '../../js/scripts/run.mjs';
import { launchBrowser } from '../e2e/browser.mjs';

const SEEN = 'https://news.example/caf\u00e9?page=1';
const UNSEEN = 'https://news.example/caf\u00e9?page=2';

/** What a page does with the class: each step as what can leave the page. */
async function useClass({ address, seen: url, unseen }) {
  const { default: load } = await import(address);
  const { SeenUrls } = await load();
  const seen = SeenUrls.create(1000);
  const added = [seen.add(url), seen.add(url)];
  const bytes = seen.save();
  const again = SeenUrls.load(bytes);
  const found = [seen, again].flatMap((one) => [one.has(url), one.has(unseen)]);
  const damaged = bytes.with(bytes.length - 1, bytes.at(-1) ^ 1);
  const refused = [SeenUrls.load(damaged), SeenUrls.create(0)].map(String);
  for (const one of [seen, again]) one.delete();
  return { added, found, refused, bytes: [...bytes] };
}

/** Runs it in a page beside the files of this folder. */
async function useInPage(folder, given) {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.route('**', (route) =>
      route.fulfill({ path: join(folder, new URL(route.request().url()).pathname) }),
    );
    await page.goto('http://app.example/seen_urls.mjs');
    return await page.evaluate(useClass, { ...given, address: page.url() });
  } finally {
    await browser.close();
  }
}

test('a class bound by embind has the bytes of the package, and failures as values', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-embind-'));
  t.after(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, 'cpp'), join(folder, 'cpp'));
  const source = readFileSync(join(root, 'cpp/examples/embind.cpp'), 'utf8');
  const [command] = /em\+\+ [\s\S]*?\s-o \S+/.exec(source.replace(/^\/\/ */gm, ''));
  execFileSync('sh', ['-c', command], { cwd: folder, env: toolchain });

  const given = { seen: SEEN, unseen: UNSEEN };
  const version = execFileSync('em++', ['-dumpversion'], { encoding: 'utf8' }).trim();
  const address = pathToFileURL(join(folder, 'seen_urls.mjs')).href;
  // The module that 3.1.6 writes asks Node for __dirname, which no module has.
  const told =
    version === '3.1.6' ? await useInPage(folder, given) : await useClass({ ...given, address });
  const filter = BloomFilter.from([SEEN], { capacity: 1000, fpr: 0.001 });
  assert.deepEqual(told, {
    added: [true, false],
    found: [true, false, true, false],
    refused: ['Error: ERR_TAMIS_CORRUPT', 'Error: ERR_TAMIS_INVALID_OPTION'],
    bytes: [...filter.toBytes()],
  });
});
