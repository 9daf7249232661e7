// What a package adds to a web page: everything it exports, bundled, minified and gzipped.

import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Bytes of `export * from 'module'` after esbuild --minify and gzip -9. */
export async function bundleSize(module, root) {
  const result = await build({
    stdin: { contents: `export * from '${module}';`, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  return gzipSync(result.outputFiles[0].contents, { level: 9 }).length;
}
