/** The proxy of docs/guide/safe-browsing.md, as it stands there, on Node and before a server of Safe Browsing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { serve } from '../../js/examples/serve.mjs';
import { EVERY_SECONDS, FakeGoogle, openClient, prefixesOf } from '../js/support/safe-browsing.js';
import { Clock } from '../js/support/url-publisher.js';

const page = readFileSync(new URL('../../docs/guide/safe-browsing.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'tamis-proxy-'));
for (const [, code, name] of page.matchAll(/^```mjs\n(\/\/ (\w+\.mjs)\n[\s\S]*?)^```$/gm)) {
  writeFileSync(join(folder, name as string), code as string);
}

const SITE = 'https://site.example';
const EVIL = 'https://login.evil.example/x';
const GOOD = 'https://good.example/';

const google = new FakeGoogle();
/** The content of each request, and the answer in the place of the server. */
const seen: { url: string; headers: Headers }[] = [];
let instead: (() => Response) | undefined;
let server: { url: string; close(): Promise<void> };
let program: ChildProcess;
let url: string;

async function stop(): Promise<void> {
  if (program.exitCode !== null) throw new Error(`the proxy ended with ${program.exitCode}`);
  program.kill();
  await once(program, 'exit');
}

/** Starts the program. */
async function start(upstream: string): Promise<void> {
  program = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', KEY: 'the-key', SITE, SERVER: upstream, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(program.stdout as NodeJS.ReadableStream), 'line');
  url = `http://127.0.0.1:${/^ready (\d+)$/.exec(line)?.[1]}`;
}

beforeAll(async () => {
  google.serve('se-4b', prefixesOf(['evil.example/']));
  google.serve('mw-4b', []);
  google.serve('uws-4b', []);
  google.serve('gc-32b', prefixesOf(['good.example/'], 32));
  google.threats = { 'evil.example/': [{ type: 2 }] };
  server = await serve(async (request: Request) => {
    seen.push({ url: request.url, headers: request.headers });
    return instead?.() ?? google.fetch(request.url, { headers: request.headers });
  });
  await start(server.url);
});

afterEach(() => {
  seen.length = 0;
  instead = undefined;
});

afterAll(async () => {
  try {
    await stop();
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
});

const ask = (path: string, headers: Record<string, string> = { Origin: SITE }, method = 'GET') =>
  fetch(`${url}${path}`, { headers, method, redirect: 'manual' });

describe('a client', () => {
  const open = (mode: 'local-lists' | 'real-time' | 'no-storage', more = {}) =>
    openClient(google, {
      ...{ apiKey: null, endpoint: url, mode, fetch, now: Date.now },
      ...{ searchTimeoutMs: 600_000, downloadTimeoutMs: 600_000, ...more },
    });

  test.each(['local-lists', 'real-time', 'no-storage'] as const)(
    'has its answers, %s',
    async (mode) => {
      const client = await open(mode, { maxEntries: 4096, maxUpdateEntries: 1024 });
      expect(await client.verify(EVIL)).toMatchObject({
        verdict: 'unsafe',
        threats: ['social-engineering'],
      });
      expect(await client.verify(GOOD)).toMatchObject({ verdict: 'safe' });
      expect(seen.length).toBeGreaterThan(0);
    },
  );

  test('gets what changed, by the versions that it has', async () => {
    const clock = new Clock();
    const client = await open('local-lists', { now: clock.now });
    google.push('se-4b', prefixesOf(['evil.example/', 'bad.example/']));
    clock.ms += 1000 * EVERY_SECONDS;
    expect(await client.update()).toMatchObject({ changed: true, by: 'deltas' });
    expect(client.check('https://bad.example/')).toBe('maybe');
  });

  test('asks for all that an odd URL has', async () => {
    const client = await open('no-storage');
    const odd = 'https://a.b.c.d.e.f.example/1/2/3/..%2f..%2f..%2f4/5/6/7?x';
    expect(await client.verify(odd)).toMatchObject({ verdict: 'safe', from: 'server' });
    expect(google.searches.at(-1)?.length).toBeGreaterThan(30);
  });

  test('hears of a server that fails, and how long it shall wait', async () => {
    instead = () => new Response('', { status: 503, headers: { 'Retry-After': '3600' } });
    const clock = new Clock();
    const client = await open('no-storage', { now: clock.now });
    for (let i = 0; i < 2; i++)
      expect(await client.verify(EVIL)).toMatchObject({ verdict: 'unknown', from: 'server' });
    expect(seen.length).toBe(1);
  });
});

const lists = '/v5/hashLists:batchGet';
const search = '/v5/hashes:search';
const prefix = 'AAAAAA==';
const many = (count: number, parameter: string) => Array(count).fill(parameter).join('&');

describe('what is passed on', () => {
  test('is the question with the key, and nothing of who asks', async () => {
    const headers = {
      Origin: SITE,
      Cookie: 'a=b',
      'User-Agent': 'x',
      'X-Forwarded-For': '192.0.2.1',
    };
    const query = `${search}?hashPrefixes=${encodeURIComponent(prefix)}&alt=proto`;
    await (await ask(query, headers)).arrayBuffer();
    const [{ url: asked, headers: sent } = { url: '', headers: new Headers() }] = seen;
    expect(asked.endsWith(query)).toBe(true);
    expect(sent.get('X-Goog-Api-Key')).toBe('the-key');
    for (const name of ['Origin', 'Cookie', 'X-Forwarded-For']) expect(sent.has(name)).toBe(false);
    expect(sent.get('User-Agent')).not.toBe('x');
  });

  test.each([
    ['one list', `${lists}?names=se-4b`],
    [
      'lists with versions and a constraint',
      `${lists}?names=gc-32b&names=se-4b&version=c2UtNGI-_w==&version=YQ&sizeConstraints.maxUpdateEntries=1024`,
    ],
    [
      'the other constraint, and alt',
      `${lists}?names=se-4b&sizeConstraints.maxDatabaseEntries=1048576&alt=proto`,
    ],
    ['100 prefixes', `${search}?${many(100, `hashPrefixes=${prefix}`)}`],
  ])('is %s', async (_, path) => {
    instead = () =>
      new Response(Uint8Array.of(1, 2), {
        headers: { 'Content-Type': 'application/x-protobuf', 'Set-Cookie': 'a=b', 'X-Own': 'x' },
      });
    const answer = await ask(path);
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([1, 2]);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toBe('application/x-protobuf');
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(SITE);
    for (const name of ['Set-Cookie', 'X-Own']) expect(answer.headers.has(name)).toBe(false);
    expect(seen.length).toBe(1);
  });

  test.each([
    [429, { 'Retry-After': '60' }],
    [403, { 'Content-Type': 'application/json' }],
    [302, { Location: 'https://other.example/' }],
    [500, {}],
  ])('is the status %i', async (status, headers) => {
    instead = () => new Response('why', { status, headers: headers as Record<string, string> });
    const answer = await ask(`${search}?hashPrefixes=${prefix}`);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toBe('why');
    expect(answer.headers.get('Retry-After')).toBe(status === 429 ? '60' : null);
    expect(answer.headers.get('Access-Control-Expose-Headers')).toBe('Retry-After');
    expect(answer.headers.has('Location')).toBe(false);
    // No redirect was followed with the key.
    expect(seen.length).toBe(1);
  });
});

describe('what is refused, and never reaches the server', () => {
  const ok = `${search}?hashPrefixes=${prefix}`;

  test.each<[string, number, string, Record<string, string>?, string?]>([
    ['the page of another origin', 403, ok, { Origin: 'https://other.example' }],
    ['a frame without an origin', 403, ok, { Origin: 'null' }],
    ['POST', 405, ok, { Origin: SITE }, 'POST'],
    ['HEAD', 405, ok, { Origin: SITE }, 'HEAD'],
    ['no path', 400, '/'],
    ['another call of the API', 400, `/v5/urls:search?urls=x`],
    ['version 4', 400, '/v4/threatListUpdates:fetch?alt=proto'],
    ['a path of an object', 400, '/constructor?name=x'],
    ['a parameter of an object', 400, `${ok}&constructor=x`],
    ['a path that goes on', 400, `${search}/x?hashPrefixes=${prefix}`],
    ['a path that goes back', 400, `${search}/../urls:search?hashPrefixes=${prefix}`],
    ['no parameter', 400, lists],
    ['another list', 400, `${lists}?names=pha-4b`],
    ['a list with more behind it', 400, `${lists}?names=se-4b%0Ax`],
    ['too many lists', 400, `${lists}?${many(32, 'names=se-4b')}`],
    ['a version that is none', 400, `${lists}?names=se-4b&version=a%20b`],
    ['a version that is long', 400, `${lists}?names=se-4b&version=${'a'.repeat(1001)}`],
    ['a constraint that is none', 400, `${lists}?names=se-4b&sizeConstraints.maxUpdateEntries=-1`],
    ['a prefix of 3 bytes', 400, `${search}?hashPrefixes=AAAA`],
    ['a prefix of 5 bytes', 400, `${search}?hashPrefixes=AAAAAAA=`],
    ['too many prefixes', 400, `${search}?${many(101, `hashPrefixes=${prefix}`)}`],
    ['a prefix for lists', 400, `${lists}?names=se-4b&hashPrefixes=${prefix}`],
    ['JSON', 400, `${ok}&alt=json`],
    ['alt twice', 400, `${ok}&alt=proto&alt=proto`],
    ['a key of others', 400, `${ok}&key=mine`],
  ])('%s', async (_, status, path, headers = { Origin: SITE }, method = 'GET') => {
    const answer = await ask(path, headers, method);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toBe('');
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(SITE);
    expect(seen).toEqual([]);
  });

  test('what is no HTTP of use ends no server', async () => {
    for (const line of ['GET http://[ HTTP/1.1', 'TRACE / HTTP/1.1', 'GET //[ HTTP/1.1', 'x']) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.end(`${line}\r\nHost: x\r\n\r\n`);
      socket.resume();
      await once(socket, 'close');
    }
    expect((await ask(ok, {})).status).toBe(200);
    expect(seen.length).toBe(1);
  });
});

test('a server that cannot be reached is 502', async () => {
  const before = program;
  const gone = await serve(() => new Response(''));
  await gone.close();
  await start(gone.url);
  try {
    expect((await ask(`${search}?hashPrefixes=${prefix}`)).status).toBe(502);
  } finally {
    await stop();
    program = before;
  }
});
