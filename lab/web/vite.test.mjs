// Vite's development server. Its pages get modules one by one, and dependencies bundled ahead or as they are.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createServer } from 'vite';
import { allEngines, describeEngines, openFor, outcomeOf } from '../../tests/e2e/engines/index.mjs';
import { project } from '../../tests/package/workspace.mjs';
import { asking, checkAnswers, given, rows } from './rows.mjs';

const folder = project('vite');
const files = {
  ...Object.fromEntries(rows.map(({ program }, i) => [`row-${i}.js`, program])),
  'index.html': `<!doctype html><title>t</title><link rel="icon" href="data:,">
<script>globalThis.given = ${JSON.stringify(given)}</script>
<script type="module" src="page.js"></script>`,
  'page.js': asking(rows.map((_, i) => `import('./row-${i}.js')`)),
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

const ways = {
  'bundled ahead': {},
  'module by module': { exclude: ['tamis'] },
};

describeEngines(allEngines, (engine) => {
  for (const [way, optimizeDeps] of Object.entries(ways)) {
    test(`a page of the development server, ${way}`, async (t) => {
      const server = await createServer({
        root: folder,
        configFile: false,
        logLevel: 'error',
        cacheDir: join(folder, engine().name, way),
        optimizeDeps,
        server: { host: '127.0.0.1', port: 0 },
      });
      t.after(() => server.close());
      await server.listen();
      const page = await openFor(t, engine(), server.resolvedUrls.local[0]);
      checkAnswers(await outcomeOf(page));
      assert.deepEqual(await page.complaints(), []);
    });
  }
});
