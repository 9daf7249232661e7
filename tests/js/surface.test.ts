/** The public surface, name by name: a change here is a change of the API. */
import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import {
  BinaryFuseFilter,
  BitArray,
  BlockedBloomFilter,
  BloomFilter,
  BloomierMap,
  CountingBloomFilter,
  CuckooFilter,
  DeletableBloomFilter,
  DLeftCountingFilter,
  ExactFilter,
  InvertibleBloomTable,
  RibbonFilter,
  RotatingBloomFilter,
  ScalableBloomFilter,
  TamisError,
  TombstoneBloomFilter,
} from 'tamis';
import * as interop from 'tamis/interop';
import * as readers from 'tamis/read';
import * as redis from 'tamis/redis';
import * as remote from 'tamis/remote';
import * as schemes from 'tamis/schemes';
import * as url from 'tamis/url';

import { CODES, expectCode, rejection } from './support/errors.js';

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string; dependencies?: object };

/** Every name that an instance answers to, its classes' and its own, Object's aside. */
function members(instance: object): string[] {
  const names = new Set<string>();
  for (
    let from = instance;
    from !== Object.prototype;
    from = Object.getPrototypeOf(from) as object
  ) {
    for (const name of Reflect.ownKeys(from)) names.add(String(name));
  }
  return [...names].sort();
}

/** The static methods of a class, its own and inherited; `define` is for the package alone. */
function statics(Class: object): string[] {
  const names = new Set<string>();
  for (let from = Class; from !== Function.prototype; from = Object.getPrototypeOf(from)) {
    for (const name of Object.getOwnPropertyNames(from)) names.add(name);
  }
  for (const name of ['length', 'name', 'prototype', 'define']) names.delete(name);
  return [...names].sort();
}

/** The options that an error of an unknown one names. */
const namesIn = (message: string): string[] =>
  (message.split('; expected ')[1] ?? '').split(', ').sort();

const symbols = [
  `Symbol(${String((Symbol as { dispose?: symbol }).dispose?.description)})`,
  'Symbol(Symbol.toStringTag)',
  'Symbol(nodejs.util.inspect.custom)',
];
const structure = [
  'clone',
  'constructor',
  'dispose',
  'seed',
  'sizeBytes',
  'toBytes',
  'toJSON',
  'type',
  'validate',
];
const filter = [
  'bitsPerKey',
  'capacity',
  'count',
  'estimatedFpr',
  'fpr',
  'has',
  'hasHashes',
  'hasMany',
  'hash',
];
const deleting = ['delete', 'deleteMany'];
const mutable = ['add', 'addFrom', 'addHashes', 'addMany', 'clear', 'emptyCopy'];

describe('exports', () => {
  test('of tamis/read: the classes that answer questions, by the names of tamis', () => {
    const asked = Object.keys(tamis).filter((name) =>
      /^[A-Z].*Filter$|^BitArray$|^BloomierMap$/.test(name),
    );
    expect(Object.keys(readers).sort()).toEqual([...asked, 'TamisError', 'open'].sort());
    for (const name of asked) {
      const Whole = Reflect.get(tamis, name) as typeof tamis.CuckooFilter;
      const Reader = Reflect.get(readers, name) as typeof readers.CuckooFilter;
      expect(statics(Reader)).toEqual(['fromBytes', 'fromStream']);
      const whole = members(Whole.prototype);
      expect(members(Reader.prototype).filter((member) => !whole.includes(member))).toEqual([]);
      const common = ['type', 'seed', 'sizeBytes', 'toJSON', 'dispose', 'has'];
      expect(members(Reader.prototype)).toEqual(expect.arrayContaining(common));
      const changing = ['add', 'delete', 'merge', 'toBytes', 'clone', 'set', 'clear'];
      expect(members(Reader.prototype).filter((member) => changing.includes(member))).toEqual([]);
    }
    expect(readers.TamisError).toBe(tamis.TamisError);
  });

  test('of the package', () => {
    expect(Object.keys(tamis).sort()).toEqual([
      'BinaryFuseFilter',
      'BitArray',
      'BlockedBloomFilter',
      'BloomFilter',
      'BloomierMap',
      'CountingBloomFilter',
      'CuckooFilter',
      'DLeftCountingFilter',
      'DeletableBloomFilter',
      'ExactFilter',
      'InvertibleBloomTable',
      'RibbonFilter',
      'RotatingBloomFilter',
      'ScalableBloomFilter',
      'TamisError',
      'TombstoneBloomFilter',
      'bloomRate',
      'bloomSizing',
      'fromBytes',
      'fromStream',
      'funnel',
      'hashKey',
      'hashKeys',
      'init',
      'key',
      'keysFromLines',
      'linesFrom',
      'missingFrom',
      'suggestFilter',
      'version',
      'withFunnel',
    ]);
  });

  test('of tamis/url', () => {
    expect(Object.keys(url).sort()).toEqual([
      'UrlChecker',
      'UrlDelta',
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

  test('of tamis/schemes', () => {
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

  test('of tamis/interop', () => {
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

  test('of tamis/redis', () => {
    expect(Object.keys(redis).sort()).toEqual(['RedisFilter', 'TamisError']);
    expect(redis.TamisError).toBe(TamisError);
    expect(statics(redis.RedisFilter)).toEqual(['open']);
    expect(Object.getOwnPropertyNames(redis.RedisFilter.prototype).sort()).toEqual([
      ...['add', 'addMany', 'clear', 'constructor', 'figures', 'has', 'hasMany', 'merge'],
      ...['shardOf', 'toFilter', 'toJSON'],
    ]);
  });

  test('of tamis/remote', () => {
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

  // An option that one of them lost would be refused; one more than these is a change of the API.
  test('of the options of tamis/remote and tamis/redis', async () => {
    const refusal = async (opening: Promise<unknown>) => (await rejection(opening)).message;
    const given = { publicKeys: null, none: 1 } as never;
    for (const Class of [remote.RemoteFilter, remote.RemoteMap]) {
      const said = await refusal(Class.open('https://host.example/manifest.json', given));
      expect(namesIn(said)).toEqual([
        ...['cachePages', 'decoys', 'fetch', 'key', 'maxAgeMs', 'now', 'onFullResponse'],
        ...['publicKeys', 'random', 'retries', 'storage', 'timeoutMs'],
      ]);
    }
    const client = { call: async () => null };
    const said = await refusal(redis.RedisFilter.open(client, 'seen', given));
    expect(namesIn(said)).toEqual(['capacity', 'fpr', 'key', 'seed', 'shardBytes', 'shards']);
  });

  test('of key', () => {
    expect(Object.keys(tamis.key).sort()).toEqual(['float64', 'int32', 'int64', 'utf16']);
    expect(Object.isFrozen(tamis.key)).toBe(true);
  });

  test("version is the manifest's, and nothing else is needed at run time", () => {
    expect(tamis.version).toBe(manifest.version);
    expect(Object.keys(manifest.dependencies ?? {})).toEqual([]);
  });
});

describe('classes', () => {
  test('BloomFilter', () => {
    const own = [
      'bitAt',
      'bits',
      'estimateCount',
      'estimateIntersection',
      'fill',
      'fillRatio',
      'hashes',
      'intersect',
      'jaccard',
      'merge',
      'positions',
      'scheme',
      'toBitString',
    ];
    const expected = [...symbols, ...structure, ...filter, ...mutable, ...own].sort();
    expect(members(new BloomFilter({ capacity: 1 }))).toEqual(expected);
    expect(statics(BloomFilter)).toEqual(['from', 'fromBytes', 'fromStream', 'sizeFor']);
  });

  const own: [{ readonly prototype: object }, string[]][] = [
    [BlockedBloomFilter, ['merge', 'scheme']],
    [
      CountingBloomFilter,
      [
        'counterAt',
        'counterBits',
        'counters',
        'countOf',
        ...deleting,
        'hashes',
        'merge',
        'toBloom',
      ],
    ],
    [TombstoneBloomFilter, ['deletions', ...deleting, 'falseNegativeRate']],
    [
      DeletableBloomFilter,
      ['bits', ...deleting, 'deletableRatio', 'hashes', 'isDeletable', 'isLocked', 'regions'],
    ],
    [ScalableBloomFilter, ['growth', 'layers', 'tightening']],
    [RotatingBloomFilter, ['advance', 'generations', 'periodMs', 'rotate']],
    [CuckooFilter, ['addIfAbsent', 'bucketSize', ...deleting, 'fingerprintBits', 'loadFactor']],
    [DLeftCountingFilter, ['countOf', ...deleting]],
  ];
  test.each(
    own.map(([Class, names]) => [(Class as { name?: string }).name, Class, names] as const),
  )('%s', (_name, Class, names) => {
    const expected = [...symbols, ...structure, ...filter, ...mutable, ...names].sort();
    expect(members(Class.prototype)).toEqual(expected);
    expect(statics(Class)).toEqual(['from', 'fromBytes', 'fromStream', 'sizeFor']);
  });
  const loads = ['from', 'fromAsync', 'fromBytes', 'fromStream', 'sizeFor'];
  const listed = ['from', 'fromAsync', 'fromBytes', 'fromHashes', 'fromStream', 'sizeFor'];
  test.each([
    [BinaryFuseFilter, [...filter, 'arity', 'fingerprintBits'], listed],
    [RibbonFilter, [...filter, 'fingerprintBits'], listed],
    [ExactFilter, [...filter, 'excluded', 'fprOutside'], loads],
    [
      BloomierMap,
      ['checkBits', 'count', 'get', 'getMany', 'has', 'hasMany', 'hash', 'valueBits'],
      loads,
    ],
  ] as [{ readonly prototype: object }, string[], string[]][])('%p', (Class, names, made) => {
    expect(members(Class.prototype)).toEqual([...symbols, ...structure, ...names].sort());
    expect(statics(Class)).toEqual(made);
  });

  test('InvertibleBloomTable', () => {
    const names = ['add', 'clear', 'decode', 'delete', 'differences', 'emptyCopy', 'hash'];
    const expected = [...symbols, ...structure, ...names, 'keyBytes', 'subtract'].sort();
    expect(members(InvertibleBloomTable.prototype)).toEqual(expected);
    expect(statics(InvertibleBloomTable)).toEqual(['fromBytes', 'fromStream', 'sizeFor']);
  });

  test('BitArray', () => {
    const own = [
      'clear',
      'count',
      'has',
      'intersect',
      'length',
      'merge',
      'set',
      'toBitString',
      'toString',
      'toggle',
    ];
    expect(members(new BitArray(1))).toEqual(
      [...symbols, ...structure, ...own, 'Symbol(Symbol.iterator)'].sort(),
    );
    expect(statics(BitArray)).toEqual(['fromBytes', 'fromStream', 'sizeFor']);
  });

  test('name themselves', () => {
    expect([BloomFilter.name, BitArray.name, TamisError.name]).toEqual([
      'BloomFilter',
      'BitArray',
      'TamisError',
    ]);
    for (const [name, value] of Object.entries(tamis)) {
      if (typeof value === 'function' && /^[A-Z]/.test(name)) expect(value.name).toBe(name);
    }
    expect(Object.prototype.toString.call(new BloomFilter({ capacity: 1 }))).toBe(
      '[object BloomFilter]',
    );
    expect(Object.prototype.toString.call(new BitArray(1))).toBe('[object BitArray]');
  });

  test('want new', () => {
    const call = (Class: unknown) => () => (Class as (options: object) => unknown)({ capacity: 1 });
    for (const Class of [BloomFilter, BitArray, InvertibleBloomTable, ...own.map(([one]) => one)]) {
      expect(call(Class)).toThrow(TypeError);
    }
  });

  test('figures cannot be assigned', () => {
    const names = [
      'type',
      'seed',
      'sizeBytes',
      'count',
      'capacity',
      'fpr',
      'bits',
      'hashes',
      'scheme',
    ];
    const made = new BloomFilter({ capacity: 10 }) as unknown as Record<string, unknown>;
    for (const name of names) {
      const before = made[name];
      expect(() => {
        made[name] = 5;
      }).toThrow(TypeError);
      expect(made[name]).toBe(before);
    }
  });
});

describe('errors', () => {
  test('the codes are the same in C++, in TypeScript and in the guide', () => {
    const read = (file: string): string =>
      readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const found = (text: string, pattern: RegExp): string[] =>
      [...text.matchAll(pattern)].map((match) => match[1] as string).sort();
    const expected = CODES.map((code) => `ERR_TAMIS_${code}`).sort();
    const cpp = found(read('cpp/include/tamis/status.def'), /^TAMIS_STATUS\(\w+,\s*"(\w+)"/gm);
    expect(cpp).toEqual(expected);
    expect(found(read('docs/guide/errors.md'), /^\| `(ERR_TAMIS_\w+)`/gm)).toEqual(expected);
    const types = found(read('dist/wasm/registry.d.ts'), /\b(ERR_TAMIS_\w+)\b/g);
    expect([...new Set(types)]).toEqual(expected);
  });

  test('TamisError is an Error with a code', () => {
    const error = expectCode(() => BloomFilter.fromBytes(new Uint8Array(80)), 'NOT_TAMIS');
    expect(error).toBeInstanceOf(TamisError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('TamisError');
    expect(error.message).toMatch(/\S \S/);
    expect(error.stack).toContain('surface.test');
  });

  test('a bad option is a platform error with a code', () => {
    const error = expectCode(() => new BloomFilter({ capacity: -1 }), 'INVALID_OPTION');
    expect(error).not.toBeInstanceOf(TamisError);
    expect(error.name).toBe('RangeError');
  });
});

test('init may be awaited, again and again, or never', async () => {
  expect(await tamis.init()).toBeUndefined();
  expect(await Promise.all([tamis.init(), tamis.init()])).toEqual([undefined, undefined]);
});
