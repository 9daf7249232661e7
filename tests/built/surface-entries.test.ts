/** The public surface of the other entries, name by name: a change here is a change of the API. */
import { expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import { TamisError } from 'tamis';
import * as feeds from 'tamis/feeds';
import * as interop from 'tamis/interop';
import * as pages from 'tamis/pages';
import * as readers from 'tamis/read';
import * as redis from 'tamis/redis';
import * as remote from 'tamis/remote';
import * as safeBrowsing from 'tamis/safe-browsing';
import * as schemes from 'tamis/schemes';
import * as url from 'tamis/url';

import { expectOption, rejection } from '../js/support/errors.js';
import { members, statics } from '../js/support/members.js';

/** The options that an error of an unknown one names. */
const namesIn = (message: string): string[] =>
  (message.split('; expected ')[1] ?? '').split(', ').sort();

test('tamis/read: the classes that answer questions, by the names of tamis', () => {
  const asked = Object.keys(tamis).filter((name) =>
    /^[A-Z].*Filter$|^BitArray$|^BloomierMap$/.test(name),
  );
  const functions = ['TamisError', 'figuresOf', 'fromStream', 'hashKey', 'open', 'openAny'];
  expect(Object.keys(readers).sort()).toEqual([...asked, ...functions].sort());
  for (const name of asked) {
    const Whole = Reflect.get(tamis, name) as typeof tamis.CuckooFilter;
    const Reader = Reflect.get(readers, name) as typeof readers.CuckooFilter;
    expect(statics(Reader)).toEqual(['fromBytes']);
    // The package's own members beside those of a user.
    const internal = ['constructor', 'kind', 'live', 'read'];
    const isOfMap = name === 'BloomierMap';
    const ofFilter = ['capacity', 'fpr', 'has', 'hasHashes', 'hasMany', 'hash'];
    const own = name === 'BitArray' ? ['has', 'length'] : ofFilter;
    const ofMap = isOfMap ? ['get', 'getMany'] : [];
    const common = ['dispose', 'type', ...internal];
    expect(members(Reader.prototype).sort()).toEqual([...common, ...own, ...ofMap].sort());
    if (!isOfMap) expect(members(Whole.prototype)).toEqual(expect.arrayContaining(own));
  }
  expect(readers.TamisError).toBe(tamis.TamisError);
});

test('tamis/url', () => {
  expect(Object.keys(url).sort()).toEqual([
    'UrlChecker',
    'UrlDelta',
    'UrlGuard',
    'UrlList',
    'UrlListBuilder',
    'cacheStorage',
    'canonicalize',
    'createConfirmHandler',
    'expressions',
    'fileStorage',
    'hashExpression',
    'indexedDbStorage',
    'memoryStorage',
    'navigationUrl',
    'publishList',
    'riceDecode',
    'riceEncode',
    'signManifest',
    'verifyManifest',
  ]);
});

test('tamis/schemes', () => {
  expect(Object.entries(schemes).map(([exported, { name }]) => [exported, name])).toEqual([
    ['datasketches', 'datasketches'],
    ['digest', 'digest'],
    ['go', 'go'],
    ['guava32', 'guava-32'],
    ['guava64', 'guava64'],
    ['murmur2aFnv1a', 'murmur2a-fnv1a'],
    ['npmBloomFilters', 'npm-bloom-filters'],
    ['npmBloomfilter', 'npm-bloomfilter'],
    ['parquet', 'parquet'],
    ['redisbloom', 'redisbloom'],
    ['seeds', 'seeds'],
    ['sparkV1', 'spark-v1'],
    ['sparkV2', 'spark-v2'],
  ]);
});

test('tamis/interop', () => {
  const { ForeignFilter, encodings, ...codecs } = interop;
  expect(typeof ForeignFilter).toBe('function');
  const members = ['create', 'decode', 'encode', 'name'];
  expect(
    Object.entries(codecs).map(([exported, codec]) => [
      exported,
      codec.name,
      ...members.filter((name) => typeof (codec as never)[name] === 'function'),
    ]),
  ).toEqual([
    ['binaryFuse', 'binary-fuse', 'decode'],
    ['bloomFiltersJson', 'bloom-filters', 'decode'],
    ['bloomfilterJson', 'bloomfilter', 'decode'],
    ['dataSketches', 'datasketches', 'create', 'decode', 'encode'],
    ['goBloom', 'go', 'create', 'decode', 'encode'],
    ['goCuckoo', 'go-cuckoo', 'decode'],
    ['guava', 'guava', 'create', 'decode', 'encode'],
    ['parquet', 'parquet', 'create', 'decode', 'encode'],
    ['redisBitmap', 'redis-bitmap', 'decode', 'encode'],
    ['redisBloom', 'redisbloom', 'create', 'decode', 'encode'],
    ['redisCuckoo', 'redis-cuckoo', 'decode', 'encode'],
    ['spark', 'spark', 'create', 'decode', 'encode'],
  ]);
  for (const codec of Object.values(codecs)) {
    expect(Object.keys(codec).every((name) => members.includes(name))).toBe(true);
    expect(Object.isFrozen(codec)).toBe(true);
  }
  expect(Object.keys(encodings)).toEqual([
    ...['utf8', 'utf16', 'bytes', 'int32', 'int64', 'decimal', 'long', 'float', 'double'],
    ...['BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY', 'INT32', 'INT64', 'FLOAT', 'DOUBLE'],
  ]);
});

test('tamis/redis', () => {
  expect(Object.keys(redis).sort()).toEqual(['RedisFilter', 'TamisError']);
  expect(redis.TamisError).toBe(TamisError);
  expect(statics(redis.RedisFilter)).toEqual(['open']);
  expect(Object.getOwnPropertyNames(redis.RedisFilter.prototype).sort()).toEqual([
    ...['add', 'addMany', 'clear', 'constructor', 'figures', 'has', 'hasMany', 'merge'],
    ...['shardOf', 'toFilter', 'toJSON'],
  ]);
});

test('tamis/remote', () => {
  expect(Object.keys(remote).sort()).toEqual(['RemoteFilter', 'RemoteMap', 'TamisError']);
  expect(remote.TamisError).toBe(TamisError);
  const common = [
    'close',
    'constructor',
    'has',
    'hasMany',
    'prefetch',
    'status',
    'update',
    'visit',
  ];
  for (const [Class, own] of [
    [remote.RemoteFilter, []],
    [remote.RemoteMap, ['get', 'getMany']],
  ] as const) {
    expect(statics(Class)).toEqual(['open']);
    const names = members(Class.prototype).filter((name) => !name.startsWith('Symbol('));
    expect(names).toEqual([...common, ...own].sort());
  }
});

test('tamis/safe-browsing', async () => {
  expect(Object.keys(safeBrowsing)).toEqual(['SafeBrowsing']);
  const { SafeBrowsing } = safeBrowsing;
  expect(statics(SafeBrowsing)).toEqual(['open']);
  expect(Object.getOwnPropertyNames(SafeBrowsing.prototype).sort()).toEqual([
    ...['check', 'checkMany', 'close', 'constructor', 'onUpdate', 'status', 'toJSON'],
    ...['update', 'verify'],
  ]);
  const given = { key: null, mode: 'no-storage', onSearchError: 'unknown' } as const;
  const said = await rejection(SafeBrowsing.open({ ...given, none: 1 } as never));
  expect(namesIn(said.message)).toEqual([
    ...['action', 'autoUpdate', 'downloadTimeoutMs', 'endpoint', 'fetch', 'key', 'lists'],
    ...['maxAgeMs', 'maxEntries', 'maxUpdateEntries', 'mode', 'now', 'onSearchError', 'random'],
    ...['rule', 'searchTimeoutMs', 'storage'],
  ]);
  const client = await SafeBrowsing.open(given);
  const asked = await rejection(client.verify('https://a.example/', { none: 1 } as never));
  expect(namesIn(asked.message)).toEqual(['isFrame', 'signal']);
  client.close();
});

test('tamis/feeds', () => {
  expect(Object.keys(feeds).sort()).toEqual(['TamisError', 'readFeed']);
  expect(feeds.TamisError).toBe(TamisError);
  const said = expectOption(() => feeds.readFeed('', { none: 1 } as never), TypeError).message;
  expect(namesIn(said)).toEqual(['format', 'maxLineBytes', 'onSkip', 'online']);
});

test('tamis/pages', async () => {
  expect(Object.keys(pages).sort()).toEqual(['TamisError', 'buildPages']);
  const said = (await rejection(pages.buildPages([], 'out', { none: 1 } as never))).message;
  expect(namesIn(said)).toEqual([
    ...['arity', 'checkBits', 'exclude', 'expectedKeys', 'files', 'fingerprintBits', 'fpr', 'hash'],
    ...['key', 'lifetimeMs', 'memoryBytes', 'name', 'onProgress', 'pages', 'publicKeys', 'resume'],
    ...['seed', 'sign', 'signal', 'type', 'valueBits'],
  ]);
});

// An option that one of them lost would be refused. An additional option is a change of the API.
test('the options of tamis/remote and tamis/redis', async () => {
  const refusal = async (opening: Promise<unknown>) => (await rejection(opening)).message;
  const given = { publicKeys: null, none: 1 } as never;
  for (const Class of [remote.RemoteFilter, remote.RemoteMap]) {
    const said = await refusal(Class.open('https://host.example/manifest.json', given));
    expect(namesIn(said)).toEqual([
      ...['cachePages', 'decoys', 'fetch', 'key', 'maxAgeMs', 'name', 'now', 'onFullResponse'],
      ...['publicKeys', 'random', 'requests', 'retries', 'storage', 'timeoutMs', 'types'],
    ]);
  }
  const client = { call: async () => null };
  const said = await refusal(redis.RedisFilter.open(client, 'seen', given));
  expect(namesIn(said)).toEqual(['capacity', 'fpr', 'key', 'seed', 'shardBytes', 'shards']);
});

const toRead = Object.entries(readers).filter(([name]) =>
  /Filter$|^BitArray$|^BloomierMap$/.test(name),
);
const made: readonly (readonly [string, unknown, RegExp])[] = [
  ...toRead.map(([name, Class]) => [`tamis/read: ${name}`, Class, /fromBytes.*'tamis'/] as const),
  ['UrlChecker', url.UrlChecker, /UrlChecker\.open\(options\)/],
  ['UrlGuard', url.UrlGuard, /UrlGuard\.open\(options\)/],
  ['SafeBrowsing', safeBrowsing.SafeBrowsing, /SafeBrowsing\.open\(options\)/],
  ['UrlList', url.UrlList, /UrlList\.fromBytes/],
  ['UrlDelta', url.UrlDelta, /UrlDelta\.fromBytes/],
  ['RemoteFilter', remote.RemoteFilter, /RemoteFilter\.open/],
  ['RemoteMap', remote.RemoteMap, /RemoteMap\.open/],
  ['RedisFilter', redis.RedisFilter, /RedisFilter\.open\(client, name\)/],
  ['ForeignFilter', interop.ForeignFilter, /codec of tamis\/interop/],
];
test.each(made)('%s is made by the call that its constructor names', (_name, Class, call) => {
  for (const given of [undefined, null, 'x', 5, {}, { capacity: 5 }, new Uint8Array(99)]) {
    const error = expectOption(
      () => new (Class as new (...of: unknown[]) => object)(given, given),
      TypeError,
    );
    expect(error.message).toMatch(call);
  }
});
