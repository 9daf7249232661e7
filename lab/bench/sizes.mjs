// What an import adds to a web page: bytes after esbuild --minify, and then gzip -9 or brotli.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from '../../js/scripts/run.mjs';

const lab = join(root, 'lab');

/** The bytes of these imports, for each module some names or `*`. What comes later, by import(), is left out. */
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
  const [{ contents }] = outputFiles;
  return {
    gzip: gzipSync(contents, { level: 9 }).length,
    brotli: brotliCompressSync(contents).length,
  };
}

const peers = ['bloomfilter', 'bloom-filters', 'binary-fuse-filter'];

/** Every import that .size-limit.json bounds, and what the peers export. */
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
  return { sizes };
}
