// npm run test:web: the package's tests in Firefox and WebKitGTK, which npm test runs in Chromium alone.

import { run } from './run.mjs';
import { setUp } from './setup.mjs';

await setUp('test');
// Not at the top: before the set-up there is no esbuild to import.
const { build } = await import('./build.mjs');
await build();
const pages = ['csp', 'package'].map((name) => `tests/e2e/${name}.test.mjs`);
const env = { ...process.env, TAMIS_ENGINES: 'firefox,webkit' };
try {
  await run(process.execPath, ['--test', '--test-concurrency=1', ...pages], { env });
} catch (error) {
  console.error(`npm run test:web: ${error.message}`);
  process.exitCode = 1;
}
