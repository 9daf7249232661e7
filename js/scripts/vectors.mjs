// Writes the golden files in tests/vectors/v1 and their manifests with the native tool; v1/url is for the types of
// tamis/url. A Python tool writes the folders of pages in tests/vectors/pages. If a file already exists, the result
// must be the same, because published bytes never change: a change needs a new hash id, type id or format version.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cmake, nativeOptions } from './build.mjs';
import { root } from './run.mjs';

const tool = join(await cmake('native', nativeOptions, { target: 'make_vectors' }), 'make_vectors');

/** Writes golden files, and a manifest with what the tool prints about them. */
function writeGolden(folder, ...which) {
  const printed = execFileSync(tool, [folder, ...which], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const { lists, files } = JSON.parse(printed);
  for (const entry of files) {
    const bytes = readFileSync(join(folder, entry.file));
    entry.sha256 = createHash('sha256').update(bytes).digest('hex');
  }
  // One list or file per line, lists first, because tests/cpp/vectors/golden_test.cpp reads it line by line.
  const listLines = Object.entries(lists)
    .map(([list, keys]) => `    ${JSON.stringify(list)}:${JSON.stringify(keys)}`)
    .join(',\n');
  const fileLines = files.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
  writeFileSync(
    join(folder, 'manifest.json'),
    `{\n  "lists": {\n${listLines}\n  },\n  "files": [\n${fileLines}\n  ]\n}\n`,
  );
}

/** Lets `make` fill a folder, and copies it to tests/vectors. Throws if a golden file there would change or vanish. */
function publish(name, golden, make) {
  const folder = join(root, 'tests/vectors', name);
  const fresh = mkdtempSync(join(tmpdir(), 'tamis-vectors-'));
  try {
    make(fresh);
    for (const file of readdirSync(folder, { recursive: true }).filter((one) => golden.test(one))) {
      const isKept =
        existsSync(join(fresh, file)) &&
        readFileSync(join(folder, file)).equals(readFileSync(join(fresh, file)));
      if (!isKept) throw new Error(`${file} would change or vanish, but golden files must stay`);
    }
    cpSync(fresh, folder, { recursive: true });
    const count = readdirSync(fresh).length - 1;
    console.log(`${count} golden files or folders in tests/vectors/${name}`);
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

publish('v1', /^[^/]+\.tamis$/, (folder) => writeGolden(folder));
publish('v1/url', /\.tamis$/, (folder) => writeGolden(folder, 'url'));
publish('pages', /\.pages?$|manifest\.json$/, (folder) =>
  execFileSync('python3', ['-B', join(root, 'cpp/format/make_pages.py'), folder]),
);
