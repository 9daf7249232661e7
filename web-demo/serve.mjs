// Serves the built demo on 127.0.0.1 under the strict header that the package needs, and no more.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

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

/** A file of `root`, or 404. */
async function fileAnswer(root, { url }) {
  try {
    const path = normalize(decodeURIComponent(new URL(url).pathname));
    const file = join(root, path.endsWith(sep) ? join(path, 'index.html') : path);
    const type = TYPES.get(extname(file)) ?? 'application/octet-stream';
    return new Response(await readFile(file), { headers: { 'content-type': type } });
  } catch {
    return new Response('not found\n', { status: 404, headers: { 'content-type': 'text/plain' } });
  }
}

/**
 * Serves `root`, and before it what `handle`, a function from Request to Response or undefined, answers;
 * every answer carries `csp`. Resolves to its address and a way to end it.
 */
export async function startServer({ root = BUILT, port = 4173, csp = CSP, handle } = {}) {
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
