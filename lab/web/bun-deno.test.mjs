// Runs every entry point in Bun and in Deno: typical calls, and a program for each row of sizes (`npm run test:web`).
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import {
  app,
  expected,
  expectedOfLists,
  expectedOfUrls,
  manifest,
} from '../../tests/package/app.mjs';
import { programOf, runners } from '../engines/programs.mjs';
import { writeFiles } from '../folders.mjs';
import { asking, checkAnswers, programs } from './rows.mjs';

const entries = Object.keys(manifest.exports)
  .filter((path) => manifest.exports[path].types)
  .map((path) => posix.join('tamis', path));

writeFiles(app, programs);
writeFileSync(
  join(app, 'all.mjs'),
  `import { createRequire } from 'node:module';
import './given.js';
import { checkLists } from './check-lists.mjs';
import { exercise } from './exercise.mjs';
import { urls } from './urls.mjs';

// Deno breaks a channel that is opened while the last one closes, so one channel stays open.
new BroadcastChannel('open').unref?.();
const require = createRequire(import.meta.url);
const names = [];
for (const entry of ${JSON.stringify(entries)})
  names.push([await import(entry), require(entry)].map((all) => Object.keys(all).sort()));
const lists = await checkLists(await import('tamis/url'));
${asking()}
console.log(JSON.stringify([exercise(), urls(), lists, names, globalThis.outcome]));
`,
);

for (const [name, runBy] of Object.entries(runners)) {
  test(name, async (t) => {
    const program = programOf(t, name);
    if (program === undefined) return;
    const [exercised, urls, lists, names, outcome] = JSON.parse(runBy(program, 'all.mjs', app));
    assert.deepEqual([exercised, urls, lists], [expected, expectedOfUrls, expectedOfLists]);
    const exported = await Promise.all(entries.map((entry) => import(entry)));
    assert.deepEqual(
      names,
      exported.map((all) => [Object.keys(all).sort(), Object.keys(all).sort()]),
    );
    checkAnswers(outcome);
  });
}
