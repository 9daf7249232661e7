// The bytes that an import adds to a web page, after esbuild --minify, and then gzip -9 or brotli.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from '../../js/scripts/run.mjs';

/** The bytes of a file as a host sends it. */
const compressed = (contents) => ({
  gzip: gzipSync(contents, { level: 9 }).length,
  brotli: brotliCompressSync(contents).length,
});

/** The bytes of imports: for each module some names or `*`. Modules that come later by import() are left out. */
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

/** The folder of the single files for pages without a bundler. */
const cdn = 'dist/cdn';

/** Every import that .size-limit.json bounds, the exports of the peers, and each file of dist/cdn as it is. */
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
