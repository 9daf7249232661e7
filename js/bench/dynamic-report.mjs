// The second part's results as tables: the one on the terminal, the one in README.md, the figures.

import { DYNAMIC, labelOf, PAIRS } from './dynamic-contenders.mjs';
import { insideBinomialBound, number, percent, ratio, table, time } from './report.mjs';

const inPart = (part) => Object.keys(DYNAMIC).filter((name) => DYNAMIC[name].part === part);
const best = ({ contenders }, name, measure) => contenders[name].times[measure].min;
const bitsPerKey = ({ counts }) => (8 * counts.sizeBytes) / counts.held;
const rateOf = ({ counts }) => counts.falsePositives / counts.asked;

/** `12 (13), 1.2x`: minimum, median, and the minimum as a multiple of the other's. */
function cell(own, other, measure) {
  const times = own.times[measure];
  if (times === undefined) return '-';
  const text = `${time(times.min, 'ns')} (${time(times.median, 'ns')})`;
  const base = other?.times[measure];
  return base === undefined || own === other ? text : `${text}, ${ratio(times.min, base.min)}`;
}

function lost({ counts: { falseNegatives, refused = 0 } }) {
  const text = number(falseNegatives, 0);
  return refused === 0 ? text : `${text}, of which ${number(refused, 0)} were refused`;
}

const rates = (own) => `${percent(rateOf(own))} of ${percent(own.counts.designedRate)}`;

const COLUMNS = [
  ['build', '`add(string)`'],
  ['hit', '`has(string)`, present'],
  ['miss', 'absent'],
  ['hashedHit', '`hasHashes`, present'],
  ['hashedMiss', 'absent'],
  ['delete', '`delete(string)`'],
];

/** One row a class: bits, nanoseconds, the rate measured of the designed. */
function filterTable({ contenders }) {
  const head = ['', 'bits per key', ...COLUMNS.map(([, label]) => label)];
  const rows = inPart('filter').map((name) => {
    const own = contenders[name];
    return [
      labelOf(DYNAMIC[name]),
      number(bitsPerKey(own), 1),
      ...COLUMNS.map(([measure]) => cell(own, contenders.bloom, measure)),
      rates(own),
      lost(own),
    ];
  });
  return table([...head, 'strangers that pass, of designed', 'false negatives'], rows);
}

function largeTable({ contenders }) {
  const rows = inPart('large').map((name) => {
    const own = contenders[name];
    const base = contenders['bloom@large'];
    return [
      `${labelOf(DYNAMIC[name])}, ${number(own.counts.keys, 0)} keys`,
      number(bitsPerKey(own), 1),
      ...['build', 'hashedHit', 'hashedMiss'].map((measure) => cell(own, base, measure)),
      rates(own),
      lost(own),
    ];
  });
  const head = ['', 'bits per key', '`addHashes`', '`hasHashes`, present', 'absent'];
  return table([...head, 'strangers that pass, of designed', 'false negatives'], rows);
}

/** tamis and bloom-filters, class by class. */
function pairTable({ contenders, versions }) {
  const rows = inPart('pair').map((name) => {
    const { module, type, growsFrom } = DYNAMIC[name];
    const own = contenders[name];
    const base = contenders[name.replace(module, 'tamis')];
    const keys = number(own.counts.keys, 0);
    const grown = growsFrom ? `, made for ${number(own.counts.keys / growsFrom, 0)}` : '';
    return [
      `\`${type}\` of ${module} ${versions[module]}, ${keys} keys${grown}`,
      ...['build', 'hit', 'miss'].map((measure) => cell(own, base, measure)),
      rates(own),
      lost(own),
    ];
  });
  const head = ['', '`add`', '`has`, present', 'absent'];
  return table([...head, 'strangers that pass, of designed', 'false negatives'], rows);
}

function sketchLine({ contenders: { iblt } }) {
  const { counts, times } = iblt;
  const { differences, keys, sizeBytes, isRight } = counts;
  const ns = (measure) => `${time(times[measure].min, 'ns')} ns`;
  return (
    `\`InvertibleBloomTable\` for ${number(differences, 0)} differences: ` +
    `${number(sizeBytes / differences, 0)} bytes each; \`add(string)\` ${ns('build')}, ` +
    `\`delete(string)\` ${ns('delete')}; \`subtract\` and \`decode\` of two tables of ` +
    `${number(keys, 0)} keys of 16 bytes ${ns('decode')} per difference, ` +
    `${isRight ? 'all' : 'NOT all'} of them listed.`
  );
}

const origin = ({ keys, rounds, pairRounds, averageKeyBytes, cpu, runtime, date, commit }) =>
  `${number(keys, 0)} keys at 1 % unless a row says more: URLs of ${averageKeyBytes} bytes on average, as ` +
  'new strings; `hasHashes`: hashed beforehand. Nanoseconds per key: minimum (median) of ' +
  `${rounds} interleaved rounds (against bloom-filters: ${pairRounds}), and the minimum as a multiple of ` +
  `\`BloomFilter\`'s (there: of tamis'). ${cpu}, ${runtime}, ` +
  `${date.slice(0, 10)}, commit ${commit.slice(0, 12)}.`;

export const dynamicTables = (results) =>
  [filterTable, largeTable, pairTable, sketchLine, origin]
    .map((part) => part(results))
    .join('\n\n');

/** The share of the keys that could be deleted, by load and width of region. */
export function curveTable({ deletable: { keys, fpr, loads, curves } }) {
  const head = ['load', ...curves.map(({ regionBits }) => `regions of ${regionBits} bits`)];
  const whole = (value) => `${number(value * 100, 0)} %`;
  const rows = loads.map((load, i) => [
    whole(load),
    ...curves.map(({ shares }) => `${number(shares[i] * 100, 1)} %`),
  ]);
  const memory = ['bits per key', ...curves.map((curve) => number(curve.bitsPerKey, 1))];
  const filter = `DeletableBloomFilter of ${number(keys, 0)} keys at ${whole(fpr)}`;
  return `${filter}: keys that could be deleted\n\n${table(head, [...rows, memory])}`;
}

/** The figures that these filters are held to: what, bound as text, what was measured, reached or not. */
export function dynamicFigures(results) {
  const { contenders, refused } = results;
  const rows = [];
  const atMost = (what, got, bound, unit = '', digits = 1) =>
    rows.push({
      what,
      bound: `<= ${bound}${unit}`,
      got: `${number(got, digits)}${unit}`,
      reached: got <= bound,
    });
  const atLeast = (what, got, bound, unit = '', digits = 2) =>
    rows.push({
      what,
      bound: `>= ${bound}${unit}`,
      got: `${number(got, digits)}${unit}`,
      reached: got >= bound,
    });
  const of = (name, measure) => best(results, name, measure);

  for (const [measure, word] of [
    ['Hit', 'present'],
    ['Miss', 'absent'],
  ]) {
    const hashed = `hashed${measure}`;
    const single = measure.toLowerCase();
    atMost(`CuckooFilter, 12-bit: hasHashes, ${word}`, of('cuckoo-12', hashed), 14, ' ns');
    atMost(
      `CuckooFilter, 12-bit: has(string), ${word}, of BloomFilter's`,
      of('cuckoo-12', single) / of('bloom', single),
      1.15,
      'x',
      2,
    );
    atMost(`BlockedBloomFilter: hasHashes, ${word}`, of('blocked-bloom', hashed), 9, ' ns');
    atLeast(
      `BlockedBloomFilter, 10 times the keys: hasHashes, ${word}, ahead of BloomFilter`,
      of('bloom@large', hashed) / of('blocked-bloom@large', hashed),
      1,
      'x',
    );
  }
  const cuckoo = contenders['cuckoo-12'];
  atMost('CuckooFilter, 12-bit: bits per key', bitsPerKey(cuckoo), 12.8, '', 2);
  atLeast(
    'CuckooFilter, 12-bit: load at the first refusal',
    refused['cuckoo-12'].loadFactor,
    0.95,
    '',
    3,
  );
  atMost(
    'DLeftCountingFilter: bits, of 4-bit CountingBloomFilter',
    bitsPerKey(contenders['d-left-counting']) / bitsPerKey(contenders['counting-bloom']),
    0.5,
    'x',
    2,
  );
  for (const [name, { type }] of Object.entries(PAIRS)) {
    for (const [measure, word] of [
      ['build', 'add'],
      ['hit', 'has, present'],
      ['miss', 'has, absent'],
    ]) {
      const factor = of(`${name}@bloom-filters`, measure) / of(`${name}@tamis`, measure);
      atLeast(`${type} against bloom-filters: ${word}`, factor, 100, 'x', 0);
    }
  }

  const own = Object.keys(DYNAMIC).filter((name) => DYNAMIC[name].module === 'tamis');
  const filters = own.filter((name) => DYNAMIC[name].part !== 'sketch');
  const missed =
    filters.reduce((sum, name) => sum + contenders[name].counts.falseNegatives, 0) +
    Object.values(refused).reduce((sum, { falseNegatives }) => sum + falseNegatives, 0);
  rows.push({
    what: 'false negatives, all filters, also after deletes (tombstones: before) and refusals',
    bound: '0',
    got: number(missed, 0),
    reached: missed === 0,
  });
  const above = filters.filter((name) => {
    const { falsePositives, asked, designedRate } = contenders[name].counts;
    const isBelow = falsePositives / asked <= designedRate;
    return !isBelow && !insideBinomialBound(falsePositives, asked, designedRate);
  });
  rows.push({
    what: 'false-positive rates above the designed ones, beyond the binomial bound',
    bound: 'none',
    got: above.join(', ') || 'none',
    reached: above.length === 0,
  });
  rows.push({
    what: 'false or missing keys in what InvertibleBloomTable lists',
    bound: 'none',
    got: contenders.iblt.counts.isRight ? 'none' : 'some',
    reached: contenders.iblt.counts.isRight,
  });
  return rows;
}
