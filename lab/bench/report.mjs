// What the documents show of the saved runs: the headlines of README.md, the questions of docs/benchmarks.md with their
// charts, and the costs in the guides.

import { bars, GROUPS, groupOf } from './charts.mjs';
import { CONTENDERS } from './contenders.mjs';
import { kB, number, origin, ratio, table, time } from './format.mjs';
import { machineOf } from './machine.mjs';
import { COMPARED_ROWS, comparedColumns, overhead, perRow, urlSpeeds } from './tables.mjs';

/** Each entry, its use, an import from it, and the rows of the table of sizes that have that import and all of it. */
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
      // The schemes are for the classes of `tamis`.
      const from = entry === 'tamis/schemes' ? `tamis and ${entry}` : entry;
      const [least, most] = [one, all].map((rest) => kB(sizes[from + rest].gzip));
      return [`\`${entry}\``, what, name, least, most];
    }),
  );

/** The rows of the comparison that README.md shows, beside those of `peers` and `byEngine`. */
const COMPARED = [
  '`add(string)`',
  'from bytes or JSON',
  'import and first filter',
  'bytes on the wire per key',
  'false-positive rate',
];

/** The packages that README.md compares: their names in the results, and their imports in the table of sizes. */
const PACKAGES = [
  ['tamis', 'tamis: BloomFilter'],
  ['bloomfilter', 'bloomfilter'],
  ['bloom-filters', 'bloom-filters'],
];
/** A look-up of a string of 54 characters in a filter of 1,000,000 keys. */
const LOOK_UP = 'has 54 ascii 1000000';

/** A table of the time of a look-up, and of the bytes to ship. Other packages link to `details`. */
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

/** tamis beside its peers, in short. */
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

/** The filters in the charts of times, by the part that measured them. */
const SHOWN = {
  dynamic: [
    ...['bloom', 'blocked-bloom', 'scalable-bloom', 'rotating-bloom', 'cuckoo', 'counting-bloom'],
    ...['d-left-counting', 'deletable-bloom', 'tombstone-bloom'],
  ],
  static: ['fuse8', 'ribbon8', 'exact', 'bloomier'],
};

/** Those filters with their minima, sorted from the quickest by a measure. */
const timed = (saved, measure) =>
  Object.entries(SHOWN)
    .flatMap(([part, names]) =>
      names.map((name) => {
        const { type: label } = CONTENDERS[part][name];
        const { times } = saved[part].contenders[name];
        const [value] = times[measure];
        const cellOf = (one) => (times[one] ? time(times[one][0]) : '-');
        return { label, part, group: part === 'static' ? 'once' : groupOf(label), value, cellOf };
      }),
    )
    .sort(byValue);

const byValue = (one, other) => one.value - other.value;
const ns = (value) => `${time(value)} ns`;
const untimed = ({ date, commit }) => origin({ date, commit });
const code = (text) => `\`${text}\``;
/** The least and the largest value of sorted rows. */
const range = (rows, digits) =>
  `${number(rows[0].value, digits)} to ${number(rows.at(-1).value, digits)}`;

/** The imports of the chart, as the table of sizes names them. */
const IMPORTS = [
  'tamis/read: BloomFilter',
  'tamis: hashKey',
  'tamis/remote: RemoteFilter',
  'tamis: CuckooFilter',
  'tamis: BloomFilter',
  'tamis: RibbonFilter',
  'tamis/interop: guava',
  'tamis/url: UrlChecker',
  'tamis/safe-browsing: SafeBrowsing',
  'tamis: everything',
  'bloomfilter',
  'binary-fuse-filter',
  'bloom-filters',
];

/**
 * The questions, by the names of their blocks and charts. The table has a row of `cells` for each row of the chart, or is
 * `figures`.
 */
export const QUESTIONS = {
  'look-up'(saved) {
    const rows = timed(saved, 'hit');
    return {
      answer: `\`has(url)\` takes ${range(rows)} ns in Node, depending on the filter.`,
      title: 'A look-up of a URL',
      unit: 'Nanoseconds for has(url) of a key that is present, in Node',
      groups: GROUPS,
      show: ns,
      rows,
      head: ['ns', 'present', 'absent', 'absent, hashed before'],
      cells: ({ label, cellOf }) => [code(label), ...['hit', 'miss', 'hashedMiss'].map(cellOf)],
      note: origin(saved.dynamic),
    };
  },

  size({ accuracy }) {
    const bits = ({ payloadBytes, keys }) => (8 * payloadBytes) / keys;
    const rows = Object.values(accuracy.types)
      // The class also has another width.
      .filter(({ arity }) => arity !== 3)
      .map(({ type, sizes }) => {
        const [few, many] = [1000, 1_000_000].map((keys) => sizes.find((one) => one.keys === keys));
        return { label: type, group: groupOf(type), value: bits(many), few, many };
      })
      .sort(byValue);
    const rate = number(accuracy.fpr * 100, 2);
    return {
      answer:
        `At a rate of ${rate} % a filter takes ${range(rows, 1)} bits for each key. ` +
        `No filter takes fewer than ${number(Math.log2(1 / accuracy.fpr))}.`,
      title: 'The size of a filter',
      unit: `Bits per key of ${number(1_000_000)} keys, at ${rate} %`,
      groups: GROUPS,
      show: (value) => number(value, 1),
      rows,
      head: ['bits per key', '1,000 keys', '1,000,000 keys', 'of the least possible'],
      cells: ({ label, few, many }) => [
        code(label),
        ...[few, many].map((one) => number(bits(one), 1)),
        `${number(overhead(many), 2)}x`,
      ],
      note: untimed(accuracy),
    };
  },

  build(saved) {
    const rows = timed(saved, 'build');
    return {
      answer: `A filter of a million URLs is built in ${range(rows)} ms.`,
      title: 'Building a filter of a million URLs',
      unit: 'Milliseconds in Node. Filters that change: add(url) for each; those built once: from(urls)',
      groups: GROUPS,
      show: (value) => `${time(value)} ms`,
      rows,
      head: ['ns per key', 'how', 'from strings', 'from hashes'],
      cells: ({ label, part, cellOf }) => [
        code(label),
        part === 'dynamic' ? '`add(url)`' : '`from(urls)`',
        ...['build', 'buildHashed'].map(cellOf),
      ],
      note: origin(saved.dynamic),
    };
  },

  page({ sizes: { sizes, ...run } }) {
    const rows = IMPORTS.map((label) => {
      const group = label.startsWith('tamis') ? 'once' : 'grows';
      return { label, group, value: sizes[label].gzip, brotli: sizes[label].brotli };
    }).sort(byValue);
    const [reader, bloom] = [IMPORTS[0], 'tamis: BloomFilter'].map((name) => kB(sizes[name].gzip));
    return {
      answer: `\`BloomFilter\` adds ${bloom} to a page, and ${reader} if the page only looks up.`,
      title: 'What an import adds to a page',
      unit: 'Kilobytes, minified and gzipped, with the WebAssembly inside',
      groups: { once: 'tamis', grows: 'other packages' },
      show: kB,
      rows,
      head: ['import', 'min + gzip', 'min + brotli'],
      cells: ({ label, value, brotli }) => [label, kB(value), kB(brotli)],
      note: untimed(run),
    };
  },

  peers({ browsers }) {
    const { name, times } = browsers.engines[0];
    const { 'tamis/read': _, ...contenders } = times[LOOK_UP];
    const rows = Object.entries(contenders)
      .map(([key, [value]]) => ({
        label: key === 'set' ? 'JS Set' : key,
        group: key === 'tamis' ? 'once' : 'grows',
        value,
      }))
      .sort(byValue);
    const multiple = (key) => ratio(contenders[key][0], contenders.tamis[0]).replace('x', ' times');
    return {
      answer:
        `In ${name} a look-up in npm \`bloomfilter\` takes ${multiple('bloomfilter')} as long as in tamis. In npm ` +
        `\`bloom-filters\` it takes ${multiple('bloom-filters')} as long, and in a \`Set\` ${multiple('set')} as long.`,
      title: 'tamis beside a Set and two packages',
      unit: `Nanoseconds for has(string) in ${name}; each line to the right is ten times the last`,
      isLog: true,
      show: ns,
      rows,
      figures: byEngine(browsers),
    };
  },

  urls({ url }) {
    const { tamis, checker, guard, guards, set, detector } = url.contenders;
    const { counts } = tamis;
    const rowOf = (label, { times }, measure = 'check') => {
      return { label, value: times[measure][0], group: label.includes('Set') ? 'grows' : 'once' };
    };
    const rows = [
      rowOf('UrlList.checkMany(urls)', tamis, 'checkMany'),
      rowOf('UrlList.check(url)', tamis),
      rowOf('UrlList.checkHost(host)', tamis, 'checkHost'),
      rowOf('UrlChecker.check(url)', checker),
      rowOf('UrlGuard.check(url), 1 list', guard),
      rowOf(`UrlGuard.check(url), ${guards.counts.lists} lists`, guards),
      rowOf('new URL(url), Set of hosts', set),
    ].sort(byValue);
    const [first] = checker.times.check;
    return {
      answer:
        `\`UrlChecker.check(url)\` takes ${number(first)} ns against ${number(counts.entries)} hosts, ` +
        `and the list takes ${kB(counts.wireBytes)} on the wire.`,
      title: `Checking a URL against ${number(counts.entries)} hosts`,
      unit: 'Nanoseconds for each URL, in Node',
      groups: { once: 'tamis', grows: 'a Set of hosts' },
      show: ns,
      rows,
      figures: urlSpeeds(url),
      note:
        'Minimum (median), and the minimum as a multiple of that of `UrlList.check`, or of `UrlChecker.check` for ' +
        'guards. npm `eth-phishing-detect` is not in the chart: its bar ' +
        `would be ${ratio(detector.times.check[0], first)} as long as that of \`UrlChecker\`. ${origin(url)}`,
    };
  },
};

/** The parts from which the questions take their figures. */
export const PARTS = ['dynamic', 'static', 'accuracy', 'sizes', 'browsers', 'url'];

/** The chart of a question, as an SVG document, and its Markdown with the chart at that address. */
export function answer(name, saved, address) {
  const { answer, head, cells, figures, note = '', unit, ...chart } = QUESTIONS[name](saved);
  const alt = `${chart.title}: the table below has its figures`;
  const below = figures ?? table(head, chart.rows.map(cells));
  return {
    svg: bars({ ...chart, note: unit }),
    text: `${answer}\n\n![${alt}](${address})\n\n${below}\n\n${note}`,
  };
}

/** The machine of the times, and the parts that another machine measured. */
export function machineNote(runs) {
  const { machine, others } = machineOf(runs);
  const names = others.map((part) => `\`${part}\``);
  const rest =
    others.length === 0
      ? ''
      : ` Another machine measured ${names.join(', ')}, and the notes of these parts name it. Do not compare them with the rest.`;
  return `The times come from one machine: ${machine}.${rest}`;
}

/** The cost of `checkHost`, for the guide. */
export function hostCosts(results) {
  const { tamis, set } = results.contenders;
  const ns = ({ times }, measure) => `${number(times[measure][0])} ns`;
  return (
    `In Node, with a list of ${number(tamis.counts.entries)} hosts, \`checkHost\` takes ${ns(tamis, 'checkHost')}, and \`check\` of ` +
    `a URL ${ns(tamis, 'check')}. If 500 hosts come again and again, \`check\` takes ${ns(tamis, 'repeated')}. A ` +
    `\`Set\` of all hosts, asked about a host and the domains above it, takes ${ns(set, 'checkHost')}. ${origin(results)}`
  );
}

/** The cost of several lists, for the guide. */
export function guardCosts(results) {
  const { checker, guard, guards } = results.contenders;
  const times = ({ times }) => number(times.check[0] / checker.times.check[0], 2);
  return (
    `In Node, \`UrlGuard.check\` of one list takes ${times(guard)} times as long as \`UrlChecker.check\`, and of ` +
    `${guards.counts.lists} lists ${times(guards)} times. ${origin(results)}`
  );
}
