// The URL part's results as tables: the one on the terminal, the one in README.md, the figures.

import { insideBinomialBound, number, ratio, table, time } from './report.mjs';

/** Prefixes have 4 bytes. */
const PREFIXES = 2 ** 32;

/** URLs that are not on the list, and those of them that hit all the same. */
function alarms({ tamis, set }) {
  const strangers = tamis.counts.urls - set.counts.hits;
  const falseAlarms = tamis.counts.hits - set.counts.hits;
  const rate = (tamis.counts.expressions / tamis.counts.urls) * (tamis.counts.entries / PREFIXES);
  return { strangers, falseAlarms, rate };
}

export function urlTables({ contenders, history, open, gzipBytes, versions, ...run }) {
  const { tamis, set, detector } = contenders;
  const own = tamis.times.check.min;
  const cell = ({ min, median }, isOwn = false) =>
    `${time(min, 'ns')} (${time(median, 'ns')})${isOwn ? '' : `, ${ratio(min, own)}`}`;
  const { counts } = tamis;
  const { strangers, falseAlarms, rate } = alarms(contenders);
  const package_ = `eth-phishing-detect ${versions['eth-phishing-detect']}`;
  const speeds = table(
    [`a URL against ${number(counts.entries, 0)} hosts`, 'ns'],
    [
      ['`UrlList.check(url)`', cell(tamis.times.check, true)],
      ['`UrlList.checkMany(urls)`', cell(tamis.times.checkMany)],
      ['`new URL(url)`, and a `Set` of hosts', cell(set.times.check)],
      [`\`new URL(url)\`, and the detector of npm ${package_}`, cell(detector.times.check)],
    ],
  );
  const rows = [
    ['bytes on the wire', number(counts.wireBytes, 0)],
    ['bytes in memory', number(counts.memoryBytes, 0)],
    ['listed hosts that are missed', number(counts.falseNegatives, 0)],
    [
      'URLs that are not listed and hit',
      `${falseAlarms} of ${number(strangers, 0)}; expected ${number(rate * strangers, 1)}, one in ${number(1 / rate, 0)}`,
    ],
  ];
  if (history !== undefined) {
    const { days, entries, meanBytes, meanChanges, applyMs } = history;
    rows.push(
      [
        `a day's update of ${number(entries, 0)} hosts, mean of ${days} days`,
        `${number(meanBytes, 0)} bytes for ${number(meanChanges, 1)} changes`,
      ],
      ['the time to apply it', `${number(applyMs, 1)} ms`],
    );
  }
  if (open !== undefined) {
    rows.push([
      'Chromium, from `UrlChecker.open` with the list in IndexedDB to the first answer',
      `${number(open.min, 0)} (${number(open.median, 0)}) ms`,
    ]);
  }
  rows.push(
    ['`tamis/url`, min + gzip', `${number(gzipBytes.url / 1000, 1)} kB`],
    ['`tamis` and `tamis/url`, min + gzip', `${number(gzipBytes.both / 1000, 1)} kB`],
  );
  const lists = run.isReal
    ? 'Real lists: hosts of a blocklist of phishing, URLs of pages that link to one another'
    : 'Made-up hosts and URLs';
  return (
    `${speeds}\n\n${table(['', ''], rows)}\n\n` +
    `${lists}, ${number(counts.urls, 0)} of them in the list's order, as new strings; the detector gets ${number(detector.counts.urls, 0)}. ` +
    `\`check\` makes a URL canonical, makes its expressions, hashes each and looks it up. Nanoseconds: minimum ` +
    `(median) of ${run.rounds} interleaved rounds, and the minimum as a multiple of \`check\`'s. ${run.cpu}, ` +
    `${run.runtime}, ${run.date.slice(0, 10)}, commit ${run.commit.slice(0, 12)}.`
  );
}

/** The figures that tamis/url is held to. */
export function urlFigures({ contenders, history, open, gzipBytes }) {
  const { times, counts } = contenders.tamis;
  const rows = [];
  const atMost = (what, got, bound, unit, digits = 0) =>
    rows.push({
      what,
      bound: `<= ${number(bound, 0)} ${unit}`,
      got: `${number(got, digits)} ${unit}`,
      reached: got <= bound,
    });
  atMost('check', times.check.min / 1000, 4, 'us', 2);
  atMost('checkMany', times.checkMany.min / 1000, 3, 'us', 2);
  atMost('tamis and tamis/url, minified and gzipped', gzipBytes.both / 1000, 68, 'kB', 1);
  atMost('bytes on the wire', counts.wireBytes, 380_000, 'bytes');
  atMost('bytes in memory', counts.memoryBytes, 460_000, 'bytes');
  if (open !== undefined) atMost('open to first answer', open.median, 50, 'ms', 1);
  if (history !== undefined) {
    atMost("a day's update, mean", history.meanBytes, 260, 'bytes', 1);
    atMost('apply', history.applyMs, 5, 'ms', 2);
  }
  const { strangers, falseAlarms, rate } = alarms(contenders);
  rows.push(
    {
      what: 'false alarms',
      bound: `one in ${number(1 / rate, 0)}, within the binomial bound`,
      got: `${falseAlarms} of ${number(strangers, 0)}`,
      reached: insideBinomialBound(falseAlarms, strangers, rate),
    },
    {
      what: 'false negatives',
      bound: '0',
      got: String(counts.falseNegatives),
      reached: counts.falseNegatives === 0,
    },
  );
  return rows;
}
