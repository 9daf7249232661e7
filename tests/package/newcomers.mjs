// Wrong calls as newcomers make them, by the code of the error: the call, and the whole text.

/** The beginning of a program with these calls. */
export const head = `
import { BloomFilter, BloomierMap, CuckooFilter, ExactFilter, RibbonFilter } from 'tamis';
import { fromBytes, key, keyBatchesFrom } from 'tamis';
import { readFeed } from 'tamis/feeds';
import * as read from 'tamis/read';
import { RedisFilter } from 'tamis/redis';
import { RemoteFilter } from 'tamis/remote';
import { UrlChecker } from 'tamis/url';
const filter = BloomFilter.from(['alice', 'bob'], { capacity: 100 });
const bytes = filter.toBytes();
const secret = new Uint8Array(16);
const later = Promise.resolve(bytes);
const has = filter.has;
const url = 'https://a.example/manifest.json';
`;

export const newcomers = {
  ERR_TAMIS_INVALID_OPTION: {
    'new BloomFilter(1000, 4)':
      'BloomFilter: options must be an object { capacity, fpr, bits, hashes, scheme, seed, secret }, got 1000',
    "BloomFilter.from(['a'], 0.01)":
      'BloomFilter.from: options must be an object { capacity, fpr, bits, hashes, scheme, seed, secret }, got 0.01',
    "ExactFilter.from(['a'], ['b'])":
      'ExactFilter.from: options must be an object { include, exclude }, got Array',
    'BloomierMap.from({ a: 1 }, { valueBits: 8 })':
      'expected [key, value] pairs, as from Object.entries, got Object',
    'new RibbonFilter({ fpr: 0.01 })': 'use RibbonFilter.from or the like, not new',
    'new CuckooFilter({ fpr: 0.01 })': 'CuckooFilter: expected the option capacity',
    "RedisFilter.open('seen', {}, { capacity: 9 })":
      'RedisFilter.open: client must be a client of node-redis or ioredis, or { call(args) }, got a string of length 4',
    'RemoteFilter.open({ manifest: url })':
      'RemoteFilter.open must be called as RemoteFilter.open(manifestUrl, { name, publicKeys, ... }), got Object',
    "UrlChecker.open({ manifest: url, list: 'x' })":
      'UrlChecker.open must be called as UrlChecker.open(manifestUrl, { name, publicKeys, ... }), got Object',
    'new BloomFilter({ capactiy: 1000 })':
      'BloomFilter: unknown option "capactiy"; expected capacity, fpr, bits, hashes, scheme, seed, secret',
    'new BloomFilter({ capacity: 1000, errorRate: 0.01 })':
      'BloomFilter: unknown option "errorRate"; expected capacity, fpr, bits, hashes, scheme, seed, secret',
    "new BloomFilter({ capacity: 9, hash: 'keyed', key: secret })":
      'BloomFilter: unknown option "hash"; expected capacity, fpr, bits, hashes, scheme, seed, secret',
    "new BloomFilter({ capacity: '1000' })":
      'BloomFilter: capacity must be a number, got a string of length 4',
    'new BloomFilter({ capacity: 1000, fpr: 1 })':
      'BloomFilter: fpr must be at least 2^-48 and below 1, got 1',
    "has('alice')": 'call methods on a filter, as in filter.has(key)',
    'BloomFilter.fromBytes(later)':
      'BloomFilter: bytes must be a Uint8Array or an ArrayBuffer, got a Promise: await it; pass await response.arrayBuffer()',
    'BloomFilter.fromBytes(new Response())':
      'BloomFilter: bytes must be a Uint8Array or an ArrayBuffer, got Response; pass await response.arrayBuffer(), or use fromStream',
    "BloomFilter.fromBytes(new Set(['a']))":
      'BloomFilter: bytes must be a Uint8Array or an ArrayBuffer, got Set; use `from` for keys',
    "fromBytes('VE1T')":
      'fromBytes: bytes must be a Uint8Array or an ArrayBuffer, got a string of length 4; decode base64 to bytes first',
    'fromBytes(JSON.parse(JSON.stringify(filter)))':
      'fromBytes: bytes must be a Uint8Array or an ArrayBuffer, got Object; JSON.stringify loses a filter, and changes bytes: store toBytes() as base64',
    'fromBytes(JSON.parse(JSON.stringify(bytes)))':
      'fromBytes: bytes must be a Uint8Array or an ArrayBuffer, got Object; JSON.stringify loses a filter, and changes bytes: store toBytes() as base64',
    'BloomFilter.fromStream(new Response())':
      'BloomFilter: source must be a ReadableStream or an AsyncIterable, such as response.body, got Response',
    "read.BloomFilter.fromBytes('VE1T')":
      'expected a Uint8Array or an ArrayBuffer, got String; decode base64 to bytes first',
    "read.fromStream('https://a.example/filter.tamis')":
      'expected a stream, such as response.body, got String',
    'read.fromBytes(bytes, { key: secret })':
      'unknown option "key"; expected secret, maxBytes, view',
    'keyBatchesFrom(new Response()).next()':
      'keyBatchesFrom: source must be a ReadableStream or an AsyncIterable, such as response.body, got Response',
    "readFeed('https://a.example/list.txt')":
      'readFeed: the text is only a URL: pass the body of await fetch(url), or add a newline if the feed is this line',
  },
  ERR_TAMIS_INVALID_KEY: {
    'filter.add(5)':
      'a key must be a well-formed string or a Uint8Array, got 5; use key.int32(n), key.int64(n) or key.float64(n)',
    'filter.has(undefined)': 'a key must be a well-formed string or a Uint8Array, got undefined',
    'filter.has({ id: 1 })': 'a key must be a well-formed string or a Uint8Array, got Object',
    "filter.has(Promise.resolve('alice'))":
      'a key must be a well-formed string or a Uint8Array, got a Promise: await it',
    "filter.addMany('alice')":
      'keys must be an array or another iterable, got a string of length 5',
    "key.int32('5')": 'int32: expected a number, got a string of length 1',
  },
  none: {
    'BloomFilter.create(1000, 0.01)': 'BloomFilter.create is not a function',
    'BloomFilter.withTargetError(1000, 0.01)': 'BloomFilter.withTargetError is not a function',
    'BloomFilter.fromJSON({})': 'BloomFilter.fromJSON is not a function',
    "filter.test('alice')": 'filter.test is not a function',
  },
};

/** The calls that the types cannot refuse, and why. */
export const unrefused = {
  'new BloomFilter({ capacity: 1000, fpr: 1 })': 'the range of a number',
  "filter.addMany('alice')": 'a string is an iterable of strings',
  "has('alice')": 'methods have no type for this',
  'fromBytes(JSON.parse(JSON.stringify(filter)))': 'JSON.parse gives any',
  'fromBytes(JSON.parse(JSON.stringify(bytes)))': 'JSON.parse gives any',
  "readFeed('https://a.example/list.txt')": 'a string may be a text',
};

/** What the calls of messages.mjs need beside `head`. */
export const setup = `
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { BitArray, BlockedBloomFilter, DeletableBloomFilter, InvertibleBloomTable } from 'tamis';
import { ScalableBloomFilter, TombstoneBloomFilter, bloomSizing, fromBytesOf } from 'tamis';
import { fromStream, hashKeys, keysFromLines, linesFrom, suggestFilter } from 'tamis';
import { bloomFiltersJson, encodings, guava, redisBloom, spark } from 'tamis/interop';
import { buildPages } from 'tamis/pages';
import { SafeBrowsing } from 'tamis/safe-browsing';
import { UrlGuard, UrlList, UrlListBuilder, canonicalize, createConfirmHandler } from 'tamis/url';
import { memoryStorage, publishList, signManifest, verifyManifest } from 'tamis/url';
import * as schemes from 'tamis/schemes';

const utf8 = (text) => new TextEncoder().encode(text);
const firstOf = (entries) => entries[Symbol.asyncIterator]().next();
const names = Array.from({ length: 9999 }, (_, i) => 'name ' + i);

const other = new Uint8Array(16).fill(1);
const keyed = BloomFilter.from(['alice'], { secret });
const foreign = new BloomFilter({ capacity: 9, scheme: schemes.guava64 });
const small = CuckooFilter.from(['alice', 'bob']);
const locked = DeletableBloomFilter.from(names, { regions: 8, fpr: 0.5 });
const deleted = TombstoneBloomFilter.from(['alice', 'bob']);
deleted.delete('bob');
const disposed = BloomFilter.from(['alice']);
disposed.dispose();
const bits = new BitArray(100);
const table = new InvertibleBloomTable({ differences: 10, keyBytes: 5 });
const detached = new Uint8Array(8);
structuredClone(detached, { transfer: [detached.buffer] });

/** The bytes with another byte in the header, and the right CRC-32C of that. */
function changed(at, value) {
  const copy = bytes.slice();
  copy[at] = value;
  let crc = -1;
  for (const byte of copy.subarray(0, 60)) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (0x82f63b78 & -(crc & 1));
  }
  new DataView(copy.buffer).setInt32(60, ~crc, true);
  return copy;
}
const newer = changed(8, 9);
const newType = changed(10, 99);
const cut = bytes.subarray(0, 70);
const damaged = bytes.slice().fill(0, 70);
const html = utf8('<html>');
const stream = () => new Blob([bytes]).stream();
const reader = read.fromBytes(bytes);
const closed = read.fromBytes(bytes);
closed.dispose();
const readBits = read.BitArray.fromBytes(bits.toBytes());

// The first test key of RFC 8032, and the public key of the second.
const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const d = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
const jwk = { kty: 'OKP', crv: 'Ed25519', d, x };
const privateKey = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', true, ['sign']);
const publicKey = Buffer.from(x, 'base64url').toString('hex');
const otherKey = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c';
const signingKeys = { privateKey, publicKey };
const publicKeys = [publicKey];

const rule = { name: 'psl', registrableDomain: () => null };
const evil = (options) => new UrlListBuilder(options).addHosts(['evil.example']);
const list = evil().build();
const long = evil({ prefixBytes: 8 }).build();
const ruled = UrlList.fromBytes(evil({ rule }).build().toBytes());
const storage = memoryStorage();
const now = () => Date.UTC(2020, 0, 1);
const publish = { name: 'bad', storage, signingKeys, now };
const manifest = await publishList(list, publish);
const verify = { publicKeys, nowMs: now() };
const fetchList = async (place) => new Response(storage.get(basename(place)));
const answers = { whenMissing: 'throw', whenUnconfirmed: 'throw' };
const fetch = async () => {
  throw new Error('no network');
};
const guard = { storage: 'memory', ...answers, fetch, updateEveryMs: 0 };
const check = { name: 'bad', publicKeys, confirm: null, ...guard };
const checker = await UrlChecker.open(url, { ...check, fetch: fetchList, now });
const offline = await UrlChecker.open(url, check);
const confirm = { cacheSeconds: 1, negativeSeconds: 1 };
const search = { apiKey: 'k', mode: 'no-storage', whenSearchFails: 'throw', fetch };

await buildPages(names.slice(0, 99), 'users', { name: 'users' });
await buildPages(['alice'], 'keyed', { name: 'users', secret });
await buildPages(names, 'many', { name: 'users', pages: 9 });
const fetchPages = (folder) => async (place) =>
  new Response(readFileSync(folder + '/' + basename(place)));
const remote = { name: 'users', publicKeys: null, retries: 0, fetch: fetchPages('users') };
const many = await RemoteFilter.open(url, { ...remote, fetch: fetchPages('many') });
const call = async () => [];
const wrongType = async () => {
  throw new Error('WRONGTYPE');
};
`;
