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

export function url(results) {
  const { contenders, feeds, history, published, open, image, google, versions, rounds, isReal } =
    results;
  const { tamis, checker, guard, guards, set, detector } = contenders;
  const { counts } = tamis;
  const { absentKeys, falseAlarms, rate } = alarms(contenders);
  const toCheck = { base: tamis, of: 'check' };
  const package_ = `eth-phishing-detect ${versions['eth-phishing-detect']}`;
  const speeds = [
    ['`UrlList.check(url)`', cell(tamis, 'check')],
    ['`UrlList.checkMany(urls)`', cell(tamis, 'checkMany', toCheck)],
    ['`UrlList.check(url)`, of 500 hosts in turn', cell(tamis, 'repeated', toCheck)],
    ['`UrlList.checkHost(host)`', cell(tamis, 'checkHost', toCheck)],
    ['`new URL(url)`, and a `Set` of hosts', cell(set, 'check', toCheck)],
    ['a `Set` of hosts, asked about a host', cell(set, 'checkHost', toCheck)],
    [`\`new URL(url)\`, and the detector of npm ${package_}`, cell(detector, 'check', toCheck)],
  ].filter(([, ns]) => ns !== '-');
  let guarded = '';
  if (checker !== undefined) {
    guarded =
      "Checkers and guards have lists of 8 bytes an entry, and guards the multiple of `UrlChecker`'s. Of 8 lists, 7 lack " +
      'an eighth of the hosts each. ';
    const toChecker = { base: checker };
    speeds.push(
      ['`UrlChecker.check(url)`', cell(checker, 'check', toCheck)],
      ['`UrlGuard.check(url)`, one list', cell(guard, 'check', toChecker)],
      [`the same, ${guards.counts.lists} lists`, cell(guards, 'check', toChecker)],
    );
  }
  const rows = [
    ['bytes on the wire', number(counts.wireBytes)],
    ['bytes in memory', number(counts.memoryBytes)],
    ['false negatives among listed hosts', number(counts.falseNegatives)],
    [
      'false positives among URLs that are not listed',
      `${falseAlarms} of ${number(absentKeys)}; expected ${number(rate * absentKeys, 1)}, one in ${number(1 / rate)}`,
    ],
  ];
  if (history !== undefined) {
    const { days, entries, meanBytes, meanChanges, applyMs } = history;
    rows.push(
      [
        `a day's update of ${number(entries)} hosts, mean of ${days} days`,
        `${number(meanBytes)} bytes for ${number(meanChanges, 1)} changes`,
      ],
      ['the time to apply it', `${number(applyMs, 1)} ms`],
    );
  }
  if (published !== undefined) {
    const { versions, behind, jumps, deltas } = published;
    const taken = ({ bytes, files }) => `${number(bytes)} bytes in ${number(files)}`;
    rows.push(
      [
        `the manifest after ${number(versions)} versions`,
        `${number(jumps.manifestBytes)} bytes; without jumps ${number(deltas.manifestBytes)}`,
      ],
      [
        `what a client fetches that is ${behind} versions behind`,
        `${taken(jumps)} file; without jumps ${taken(deltas)} files`,
      ],
    );
  }
  if (feeds !== undefined) {
    const own = { times: feeds };
    const toHosts = { unit: 'ms', base: own, of: 'addHosts' };
    rows.push(
      ['`UrlListBuilder.addHosts` of all hosts, ms', cell(own, 'addHosts', toHosts)],
      ['`addFeed` of a hosts file of them, ms', cell(own, 'addFeed', toHosts)],
    );
  }
  if (image !== undefined) {
    const places = [
      ['Node', image.node],
      ['a fresh page of Chromium, to the first answer', image.pages],
    ].filter(([, times]) => times !== undefined);
    for (const [place, times] of places) {
      const own = { times };
      const toBytes = { unit: 'ms', base: own, of: 'fromBytes' };
      rows.push(
        [`\`UrlList.fromBytes\` in ${place}, ms`, cell(own, 'fromBytes', toBytes)],
        [
          `the same list of the ${number(image.imageBytes)} bytes that a client stores, ms`,
          cell(own, 'image', toBytes),
        ],
      );
    }
  }
  if (google !== undefined) {
    const own = { times: google };
    const toDecode = { unit: 'ms', base: own, of: 'riceDecode' };
    rows.push(
      [
        `\`riceDecode\` of four lists of Safe Browsing, of ${number(google.bytes)} bytes, ms`,
        cell(own, 'riceDecode', toDecode),
      ],
      ['`riceDecode` and `UrlList.fromPrefixes` of them, ms', cell(own, 'fromPrefixes', toDecode)],
      ['`SafeBrowsing` takes and stores them, ms', cell(own, 'client', toDecode)],
    );
  }
  if (open !== undefined) {
    rows.push([
      'Chromium, from `UrlChecker.open` with the list in IndexedDB to the first answer',
      `${number(open.min)} (${number(open.median)}) ms`,
    ]);
  }
  const lists = isReal
    ? 'Real lists: hosts of a blocklist of phishing, URLs of pages that link to one another'
    : 'Made-up hosts and URLs';
  return (
    `${table([`a URL against ${number(counts.entries)} hosts`, 'ns'], speeds)}\n\n${table(['', ''], rows)}\n\n` +
    `${lists}. ${number(counts.urls)} of them come in the list's order, as new strings; the detector gets ` +
    `${number(detector.counts.urls)}. \`check\` makes a URL canonical, makes its expressions, hashes each and ` +
    `looks it up. ${guarded}Nanoseconds: minimum (median) of ${rounds} interleaved rounds, and the minimum as a multiple of ` +
    `\`check\`'s. ${origin(results)}`
  );
}

/** The cost of `checkHost`, for the guide. */
export function hostCosts(results) {
  const { tamis, set } = results.contenders;
  const ns = ({ times }, measure) => `${number(times[measure].min)} ns`;
  return (
    `In Node, with a list of ${number(tamis.counts.entries)} hosts, \`checkHost\` takes ${ns(tamis, 'checkHost')}, and \`check\` of ` +
    `a URL ${ns(tamis, 'check')}. If 500 hosts come again and again, \`check\` takes ${ns(tamis, 'repeated')}. A ` +
    `\`Set\` of all hosts, asked about a host and the domains above it, takes ${ns(set, 'checkHost')}. ${origin(results)}`
  );
}

/** The cost of several lists, for the guide. */
export function guardCosts(results) {
  const { checker, guard, guards } = results.contenders;
  const times = ({ times }) => number(times.check.min / checker.times.check.min, 2);
  return (
    `In Node, \`UrlGuard.check\` of one list takes ${times(guard)} times as long as \`UrlChecker.check\`, and of ` +
    `${guards.counts.lists} lists ${times(guards)} times. ${origin(results)}`
  );
}
