// Makes an example that is a folder ready for a browser: its files, and in its scripts all that they import.
//
//   node js/examples/bundle.mjs chat-links|extension FOLDER
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Fills `folder`; `constants` are names that the scripts use, and their values. */
export async function bundleExample(name, folder, constants = {}) {
  const source = fileURLToPath(new URL(name, import.meta.url));
  const values = Object.entries(constants).map(([key, value]) => [key, JSON.stringify(value)]);
  await build({
    entryPoints: readdirSync(source).map((file) => join(source, file)),
    outdir: folder,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    loader: { '.html': 'copy', '.css': 'copy', '.json': 'copy' },
    define: Object.fromEntries(values),
    logLevel: 'warning',
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, folder] = process.argv.slice(2);
  await bundleExample(name, folder);
}
