import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { startServer } from '../../web-demo/serve.mjs';

/** Records the errors of a page, for engines whose driver does not report them. Works around a fault of one. */
const RECORDER = `globalThis.complaints = [];
addEventListener('error', ({ message, target }) => {
  complaints.push(String(message ?? 'cannot load ' + (target.src ?? target.href)));
}, true);
addEventListener('unhandledrejection', ({ reason }) => complaints.push(String(reason)));
addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective }) => {
  complaints.push(effectiveDirective + ' blocks ' + blockedURI);
});
for (const kind of ['error', 'warn']) {
  const say = console[kind];
  console[kind] = (...what) => {
    complaints.push(what.join(' '));
    say.apply(console, what);
  };
}
// WebKitGTK fails to make one key of Ed25519 in a hundred, and makes the next.
const { subtle } = globalThis.crypto ?? {};
const generateKey = subtle?.generateKey.bind(subtle);
const generateAgain = async (left, ...given) => {
  try {
    return await generateKey(...given);
  } catch (error) {
    if (left === 0 || error.name !== 'OperationError') throw error;
    return generateAgain(left - 1, ...given);
  }
};
if (subtle) subtle.generateKey = (...given) => generateAgain(9, ...given);
`;

/** Puts an empty page into the folder `root` that loads the module `script`. */
async function writePage(root, script) {
  const html = `<!doctype html><title>t</title><link rel="icon" href="data:,">
<script src="recorder.js"></script>
<script type="module" src="${script}"></script>`;
  await writeFile(join(root, 'index.html'), html);
  await writeFile(join(root, 'recorder.js'), RECORDER);
}

/**
 * Bundles `sources` (name -> module text) for browsers, beside an empty page that loads `page.js`. Imports of
 * `tamis` resolve from `resolveDir`. Serves everything under `csp`.
 */
export async function serveBundle({ sources, resolveDir, csp }) {
  const root = await mkdtemp(join(tmpdir(), 'tamis-page-'));
  await writePage(root, 'page.js');
  for (const [name, contents] of Object.entries(sources)) {
    await build({
      stdin: { contents, resolveDir, sourcefile: name, loader: 'ts' },
      outfile: join(root, name),
      bundle: true,
      format: 'esm',
      platform: 'browser',
      logLevel: 'error',
    });
  }
  return serve(root, csp);
}

/** Serves `sources` without a bundle, with the package's `folder` as `tamis/` beside them. */
export async function servePage({ sources, folder, csp }) {
  const root = await mkdtemp(join(tmpdir(), 'tamis-page-'));
  await writePage(root, 'page.js');
  for (const [name, text] of Object.entries(sources)) await writeFile(join(root, name), text);
  await cp(folder, join(root, 'tamis'), { recursive: true });
  return serve(root, csp);
}

async function serve(root, csp) {
  const server = await startServer({ root, port: 0, csp });
  return {
    url: server.url,
    close: async () => {
      await server.close();
      await rm(root, { recursive: true });
    },
  };
}
