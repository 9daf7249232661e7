// One contender, one round: `node --expose-gc url-round.mjs NAME DIRECTORY`. Prints JSON: nanoseconds for
// each URL, and what was counted.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expressions, UrlListBuilder } from 'tamis/url';
import { startClock } from './clock.mjs';
import { decode, lineBounds } from './urls.mjs';

const CHUNK = 4_000;

const [name, directory] = process.argv.slice(2);
const hosts = readFileSync(join(directory, 'hosts.txt'), 'latin1').trimEnd().split('\n');
const bytes = readFileSync(join(directory, 'urls.txt'));
const bounds = lineBounds(bytes, { shuffled: false });

/** The host and the domains above it, as a Safe Browsing client asks for them: five at most. */
function* suffixes(host) {
  yield host;
  const labels = host.split('.');
  for (let first = Math.max(1, labels.length - 5); first <= labels.length - 2; first++) {
    yield labels.slice(first).join('.');
  }
}

/** What is asked a URL; `most` is how many a slow one gets. */
const contenders = {
  tamis() {
    const list = new UrlListBuilder().addHosts(hosts).build();
    // The list says that it has hosts alone, and is asked about these.
    const isHost = (expression) => expression.indexOf('/') === expression.length - 1;
    const asked = (url) => expressions(url).filter(isHost).length;
    return {
      check: (url) => list.check(url) === 'maybe',
      checkMany: (urls) => list.checkMany(urls).map((word) => word === 'maybe'),
      counts: (urls) => ({
        entries: list.count,
        wireBytes: list.toBytes().length,
        memoryBytes: list.sizeBytes,
        expressions: urls.reduce((sum, url) => sum + asked(url), 0),
        falseNegatives: hosts.filter((host) => list.check(`http://${host}/`) !== 'maybe').length,
      }),
    };
  },
  set() {
    const listed = new Set(hosts);
    return {
      check(url) {
        for (const suffix of suffixes(new URL(url).hostname)) if (listed.has(suffix)) return true;
        return false;
      },
    };
  },
  detector() {
    const Detector = createRequire(import.meta.url)('eth-phishing-detect/src/detector.js');
    const detector = new Detector({ blacklist: hosts });
    return { most: 200, check: (url) => detector.check(new URL(url).hostname).result };
  },
};

const { check, checkMany, counts, most } = contenders[name]();
const fresh = () => decode(bytes, bounds).slice(0, most);

/** Milliseconds for all URLs, in chunks: V8 replaces a wasm function by better code between calls only. */
function timed(act) {
  for (let chunk = fresh(); chunk.length > 0; chunk = chunk.slice(CHUNK))
    act(chunk.slice(0, CHUNK));
  const urls = fresh();
  globalThis.gc();
  let hits = 0;
  const stop = startClock();
  for (let from = 0; from < urls.length; from += CHUNK) hits += act(urls.slice(from, from + CHUNK));
  return { ns: (1e6 * stop()) / urls.length, hits };
}

const one = timed((urls) => urls.filter(check).length);
const many = checkMany && timed((urls) => checkMany(urls).filter(Boolean).length);
if (many !== undefined && many.hits !== one.hits)
  throw new Error(`${name}: check and checkMany differ`);
process.stdout.write(
  JSON.stringify({
    times: { check: one.ns, ...(many && { checkMany: many.ns }) },
    counts: { urls: fresh().length, hits: one.hits, ...counts?.(fresh()) },
  }),
);
