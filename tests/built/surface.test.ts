/** The public surface of tamis, name by name: a change here is a change of the API. */
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

import { CODES, expectCode } from '../js/support/errors.js';
import { members, statics } from '../js/support/members.js';

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string; dependencies?: object };

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
    const refused = ['has', 'hasMany'];
    const all = [...symbols, ...structure, ...names, ...refused, 'keyBytes', 'subtract'];
    const expected = all.sort();
    expect(members(InvertibleBloomTable.prototype)).toEqual(expected);
    expect(statics(InvertibleBloomTable)).toEqual(['fromBytes', 'fromStream', 'sizeFor']);
  });

  test('BitArray', () => {
    const own = [
      'clear',
      'count',
      'has',
      'hasMany',
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
