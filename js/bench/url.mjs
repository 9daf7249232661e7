// What a URL costs to check: nanoseconds for each, one by one and many at once, on the bench's URLs.
//
//   node js/bench/url.mjs [hosts on the list]     (default: 190,000)

import { UrlListBuilder } from 'tamis/url';
import { minimum, startClock } from './clock.mjs';
import { decode, lineBounds, makeUrls } from './urls.mjs';

const HOSTS = Number(process.argv[2] ?? 190_000);
const URLS = 48_000;
const ROUNDS = 7;

const bytes = makeUrls(0, URLS);
const bounds = lineBounds(bytes, { shuffled: true });

const listed = Array.from({ length: HOSTS }, (_, i) => `listed${i.toString(36)}.example`);
const list = new UrlListBuilder({ name: 'bench' }).addHosts(listed).build();

/** The least of some rounds, each with strings of its own, in nanoseconds for each URL. */
function measure(act) {
  const times = [];
  let hits = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const urls = decode(bytes, bounds);
    const stop = startClock();
    hits = act(urls);
    times.push((1e6 * stop()) / URLS);
  }
  return { ns: Math.round(minimum(times)), hits };
}

const isHit = (word) => word === 'maybe';
const one = measure((urls) => urls.filter((url) => isHit(list.check(url))).length);
const many = measure((urls) => list.checkMany(urls).filter(isHit).length);
const parse = measure((urls) => urls.filter((url) => new URL(url).href.includes('@')).length);

const wire = list.toBytes().length;
console.log(`${list.count} hosts: ${wire} bytes on the wire, ${list.sizeBytes} in memory`);
console.log(`check      ${one.ns} ns a URL, ${one.hits} of ${URLS} hit`);
console.log(`checkMany  ${many.ns} ns a URL, ${many.hits} of ${URLS} hit`);
console.log(`new URL    ${parse.ns} ns a URL, which is a part of both`);
