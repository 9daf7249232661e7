// Parcel without options does not read a package's exports. It must find every entry point by the package's folders,
// and its output must answer as the package does in Node. (`npm run test:web`)
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { app, expected, manifest } from '../../tests/package/app.mjs';
import { installed } from '../../tests/package/from-npm.mjs';
import { output, runInPage } from '../../tests/package/workspace.mjs';

test('Parcel bundles every entry of browsers', async (t) => {
  const home = installed(t, 'parcel@2.16.4');
  if (home === undefined) return;
  const entries = Object.keys(manifest.exports)
    .filter((path) => manifest.exports[path].types && manifest.exports[path].default)
    .map((path) => posix.join('tamis', path));
  const imports = entries.map((entry, i) => `import * as all${i} from '${entry}';\n`);
  const names = entries.map((_, i) => `Object.keys(all${i}).sort()`);
  writeFileSync(
    join(app, 'parcel.mjs'),
    `import { exercise } from './exercise.mjs';
    ${imports.join('')}
    globalThis.answer = [exercise(), ${names}];`,
  );
  const parcel = join(home, 'node_modules/.bin/parcel');
  const options = ['--no-cache', '--no-source-maps', '--dist-dir', 'by-parcel'];
  output(parcel, ['build', 'parcel.mjs', ...options], { cwd: app });
  const { answer, failure } = runInPage(readFileSync(join(app, 'by-parcel/parcel.js'), 'utf8'));
  assert.equal(failure, undefined);
  const exported = await Promise.all(entries.map((entry) => import(entry)));
  assert.deepEqual(answer, [expected, ...exported.map((all) => Object.keys(all).sort())]);
});
