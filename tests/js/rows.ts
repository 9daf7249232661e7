/**
 * What the tests must be told of each class, in the order of structures.def. A new filter has one row here, and joins
 * every test by it.
 */
import * as tamis from 'tamis';

import type { Traits, Variant } from './cases.js';
import {
  bloomRate,
  countersRate,
  cuckooRate,
  dLeftRate,
  partsRate,
  splitBlockRate,
} from './support/payload.js';
import type { Dice, Recipe, Whole } from './support/read-files.js';

export type Range = readonly [taken: number[], refused: number[]];
export type Numbers = Readonly<Record<string, Range>>;

interface Row {
  /** The members beyond those of every structure, and the static methods. */
  readonly surface: readonly [members: string, statics: string];
  /** The options: numbers at the borders, which are taken, and beyond them. */
  readonly options: Numbers;
  /** Makes a random file with the keys; absent if the class has no keys that tamis/read looks up. */
  readonly file?: (recipe: Recipe) => Whole;
  /** The contract of a filter that changes. */
  readonly changing?: Changing;
  /** The variants of a filter that is built once, of one list; classes.ts has what is neither. */
  readonly listed?: readonly Variant<{
    readonly fingerprintBits?: number;
    readonly arity?: number;
  }>[];
}
export interface Changing {
  readonly traits: Partial<Traits>;
  /** The exact rate of the content of some bytes. */
  readonly rate: (bytes: Uint8Array) => number;
  /** Options that take another path. */
  readonly variants?: readonly (readonly [name: string, options: object])[];
}

const filter = 'bitsPerKey capacity count estimatedFpr fpr has hasHashes hasMany hash';
const growing = `${filter} add addFrom addHashes addMany clear emptyCopy`;
const deleting = `${growing} delete deleteMany`;

const loaded = 'fromBytes fromStream sizeFor';
const grown = `from fromAsync ${loaded}`;
const listed = `${grown} fromHashes`;

/** Numbers that are refused as no whole number of a range. */
export const whole = [NaN, Infinity, -Infinity, 1.5, -1, 2 ** 53];
/** Whole numbers that are taken, and others that are refused as all that is not whole is. */
const range = (taken: number[], ...refused: number[]): Range => [taken, [...refused, ...whole]];
const lowest = (least: number): Range => [
  [0.999, 0.5, least],
  [0, 1, 1.1, -0.1, NaN, Infinity, 2 ** -49],
];
const capacity = range([1, 2, 1000], 0);
const fpr = lowest(2 ** -24);
const fingerprintBits = range([1, 2, 31, 32], 0, 33);

/** A rate of 2^-1 to 2^-most. */
const rate = (dice: Dice, most: number) => ({
  fpr: 2 ** -(1 + dice.below(1000 * (most - 1)) / 1000),
});
const capacityFor = ({ dice, keys }: Recipe) =>
  dice.oneIn(2) ? {} : { capacity: keys.length + 1 + dice.below(100) };
/** A rate, or the width of a fingerprint. */
const width = (dice: Dice, least: number, most: number) =>
  dice.oneIn(2) ? rate(dice, 20) : { fingerprintBits: dice.from(least, most) };

/** Deletes some keys; not all can be. */
function deleteSome({ dice, keys }: Recipe, filter: { delete(key: tamis.Key): boolean }) {
  for (const key of keys.slice(0, dice.below(1 + keys.length / 3))) {
    try {
      filter.delete(key);
    } catch (error) {
      if ((error as tamis.TamisError).code !== 'ERR_TAMIS_NOT_DELETABLE') throw error;
    }
  }
}

/** Makes a file of a class that takes a capacity and a rate. */
const plain =
  (Class: { from(keys: readonly tamis.Key[], options: object): Whole }, most = 20) =>
  (recipe: Recipe): Whole =>
    Class.from(recipe.keys, {
      ...recipe.hashing,
      ...rate(recipe.dice, most),
      ...capacityFor(recipe),
    });

function rotating(recipe: Recipe): Whole {
  const { dice, keys, hashing } = recipe;
  const isTimed = dice.oneIn(2);
  const filter = new tamis.RotatingBloomFilter({
    ...hashing,
    ...rate(dice, 20),
    capacity: keys.length + 1,
    generations: dice.from(2, 9),
    ...(isTimed ? { periodMs: 1 + dice.below(1e6) } : {}),
  });
  const often = 1 + dice.below(200);
  let now = dice.below(2e6) - 1e6;
  for (let at = 0; at < keys.length; at += often) {
    filter.addMany(keys.slice(at, at + often));
    now += dice.below(1e6);
    if (isTimed) filter.advance(now);
    else filter.rotate();
  }
  return filter;
}

function scalable(recipe: Recipe): Whole {
  const { dice, keys, hashing } = recipe;
  const growth = dice.from(1, 5);
  const least = growth === 1 ? Math.ceil(keys.length / 15) : 1;
  return tamis.ScalableBloomFilter.from(keys, {
    ...hashing,
    ...rate(dice, 20),
    capacity: least + dice.below(60),
    growth,
    tightening: dice.from(50, 99) / 100,
  });
}

export const rows = {
  BloomFilter: {
    surface: [
      `${growing} bitAt bits estimateCount estimateIntersection fill fillRatio hashes intersect jaccard merge ` +
        'positions scheme toBitString',
      grown,
    ],
    options: { capacity, fpr: lowest(2 ** -48) },
    file: plain(tamis.BloomFilter, 40),
  },
  BlockedBloomFilter: {
    surface: [`${growing} merge scheme`, grown],
    options: { capacity, fpr },
    file: plain(tamis.BlockedBloomFilter),
    changing: { traits: { merges: true }, rate: splitBlockRate },
  },
  CountingBloomFilter: {
    surface: [`${deleting} counterAt counterBits counters countOf hashes merge toBloom`, grown],
    options: { capacity, fpr, counterBits: range([2, 3, 15, 16], 0, 1, 17, 32) },
    file: (recipe) => {
      const filter = tamis.CountingBloomFilter.from(recipe.keys, {
        ...recipe.hashing,
        ...rate(recipe.dice, 20),
        counterBits: recipe.dice.from(2, 16),
      });
      filter.addMany(recipe.keys.slice(0, 20));
      return filter;
    },
    changing: {
      traits: { deletes: true, merges: true, copies: true },
      rate: countersRate,
      variants: [
        [', 2 bits', { counterBits: 2 }],
        [', 7 bits', { counterBits: 7 }],
        [', 16 bits', { counterBits: 16 }],
      ],
    },
  },
  TombstoneBloomFilter: {
    surface: [`${deleting} deletions falseNegativeRate`, grown],
    options: { capacity, fpr, deletions: range([1, 5000], 0) },
    file: (recipe) => {
      const filter = tamis.TombstoneBloomFilter.from(recipe.keys, {
        ...recipe.hashing,
        ...rate(recipe.dice, 20),
        ...capacityFor(recipe),
      });
      deleteSome(recipe, filter);
      return filter;
    },
    changing: {
      traits: { deletes: true, tombstones: true },
      rate: partsRate,
      variants: [
        [', one deletion', { deletions: 1 }],
        [', classic', { fpr: 2 ** -14 }],
      ],
    },
  },
  DeletableBloomFilter: {
    surface: [`${deleting} bits deletableRatio hashes isDeletable isLocked regions`, grown],
    options: { capacity, fpr, regions: range([1, 7, 962], 0, 963, 2 ** 32, 2 ** 53 - 1) },
    file: (recipe) => {
      const filter = tamis.DeletableBloomFilter.from(recipe.keys, {
        ...recipe.hashing,
        ...rate(recipe.dice, 20),
        ...capacityFor(recipe),
        ...(recipe.dice.oneIn(2) ? {} : { regions: 1 + recipe.dice.below(1 + recipe.keys.length) }),
      });
      deleteSome(recipe, filter);
      return filter;
    },
    changing: {
      traits: { deletes: true, locks: true },
      rate: bloomRate,
      variants: [[', one region', { regions: 1 }]],
    },
  },
  ScalableBloomFilter: {
    surface: [`${growing} growth layers tightening`, grown],
    options: {
      capacity,
      fpr,
      growth: range([1, 2, 16], 0, 17),
      tightening: [
        [0.5, 0.85, 0.99],
        [0, 0.49, 0.991, 1, -0.5, NaN, Infinity],
      ],
    },
    file: scalable,
    changing: {
      traits: { grows: true },
      rate: partsRate,
      variants: [
        [', growth 16', { growth: 16, tightening: 0.5 }],
        [', classic', { fpr: 2 ** -12, tightening: 0.99 }],
      ],
    },
  },
  RotatingBloomFilter: {
    surface: [`${growing} advance generations periodMs rotate`, grown],
    options: {
      capacity,
      fpr,
      generations: range([2, 3, 64], 0, 1, 65),
      periodMs: range([1, 1000, 2 ** 53 - 1], 0),
    },
    file: rotating,
    changing: {
      traits: { forgets: true },
      rate: partsRate,
      variants: [
        [', 5 generations', { generations: 5, periodMs: 1000 }],
        [', classic', { fpr: 2 ** -14, generations: 3 }],
      ],
    },
  },
  DLeftCountingFilter: {
    surface: [`${deleting} countOf`, grown],
    options: { capacity, fpr },
    file: (recipe) => {
      const filter = plain(tamis.DLeftCountingFilter)(recipe) as tamis.DLeftCountingFilter;
      filter.addMany(recipe.keys.slice(0, 20));
      return filter;
    },
    changing: {
      traits: { deletes: true, copies: true, bounded: true },
      rate: dLeftRate,
      variants: [[', 2^-20', { fpr: 2 ** -20 }]],
    },
  },
  CuckooFilter: {
    surface: [`${deleting} addIfAbsent bucketSize fingerprintBits loadFactor`, grown],
    options: {
      capacity,
      fpr: lowest(2 ** -28),
      fingerprintBits: range([4, 5, 31, 32], 0, 3, 33),
      bucketSize: range([1, 2, 4, 8], 0, 3, 5, 6, 7, 16),
    },
    file: (recipe) =>
      tamis.CuckooFilter.from(recipe.keys, {
        ...recipe.hashing,
        ...width(recipe.dice, 4, 32),
        ...capacityFor(recipe),
        bucketSize: recipe.dice.pick([1, 2, 4, 8]),
      } as tamis.CuckooOptions),
    changing: {
      traits: { deletes: true, copies: true, bounded: true, estimates: true },
      rate: cuckooRate,
      variants: [
        [', buckets of 8', { bucketSize: 8 }],
        [', 32 bits', { fingerprintBits: 32 }],
      ],
    },
  },
  BinaryFuseFilter: {
    surface: [`${filter} arity fingerprintBits`, listed],
    options: { fpr: lowest(2 ** -32), fingerprintBits, arity: range([3, 4], 0, 1, 2, 5) },
    file: (recipe) =>
      tamis.BinaryFuseFilter.from(recipe.keys, {
        ...recipe.hashing,
        ...width(recipe.dice, 1, 32),
        arity: recipe.dice.pick([3, 4] as const),
      }),
    listed: [
      [', 4 places', { arity: 4 }],
      [', 8 bits', { fingerprintBits: 8 }],
      [', 13 bits, 3 places', { fingerprintBits: 13, arity: 3 }],
      [', 32 bits', { fingerprintBits: 32 }],
    ],
  },
  RibbonFilter: {
    surface: [`${filter} fingerprintBits`, listed],
    options: { fpr: lowest(2 ** -32), fingerprintBits },
    file: (recipe) =>
      tamis.RibbonFilter.from(recipe.keys, { ...recipe.hashing, ...width(recipe.dice, 1, 32) }),
    listed: [
      [', 8 bits', { fingerprintBits: 8 }],
      [', 13 bits', { fingerprintBits: 13 }],
      [', 32 bits', { fingerprintBits: 32 }],
    ],
  },
  ExactFilter: {
    surface: [`${filter} excluded fprOutside`, grown],
    options: { fpr: lowest(2 ** -33) },
    file: ({ dice, keys, others, hashing }) =>
      tamis.ExactFilter.from(
        { include: keys, exclude: others.slice(0, dice.below(others.length)) },
        { ...hashing, ...(dice.oneIn(2) ? {} : rate(dice, 32)) },
      ),
  },
  BloomierMap: {
    surface: ['checkBits count get getMany has hasMany hash valueBits', grown],
    options: { valueBits: fingerprintBits, checkBits: range([0, 1, 31, 32], 33) },
    file: ({ dice, keys, hashing }) => {
      const valueBits = dice.from(1, 32);
      return tamis.BloomierMap.from(
        keys.map((key) => [key, dice.below(2 ** valueBits)] as const),
        { ...hashing, valueBits, checkBits: dice.from(0, 32) },
      );
    },
  },
  InvertibleBloomTable: {
    surface: ['add clear decode delete differences emptyCopy hash keyBytes subtract', loaded],
    options: { differences: capacity, keyBytes: range([4, 5, 63, 64], 0, 3, 65) },
  },
  BitArray: {
    surface: [
      'Symbol(Symbol.iterator) clear count has intersect length merge set toBitString toString toggle unset',
      loaded,
    ],
    options: {},
  },
} satisfies Record<string, Row>;

/** The row of a class, by its name. */
export const rowOf = (name: string): Row => (rows as Record<string, Row>)[name] as Row;
