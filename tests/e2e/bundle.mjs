import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { startServer } from '../../web-demo/serve.mjs';

/**
 * Bundles `sources` (name -> module text) for browsers, where `tamis` is found from `resolveDir`,
 * beside an empty page that loads `page.js`; serves the lot under `csp`.
 */
export async function serveBundle({ sources, resolveDir, csp }) {
  const root = await mkdtemp(join(tmpdir(), 'tamis-page-'));
  const html = `<!doctype html><title>t</title><link rel="icon" href="data:,">
<script type="module" src="page.js"></script>`;
  await writeFile(join(root, 'index.html'), html);
  for (const [name, contents] of Object.entries(sources)) {
    await build({
      stdin: { contents, resolveDir, sourcefile: name },
      outfile: join(root, name),
      bundle: true,
      format: 'esm',
      platform: 'browser',
      logLevel: 'error',
    });
  }
  const server = await startServer({ root, port: 0, csp });
  return {
    url: server.url,
    close: async () => {
      await server.close();
      await rm(root, { recursive: true });
    },
  };
}
