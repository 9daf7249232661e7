// Writes the golden files of tests/vectors/v1, and in v1/url those of the types of tamis/url, by the native tool,
// and their manifests. A file that is there already must come out as it is. Published bytes never change, and what
// must change gets a new hash id, type id or format version.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
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
const tool = join(await cmake('native', nativeOptions, { target: 'make_vectors' }), 'make_vectors');

/** The golden files of one folder, and their manifest. */
function writeGolden(name, ...which) {
  const folder = join(root, name);
  const fresh = mkdtempSync(join(tmpdir(), 'tamis-vectors-'));
  try {
    const { lists, files } = JSON.parse(
      execFileSync(tool, [fresh, ...which], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
    );
    for (const entry of files) {
      const bytes = readFileSync(join(fresh, entry.file));
      const old = join(folder, entry.file);
      if (existsSync(old) && !readFileSync(old).equals(bytes)) {
        throw new Error(`${entry.file} would change: an old golden file never does`);
      }
      entry.sha256 = createHash('sha256').update(bytes).digest('hex');
    }
    const names = new Set(files.map(({ file }) => file));
    mkdirSync(folder, { recursive: true });
    for (const file of readdirSync(folder)) {
      if (file.endsWith('.tamis') && !names.has(file)) {
        throw new Error(`${file} would go: an old golden file never does`);
      }
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

writeGolden('v1');
writeGolden('v1/url', 'url');
