// Seeds for the fuzz targets: each golden file of tests/vectors behind the first bytes by which
// from_bytes.cpp reads it as its own type, and as one other; and for model.cpp the same files as streams
// of operations.
//
//   node cpp/fuzz/make-corpus.mjs FOLDER     writes FOLDER/from_bytes and FOLDER/model
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node cpp/fuzz/make-corpus.mjs FOLDER');
  process.exit(2);
}
const vectors = fileURLToPath(new URL('../../tests/vectors/v1/', import.meta.url));
const registry = readFileSync(new URL('../include/tamis/filters.def', import.meta.url), 'utf8');
const slugs = [...registry.matchAll(/^TAMIS_FILTER\(\w+, "([\w-]+)"/gm)].map((found) => found[1]);
const LARGEST = 4096; // bytes; larger seeds only slow the fuzzer down
const MODES = 3;

const { files } = JSON.parse(readFileSync(join(vectors, 'manifest.json'), 'utf8'));
if (files.length === 0) throw new Error(`no golden files in ${vectors}`);
for (const target of ['from_bytes', 'model']) mkdirSync(join(folder, target), { recursive: true });
for (const [i, { file, type }] of files.entries()) {
  const bytes = readFileSync(join(vectors, file));
  if (bytes.length > LARGEST) continue;
  const own = slugs.indexOf(type);
  for (const which of new Set([own, i % slugs.length])) {
    for (let mode = 0; mode < MODES; mode += 1) {
      const first = which * MODES + mode;
      const seed = Buffer.concat([Buffer.of(first), bytes]);
      writeFileSync(join(folder, 'from_bytes', `${basename(file, '.tamis')}-${first}`), seed);
    }
  }
  writeFileSync(join(folder, 'model', basename(file, '.tamis')), bytes);
}
