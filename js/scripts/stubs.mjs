// Makes a folder for each entry point in the exports of package.json, for resolvers that do not read the exports. For
// `tamis/read` they look in read/package.json. Examples are Parcel without options, and TypeScript's `node10`, the
// default of ts-jest. npm makes the folders before it packs, and removes them afterwards. git ignores them.
//
//   node js/scripts/stubs.mjs [remove]     (in the package's folder)

import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));

for (const [entry, { types, node, default: main = node }] of Object.entries(exports)) {
  // The first entry point is the package's own `main` and `types`, and exported files need no stub.
  if (entry === '.' || types === undefined) continue;
  const file = join(entry, 'package.json');
  if (process.argv[2] === 'remove') {
    rmSync(file);
    rmdirSync(entry);
    continue;
  }
  const from = (path) => posix.relative(entry, path);
  const stub = { type: 'module', sideEffects: false, main: from(main), types: from(types) };
  mkdirSync(entry, { recursive: true });
  writeFileSync(file, `${JSON.stringify(stub, null, 2)}\n`);
}
