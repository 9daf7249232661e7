// What docs/benchmarks.md and the guides show of the saved runs: answers to questions, with their charts, and costs.

import { bars, GROUPS, groupOf } from './charts.mjs';
import { CONTENDERS, inTable } from './contenders.mjs';
import { kB, number, origin, ratio, table, time } from './format.mjs';
import { LOOK_UP } from './headlines.mjs';
import { machineOf } from './machine.mjs';
import { overhead } from './tables.mjs';

/** Classes from the literature, which their page compares. The charts leave them out. */
const UNUSUAL = ['DeletableBloomFilter', 'TombstoneBloomFilter', 'DLeftCountingFilter'];

/** The filters in the charts of times: the first measured contender of each class. */
const shown = (saved) =>
  ['dynamic', 'static']
    .flatMap((part) => inTable(part).map((name) => ({ part, name, ...CONTENDERS[part][name] })))
    .filter(({ part, name, module }) => module === 'tamis' && name in saved[part].contenders)
    .filter(({ type }) => !UNUSUAL.includes(type))
    .filter(({ type }, i, all) => all.findIndex((one) => one.type === type) === i);

/** These filters with their minimal times, sorted by a measure, fastest first. */
const timed = (saved, measure) =>
  shown(saved)
    .map(({ part, name, type: label }) => {
      const { times } = saved[part].contenders[name];
      const [value] = times[measure];
      const cellOf = (one) => (times[one] ? time(times[one][0]) : '-');
      return { label, part, group: part === 'static' ? 'once' : groupOf(label), value, cellOf };
    })
    .sort(byValue);

const byValue = (one, other) => one.value - other.value;
const ns = (value) => `${time(value)} ns`;
const untimed = ({ date, commit }) => origin({ date, commit });
const code = (text) => `\`${text}\``;
/** The range from the smallest to the largest value of sorted rows. */
const range = (rows, digits) =>
  `${number(rows[0].value, digits)} to ${number(rows.at(-1).value, digits)}`;

/** The imports in the chart, with their names in the table of sizes. */
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

/** The look-up of one string in each engine. */
function byEngine({ engines, rounds, ...run }) {
  const rows = ['tamis', 'tamis/read', 'bloomfilter', 'bloom-filters', 'set'].map((name) => [
    name === 'set' ? 'JS `Set`' : code(name),
    ...engines.map(({ times }) => {
      const { tamis, [name]: own } = times[LOOK_UP];
      return own === tamis ? time(own[0]) : `${time(own[0])}, ${ratio(own[0], tamis[0])}`;
    }),
  ]);
  return (
    `${table(['`has(string)`, ns', ...engines.map(({ name }) => name)], rows)}\n\n` +
    'The filters have 1,000,000 keys, at a rate of 1 %. Cells show the best time of ' +
    `${rounds} rounds. A number such as 2.3x is a multiple of the time of \`tamis\`. ${origin(run)}`
  );
}

/**
 * The questions, by the names of their blocks and charts. The table below a chart has a row of `cells` for each of its
 * rows, unless there are `figures` instead.
 */
export const QUESTIONS = {
  'look-up'(saved) {
    const rows = timed(saved, 'hit');
    return {
      answer: `In Node, \`has(url)\` takes ${range(rows)} ns for a URL that is present, depending on the filter.`,
      title: 'A look-up of a URL',
      unit: 'Nanoseconds for has(url) of a key that is present, in Node',
      groups: GROUPS,
      show: ns,
      rows,
      head: ['ns', '`has(url)`, present', '`has(url)`, absent', '`hasHashes`, absent'],
      cells: ({ label, cellOf }) => [code(label), ...['hit', 'miss', 'hashedMiss'].map(cellOf)],
      note: origin(saved.dynamic),
    };
  },

  size({ accuracy }) {
    const bits = ({ payloadBytes, keys }) => (8 * payloadBytes) / keys;
    const rows = Object.values(accuracy.types)
      // The second contender of the class has another width.
      .filter(({ arity, type }) => arity !== 3 && !UNUSUAL.includes(type))
      .map(({ type, sizes }) => {
        const [few, many] = [1000, 1_000_000].map((keys) => sizes.find((one) => one.keys === keys));
        return { label: type, group: groupOf(type), value: bits(many), few, many };
      })
      .sort(byValue);
    const rate = number(accuracy.fpr * 100, 2);
    return {
      answer:
        `With ${number(1_000_000)} keys, at a rate of ${rate} %, a filter takes ${range(rows, 1)} bits for each key. ` +
        `No filter can take fewer than ${number(Math.log2(1 / accuracy.fpr))}.`,
      title: 'The size of a filter',
      unit: `Bits per key of ${number(1_000_000)} keys, at ${rate} %`,
      groups: GROUPS,
      show: (value) => number(value, 1),
      rows,
      head: ['bits per key', '1,000 keys', '1,000,000 keys', 'multiple of the minimum'],
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
      unit: 'Milliseconds in Node: add(url) for each URL, or from(urls) for filters that are built once',
      groups: GROUPS,
      show: (value) => `${time(value)} ms`,
      rows,
      head: ['ns per key', 'call', 'from strings', 'from hashes'],
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
      answer: `\`BloomFilter\` adds ${bloom} to a page. The read-only one in \`tamis/read\` adds ${reader}.`,
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
    const contenders = times[LOOK_UP];
    const rows = Object.entries(contenders)
      .map(([key, [value]]) => ({
        label: key === 'set' ? 'JS Set' : key,
        group: key.startsWith('tamis') ? 'once' : 'grows',
        value,
      }))
      .sort(byValue);
    const multiple = (key) => ratio(contenders[key][0], contenders.tamis[0]).replace('x', ' times');
    return {
      answer:
        `In ${name}, compared with \`tamis\`, a look-up takes ${multiple('tamis/read')} as long in \`tamis/read\`, ` +
        `${multiple('bloomfilter')} in npm \`bloomfilter\`, ${multiple('bloom-filters')} in npm \`bloom-filters\`, ` +
        `and ${multiple('set')} in a \`Set\`.`,
      title: 'tamis compared with a Set and two npm packages',
      unit: `Nanoseconds for has(string) in ${name}; each grid line is ten times the one before`,
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
      rowOf('new URL(url), then Set.has', set),
    ].sort(byValue);
    const [first] = checker.times.check;
    return {
      answer:
        `\`UrlChecker.check(url)\` checks a URL against ${number(counts.entries)} hosts in ${number(first)} ns. ` +
        `A \`UrlList\` of these hosts, with the default \`prefixBytes\`, is a download of ${kB(counts.wireBytes)}.`,
      title: `Checking a URL against ${number(counts.entries)} hosts`,
      unit: 'Nanoseconds for each URL, in Node',
      groups: { once: 'tamis', grows: 'a Set of hosts' },
      show: ns,
      rows,
      head: [`check against ${number(counts.entries)} hosts`, 'ns'],
      cells: ({ label, value }) => [code(label), number(value)],
      note:
        `The detector of npm \`eth-phishing-detect\` takes ${number(detector.times.check[0])} ns, which is ` +
        `${number(detector.times.check[0] / first)} times as long as \`UrlChecker\` takes. ${origin(url)}`,
    };
  },
};

/** The parts from which the questions take their figures. */
export const PARTS = ['dynamic', 'static', 'accuracy', 'sizes', 'browsers', 'url'];

/** The chart of a question as an SVG document, and the question's Markdown, which shows the chart at `address`. */
export function answer(name, saved, address) {
  const { answer, head, cells, figures, note = '', unit, ...chart } = QUESTIONS[name](saved);
  const alt = `${chart.title}: the table below has its figures`;
  const below = figures ?? table(head, chart.rows.map(cells));
  return {
    svg: bars({ ...chart, note: unit }),
    text: `${answer}\n\n![${alt}](${address})\n\n${below}\n\n${note}`,
  };
}

/** A note that names the machine of the times, and says if another machine measured some of them. */
export function machineNote(runs) {
  const { machine, others } = machineOf(runs);
  const rest =
    others.length === 0
      ? ''
      : ' Another machine measured some tables, and the note below such a table names it. Do not compare times of two machines.';
  return `${rest ? 'Most' : 'All'} times come from one machine: ${machine}.${rest}`;
}

/** The cost of `checkHost`, for a guide. */
export function hostCosts(results) {
  const { tamis, set } = results.contenders;
  const ns = ({ times }, measure) => `${number(times[measure][0])} ns`;
  return (
    `In Node, with a list of ${number(tamis.counts.entries)} hosts, \`UrlList.check\` takes ${ns(tamis, 'check')} for a ` +
    `URL, and \`UrlList.checkHost\` takes ${ns(tamis, 'checkHost')} for a host. If the same 500 hosts keep coming, \`check\` takes ` +
    `${ns(tamis, 'repeated')}. A \`Set\` of all hosts takes ${ns(set, 'checkHost')} to look up a host and the ` +
    `domains above it. ${origin(results)}`
  );
}
