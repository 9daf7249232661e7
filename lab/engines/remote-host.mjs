// Serves pages for 600,000 keys with nginx, correctly and incorrectly, and a page and a worker that load tamis/remote.
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { RemoteFilter } from 'tamis/remote';
import { root } from '../../js/scripts/run.mjs';
import { makeFolder, writeFiles } from '../folders.mjs';
import { startNginx } from './nginx.mjs';

export const count = 600_000;

/** Bundles the tests' page writer, which is TypeScript, into a module that Node can run. */
async function loadWriter(folder) {
  const outfile = join(folder, 'writer.mjs');
  await build({
    entryPoints: [join(root, 'tests/js/support/pages.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    alias: { tamis: join(root, 'dist/node/index.js') },
  });
  return import(outfile);
}

/** A worker that gets keys to look up. */
const WORKER = `
importScripts('page.js');
onmessage = async ({ data: keys, ports: [port] }) => {
  try {
    const filter = await openList();
    port.postMessage([...(await filter.hasMany(keys))]);
  } catch ({ code, message }) {
    port.postMessage({ code, message });
  }
};
`;

/**
 * Starts the host. Returns its nginx and the `manifest`. `open` opens its list in Node, if wanted from another
 * manifest. `bundle` writes a script with which pages and workers can open it too, as `openList`.
 */
export async function startHost() {
  const files = makeFolder('pages');
  const { makePages, signPages } = await loadWriter(files);
  const keys = generateKeyPairSync('ed25519');
  const { x } = keys.publicKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url').toString('hex');
  const set = makePages(
    Array.from({ length: count }, (_, i) => `key ${i}`),
    { pages: 50 },
  );
  const manifest = signPages(set.fields, keys);
  for (const [name, bytes] of set.parts) {
    writeFiles(files, { [name]: bytes, [`${name}.gz`]: gzipSync(bytes) });
  }
  writeFiles(files, {
    'manifest.json': JSON.stringify(manifest),
    'index.html':
      '<!doctype html><title>t</title><link rel="icon" href="data:,"><script src="page.js"></script>',
    'worker.js': WORKER,
  });
  // If the tests run as root, nginx's workers run as another user.
  chmodSync(files, 0o755);
  const nginx = await startNginx(files);
  const address = `${nginx.url}manifest.json`;
  const options = { name: 'list', publicKeys: [publicKey] };
  const bundle = (outfile) =>
    build({
      stdin: {
        contents: `import { RemoteFilter } from 'tamis/remote';
          globalThis.openList = (more, url = '${address}') =>
            RemoteFilter.open(url, { ...${JSON.stringify(options)}, ...more });`,
        resolveDir: root,
      },
      outfile,
      bundle: true,
      logLevel: 'error',
    });
  await bundle(join(files, 'page.js'));
  return {
    ...nginx,
    manifest,
    open: (more, url = address) => RemoteFilter.open(url, { ...options, ...more }),
    bundle,
  };
}
