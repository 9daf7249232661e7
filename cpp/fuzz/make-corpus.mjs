// Seeds for the fuzz targets: each golden file of tests/vectors behind each first byte that
// from_bytes.cpp understands, and for model.cpp the same files as streams of operations.
//
//   node cpp/fuzz/make-corpus.mjs FOLDER     writes FOLDER/from_bytes and FOLDER/model
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node cpp/fuzz/make-corpus.mjs FOLDER');
  process.exit(2);
}
const vectors = fileURLToPath(new URL('../../tests/vectors/', import.meta.url));
const registry = readFileSync(new URL('../include/tamis/filters.def', import.meta.url), 'utf8');
const types = registry.match(/^TAMIS_FILTER\(/gm).length;
const LARGEST = 4096; // bytes; larger seeds only slow the fuzzer down
const MODES = 3;

const files = readdirSync(vectors, { recursive: true }).filter((name) => name.endsWith('.tamis'));
if (files.length === 0) throw new Error(`no golden files (*.tamis) in ${vectors}`);
for (const target of ['from_bytes', 'model']) mkdirSync(join(folder, target), { recursive: true });
for (const name of files) {
  const bytes = readFileSync(join(vectors, name));
  if (bytes.length > LARGEST) continue;
  for (let first = 0; first < types * MODES; first += 1) {
    const seed = Buffer.concat([Buffer.of(first), bytes]);
    writeFileSync(join(folder, 'from_bytes', `${basename(name, '.tamis')}-${first}`), seed);
  }
  writeFileSync(join(folder, 'model', basename(name, '.tamis')), bytes);
}
