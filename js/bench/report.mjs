// From the saved results to tables: the one on the terminal, the one in README.md, the figures.

import { CONTENDERS } from './contenders.mjs';

const ALPHA = 1e-9;

/** The rows that hold times: measure, what it is, unit. */
const TIMES = [
  ['build', '`add(string)`', 'ns'],
  ['hit', '`has(string)`, present', 'ns'],
  ['miss', '`has(string)`, absent', 'ns'],
  ['addMany', '`addMany(strings)`, per key', 'ns'],
  ['hasManyHit', '`hasMany(strings)`, present, per key', 'ns'],
  ['hasManyMiss', '`hasMany(strings)`, absent, per key', 'ns'],
  ['keysFromLines', '`keysFromLines`, per line', 'ns'],
  ['hasManyPackedHit', '`hasMany(packed)`, present, per key', 'ns'],
  ['hasManyPackedMiss', '`hasMany(packed)`, absent, per key', 'ns'],
  ['store', 'to bytes or JSON', 'ms'],
  ['load', 'from bytes or JSON', 'ms'],
  ['first', 'import and first filter', 'ms'],
];

export const number = (value, digits) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
export const time = (value, unit) =>
  number(value, unit === 'ns' || value >= 100 ? 0 : value >= 10 ? 1 : 2);
export const percent = (value) => `${number(value * 100, 3)} %`;

/** `1.8x`: how many times the other figure this is. */
export const ratio = (value, own) => `${number(value / own, value / own < 10 ? 1 : 0)}x`;

/**
 * True when `hits` of `asked` is no surprise for the rate `rate`: the Chernoff bound of a binomial
 * tail that far out is not below ALPHA / 2 on its side.
 */
export function insideBinomialBound(hits, asked, rate) {
  const seen = hits / asked;
  const term = (part, whole) => (part === 0 ? 0 : part * Math.log(part / whole));
  const divergence = term(seen, rate) + term(1 - seen, 1 - rate);
  return asked * divergence <= Math.log(2 / ALPHA);
}

/** The figures that tamis is held to: what, bound as text, what was measured, reached or not. */
export function figures({ contenders }) {
  const tamis = contenders.tamis;
  const best = (measure, name = 'tamis') => contenders[name].times[measure].min;
  const rows = [];
  const atMost = (what, got, bound, unit) =>
    rows.push({
      what,
      bound: `<= ${bound} ${unit}`,
      got: `${time(got, unit)} ${unit}`,
      reached: got <= bound,
    });
  const atLeast = (what, got, bound) =>
    rows.push({ what, bound: `>= ${bound}x`, got: `${number(got, 2)}x`, reached: got >= bound });

  for (const [measure, word] of [
    ['hit', 'present'],
    ['miss', 'absent'],
  ]) {
    atMost(`has(string), ${word}`, best(measure), 105, 'ns');
    atLeast(
      `has(string), ${word}, against bloomfilter`,
      best(measure, 'bloomfilter') / best(measure),
      1.6,
    );
    atLeast(`has(string), ${word}, against Set`, best(measure, 'set') / best(measure), 4);
  }
  atMost('hasMany(strings), present', best('hasManyHit'), 75, 'ns');
  atMost('hasMany(strings), absent', best('hasManyMiss'), 75, 'ns');
  atMost('hasMany(packed), present', best('hasManyPackedHit'), 40, 'ns');
  atMost('hasMany(packed), absent', best('hasManyPackedMiss'), 40, 'ns');
  atMost('keysFromLines, per line', best('keysFromLines'), 15, 'ns');
  atMost('addMany(strings)', best('addMany'), 90, 'ns');
  atMost('toBytes, 1.2 MB', best('store'), 1.5, 'ms');
  atMost('fromBytes, 1.2 MB', best('load'), 3, 'ms');
  atMost('import and first filter', best('first'), 14, 'ms');
  const { gzipBytes } = tamis;
  rows.push({
    what: 'minified and gzipped, wasm inside',
    bound: '<= 46 kB',
    got: `${number(gzipBytes / 1000, 1)} kB`,
    reached: gzipBytes <= 46_000,
  });
  const { falseNegatives, falsePositives, keys, designedRate } = tamis.counts;
  rows.push({
    what: 'false negatives',
    bound: '0',
    got: String(falseNegatives),
    reached: falseNegatives === 0,
  });
  rows.push({
    what: 'false-positive rate',
    bound: `${percent(designedRate)} within the binomial bound`,
    got: percent(falsePositives / keys),
    reached: insideBinomialBound(falsePositives, keys, designedRate),
  });
  return rows;
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** One row per measure, one column per contender: `min (median), ratio to tamis`. */
export function comparison({ contenders }) {
  const names = Object.keys(CONTENDERS);
  const own = contenders.tamis;
  const row = (label, value) => [
    label,
    ...names.map((name) => value(contenders[name], name) ?? '-'),
  ];
  const times = TIMES.map(([measure, label, unit]) =>
    row(`${label}, ${unit}`, ({ times }, name) => {
      if (times[measure] === undefined) return undefined;
      const { min, median } = times[measure];
      const text = `${time(min, unit)} (${time(median, unit)})`;
      return name === 'tamis' ? text : `${text}, ${ratio(min, own.times[measure].min)}`;
    }),
  );
  const counted = [
    row('keys', ({ counts }) => number(counts.keys, 0)),
    row('bytes on the wire', ({ counts }) => number(counts.wireBytes, 0)),
    row('bytes on the wire per key', ({ counts }) => number(counts.wireBytes / counts.keys, 2)),
    row('false negatives', ({ counts }) => number(counts.falseNegatives, 0)),
    row('false-positive rate', ({ counts }) => percent(counts.falsePositives / counts.keys)),
    row('min + gzip of the package, bytes', ({ gzipBytes }) => gzipBytes && number(gzipBytes, 0)),
  ];
  const heads = names.map((name) => {
    const { version, counts } = contenders[name];
    const keys = counts.keys === own.counts.keys ? '' : `, ${number(counts.keys, 0)} keys only`;
    return `${CONTENDERS[name].label}${version === null ? '' : ` ${version}`}${keys}`;
  });
  return table(['', ...heads], [...counted.slice(0, 1), ...times, ...counted.slice(1)]);
}

export const figureTable = (rows) =>
  table(
    ['figure', 'bound', 'measured', ''],
    rows.map((row) => [row.what, row.bound, row.got, row.reached ? 'reached' : 'NOT reached']),
  );

/** Where and when: one sentence under the table. */
export const origin = ({ date, cpu, runtime, commit, rounds, averageKeyBytes }) =>
  `Keys: URLs of ${averageKeyBytes} bytes on average, as new strings. Each cell: minimum (median) of ` +
  `${rounds} interleaved rounds, and the minimum as a multiple of tamis'. ${cpu}, ${runtime}, ` +
  `${date.slice(0, 10)}, commit ${commit.slice(0, 12)}.`;

/** The three numbers at the head of the README. */
export function headline({ contenders }) {
  const { times, counts, gzipBytes } = contenders.tamis;
  const slowest = Math.max(times.hit.min, times.miss.min);
  return [
    `- **${number(gzipBytes / 1000, 1)} kB** minified and gzipped, WebAssembly inside, no dependencies.`,
    `- **${time(slowest, 'ns')} ns** for \`has(url)\` in a filter of ${number(counts.keys, 0)} keys.`,
    `- **${percent(counts.falsePositives / counts.keys)}** of ${number(counts.keys, 0)} strangers pass a filter ` +
      `designed for ${percent(counts.designedRate)}; false negatives: ${counts.falseNegatives}.`,
  ].join('\n');
}
