// The third part's results as tables: the one on the terminal, the one in README.md, the figures.

import { insideBinomialBound, number, percent, table, time } from './report.mjs';
import { labelOf, STATIC } from './static-contenders.mjs';

const inPart = (...parts) =>
  Object.keys(STATIC).filter((name) => parts.includes(STATIC[name].part));
const bitsPerKey = ({ counts }) => (8 * counts.payloadBytes) / counts.keys;
const rateOf = ({ counts }) => counts.falsePositives / counts.asked;

const TIMES = [
  ['build', '`from(strings)`', 'ns'],
  ['buildPacked', '`from(packed)`', 'ns'],
  ['buildHashed', '`fromHashes`', 'ns'],
  ['buildFirst', 'the same, first of the process', 'ns'],
  ['hit', '`has(string)`, present', 'ns'],
  ['miss', '`has(string)`, absent', 'ns'],
  ['manyHit', '`hasMany(strings)`, present', 'ns'],
  ['manyMiss', '`hasMany(strings)`, absent', 'ns'],
  ['hashedHit', '`hasHashes`, present', 'ns'],
  ['hashedMiss', '`hasHashes`, absent', 'ns'],
  ['store', 'to bytes or JSON', 'ms'],
  ['load', 'from bytes or JSON', 'ms'],
];

function cell({ times }, measure, unit) {
  if (times[measure] === undefined) return '-';
  const text = (value) => (unit === 'ns' && value < 50 ? number(value, 1) : time(value, unit));
  return `${text(times[measure].min)} (${text(times[measure].median)})`;
}

/** Strangers that pass; none of the excluded may. */
const rates = (own) =>
  own.counts.designedRate === 0
    ? `${own.counts.falsePositives} of ${number(own.counts.asked, 0)}`
    : `${percent(rateOf(own))} of ${percent(own.counts.designedRate)}`;

/** One row a measure, one column a class. */
function filterTable({ contenders }) {
  const names = inPart('filter', 'map', 'exact');
  const row = (label, value) => [label, ...names.map((name) => value(contenders[name]))];
  return table(
    ['', ...names.map((name) => labelOf(STATIC[name]))],
    [
      row('bits per key', (own) => number(bitsPerKey(own), 2)),
      ...TIMES.map(([measure, label, unit]) =>
        row(`${label}, ${unit}`, (own) => cell(own, measure, unit)),
      ),
      row('bytes on the wire', ({ counts }) => number(counts.wireBytes, 0)),
      row('strangers that pass, of designed', rates),
      row('false negatives', ({ counts }) => number(counts.falseNegatives, 0)),
    ],
  );
}

function largeTable({ contenders }) {
  const rows = inPart('large').map((name) => {
    const own = contenders[name];
    return [
      `${labelOf(STATIC[name])}, ${number(own.counts.keys, 0)} keys`,
      number(bitsPerKey(own), 2),
      ...['buildHashed', 'hashedHit', 'hashedMiss'].map((measure) => cell(own, measure, 'ns')),
      rates(own),
      number(own.counts.falseNegatives, 0),
    ];
  });
  const head = ['', 'bits per key', '`fromHashes`', '`hasHashes`, present', 'absent'];
  return table([...head, 'strangers that pass, of designed', 'false negatives'], rows);
}

function universeLine({ contenders }) {
  const own = contenders['exact@universe'];
  const { counts, times } = own;
  const seconds = (times.buildPacked.min * (counts.keys + counts.excluded)) / 1e9;
  const wrong = counts.falseNegatives + counts.falsePositives;
  return (
    `\`ExactFilter\` of ${number(counts.keys, 0)} included and ${number(counts.excluded, 0)} excluded keys of ` +
    `16 characters: ${number(bitsPerKey(own), 2)} bits per included key, ` +
    `${number(counts.wireBytes, 0)} bytes; built from packed keys in ${number(seconds, 2)} s; ` +
    `\`hasMany(packed)\` ${cell(own, 'packedHit', 'ns')} ns a key for the included, ` +
    `${cell(own, 'packedMiss', 'ns')} for the excluded; ${wrong === 0 ? 'no' : number(wrong, 0)} wrong answers.`
  );
}

const origin = ({
  keys,
  rounds,
  fewRounds,
  averageKeyBytes,
  versions,
  cpu,
  runtime,
  date,
  commit,
}) =>
  `${number(keys, 0)} keys: URLs of ${averageKeyBytes} bytes on average, as new strings; hashed beforehand for ` +
  '`fromHashes` and `hasHashes`. `ExactFilter` includes a tenth of them and excludes all strangers: bits per ' +
  'included key, builds per key of both. `BloomierMap`: `get` and `getMany`; 8 more bits tell strangers. ' +
  `binary-fuse-filter ${versions['binary-fuse-filter']} takes numbers: tamis' \`hashKey\` hashes for it, and ` +
  `its bits are those of its fingerprints. Nanoseconds per key: minimum (median) of ${rounds} interleaved ` +
  `rounds, ${fewRounds} for that package and for ten times the keys. ${cpu}, ${runtime}, ${date.slice(0, 10)}, ` +
  `commit ${commit.slice(0, 12)}.`;

export const staticTables = (results) =>
  [filterTable, largeTable, universeLine, origin].map((part) => part(results)).join('\n\n');

/** The figures that these are held to: what, bound as text, what was measured, reached or not. */
export function staticFigures({ contenders }) {
  const rows = [];
  const atMost = (what, got, bound, unit = '', digits = 1) =>
    rows.push({
      what,
      bound: `<= ${bound}${unit}`,
      got: `${number(got, digits)}${unit}`,
      reached: got <= bound,
    });
  const best = (name, measure) => contenders[name].times[measure].min;

  atMost('RibbonFilter, 8 bits: hasHashes, present', best('ribbon8', 'hashedHit'), 14, ' ns');
  atMost('RibbonFilter, 8 bits: hasHashes, absent', best('ribbon8', 'hashedMiss'), 14, ' ns');
  atMost('RibbonFilter, 8 bits: fromHashes', best('ribbon8', 'buildHashed'), 200, ' ns');
  atMost('BinaryFuseFilter, 4-wise: hasHashes, present', best('fuse8', 'hashedHit'), 6, ' ns');
  atMost('BinaryFuseFilter, 4-wise: hasHashes, absent', best('fuse8', 'hashedMiss'), 6, ' ns');
  atMost('BinaryFuseFilter, 4-wise: fromHashes', best('fuse8', 'buildHashed'), 60, ' ns');
  atMost('BinaryFuseFilter, 4-wise: from(strings)', best('fuse8', 'build'), 180, ' ns');
  atMost('BinaryFuseFilter, 4-wise: bits per key', bitsPerKey(contenders.fuse8), 8.65, '', 3);
  atMost('BinaryFuseFilter, 3-wise: bits per key', bitsPerKey(contenders['fuse8-3']), 9.05, '', 3);
  const universe = contenders['exact@universe'];
  atMost(
    'ExactFilter, 1 % of the universe: bits per included key',
    bitsPerKey(universe),
    8.9,
    '',
    2,
  );
  const own = Object.keys(STATIC).filter((name) => STATIC[name].module === 'tamis');
  const built = own.filter((name) => STATIC[name].type !== 'BloomFilter');
  for (const name of built) {
    for (const [measure, what, bound] of [
      ['hit', 'has(string), present', 105],
      ['miss', 'has(string), absent', 105],
      ['manyHit', 'hasMany(strings), present', 70],
      ['manyMiss', 'hasMany(strings), absent', 70],
    ]) {
      if (contenders[name].times[measure] === undefined) continue;
      const label = labelOf(STATIC[name]).replaceAll('`', '');
      atMost(`${label}: ${what}`, best(name, measure), bound, ' ns', 0);
    }
  }

  const missed = own.reduce((sum, name) => sum + contenders[name].counts.falseNegatives, 0);
  rows.push({
    what: 'false negatives, and values that are wrong',
    bound: '0',
    got: number(missed, 0),
    reached: missed === 0,
  });
  const above = own.filter((name) => {
    const { falsePositives, asked, designedRate } = contenders[name].counts;
    if (falsePositives / asked <= designedRate) return false;
    return designedRate === 0 || !insideBinomialBound(falsePositives, asked, designedRate);
  });
  rows.push({
    what: 'false-positive rates above the designed ones, beyond the binomial bound; of ExactFilter any',
    bound: 'none',
    got: above.join(', ') || 'none',
    reached: above.length === 0,
  });
  return rows;
}
