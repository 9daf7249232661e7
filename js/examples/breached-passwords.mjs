// A sign-up page that refuses breached passwords. The list lies in pages on a static host, and a look-up is one
// request for a range of 13 kB. The passwords are generated, since lists of real breaches must not be shipped.
// A published list has SHA-1 digests; then the page looks up the digest, in the digits that the list has.
//
//   node js/examples/breached-passwords.mjs [PORT]      (default: any free port)
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleExample } from './bundle.mjs';
import { count } from './figures.mjs';
import { makePasswords } from './passwords.mjs';
import { serve } from './serve.mjs';

const PASSWORDS = 1_000_000;
/** One good password in 2^8 is refused too, and the user chooses another. With 16 it is one in 65,536. */
const FINGERPRINT_BITS = 8;
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.pages': 'application/octet-stream',
  '.page': 'application/octet-stream',
};

const tamis = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));

function* linesOf(words) {
  for (const word of words) yield `${word}\n`;
}

/** Writes the list into `folder` and the site into its `site`: the page, and the signed pages of the list. */
export async function buildSite(folder) {
  const site = join(folder, 'site');
  await mkdir(site, { recursive: true });
  const list = join(folder, 'passwords.txt');
  await pipeline(linesOf(makePasswords(PASSWORDS)), createWriteStream(list));

  // This is `npx tamis shard passwords.txt -o site/pages ...` in a folder with the package.
  const options = ['--name', 'passwords', '--fingerprint-bits', `${FINGERPRINT_BITS}`];
  const signing = ['--sign', join(folder, 'key.pem'), '--create-key', '--json'];
  const args = ['shard', list, '-o', join(site, 'pages'), ...options, ...signing];
  const { stdout } = await promisify(execFile)(process.execPath, [tamis, ...args]);
  const made = JSON.parse(stdout);

  const constants = { PAGES_PUBLIC_KEY: made.publicKey, REFUSED_ONE_IN: 2 ** FINGERPRINT_BITS };
  await bundleExample('breached-passwords', site, constants);
  return { site, made };
}

/** The answer of a static host: a file, or the requested range of it. */
async function answer(file, range) {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const [first, last] = /^bytes=(\d+)-(\d+)$/.exec(range)?.slice(1).map(Number) ?? [];
    if (first === undefined || last < first) return { status: 200, body: await handle.readFile() };
    if (first >= size) return { status: 416, headers: { 'Content-Range': `bytes */${size}` } };
    const body = Buffer.alloc(Math.min(last + 1, size) - first);
    await handle.read(body, 0, body.length, first);
    const headers = { 'Content-Range': `bytes ${first}-${first + body.length - 1}/${size}` };
    return { status: 206, body, headers };
  } finally {
    await handle.close();
  }
}

/** Serves the site. `tell` gets the method, the path and the range of each request. */
export function serveSite(site, { port = 0, tell = () => {} } = {}) {
  return serve(async ({ method, url, headers: asked }) => {
    const { pathname: path } = new URL(url);
    const range = asked.get('Range');
    tell({ method, path, range });
    const name = path === '/' ? 'index.html' : path;
    const type = TYPES[extname(name)];
    const found = type && (await answer(join(site, name), range).catch(() => undefined));
    const { status, body, headers } = found ?? { status: 404, body: 'not found\n' };
    return new Response(body, {
      status,
      headers: {
        'Content-Security-Policy': CSP,
        'Content-Type': type ?? 'text/plain',
        'X-Content-Type-Options': 'nosniff',
        // A file whose name is a hash of its content never changes.
        'Cache-Control': /\.pages?$/.test(name) ? 'max-age=31536000, immutable' : 'no-cache',
        ...headers,
      },
    });
  }, port);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = fileURLToPath(
    new URL('../../build/examples/breached-passwords/', import.meta.url),
  );
  const { site, made } = await buildSite(folder);
  const tell = ({ method, path, range }) => {
    if (range) console.log(`${method} ${path}  ${range}`);
  };
  const { url } = await serveSite(site, { port: Number(process.argv[2] ?? 0), tell });
  const { keys, pages, bytes, stride } = made;
  console.log(`A list of ${count(keys)} generated passwords (Ctrl+C ends it)
pages       ${count(pages)} of ${count(stride)} bytes, ${count(bytes)} in all
public key  ${made.publicKey}

A sign-up page, for password1 and for one of your own: ${url}/
Each range that it asks for comes here:`);
}
