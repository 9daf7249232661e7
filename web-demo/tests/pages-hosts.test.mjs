// Hosts of the page of breached passwords: those that serve it correctly, and those that do not.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createServer, preview } from 'vite';
import { startServer } from '../serve.mjs';
import { shareDemo } from './demo-page.mjs';
import { ask, newest, openPages, readPages } from './pages-page.mjs';

const demo = fileURLToPath(new URL('..', import.meta.url));
/** The console's message for an answer that is an error. */
const FAILED = /Failed to load resource/;

const shared = shareDemo();
let list;

before(async () => {
  list = await readPages();
});

/** Opens the page on another host. */
const open = (t, url, options) => openPages(t, { ...shared, server: { url } }, options);

/** A server of the demo for one test. */
async function serve(t, handle, options) {
  const server = await startServer({ port: 0, handle, ...options });
  t.after(() => server.close());
  return server;
}

test('the server answers a range with it, and what is no range whole', async (t) => {
  const { url } = await serve(t);
  const { part, bytes } = list;
  const get = async (range) => {
    const answer = await fetch(`${url}passwords/${part}`, { headers: { range } });
    const body = Buffer.from(await answer.arrayBuffer());
    return [answer.status, answer.headers.get('content-range'), body];
  };
  const { length } = bytes;
  for (const [range, first, last] of [
    ['bytes=0-0', 0, 0],
    ['bytes=100-299', 100, 299],
    [`bytes=${length - 5}-`, length - 5, length - 1],
    [`bytes=${length - 5}-${length + 5}`, length - 5, length - 1],
    ['bytes=-7', length - 7, length - 1],
  ]) {
    const expected = [206, `bytes ${first}-${last}/${length}`, bytes.subarray(first, last + 1)];
    assert.deepEqual(await get(range), expected, range);
  }
  for (const range of ['bytes=-', 'lines=0-1', 'bytes=0-1,5-6', 'bytes=a-b']) {
    assert.deepEqual(await get(range), [200, null, bytes], range);
  }
  for (const range of [`bytes=${length}-`, 'bytes=9-3', 'bytes=-0']) {
    assert.deepEqual(await get(range), [416, `bytes */${length}`, Buffer.alloc(0)], range);
  }
});

for (const [name, start] of [
  ["Vite's server for development", async (config) => (await createServer(config)).listen()],
  ["Vite's preview", preview],
]) {
  test(`${name} answers ranges too`, async (t) => {
    const host = '127.0.0.1';
    const server = await start({
      root: demo,
      logLevel: 'warn',
      server: { host, port: 0 },
      preview: { host, port: 0 },
    });
    t.after(() => server.close());
    const { port } = server.httpServer.address();
    // When Vite's development server ends, its client starts a worker.
    const options = { expected: /Creating a worker/ };
    const url = `http://${host}:${port}/`;
    const { page } = await open(t, url, options);
    assert.equal(await ask(page, '123456'), 'On the list, or a false positive: 0.4 %');
    assert.equal((await newest(page)).requests[0].status, '206');
  });
}

/** The answer of a faulty host to the wanted range, made by `make`. undefined: the request is not for a page. */
function answering(make) {
  return ({ url, headers }) => {
    if (!url.endsWith('.pages')) return;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.get('range')).map(Number);
    const { bytes } = list;
    const answer = (body) =>
      new Response(body, {
        status: 206,
        headers: { 'content-range': `bytes ${first}-${last}/${bytes.length}` },
      });
    return make(Buffer.from(bytes.subarray(first, last + 1)), answer);
  };
}

const WRONG_HOSTS = {
  'that has no ranges': [
    () => new Response(list.bytes),
    /ERR_TAMIS_UNAVAILABLE.*answered 200.*sends whole files where a range is wanted/,
  ],
  'that compresses': [
    () => new Response(gzipSync(list.bytes), { headers: { 'content-encoding': 'gzip' } }),
    // Chromium asks for ranges without compression, and accepts nothing else.
    /ERR_TAMIS_UNAVAILABLE.*the request failed.*out of reach, or compresses its files/,
    'no answer',
  ],
  'that damages a bit': [
    (page, answer) => {
      page[page.length >> 1] ^= 1;
      return answer(page);
    },
    /ERR_TAMIS_CORRUPT.*a page is not the signed one.*The bytes that came are not the signed bytes/,
  ],
  'that sends another page': [
    (page, answer) => {
      const { stride } = list.manifest;
      const isFirst = page.equals(list.bytes.subarray(0, stride));
      const from = isFirst ? stride : 0;
      return answer(list.bytes.subarray(from, from + stride));
    },
    /ERR_TAMIS_CORRUPT.*a page is not the signed one/,
  ],
  'that sends too little': [
    (page, answer) => answer(page.subarray(0, 1000)),
    /ERR_TAMIS_TRUNCATED/,
  ],
  'that lost the file': [
    () => new Response('not found\n', { status: 404 }),
    /ERR_TAMIS_UNAVAILABLE.*answered 404.*not on this host/,
  ],
};

for (const [name, [make, complaint, outcome]] of Object.entries(WRONG_HOSTS)) {
  test(`a host ${name} is named, and makes no password safe`, async (t) => {
    const { url } = await serve(t, answering(make));
    const { page } = await open(t, url, { expected: FAILED });
    for (const password of ['123456', list.info.picks.good[0]]) {
      assert.equal(await ask(page, password), 'No answer');
      const why = await page.textContent('#verdict-why');
      assert.match(why, complaint);
      assert.match(why, /makes no password safe/);
      assert.equal(await page.getAttribute('#verdict', 'data-answer'), 'none');
      const { title, requests } = await newest(page);
      assert.match(title, /: no answer$/);
      const wanted = requests.filter(({ role }) => role === 'wanted');
      assert.ok(wanted.length > 0);
      for (const { tag } of wanted) assert.equal(tag, outcome ?? 'refused');
    }
  });
}

test('where the browser takes what is compressed, the page says that it was', async (t) => {
  const { url } = await serve(t);
  const { page } = await open(t, url);
  await page.route('**/*.pages', async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      headers: { ...response.headers(), 'content-encoding': 'gzip' },
    });
  });
  assert.equal(await ask(page, '123456'), 'No answer');
  assert.match(
    await page.textContent('#verdict-why'),
    /ERR_TAMIS_CORRUPT.*gzip.*compresses the pages/,
  );
});

test('without its manifest there is no list, until the host has it again', async (t) => {
  let isGone = true;
  const { url } = await serve(t, (request) => {
    if (isGone && request.url.endsWith('manifest.json')) return new Response(null, { status: 404 });
    return undefined;
  });
  const { page } = await open(t, url, { expected: FAILED });
  assert.equal(await page.textContent('#verdict-word'), 'No list, no answer');
  assert.match(await page.textContent('#verdict-why'), /ERR_TAMIS_UNAVAILABLE.*answered 404/);
  assert.equal(await ask(page, '123456'), 'No answer');
  isGone = false;
  assert.equal(await ask(page, '123456'), 'On the list, or a false positive: 0.4 %');
  const { requests } = await newest(page);
  assert.deepEqual(
    requests.map(({ tag }) => tag),
    ['signature verified', 'proof verified'],
  );
});

test('a list that somebody else signed is none', async (t) => {
  const { keyId, sig, ...fields } = list.manifest;
  for (const manifest of [{ ...fields, keyId, sig, keys: 1 }, fields]) {
    const { url } = await serve(t, (request) =>
      request.url.endsWith('manifest.json') ? Response.json(manifest) : undefined,
    );
    const { page } = await open(t, url);
    assert.equal(await page.textContent('#verdict-word'), 'No list, no answer');
    assert.match(
      await page.textContent('#verdict-why'),
      /The bytes that came are not the signed bytes/,
    );
    const { requests } = await newest(page);
    assert.deepEqual(
      requests.map(({ role, tag }) => [role, tag]),
      [['manifest', 'refused']],
    );
  }
});

test('a policy that forbids WebAssembly changes nothing', async (t) => {
  const { url } = await serve(t, undefined, { csp: "script-src 'self'" });
  const { page } = await open(t, url);
  assert.match(await ask(page, '123456'), /^On the list/);
});
