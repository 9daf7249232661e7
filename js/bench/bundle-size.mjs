// What a package adds to a web page: everything it exports, bundled, minified and gzipped.

import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Bytes of all that the modules export after esbuild --minify and gzip -9. */
export async function bundleSize(modules, root) {
  const lines = modules.map((module) => `export * from '${module}';`);
  const result = await build({
    stdin: { contents: lines.join('\n'), resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  return gzipSync(result.outputFiles[0].contents, { level: 9 }).length;
}
