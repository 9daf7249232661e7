// The tables of the URL part.

import { cell, number, origin, table } from './format.mjs';

/** Prefixes of a URL list have 4 bytes. */
const PREFIXES = 2 ** 32;

/** The number of URLs that are not listed, and of those among them that hit all the same. */
export function alarms({ tamis: { counts }, set }) {
  const absentKeys = counts.urls - set.counts.hits;
  const rate = (counts.expressions / counts.urls) * (counts.entries / PREFIXES);
  return { absentKeys, falseAlarms: counts.hits - set.counts.hits, rate };
}

/** Rows of milliseconds: each name of `times` and what it measures. The first is the base of the others. */
function msRows(times, labels) {
  const own = { times };
  const [of] = Object.keys(labels);
  return Object.entries(labels).map(([name, label]) => [
    `${label}, ms`,
    cell(own, name, { unit: 'ms', base: own, of }),
  ]);
}

/** Nanoseconds of a URL, and the multiple of `check`'s. */
function speedRows({ contenders, versions }) {
  const { tamis, checker, guard, guards, set, detector } = contenders;
  const toCheck = { base: tamis, of: 'check' };
  const toChecker = { base: checker };
  const package_ = `eth-phishing-detect ${versions['eth-phishing-detect']}`;
  return [
    ['`UrlList.check(url)`', cell(tamis, 'check')],
    ['`UrlList.checkMany(urls)`', cell(tamis, 'checkMany', toCheck)],
    ['`UrlList.check(url)`, of 500 hosts in turn', cell(tamis, 'repeated', toCheck)],
    ['`UrlList.checkHost(host)`', cell(tamis, 'checkHost', toCheck)],
    ['`new URL(url)`, and a `Set` of hosts', cell(set, 'check', toCheck)],
    ['a `Set` of hosts, asked about a host', cell(set, 'checkHost', toCheck)],
    [`\`new URL(url)\`, and the detector of npm ${package_}`, cell(detector, 'check', toCheck)],
    ['`UrlChecker.check(url)`', cell(checker, 'check', toCheck)],
    ['`UrlGuard.check(url)`, one list', cell(guard, 'check', toChecker)],
    [`the same, ${guards.counts.lists} lists`, cell(guards, 'check', toChecker)],
  ];
}

/** The costs of real lists' history: a day's update, and what clients fetch. */
function historyRows({ days, entries, meanBytes, meanChanges, applyMs }, published) {
  const { versions, behind, jumps, deltas } = published;
  const taken = ({ bytes, files }) => `${number(bytes)} bytes in ${number(files)}`;
  return [
    [
      `a day's update of ${number(entries)} hosts, mean of ${days} days`,
      `${number(meanBytes)} bytes for ${number(meanChanges, 1)} changes`,
    ],
    ['the time to apply it', `${number(applyMs, 1)} ms`],
    [
      `the manifest after ${number(versions)} versions`,
      `${number(jumps.manifestBytes)} bytes; without jumps ${number(deltas.manifestBytes)}`,
    ],
    [
      `what a client fetches that is ${behind} versions behind`,
      `${taken(jumps)} file; without jumps ${taken(deltas)} files`,
    ],
  ];
}

/** Figures beside the look-ups. Those of the history need real lists. */
function otherRows({ contenders, feeds, history, published, open, image, google }) {
  const { counts } = contenders.tamis;
  const { absentKeys, falseAlarms, rate } = alarms(contenders);
  const imageRows = (place, times) =>
    msRows(times, {
      fromBytes: `\`UrlList.fromBytes\` in ${place}`,
      image: `the same list of the ${number(image.imageBytes)} bytes that a client stores`,
    });
  return [
    ['bytes on the wire', number(counts.wireBytes)],
    ['bytes in memory', number(counts.memoryBytes)],
    ['false negatives among listed hosts', number(counts.falseNegatives)],
    [
      'false positives among URLs that are not listed',
      `${falseAlarms} of ${number(absentKeys)}; expected ${number(rate * absentKeys, 1)}, one in ${number(1 / rate)}`,
    ],
    ...(history ? historyRows(history, published) : []),
    ...msRows(feeds, {
      addHosts: '`UrlListBuilder.addHosts` of all hosts',
      addFeed: '`addFeed` of a hosts file of them',
    }),
    ...imageRows('Node', image.node),
    ...imageRows('a fresh page of Chromium, to the first answer', image.pages),
    ...msRows(google, {
      riceDecode: `\`riceDecode\` of four lists of Safe Browsing, of ${number(google.bytes)} bytes`,
      fromPrefixes: '`riceDecode` and `UrlList.fromPrefixes` of them',
      client: '`SafeBrowsing` takes and stores them',
    }),
    [
      'Chromium, from `UrlChecker.open` with the list in IndexedDB to the first answer',
      `${number(open[0])} (${number(open[1])}) ms`,
    ],
  ];
}

export function url(results) {
  const { entries } = results.contenders.tamis.counts;
  const speeds = table([`a URL against ${number(entries)} hosts`, 'ns'], speedRows(results));
  return [
    speeds,
    table(['', ''], otherRows(results)),
    results.isReal ? 'Real lists.' : 'Made-up hosts and URLs.',
  ];
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
