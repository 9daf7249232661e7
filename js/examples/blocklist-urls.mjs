// The same lists for URLs: a UrlList that looks up pages, as in a browser that checks links.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expressions, UrlList } from 'tamis/url';
import { absentHosts } from './absent-hosts.mjs';
import { binomialInterval } from './binomial.mjs';
import { legitimateHosts, urlFileOf } from './blocklist-lists.mjs';

const ABSENT_KEYS = 200_000;
const CHUNK = 5_000;
/** The number of possible entries, which have 4 bytes. */
const PREFIXES = 2 ** 32;

const PATHS = ['/', '/login', '/a/page.html?id=7', '/shop/cart/?item=1&n=2'];
const pageOf = (host, i) => `https://${host}${PATHS[i % PATHS.length]}`;

const upperCase = (host) => host.replace(/[a-z]/g, (letter) => letter.toUpperCase());
/** Ways to write a host into an address bar. Each leads to the host, or to a host below it. */
const disguises = [
  (host) => `http://${host}/`,
  (host) => `https://login.${host}/account?step=2`,
  (host) => `HTTP://${upperCase(host)}:8080/x/../#top`,
  (host) => `https://example.org:x@${host}./%61`,
];

/** The expressions of a URL that a list of hosts looks up. */
const isHost = (expression) => expression.indexOf('/') === expression.length - 1;

/** The answers of the list, from its bytes, about listed URLs in some disguise, and about benign URLs. */
export function examineUrls({ name, title, keys, excepted }, folder, alpha) {
  const bytes = readFileSync(join(folder, urlFileOf({ name })));
  const list = UrlList.fromBytes(bytes);
  const isMissed = (url) => list.check(url) !== 'maybe';
  const isExcepted = (host) =>
    host.split('.').some((_, i, labels) => excepted.has(labels.slice(i).join('.')));
  // No list takes a name without a dot.
  const hosts = keys.filter((key) => key.includes('.') && !isExcepted(key));
  const missed = disguises.map(
    (disguise) => hosts.filter((host) => isMissed(disguise(host))).length,
  );

  const asked = { urls: 0, alarms: 0, differing: 0, expressions: 0, checkMs: 0, checkManyMs: 0 };
  const ask = (make) => {
    const batch = make();
    let start = performance.now();
    const answers = list.checkMany(batch);
    asked.checkManyMs += performance.now() - start;
    const again = make();
    start = performance.now();
    const single = again.map((url) => list.check(url));
    asked.checkMs += performance.now() - start;
    asked.urls += batch.length;
    asked.alarms += answers.filter((answer) => answer === 'maybe').length;
    asked.differing += answers.filter((answer, i) => answer !== single[i]).length;
    for (const url of batch) asked.expressions += expressions(url).filter(isHost).length;
  };
  const listed = new Set(keys);
  const isClean = (host) =>
    host.split('.').every((_, i, all) => !listed.has(all.slice(i).join('.')));
  const good = legitimateHosts.filter(isClean);
  for (let from = 0; from < ABSENT_KEYS; from += CHUNK) {
    ask(() => absentHosts(from, from + CHUNK, listed).map(pageOf));
  }
  ask(() => good.map(pageOf));
  const rate = (asked.expressions / asked.urls) * (list.count / PREFIXES);
  return {
    title,
    count: list.count,
    bytes,
    again: list.toBytes(),
    missed: missed.reduce((sum, one) => sum + one),
    disguised: disguises.length * hosts.length,
    rate,
    interval: binomialInterval(asked.urls, rate, alpha),
    ...asked,
  };
}

const number = (value) => Math.round(value).toLocaleString('en-US');
const perSecond = (urls, ms) => number((1000 * urls) / ms);

export const urlRows = [
  ['entries', (r) => number(r.count)],
  ['bytes', (r) => number(r.bytes.length)],
  ['URLs per second, check(url)', (r) => perSecond(r.urls, r.checkMs)],
  ['URLs per second, checkMany(urls)', (r) => perSecond(r.urls, r.checkManyMs)],
  ['listed hosts in disguise asked', (r) => number(r.disguised)],
  ['  missed', (r) => number(r.missed)],
  ['benign URLs asked', (r) => number(r.urls)],
  ['  false alarms', (r) => number(r.alarms)],
  ['  interval *', ({ interval: { low, high } }) => `${low} to ${high} URLs`],
  ['  expected: one in', (r) => number(1 / r.rate)],
];

/** Every check, by the sentence that it proves. */
export const urlChecksOf = (report) => ({
  'no listed host is missed in any disguise': report.missed === 0,
  'check and checkMany agree': report.differing === 0,
  'benign URLs: the false alarms are inside their binomial interval':
    report.interval.low <= report.alarms && report.alarms <= report.interval.high,
  'toBytes gives the bytes that were loaded': report.bytes.equals(report.again),
});
