// Two neighbouring web caches, like those of Squid. From time to time each sends the other a digest, a filter of
// the URLs that it has. If a cache lacks a URL and the digest says "perhaps", it asks the neighbour. Else it asks
// the origin, far away. Between two exchanges the digests age.
//
//   node js/examples/cache-digest.mjs
import { strict as assert } from 'node:assert';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'tamis';
import { count, printTable } from './figures.mjs';
import { random } from './random.mjs';

const PAGES = 20_000;
const HELD = 2_500;
const WARM_UP = 50_000; // requests that fill the caches before the tally begins
const REQUESTS = 100_000;
const FPR = 0.01;
const PERIODS = [500, 5_000, 25_000];

const urls = Array.from(
  { length: PAGES },
  (_, i) => `https://site-${i % 97}.example/articles/${i}/index.html`,
);

// Zipf's law: the page of rank r is fetched 1/r as often as the first.
const ranks = Float64Array.from({ length: PAGES }, (_, i) => 1 / (i + 1));
for (let i = 1; i < PAGES; i++) ranks[i] += ranks[i - 1];

/** The first rank whose sum is above `point`. */
function rankAt(point) {
  let [low, high] = [0, PAGES - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranks[middle] > point) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A cache that drops the URL that was not fetched for the longest time, with the digest of its neighbour. */
class WebCache {
  #urls = new Set(); // the least recently used first
  digest = new BloomFilter({ capacity: HELD, fpr: FPR });
  listed = new Set(); // the URLs in the digest, for the tally: a real cache has no such list

  has(url) {
    return this.#urls.has(url);
  }

  /** Fetches the URL: true if it was here before. */
  fetch(url) {
    const isHit = this.#urls.delete(url);
    this.#urls.add(url);
    if (this.#urls.size > HELD) {
      const [oldest] = this.#urls;
      this.#urls.delete(oldest);
    }
    return isHit;
  }

  /** Takes the neighbour's digest, and returns the number of bytes that were sent. */
  receive(neighbour) {
    const filter = BloomFilter.from(neighbour.#urls, { capacity: HELD, fpr: FPR });
    const bytes = filter.toBytes();
    filter.dispose();
    this.digest.dispose();
    this.digest = BloomFilter.fromBytes(bytes);
    this.listed = new Set(neighbour.#urls);
    return bytes;
  }
}

function simulate(period) {
  const next = random(4);
  const caches = [new WebCache(), new WebCache()];
  const tally = { local: 0, found: 0, outdated: 0, tooNew: 0, falsePositives: 0, refused: 0 };
  let sent = 0;
  let sentBytes = 0;
  for (let i = -WARM_UP; i < REQUESTS; i++) {
    if (i % period === 0) {
      const digests = [caches[0].receive(caches[1]), caches[1].receive(caches[0])];
      if (i >= 0) {
        sent += digests.length;
        sentBytes += digests[0].length + digests[1].length;
      }
    }
    const own = caches[i & 1];
    const neighbour = caches[~i & 1];
    const wanted = urls[rankAt(next() * ranks[PAGES - 1])];
    const isHit = own.fetch(wanted);
    if (i < 0) continue;
    if (isHit) {
      tally.local++;
      continue;
    }
    const perhaps = own.digest.has(wanted);
    const isListed = own.listed.has(wanted);
    assert.ok(perhaps || !isListed, 'the digest forgets no URL of the list');
    if (neighbour.has(wanted)) tally[perhaps ? 'found' : 'tooNew']++;
    else if (perhaps) tally[isListed ? 'outdated' : 'falsePositives']++;
    else tally.refused++;
  }
  const list = Buffer.from([...caches[0].listed].join('\n'));
  return { period, sent, sentBytes, list, ...tally };
}

const runs = PERIODS.map(simulate);
const row = (label, figure) => [label, ...runs.map((run) => count(figure(run)))];
printTable(`${count(REQUESTS)} requests to two caches of ${count(HELD)} URLs`, [
  row('requests between exchanges', (run) => run.period),
  row('hits in the own cache', (run) => run.local),
  row('hits found at the neighbour', (run) => run.found),
  row('hits missed, newer than the digest', (run) => run.tooNew),
  row('asked in vain, dropped since', (run) => run.outdated),
  row('asked in vain, false positive', (run) => run.falsePositives),
  row('not asked, and rightly', (run) => run.refused),
  row('digests sent', (run) => run.sent),
  row('bytes of a digest', (run) => run.sentBytes / run.sent),
  row('bytes of the last list of URLs', (run) => run.list.length),
  row('bytes of that list, gzipped', (run) => gzipSync(run.list, { level: 9 }).length),
]);
