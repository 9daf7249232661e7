// The URL part: URLs against a list of hosts, beside JavaScript's Set and a package that scans its list. Also what a
// day's update costs, and what a page waits for that has the list from an earlier visit.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../js/scripts/run.mjs';
import { findChromium, launchBrowser } from '../../tests/e2e/browser.mjs';
import { startServer } from '../../web-demo/serve.mjs';
import { CONTENDERS } from './contenders.mjs';
import { decode, lineBounds, readLists } from './keys.mjs';
import { inChunks, median, timeRepeats } from './measure.mjs';

const VISITS = 9;
const PAGE = `
import { UrlChecker } from 'tamis/url';
const publicKeys = [new URL(location.href).hash.slice(1)];
const start = performance.now();
const checker = await UrlChecker.open({
  manifest: 'list/manifest.json',
  list: 'bench',
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

/** The host and the domains above it, as a Safe Browsing client asks for them: five at most. */
function* suffixes(host) {
  yield host;
  const labels = host.split('.');
  for (let first = Math.max(1, labels.length - 5); first <= labels.length - 2; first++) {
    yield labels.slice(first).join('.');
  }
}

const LOADERS = {
  tamis(hosts, { expressions, UrlList }, directory) {
    const bytes = readFileSync(join(directory, 'list'));
    const list = UrlList.fromBytes(bytes);
    // The list says that it has hosts alone, and is asked about these.
    const isHost = (expression) => expression.indexOf('/') === expression.length - 1;
    return {
      check: (url) => list.check(url) === 'maybe',
      checkMany: (urls) => list.checkMany(urls).filter((word) => word === 'maybe').length,
      counts: (urls) => ({
        entries: list.count,
        wireBytes: bytes.length,
        memoryBytes: list.sizeBytes,
        expressions: urls.reduce((sum, url) => sum + expressions(url).filter(isHost).length, 0),
        falseNegatives: hosts.filter((host) => list.check(`http://${host}/`) !== 'maybe').length,
      }),
    };
  },
  set(hosts) {
    const listed = new Set(hosts);
    return {
      check(url) {
        for (const suffix of suffixes(new URL(url).hostname)) if (listed.has(suffix)) return true;
        return false;
      },
    };
  },
  detector(hosts, { default: Detector }) {
    const detector = new Detector({ blacklist: hosts });
    return { check: (url) => detector.check(new URL(url).hostname).result };
  },
};

/** One round: notes the time a URL by `time`, and gives what was counted. */
export function measureUrls(name, module, directory, time) {
  const hosts = readFileSync(join(directory, 'hosts.txt'), 'latin1').trimEnd().split('\n');
  const bytes = readFileSync(join(directory, 'urls.txt'));
  const bounds = lineBounds(bytes);
  const fresh = () => decode(bytes, bounds).slice(0, CONTENDERS.url[name].share);
  const { check, checkMany, counts } = LOADERS[name](hosts, module, directory);
  const hitsOf = (measure, ask) => {
    inChunks(fresh(), ask);
    const urls = fresh();
    let hits = 0;
    time(measure, urls.length, () =>
      inChunks(urls, (chunk) => {
        hits += ask(chunk);
      }),
    );
    return hits;
  };
  const hits = hitsOf('check', (urls) => urls.filter(check).length);
  if (checkMany && hitsOf('checkMany', checkMany) !== hits) {
    throw new Error(`${name}: check and checkMany differ`);
  }
  return { urls: fresh().length, hits, ...counts?.(fresh()) };
}

/** The folder that the rounds read, and the lists. */
export async function writeLists(directory, folder, share) {
  const { UrlListBuilder } = await import('tamis/url');
  const lists = readLists(folder, share);
  lists.made = new UrlListBuilder().addHosts(lists.hosts).build();
  writeFileSync(join(directory, 'hosts.txt'), `${lists.hosts.join('\n')}\n`);
  writeFileSync(join(directory, 'urls.txt'), `${lists.urls.join('\n')}\n`);
  writeFileSync(join(directory, 'list'), lists.made.toBytes());
  return lists;
}

/** What the deltas of a history cost: bytes of each, and the time to apply it. */
export async function replay({ start, steps }) {
  const { UrlDelta, UrlListBuilder } = await import('tamis/url');
  const hosts = new Set(start);
  const listOf = () => new UrlListBuilder().addHosts(hosts).build();
  let list = listOf();
  const days = [];
  for (const { add, remove } of steps) {
    for (const host of remove) hosts.delete(host);
    for (const host of add) hosts.add(host);
    const next = listOf();
    const bytes = next.diff(list).toBytes();
    let applied;
    const ms = timeRepeats(1, () => {
      applied = list.apply(UrlDelta.fromBytes(bytes));
    });
    if (Buffer.compare(applied.sha256, next.sha256) !== 0) {
      throw new Error('the delta made another list');
    }
    days.push({ bytes: bytes.length, ms, changes: add.length + remove.length });
    list.dispose();
    next.dispose();
    list = applied;
  }
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    days: days.length,
    entries: list.count,
    meanBytes: mean(days.map(({ bytes }) => bytes)),
    meanChanges: mean(days.map(({ changes }) => changes)),
    applyMs: median(days.map(({ ms }) => ms)),
    slowestMs: Math.max(...days.map(({ ms }) => ms)),
  };
}

function hasChromium() {
  try {
    return existsSync(findChromium());
  } catch {
    return false;
  }
}

/**
 * From `UrlChecker.open` to the first answer, in Chromium, with the list in IndexedDB; undefined where there is
 * no Chromium. Every visit is a new page of one profile; the first fills IndexedDB and does not count.
 */
export async function timeOpening(list) {
  if (!hasChromium()) return undefined;
  const { fileStorage, publishList } = await import('tamis/url');
  const folder = mkdtempSync(join(tmpdir(), 'tamis-open-'));
  const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  await publishList(list, { name: 'bench', storage: fileStorage(fs, join(folder, 'list')), keys });
  writeFileSync(join(folder, 'index.html'), '<script type="module" src="page.js"></script>');
  await build({
    stdin: { contents: PAGE, resolveDir: root },
    outfile: join(folder, 'page.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  });
  const server = await startServer({ root: folder, port: 0 });
  const browser = await launchBrowser();
  try {
    const publicKey = Buffer.from(await crypto.subtle.exportKey('raw', keys.publicKey));
    const context = await browser.newContext();
    const times = [];
    for (let visit = 0; visit <= VISITS; visit++) {
      const tab = await context.newPage();
      await tab.goto(`${server.url}#${publicKey.toString('hex')}`);
      await tab.waitForFunction(() => globalThis.outcome !== undefined);
      const { ms, source } = await tab.evaluate(() => globalThis.outcome);
      const expected = visit === 0 ? 'network' : 'storage';
      if (source !== expected) throw new Error(`expected the list from ${expected}, got ${source}`);
      if (visit > 0) times.push(ms);
      await tab.close();
    }
    return { min: Math.min(...times), median: median(times), visits: VISITS };
  } finally {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
}
