/** Publishes the list `bad` into the folder `pub` with `tamis url publish`, and serves this test's folder. */
import { createPrivateKey } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import { type Manifest, UrlChecker, type UrlList, UrlListBuilder, verifyManifest } from 'tamis/url';

import { type Ended, folder, get, put, tamis } from './cli.js';

/** The first secret key of RFC 8032, section 7.1. */
const SEED = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
export const PUBLIC = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
export const PEM = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${SEED}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
}).export({ format: 'pem', type: 'pkcs8' });

export const listOf = (listed: readonly string[]): UrlList =>
  new UrlListBuilder().addHosts(listed).build();

/** Publishes a list of hosts called `name`. */
export async function publish(listed: readonly string[], ...options: string[]): Promise<Ended> {
  put('k.pem', PEM);
  put('bad.tamis', listOf(listed).toBytes());
  return again(...options);
}
export const again = (...options: string[]): Promise<Ended> =>
  tamis([
    'url',
    'publish',
    'bad.tamis',
    '--to',
    'pub',
    '--sign',
    'k.pem',
    '--name',
    'bad',
    ...options,
  ]);

/** Returns the verified manifest of `pub`. */
export const manifest = (publicKey = PUBLIC): Promise<Manifest> =>
  verifyManifest(get('pub/manifest.json'), { publicKeys: [publicKey], name: 'bad' });

/** The warning about `pub` if that folder is empty. */
export const NO_VERSION =
  'tamis: pub: warning: no earlier version here. Clients that have one accept this by its time, and fetch the whole list; --previous FILE|URL gives them a delta; if there is none, pass --allow-first\n';

export const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Serves this test's folder, and returns its URL. */
export async function serve(): Promise<string> {
  const root = folder;
  const server = createServer(async (request, response) => {
    try {
      response.end(await fs.readFile(join(root, request.url as string)));
    } catch {
      response.writeHead(404).end();
    }
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client of `pub`, or of another server's folder. */
export const open = (server: string): Promise<UrlChecker> =>
  UrlChecker.open(`${server}/pub/manifest.json`, {
    name: 'bad',
    publicKeys: [PUBLIC],
    storage: 'memory',
    confirm: null,
    whenMissing: 'throw',
    whenUnconfirmed: 'throw',
    updateEveryMs: 0,
  });
