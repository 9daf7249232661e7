// The example breached-passwords: what its page says of a password, and what its host got for that.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { RemoteFilter } from 'tamis/remote';
import { buildSite, serveSite } from '../../js/examples/breached-passwords.mjs';
import { makePasswords } from '../../js/examples/passwords.mjs';
import { complaintsOf, holdTimers, insertScript, launchBrowser } from '../e2e/browser.mjs';

const LISTED = 'password1';
const verdicts = {
  listed: /^Choose another password/,
  absent: /^This password is not on the list/,
  unknown: /^This password could not be checked/,
};

let folder;
let made;
let site;
let server;
let browser;
const asked = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tamis-breached-'));
  ({ site, made } = await buildSite(folder));
  server = await serveSite(site, { tell: (request) => asked.push(request) });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await server?.close();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

const manifestUrl = () => `${server.url}/pages/manifest.json`;

/** A password that is not listed; one of the same page as LISTED, or of another. */
async function findAbsent({ isNear }) {
  let isOpen = true;
  const list = await RemoteFilter.open(manifestUrl(), {
    name: 'passwords',
    publicKeys: [made.publicKey],
    retries: 0,
    fetch: (url, init) => (isOpen ? fetch(url, init) : Promise.reject(new TypeError('closed'))),
  });
  try {
    await list.has(LISTED);
    isOpen = false;
    for (let i = 0; ; i++) {
      const password = `correct horse ${i}`;
      const isListed = await list.has(password).catch(() => undefined);
      if (isNear ? isListed === false : isListed === undefined) {
        isOpen = true;
        if (!(await list.has(password))) return password;
        isOpen = false;
      }
    }
  } finally {
    list.close();
  }
}

/** The page, once its list is open. */
async function open(t, { isListHere = true, context: given } = {}) {
  const context = given ?? (await browser.newContext());
  t.after(() => context.close());
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(server.url);
  if (isListHere) await page.getByText(/generated passwords in/).waitFor();
  const field = page.getByLabel('Password');
  return {
    context,
    page,
    field,
    complaints,
    /** Chooses a password, and waits for what the page says of it. */
    async choose(password, verdict) {
      await field.fill(password);
      await field.blur();
      await page.locator('#verdict').filter({ hasText: verdicts[verdict] }).waitFor();
    },
    async signUp() {
      await page.getByLabel('E-mail').fill('ana@mail.example');
      await page.getByRole('button', { name: 'Sign up' }).click();
    },
    textOf: (id) => page.locator(id).textContent(),
    accepted: page.getByText('Your account would be made now.'),
  };
}

test('the list has every password that was made', async () => {
  const list = await RemoteFilter.open(manifestUrl(), {
    name: 'passwords',
    publicKeys: [made.publicKey],
  });
  const passwords = [...makePasswords(20_000)];
  const answers = await list.hasMany(passwords);
  assert.deepEqual(
    passwords.filter((_, i) => answers[i] !== 1),
    [],
  );
  assert.ok(made.keys > 990_000 && made.keys <= 1_000_000, `${made.keys} distinct passwords`);
  list.close();
});

test('its host answers ranges as static hosts do', async () => {
  const manifest = await readFile(join(site, 'pages', 'manifest.json'));
  const { length } = manifest;
  for (const [range, status, first, end] of [
    [undefined, 200, 0, length],
    ['bytes=0-0', 206, 0, 1],
    [`bytes=7-${length - 1}`, 206, 7, length],
    [`bytes=${length - 2}-${length + 9}`, 206, length - 2, length],
    ['bytes=5-4', 200, 0, length],
    ['lines=0-1', 200, 0, length],
    [`bytes=${length}-${length}`, 416, 0, 0],
  ]) {
    const response = await fetch(manifestUrl(), { headers: range ? { Range: range } : {} });
    assert.equal(response.status, status, range);
    const body = Buffer.from(await response.arrayBuffer());
    assert.ok(body.equals(manifest.subarray(first, end)), range);
    const part = status === 416 ? '*' : `${first}-${end - 1}`;
    const expected = status === 200 ? null : `bytes ${part}/${length}`;
    assert.equal(response.headers.get('Content-Range'), expected);
  }
  for (const path of ['/key.pem', '/../key.pem', '/passwords.txt', '/pages/', '/nothing.js']) {
    assert.equal((await fetch(server.url + path)).status, 404, path);
  }
});

test('a listed password is refused, by one request of 13 kB that is a range', async (t) => {
  const { page, field, complaints, choose, signUp, textOf, accepted } = await open(t);
  asked.length = 0;
  const finished = page.waitForEvent('requestfinished');
  // Nothing is asked while somebody types.
  await field.pressSequentially(LISTED);
  assert.deepEqual(asked, []);
  await choose(LISTED, 'listed');
  assert.equal(await field.getAttribute('aria-invalid'), 'true');

  const [{ method, path, range }, ...others] = asked;
  assert.deepEqual(others, []);
  assert.equal(method, 'GET');
  assert.match(path, /^\/pages\/passwords\.[0-9a-f]{16}\.0\.pages$/);
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range);
  assert.equal(to - from + 1, made.stride);
  assert.equal(from % made.stride, 0);
  const sizes = await (await finished).sizes();
  assert.equal(sizes.requestBodySize, 0);
  const bytes = sizes.responseHeadersSize + sizes.responseBodySize;
  assert.ok(bytes > 13_000 && bytes <= 14_200, `${bytes} bytes`);
  const file = path.split('/').at(-1);
  assert.equal(await textOf('#asked'), `The host was asked for bytes ${from}-${to} of ${file}.`);

  await signUp();
  await page.waitForFunction(() => document.activeElement.id === 'password');
  assert.equal(await accepted.count(), 0);
  assert.equal(asked.length, 1);
  assert.deepEqual(complaints, []);
});

test('an absent one is accepted; another of the same page costs no request', async (t) => {
  const [far, near] = [await findAbsent({ isNear: false }), await findAbsent({ isNear: true })];
  const { complaints, choose, signUp, textOf, accepted } = await open(t);
  asked.length = 0;
  await choose(far, 'absent');
  await choose(LISTED, 'listed');
  assert.equal(asked.length, 2);
  await choose(near, 'absent');
  assert.match(await textOf('#asked'), /asked for nothing/);
  await signUp();
  await accepted.waitFor();
  assert.equal(asked.length, 2);
  assert.deepEqual(complaints, []);
});

test('what cannot be checked is never called fine, and is checked once it can be', async (t) => {
  const { context, page, choose, signUp, accepted } = await open(t);
  const password = await findAbsent({ isNear: true });
  await context.setOffline(true);
  await choose(password, 'unknown');
  await signUp();
  await page.waitForFunction(() => document.activeElement.id === 'password');
  await page.getByText(verdicts.unknown).waitFor();
  assert.equal(await accepted.count(), 0);
  await context.setOffline(false);
  await signUp();
  await accepted.waitFor();
});

test('a damaged page of the list could not be checked', async (t) => {
  const { choose } = await open(t);
  asked.length = 0;
  await choose(LISTED, 'listed');
  const [{ path, range }] = asked;
  const file = join(site, path);
  const whole = await readFile(file);
  const at = Number(/\d+/.exec(range)) + Math.floor(made.stride / 2);
  const damaged = Uint8Array.from(whole);
  damaged[at] ^= 1;
  await writeFile(file, damaged);
  t.after(() => writeFile(file, whole));
  const { choose: chooseAgain, accepted } = await open(t);
  await chooseAgain(LISTED, 'unknown');
  assert.equal(await accepted.count(), 0);
});

test('without a manifest nothing is checked, until there is one', async (t) => {
  const context = await browser.newContext();
  await context.route('**/manifest.json', (route) => route.abort());
  const { choose, signUp, textOf, accepted } = await open(t, { context, isListHere: false });
  await choose(LISTED, 'unknown');
  assert.equal(await textOf('#list'), 'The list is not here yet.');
  await context.unroute('**/manifest.json');
  await choose(LISTED, 'listed');
  assert.match(await textOf('#list'), /^The list has [\d,]+ generated passwords in 8\d pages\./);
  await signUp();
  assert.equal(await accepted.count(), 0);
});

test('the verdict is that of the password in the field', async (t) => {
  const far = await findAbsent({ isNear: false });
  const context = await browser.newContext();
  const { page, field, choose, textOf } = await open(t, { context });
  // The page would ask again for what is held.
  await holdTimers(page);
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  let calls = 0;
  await context.route('**/*.pages', async (route) => {
    if (calls++ === 0) await held;
    await route.continue();
  });
  await field.fill(LISTED);
  await field.blur();
  await page.getByText('Looking it up.').waitFor();
  await choose(far, 'absent');
  const second = await textOf('#asked');
  release();
  await page.waitForFunction(
    (text) => document.querySelector('#asked').textContent !== text,
    second,
  );
  assert.match(await textOf('#verdict'), verdicts.absent);
});

test('its policy lets no other script in', async (t) => {
  const { page } = await open(t);
  assert.equal(await insertScript(page), 'script-src-elem');
});
