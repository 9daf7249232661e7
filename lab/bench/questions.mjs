// The questions of docs/benchmarks.md. Each has an answer in a sentence, a chart, a table, and their source.

import { bars, GROUPS, groupOf } from './charts.mjs';
import { CONTENDERS } from './contenders.mjs';
import { kB, number, origin, ratio, table, time } from './format.mjs';
import { byEngine, LOOK_UP } from './headlines.mjs';
import { machineOf } from './machine.mjs';
import { overhead } from './report.mjs';

/** The filters in the charts of times: the part that measured each, and its contender there. */
const SHOWN = [
  ['dynamic', 'bloom'],
  ['dynamic', 'blocked-bloom'],
  ['dynamic', 'scalable-bloom'],
  ['dynamic', 'rotating-bloom'],
  ['dynamic', 'cuckoo'],
  ['dynamic', 'counting-bloom'],
  ['dynamic', 'd-left-counting'],
  ['dynamic', 'deletable-bloom'],
  ['dynamic', 'tombstone-bloom'],
  ['static', 'fuse8'],
  ['static', 'ribbon8'],
  ['static', 'exact'],
  ['static', 'bloomier'],
];

/** Those filters with their times, sorted from the quickest by a measure. */
const timed = (saved, measure) =>
  SHOWN.map(([part, name]) => {
    const { type } = CONTENDERS[part][name];
    const group = part === 'static' ? 'once' : groupOf(type);
    return { type, part, group, times: saved[part].contenders[name].times };
  }).sort((one, other) => one.times[measure][0] - other.times[measure][0]);

const ns = (value) => `${time(value)} ns`;
const ends = (rows) => [rows[0], rows.at(-1)];

/** The note about the keys and times of `dynamic` and `static`. */
const timedNote = ({ dynamic, static: built }) =>
  `${number(dynamic.keys)} keys: URLs of ${dynamic.averageKeyBytes} bytes on average, as new strings. Filters that change ` +
  `have a rate of 1 %, and their times are minima of ${dynamic.rounds} rounds. Filters that are built once have a ` +
  `rate of 0.39 %, and minima of ${built.rounds} rounds. ` +
  origin(dynamic);

function lookUp(saved) {
  const rows = timed(saved, 'hit');
  const [first, last] = ends(rows).map(({ times }) => number(times.hit[0]));
  return {
    answer: `\`has(url)\` takes ${first} to ${last} ns in Node, depending on the filter.`,
    chart: {
      title: 'A look-up of a URL',
      note: 'Nanoseconds for has(url) of a key that is present, in Node',
      groups: GROUPS,
      show: ns,
      rows: rows.map(({ type, group, times }) => ({ label: type, value: times.hit[0], group })),
    },
    table: table(
      ['ns', 'present', 'absent', 'absent, hashed before'],
      rows.map(({ type, times }) => [
        `\`${type}\``,
        ...['hit', 'miss', 'hashedMiss'].map((measure) =>
          times[measure] ? time(times[measure][0]) : '-',
        ),
      ]),
    ),
    note: timedNote(saved),
  };
}

function size({ accuracy }) {
  const at = (own, keys) => own.sizes.find((one) => one.keys === keys);
  const bits = ({ payloadBytes, keys }) => (8 * payloadBytes) / keys;
  const rows = Object.values(accuracy.types)
    // The class also has another width.
    .filter(({ arity }) => arity !== 3)
    .map((own) => ({ ...own, few: at(own, 1000), many: at(own, 1_000_000) }))
    .sort((one, other) => bits(one.many) - bits(other.many));
  const [first, last] = ends(rows).map(({ many }) => number(bits(many), 1));
  return {
    answer:
      `At a rate of ${number(accuracy.fpr * 100, 2)} % a filter takes ${first} to ${last} bits for each key. ` +
      `No filter takes fewer than ${number(Math.log2(1 / accuracy.fpr))}.`,
    chart: {
      title: 'The size of a filter',
      note: `Bits per key of ${number(1_000_000)} keys, at ${number(accuracy.fpr * 100, 2)} %`,
      groups: GROUPS,
      show: (value) => number(value, 1),
      rows: rows.map(({ type, many }) => ({
        label: type,
        value: bits(many),
        group: groupOf(type),
      })),
    },
    table: table(
      ['bits per key', '1,000 keys', '1,000,000 keys', 'of the least possible'],
      rows.map((row) => [
        `\`${row.type}\``,
        number(bits(row.few), 1),
        number(bits(row.many), 1),
        `${number(overhead(row.many), 2)}x`,
      ]),
    ),
    note:
      '`RotatingBloomFilter` has two generations, and the keys of one. `TombstoneBloomFilter` is for as many deletes as ' +
      `keys. \`ScalableBloomFilter\` has one layer. ${origin({ ...accuracy, cpu: undefined })}`,
  };
}

function build(saved) {
  const rows = timed(saved, 'build');
  const [first, last] = ends(rows).map(({ times }) => number(times.build[0]));
  return {
    answer: `A filter of a million URLs is built in ${first} to ${last} ms.`,
    chart: {
      title: 'Building a filter of a million URLs',
      note: 'Milliseconds in Node. Filters that change: add(url) for each; those built once: from(urls)',
      groups: GROUPS,
      show: (value) => `${time(value)} ms`,
      rows: rows.map(({ type, group, times }) => ({ label: type, value: times.build[0], group })),
    },
    table: table(
      ['ns per key', 'how', 'from strings', 'from hashes'],
      rows.map(({ type, part, times }) => [
        `\`${type}\``,
        part === 'dynamic' ? '`add(url)`' : '`from(urls)`',
        time(times.build[0]),
        times.buildHashed ? time(times.buildHashed[0]) : '-',
      ]),
    ),
    note: timedNote(saved),
  };
}

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

function page({ sizes: { sizes, ...run } }) {
  const rows = IMPORTS.map((name) => ({ name, ...sizes[name] }));
  rows.sort((one, other) => one.gzip - other.gzip);
  const [reader, bloom] = [IMPORTS[0], 'tamis: BloomFilter'].map((name) => kB(sizes[name].gzip));
  return {
    answer: `\`BloomFilter\` adds ${bloom} to a page, and ${reader} if the page only looks up.`,
    chart: {
      title: 'What an import adds to a page',
      note: 'Kilobytes, minified and gzipped, with the WebAssembly inside',
      groups: { once: 'tamis', grows: 'other packages' },
      show: kB,
      rows: rows.map(({ name, gzip }) => ({
        label: name,
        value: gzip,
        group: name.startsWith('tamis') ? 'once' : 'grows',
      })),
    },
    table: table(
      ['import', 'min + gzip', 'min + brotli'],
      rows.map(({ name, gzip, brotli }) => [name, kB(gzip), kB(brotli)]),
    ),
    note: `A bundler keeps the classes that a page names. ${origin({ ...run, cpu: undefined })}`,
  };
}

function peers({ browsers }) {
  const { name, times } = browsers.engines[0];
  const { 'tamis/read': _, ...contenders } = times[LOOK_UP];
  const rows = Object.entries(contenders)
    .map(([key, [min]]) => ({ key, min }))
    .sort((one, other) => one.min - other.min);
  const labels = { set: 'JS Set' };
  const multiple = (key) => ratio(contenders[key][0], contenders.tamis[0]).replace('x', ' times');
  return {
    answer:
      `In ${name} a look-up in npm \`bloomfilter\` takes ${multiple('bloomfilter')} as long as in tamis. In npm ` +
      `\`bloom-filters\` it takes ${multiple('bloom-filters')} as long, and in a \`Set\` ${multiple('set')} as long.`,
    chart: {
      title: 'tamis beside a Set and two packages',
      note: `Nanoseconds for has(string) in ${name}; each line to the right is ten times the last`,
      isLog: true,
      show: ns,
      rows: rows.map(({ key, min }) => ({
        label: labels[key] ?? key,
        value: min,
        group: key === 'tamis' ? 'once' : 'grows',
      })),
    },
    table: byEngine(browsers),
    note: 'Strings of 54 characters. A `Set` is exact, and keeps the keys.',
  };
}

function urls({ url }) {
  const { tamis, checker, guard, guards, set, detector } = url.contenders;
  const { counts } = tamis;
  const rows = [
    ['UrlList.checkMany(urls)', tamis.times.checkMany],
    ['UrlList.check(url)', tamis.times.check],
    ['UrlList.checkHost(host)', tamis.times.checkHost],
    ['UrlChecker.check(url)', checker.times.check],
    ['UrlGuard.check(url), 1 list', guard.times.check],
    [`UrlGuard.check(url), ${guards.counts.lists} lists`, guards.times.check],
    ['new URL(url), Set of hosts', set.times.check],
  ].sort(([, [one]], [, [other]]) => one - other);
  const peer = `npm eth-phishing-detect ${url.versions['eth-phishing-detect']}`;
  return {
    answer:
      `\`UrlChecker.check(url)\` takes ${number(checker.times.check[0])} ns against ${number(counts.entries)} hosts, ` +
      `and the list takes ${kB(counts.wireBytes)} on the wire.`,
    chart: {
      title: `Checking a URL against ${number(counts.entries)} hosts`,
      note: 'Nanoseconds for each URL, in Node',
      groups: { once: 'tamis', grows: 'a Set of hosts' },
      show: ns,
      rows: rows.map(([label, [min]]) => ({
        label,
        value: min,
        group: label.includes('Set') ? 'grows' : 'once',
      })),
    },
    table: table(
      ['ns per URL', 'minimum', 'median'],
      [...rows, [peer, detector.times.check]].map(([label, [min, median]]) => [
        label.startsWith('npm') ? label : label.replace(/^[^,]+\)/, '`$&`'),
        number(min),
        number(median),
      ]),
    ),
    note:
      `${peer} is not in the chart: its bar would be ` +
      `${ratio(detector.times.check[0], checker.times.check[0])} as long as that of \`UrlChecker\`. ${origin(url)}`,
  };
}

/** The questions, by the names of their blocks and charts. */
export const QUESTIONS = {
  'look-up': lookUp,
  size,
  build,
  page,
  peers,
  urls,
};

/** The parts from which the questions take their figures. */
export const PARTS = ['dynamic', 'static', 'accuracy', 'sizes', 'browsers', 'url'];

/** The chart of a question, as an SVG document, and its Markdown with the chart at that address. */
export function answer(name, saved, address) {
  const { answer, chart, table, note } = QUESTIONS[name](saved);
  const alt = `${chart.title}: the table below has its figures`;
  return {
    svg: bars(chart),
    text: `${answer}\n\n![${alt}](${address})\n\n${table}\n\n${note}`,
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
