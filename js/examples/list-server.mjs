// The other side of chat-links, extension and log-filter.mjs. A publisher signs a list of bad hosts, a static
// host serves it, and a server confirms hits. All is in one process and in memory. In production the files lie on
// a static host, and the signing key lies on neither of the two.
//
//   node js/examples/list-server.mjs [PORT]      (default: any free port)
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConfirmHandler, memoryStorage, publishList, UrlListBuilder } from 'tamis/url';
import { bundleExample } from './bundle.mjs';
import { serve } from './serve.mjs';

const NAME = 'bad-hosts';
const CSP = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript' };

/** Serves a list of `hosts`, and the files of the folder that it is given by `showPages`. */
export async function startListServer(hosts, port = 0) {
  const storage = memoryStorage();
  const signingKeys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const asked = [];
  let confirm;
  let pages;

  /** Publishes `hosts` as the list. The confirm server gets them first, so that it knows each hit of a client. */
  async function publish(hosts) {
    const builder = new UrlListBuilder().addHosts(hosts);
    confirm = createConfirmHandler(builder.fullHashes, {
      cacheSeconds: 300,
      negativeSeconds: 1800,
    });
    const list = builder.build();
    await publishList(list, { name: NAME, storage, signingKeys });
    list.dispose();
  }

  async function respond(request) {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    if (pathname === '/confirm') return confirm(request);
    const [, file] = /^\/lists\/([^/]+)$/.exec(pathname) ?? [];
    const bytes = file && (await storage.get(file));
    if (bytes) {
      // A file whose name is a hash of its content never changes. The manifest does.
      const caching = file === 'manifest.json' ? 'no-cache' : 'max-age=31536000, immutable';
      const headers = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': caching };
      return new Response(bytes, { headers });
    }
    const page = pathname === '/' ? '/index.html' : pathname;
    const type = TYPES[extname(page)];
    const body = pages && type && (await readFile(join(pages, page)).catch(() => undefined));
    const headers = { 'Content-Security-Policy': CSP, 'Content-Type': type ?? 'text/plain' };
    return new Response(body ?? 'not found\n', { status: body ? 200 : 404, headers });
  }

  await publish(hosts);
  const { url, close } = await serve(respond, port);
  return {
    url,
    /** The options for clients. */
    name: NAME,
    manifest: `${url}/lists/manifest.json`,
    confirm: `${url}/confirm`,
    publicKey: Buffer.from(await crypto.subtle.exportKey('raw', signingKeys.publicKey)).toString(
      'hex',
    ),
    /** The paths that were requested, in order. */
    asked,
    publish,
    showPages(folder) {
      pages = folder;
    },
    close,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await startListServer(['evil.example'], Number(process.argv[2] ?? 0));
  const { url, manifest, confirm, publicKey } = server;
  const folder = fileURLToPath(new URL('../../build/examples/', import.meta.url));
  const [chat, extension] = [join(folder, 'chat-links'), join(folder, 'extension')];
  await bundleExample('chat-links', chat, { LIST_PUBLIC_KEY: publicKey });
  await bundleExample('extension', extension);
  server.showPages(chat);
  console.log(`A list of evil.example, with its subdomains (Ctrl+C ends it)
manifest        ${manifest}
name            ${NAME}
public key      ${publicKey}
confirm server  ${confirm}

A chat with links: ${url}/
An extension: at chrome://extensions load ${extension}; its options ask for the above
A log: node js/examples/log-filter.mjs --manifest ${manifest} --name ${NAME} --public-key ${publicKey} --confirm ${confirm} --store ${join(folder, 'lists')} LOG`);
}
