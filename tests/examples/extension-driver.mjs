// The extension of js/examples in Chromium, from the zip of the site: publishers with their lists, pages to visit, and what the tests look at.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { createConfirmHandler, memoryStorage, publishList, UrlListBuilder } from 'tamis/url';
import { serve } from '../../js/examples/serve.mjs';
import { zipExtension } from '../../js/scripts/docs.mjs';
import { root } from '../../js/scripts/run.mjs';
import { launchWithExtension } from '../e2e/browser.mjs';
import { PATIENCE_MS, settles } from '../e2e/patience.mjs';

/** Ends when `look` resolves to what is expected. `waitForFunction` takes a promise for true. */
export const until = (look, expected) =>
  settles(async () => assert.deepEqual(await look(), expected));

const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
const raw = await crypto.subtle.exportKey('raw', keys.publicKey);
const publicKey = Buffer.from(raw).toString('hex');

/** Serves lists by their names, and every host of `.example`: pages with a link, and redirects. */
export async function startWeb() {
  const lists = {};
  /** The requests, in order: the host and path of pages, and the path of lists. */
  const asked = [];
  const html = { 'Content-Type': 'text/html; charset=utf-8' };

  async function respond(request) {
    const { pathname, searchParams } = new URL(request.url);
    const host = request.headers.get('host').replace(/:\d+$/, '');
    const [, kind, name, file] = /^\/(lists|confirm)\/([^/]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
    if (!host.endsWith('.example')) asked.push(pathname);
    if (kind === 'confirm') return lists[name].confirm(request);
    if (kind === 'lists') {
      const bytes = await lists[name]?.storage.get(file);
      return new Response(bytes ?? 'not found', { status: bytes ? 200 : 404 });
    }
    if (pathname === '/favicon.ico') return new Response(null, { status: 404 });
    asked.push(host + pathname);
    const [to, frame] = [searchParams.get('to'), searchParams.get('frame')];
    if (pathname === '/redirect')
      return new Response(null, { status: 302, headers: { location: to } });
    const link = to && `<a href="${to.replaceAll('&', '&amp;')}">on</a>`;
    const framed = frame && `<iframe src="${frame}"></iframe>`;
    return new Response(`<!doctype html><title>page</title>${link ?? ''}${framed ?? ''}`, {
      headers: html,
    });
  }

  const { url, close } = await serve(respond);
  return {
    url,
    asked,
    close,
    /** Publishes a list: as options of the extension have it, with `more`. */
    async publish(name, { hosts = [], urls = [], prefixBytes = 8, rule, shown = {} }, more = {}) {
      const builder = new UrlListBuilder({ prefixBytes, rule }).addHosts(hosts).addUrls(urls);
      const storage = lists[name]?.storage ?? memoryStorage();
      const times = { cacheSeconds: 300, negativeSeconds: 1800 };
      lists[name] = { storage, confirm: createConfirmHandler(builder.fullHashes, times) };
      const list = builder.build();
      await publishList(list, { name, storage, signingKeys: keys, ...shown });
      list.dispose();
      const confirm = prefixBytes === 4 ? `${url}/confirm/${name}` : null;
      const manifest = `${url}/lists/${name}/manifest.json`;
      return { manifest, name, publicKeys: [publicKey], confirm, action: 'block', ...more };
    },
  };
}

/** Replaces a text that a file has once. */
async function replaceIn(file, from, to) {
  const parts = (await readFile(file, 'utf8')).split(from);
  assert.equal(parts.length, 2, from);
  await writeFile(file, parts.join(to));
}

/**
 * Unpacks the zip of the site into a folder of its own, and builds it by the command of the recipe. With `lists`,
 * lists.js has them, as in a team's copy.
 */
export async function buildExtension(lists) {
  const folder = await mkdtemp(join(tmpdir(), 'tamis-extension-'));
  const zip = join(folder, 'extension.zip');
  await zipExtension(zip);
  await promisify(execFile)('python3', ['-m', 'zipfile', '-e', zip, folder]);
  const source = join(folder, 'extension');
  if (lists) {
    await replaceIn(join(source, 'lists.js'), '= {};', `= ${JSON.stringify(lists)};`);
    // The servers may be slow.
    const patient = `confirmTimeoutMs: ${PATIENCE_MS}, updateEveryMs`;
    await replaceIn(join(source, 'guard.js'), 'updateEveryMs', patient);
  }
  const recipe = await readFile(join(root, 'docs/recipes/browser-extension.md'), 'utf8');
  const [, command] = /^npx (esbuild [^`]+?)\n```$/m.exec(recipe);
  await mkdir(join(source, 'node_modules'));
  await symlink(root, join(source, 'node_modules/tamis'), 'junction');
  const PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
  await promisify(execFile)('sh', ['-c', command], { cwd: source, env: { ...process.env, PATH } });
  const remove = () => rm(folder, { recursive: true, maxRetries: 5 });
  return { folder, built: join(source, 'build'), hasLists: lists !== undefined, remove };
}

/** The extension in Chromium, in a profile of that name. Every host of `.example` leads to the test's web server. */
export async function startChromium({ folder, built, hasLists }, web, profile = 'profile') {
  const rules = `--host-resolver-rules=MAP *.example ${new URL(web.url).host}`;
  const isNew = !existsSync(join(folder, profile));
  const context = await launchWithExtension(join(folder, profile), built, rules);
  try {
    return await driveExtension(context, isNew && !hasLists);
  } catch (error) {
    await context.close();
    throw error;
  }
}

/** What tests do with the extension of a browser, which has opened its options if it is new and has no lists. */
async function driveExtension(context, opensOptions) {
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  const base = new URL('/', worker.url()).href;
  // It takes an empty tab for them, and would take the probe.
  const optionsTab = () => context.pages().find((page) => page.url() === `${base}options.html`);
  if (opensOptions) await until(() => optionsTab() !== undefined, true);
  const warningFor = (url) => `${base}warning.html?url=${url}`;
  // A page of the extension that asks nothing of the worker, and so does not wake it.
  const probe = await context.newPage();
  await probe.goto(warningFor('about:blank'));
  const session = await context.newCDPSession(probe);
  const running = new Map();
  session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    for (const { versionId, runningStatus } of versions) running.set(versionId, runningStatus);
  });
  await session.send('ServiceWorker.enable');

  /** The answer of the worker, as to a page of the extension. */
  async function ask(what, details) {
    const message = { ask: what, ...details };
    const { answer, error } = await probe.evaluate((m) => chrome.runtime.sendMessage(m), message);
    if (error !== undefined) throw new Error(error);
    return answer;
  }
  /** The rules of the session, as texts: their hosts, or the address that is held. */
  const rulesNow = () =>
    probe.evaluate(async () => {
      const rules = await chrome.declarativeNetRequest.getSessionRules();
      return rules.flatMap(({ condition }) => condition.requestDomains ?? [condition.regexFilter]);
    });

  return {
    context,
    probe,
    base,
    ask,
    rulesNow,
    warningFor,
    close: () => context.close(),
    /** Ends the worker, as the browser does when it has had no work for a while. */
    async stopWorker() {
      const isEnded = async () => {
        // Stops it once more if it was waking up.
        await session.send('ServiceWorker.stopAllWorkers');
        return [...running.values()].every((status) => status === 'stopped');
      };
      await until(isEnded, true);
    },
    isHeld: (host) => until(async () => (await rulesNow()).includes(host), true),
    isFree: (host) => until(async () => (await rulesNow()).includes(host), false),
    /** Lists from now on; ends when the worker has them all. */
    async setLists(lists) {
      await ask('setLists', { lists });
      const stale = async () => Object.values((await ask('tellStatus')).status).map((s) => s.stale);
      await until(
        stale,
        Object.keys(lists).map(() => false),
      );
    },
    /** Opens a tab, and records every address whose page the tab committed. */
    async newTab(t) {
      const page = await context.newPage();
      t.after(() => page.close());
      const committed = [];
      page.on('framenavigated', (frame) => {
        if (frame === page.mainFrame()) committed.push(frame.url());
      });
      await page.bringToFront();
      const tabId = await probe.evaluate(async () => {
        const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
        return tab.id;
      });
      /** Follows a link to `url`, until the tab shows `shown`. */
      const click = async (url, shown) => {
        await page.goto(`http://start.example/?${new URLSearchParams({ to: url })}`);
        committed.length = 0;
        await page.click('a', { noWaitAfter: true });
        await until(() => page.url(), shown);
        // The verdict of the worker has come.
        if (shown.startsWith(base)) await page.waitForSelector('main');
      };
      /** Ends when the extension's button shows that. */
      const shows = (badge, title) =>
        until(
          () =>
            probe.evaluate(
              async (tabId) => [
                await chrome.action.getBadgeText({ tabId }),
                await chrome.action.getTitle({ tabId }),
              ],
              tabId,
            ),
          [badge, `URL check: ${title}`],
        );
      return { page, committed, click, shows };
    },
  };
}

/**
 * Clicks on links to listed hosts, twice each, with the worker ended before each click. Counts the listed pages that
 * stay, and the second visits that the browser commits.
 */
export async function clickListed(t, browser, hosts) {
  const { page, committed, click } = await browser.newTab(t);
  const found = { first: 0, stayed: 0, second: 0 };
  for (const host of hosts) {
    const url = `http://${host}/login?x=1&y=%2F`;
    const isBad = (address) => address === url;
    await browser.stopWorker();
    await click(url, browser.warningFor(url));
    if (committed.some(isBad)) found.first++;
    await browser.isHeld(host);
    await browser.stopWorker();
    await click(url, browser.warningFor(url));
    if (committed.some(isBad)) found.second++;
    if (isBad(page.url())) found.stayed++;
  }
  return found;
}
