// Serves the built demo on 127.0.0.1. It sends the strict content security policy that the package needs, and nothing
// looser.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export const CSP = "script-src 'self' 'wasm-unsafe-eval'";

export const BUILT = fileURLToPath(new URL('./dist', import.meta.url));
const TYPES = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.tamis', 'application/octet-stream'],
  ['.txt', 'text/plain; charset=utf-8'],
]);

/**
 * Turns a request of Node's server into a Request. Throws if that is impossible: the method TRACE, the target `//[`.
 */
function requestOf(incoming) {
  const { method, headers, url } = incoming;
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming);
  return new Request(new URL(url, 'http://localhost'), { method, headers, body, duplex: 'half' });
}

/** The whole file, or the one range that is requested: status 206, or 416 if the file has no such range. */
function bytesAnswer(bytes, range, type) {
  const headers = { 'content-type': type, 'accept-ranges': 'bytes' };
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  // A server may send the whole file if the range is malformed or there are several.
  if (!from && !to) return new Response(bytes, { headers });
  const { length } = bytes;
  const first = from ? Number(from) : Math.max(0, length - Number(to));
  const last = from && to ? Math.min(Number(to), length - 1) : length - 1;
  if (first > last) {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${length}` } });
  }
  return new Response(bytes.subarray(first, last + 1), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${first}-${last}/${length}` },
  });
}

/** Most hosts send text gzipped if the browser accepts that. */
async function textAnswer(bytes, accepted, type) {
  const headers = { 'content-type': type, vary: 'accept-encoding' };
  if (!/\bgzip\b/.test(accepted ?? '')) return new Response(bytes, { headers });
  const packed = await promisify(gzip)(bytes);
  return new Response(packed, { headers: { ...headers, 'content-encoding': 'gzip' } });
}

/** A file of `root`, or 404. */
async function fileAnswer(root, { url, headers }) {
  try {
    const path = normalize(decodeURIComponent(new URL(url).pathname));
    const file = join(root, path.endsWith(sep) ? join(path, 'index.html') : path);
    const type = TYPES.get(extname(file)) ?? 'application/octet-stream';
    const bytes = await readFile(file);
    const range = headers.get('range');
    const isText = /charset|svg/.test(type) && range === null;
    return isText
      ? await textAnswer(bytes, headers.get('accept-encoding'), type)
      : bytesAnswer(bytes, range, type);
  } catch {
    return new Response('not found\n', { status: 404, headers: { 'content-type': 'text/plain' } });
  }
}

/**
 * Serves `root`. The function `handle` (from a Request to a Response or undefined) is asked first. Every answer carries
 * `csp`. `onSent` is called for each answer with the request and the bytes of the body as sent. Resolves to the address
 * and a function that ends the server.
 */
export async function startServer({ root = BUILT, port = 4173, csp = CSP, handle, onSent } = {}) {
  const server = createServer(async (incoming, outgoing) => {
    let fault = 400;
    try {
      const request = requestOf(incoming);
      fault = 500;
      const answer = (await handle?.(request)) ?? (await fileAnswer(root, request));
      const body = Buffer.from(await answer.arrayBuffer());
      outgoing.writeHead(answer.status, {
        'content-security-policy': csp,
        'x-content-type-options': 'nosniff',
        ...Object.fromEntries(answer.headers),
      });
      outgoing.end(body);
      onSent?.(request, body.length);
    } catch (error) {
      if (fault === 500) console.error(error);
      outgoing.writeHead(fault).end();
    }
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
