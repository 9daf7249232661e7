// Makes the tables of README.md from the saved runs. It needs no package of lab, because npm test checks README.md.

import { kB, number, origin, ratio, table, time } from './format.mjs';
import { COMPARED_ROWS, comparedColumns, perRow } from './tables.mjs';

/** For each entry point: its use, an example import, and the size-table rows for that import and for everything. */
const ENTRIES = [
  ['tamis', 'build, change and look up', '`BloomFilter`', ': BloomFilter', ': everything'],
  ['tamis/read', 'look up only', '`BloomFilter`', ': BloomFilter', ': everything'],
  ['tamis/url', 'check URLs against a signed list', '`UrlChecker`', ': UrlChecker', ': everything'],
  ['tamis/safe-browsing', "ask Google's Safe Browsing", '`SafeBrowsing`', ': SafeBrowsing'],
  [
    'tamis/schemes',
    'data of other libraries',
    '`BloomFilter` and `guava64`',
    ': BloomFilter, guava64',
    ': BloomFilter, every scheme',
  ],
  ['tamis/interop', 'files of other libraries', '`guava`', ': guava', ': everything'],
  [
    'tamis/remote',
    'filters in pages on a static host',
    '`RemoteFilter`',
    ': RemoteFilter',
    ' and tamis/read: RemoteFilter, with pages of every type',
  ],
  [
    'tamis/redis',
    'filters in Redis',
    '`RedisFilter`',
    ": RedisFilter, without toFilter's import()",
  ],
];

/** The entries, and their sizes. */
export const entries = ({ sizes }) =>
  table(
    ['Entry', 'For', 'One import', 'min + gzip', 'All of it'],
    ENTRIES.map(([entry, what, name, one, all = one]) => {
      // The schemes are used with the classes of `tamis`.
      const from = entry === 'tamis/schemes' ? `tamis and ${entry}` : entry;
      const [least, most] = [one, all].map((rest) => kB(sizes[from + rest].gzip));
      return [`\`${entry}\``, what, name, least, most];
    }),
  );

/** The rows of the comparison that README.md shows, in addition to those of `peers` and `byEngine`. */
const COMPARED = [
  '`add(string)`',
  'from bytes or JSON',
  'import and first filter',
  'bytes on the wire per key',
  'false-positive rate',
];

/** The packages that README.md compares, with their names in the results and in the table of sizes. */
const PACKAGES = [
  ['tamis', 'tamis: BloomFilter'],
  ['bloomfilter', 'bloomfilter'],
  ['bloom-filters', 'bloom-filters'],
];
/** The row for a look-up of a 54-character string in a filter with 1,000,000 keys. */
export const LOOK_UP = 'has 54 ascii 1000000';

/** A table of look-up times and of the bytes to ship. The names of other packages link to `details`. */
export function peers({ contenders }, { sizes }, { engines }, details) {
  const shown = ['Node', 'Chromium'].map((name) =>
    engines.find((one) => one.name.startsWith(name)),
  );
  return table(
    ['', 'look-up in Node', 'in Chromium', 'bytes per key', 'JavaScript to ship'],
    PACKAGES.map(([name, bundle]) => [
      name === 'tamis' ? '**tamis**' : `[${name}](${details})`,
      ...shown.map(({ times }) => `${time(times[LOOK_UP][name][0])} ns`),
      number(contenders[name].counts.wireBytes / contenders[name].counts.keys, 2),
      kB(sizes[bundle].gzip),
    ]),
  );
}

/** The same look-up in each engine. */
export function byEngine(results) {
  const { engines, rounds } = results;
  const names = [...PACKAGES.map(([name]) => name), 'set'];
  return (
    `${table(
      ['`has(string)`, ns', ...engines.map(({ name }) => name)],
      names.map((name) => [
        name === 'set' ? 'JS `Set`' : `\`${name}\``,
        ...engines.map(({ times }) => {
          const { tamis, [name]: own } = times[LOOK_UP];
          return own === tamis ? time(own[0]) : `${time(own[0])}, ${ratio(own[0], tamis[0])}`;
        }),
      ]),
    )}\n\n` +
    `Filters of 1,000,000 keys, at 1 %. Minima of ${rounds} interleaved rounds. ${origin(results)}`
  );
}

/** A short comparison of tamis with other packages. */
export function compared(results) {
  const { names, heads } = comparedColumns(results);
  const { keys } = results.contenders['bloom-filters'].counts;
  const rows = COMPARED_ROWS.filter(([label]) => COMPARED.includes(label));
  const shown = perRow(results, names, rows, { base: 'tamis', brief: true });
  return (
    `${table(['', ...heads.map((head) => head.replace(/,.*/, ''))], shown)}\n\n` +
    `${number(results.keys)} URLs of ${results.averageKeyBytes} bytes on average, at 1 %; \`bloom-filters\` got ` +
    `${number(keys)}, in its favour. Each cell: minimum of ${results.rounds} rounds, and its multiple of tamis'. ` +
    origin(results)
  );
}
