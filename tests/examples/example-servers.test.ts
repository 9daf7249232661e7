/** The servers of the examples and of the demo: no request ends them, whatever it looks like. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const urlOf = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);
const folder = mkdtempSync(join(tmpdir(), 'tamis-servers-'));
writeFileSync(join(folder, 'index.html'), 'a page');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const servers: [string, string][] = [
  [
    'list-server.mjs',
    `const { startListServer } = await import(${urlOf('js/examples/list-server.mjs')});
     const server = await startListServer(['evil.example']);
     server.showPages(${JSON.stringify(folder)});
     console.log(server.url);`,
  ],
  [
    'breached-passwords.mjs',
    `const { serveSite } = await import(${urlOf('js/examples/breached-passwords.mjs')});
     console.log((await serveSite(${JSON.stringify(folder)})).url);`,
  ],
  [
    'serve.mjs of the demo',
    `const { startServer } = await import(${urlOf('web-demo/serve.mjs')});
     console.error = () => {};
     const handlers = {
       '/confirm': async (request) => new Response(await request.arrayBuffer()),
       '/throws': () => { throw null; },
       '/rejects': async () => { throw new Error('no'); },
       '/nothing': () => 7,
       '/breaks': () => new Response(new ReadableStream({ pull() { throw new Error('no'); } })),
       '/clones': async (request) => (request.clone(), new Response('x')),
       '/header': () => ({ status: 200, headers: [['a', '\\n']], arrayBuffer: () => new ArrayBuffer(0) }),
     };
     const handle = (request) => handlers[new URL(request.url).pathname]?.(request);
     const { url } = await startServer({ root: ${JSON.stringify(folder)}, port: 0, handle });
     console.log(url);`,
  ],
];

const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a.example\r\n\r\n`;
const post = (target: string, headers: string, body: string) =>
  `POST ${target} HTTP/1.1\r\nHost: a.example\r\n${headers}\r\n\r\n${body}`;

/** The sent bytes, and the status of the answer; 0 if the connection ends without one. */
const requests: [string, number[]][] = [
  [get('/'), [200]],
  [get('//['), [400]],
  [get('http://['), [400]],
  [get('http://eve:secret@a.example/'), [400]],
  [get('//eve:secret@a.example/'), [400]],
  [get('mailto:eve'), [400, 404]],
  [get('x'), [200, 400, 404]],
  [get('/%00'), [404]],
  [get('/%zz.html'), [404]],
  [get('/lists/%2e%2e'), [200]],
  [get('/..%2f..%2fetc%2fpasswd'), [404]],
  [get('/\\..\\..\\index.html'), [200, 404]],
  [get(`/${'x'.repeat(10_000)}.html`), [404]],
  ['TRACE / HTTP/1.1\r\nHost: a.example\r\n\r\n', [400, 405, 501]],
  ['OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n', [400, 404]],
  ['PROPFIND / HTTP/1.1\r\nHost: a.example\r\n\r\n', [200, 400, 404, 405]],
  ['CONNECT a.example:80 HTTP/1.1\r\nHost: a.example\r\n\r\n', [0, 400, 405]],
  ['HEAD / HTTP/1.1\r\nHost: a.example\r\n\r\n', [200]],
  ['GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', [200]],
  ['GET / HTTP/1.1\r\nHost: a.example\r\nX: \u00ff\u0080\r\n__proto__: x\r\n\r\n', [200]],
  ['GET / HTTP/1.1\r\n\r\n', [400]],
  ['GET / HTTP/9.9\r\n\r\n', [0, 400, 505]],
  ['nonsense\r\n\r\n', [400]],
  [post('/', 'Content-Length: 4', 'body'), [200, 404, 405]],
  [post('/confirm', 'Transfer-Encoding: chunked', 'zz\r\n'), [400, 500]],
  [post('/', 'Transfer-Encoding: chunked', 'zz\r\n'), [0, 200, 400]],
  [get('/throws'), [404, 500]],
  [get('/rejects'), [404, 500]],
  [get('/nothing'), [404, 500]],
  [get('/breaks'), [404, 500]],
  [get('/header'), [404, 500]],
];

/** Requests whose sender goes away before they are whole. */
const aborted = [
  post('/confirm', 'Content-Length: 100', 'body'),
  post('/confirm', 'Transfer-Encoding: chunked', '4\r\nbody\r\n'),
  post('/', 'Content-Length: 100', 'body'),
  post('/clones', 'Content-Length: 100', 'body'),
  post('/throws', 'Content-Length: 100', 'body'),
  get('/').slice(0, -4),
  get('/'),
];

describe.each(servers)('%s', (_, program) => {
  let child: ChildProcess;
  let port: number;
  let errors = '';

  beforeAll(async () => {
    child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const [url] = (await once(lines, 'line')) as [string];
    port = Number(new URL(url).port);
  });
  afterAll(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });

  /** Sends bytes, and resolves to the status of the answer; 0 if the connection ends without one. */
  function send(bytes: string): Promise<number> {
    return new Promise((resolve) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
        const [, status] = /^HTTP\/1\.1 (\d+) .*\r\n\r\n/s.exec(answer) ?? [];
        if (status === undefined) return;
        socket.destroy();
        resolve(Number(status));
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(0));
    });
  }

  async function expectAlive(after: string): Promise<void> {
    const status = await send(get('/'));
    expect([after, status, errors, child.exitCode]).toEqual([after, 200, '', null]);
  }

  test.each(requests)('answers %j', async (bytes, statuses) => {
    const status = await send(bytes);
    await expectAlive(bytes);
    expect(statuses).toContain(status);
  });

  test.each(aborted)('outlives %j, broken off', async (bytes) => {
    for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      await new Promise((resolve) => socket.write(bytes, 'latin1', resolve));
      // Waits until the server has seen the request begin.
      await expectAlive(bytes);
      socket.resume()[leave]();
      if (leave !== 'end') await once(socket, 'close');
      await expectAlive(bytes);
      socket.destroy();
    }
  });
});
