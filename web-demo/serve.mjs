// Serves the built demo on 127.0.0.1 under the strict header that the package needs, and no more.
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

/** What Node's server got, as a Request. Throws for what is none: the method TRACE, the target `//[`. */
function requestOf(incoming) {
  const { method, headers, url } = incoming;
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming);
  return new Request(new URL(url, 'http://localhost'), { method, headers, body, duplex: 'half' });
}

/** The bytes of a file, or the one range of them that is wanted: 206, or 416 for one that is not there. */
function bytesAnswer(bytes, range, type) {
  const headers = { 'content-type': type, 'accept-ranges': 'bytes' };
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  // What is no range of bytes, or several, a server may answer whole.
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

/** The bytes as text is sent by most hosts, if the browser takes it so. */
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
 * Serves `root`, and before it what `handle`, a function from Request to Response or undefined, answers;
 * every answer carries `csp`. `onSent` is told of each: the request, and the bytes of the body as they were sent.
 * Resolves to its address and a way to end it.
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
