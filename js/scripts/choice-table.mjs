// The first table of README.md's "Which filter?": what suggestFilter says to common needs.

import { suggestFilter } from 'tamis';

const capacity = 1_000_000;

/** What somebody has, and how suggestFilter is told so. */
const rows = [
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

const literal = (value) =>
  value === true || value < 10_000 ? value : value.toLocaleString('en-US').replaceAll(',', '_');

/** The needs as a program writes them, without the capacity where that is the table's. */
function written(needs) {
  const names = Object.keys(needs).filter(
    (name, _, { length }) => name !== 'capacity' || length === 1,
  );
  return names.map((name) => `${name}: ${literal(needs[name])}`).join(', ');
}

function row([what, needs]) {
  const { type, className, bitsPerKey, fpr } = suggestFilter(needs);
  const more = type === 'scalable-bloom' ? ', later up to 48' : fpr === 0 ? ', exact' : '';
  const bits = `${bitsPerKey.toFixed(bitsPerKey < 100 ? 1 : 0)}${more}`;
  return [what, `\`${written(needs)}\``, `\`${className}\``, bits, ...abilities[className]];
}

/** The table, in Markdown. */
export function choiceTable() {
  const head = ['You have', '`suggestFilter` is told', 'Class', 'Bits per key', 'Delete', 'Merge'];
  const lines = [head, head.map(() => '---'), ...rows.map(row)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
