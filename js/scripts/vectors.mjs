// Writes the golden files of tests/vectors/v1 and their manifests, by the native tool. v1/url has those of the types
// of tamis/url. A tool in Python writes the folders of pages in tests/vectors/pages. A file that exists must come out
// unchanged. Published bytes never change: a change needs a new hash id, type id or format version.

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

/** Writes golden files and their manifest, which says what the tool prints of them. */
function writeGolden(folder, ...which) {
  const printed = execFileSync(tool, [folder, ...which], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const { lists, files } = JSON.parse(printed);
  for (const entry of files) {
    const bytes = readFileSync(join(folder, entry.file));
    entry.sha256 = createHash('sha256').update(bytes).digest('hex');
  }
  // The manifest has one list or file on each line, lists first, as tests/cpp/vectors/golden_test.cpp reads it.
  const listLines = Object.entries(lists)
    .map(([list, keys]) => `    ${JSON.stringify(list)}:${JSON.stringify(keys)}`)
    .join(',\n');
  const fileLines = files.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
  writeFileSync(
    join(folder, 'manifest.json'),
    `{\n  "lists": {\n${listLines}\n  },\n  "files": [\n${fileLines}\n  ]\n}\n`,
  );
}

/** Lets `make` fill a folder, and copies it to tests/vectors. Throws if a golden file there would change or go. */
function publish(name, golden, make) {
  const folder = join(root, 'tests/vectors', name);
  const fresh = mkdtempSync(join(tmpdir(), 'tamis-vectors-'));
  try {
    make(fresh);
    for (const file of readdirSync(folder, { recursive: true }).filter((one) => golden.test(one))) {
      const isKept =
        existsSync(join(fresh, file)) &&
        readFileSync(join(folder, file)).equals(readFileSync(join(fresh, file)));
      if (!isKept) throw new Error(`${file} would change or go: an old golden file never does`);
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
