// The keys of the bench, made from fixed seeds. Every run looks up the same keys.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { random } from '../../js/examples/random.mjs';

const PREFIXES = ['www.', 'login.', 'shop.', '', 'cdn.', 'app.', ''];
const SYLLABLES = ['ba', 'ke', 'lo', 'mi', 'nu', 'ra', 'sto', 'ver', 'tan', 'quil'];
const DOMAINS = ['.com', '.net', '.org', '.example.org', '.co.uk', '.io'];
const SEGMENTS = ['account', 'news', 'img', 'verify', 'product', 'static', 'a', 'session'];
const HOSTS = 60_000;
/** A step that brings members in another order than they were added in. It is prime. */
export const STEP = 611_953;
const LISTED_HOSTS = 190_000;
const ASKED_URLS = 48_000;

/** Whole numbers below a limit, the same ones for the same seed. */
function randomSource(seed) {
  const next = random(seed);
  return (limit) => (next() * 2 ** 32) % limit;
}

function makeHosts(random) {
  const hosts = [];
  for (let i = 0; i < HOSTS; i++) {
    let name = PREFIXES[random(PREFIXES.length)];
    for (let syllables = 2 + random(2); syllables > 0; syllables--) {
      name += SYLLABLES[random(SYLLABLES.length)];
    }
    hosts.push(name + i.toString(36) + DOMAINS[random(DOMAINS.length)]);
  }
  return hosts;
}

/**
 * `count` URLs as lines, numbered from `first`. Each URL contains its number, multiplied by an odd factor, so all are
 * distinct, even across calls with different numbers.
 */
export function makeUrls(first, count) {
  const hosts = makeHosts(randomSource(1));
  const random = randomSource(first + 2);
  const lines = Array.from({ length: count }, (_, i) => {
    const id = (Math.imul(first + i, 0x9e3779b1) >>> 0).toString(36);
    const path = `${SEGMENTS[random(SEGMENTS.length)]}/${SEGMENTS[random(SEGMENTS.length)]}`;
    return `https://${hosts[random(HOSTS)]}/${path}?id=${id}&p=${random(100)}\n`;
  });
  return Buffer.from(lines.join(''), 'latin1');
}

/** murmur3's final mix of 32 bits, a bijection. */
function mix(x) {
  let y = x >>> 0;
  y = Math.imul(y ^ (y >>> 16), 0x85ebca6b);
  y = Math.imul(y ^ (y >>> 13), 0xc2b2ae35);
  return (y ^ (y >>> 16)) >>> 0;
}

/** `count` distinct hashes, numbered from `first`, for sizes whose URLs would take long to make. */
export function randomHashes(first, count) {
  const words = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    words[2 * i] = mix(first + i);
    words[2 * i + 1] = mix((first + i) ^ 0x9e3779b9);
  }
  return new BigUint64Array(words.buffer);
}

/** `count` lines of 16 hexadecimal digits, all distinct, numbered from `first`. */
export function makeSerials(first, count) {
  const digits = Buffer.from(Buffer.from(randomHashes(first, count).buffer).toString('hex'));
  const lines = Buffer.alloc(17 * count, 10);
  for (let i = 0; i < count; i++) digits.copy(lines, 17 * i, 16 * i, 16 * i + 16);
  return lines;
}

/** The first `count` of these lines. */
export const first = ({ bytes, ends }, count) => ({
  bytes: bytes.subarray(0, ends[count - 1] + 1),
  ends: ends.slice(0, count),
});

/** The first `share` of a file's lines: their bytes, and the end of each. */
export function openLines(file, share = 1) {
  const bytes = readFileSync(file);
  const ends = [];
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1)) ends.push(end);
  return first({ bytes, ends }, Math.round(share * ends.length));
}

/**
 * Makes new string objects. V8 keeps a string's hash in the object, so an old object would make the look-up faster. A
 * `step` that is coprime to the number of lines gives them in another order.
 */
export function fresh({ bytes, ends }, step = 1) {
  const strings = new Array(ends.length);
  for (let i = 0; i < ends.length; i++) {
    const line = (i * step) % ends.length;
    strings[i] = bytes.latin1Slice(line === 0 ? 0 : ends[line - 1] + 1, ends[line]);
  }
  return strings;
}

const linesOf = (bytes) => new TextDecoder().decode(bytes).split(/\r?\n/).filter(Boolean);

/**
 * The lists of the URL part: `hosts`, `urls`, and for real lists a `history` of days. Real lists are in `folder`:
 * phishing-hosts-190k.txt.gz, benign-urls-48k.txt.gz and phishing-history.json.gz ({ start, steps: [{ add, remove }]
 * }). Without a folder, hosts and URLs are generated.
 */
export function readLists(folder, share) {
  const part = (lines) => lines.slice(0, Math.ceil(share * lines.length));
  if (folder === undefined) {
    const hosts = Array.from({ length: LISTED_HOSTS }, (_, i) => `listed${i.toString(36)}.example`);
    return { isReal: false, hosts: part(hosts), urls: part(linesOf(makeUrls(0, ASKED_URLS))) };
  }
  const read = (name) => {
    const file = join(folder, name);
    if (!existsSync(file)) throw new Error(`--lists: ${file} is not there`);
    return gunzipSync(readFileSync(file));
  };
  const history = JSON.parse(read('phishing-history.json.gz'));
  return {
    isReal: true,
    hosts: part(linesOf(read('phishing-hosts-190k.txt.gz'))),
    // Some lines are not URLs, and `new URL` would throw.
    urls: part(linesOf(read('benign-urls-48k.txt.gz')).filter((url) => URL.canParse(url))),
    history: { ...history, steps: part(history.steps) },
  };
}
