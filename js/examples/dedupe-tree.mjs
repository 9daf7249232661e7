// A store that keeps each block once, as Venti's does. Files are cut into blocks, a block's address is
// its SHA-256, and an index on disk names the stored blocks. Most blocks are new, and a filter in memory recognises
// nearly all new blocks without a look-up in the index.
//
//   node js/examples/dedupe-tree.mjs [FOLDER]       (default: node_modules)
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BloomFilter } from 'tamis';
import { count, percent, printTable } from './figures.mjs';

const BLOCK = 8192;
const FPR = 0.01;

const folder = process.argv[2] ?? fileURLToPath(new URL('../../node_modules', import.meta.url));
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();
const most = files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / BLOCK), 0);
if (most === 0) throw new Error(`${folder} has no file with content`);
const filter = new BloomFilter({ capacity: most, fpr: FPR });
const index = new Set(); // stands in for the index on disk, where each look-up is a seek
const all = { blocks: 0, bytes: 0 };
const twice = { blocks: 0, bytes: 0 };
let lookUps = 0;
let missed = 0;

function store(block) {
  const address = createHash('sha256').update(block).digest();
  const name = address.toString('latin1');
  const isStored = index.has(name); // for the tally: the store itself looks up in the filter first
  all.blocks++;
  all.bytes += block.length;
  if (isStored) {
    twice.blocks++;
    twice.bytes += block.length;
  }
  // add returns true if the address is certainly new: then no look-up is needed.
  const isNew = filter.add(address);
  if (!isNew) lookUps++;
  if (isNew && isStored) missed++;
  index.add(name);
}

for (const file of files) {
  const bytes = readFileSync(file);
  for (let at = 0; at < bytes.length; at += BLOCK) store(bytes.subarray(at, at + BLOCK));
}
assert.equal(missed, 0, 'no stored block is taken for new');

printTable(`${count(files.length)} files in blocks of ${count(BLOCK)} bytes`, [
  ['blocks', count(all.blocks)],
  ['bytes', count(all.bytes)],
  ['duplicate blocks', count(twice.blocks), percent(twice.blocks / all.blocks)],
  ['duplicate bytes', count(twice.bytes), percent(twice.bytes / all.bytes)],
  ['bytes of the filter', count(filter.sizeBytes)],
  ['index look-ups without the filter', count(all.blocks)],
  ['index look-ups with the filter', count(lookUps)],
  ['look-ups saved', count(all.blocks - lookUps), percent(1 - lookUps / all.blocks)],
  ['look-ups in vain', count(lookUps - twice.blocks)],
  ['stored blocks taken for new', count(missed)],
]);
