// With each bundler, a bundle of each row in .size-limit.json must be about as small as esbuild's, which
// .size-limit.json limits. It must answer correctly in every engine, under a strict policy.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { allEngines, describeEngines, openFor, outcomeOf } from '../../tests/e2e/engines/index.mjs';
import { project } from '../../tests/package/workspace.mjs';
import { startServer } from '../../web-demo/serve.mjs';
import { writeFiles } from '../folders.mjs';
import { bundlers, splitters } from './bundlers.mjs';
import { asking, checkAnswers, programs, rows } from './rows.mjs';

/**
 * The largest gzipped size of another bundler's bundle, as a multiple of esbuild's. Texts of the wasm compress better
 * next to each other, but webpack separates them.
 */
const mostOfEsbuilds = 1.05;

/** The largest gzipped size of all files of a split bundle, as a multiple of a single file. */
const mostOfOneFile = 1.035;

const sizeOf = (code) => gzipSync(code, { level: 9 }).length;
const folder = project('bundlers');
const pages = join(folder, 'pages');
const entries = rows.map((_, i) => `row-${i}.mjs`);

/** The gzipped sizes of each row with each bundler. */
const sizes = rows.map(({ name }) => ({ name }));

const html = `<!doctype html><title>t</title><link rel="icon" href="data:,">
<script src="../given.js"></script>
<script type="module" src="../run.js"></script>`;

writeFiles(folder, programs);
mkdirSync(pages);
writeFiles(pages, {
  'given.js': programs['given.js'],
  // Each of the two bundles contains its own core.
  'run.js': asking((i) => `new URL('${i}.js', location.href)`),
});

describe('bundles', () => {
  for (const [name, bundle] of Object.entries(bundlers)) {
    test(`of every row by ${name}`, async () => {
      const codes = await bundle(folder, entries);
      assert.equal(codes.length, rows.length);
      mkdirSync(join(pages, name));
      writeFileSync(join(pages, name, 'index.html'), html);
      for (const [i, code] of codes.entries()) {
        writeFileSync(join(pages, name, `${i}.js`), code);
        sizes[i][name] = sizeOf(code);
      }
    });

    // Without import(), nothing can fail to load later, and a service worker can use the bundle.
    test(`of tamis/read and tamis/remote by ${name}: one file where code is split, too`, async () => {
      const found = rows.flatMap(({ name: row }, i) =>
        /^tamis\/re(ad|mote)\b/.test(row) ? [i] : [],
      );
      assert.ok(found.length >= 7, `${found.length}`);
      for (const i of found) {
        const files = await splitters[name](folder, entries[i]);
        assert.equal(files.length, 1, rows[i].name);
        const size = sizeOf(files[0]);
        assert.ok(Math.abs(size - sizes[i][name]) < 50, `${rows[i].name}: ${size}`);
      }
    });
  }

  // Angular and tsup call esbuild like this. Files compress one by one, and a module that two files need is in a third.
  test('of every row by esbuild: where code is split, all files together are not much larger', async () => {
    for (const [i, { name, esbuild }] of sizes.entries()) {
      const files = await splitters.esbuild(folder, entries[i]);
      const size = files.reduce((sum, code) => sum + sizeOf(code), 0);
      assert.ok(size <= mostOfOneFile * esbuild, `${name}: ${size} of ${esbuild}`);
    }
  });

  test("are not much larger than esbuild's", () => {
    console.table(sizes);
    for (const { name, esbuild, ...others } of sizes) {
      for (const [bundler, size] of Object.entries(others)) {
        const most = mostOfEsbuilds * esbuild;
        assert.ok(size <= most, `${name} by ${bundler}: ${size} of ${esbuild}`);
      }
    }
  });
});

describeEngines(allEngines, (engine) => {
  let server;
  before(async () => {
    server = await startServer({ root: pages, port: 0 });
  });
  after(() => server.close());

  for (const name of Object.keys(bundlers)) {
    test(`what ${name} makes answers`, async (t) => {
      const page = await openFor(t, engine(), `${server.url}${name}/`);
      checkAnswers(await outcomeOf(page));
      assert.deepEqual(await page.complaints(), []);
    });
  }
});
