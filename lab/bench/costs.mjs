// What filters cost, for the pages of filters, recipes and guides. Sizes come from the classes' own `sizeFor`, and from
// filters that are filled here. Times and sizes of imports come from the saved results.

import * as tamis from 'tamis';
import { classesOf } from '../../tests/js/support/all-classes.mjs';
import { HASH, inCpp } from './contenders.mjs';
import { cell, kB, number, origin, table } from './format.mjs';
import { sketch } from './tables.mjs';

const MILLION = 1_000_000;

const rate = (fpr) => `${Number((fpr * 100).toPrecision(3))} %`;
const bits = (bytes, keys) => number((8 * bytes) / keys, 1);

function bytesText(bytes) {
  const units = [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ];
  const [unit, name] = units.find(([least]) => bytes >= least) ?? [1, 'bytes'];
  return `${number(bytes / unit, unit > 1 && bytes / unit < 100 ? 1 : 0)} ${name}`;
}

const keysOf = (count, first = 0) => Array.from({ length: count }, (_, i) => `key ${first + i}`);

/** The actual rate of a class for a requested rate. */
const designed = (Class, fpr) =>
  'add' in Class.prototype
    ? new Class({ capacity: MILLION, fpr }).fpr
    : Class.from(['a key'], { fpr }).fpr;

/** The bits per key of a class at several rates, compared with a BloomFilter. */
const rates = (Class) => () => {
  const rows = [0.01, 0.001, 0.0001].map((fpr) => {
    const sizeOf = (One, capacity) => One.sizeFor({ capacity, fpr });
    const [few, many] = [1000, MILLION].map((capacity) => sizeOf(Class, capacity));
    const multiple = `${number(many / sizeOf(tamis.BloomFilter, MILLION), 2)}x`;
    const sizes = [bits(many, MILLION), bytesText(few), bytesText(many)];
    return [rate(fpr), rate(designed(Class, fpr)), ...sizes, multiple];
  });
  const heads = ['`fpr` you pass', 'Rate you get', 'Bits per key', '1,000 keys'];
  return table([...heads, '1,000,000 keys', 'Compared with `BloomFilter`'], rows);
};

const LOOK_UPS = [
  ['`has`, present', 'hit', 'ns'],
  ['`has`, absent', 'miss', 'ns'],
  ['`hasHashes`, absent', 'hashedMiss', 'ns'],
];
const CHANGING = [['`add`', 'build', 'ns'], ...LOOK_UPS, ['`delete`', 'delete', 'ns']];
const BUILT = [['`from`', 'build', 'ns'], ...LOOK_UPS, ['`fromBytes`, ms', 'load', 'ms']];

/** A row of times for each contender, by the labels of the rows, also as multiples of the first contender's times. */
function times({ contenders }, measures, rows) {
  const names = Object.values(rows);
  const base = contenders[names[0]];
  const known = measures.filter(([, measure]) => contenders[names.at(-1)].times[measure]);
  return table(
    ['ns', ...known.map(([head]) => head)],
    Object.entries(rows).map(([label, name]) => [
      label,
      ...known.map(([, measure, unit]) =>
        cell(contenders[name], measure, { unit, base, brief: true }),
      ),
    ]),
  );
}

const MORE =
  'A number such as 1.8x means 1.8 times the time of `BloomFilter`. More: [Benchmarks of the filters](../benchmarks/filters.md).';

const changing =
  (rows) =>
  ({ dynamic }) =>
    `${times(dynamic, CHANGING, rows)}\n\n` +
    `The times are per string or hash, in filters of ${number(dynamic.keys)} URLs at 1 %. ${MORE}`;

const built =
  (rows, more = '') =>
  (saved) =>
    `${times(saved.static, BUILT, rows)}\n\n` +
    `The times are per string or hash, and for \`fromBytes\` per filter. The lists have ${number(saved.static.keys)} URLs, and the rate is 1 in 256.${more} ${MORE}`;

/** A table with a row for each value. */
const tableOf = (heads, values, rowOf) => table(heads, values.map(rowOf));

/** A table with a row for each number of keys. A column is a heading and a function of that number. */
const byCount = (head, counts, columns) => () =>
  tableOf([head, ...columns.map(([title]) => title)], counts, (count) => [
    number(count),
    ...columns.map(([, show]) => show(count)),
  ]);

const sizeBy = (Class, options) => (capacity) => bytesText(Class.sizeFor({ capacity, ...options }));

const counterBits = () =>
  tableOf(
    ['`counterBits`', 'A counter sticks at', 'Bits per key at 1 %'],
    [2, 4, 8],
    (counterBits) => {
      const size = tamis.CountingBloomFilter.sizeFor({ capacity: MILLION, counterBits });
      return [counterBits, 2 ** counterBits - 1, bits(size, MILLION)];
    },
  );

function regions() {
  const capacity = 100_000;
  const { bits: all } = tamis.bloomSizing({ capacity });
  const heads = ['Bits per region', 'Bits per key at 1 %', 'Deletable keys in a full filter'];
  return tableOf(heads, [4, 8, 16, 32], (size) => {
    const options = { capacity, regions: Math.ceil(all / size) };
    const filter = new tamis.DeletableBloomFilter(options);
    filter.addMany(keysOf(capacity));
    return [size, bits(filter.sizeBytes, capacity), `${number(filter.deletableRatio * 100)} %`];
  });
}

function tombstones() {
  const capacity = 100_000;
  const heads = ['Bits per key at 1 %', 'Added keys that get `false` after all deletions'];
  const values = [1000, 10_000, 100_000];
  return tableOf(['`deletions`, for 100,000 keys', ...heads], values, (deletions) => {
    const filter = new tamis.TombstoneBloomFilter({ capacity, deletions });
    filter.addMany(keysOf(capacity));
    filter.deleteMany(keysOf(deletions));
    const missed = `${number(filter.falseNegativeRate * 100, 3)} %`;
    return [number(deletions), bits(filter.sizeBytes, capacity), missed];
  });
}

function generations() {
  const heads = ['`generations`', 'Bits per key of one period, at 1 %', 'Bits per remembered key'];
  return tableOf(heads, [2, 4, 8], (generations) => {
    const size = tamis.RotatingBloomFilter.sizeFor({ capacity: MILLION, generations });
    return [generations, bits(size, MILLION), bits(size, generations * MILLION)];
  });
}

/** The sizes of a growing scalable filter, before and after each new layer. */
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
    show('the last one with 1 key');
  }
  return table(['Layers', 'Keys', 'Size', 'Bits per key'], rows);
}

const bitsBy = (arity) => (capacity) =>
  bits(tamis.BinaryFuseFilter.sizeFor({ capacity, fingerprintBits: 8, arity }), capacity);
const arities = byCount(
  'Keys, at a rate of 1 in 256',
  [1000, 100_000, MILLION],
  [
    ['Bits per key, `arity: 3`', bitsBy(3)],
    ['`arity: 4`', bitsBy(4)],
  ],
);

function maps() {
  const checks = [0, 8, 16];
  const heads = checks.map((check) => `Bits per key, \`checkBits: ${check}\``);
  return tableOf(['`valueBits`', ...heads], [1, 4, 8, 16], (valueBits) => {
    const sizeOf = (checkBits) =>
      tamis.BloomierMap.sizeFor({ capacity: MILLION, valueBits, checkBits });
    return [valueBits, ...checks.map((checkBits) => bits(sizeOf(checkBits), MILLION))];
  });
}

function exact() {
  const capacity = 100_000;
  const heads = [
    'Excluded keys',
    'Bits per included key',
    'Size',
    'Bits per included key with `fpr: 0.001`',
  ];
  const values = [1, 9, 99].map((times) => times * capacity);
  const rows = tableOf(heads, values, (excluded) => {
    const size = (fpr) => tamis.ExactFilter.sizeFor({ capacity, excluded, ...fpr });
    const least = size({});
    const bounded = bits(size({ fpr: 0.001 }), capacity);
    return [number(excluded), bits(least, capacity), bytesText(least), bounded];
  });
  return `For 100,000 included keys:\n\n${rows}`;
}

function cells(saved) {
  const heads = ['Differences', 'Keys of 8 bytes', 'Keys of 16 bytes', 'Keys of 32 bytes'];
  const rows = tableOf(heads, [10, 100, 1000, 10_000], (differences) => {
    const size = (keyBytes) => tamis.InvertibleBloomTable.sizeFor({ differences, keyBytes });
    return [number(differences), ...[8, 16, 32].map((keyBytes) => bytesText(size(keyBytes)))];
  });
  return `${rows}\n\n${sketch(saved.dynamic)} ${origin(saved.dynamic)}`;
}

function arrays() {
  const sizes = [1000, MILLION, 1000 * MILLION];
  const sizeRow = (length) => [number(length), bytesText(tamis.BitArray.sizeFor(length))];
  const shareRow = (share) => [
    `1 in ${share}`,
    bits(tamis.BitArray.sizeFor(MILLION), MILLION / share),
  ];
  const heads = ['Elements present', 'Bits per element that is present'];
  return `${tableOf(['Possible elements', 'Size'], sizes, sizeRow)}\n\n${tableOf(heads, [2, 10, 100], shareRow)}`;
}

/** How many bytes imports add to a page. */
const imports =
  (...names) =>
  (saved) =>
    tableOf(['Import', 'min + gzip'], names, (name) => {
      const [entry, what] = name.split(': ');
      const shown = what === 'everything' ? what : `\`${what}\``;
      return [`${shown} from \`${entry}\``, kB(saved.sizes.sizes[name].gzip)];
    });

/** The sizes of a RibbonFilter for some numbers of keys, at some rates. */
const ribbons = (counts, ...fprs) =>
  byCount(
    'Keys',
    counts,
    fprs.map((fpr) => [
      `\`RibbonFilter\`, at most ${rate(fpr)}`,
      sizeBy(tamis.RibbonFilter, { fpr }),
    ]),
  );

/** The single files of dist/cdn, and their exports. */
const SINGLE_FILES = {
  'dist/cdn/bloom.js': '`BloomFilter` and `TamisError` of `tamis`',
  'dist/cdn/read.js': 'all of `tamis/read`',
  'dist/cdn/tamis.js': 'all of `tamis`',
};

function singleFiles({ sizes: { sizes } }) {
  const names = Object.keys(SINGLE_FILES);
  return tableOf(['File', 'Exports', 'gzip', 'brotli'], names, (name) => [
    `\`${name}\``,
    SINGLE_FILES[name],
    bytesText(sizes[name].gzip),
    bytesText(sizes[name].brotli),
  ]);
}

/** The cost tables of a filter that can change, compared with BloomFilter. */
const changingPage = (Class, contender, ...more) => [
  rates(Class),
  ...more,
  changing({ '`BloomFilter`': 'bloom', [`\`${Class.name}\``]: contender }),
];

/** The bits per key and the bytes of both Bloom filters, which keep every rate exactly. */
const bloomSizes = () =>
  tableOf(
    [
      '`fpr`',
      ...['`BloomFilter`', '`BlockedBloomFilter`'].flatMap((name) => [
        `${name}, bits per key`,
        '1,000,000 keys',
      ]),
    ],
    [0.01, 0.001, 0.0001],
    (fpr) => [
      rate(fpr),
      ...[tamis.BloomFilter, tamis.BlockedBloomFilter].flatMap((Class) => {
        const size = Class.sizeFor({ capacity: MILLION, fpr });
        return [bits(size, MILLION), bytesText(size)];
      }),
    ],
  );

const blooms = [
  bloomSizes,
  changing({ '`BloomFilter`': 'bloom', '`BlockedBloomFilter`': 'blocked-bloom' }),
  ({ dynamic }) =>
    `With ${number(dynamic.contenders['bloom@large'].counts.keys)} keys:\n\n` +
    times(dynamic, [['`addHashes`', 'buildHashed', 'ns'], ...CHANGING], {
      '`BloomFilter`': 'bloom@large',
      '`BlockedBloomFilter`': 'blocked-bloom@large',
    }),
];

const builtExact = (saved) => {
  const { asked, keys } = saved.static.contenders.exact.counts;
  const lists =
    ` The \`ExactFilter\` includes only ${number(keys)} of them and excludes ${number(asked)} other keys, ` +
    'so its file is small. Its `from` time is per key, included or excluded.';
  return built({ '`BloomFilter`': 'bloom', '`ExactFilter`': 'exact' }, lists)(saved);
};

/** The parts of each block that has its own, in order, by the name of its page; each takes the saved results. */
const COSTS = {
  cpp: [({ native }) => nativeCosts(native)],
  bloom: blooms,
  'counting-bloom': changingPage(tamis.CountingBloomFilter, 'counting-bloom', counterBits),
  'deletable-bloom': changingPage(tamis.DeletableBloomFilter, 'deletable-bloom', regions),
  'tombstone-bloom': changingPage(tamis.TombstoneBloomFilter, 'tombstone-bloom', tombstones),
  'scalable-bloom': [
    layers,
    changing({
      '`BloomFilter`': 'bloom',
      '`ScalableBloomFilter`, one layer': 'scalable-bloom',
      '`ScalableBloomFilter`, made for a hundredth of its keys': 'scalable-grown',
    }),
  ],
  'rotating-bloom': changingPage(tamis.RotatingBloomFilter, 'rotating-bloom', generations),
  'binary-fuse': [
    rates(tamis.BinaryFuseFilter),
    arities,
    built({ '`BloomFilter`': 'bloom', '`arity: 3`': 'fuse8-3', '`arity: 4`': 'fuse8' }),
  ],
  ribbon: [
    rates(tamis.RibbonFilter),
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
      ' The map has `valueBits: 8` and `checkBits: 8`, and its `has` columns show `get`.',
    ),
  ],
  exact: [exact, builtExact],
  'invertible-bloom-table': [cells],
  'bit-array': [arrays],

  'username-taken': [
    ribbons([100_000, MILLION, 10 * MILLION], 0.01, 0.001),
    imports('tamis/read: RibbonFilter'),
  ],
  'cache-guard': [
    byCount(
      'Keys',
      [100_000, MILLION, 10 * MILLION],
      [tamis.BloomFilter, tamis.BlockedBloomFilter, tamis.CuckooFilter].map((Class) => [
        `\`${Class.name}\` at 1 %`,
        sizeBy(Class),
      ]),
    ),
  ],
  dedupe: [
    byCount(
      'Keys per period',
      [10_000, MILLION, 10 * MILLION],
      [2, 4].flatMap((generations) =>
        [0.01, 0.0001].map((fpr) => [
          `${generations} generations at ${rate(fpr)}`,
          sizeBy(tamis.RotatingBloomFilter, { generations, fpr }),
        ]),
      ),
    ),
  ],
  frameworks: [singleFiles],
  react: [imports('tamis/read: RibbonFilter', 'tamis/read: everything')],
};

/** The cost of a filter, a recipe or a guide, in Markdown. */
export function cost(page, saved) {
  const Class = classesOf(tamis).find(({ prototype }) => prototype.type === page);
  const parts = COSTS[page] ?? (Class && changingPage(Class, page));
  if (parts === undefined) throw new Error(`costs.mjs has no row for ${page}`);
  return parts.map((part) => part(saved)).join('\n\n');
}

/** Classes in C++: the row in the native bench, the options, and the resulting rate. */
const NATIVE = [
  [tamis.BinaryFuseFilter, 'binary-fuse/8-bit/4-wise', { fingerprintBits: 8, arity: 4 }, 2 ** -8],
  [tamis.RibbonFilter, 'ribbon/8-bit', { fingerprintBits: 8 }, 2 ** -8],
  [tamis.BloomFilter, 'bloom', { fpr: 0.01 }, 0.01],
  [tamis.BlockedBloomFilter, 'blocked-bloom', { fpr: 0.01 }, 0.01],
  [tamis.CuckooFilter, 'cuckoo', { fpr: 0.01 }, 0.01],
];

/** Bytes of filters in C++, and times of the saved native bench. */
function nativeCosts(results) {
  const least = (name, operation) => number(results.contenders[inCpp(name)].times[operation][0], 1);
  const rows = NATIVE.map(([Class, name, options, fpr]) => [
    `\`${Class.name}\``,
    rate(fpr),
    bytesText(Class.sizeFor({ capacity: MILLION, ...options })),
    ...['build', 'hit', 'miss'].map((operation) => least(name, operation)),
  ]);
  const ways = ['`build` or `insert`', 'Look-up, present', 'Look-up, absent'];
  const heads = ['Class', 'Rate', 'Size', ...ways.map((way) => `${way}, ns`)];
  const note =
    'Times are per key, for 1,000,000 keys that are already hashed, in one thread, and are the best of several runs. ' +
    `To hash a string of 54 bytes takes ${least(HASH, 'hash')} ns more.`;
  return `${table(heads, rows)}\n\n${note} ${origin({ ...results, runtime: results.compiler })}`;
}
