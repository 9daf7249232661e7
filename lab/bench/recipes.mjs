// Sizes for the pages of docs/recipes. Sizes of filters come from the classes' own `sizeFor`, and sizes of imports from
// the saved results.

import * as tamis from 'tamis';
import * as interop from 'tamis/interop';
import { hashExpression, riceEncode, UrlList, UrlListBuilder } from 'tamis/url';
import { bytesText, rate } from './costs.mjs';
import { kB, number, table } from './format.mjs';

const MILLION = 1_000_000;

/** Sizes by the number of keys, one column for each class and its options. */
function sizes(counts, columns) {
  const rows = counts.map((capacity) => [
    number(capacity),
    ...columns.map(([, Class, options]) => bytesText(Class.sizeFor({ capacity, ...options }))),
  ]);
  return table(['Keys', ...columns.map(([head]) => head)], rows);
}

/** The bytes that imports add to a page. */
const imports =
  (...names) =>
  (saved) =>
    table(
      ['Import', 'min + gzip'],
      names.map((name) => {
        const [entry, what] = name.split(': ');
        const shown = what === 'everything' ? what : `\`${what}\``;
        return [`${shown} from \`${entry}\``, kB(saved.sizes.sizes[name].gzip)];
      }),
    );

const ribbons = (counts, ...fprs) =>
  sizes(
    counts,
    fprs.map((fpr) => [`\`RibbonFilter\`, at most ${rate(fpr)}`, tamis.RibbonFilter, { fpr }]),
  );

/** Sizes of files that codecs write, one column for each codec, its options and kind of file. */
function fileSizes(counts, columns) {
  const sizeOf = (file) =>
    Array.isArray(file) ? file.reduce((sum, [, { length }]) => sum + length, 0) : file.length;
  const rows = counts.map((capacity) => [
    number(capacity),
    ...columns.map(([, codec, options]) => {
      const filter = codec.create({ capacity, ...options });
      const size = sizeOf(codec.encode(filter));
      filter.dispose();
      return bytesText(size);
    }),
  ]);
  return table(['Keys', ...columns.map(([head]) => head)], rows);
}

/** The files of a codec at two rates. */
const files = (codec, name, options) => () =>
  fileSizes(
    [10_000, 100_000, MILLION],
    [0.01, 0.001].map((fpr) => [`${name} at ${rate(fpr)}`, codec, { fpr, ...options }]),
  );

/** Lists of hosts with 8 bytes per entry: the size of the fetched file, and of the list in memory. */
function hostLists(counts) {
  const rows = counts.map((count) => {
    const hosts = Array.from({ length: count }, (_, i) => `host-${i}.example`);
    const list = new UrlListBuilder({ prefixBytes: 8 }).addHosts(hosts).build();
    const row = [number(count), bytesText(list.toBytes().length), bytesText(list.sizeBytes)];
    list.dispose();
    return row;
  });
  return table(['Hosts', 'The file', 'In memory'], rows);
}

/** Sorted prefixes of the hashes of `count` hosts. */
function prefixesOf(count, prefixBytes) {
  const all = Array.from({ length: count }, (_, i) => {
    const hash = hashExpression(`host-${i}.example/`);
    return Buffer.from(hash.buffer, hash.byteOffset, prefixBytes).toString('hex');
  });
  return new Uint8Array(Buffer.from([...new Set(all)].sort().join(''), 'hex'));
}

/** Lists of Safe Browsing: the Rice codes of all entries, those of an update (1,000 in, 1,000 out), and the memory. */
function safeBrowsingLists(counts, widths) {
  const changes = 1000;
  const rows = widths.flatMap((prefixBytes) =>
    counts.map((count) => {
      const prefixes = prefixesOf(count, prefixBytes);
      const list = UrlList.fromPrefixes(prefixes, { prefixBytes });
      const bytesOf = (values, width) => riceEncode(values, width).data.length;
      const gone = Uint32Array.from({ length: changes }, (_, i) => (i * count) / changes);
      const come = bytesOf(prefixesOf(changes, prefixBytes), 8 * prefixBytes);
      const row = [
        number(count),
        number(prefixBytes),
        bytesText(bytesOf(prefixes, 8 * prefixBytes)),
        bytesText(come + bytesOf(gone, 32)),
        bytesText(list.sizeBytes),
      ];
      list.dispose();
      return row;
    }),
  );
  const update = `${number(changes)} new, ${number(changes)} gone`;
  return table(['Entries', 'Bytes of each', 'At first', update, 'In memory'], rows);
}

/** The single files of dist/cdn. */
function singleFiles({ sizes: { sizes: saved } }) {
  const rows = Object.entries(saved)
    .filter(([name]) => name.startsWith('dist/cdn/'))
    .map(([name, { gzip, brotli }]) => [`\`${name}\``, bytesText(gzip), bytesText(brotli)]);
  return table(['File', 'gzip', 'brotli'], rows);
}

/** The parts of each page of docs/recipes, and of `backend` for docs/guide/from-*.md. Each takes the saved results. */
const RECIPES = {
  backend: [
    () =>
      sizes(
        [10_000, 100_000, MILLION],
        [0.01, 0.001, 0.0001].map((fpr) => [`File at ${rate(fpr)}`, tamis.BloomFilter, { fpr }]),
      ),
    imports('tamis/read: BloomFilter'),
  ],
  'username-taken': [
    () => ribbons([100_000, MILLION, 10 * MILLION], 0.01, 0.001),
    imports('tamis/read: RibbonFilter'),
  ],
  blocklist: [
    () => ribbons([10_000, 100_000, MILLION], 0.01, 0.001, 0.00001),
    imports('tamis/read: RibbonFilter'),
  ],
  'breached-passwords': [
    () => ribbons([100_000, MILLION, 10 * MILLION, 100 * MILLION], 0.01, 0.001, 0.000001),
  ],
  'browser-extension': [
    () => hostLists([10_000, 100_000, 190_000]),
    imports('tamis/url: UrlGuard', 'tamis/url: everything'),
  ],
  'cache-guard': [
    () =>
      sizes(
        [100_000, MILLION, 10 * MILLION],
        [
          ['`BloomFilter` at 1 %', tamis.BloomFilter],
          ['`BlockedBloomFilter` at 1 %', tamis.BlockedBloomFilter],
          ['`CuckooFilter` at 1 %', tamis.CuckooFilter],
        ],
      ),
  ],
  dedupe: [
    () =>
      sizes(
        [10_000, MILLION, 10 * MILLION],
        [2, 4].flatMap((generations) =>
          [0.01, 0.0001].map((fpr) => [
            `${generations} generations at ${rate(fpr)}`,
            tamis.RotatingBloomFilter,
            { generations, fpr },
          ]),
        ),
      ).replace('| Keys |', '| Keys of a period |'),
  ],
  dns: [() => hostLists([10_000, 100_000])],
  guava: [files(interop.guava, 'Guava'), imports('tamis/interop: guava')],
  'no-bundler': [singleFiles],
  parquet: [files(interop.parquet, 'One row group'), imports('tamis/interop: parquet')],
  'react-native': [
    () => ribbons([10_000, 100_000, MILLION], 0.01, 0.001),
    imports('tamis/read: RibbonFilter'),
  ],
  react: [imports('tamis: RibbonFilter', 'tamis/read: RibbonFilter', 'tamis/read: everything')],
  redis: [
    files(interop.redisBloom, 'RedisBloom', { scaling: false }),
    imports('tamis/interop: redisBloom'),
  ],
  'safe-browsing-proxy': [() => safeBrowsingLists([10_000, 100_000], [4, 32])],
  'service-worker': [
    imports('tamis/read: BloomFilter', 'tamis/read: RibbonFilter', 'tamis/read: everything'),
  ],
  spark: [files(interop.spark, 'Spark'), imports('tamis/interop: spark')],
  'url-server': [() => hostLists([10_000, 100_000, 190_000])],
  webview: [imports('tamis/url: UrlChecker', 'tamis/url: UrlGuard')],
  workers: [
    () => ribbons([100_000, MILLION, 10 * MILLION], 0.01, 0.001),
    imports('tamis/read: RibbonFilter'),
  ],
};

/** The cost of a recipe, in Markdown. */
export const cost = (page, saved) => RECIPES[page].map((part) => part(saved)).join('\n\n');
