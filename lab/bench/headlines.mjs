// What README.md and the home page show of the saved runs. This needs no package of lab, since npm test checks README.md.

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

/** For each engine, the strings for which npm bloomfilter looks up faster than tamis/read. */
function whereSlower(engines) {
  return engines.flatMap(({ name, times }) => {
    const lengths = Object.keys(times)
      .map((row) => Number(/^has (\d+) ascii 1000000$/.exec(row)?.[1]))
      .filter((length) => length > 0)
      .sort((one, other) => one - other);
    const isSlower = (length) => {
      const { bloomfilter, 'tamis/read': reader } = times[`has ${length} ascii 1000000`];
      return bloomfilter[0] < reader[0];
    };
    const end = lengths.findIndex((length) => !isSlower(length));
    if (end === 0) return [];
    const engine = name.replace(/ \d+$/, '');
    return end < 0
      ? `every string in ${engine}`
      : `up to ${lengths[end - 1]} characters in ${engine}`;
  });
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
  return (
    `${table(['', ...heads, 'Bytes per key', 'JavaScript to ship'], rows)}\n\n` +
    'The strings have 54 characters. `bloomfilter` is faster than `tamis/read` for ' +
    `${list(whereSlower(engines))}.`
  );
}
