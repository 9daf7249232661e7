// Computes what filters cost, for the pages of docs/filters and docs/recipes. Sizes come from `sizeFor` of the classes,
// and from filters and lists that are filled here. Times and import sizes come from the saved results.

import * as tamis from 'tamis';
import * as interop from 'tamis/interop';
import { riceEncode, UrlList, UrlListBuilder } from 'tamis/url';
import { classesOf } from '../../tests/js/support/all-classes.mjs';
import { bytesOf, prefixesOf } from '../lists.mjs';
import { HASH, inCpp } from './contenders.mjs';
import { kB, number, origin, table } from './format.mjs';
import { HAS, HASHED, perRow, sketch } from './tables.mjs';

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
  const isBloom = Class === tamis.BloomFilter;
  const rows = [0.01, 0.001, 0.0001].map((fpr) => {
    const sizeOf = (One, capacity) => One.sizeFor({ capacity, fpr });
    const [few, many] = [1000, MILLION].map((capacity) => sizeOf(Class, capacity));
    const multiple = `${number(many / sizeOf(tamis.BloomFilter, MILLION), 2)}x`;
    const sizes = [bits(many, MILLION), bytesText(few), bytesText(many)];
    return [rate(fpr), rate(designed(Class, fpr)), ...sizes, ...(isBloom ? [] : [multiple])];
  });
  const heads = ['`fpr` that you give', 'Rate that you get', 'Bits per key', '1,000 keys'];
  const compared = isBloom ? [] : ['Compared with `BloomFilter`'];
  return table([...heads, '1,000,000 keys', ...compared], rows);
};

const CHANGING = [
  ['`add(string)`', 'build', 'ns'],
  ...HAS,
  ...HASHED,
  ['`delete(string)`', 'delete', 'ns'],
];
const BUILT = [
  ['`from(strings)`, per key', 'build', 'ns'],
  ...HAS,
  ...HASHED,
  ['`fromBytes`', 'load', 'ms'],
];

/** Times of a part's contenders, one column each, as multiples of the first contender's time. */
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
  const heads = ['Bits of a region', 'Bits per key at 1 %', 'Keys that could go, when full'];
  return tableOf(heads, [4, 8, 16, 32], (size) => {
    const options = { capacity, regions: Math.ceil(all / size) };
    const filter = new tamis.DeletableBloomFilter(options);
    filter.addMany(keysOf(capacity));
    return [size, bits(filter.sizeBytes, capacity), `${number(filter.deletableRatio * 100)} %`];
  });
}

function tombstones() {
  const capacity = 100_000;
  const heads = ['Bits per key at 1 %', 'Keys missed, when all are used'];
  const values = [1000, 10_000, 100_000];
  return tableOf(['`deletions`, of 100,000 keys', ...heads], values, (deletions) => {
    const filter = new tamis.TombstoneBloomFilter({ capacity, deletions });
    filter.addMany(keysOf(capacity));
    filter.deleteMany(keysOf(deletions));
    const missed = `${number(filter.falseNegativeRate * 100, 3)} %`;
    return [number(deletions), bits(filter.sizeBytes, capacity), missed];
  });
}

function generations() {
  const heads = ['`generations`', 'Bits per key of a period, at 1 %', 'Bits per key remembered'];
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
    show('the last one new');
  }
  return table(['Layers', 'Keys', 'Size', 'Bits per key'], rows);
}

const bitsBy = (arity) => (capacity) =>
  bits(tamis.BinaryFuseFilter.sizeFor({ capacity, fingerprintBits: 8, arity }), capacity);
const arities = byCount(
  'Keys, at 1 in 256',
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
  const heads = ['Excluded keys', 'Bits per included key', 'Size', 'Bits with `fpr: 0.001`'];
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

/** The sizes of a class at several rates. */
const sizesAt = (label, Class, counts, ...fprs) =>
  byCount(
    'Keys',
    counts,
    fprs.map((fpr) => [`${label} ${rate(fpr)}`, sizeBy(Class, { fpr })]),
  );
const ribbons = (...sizes) => sizesAt('`RibbonFilter`, at most', tamis.RibbonFilter, ...sizes);

/** The sizes of a codec's files at two rates. */
function files(codec, name, options) {
  const sizeAt = (fpr) => (capacity) => {
    const filter = codec.create({ capacity, fpr, ...options });
    const file = codec.encode(filter);
    filter.dispose();
    const chunks = Array.isArray(file) ? file.map(([, chunk]) => chunk) : [file];
    return bytesText(chunks.reduce((sum, { length }) => sum + length, 0));
  };
  const columns = [0.01, 0.001].map((fpr) => [`${name} at ${rate(fpr)}`, sizeAt(fpr)]);
  return byCount('Keys', [10_000, 100_000, MILLION], columns);
}

const hostsOf = (count) => Array.from({ length: count }, (_, i) => `host-${i}.example`);

/** Host lists with 8 bytes per entry: the size of the file that clients fetch, and of the list in memory. */
const hostLists =
  (...counts) =>
  () =>
    tableOf(['Hosts', 'The file', 'In memory'], counts, (count) => {
      const list = new UrlListBuilder({ prefixBytes: 8 }).addHosts(hostsOf(count)).build();
      return [number(count), bytesText(list.toBytes().length), bytesText(list.sizeBytes)];
    });

/** Safe Browsing lists: the size of all entries in Rice coding, of an update (1,000 in, 1,000 out), and in memory. */
function safeBrowsingLists() {
  const changes = 1000;
  const sizeOf = (values, width) => riceEncode(values, width).data.length;
  const rowsOf = (prefixBytes) => (count) => {
    const prefixes = bytesOf(prefixesOf(hostsOf(count), prefixBytes));
    const gone = Uint32Array.from({ length: changes }, (_, i) => (i * count) / changes);
    const come = bytesOf(prefixesOf(hostsOf(changes), prefixBytes));
    return [
      number(count),
      number(prefixBytes),
      bytesText(sizeOf(prefixes, 8 * prefixBytes)),
      bytesText(sizeOf(come, 8 * prefixBytes) + sizeOf(gone, 32)),
      bytesText(UrlList.fromPrefixes(prefixes, { prefixBytes }).sizeBytes),
    ];
  };
  const rows = [4, 32].flatMap((prefixBytes) => [10_000, 100_000].map(rowsOf(prefixBytes)));
  const update = `${number(changes)} new, ${number(changes)} gone`;
  return table(['Entries', 'Bytes of each', 'At first', update, 'In memory'], rows);
}

/** The single files in dist/cdn. */
function singleFiles({ sizes: { sizes } }) {
  const names = Object.keys(sizes).filter((name) => name.startsWith('dist/cdn/'));
  return tableOf(['File', 'gzip', 'brotli'], names, (name) => [
    `\`${name}\``,
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

const largeBlocked = ({ dynamic }) =>
  times(
    dynamic,
    [['`addHashes`', 'buildHashed', 'ns'], ...CHANGING],
    { '`BloomFilter`': 'bloom@large', '`BlockedBloomFilter`': 'blocked-bloom@large' },
    `These are the times in filters of ${number(dynamic.contenders['bloom@large'].counts.keys)} keys.`,
  );

const builtExact = (saved) => {
  const { asked, keys } = saved.static.contenders.exact.counts;
  const lists = ` The exact filter includes ${number(keys)} of them and excludes ${number(asked)} others.`;
  return built({ '`BloomFilter`': 'bloom', '`ExactFilter`': 'exact' }, lists)(saved);
};

/** The cost tables of each page that has its own, in order. Each is a function of the saved results. */
const COSTS = {
  bloom: [rates(tamis.BloomFilter), changing({ '`BloomFilter`': 'bloom' })],
  'blocked-bloom': [...changingPage(tamis.BlockedBloomFilter, 'blocked-bloom'), largeBlocked],
  'counting-bloom': changingPage(tamis.CountingBloomFilter, 'counting-bloom', counterBits),
  'deletable-bloom': changingPage(tamis.DeletableBloomFilter, 'deletable-bloom', regions),
  'tombstone-bloom': changingPage(tamis.TombstoneBloomFilter, 'tombstone-bloom', tombstones),
  'scalable-bloom': [
    layers,
    changing({
      '`BloomFilter`': 'bloom',
      '`ScalableBloomFilter`, one layer': 'scalable-bloom',
      'grown from a hundredth': 'scalable-grown',
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
      ' The map has values and checks of 8 bits, and the time is that of `get`.',
    ),
  ],
  exact: [exact, builtExact],
  'invertible-bloom-table': [cells],
  'bit-array': [arrays],

  // Pages of docs/recipes; `backend` is for docs/guide/from-*.md.
  backend: [
    sizesAt('File at', tamis.BloomFilter, [10_000, 100_000, MILLION], 0.01, 0.001, 0.0001),
    imports('tamis/read: BloomFilter'),
  ],
  'username-taken': [
    ribbons([100_000, MILLION, 10 * MILLION], 0.01, 0.001),
    imports('tamis/read: RibbonFilter'),
  ],
  blocklist: [
    ribbons([10_000, 100_000, MILLION], 0.01, 0.001, 0.00001),
    imports('tamis/read: RibbonFilter'),
  ],
  'breached-passwords': [
    ribbons([100_000, MILLION, 10 * MILLION, 100 * MILLION], 0.01, 0.001, 0.000001),
  ],
  'browser-extension': [
    hostLists(10_000, 100_000, 190_000),
    imports('tamis/url: UrlGuard', 'tamis/url: everything'),
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
      'Keys of a period',
      [10_000, MILLION, 10 * MILLION],
      [2, 4].flatMap((generations) =>
        [0.01, 0.0001].map((fpr) => [
          `${generations} generations at ${rate(fpr)}`,
          sizeBy(tamis.RotatingBloomFilter, { generations, fpr }),
        ]),
      ),
    ),
  ],
  dns: [hostLists(10_000, 100_000)],
  guava: [files(interop.guava, 'Guava'), imports('tamis/interop: guava')],
  'no-bundler': [singleFiles],
  parquet: [files(interop.parquet, 'One row group'), imports('tamis/interop: parquet')],
  'react-native': [
    ribbons([10_000, 100_000, MILLION], 0.01, 0.001),
    imports('tamis/read: RibbonFilter'),
  ],
  react: [imports('tamis: RibbonFilter', 'tamis/read: RibbonFilter', 'tamis/read: everything')],
  redis: [
    files(interop.redisBloom, 'RedisBloom', { scaling: false }),
    imports('tamis/interop: redisBloom'),
  ],
  'safe-browsing-proxy': [safeBrowsingLists],
  'service-worker': [
    imports('tamis/read: BloomFilter', 'tamis/read: RibbonFilter', 'tamis/read: everything'),
  ],
  spark: [files(interop.spark, 'Spark'), imports('tamis/interop: spark')],
  'url-server': [hostLists(10_000, 100_000, 190_000)],
  webview: [imports('tamis/url: UrlChecker', 'tamis/url: UrlGuard')],
  workers: [
    ribbons([100_000, MILLION, 10 * MILLION], 0.01, 0.001),
    imports('tamis/read: RibbonFilter'),
  ],
};

/** The cost of a filter or of a recipe, in Markdown. */
export function cost(page, saved) {
  const Class = classesOf(tamis).find(({ prototype }) => prototype.type === page);
  const isMeasured = page in saved.dynamic.contenders;
  const parts = COSTS[page] ?? (isMeasured ? changingPage(Class, page) : [rates(Class)]);
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
