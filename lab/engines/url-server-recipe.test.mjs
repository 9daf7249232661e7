// Runs the programs from docs/recipes/url-server.md, with the real packages (`npm run test:engines`).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { serve } from '../../js/examples/serve.mjs';
import { startServer } from '../servers.mjs';
import { later, startLists, stopAll } from './dns-program.mjs';
import { folderOf, programsOf } from './recipe-files.mjs';

const PACKAGES = ['undici', 'express', 'linkify-it', 'postal-mime', 'linkedom'];
const programs = programsOf('url-server');

let lists;
let web;
const asked = [];
/** A server on this machine for a listed host. No program may connect to it. */
let bad;
let isConnected = false;
let variables;
let folder;
let load;

before(async () => {
  lists = await startLists(['evil.example', 'evil.com', '127.0.0.2']);
  web = await serve(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    asked.push(pathname);
    const to = searchParams.get('to');
    return to ? new Response(null, { status: 302, headers: { location: to } }) : new Response('hi');
  });
  later(web.close);
  const listed = createServer().on('connection', () => {
    isConnected = true;
  });
  listed.listen(0, '127.0.0.2');
  await once(listed, 'listening');
  later(() => listed.close());
  bad = `http://127.0.0.2:${listed.address().port}/x`;
  const manifest = `${lists.url}/8/manifest.json`;
  variables = { MANIFEST: manifest, LIST: 'bad', PUBLIC_KEY: lists.publicKey };
  folder = newFolder();
  load = await enter(folder, variables);
});
after(stopAll);

const newFolder = () => folderOf(programs, PACKAGES);

/** Sets these variables and the storage for the programs in the folder. Returns a function that imports one of them. */
async function enter(folder, variables) {
  process.chdir(folder);
  Object.assign(process.env, variables);
  const load = (name) => import(pathToFileURL(join(folder, name)).href);
  const { guard } = await load('guard.mjs');
  later(() => guard.close());
  return load;
}

describe('undici', () => {
  const hop = (to) => `${web.url}/hop?${new URLSearchParams({ to })}`;
  const outcomeOf = (promise) =>
    promise.then(
      ({ status, statusCode }) => status ?? statusCode,
      ({ cause, ...error }) => (cause ?? error).code,
    );

  for (const how of ['fetch', 'request']) {
    const get = async (url) => {
      const { safeFetch, dispatcher } = await load('fetch.mjs');
      const { request } = await import('undici');
      asked.length = 0;
      return outcomeOf(how === 'fetch' ? safeFetch(url) : request(url, { dispatcher }));
    };

    test(`${how}: follows good hops`, async () => {
      assert.equal(await get(hop(hop(`${web.url}/end`))), 200);
      assert.deepEqual(asked, ['/hop', '/hop', '/end']);
    });

    test(`${how}: sends nothing to a listed hop, whichever it is`, async () => {
      assert.equal(await get(bad), 'URL_REFUSED');
      assert.deepEqual(asked, []);
      assert.equal(await get(hop(bad)), 'URL_REFUSED');
      assert.equal(await get(hop(hop(bad.replace('127.0.0.2', '0x7f.0.0.2')))), 'URL_REFUSED');
      assert.deepEqual(asked, ['/hop', '/hop']);
      assert.equal(isConnected, false);
    });
  }

  test('says which list has it, and what is no fault of the list', async () => {
    const { safeFetch } = await load('fetch.mjs');
    const { cause } = await safeFetch(bad).catch((error) => error);
    assert.deepEqual([cause.verdict, cause.name], ['unsafe', 'bad']);
    const gone = await safeFetch('http://127.0.0.1:1/').catch((error) => error);
    assert.notEqual(gone.cause.code, 'URL_REFUSED');
  });
});

describe('Express', () => {
  let address;
  before(async () => {
    const env = { ...process.env, ...variables, PORT: '0', NODE_OPTIONS: '' };
    const program = [process.execPath, ['posts.mjs'], { cwd: folder, env }];
    const { match, stop } = await startServer(/^ready (\d+)\n/m, ...program);
    later(stop);
    address = `http://127.0.0.1:${match[1]}/posts`;
  });

  const post = async (body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
    const { state, error, suspects } = await response.json();
    return [response.status, state ?? error, suspects?.map(({ verdict }) => verdict)];
  };

  for (const [text, ...wanted] of [
    ['no link at all', 201, 'published', []],
    ['http://good.example/x and mail to me@evil.com', 201, 'published', []],
    ['see HTTP://www.EVIL.example/%61?x=1', 422, 'a link is on a list', ['unsafe']],
    ['see evil.com, and good.com', 422, 'a link is on a list', ['unsafe']],
    ['ftp://1.2.3.4.5/ is none', 201, 'waiting', ['invalid']],
  ]) {
    test(text, async () => assert.deepEqual(await post({ text }), wanted));
  }

  test('what is no post', async () => {
    assert.deepEqual(await post({ text: 7 }), [400, 'no text', undefined]);
    assert.deepEqual(await post({}), [400, 'no text', undefined]);
  });
});

describe('mail', () => {
  const check = async (headers, type, body) => {
    const { checkMail } = await load('mail.mjs');
    const head = ['To: me@good.example', ...headers, `Content-Type: ${type}; charset=utf-8`];
    const { domains, links } = await checkMail(`${head.join('\r\n')}\r\n\r\n${body}\r\n`);
    return [domains.map(({ domain }) => domain), links.map(({ url }) => url)];
  };

  test('a good one has nothing', async () => {
    const html =
      '<a href="#x">x</a><a href="tel:1">y</a><img src="cid:1"><a href="http://good.example">z</a>';
    assert.deepEqual(await check(['From: A <a@good.example>'], 'text/html', html), [[], []]);
    assert.deepEqual(await check([], 'text/plain', 'nothing'), [[], []]);
  });

  test('domains of who sends it', async () => {
    const headers = [
      'From: "Bank" <bank@login.EVIL.example>',
      'Sender: a@good.example',
      'Reply-To: b@evil.com, c@good.example',
      'Return-Path: <d@x.evil.example>',
    ];
    const wanted = ['login.EVIL.example', 'evil.com', 'x.evil.example'];
    assert.deepEqual(await check(headers, 'text/plain', 'x'), [wanted, []]);
  });

  for (const [name, html, wanted] of [
    ['a link', '<a href="http://evil.example/a">http://good.example/</a>', 'http://evil.example/a'],
    ['a form', '<form action="//evil.com/f">', 'http://evil.com/f'],
    ['a picture', '<img src="https://evil.com/p.png">', 'https://evil.com/p.png'],
    ['a relative link', '<base href="http://evil.com/b/"><a href="c">', 'http://evil.com/b/'],
    ['a text', '<p>go to evil.com now</p>', 'http://evil.com'],
    ['a script', '<a href="javascript:x">', 'javascript:x'],
  ]) {
    test(`of HTML ${name}`, async () => {
      const [domains, links] = await check([], 'text/html', html);
      assert.deepEqual(domains, []);
      assert.equal(links[0], wanted);
    });
  }
});

test('without a list nothing is fetched, and no mail is good', async () => {
  const lone = newFolder();
  const loadLone = await enter(lone, { ...variables, MANIFEST: `${lists.url}/none/manifest.json` });
  const { safeFetch } = await loadLone('fetch.mjs');
  const { cause } = await safeFetch(`${web.url}/x`).catch((error) => error);
  assert.deepEqual([cause.code, cause.verdict], ['URL_REFUSED', 'unknown']);
  const { checkMail } = await loadLone('mail.mjs');
  const { links, domains } = await checkMail(
    'From: a@good.example\r\n\r\nhttp://good.example/\r\n',
  );
  assert.deepEqual([links[0].verdict, domains[0].answer], ['unknown', 'unknown']);
});
