// The tables of the URL part.

import { cell, number, origin, table } from './format.mjs';

/** Prefixes of a URL list have 4 bytes. */
const PREFIXES = 2 ** 32;

/** URLs that are not on the list, and those of them that hit all the same. */
export function alarms({ tamis: { counts }, set }) {
  const absentKeys = counts.urls - set.counts.hits;
  const rate = (counts.expressions / counts.urls) * (counts.entries / PREFIXES);
  return { absentKeys, falseAlarms: counts.hits - set.counts.hits, rate };
}

export function url(results) {
  const { contenders, history, open, versions, rounds, isReal } = results;
  const { tamis, set, detector } = contenders;
  const { counts } = tamis;
  const { absentKeys, falseAlarms, rate } = alarms(contenders);
  const base = { times: { check: tamis.times.check, checkMany: tamis.times.check } };
  const package_ = `eth-phishing-detect ${versions['eth-phishing-detect']}`;
  const speeds = [
    ['`UrlList.check(url)`', cell(tamis, 'check')],
    ['`UrlList.checkMany(urls)`', cell(tamis, 'checkMany', { base })],
    ['`new URL(url)`, and a `Set` of hosts', cell(set, 'check', { base })],
    [`\`new URL(url)\`, and the detector of npm ${package_}`, cell(detector, 'check', { base })],
  ];
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
    `looks it up. Nanoseconds: minimum (median) of ${rounds} interleaved rounds, and the minimum as a multiple of ` +
    `\`check\`'s. ${origin(results)}`
  );
}
