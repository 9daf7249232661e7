// The tables of each part's results, for the terminal and docs/benchmarks.

import { CONTENDERS, inCpp, inTable, labelOf } from './contenders.mjs';
import { cell, kB, number, origin, percent, ratio, table, time } from './format.mjs';
import { UNTIMED } from './machine.mjs';
import { url } from './report-url.mjs';

/** The rounds, the machine and the day of a part's run. */
function source(part, results) {
  const { rounds, date, commit, compiler } = results;
  const head = rounds === undefined ? '' : `${rounds} interleaved rounds. `;
  if (UNTIMED.includes(part)) return origin({ date, commit });
  return head + origin({ ...results, ...(compiler && { runtime: compiler }) });
}

const bitsPerKey = ({ counts }) =>
  (8 * (counts.payloadBytes ?? counts.sizeBytes)) / (counts.held ?? counts.keys);

/** False positives. An exact filter has none among its excluded keys. */
function rates({ counts: { falsePositives, asked, designedRate } }) {
  if (designedRate === 0) return `${falsePositives} of ${number(asked)}`;
  return `${percent(falsePositives / asked)} of ${percent(designedRate)}`;
}

function lost({ counts: { falseNegatives, refused = 0 } }) {
  const text = number(falseNegatives);
  return refused === 0 ? text : `${text}, of which ${number(refused)} were refused`;
}

/** One row for each measure or count, one column for each contender. A row names its figure, and its way or unit. */
export const perRow = ({ contenders }, names, rows, { base, brief } = {}) =>
  rows.map(([label, shown, unit]) => [
    unit ? `${label}, ${unit}` : label,
    ...names.map((name) => {
      const own = contenders[name];
      return unit ? cell(own, shown, { unit, base: contenders[base], brief }) : shown(own, name);
    }),
  ]);

/** One row for each contender, one column for each measure. The rate and the missed keys come last. */
function perContender(contenders, names, columns, { label, baseOf, bits = true }) {
  const rows = names.map((name) => {
    const own = contenders[name];
    const base = contenders[baseOf(name)];
    return [
      label(name),
      ...(bits ? [number(bitsPerKey(own), bits)] : []),
      ...columns.map(([measure]) => cell(own, measure, { base })),
      rates(own),
      lost(own),
    ];
  });
  const heads = ['', ...(bits ? ['bits per key'] : []), ...columns.map(([, head]) => head)];
  return table([...heads, 'false positives, of designed', 'false negatives'], rows);
}

/** The columns of the comparison: names of contenders, and the heads of their columns. */
export function comparedColumns({ contenders, versions }) {
  const names = Object.keys(CONTENDERS.comparison);
  const heads = names.map((name) => {
    const { keys } = contenders[name].counts;
    const some = keys === contenders.tamis.counts.keys ? '' : `, ${number(keys)} keys only`;
    const { module } = CONTENDERS.comparison[name];
    const label = { tamis: 'tamis', set: 'JS `Set`' }[name] ?? `\`${module}\``;
    return `${label}${module ? ` ${versions[module]}` : ''}${some}`;
  });
  return { names, heads };
}

/** The rows of the comparison. */
export const COMPARED_ROWS = [
  ['keys', ({ counts }) => number(counts.keys)],
  ['`add(string)`', 'build', 'ns'],
  ['`has(string)`, present', 'hit', 'ns'],
  ['`has(string)`, absent', 'miss', 'ns'],
  ['`addMany(strings)`, per key', 'addMany', 'ns'],
  ['`hasMany(strings)`, present, per key', 'manyHit', 'ns'],
  ['`hasMany(strings)`, absent, per key', 'manyMiss', 'ns'],
  ['`keysFromLines`, per line', 'keysFromLines', 'ns'],
  ['`hasMany(packed)`, present, per key', 'packedHit', 'ns'],
  ['`hasMany(packed)`, absent, per key', 'packedMiss', 'ns'],
  ['to bytes or JSON', 'store', 'ms'],
  ['from bytes or JSON', 'load', 'ms'],
  ['import and first filter', 'first', 'ms'],
  ['bytes on the wire', ({ counts }) => number(counts.wireBytes)],
  ['bytes on the wire per key', ({ counts }) => number(counts.wireBytes / counts.keys, 2)],
  ['false negatives', lost],
  ['false-positive rate', ({ counts }) => percent(counts.falsePositives / counts.asked)],
];

function comparison(results) {
  const { names, heads } = comparedColumns(results);
  return [table(['', ...heads], perRow(results, names, COMPARED_ROWS, { base: 'tamis' }))];
}

const HASHED = [
  ['hashedHit', '`hasHashes`, present'],
  ['hashedMiss', 'absent'],
];
const largeTable = (part, contenders, { bits, built }) =>
  perContender(contenders, inTable(part, 'large'), [['buildHashed', built], ...HASHED], {
    bits,
    label: (name) =>
      `${labelOf(CONTENDERS[part][name])}, ${number(contenders[name].counts.keys)} keys`,
    baseOf: () => 'bloom@large',
  });

function dynamic(results) {
  const { contenders, versions } = results;
  const own = CONTENDERS.dynamic;
  const strings = [
    ['build', '`add(string)`'],
    ['hit', '`has(string)`, present'],
    ['miss', 'absent'],
  ];
  const hashed = [...HASHED, ['delete', '`delete(string)`']];
  const filters = perContender(contenders, inTable('dynamic'), [...strings, ...hashed], {
    bits: 1,
    label: (name) => labelOf(own[name]),
    baseOf: () => 'bloom',
  });
  const pairs = perContender(contenders, inTable('dynamic', 'pair'), strings, {
    bits: 0,
    label: (name) => {
      const { module, type, growsFrom } = own[name];
      const { counts } = contenders[name];
      const made = growsFrom ? `, made for ${number(counts.keys / growsFrom)}` : '';
      return `\`${type}\` of ${module} ${versions[module]}, ${number(counts.keys)} keys${made}`;
    },
    baseOf: (name) => name.replace(/@.*/, '@tamis'),
  });
  const large = largeTable('dynamic', contenders, { bits: 1, built: '`addHashes`' });
  const { counts, times } = contenders.iblt;
  const ns = (measure) => `${time(times[measure][0])} ns`;
  const sketch =
    `\`InvertibleBloomTable\` for ${number(counts.differences)} differences: ` +
    `${number(counts.sizeBytes / counts.differences)} bytes each. \`add(string)\` takes ${ns('build')}, ` +
    `\`delete(string)\` ${ns('delete')}. \`subtract\` and \`decode\` of two tables of ` +
    `${number(counts.keys)} keys of 16 bytes take ${ns('decode')} per difference, all of them listed.`;
  return [filters, large, pairs, sketch];
}

function static_(results) {
  const { contenders } = results;
  const names = inTable('static');
  const rows = [
    ['bits per key', (own) => number(bitsPerKey(own), 2)],
    ['`from(strings)`', 'build', 'ns'],
    ['`from(packed)`', 'buildPacked', 'ns'],
    ['`fromHashes`', 'buildHashed', 'ns'],
    ['`fromHashes`, first of the process', 'buildFirst', 'ns'],
    ['`has(string)`, present', 'hit', 'ns'],
    ['`has(string)`, absent', 'miss', 'ns'],
    ['`hasMany(strings)`, present', 'manyHit', 'ns'],
    ['`hasMany(strings)`, absent', 'manyMiss', 'ns'],
    ['`hasHashes`, present', 'hashedHit', 'ns'],
    ['`hasHashes`, absent', 'hashedMiss', 'ns'],
    ['to bytes or JSON', 'store', 'ms'],
    ['from bytes or JSON', 'load', 'ms'],
    ['bytes on the wire', ({ counts }) => number(counts.wireBytes)],
    ['false positives, of designed', rates],
    ['false negatives', lost],
  ];
  const large = largeTable('static', contenders, { bits: 2, built: '`fromHashes`' });
  const universe = contenders['exact@universe'];
  const { counts, times } = universe;
  const seconds = (times.buildPacked[0] * (counts.keys + counts.excluded)) / 1e9;
  const exact =
    `\`ExactFilter\` of ${number(counts.keys)} included and ${number(counts.excluded)} excluded keys of ` +
    `16 characters: ${number(bitsPerKey(universe), 2)} bits per included key, ` +
    `${number(counts.wireBytes)} bytes. It is built from packed keys in ${number(seconds, 2)} s. ` +
    `\`hasMany(packed)\` takes ${cell(universe, 'packedHit')} ns a key for the included, ` +
    `${cell(universe, 'packedMiss')} for the excluded, with no wrong answers.`;
  const heads = names.map((name) => labelOf(CONTENDERS.static[name]));
  return [table(['', ...heads], perRow(results, names, rows)), large, exact];
}

/** The bits that are used, as a multiple of the least possible. */
export const overhead = ({ payloadBytes, keys, designedRate }) =>
  (8 * payloadBytes) / (keys * Math.log2(1 / designedRate));

function accuracy({ types }) {
  const all = Object.values(types);
  const head = all[0].sizes.map(({ keys }) => `n = ${number(keys)}`);
  const rows = all.map(({ type, arity, sizes }) => [
    labelOf({ module: 'tamis', type, note: arity && `${arity}-wise` }),
    ...sizes.map((size) => number(overhead(size), 3)),
  ]);
  return [table(['bits, of n log2(1/FPR)', ...head], rows)];
}

/** A look-up by each rule, as a multiple of the default rule's, and the time to load a file. */
function interop({ times, files, twice }) {
  const rules = Object.entries(times).map(([name, [min, median]]) => [
    name === 'mcg' ? '`BloomFilter`' : `\`${name}\``,
    name === 'mcg' ? '-' : twice.includes(name) ? '2' : '1',
    `${time(min)} (${time(median)})`,
    `${number(min / times.mcg[0], 2)}x`,
  ]);
  const rows = Object.entries(files).map(([name, { bytes, ms }]) => [
    `\`${name}\``,
    number(bytes),
    number(ms, 1),
  ]);
  return [
    table(['rule', 'hashes of the key', '`has(string)`, ns', 'of `BloomFilter`'], rules),
    table(['codec', 'bytes', '`decode`, ms'], rows),
  ];
}

/** The cost of pages, beside that of one filter of the same number of keys. */
function pages({ asked, one, sets }) {
  const rows = sets.map(({ keys, seconds, peakMb, diskBytes, bytes, pageBytes, ...counts }) => [
    `\`tamis shard\`, ${number(keys)} keys`,
    number(seconds),
    number(peakMb),
    number(diskBytes / 1e9, 2),
    number((8 * bytes) / keys, 2),
    number(pageBytes),
    counts.falseNegatives,
    percent(counts.falsePositives / asked),
  ]);
  const label = `one \`RibbonFilter\`, ${number(one.keys)} keys`;
  const first = [label, number(one.seconds), number(one.peakMb), ...Array(5).fill('-')];
  const head = ['', 's', 'peak MB', 'disk, GB', 'bits a key', 'bytes a page', 'false negatives'];
  return [table([...head, 'false positives'], [first, ...rows])];
}

/** Keys per second, also as a multiple of the way with seven commands per key. */
function redis({ clients, hashes }) {
  const ways = { add: 'SETBIT', addMany: 'SETBIT', has: 'GETBIT', hasMany: 'GETBIT' };
  const rows = Object.entries(clients).flatMap(([client, rates]) =>
    Object.entries(ways).map(([method, command]) => {
      const other = rates[command.toLowerCase()];
      return [
        client,
        `\`${method}\``,
        number(rates[method]),
        `${hashes} ${command}: ${number(other)}`,
        ratio(rates[method], other),
      ];
    }),
  );
  return [table(['client', 'method', 'keys a second', 'by bits', 'ratio'], rows)];
}

const ACTS = {
  has: '`has(string)`',
  add: '`add(string)`',
  many: '`hasMany(strings)`',
  from: '`from(strings)`',
};
const SCRIPTS = { ascii: '', latin: ' of Latin-1', cjk: ' of CJK', mixed: ', 1 % of Latin-1' };
const PEERS = ['bloomfilter', 'set', 'bloom-filters'];

/** One row for each act and kind of string, one column for each engine: `own`, and the others as its multiples. */
function perEngine({ engines }, own, names) {
  const multiple = (other, base) => (other ? number(other[0] / base[0], 2) : '-');
  const { times: first } = engines[0];
  const rows = Object.keys(first).filter((row) => first[row][own]);
  const acts = Object.keys(ACTS);
  const actOf = (row) => acts.indexOf(row.split(' ')[0]);
  rows.sort((one, other) => actOf(one) - actOf(other));
  const labelOf = (row) => {
    const [act, length, script, keys] = row.split(' ');
    const some = keys === '1000000' ? '' : `, ${number(Number(keys))} keys`;
    return `${ACTS[act]}, ${length} characters${SCRIPTS[script]}${some}`;
  };
  return table(
    ['ns per string', ...engines.map(({ name }) => name)],
    rows.map((row) => [
      labelOf(row),
      ...engines.map(({ times }) => {
        const { [own]: base, ...others } = times[row];
        const shown = names.some((name) => others[name]) ? names : [];
        return [time(base[0]), ...shown.map((name) => multiple(others[name], base))].join(' / ');
      }),
    ]),
  );
}

/** tamis and its peers, by engine, and its reader beside the quickest peer. Then the build before, if it was measured. */
function browsers(results) {
  const isCompared = Object.values(results.engines[0].times).some(({ before }) => before);
  return [
    perEngine(results, 'tamis', PEERS),
    'tamis, and npm `bloomfilter` / `Set` / npm `bloom-filters` as multiples of it; a dash: it has no such thing.',
    perEngine(results, 'tamis/read', ['bloomfilter']),
    '`tamis/read`, and npm `bloomfilter` as a multiple of it.',
    ...(isCompared ? [perEngine(results, 'tamis', ['before'])] : []),
  ];
}

/** WebAssembly beside C++: hashes that are already there. The C++ has its best time, key by key or in a batch. */
function native({ contenders }) {
  const rows = Object.entries(CONTENDERS.native).map(([name, own]) => {
    const [wasm, cpp] = [name, inCpp(name)].map((one) => contenders[one].times);
    const cellOf = (measure, ...operations) => {
      const least = Math.min(...operations.map((operation) => cpp[operation]?.[0] ?? Infinity));
      const [first] = wasm[measure];
      return `${number(first, 1)} / ${number(least, 1)} = ${number(first / least, 2)}`;
    };
    return [
      labelOf(own),
      cellOf('hashedHit', 'hit', 'batch-hit'),
      cellOf('hashedMiss', 'miss', 'batch-miss'),
    ];
  });
  return [table(['wasm / native, ns per key', 'present', 'absent'], rows)];
}

const sizes = ({ sizes: all }) => {
  const rows = Object.entries(all).map(([name, { gzip, brotli }]) => [name, kB(gzip), kB(brotli)]);
  return [table(['import', 'min + gzip', 'min + brotli'], rows)];
};

/** The times of this build beside those of the build before. */
export function beforeTable(part, { contenders, rounds }) {
  const rows = [];
  for (const [name, { times }] of Object.entries(contenders)) {
    const { times: old } = contenders[`${name}, before`] ?? {};
    for (const measure of Object.keys(old ?? {})) {
      const [now, then] = [times[measure], old[measure]];
      rows.push([
        name,
        measure,
        time(then[0]),
        time(now[0]),
        ...now.map((ns, i) => number(ns / then[i], 2)),
      ]);
    }
  }
  const heads = [part, 'measure', 'before', 'after', 'minimum', 'median'];
  return `${table(heads, rows)}\n\nNanoseconds or milliseconds of ${rounds} interleaved rounds.`;
}

/** The tables of each part. */
const DRAWN = {
  comparison,
  dynamic,
  static: static_,
  url,
  accuracy,
  sizes,
  interop,
  native,
  pages,
  redis,
  browsers,
};

/** The Markdown of a part's results, by the part's name: its tables, and their source. */
export const TABLES = Object.fromEntries(
  Object.entries(DRAWN).map(([part, draw]) => {
    const markdown = (results) => [...draw(results), source(part, results)].join('\n\n');
    return [part, markdown];
  }),
);
