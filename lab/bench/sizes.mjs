// Measures how many bytes an import adds to a web page: after esbuild --minify, and then gzip -9 or brotli.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from '../../js/scripts/run.mjs';

/** The compressed sizes of a file. */
const compressed = (contents) => ({
  gzip: gzipSync(contents, { level: 9 }).length,
  brotli: brotliCompressSync(contents).length,
});

/** The sizes of imports; each module has a list of names or `*`. Modules that import() loads later do not count. */
async function sizeOf({ path, import: names, ignore }) {
  const all = typeof names === 'string' ? { [path]: names } : names;
  const lines = Object.entries(all).map(
    ([module, some]) => `export ${some} from '${module.replace(/^dist/, '../dist')}';`,
  );
  const { outputFiles } = await build({
    stdin: { contents: lines.join('\n'), resolveDir: join(root, 'lab') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    external: ignore,
    write: false,
    logLevel: 'error',
  });
  return compressed(outputFiles[0].contents);
}

/** The single files for pages without a bundler. */
const cdn = 'dist/cdn';

/** Measures every import in .size-limit.json, the exports of the peers, and each file in dist/cdn. */
export async function measureSizes() {
  const bounded = JSON.parse(readFileSync(join(root, '.size-limit.json'), 'utf8'));
  const peers = ['bloomfilter', 'bloom-filters', 'binary-fuse-filter'];
  const sizes = {};
  for (const row of bounded) sizes[row.name] = await sizeOf(row);
  for (const peer of peers) sizes[peer] = await sizeOf({ import: { [peer]: '*' } });
  for (const name of readdirSync(join(root, cdn)).sort()) {
    sizes[`${cdn}/${name}`] = compressed(readFileSync(join(root, cdn, name)));
  }
  return { sizes };
}
