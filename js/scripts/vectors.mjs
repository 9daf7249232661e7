// Writes the golden files of tests/vectors/v1 and their manifests, by the native tool. v1/url has those of the types
// of tamis/url. A tool in Python writes the folders of pages in tests/vectors/pages. A file that exists must come out
// unchanged. Published bytes never change: a change needs a new hash id, type id or format version.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
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

const vectors = join(root, 'tests/vectors');
const tool = join(await cmake('native', nativeOptions, { target: 'make_vectors' }), 'make_vectors');

/** Throws if a golden file would change or be missing. */
function checkKept(folder, fresh, name) {
  const old = join(folder, name);
  if (!existsSync(join(fresh, name))) {
    throw new Error(`${name} would go: an old golden file never does`);
  }
  if (existsSync(old) && !readFileSync(old).equals(readFileSync(join(fresh, name)))) {
    throw new Error(`${name} would change: an old golden file never does`);
  }
}

/** Calls `act` with a folder of vectors, and with a temporary folder that is removed afterwards. */
function write(name, act) {
  const folder = join(vectors, name);
  const fresh = mkdtempSync(join(tmpdir(), 'tamis-vectors-'));
  try {
    mkdirSync(folder, { recursive: true });
    act(folder, fresh);
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

/** The golden files of one folder, and their manifest. */
const writeGolden = (name, ...which) =>
  write(name, (folder, fresh) => {
    const { lists, files } = JSON.parse(
      execFileSync(tool, [fresh, ...which], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
    );
    for (const entry of files) {
      checkKept(folder, fresh, entry.file);
      const bytes = readFileSync(join(fresh, entry.file));
      entry.sha256 = createHash('sha256').update(bytes).digest('hex');
    }
    const names = new Set(files.map(({ file }) => file));
    for (const file of readdirSync(folder)) {
      if (file.endsWith('.tamis')) checkKept(folder, fresh, file);
    }
    for (const file of names) copyFileSync(join(fresh, file), join(folder, file));
    // The manifest has one list or file on each line, lists first, as tests/cpp/vectors/golden_test.cpp reads it.
    const listLines = Object.entries(lists)
      .map(([list, keys]) => `    ${JSON.stringify(list)}:${JSON.stringify(keys)}`)
      .join(',\n');
    const fileLines = files.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
    writeFileSync(
      join(folder, 'manifest.json'),
      `{\n  "lists": {\n${listLines}\n  },\n  "files": [\n${fileLines}\n  ]\n}\n`,
    );
    console.log(`${names.size} golden files in tests/vectors/${name}`);
  });

/** The golden folders of pages. */
const writePages = () =>
  write('pages', (folder, fresh) => {
    execFileSync('python3', ['-B', join(root, 'cpp/format/make_pages.py'), fresh]);
    const isFile = (name) => /\.pages?$/.test(name) || name.endsWith('manifest.json');
    const names = [folder, fresh].flatMap((from) => readdirSync(from, { recursive: true }));
    for (const name of names.filter(isFile)) checkKept(folder, fresh, name);
    cpSync(fresh, folder, { recursive: true });
    console.log(`${readdirSync(folder).length - 1} folders of pages in tests/vectors/pages`);
  });

writeGolden('v1');
writeGolden('v1/url', 'url');
writePages();
