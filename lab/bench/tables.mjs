// Makes the tables of each part's results, for the terminal and for docs/benchmarks.

import { CONTENDERS, inCpp, inTable, labelOf } from './contenders.mjs';
import { cell, kB, number, origin, percent, ratio, table, time } from './format.mjs';
import { UNTIMED } from './machine.mjs';

/** The rounds, the machine and the day of a part's run. */
function source(part, results) {
  const { rounds, date, commit, compiler } = results;
  const head = rounds === undefined ? '' : `${rounds} interleaved rounds. `;
  if (UNTIMED.includes(part)) return origin({ date, commit });
  return head + origin({ ...results, ...(compiler && { runtime: compiler }) });
}

const bitsPerKey = ({ counts }) =>
  (8 * (counts.payloadBytes ?? counts.sizeBytes)) / (counts.held ?? counts.keys);

/** The measured rate of false positives and, in brackets, the designed one. An exact filter has none among its excluded keys. */
function rates({ counts: { falsePositives, asked, designedRate } }) {
  if (designedRate === 0) return `${falsePositives} of ${number(asked)}`;
  return `${percent(falsePositives / asked)} (${percent(designedRate)})`;
}

function lost({ counts: { falseNegatives, refused = 0 } }) {
  const text = number(falseNegatives);
  return refused === 0 ? text : `${text}, of which ${number(refused)} were refused`;
}

/** One row for each measure or count, one column for each contender. A row names its figure, and its way or unit. */
const perRow = ({ contenders }, names, rows, base) =>
  rows.map(([label, shown, unit]) => [
    unit ? `${label}, ${unit}` : label,
    ...names.map((name) => {
      const own = contenders[name];
      return unit ? cell(own, shown, { unit, base: contenders[base] }) : shown(own);
    }),
  ]);

/** A table with a row for each contender, and a column for each measure. Rate and missed keys are last. */
function perContender(contenders, names, columns, { label, baseOf, bits = true }) {
  const rows = names.map((name) => {
    const own = contenders[name];
    const base = contenders[baseOf(name)];
    return [
      label(name),
      ...(bits ? [number(bitsPerKey(own), bits)] : []),
      ...columns.map(([, measure]) => cell(own, measure, { base })),
      rates(own),
      lost(own),
    ];
  });
  const heads = ['', ...(bits ? ['bits per key'] : []), ...columns.map(([head]) => head)];
  return table([...heads, 'false positives (designed rate)', 'false negatives'], rows);
}

/** The measures in all tables: for each its heading, its name in the results, and its unit. */
const HAS = [
  ['`has(string)`, present', 'hit', 'ns'],
  ['`has(string)`, absent', 'miss', 'ns'],
];
const HAS_MANY = [
  ['`hasMany(strings)`, present, per key', 'manyHit', 'ns'],
  ['`hasMany(strings)`, absent, per key', 'manyMiss', 'ns'],
];
const HASHED = [
  ['`hasHashes`, present', 'hashedHit', 'ns'],
  ['`hasHashes`, absent', 'hashedMiss', 'ns'],
];
const STORED = [
  ['save as bytes or JSON', 'store', 'ms'],
  ['load from bytes or JSON', 'load', 'ms'],
];
const wireBytes = ['bytes on the wire', ({ counts }) => number(counts.wireBytes)];

/** The columns of the comparison: names of contenders, and the heads of their columns. */
function comparedColumns({ contenders, versions }) {
  const names = Object.keys(CONTENDERS.comparison);
  const heads = names.map((name) => {
    const { keys } = contenders[name].counts;
    const some = keys === contenders.tamis.counts.keys ? '' : `, ${number(keys)} keys only`;
    const { module } = CONTENDERS.comparison[name];
    const label = { tamis: 'tamis', set: 'JS `Set`' }[name] ?? `\`${module}\``;
    return `${label}${module ? ` ${versions[module]}` : ''}${some}`;
  });
  return { names, heads };
}

/** The rows of the comparison. */
const COMPARED_ROWS = [
  ['keys', ({ counts }) => number(counts.keys)],
  ['`add(string)`', 'build', 'ns'],
  ...HAS,
  ['`addMany(strings)`, per key', 'addMany', 'ns'],
  ...HAS_MANY,
  ['`keysFromLines`, per line', 'keysFromLines', 'ns'],
  ['`hasMany(packed)`, present, per key', 'packedHit', 'ns'],
  ['`hasMany(packed)`, absent, per key', 'packedMiss', 'ns'],
  ...STORED,
  ['from `import` to the first answer', 'first', 'ms'],
  wireBytes,
  ['bytes on the wire per key', ({ counts }) => number(counts.wireBytes / counts.keys, 2)],
  ['false negatives', lost],
  ['false-positive rate', ({ counts }) => percent(counts.falsePositives / counts.asked)],
];

const largeTable = (part, contenders, { bits, built }) =>
  perContender(contenders, inTable(part, 'large'), [[built, 'buildHashed'], ...HASHED], {
    bits,
    label: (name) =>
      `${labelOf(CONTENDERS[part][name])}, ${number(contenders[name].counts.keys)} keys`,
    baseOf: () => 'bloom@large',
  });

/** The times of an InvertibleBloomTable. */
export function sketch({ contenders: { iblt } }) {
  const { counts, times } = iblt;
  const ns = (measure) => `${time(times[measure][0])} ns`;
  return (
    `An \`InvertibleBloomTable\` that can find ${number(counts.differences)} differences between two sets takes ` +
    `${number(counts.sizeBytes / counts.differences)} bytes per difference. \`add(string)\` takes ${ns('build')}, ` +
    `and \`delete(string)\` takes ${ns('delete')}. \`subtract\` and \`decode\` together take ${ns('decode')} per ` +
    `difference. They compare two tables of ${number(counts.keys)} keys of 16 bytes, and find all differences.`
  );
}

/** How many URLs are not listed, and how many of these hit nevertheless. */
export function alarms({ tamis: { counts }, set }) {
  const absentKeys = counts.urls - set.counts.hits;
  // Prefixes of a URL list have 4 bytes.
  const rate = (counts.expressions / counts.urls) * (counts.entries / 2 ** 32);
  return { absentKeys, falseAlarms: counts.hits - set.counts.hits, rate };
}

/** Rows of milliseconds: for each name in `times`, what it measures. The others are multiples of the first. */
function msRows(times, labels) {
  const own = { times };
  const [of] = Object.keys(labels);
  return Object.entries(labels).map(([name, label]) => [
    `${label}, ms`,
    cell(own, name, { unit: 'ms', base: own, of }),
  ]);
}

/** Nanoseconds of a URL, and the multiple of `check`'s. */
function urlSpeeds({ contenders, versions }) {
  const { tamis, checker, guard, guards, set, detector } = contenders;
  const toCheck = { base: tamis, of: 'check' };
  const toChecker = { base: checker };
  const package_ = `eth-phishing-detect ${versions['eth-phishing-detect']}`;
  const rows = [
    ['`UrlList.check(url)`', cell(tamis, 'check')],
    ['`UrlList.checkMany(urls)`', cell(tamis, 'checkMany', toCheck)],
    ['`UrlList.check(url)`, the same 500 hosts again and again', cell(tamis, 'repeated', toCheck)],
    ['`UrlList.checkHost(host)`', cell(tamis, 'checkHost', toCheck)],
    ['`new URL(url)`, then `Set.has(host)`', cell(set, 'check', toCheck)],
    ['`Set.has(host)`, without `new URL`', cell(set, 'checkHost', toCheck)],
    [`\`new URL(url)\`, then \`check(host)\` of npm ${package_}`, cell(detector, 'check', toCheck)],
    ['`UrlChecker.check(url)`', cell(checker, 'check', toCheck)],
    ['`UrlGuard.check(url)`, one list', cell(guard, 'check', toChecker)],
    [`\`UrlGuard.check(url)\`, ${guards.counts.lists} lists`, cell(guards, 'check', toChecker)],
  ];
  return table([`check against ${number(tamis.counts.entries)} hosts`, 'ns'], rows);
}

/** What the history of a real list costs: the update of a day, and what clients fetch. */
function historyRows({ days, entries, meanBytes, meanChanges, applyMs }, published) {
  const { versions, behind, jumps, deltas } = published;
  const taken = ({ bytes, files }) => `${number(bytes)} bytes in ${number(files)}`;
  return [
    [
      `a daily update of a list of ${number(entries)} hosts, mean of ${days} days`,
      `${number(meanBytes)} bytes for ${number(meanChanges, 1)} changes`,
    ],
    ['the time to apply a daily update', `${number(applyMs, 1)} ms`],
    [
      `the manifest after ${number(versions)} versions`,
      `${number(jumps.manifestBytes)} bytes; ${number(deltas.manifestBytes)} without jumps, because it then names up to 64 deltas instead of 8`,
    ],
    [
      `the update of a client that is ${behind} versions behind`,
      `${taken(jumps)} file; ${taken(deltas)} files without jumps`,
    ],
  ];
}

/** Figures that are not about look-ups. Those about the history need real lists. */
function otherRows({ contenders, feeds, history, published, open, image, google }) {
  const { counts } = contenders.tamis;
  const { absentKeys, falseAlarms, rate } = alarms(contenders);
  const imageRows = (place, times) =>
    msRows(times, {
      fromBytes: `\`UrlList.fromBytes\` ${place}`,
      image: `opening a client's stored copy of the list (${number(image.imageBytes)} bytes) ${place}`,
    });
  return [
    ['`UrlList`, bytes on the wire', number(counts.wireBytes)],
    ['`UrlList`, bytes in memory', number(counts.memoryBytes)],
    ['false negatives among listed hosts', number(counts.falseNegatives)],
    [
      'false positives among URLs that are not listed',
      `${falseAlarms} of ${number(absentKeys)}; ${number(rate * absentKeys, 1)} expected, at a rate of 1 in ${number(1 / rate)}`,
    ],
    ...(history ? historyRows(history, published) : []),
    ...msRows(feeds, {
      addHosts: '`UrlListBuilder.addHosts` of all hosts',
      addFeed: '`addFeed` of a hosts file with all hosts',
    }),
    ...imageRows('in Node', image.node),
    ...imageRows('and a first look-up, in a new Chromium page', image.pages),
    ...msRows(google, {
      riceDecode: `\`riceDecode\` of four Safe Browsing lists, ${number(google.bytes)} bytes`,
      fromPrefixes: '`riceDecode`, then `UrlList.fromPrefixes`, with these lists',
      client: '`SafeBrowsing` reads and stores these lists',
    }),
    ...msRows(
      { open },
      { open: '`UrlChecker.open` and a first look-up, in Chromium with the list in IndexedDB' },
    ),
  ];
}

/** The number of bits, as a multiple of the theoretical minimum. */
export const overhead = ({ payloadBytes, keys, designedRate }) =>
  (8 * payloadBytes) / (keys * Math.log2(1 / designedRate));

const ACTS = {
  has: '`has(string)`',
  add: '`add(string)`',
  many: '`hasMany(strings)`',
  from: '`from(strings)`',
};
const SCRIPTS = {
  ascii: '',
  latin: ', some accented (Latin-1)',
  cjk: ', mostly Chinese',
  mixed: ', with accents in 1 % of the strings',
};

/** A row for each operation and kind of string, and a column for each engine: `own`, and multiples. */
function perEngine({ engines }, own, names) {
  const multiple = (other, base) => (other ? number(other[0] / base[0], 2) : '-');
  const { times: first } = engines[0];
  const rows = Object.keys(first).filter((row) => first[row][own]);
  const acts = Object.keys(ACTS);
  const actOf = (row) => acts.indexOf(row.split(' ')[0]);
  rows.sort((one, other) => actOf(one) - actOf(other));
  const labelOf = (row) => {
    const [act, length, script, keys] = row.split(' ');
    const some = keys === '1000000' ? '' : `, ${number(Number(keys))} keys`;
    return `${ACTS[act]}, ${length} characters${SCRIPTS[script]}${some}`;
  };
  return table(
    ['ns per string', ...engines.map(({ name }) => name)],
    rows.map((row) => [
      labelOf(row),
      ...engines.map(({ times }) => {
        const { [own]: base, ...others } = times[row];
        const shown = names.some((name) => others[name]) ? names : [];
        return [time(base[0]), ...shown.map((name) => multiple(others[name], base))].join(' / ');
      }),
    ]),
  );
}

/** The filters of the part `peers` that have a peer. docs/cpp.md shows the times of others. */
const PEER_ROWS = {
  bloom: '`BloomFilter`, 1 %',
  blocked: '`BlockedBloomFilter`, 1 %',
  fuse: '`BinaryFuseFilter`, 8 bits, arity 3',
};

/** The tables of each part, and texts between them. */
const DRAWN = {
  comparison(results) {
    const { names, heads } = comparedColumns(results);
    return [table(['', ...heads], perRow(results, names, COMPARED_ROWS, 'tamis'))];
  },

  dynamic(results) {
    const { contenders, versions } = results;
    const own = CONTENDERS.dynamic;
    const strings = [['`add(string)`', 'build'], ...HAS];
    const all = [...strings, ...HASHED, ['`delete(string)`', 'delete']];
    const filters = perContender(contenders, inTable('dynamic'), all, {
      bits: 1,
      label: (name) => labelOf(own[name]),
      baseOf: () => 'bloom',
    });
    const pairs = perContender(contenders, inTable('dynamic', 'pair'), strings, {
      bits: 0,
      label: (name) => {
        const { module, type, growsFrom } = own[name];
        const { counts } = contenders[name];
        const made = growsFrom ? `, made for ${number(counts.keys / growsFrom)}` : '';
        return `\`${type}\` of ${module} ${versions[module]}, ${number(counts.keys)} keys${made}`;
      },
      baseOf: (name) => name.replace(/@.*/, '@tamis'),
    });
    const large = largeTable('dynamic', contenders, { bits: 1, built: '`addHashes`' });
    return [filters, large, pairs, sketch(results)];
  },

  static(results) {
    const { contenders } = results;
    const names = inTable('static');
    const rows = [
      ['bits per key', (own) => number(bitsPerKey(own), 2)],
      ['`from(strings)`', 'build', 'ns'],
      ['`from(packed)`', 'buildPacked', 'ns'],
      ['`fromHashes` or `addHashes`', 'buildHashed', 'ns'],
      ['first build in a process, from hashes if possible', 'buildFirst', 'ns'],
      ...HAS,
      ...HAS_MANY,
      ...HASHED,
      ...STORED,
      wireBytes,
      ['false positives (designed rate)', rates],
      ['false negatives', lost],
    ];
    const large = largeTable('static', contenders, { bits: 2, built: 'build from hashes' });
    const universe = contenders['exact@universe'];
    const { counts, times } = universe;
    const seconds = (times.buildPacked[0] * (counts.keys + counts.excluded)) / 1e9;
    const exact =
      `An \`ExactFilter\` of ${number(counts.keys)} included and ${number(counts.excluded)} excluded keys of ` +
      `16 characters takes ${number(bitsPerKey(universe), 2)} bits per included key, or ${number(counts.wireBytes)} bytes. ` +
      `The build from packed keys takes ${number(seconds, 2)} s. \`hasMany(packed)\` takes ` +
      `${cell(universe, 'packedHit')} ns per included key and ${cell(universe, 'packedMiss')} ns per excluded key, ` +
      'with no wrong answers.';
    const heads = names.map((name) => labelOf(CONTENDERS.static[name]));
    return [table(['', ...heads], perRow(results, names, rows)), large, exact];
  },

  url: (results) => [
    urlSpeeds(results),
    table(['figure', 'value'], otherRows(results)),
    results.isReal
      ? 'The hosts, the updates and the URLs are real.'
      : 'The hosts and URLs are made up.',
  ],

  accuracy({ types }) {
    const all = Object.values(types);
    const head = all[0].sizes.map(({ keys }) => `n = ${number(keys)}`);
    const rows = all.map(({ type, arity, sizes }) => [
      labelOf({ module: 'tamis', type, note: arity && `arity ${arity}` }),
      ...sizes.map((size) => number(overhead(size), 3)),
    ]);
    return [table(['multiple of the minimum', ...head], rows)];
  },

  sizes: ({ sizes: all }) => {
    const rows = Object.entries(all).map(([name, { gzip, brotli }]) => [
      name,
      kB(gzip),
      kB(brotli),
    ]);
    return [table(['import', 'min + gzip', 'min + brotli'], rows)];
  },

  /** WebAssembly compared with C++, for hashed keys. C++ shows the better of single and batch look-ups. */
  native({ contenders }) {
    const rows = Object.entries(CONTENDERS.native).map(([name, own]) => {
      const [wasm, cpp] = [name, inCpp(name)].map((one) => contenders[one].times);
      const cellOf = (measure, ...operations) => {
        const least = Math.min(...operations.map((operation) => cpp[operation]?.[0] ?? Infinity));
        const [first] = wasm[measure];
        return `${number(first, 1)} / ${number(least, 1)} = ${number(first / least, 2)}`;
      };
      return [
        labelOf(own),
        cellOf('hashedHit', 'hit', 'batch-hit'),
        cellOf('hashedMiss', 'miss', 'batch-miss'),
      ];
    });
    return [table(['WebAssembly / C++, ns per key', 'present', 'absent'], rows)];
  },

  /** tamis compared with other C++ libraries, per build: both times, and the ratios of the minima and the medians. */
  peers({ builds }) {
    const keysOf = (name) => Number(name.split(', ')[1]);
    const operations = ['build', 'present', 'absent', 'batch-present', 'batch-absent'];
    const cellOf = (own, peer) => {
      if (own === undefined || peer === undefined) return '-';
      const [least, middle] = own.map((ns, i) => number(ns / peer[i], 2));
      return `${number(own[0], 1)} / ${number(peer[0], 1)} = ${least} (${middle})`;
    };
    return Object.entries(builds).flatMap(([build, filters]) => {
      const rows = Object.keys(PEER_ROWS).flatMap((filter) => {
        const contenders = filters[filter];
        const [peer] = Object.keys(contenders).flatMap(
          (name) => /^(?!tamis)[^,]+/.exec(name) ?? [],
        );
        return Object.entries(contenders)
          .filter(([name]) => name.startsWith('tamis'))
          .sort(([a], [b]) => keysOf(a) - keysOf(b))
          .map(([name, own]) => {
            const keys = keysOf(name);
            const other = contenders[`${peer}, ${keys}`];
            const label = [PEER_ROWS[filter], number(keys), peer].filter(Boolean).join(', ');
            // A peer without batches has single look-ups only.
            const best = (operation) =>
              other?.[operation] ?? other?.[operation.replace('batch-', '')];
            return [label, ...operations.map((one) => cellOf(own[one], best(one)))];
          });
      });
      const head = [
        'filter, number of keys, peer',
        'build',
        'look-up, present',
        'look-up, absent',
        'batch look-up, present',
        'batch look-up, absent',
      ];
      const flags = build === 'any processor' ? 'without `-march`' : 'with `-march=native`';
      return [`Compiled ${flags}:`, table(head, rows)];
    });
  },

  /** The cost of pages, compared with one filter for the same number of keys. */
  pages({ asked, one, sets }) {
    const rows = sets.map(({ keys, seconds, peakMb, diskBytes, bytes, pageBytes, ...counts }) => [
      `\`tamis shard\`, ${number(keys)} keys`,
      number(seconds),
      number(peakMb),
      number(diskBytes / 1e9, 2),
      number((8 * bytes) / keys, 2),
      number(pageBytes),
      counts.falseNegatives,
      percent(counts.falsePositives / asked),
    ]);
    const label = `one \`RibbonFilter\`, ${number(one.keys)} keys`;
    const first = [label, number(one.seconds), number(one.peakMb), ...Array(5).fill('-')];
    const head = [
      '',
      'seconds',
      'peak memory, MB',
      'disk, GB',
      'bits per key',
      'bytes per page',
      'false negatives',
    ];
    return [table([...head, 'false positives'], [first, ...rows])];
  },

  /** Keys per second, also as a multiple of the filter that needs seven commands per key. */
  redis({ clients, hashes }) {
    const ways = { add: 'SETBIT', addMany: 'SETBIT', has: 'GETBIT', hasMany: 'GETBIT' };
    const rows = Object.entries(clients).flatMap(([client, rates]) =>
      Object.entries(ways).map(([method, command]) => {
        const other = rates[command.toLowerCase()];
        return [
          client,
          `\`${method}\``,
          number(rates[method]),
          `${number(other)} with ${hashes} ${command}`,
          ratio(rates[method], other),
        ];
      }),
    );
    return [table(['client', 'method', 'keys per second', 'with bit commands', 'ratio'], rows)];
  },

  /** tamis and its peers by engine, and the reader beside the fastest peer. Last, an earlier build if there is one. */
  browsers(results) {
    const isCompared = Object.values(results.engines[0].times).some(({ before }) => before);
    return [
      'A cell shows the time of `tamis` in ns, and the times of `bloomfilter`, `Set` and `bloom-filters` as multiples of it.',
      perEngine(results, 'tamis', ['bloomfilter', 'set', 'bloom-filters']),
      'A cell shows the time of the read-only `tamis/read` in ns, and the time of `bloomfilter` as a multiple of it.',
      perEngine(results, 'tamis/read', ['bloomfilter']),
      ...(isCompared ? [perEngine(results, 'tamis', ['before'])] : []),
    ];
  },
};

/** The Markdown of a part's results: its tables, and their source. */
export const tablesOf = (part, results) =>
  [...DRAWN[part](results), source(part, results)].join('\n\n');
