// `npm run demo`: builds the package if it is not built yet, builds the pages, and serves the static files.
//   node web-demo/demo.mjs [port]      0: any free port
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { argv, execPath, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { setUp } from '../js/scripts/setup.mjs';
import { startServer } from './serve.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const demo = fileURLToPath(new URL('.', import.meta.url));
const run = (script) => execFileSync(execPath, [script], { cwd: root, stdio: 'inherit' });

try {
  const isBuilt = existsSync(`${root}dist/index.js`);
  await setUp(isBuilt ? 'modules' : 'base', 'web-demo');
  if (!isBuilt) run('js/scripts/build.mjs');
  run('web-demo/build-data.mjs');
  // This import is not at the top, because Vite is not installed before the set-up.
  const { build } = await import('vite');
  await build({ root: demo, configFile: `${demo}vite.config.ts`, logLevel: 'warn' });
  const { url } = await startServer({ port: Number(argv[2] ?? 4173) });
  console.log(
    `The demo is at ${url} (Ctrl+C ends it). Its files are in web-demo/dist, for any host.`,
  );
} catch (error) {
  console.error(error.message);
  exit(1);
}
