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
const words = (text: string): string[] => text.split(' ');

test('tamis/read: the classes that answer questions, by the names of tamis', () => {
  const asked = Object.keys(tamis).filter((name) =>
    /^[A-Z].*Filter$|^BitArray$|^BloomierMap$/.test(name),
  );
  const loaders = ['fromBytes', 'fromBytesOf', 'fromStream', 'fromStreamOf'];
  for (const name of loaders) expect(Reflect.get(tamis, name)).toBeInstanceOf(Function);
  const functions = ['TamisError', 'hashKey', 'normalizeKey', ...loaders];
  expect(Object.keys(readers).sort()).toEqual([...asked, ...functions].sort());
  for (const name of asked) {
    const Whole = Reflect.get(tamis, name) as typeof tamis.CuckooFilter;
    const Reader = Reflect.get(readers, name) as typeof readers.CuckooFilter;
    expect(statics(Reader)).toEqual(['fromBytes']);
    // The package's own members beside those of a user.
    const internal = ['constructor', 'kind', 'read'];
    const isOfMap = name === 'BloomierMap';
    const ofFilter = ['capacity', 'fpr', 'has', 'hasHashes', 'hasMany', 'hash'];
    const own = name === 'BitArray' ? ['has', 'length'] : ofFilter;
    const ofMap = isOfMap ? ['get', 'getMany'] : [];
    const common = ['dispose', 'equals', 'toJSON', 'type', ...internal];
    expect(members(Reader.prototype).sort()).toEqual([...common, ...own, ...ofMap].sort());
    if (!isOfMap) expect(members(Whole.prototype)).toEqual(expect.arrayContaining(own));
  }
  expect(readers.TamisError).toBe(tamis.TamisError);
});

test('exports of the others', () => {
  const exported = (entry: object) => Object.keys(entry).sort();
  expect(exported(url)).toEqual(
    words(
      'UrlChecker UrlDelta UrlGuard UrlList UrlListBuilder cacheStorage canonicalize createConfirmHandler ' +
        'expressions fileStorage hashExpression indexedDbStorage memoryStorage navigationUrl publishList ' +
        'riceDecode riceEncode signManifest verifyManifest',
    ),
  );
  expect(exported(schemes)).toEqual(
    words(
      'datasketches digest go guava32 guava64 murmur2aFnv1a npmBloomFilters npmBloomfilter parquet redisbloom ' +
        'seeds sparkV1 sparkV2',
    ),
  );
  expect(exported(interop)).toEqual(
    words(
      'ForeignFilter binaryFuse bloomFiltersJson bloomfilterJson dataSketches encodings goBloom goCuckoo guava ' +
        'parquet redisBitmap redisBloom redisCuckoo spark',
    ),
  );
  expect(exported(interop.encodings)).toEqual(
    words(
      'BYTE_ARRAY DOUBLE FIXED_LEN_BYTE_ARRAY FLOAT INT32 INT64 bytes decimal double float int32 int64 long ' +
        'utf16 utf8',
    ),
  );
  for (const [entry, name] of [
    [redis, 'RedisFilter'],
    [remote, 'RemoteFilter RemoteMap'],
    [feeds, 'readFeed'],
    [pages, 'buildPages'],
  ] as const) {
    expect(exported(entry)).toEqual(words(`${name} TamisError`).sort());
  }
  for (const entry of [redis, remote, feeds]) expect(entry.TamisError).toBe(TamisError);
});

test('members of the classes of tamis/redis and tamis/remote', () => {
  const common = 'close constructor has hasMany prefetch status toJSON update visit';
  for (const [Class, own] of [
    [
      redis.RedisFilter,
      'add addMany clear constructor figures has hasMany merge shardOf toFilter toJSON',
    ],
    [remote.RemoteFilter, common],
    [remote.RemoteMap, `${common} get getMany`],
  ] as const) {
    expect(statics(Class)).toEqual(['open']);
    const names = members(Class.prototype).filter((name) => !name.startsWith('Symbol('));
    expect(names).toEqual(words(own).sort());
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
  const given = { apiKey: 'k', mode: 'no-storage', whenSearchFails: 'unknown' } as const;
  const said = await rejection(SafeBrowsing.open({ ...given, none: 1 } as never));
  expect(namesIn(said.message)).toEqual([
    ...['action', 'apiKey', 'autoUpdate', 'downloadTimeoutMs', 'endpoint', 'fetch', 'lists'],
    ...['maxAgeMs', 'maxEntries', 'maxUpdateEntries', 'mode', 'now', 'random', 'rule'],
    ...['searchTimeoutMs', 'storage', 'whenSearchFails'],
  ]);
  const client = await SafeBrowsing.open(given);
  const asked = await rejection(client.verify('https://a.example/', { none: 1 } as never));
  expect(namesIn(asked.message)).toEqual(['isFrame', 'signal']);
  client.close();
});

// An option that one of them lost would be refused. An additional option is a change of the API.
test('the options of tamis/feeds, tamis/pages, tamis/remote and tamis/redis', async () => {
  const given = { publicKeys: null, none: 1 } as never;
  const host = 'https://host.example/manifest.json';
  const client = { call: async () => null };
  const ofRemote =
    'cachePages decoys fetch fullResponses maxAgeMs name now publicKeys random requests retries secret storage ' +
    'timeoutMs types';
  const said: readonly (readonly [Promise<unknown>, string])[] = [
    [
      pages.buildPages([], 'out', { none: 1 } as never),
      'arity checkBits exclude expectedKeys files fingerprintBits fpr lifetimeMs memoryBytes name ' +
        'onProgress pages publicKeys resume secret seed signal signingKeys type valueBits',
    ],
    [remote.RemoteFilter.open(host, given), ofRemote],
    [remote.RemoteMap.open(host, given), ofRemote],
    [redis.RedisFilter.open(client, 'seen', given), 'capacity fpr secret seed shardBytes shards'],
  ];
  for (const [opening, names] of said) {
    expect(namesIn((await rejection(opening)).message)).toEqual(words(names));
  }
  const { message } = expectOption(() => feeds.readFeed('', { none: 1 } as never), TypeError);
  expect(namesIn(message)).toEqual(words('column format landing maxLineBytes onSkip online'));
});

const toRead = Object.entries(readers).filter(([name]) =>
  /Filter$|^BitArray$|^BloomierMap$/.test(name),
);
const made: readonly (readonly [string, unknown, RegExp])[] = [
  ...toRead.map(([name, Class]) => [`tamis/read: ${name}`, Class, /fromBytes.*'tamis'/] as const),
  ['UrlChecker', url.UrlChecker, /UrlChecker\.open\(manifestUrl, options\)/],
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
