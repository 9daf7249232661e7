// Makes an example that is a folder ready for a browser: its files, and in its scripts all that they import.
//
//   node js/examples/bundle.mjs chat-links|extension FOLDER
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The files that a browser loads: all but scripts that no page and no manifest names. */
function entriesOf(source) {
  const files = readdirSync(source);
  const texts = files
    .filter((file) => /\.(html|json)$/.test(file))
    .map((file) => readFileSync(join(source, file), 'utf8'));
  const isNamed = (file) => texts.some((text) => text.includes(`"${file}"`));
  return files
    .filter((file) => !file.endsWith('.js') || isNamed(file))
    .map((file) => join(source, file));
}

/** Fills `folder`; `constants` are names that the scripts use, and their values. */
export async function bundleExample(name, folder, constants = {}) {
  const source = fileURLToPath(new URL(name, import.meta.url));
  const values = Object.entries(constants).map(([key, value]) => [key, JSON.stringify(value)]);
  await build({
    entryPoints: entriesOf(source),
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
