// Sizes and speeds for the pages of docs/filters. Sizes come from the classes' own `sizeFor`, and from filters that are
// filled here. Times come from the saved results.

import * as tamis from 'tamis';
import { HASH, inCpp } from './contenders.mjs';
import { number, origin, table } from './format.mjs';
import { perRow } from './report.mjs';

const MILLION = 1_000_000;
const RATES = [0.01, 0.001, 0.0001];

export const rate = (fpr) => `${Number((fpr * 100).toPrecision(3))} %`;
const bits = (bytes, keys) => number((8 * bytes) / keys, 1);

export function bytesText(bytes) {
  const units = [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ];
  const [unit, name] = units.find(([least]) => bytes >= least) ?? [1, 'bytes'];
  return `${number(bytes / unit, unit > 1 && bytes / unit < 100 ? 1 : 0)} ${name}`;
}

const keysOf = (count, first = 0) => Array.from({ length: count }, (_, i) => `key ${first + i}`);

/** The rate that a class keeps if it is given this one. */
const designed = (Class, fpr) =>
  'add' in Class.prototype
    ? new Class({ capacity: MILLION, fpr }).fpr
    : Class.from(['a key'], { fpr }).fpr;

/** The bits of a class that takes a number of keys and a rate, beside the bits of a BloomFilter. */
function rates(Class) {
  const isBloom = Class === tamis.BloomFilter;
  const rows = RATES.map((fpr) => {
    const [few, many] = [1000, MILLION].map((capacity) => Class.sizeFor({ capacity, fpr }));
    const own = tamis.BloomFilter.sizeFor({ capacity: MILLION, fpr });
    return [
      rate(fpr),
      rate(designed(Class, fpr)),
      bits(many, MILLION),
      bytesText(few),
      bytesText(many),
      ...(isBloom ? [] : [`${number(many / own, 2)}x`]),
    ];
  });
  const heads = [
    '`fpr` that you give',
    'Rate that you get',
    'Bits per key',
    '1,000 keys',
    '1,000,000 keys',
  ];
  return table(isBloom ? heads : [...heads, 'Compared with `BloomFilter`'], rows);
}

const CHANGING = [
  ['`add(string)`', 'build', 'ns'],
  ['`has(string)`, present', 'hit', 'ns'],
  ['`has(string)`, absent', 'miss', 'ns'],
  ['`hasHashes`, present', 'hashedHit', 'ns'],
  ['`hasHashes`, absent', 'hashedMiss', 'ns'],
  ['`delete(string)`', 'delete', 'ns'],
];
const BUILT = [
  ['`from(strings)`, per key', 'build', 'ns'],
  ['`has(string)`, present', 'hit', 'ns'],
  ['`has(string)`, absent', 'miss', 'ns'],
  ['`hasHashes`, present', 'hashedHit', 'ns'],
  ['`hasHashes`, absent', 'hashedMiss', 'ns'],
  ['`fromBytes`', 'load', 'ms'],
];

/** Times of a part's contenders, by the heads of their columns, as multiples of the first contender's time. */
function times(results, measures, columns, note) {
  const names = Object.values(columns);
  const known = measures.filter(([, measure]) => results.contenders[names.at(-1)].times[measure]);
  const rows = perRow(results, names, known, { base: names[0], brief: true });
  return `${table(['', ...Object.keys(columns)], rows)}\n\n${note} ${origin(results)}`;
}

const changing = (columns) => (saved) =>
  times(
    saved.dynamic,
    CHANGING,
    columns,
    `The times are per key. The filters have ${number(saved.dynamic.keys)} keys at 1 %. The keys are URLs of ` +
      `${saved.dynamic.averageKeyBytes} bytes on average. For \`hasHashes\` the keys were hashed beforehand.`,
  );

const built =
  (columns, more = '') =>
  (saved) =>
    times(
      saved.static,
      BUILT,
      columns,
      `${number(saved.static.keys)} keys, URLs of ${saved.static.averageKeyBytes} bytes on average, at 1 in 256.${more}`,
    );

function counterBits() {
  const rows = [2, 4, 8].map((counterBits) => {
    const size = tamis.CountingBloomFilter.sizeFor({ capacity: MILLION, counterBits });
    return [counterBits, 2 ** counterBits - 1, bits(size, MILLION)];
  });
  return table(['`counterBits`', 'A counter sticks at', 'Bits per key at 1 %'], rows);
}

function regions() {
  const capacity = 100_000;
  const { bits: all } = tamis.bloomSizing({ capacity });
  const rows = [4, 8, 16, 32].map((size) => {
    const options = { capacity, regions: Math.ceil(all / size) };
    const filter = new tamis.DeletableBloomFilter(options);
    filter.addMany(keysOf(capacity));
    return [size, bits(filter.sizeBytes, capacity), `${number(filter.deletableRatio * 100)} %`];
  });
  const heads = ['Bits of a region', 'Bits per key at 1 %', 'Keys that could go, when full'];
  return table(heads, rows);
}

function tombstones() {
  const capacity = 100_000;
  const rows = [1000, 10_000, 100_000].map((deletions) => {
    const filter = new tamis.TombstoneBloomFilter({ capacity, deletions });
    filter.addMany(keysOf(capacity));
    filter.deleteMany(keysOf(deletions));
    const missed = `${number(filter.falseNegativeRate * 100, 3)} %`;
    return [number(deletions), bits(filter.sizeBytes, capacity), missed];
  });
  return table(
    ['`deletions`, of 100,000 keys', 'Bits per key at 1 %', 'Keys missed, when all are used'],
    rows,
  );
}

function generations() {
  const rows = [2, 4, 8].map((generations) => {
    const size = tamis.RotatingBloomFilter.sizeFor({ capacity: MILLION, generations });
    return [generations, bits(size, MILLION), bits(size, generations * MILLION)];
  });
  const heads = ['`generations`', 'Bits per key of a period, at 1 %', 'Bits per key remembered'];
  return table(heads, rows);
}

/** The sizes of a scalable filter that grows: before each new layer, and after it. */
function layers() {
  const capacity = 1000;
  const filter = new tamis.ScalableBloomFilter({ capacity });
  const rows = [];
  let added = 0;
  const add = (count) => {
    filter.addMany(keysOf(count, added));
    added += count;
  };
  const show = (state) =>
    rows.push([
      `${filter.layers}, ${state}`,
      number(filter.count),
      bytesText(filter.sizeBytes),
      bits(filter.sizeBytes, filter.count),
    ]);
  for (const wanted of [1, 4, 7]) {
    const full = capacity * (2 ** wanted - 1);
    while (filter.count < full) add(full - filter.count);
    show('full');
    while (filter.layers === wanted) add(1);
    show('the last one new');
  }
  return table(['Layers', 'Keys', 'Size', 'Bits per key'], rows);
}

function arities() {
  const rows = [1000, 100_000, MILLION].map((capacity) => {
    const size = (arity) => tamis.BinaryFuseFilter.sizeFor({ capacity, fingerprintBits: 8, arity });
    return [number(capacity), bits(size(3), capacity), bits(size(4), capacity)];
  });
  return table(['Keys, at 1 in 256', 'Bits per key, `arity: 3`', '`arity: 4`'], rows);
}

function maps() {
  const checks = [0, 8, 16];
  const rows = [1, 4, 8, 16].map((valueBits) => [
    valueBits,
    ...checks.map((checkBits) =>
      bits(tamis.BloomierMap.sizeFor({ capacity: MILLION, valueBits, checkBits }), MILLION),
    ),
  ]);
  const heads = checks.map((check) => `Bits per key, \`checkBits: ${check}\``);
  return table(['`valueBits`', ...heads], rows);
}

function exact() {
  const capacity = 100_000;
  const rows = [1, 9, 99].map((times) => {
    const size = (options) =>
      tamis.ExactFilter.sizeFor({ capacity, excluded: times * capacity, ...options });
    return [
      `${number(times * capacity)}`,
      bits(size(), capacity),
      bytesText(size()),
      bits(size({ fpr: 0.001 }), capacity),
    ];
  });
  const heads = ['Excluded keys', 'Bits per included key', 'Size', 'Bits with `fpr: 0.001`'];
  return `For 100,000 included keys:\n\n${table(heads, rows)}`;
}

function cells(saved) {
  const rows = [10, 100, 1000, 10_000].map((differences) => [
    number(differences),
    ...[8, 16, 32].map((keyBytes) =>
      bytesText(tamis.InvertibleBloomTable.sizeFor({ differences, keyBytes })),
    ),
  ]);
  const heads = ['Differences', 'Keys of 8 bytes', 'Keys of 16 bytes', 'Keys of 32 bytes'];
  const { counts, times } = saved.dynamic.contenders.iblt;
  const ns = (measure) => `${number(times[measure][0])} ns`;
  return (
    `${table(heads, rows)}\n\n` +
    `\`add(string)\` takes ${ns('build')}, and \`delete(string)\` ${ns('delete')}. \`subtract\` and \`decode\` take ` +
    `${ns('decode')} a difference, for ${number(counts.differences)} differences of ${number(counts.keys)} keys of ` +
    `16 bytes. ${origin(saved.dynamic)}`
  );
}

function arrays() {
  const sizes = [1000, MILLION, 1000 * MILLION];
  const rows = sizes.map((length) => [number(length), bytesText(tamis.BitArray.sizeFor(length))]);
  const shares = [2, 10, 100].map((share) => [
    `1 in ${share}`,
    bits(tamis.BitArray.sizeFor(MILLION), MILLION / share),
  ]);
  return (
    `${table(['Possible elements', 'Size'], rows)}\n\n` +
    table(['Elements present', 'Bits per element that is present'], shares)
  );
}

const own = (name, contender = name) =>
  changing({ '`BloomFilter`': 'bloom', [`\`${name}\``]: contender });

/** The parts of each page of docs/filters, in order; each takes the saved results. */
const COSTS = {
  bloom: [() => rates(tamis.BloomFilter), changing({ '`BloomFilter`': 'bloom' })],
  'blocked-bloom': [
    () => rates(tamis.BlockedBloomFilter),
    own('BlockedBloomFilter', 'blocked-bloom'),
    ({ dynamic }) =>
      times(
        dynamic,
        [['`addHashes`', 'buildHashed', 'ns'], ...CHANGING],
        { '`BloomFilter`': 'bloom@large', '`BlockedBloomFilter`': 'blocked-bloom@large' },
        `These are the times in filters of ${number(dynamic.contenders['bloom@large'].counts.keys)} keys.`,
      ),
  ],
  'counting-bloom': [
    () => rates(tamis.CountingBloomFilter),
    counterBits,
    own('CountingBloomFilter', 'counting-bloom'),
  ],
  'deletable-bloom': [
    () => rates(tamis.DeletableBloomFilter),
    regions,
    own('DeletableBloomFilter', 'deletable-bloom'),
  ],
  'tombstone-bloom': [
    () => rates(tamis.TombstoneBloomFilter),
    tombstones,
    own('TombstoneBloomFilter', 'tombstone-bloom'),
  ],
  'scalable-bloom': [
    layers,
    changing({
      '`BloomFilter`': 'bloom',
      '`ScalableBloomFilter`, one layer': 'scalable-bloom',
      'grown from a hundredth': 'scalable-grown',
    }),
  ],
  'rotating-bloom': [
    () => rates(tamis.RotatingBloomFilter),
    generations,
    own('RotatingBloomFilter', 'rotating-bloom'),
  ],
  'd-left-counting': [
    () => rates(tamis.DLeftCountingFilter),
    own('DLeftCountingFilter', 'd-left-counting'),
  ],
  cuckoo: [() => rates(tamis.CuckooFilter), own('CuckooFilter', 'cuckoo')],
  'binary-fuse': [
    () => rates(tamis.BinaryFuseFilter),
    arities,
    built({ '`BloomFilter`': 'bloom', '`arity: 3`': 'fuse8-3', '`arity: 4`': 'fuse8' }),
  ],
  ribbon: [
    () => rates(tamis.RibbonFilter),
    built({
      '`BloomFilter`': 'bloom',
      '`BinaryFuseFilter`': 'fuse8',
      '`RibbonFilter`': 'ribbon8',
    }),
  ],
  bloomier: [
    maps,
    built(
      { '`BloomFilter`': 'bloom', '`BloomierMap`': 'bloomier' },
      ' The map has values and checks of 8 bits, and the time is that of `get`.',
    ),
  ],
  exact: [
    exact,
    (saved) => {
      const { asked, keys } = saved.static.contenders.exact.counts;
      const lists = ` The exact filter includes ${number(keys)} of them and excludes ${number(asked)} others.`;
      return built({ '`BloomFilter`': 'bloom', '`ExactFilter`': 'exact' }, lists)(saved);
    },
  ],
  'invertible-bloom-table': [cells],
  'bit-array': [arrays],
};

/** The cost of a filter, in Markdown. */
export const cost = (page, saved) => COSTS[page].map((part) => part(saved)).join('\n\n');

/** Classes in C++: the row of the native bench, the options of both, and the rate that they give. */
const NATIVE = [
  [tamis.BinaryFuseFilter, 'binary-fuse/8-bit/4-wise', { fingerprintBits: 8, arity: 4 }, 2 ** -8],
  [tamis.RibbonFilter, 'ribbon/8-bit', { fingerprintBits: 8 }, 2 ** -8],
  [tamis.BloomFilter, 'bloom', { fpr: 0.01 }, 0.01],
  [tamis.BlockedBloomFilter, 'blocked-bloom', { fpr: 0.01 }, 0.01],
  [tamis.CuckooFilter, 'cuckoo', { fpr: 0.01 }, 0.01],
];

/** Bytes of filters in C++, and times of the saved native bench. */
export function nativeCosts(results) {
  const least = (name, operation) => number(results.contenders[inCpp(name)].times[operation][0], 1);
  const rows = NATIVE.map(([Class, name, options, fpr]) => [
    `\`${Class.name}\``,
    rate(fpr),
    bytesText(Class.sizeFor({ capacity: MILLION, ...options })),
    ...['build', 'hit', 'miss'].map((operation) => least(name, operation)),
  ]);
  const heads = ['', 'Rate', 'Bytes', '`build` or `insert`', 'Look-up, present', 'absent'];
  const note =
    'Nanoseconds per key, for 1,000,000 keys that were hashed before. The hash of a string of 54 bytes takes ' +
    `${least(HASH, 'hash')} ns more. The times are minima, with one thread.`;
  return `${table(heads, rows)}\n\n${note} ${origin({ ...results, runtime: results.compiler })}`;
}
