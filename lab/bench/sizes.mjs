// The bytes that an import adds to a web page, after esbuild --minify, and then gzip -9 or brotli.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from '../../js/scripts/run.mjs';

const lab = join(root, 'lab');

/** The bytes of these imports: for each module some names or `*`. Modules that come later by import() are left out. */
async function sizeOf(imports, later) {
  const lines = Object.entries(imports).map(
    ([module, names]) => `export ${names} from '${module}';`,
  );
  const { outputFiles } = await build({
    stdin: { contents: lines.join('\n'), resolveDir: lab },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    absWorkingDir: root,
    external: later,
    write: false,
    logLevel: 'error',
  });
  return compressed(outputFiles[0].contents);
}

/** The bytes of a file as a host sends it. */
const compressed = (contents) => ({
  gzip: gzipSync(contents, { level: 9 }).length,
  brotli: brotliCompressSync(contents).length,
});

const peers = ['bloomfilter', 'bloom-filters', 'binary-fuse-filter'];

/** The folder of the single files for pages without a bundler. */
const cdn = 'dist/cdn';

/** Every import that .size-limit.json bounds, the exports of the peers, and each file of dist/cdn as it is. */
export async function measureSizes() {
  const bounded = JSON.parse(readFileSync(join(root, '.size-limit.json'), 'utf8'));
  const imports = {};
  const later = {};
  for (const { name, path, import: names, ignore = [] } of bounded) {
    later[name] = ignore;
    const all = typeof names === 'string' ? { [path]: names } : names;
    imports[name] = Object.fromEntries(
      Object.entries(all).map(([file, some]) => [`../${file}`, some]),
    );
  }
  for (const peer of peers) imports[peer] = { [peer]: '*' };
  const sizes = {};
  for (const [name, parts] of Object.entries(imports))
    sizes[name] = await sizeOf(parts, later[name]);
  for (const name of readdirSync(join(root, cdn)).sort())
    sizes[`${cdn}/${name}`] = compressed(readFileSync(join(root, cdn, name)));
  return { sizes };
}
