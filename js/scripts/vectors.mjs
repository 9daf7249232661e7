// Writes the golden files of tests/vectors/v1, and in v1/url those of the types of tamis/url, by the native tool,
// and their manifests. The folders of pages in tests/vectors/pages are written by the tool in Python. A file that is
// there already must come out as it is. Published bytes never change, and what must change gets a new hash id, type
// id or format version.

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
import { fileURLToPath } from 'node:url';
import { cmake, nativeOptions } from './build.mjs';

const root = fileURLToPath(new URL('../../tests/vectors/', import.meta.url));
const pagesTool = fileURLToPath(new URL('../../cpp/format/make_pages.py', import.meta.url));
const tool = join(await cmake('native', nativeOptions, { target: 'make_vectors' }), 'make_vectors');

/** Throws where a golden file would be another or none. */
function checkKept(folder, fresh, name) {
  const old = join(folder, name);
  if (!existsSync(join(fresh, name))) {
    throw new Error(`${name} would go: an old golden file never does`);
  }
  if (existsSync(old) && !readFileSync(old).equals(readFileSync(join(fresh, name)))) {
    throw new Error(`${name} would change: an old golden file never does`);
  }
}

/** The golden files of one folder, and their manifest. */
function writeGolden(name, ...which) {
  const folder = join(root, name);
  const fresh = mkdtempSync(join(tmpdir(), 'tamis-vectors-'));
  try {
    const { lists, files } = JSON.parse(
      execFileSync(tool, [fresh, ...which], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
    );
    for (const entry of files) {
      checkKept(folder, fresh, entry.file);
      const bytes = readFileSync(join(fresh, entry.file));
      entry.sha256 = createHash('sha256').update(bytes).digest('hex');
    }
    const names = new Set(files.map(({ file }) => file));
    mkdirSync(folder, { recursive: true });
    for (const file of readdirSync(folder)) {
      if (file.endsWith('.tamis')) checkKept(folder, fresh, file);
    }
    for (const file of names) copyFileSync(join(fresh, file), join(folder, file));
    // One list or file a line, the lists first: tests/cpp/vectors/golden_test.cpp reads it so.
    const listLines = Object.entries(lists)
      .map(([list, keys]) => `    ${JSON.stringify(list)}:${JSON.stringify(keys)}`)
      .join(',\n');
    const fileLines = files.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
    writeFileSync(
      join(folder, 'manifest.json'),
      `{\n  "lists": {\n${listLines}\n  },\n  "files": [\n${fileLines}\n  ]\n}\n`,
    );
    console.log(`${names.size} golden files in tests/vectors/${name}`);
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

/** The golden folders of pages. */
function writePages() {
  const folder = join(root, 'pages');
  const fresh = mkdtempSync(join(tmpdir(), 'tamis-pages-'));
  try {
    execFileSync('python3', ['-B', pagesTool, fresh]);
    const isFile = (name) => /\.pages?$/.test(name) || name.endsWith('manifest.json');
    mkdirSync(folder, { recursive: true });
    const names = [folder, fresh].flatMap((from) => readdirSync(from, { recursive: true }));
    for (const name of names.filter(isFile)) checkKept(folder, fresh, name);
    cpSync(fresh, folder, { recursive: true });
    console.log(`${readdirSync(folder).length - 1} folders of pages in tests/vectors/pages`);
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

writeGolden('v1');
writeGolden('v1/url', 'url');
writePages();
