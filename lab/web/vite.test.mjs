// Tests Vite's development server, which serves modules one by one, and dependencies bundled or unchanged.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createServer } from 'vite';
import { allEngines, describeEngines, openFor, outcomeOf } from '../../tests/e2e/engines/index.mjs';
import { project } from '../../tests/package/workspace.mjs';
import { writeFiles } from '../folders.mjs';
import { asking, checkAnswers, programs } from './rows.mjs';

const folder = project('vite');
writeFiles(folder, {
  ...programs,
  'index.html': `<!doctype html><title>t</title><link rel="icon" href="data:,">
<script type="module" src="page.js"></script>`,
  'page.js': `import './given.js';\n${asking()}`,
});

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
