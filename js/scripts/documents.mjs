// Writes what documents take from programs, between `<!-- name:start -->` and `<!-- name:end -->`: README.md's figures
// and its chart from the saved bench, its choice of filters from the built package, and the bench's own README.md.
//
//   node js/scripts/documents.mjs [--check]
//
// With --check it writes nothing, and fails where a document says something else.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './run.mjs';

/** Brings a file up to date, or, with `check`, says that it is not, and what to run. */
function update(name, content, { check, command }) {
  const path = join(root, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return;
  if (check) {
    process.stderr.write(`${name} is out of date: run \`${command}\`\n`);
    process.exitCode = 1;
    return;
  }
  writeFileSync(path, content);
  process.stdout.write(`${name}: written\n`);
}

/** Brings the blocks of a document up to date, content by name; an error where its markers are not there once. */
export function updateBlocks(name, blocks, how) {
  let text = readFileSync(join(root, name), 'utf8');
  for (const [block, content] of Object.entries(blocks)) {
    const [start, end] = [`<!-- ${block}:start -->`, `<!-- ${block}:end -->`];
    const parts = text.split(start);
    const tail = parts[1]?.split(end);
    if (parts.length !== 2 || tail.length !== 2) {
      throw new Error(`${name}: expected ${start} ... ${end}, once`);
    }
    text = `${parts[0]}${start}\n\n${content.trim()}\n\n${end}${tail[1]}`;
  }
  update(name, text, how);
}

const capacity = 1_000_000;
/** What somebody has, and how suggestFilter is told so. */
const needs = [
  ['a thousand keys or fewer, all in one process', { capacity: 1000 }],
  ['keys that come one by one and stay', { capacity }],
  ["the same, more than a processor's cache holds", { capacity: 3 * capacity }],
  ['keys that come and go', { capacity, deletes: true }],
  ['no idea how many keys will come', { capacity, grows: true }],
  ['a list that is known whole: built once, and shipped', { capacity, static: true }],
  [
    'the same, and a list of all the others that will be asked for',
    { capacity, static: true, universe: 10 * capacity },
  ],
  ['the same, with a number for each key', { capacity, static: true, values: 8 }],
  ['a number for each key, and it changes', { capacity, values: 8 }],
  ['elements that can be numbered, many of them present', { capacity, universe: 5 * capacity }],
];
const builtOnce = ['no (built once)', 'no (built once)'];
/** Delete, merge. */
const abilities = {
  Set: ['yes', '-'],
  Map: ['yes', '-'],
  BloomFilter: ['no', 'yes'],
  BlockedBloomFilter: ['no', 'yes'],
  CuckooFilter: ['yes', 'no'],
  ScalableBloomFilter: ['no', 'no'],
  RibbonFilter: builtOnce,
  ExactFilter: builtOnce,
  BloomierMap: builtOnce,
  BitArray: ['yes', 'yes'],
};

/** Needs as a program writes them, without the capacity where that is the table's. */
function written(need) {
  const literal = (value) =>
    value === true || value < 10_000 ? value : value.toLocaleString('en-US').replaceAll(',', '_');
  const names = Object.keys(need).filter((name, _, all) => name !== 'capacity' || all.length === 1);
  return names.map((name) => `${name}: ${literal(need[name])}`).join(', ');
}

async function main(check) {
  const { suggestFilter } = await import('tamis');
  const { chart } = await import('../bench/chart.mjs');
  const { headline, TABLES, table } = await import('../bench/report.mjs');
  const results = (part) =>
    JSON.parse(readFileSync(join(root, `js/bench/results/${part}.json`), 'utf8'));

  const choice = needs.map(([what, need]) => {
    const { type, className, bitsPerKey, fpr } = suggestFilter(need);
    const more = type === 'scalable-bloom' ? ', later up to 48' : fpr === 0 ? ', exact' : '';
    const bits = `${bitsPerKey.toFixed(bitsPerKey < 100 ? 1 : 0)}${more}`;
    return [what, `\`${written(need)}\``, `\`${className}\``, bits, ...abilities[className]];
  });
  const head = ['You have', '`suggestFilter` is told', 'Class', 'Bits per key', 'Delete', 'Merge'];
  const blocks = { headline: headline(results('comparison')), choice: table(head, choice) };
  for (const part of ['comparison', 'dynamic', 'static', 'url', 'accuracy', 'ratio']) {
    blocks[`bench-${part}`] = TABLES[part](results(part));
  }
  const how = { check, command: 'node js/scripts/documents.mjs' };
  updateBlocks('README.md', blocks, how);
  update('js/bench/results/bits-per-key.svg', chart(results('accuracy')), how);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await main(process.argv.includes('--check'));
