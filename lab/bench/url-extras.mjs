// Measurements of the URL part beside its rounds: feeds, a day's update, publications, and the time to open a list.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../js/scripts/run.mjs';
import { findChromium, launchBrowser } from '../../tests/e2e/browser.mjs';
import { startServer } from '../../web-demo/serve.mjs';
import { median, startClock, summary, timeRepeats } from './measure.mjs';

const VISITS = 9;
/** An even number of runs, so that each way comes first equally often. */
const FEED_RUNS = 6;
const BEHIND = 64;
const DAY = 24 * 3600 * 1000;
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

/** The lists of a history, one after the other. */
async function* versionsOf({ start, steps }) {
  const { UrlListBuilder } = await import('tamis/url');
  const hosts = new Set(start);
  const listOf = () => new UrlListBuilder().addHosts(hosts).build();
  yield listOf();
  for (const { add, remove } of steps) {
    for (const host of remove) hosts.delete(host);
    for (const host of add) hosts.add(host);
    yield listOf();
  }
}

/** The cost of a history's deltas: the bytes of each, and the time to apply it. */
export async function replay(history) {
  const { UrlDelta } = await import('tamis/url');
  const days = [];
  let list;
  for await (const next of versionsOf(history)) {
    if (list !== undefined) {
      const bytes = next.diff(list).toBytes();
      let applied;
      const ms = timeRepeats(1, () => {
        applied = list.apply(UrlDelta.fromBytes(bytes));
      });
      if (Buffer.compare(applied.sha256, next.sha256) !== 0) {
        throw new Error('the delta made another list');
      }
      const { add, remove } = history.steps[days.length];
      days.push({ bytes: bytes.length, ms, changes: add.length + remove.length });
      applied.dispose();
      list.dispose();
    }
    list = next;
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

/** A place where versions are published, with clients that open a list there and update it later. */
async function makePlace(options) {
  const { memoryStorage, publishList, UrlChecker } = await import('tamis/url');
  const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const storage = memoryStorage();
  let requests = 0;
  const fetch = async (url) => {
    requests++;
    const bytes = await storage.get(new URL(url).pathname.slice(1));
    return new Response(bytes ?? null, { status: bytes ? 200 : 404 });
  };
  return {
    publish: (list, now) => publishList(list, { name: 'bench', storage, keys, now, ...options }),
    open: (now) =>
      UrlChecker.open({
        manifest: 'https://lists.example/manifest.json',
        list: 'bench',
        publicKeys: [keys.publicKey],
        storage: 'memory',
        confirm: null,
        onMissing: 'throw',
        onConfirmError: 'throw',
        updateEveryMs: 0,
        fetch,
        now,
      }),
    /** The cost of an update: its files and their bytes, beside the manifest. */
    async update(checker) {
      requests = 0;
      const { by, receivedBytes } = await checker.update();
      const manifestBytes = (await storage.get('manifest.json')).length;
      return { by, manifestBytes, files: requests - 1, bytes: receivedBytes };
    },
  };
}

/** The bytes that clients fetch from a history with one version a day: by jumps, and by deltas alone. */
export async function publishHistory(history) {
  const places = { jumps: await makePlace(), deltas: await makePlace({ jumps: 0 }) };
  const behind = Math.min(BEHIND, history.steps.length);
  const clients = {};
  let versions = 0;
  const now = () => versions * DAY;
  for await (const list of versionsOf(history)) {
    versions++;
    for (const [way, place] of Object.entries(places)) {
      await place.publish(list, now);
      if (versions === history.steps.length + 1 - behind) clients[way] = await place.open(now);
    }
    list.dispose();
  }
  const updates = {};
  for (const [way, place] of Object.entries(places)) {
    updates[way] = await place.update(clients[way]);
    clients[way].close();
  }
  if (updates.jumps.by !== 'jump' || updates.deltas.by !== 'deltas') {
    throw new Error(`the clients took ${updates.jumps.by} and ${updates.deltas.by}`);
  }
  return { versions, behind, ...updates };
}

/** Milliseconds to add hosts as strings, and as the bytes of a hosts file. Each way comes first equally often. */
export async function timeFeeds(hosts) {
  const { readFeed } = await import('tamis/feeds');
  const { UrlListBuilder } = await import('tamis/url');
  const file = new Blob([hosts.map((host) => `0.0.0.0 ${host}\n`).join('')]);
  const ways = {
    addHosts: () => new UrlListBuilder().addHosts(hosts),
    addFeed: () => new UrlListBuilder().addFeed(readFeed(file.stream())),
  };
  const times = { addHosts: [], addFeed: [] };
  const names = Object.keys(ways);
  // The first run of each warms up.
  for (let run = 0; run <= FEED_RUNS; run++) {
    const counts = [];
    for (const name of names) {
      const stop = startClock();
      const { count } = await ways[name]();
      const ms = stop();
      counts.push(count);
      if (run > 0) times[name].push(ms);
    }
    if (counts[0] !== counts[1]) throw new Error(`the feed has ${counts} hosts`);
    names.reverse();
  }
  return {
    hosts: hosts.length,
    addHosts: summary(times.addHosts),
    addFeed: summary(times.addFeed),
  };
}

export function hasChromium() {
  try {
    return existsSync(findChromium());
  } catch {
    return false;
  }
}

/** Writes a page into the folder that runs this module, bundled as for a site. */
export async function writePage(folder, contents) {
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
 * Milliseconds from `UrlChecker.open` to the first answer, in Chromium, with the list in IndexedDB. Undefined without
 * Chromium. Every visit is a new page of one profile. The first visit fills IndexedDB and does not count.
 */
export async function timeOpening(list) {
  if (!hasChromium()) return undefined;
  const { fileStorage, publishList } = await import('tamis/url');
  const folder = mkdtempSync(join(tmpdir(), 'tamis-open-'));
  const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  await publishList(list, { name: 'bench', storage: fileStorage(fs, join(folder, 'list')), keys });
  await writePage(folder, PAGE);
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
