// What README.md, the home page and docs/guide/runtimes.md show of the saved runs. This needs no package of lab, since
// npm test checks README.md.

import { kB, number, table, time } from './format.mjs';

/** The look-up of the table: a string of 54 characters, in a filter of 1,000,000 keys. */
export const LOOK_UP = 'has 54 ascii 1000000';
const ENGINES = ['Node', 'Chromium', 'Firefox'];

/** The rows: names in the results, the contenders whose files they load, and their imports in the table of sizes. */
const ROWS = [
  ['tamis', 'tamis', 'tamis: BloomFilter'],
  ['tamis/read', 'tamis', 'tamis/read: BloomFilter'],
  ['bloomfilter', 'bloomfilter', 'bloomfilter'],
  ['bloom-filters', 'bloom-filters', 'bloom-filters'],
];

const list = (words) => words.join(', ').replace(/, ([^,]*)$/, ' and $1');

/** The engines in which npm bloomfilter looks up faster than tamis/read, by the keys for which it does. */
function whereSlower(engines) {
  const places = new Map();
  for (const { name, times } of engines) {
    const lengths = Object.keys(times)
      .map((row) => Number(/^has (\d+) ascii 1000000$/.exec(row)?.[1]))
      .filter((length) => length > 0)
      .sort((one, other) => one - other);
    const isSlower = (length) => {
      const { bloomfilter, 'tamis/read': reader } = times[`has ${length} ascii 1000000`];
      return bloomfilter[0] < reader[0];
    };
    const end = lengths.findIndex((length) => !isSlower(length));
    if (end === 0) continue;
    const engine = name.replace(/ \d+$/, '');
    const where = ENGINES.includes(engine) ? engine : `${engine} (not shown)`;
    const keys = end < 0 ? 'at every measured length' : `for up to ${lengths[end - 1]} characters`;
    places.set(keys, [...(places.get(keys) ?? []), where]);
  }
  return [...places].map(([keys, where]) => `in ${list(where)} ${keys}`).join(', and ');
}

/** The time of a look-up in some engines, and the bytes to ship. */
export function peers({ comparison: { contenders }, sizes: { sizes }, browsers: { engines } }) {
  const shown = ENGINES.map((name) => engines.find((one) => one.name.startsWith(name)));
  const rows = ROWS.map(([name, made, bundle]) => [
    name === 'tamis' ? '**tamis**' : name,
    ...shown.map(({ times }) => `${time(times[LOOK_UP][name][0])} ns`),
    number(contenders[made].counts.wireBytes / contenders[made].counts.keys, 2),
    kB(sizes[bundle].gzip),
  ]);
  const heads = ENGINES.map((name, i) => (i === 0 ? `Look-up in ${name}` : name));
  const all = table(['', ...heads, 'Bytes per key at 1 %', 'JavaScript to ship'], rows);
  const where = `\`bloomfilter\` is faster than \`tamis/read\` ${whereSlower(engines)}`;
  return `${all}\n\nKeys have 54 ASCII characters, and filters have room for a million. The npm package ${where}.`;
}

/** The entry points: what each is for, and the imports that show its least and its largest size. */
const ENTRIES = [
  ['tamis', 'build, change and look up', '`BloomFilter`', ': BloomFilter', ': everything'],
  ['tamis/read', 'look up only', '`BloomFilter`', ': BloomFilter', ': everything'],
  ['tamis/url', 'check URLs against a signed list', '`UrlChecker`', ': UrlChecker', ': everything'],
  ['tamis/safe-browsing', "ask Google's Safe Browsing", '`SafeBrowsing`', ': SafeBrowsing'],
  [
    'tamis/schemes',
    'make filters that hash like another library',
    '`BloomFilter` and `guava64`',
    ': BloomFilter, guava64',
    ': BloomFilter, every scheme',
  ],
  ['tamis/interop', 'use files of other libraries', '`guava`', ': guava', ': everything'],
  [
    'tamis/remote',
    'look up in a large filter on a static host',
    '`RemoteFilter`',
    ': RemoteFilter',
    ' and tamis/read: RemoteFilter, with pages of every type',
  ],
  [
    'tamis/redis',
    'share a filter in Redis',
    '`RedisFilter`',
    ': RedisFilter, without the code that toFilter loads',
  ],
];

/** The entry points, and what each adds to a page. */
export const entries = ({ sizes }) =>
  table(
    ['Entry point', 'Use it to', 'For example', 'Size of that import', 'Size of all exports'],
    ENTRIES.map(([entry, what, name, one, all = one]) => {
      // The schemes are used with the classes of `tamis`.
      const from = entry === 'tamis/schemes' ? `tamis and ${entry}` : entry;
      const [least, most] = [one, all].map((rest) => kB(sizes[from + rest].gzip));
      return [`\`${entry}\``, what, name, least, most];
    }),
  );
