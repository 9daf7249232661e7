// Serves the built demo on 127.0.0.1 under the strict header that the package needs, and no more.
//   node web-demo/serve.mjs [port]      0: any free port
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

export const CSP = "script-src 'self' 'wasm-unsafe-eval'";

const BUILT = fileURLToPath(new URL('./dist', import.meta.url));
const TYPES = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.tamis', 'application/octet-stream'],
  ['.txt', 'text/plain; charset=utf-8'],
]);

/** Serves `root`; every answer carries `csp`. Resolves to its address and a way to end it. */
export async function startServer({ root = BUILT, port = 4173, csp = CSP } = {}) {
  const server = createServer(async (request, response) => {
    const headers = { 'content-security-policy': csp, 'x-content-type-options': 'nosniff' };
    try {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const path = normalize(decodeURIComponent(pathname));
      const file = join(root, path.endsWith(sep) ? join(path, 'index.html') : path);
      const body = await readFile(file);
      const type = TYPES.get(extname(file)) ?? 'application/octet-stream';
      response.writeHead(200, { ...headers, 'content-type': type }).end(body);
    } catch {
      response.writeHead(404, { ...headers, 'content-type': 'text/plain' }).end('not found\n');
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

if (argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(argv[2] ?? 4173);
  try {
    await readFile(join(BUILT, 'index.html'));
    const { url } = await startServer({ port });
    console.log(`The demo is at ${url} (Ctrl+C ends it)`);
  } catch (error) {
    const notBuilt = error.code === 'ENOENT';
    console.error(notBuilt ? 'the demo is not built: run `npm run demo`' : error.message);
    exit(1);
  }
}
