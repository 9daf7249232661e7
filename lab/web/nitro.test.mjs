// Nitro 2 (Nuxt 3 and 4) for Cloudflare builds with the guide's option, and answers in workerd (`npm run test:web`).
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { serveWorker } from '../../tests/e2e/workerd.mjs';
import { app, expected, expectedOfUrls } from '../../tests/package/app.mjs';
import { installed } from '../../tests/package/from-npm.mjs';
import { output, root } from '../../tests/package/workspace.mjs';

const guide = readFileSync(join(root, 'docs/guide/frameworks.md'), 'utf8');
const [, option] = /^export default defineNuxtConfig\(\{\n {2}nitro: (.*),\n\}\);$/m.exec(guide);

const date = '2025-11-01';

test('Nitro for Cloudflare', async (t) => {
  const home = installed(t, 'nitropack@2.13.6');
  if (home === undefined) return;
  mkdirSync(join(app, 'routes'));
  writeFileSync(
    join(app, 'routes/index.ts'),
    `import { exercise } from '../exercise.mjs';
    import { urls } from '../urls.mjs';
    export default defineEventHandler(() => [exercise(), urls()]);`,
  );
  const config = `{ preset: 'cloudflare-module', compatibilityDate: '${date}', ...${option} }`;
  writeFileSync(join(app, 'nitro.config.ts'), `export default ${config};\n`);
  output(join(home, 'node_modules/.bin/nitropack'), ['build'], { cwd: app });
  const { url, close } = await serveWorker(join(app, '.output/server'), 'index.mjs', date);
  try {
    const response = await fetch(url);
    assert.deepEqual(await response.json(), [expected, expectedOfUrls]);
  } finally {
    await close();
  }
});
