// The DNS server js/examples/dns-server.mjs, with a host for its lists and upstream servers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { UrlListBuilder } from 'tamis/url';
import { serve } from '../../js/examples/serve.mjs';
import { makeKeys, publish } from '../lists.mjs';
import { startServer } from '../servers.mjs';
import { serveUdp, startClient } from './dns-client.mjs';
import { folderOf } from './recipe-files.mjs';

const program = readFileSync(new URL('../../js/examples/dns-server.mjs', import.meta.url), 'utf8');

const stops = [];
/** Registers a function that stopAll() calls. */
export const later = (stop) => stops.push(stop);

/** Stops everything that was started, in reverse order, even if a stop fails. */
export async function stopAll() {
  const errors = [];
  for (const stop of stops.splice(0).reverse()) {
    try {
      await stop();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** A static host with lists of these hosts, one for each length of entries. */
export async function startLists(hosts) {
  const keys = await makeKeys();
  const published = {};
  for (const prefixBytes of [4, 8]) {
    const list = new UrlListBuilder({ prefixBytes }).addHosts(hosts).build();
    published[prefixBytes] = await publish(list, 'bad', { keys });
  }
  const host = { isDown: false };
  const { url, close } = await serve(async (request) => {
    if (host.isDown) return new Response('down', { status: 503 });
    const [, prefixBytes, file] = new URL(request.url).pathname.split('/');
    const bytes = await published[prefixBytes]?.storage.get(file);
    return new Response(bytes ?? 'not found', { status: bytes ? 200 : 404 });
  });
  later(close);
  return Object.assign(host, { url, publicKey: published[8].publicKey });
}

/** Starts the program in its own process, with environment variables, and a client for it. */
export async function startProgram(
  lists,
  upstreamPort,
  more = {},
  folder = folderOf({ 'dns-server.mjs': program }, ['dns-packet']),
) {
  const { match, printed, stop } = await startServer(
    /^ready (\d+)\n/m,
    process.execPath,
    ['dns-server.mjs'],
    {
      cwd: folder,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        MANIFEST: `${lists.url}/8/manifest.json`,
        LIST: 'bad',
        PUBLIC_KEY: lists.publicKey,
        PORT: '0',
        UPSTREAM: '127.0.0.1',
        UPSTREAM_PORT: `${upstreamPort}`,
        // The limit is longer than any machine needs for an answer.
        WAIT_MS: '600000',
        ...more,
      },
    },
  );
  const port = Number(match[1]);
  const client = await startClient(port);
  // Checks that the program ran until it was ended, whatever questions came.
  later(async () => {
    client.stop();
    assert.deepEqual(await stop(), [null, 'SIGTERM'], printed());
  });
  return { ...client, port, folder, printed };
}

/** Starts a test server in the place of a resolver, and returns its port. */
export const startUpstream = async (listener) => (await serveUdp(listener)).address().port;
