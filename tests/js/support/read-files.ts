/** Files of every type with keys, for the comparison of tamis/read with tamis: random ones, and damaged ones. */
import * as tamis from 'tamis';

import { crc32c } from './crc32c.js';
import { random } from './keys.js';

/** Random choices, the same for the same seed. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = random(seed);
  }

  /** A whole number below n. */
  below = (n: number): number => Math.floor((this.#next() / 2 ** 32) * n);
  /** A whole number of a range, its ends too. */
  from = (least: number, most: number): number => least + this.below(most - least + 1);
  /** True once in n times. */
  oneIn = (n: number): boolean => this.below(n) === 0;
  pick = <T>(list: readonly T[]): T => list[this.below(list.length)] as T;
  bytes = (n: number): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(n);
    for (let i = 0; i < n; i++) bytes[i] = this.below(256);
    return bytes;
  };
  word64 = (): bigint => (BigInt(this.#next()) << 32n) | BigInt(this.#next());
}

/** For each length in UTF-8, the first and the last character. */
const edges = '\0\x7f\x80\u07ff\u0800\ud7ff\ue000\ufeff\uffff\u{10000}\u{1f600}\u{10ffff}';
const sourceUnits = 50_000;

/** Makes a number of keys with different bytes: texts of 0 to 2,500 UTF-16 units, and bytes. */
export function distinctKeys(dice: Dice, n: number): tamis.Key[] {
  const textOf = (letters: readonly string[]) =>
    Array.from({ length: sourceUnits }, () => dice.pick(letters)).join('');
  const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
  const texts = [textOf(ascii), textOf([...ascii.slice(0, 20), ...edges])];
  const bytes = dice.bytes(sourceUnits);
  const found = new Map<string, tamis.Key>();
  while (found.size < n) {
    const size = dice.oneIn(10) ? dice.below(2501) : dice.below(80);
    const at = dice.below(sourceUnits - size);
    const key = dice.oneIn(4)
      ? bytes.slice(at, at + size)
      : // No half of a pair at the ends.
        dice
          .pick(texts)
          .slice(at, at + size)
          .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
    found.set(Buffer.from(key as Uint8Array).toString('latin1'), key);
  }
  return [...found.values()];
}

/** The members that every structure with keys has in tamis. */
export interface Whole {
  has(key: tamis.Key): boolean;
  hasMany(keys: readonly tamis.Key[]): Uint8Array;
  toBytes(): Uint8Array<ArrayBuffer>;
  toJSON(): unknown;
  dispose(): void;
}

/** The ingredients of a file: its keys, other keys, and the options that all types have. */
export interface Recipe {
  readonly dice: Dice;
  readonly keys: readonly tamis.Key[];
  readonly others: readonly tamis.Key[];
  readonly hashing: tamis.HashOptions;
}

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

/** Makes a file with the keys for each class. */
export const makers = {
  BloomFilter: (recipe) =>
    tamis.BloomFilter.from(recipe.keys, {
      ...recipe.hashing,
      ...rate(recipe.dice, 40),
      ...capacityFor(recipe),
    }),
  BlockedBloomFilter: (recipe) =>
    tamis.BlockedBloomFilter.from(recipe.keys, {
      ...recipe.hashing,
      ...rate(recipe.dice, 20),
      ...capacityFor(recipe),
    }),
  CountingBloomFilter: (recipe) => {
    const filter = tamis.CountingBloomFilter.from(recipe.keys, {
      ...recipe.hashing,
      ...rate(recipe.dice, 20),
      counterBits: recipe.dice.from(2, 16),
    });
    filter.addMany(recipe.keys.slice(0, 20));
    return filter;
  },
  TombstoneBloomFilter: (recipe) => {
    const filter = tamis.TombstoneBloomFilter.from(recipe.keys, {
      ...recipe.hashing,
      ...rate(recipe.dice, 20),
      ...capacityFor(recipe),
    });
    deleteSome(recipe, filter);
    return filter;
  },
  DeletableBloomFilter: (recipe) => {
    const filter = tamis.DeletableBloomFilter.from(recipe.keys, {
      ...recipe.hashing,
      ...rate(recipe.dice, 20),
      ...(recipe.dice.oneIn(2) ? {} : { regions: 1 + recipe.dice.below(1 + recipe.keys.length) }),
    });
    deleteSome(recipe, filter);
    return filter;
  },
  ScalableBloomFilter: scalable,
  RotatingBloomFilter: rotating,
  DLeftCountingFilter: (recipe) => {
    const filter = tamis.DLeftCountingFilter.from(recipe.keys, {
      ...recipe.hashing,
      ...rate(recipe.dice, 20),
      ...capacityFor(recipe),
    });
    filter.addMany(recipe.keys.slice(0, 20));
    return filter;
  },
  CuckooFilter: (recipe) =>
    tamis.CuckooFilter.from(recipe.keys, {
      ...recipe.hashing,
      ...width(recipe.dice, 4, 32),
      ...capacityFor(recipe),
      bucketSize: recipe.dice.pick([1, 2, 4, 8]),
    } as tamis.CuckooOptions),
  BinaryFuseFilter: (recipe) =>
    tamis.BinaryFuseFilter.from(recipe.keys, {
      ...recipe.hashing,
      ...width(recipe.dice, 1, 32),
      arity: recipe.dice.pick([3, 4] as const),
    }),
  RibbonFilter: (recipe) =>
    tamis.RibbonFilter.from(recipe.keys, { ...recipe.hashing, ...width(recipe.dice, 1, 32) }),
  ExactFilter: ({ dice, keys, others, hashing }) =>
    tamis.ExactFilter.from(
      { include: keys, exclude: others.slice(0, dice.below(others.length)) },
      { ...hashing, ...(dice.oneIn(2) ? {} : rate(dice, 32)) },
    ),
  BloomierMap: ({ dice, keys, hashing }) => {
    const valueBits = dice.from(1, 32);
    return tamis.BloomierMap.from(
      keys.map((key) => [key, dice.below(2 ** valueBits)] as const),
      { ...hashing, valueBits, checkBits: dice.from(0, 32) },
    );
  },
} as const satisfies Record<string, (recipe: Recipe) => Whole>;

const header = 64;

/** Corrects both checksums. */
function mend(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setUint32(56, crc32c(bytes.subarray(header)), true);
  view.setUint32(60, crc32c(bytes.subarray(0, 60)), true);
}

/** Changes a byte, a bit, or a number of 4 or 8 bytes: most often of the header or the records. */
function damageOnce(dice: Dice, bytes: Uint8Array) {
  const within = dice.oneIn(3) ? bytes.length : Math.min(bytes.length, 160);
  const at = dice.below(within);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const word = Math.min(at & ~3, bytes.length - 4);
  const two = Math.min(at & ~7, bytes.length - 8);
  const kind = dice.below(10);
  if (kind < 4) bytes[at] = (bytes[at] as number) ^ (1 << dice.below(8));
  else if (kind < 6) bytes[at] = dice.pick([0, 1, 2, 127, 128, 255, dice.below(256)]);
  else if (kind < 8 && word >= 0) {
    view.setUint32(word, view.getUint32(word, true) + dice.from(-9, 9), true);
  } else if (kind < 9 && two >= 0) {
    const values = [0n, 1n, 1n << 32n, (1n << 53n) - 1n, 1n << 53n, (1n << 64n) - 1n];
    view.setBigUint64(two, dice.pick(values), true);
  } else if (dice.oneIn(2)) bytes.fill(0, at, at + dice.below(64));
  // The ids of the type and of the hash.
  else bytes[dice.from(10, 11)] = dice.below(18);
}

/** A file with some damage; most often its checksums are right. */
export function damaged(dice: Dice, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let bad = new Uint8Array(bytes);
  for (let left = dice.from(1, 3); left > 0; left--) damageOnce(dice, bad);
  if (dice.oneIn(8)) {
    const rest = dice.oneIn(2) ? new Uint8Array(8 * dice.from(1, 5)) : dice.bytes(dice.from(1, 20));
    const end = dice.oneIn(2) ? dice.below(bad.length) : bad.length - 8 * dice.below(4);
    bad = dice.oneIn(2)
      ? bad.slice(0, Math.max(0, end))
      : new Uint8Array(Buffer.concat([bad, rest]));
    if (bad.length >= header && !dice.oneIn(3)) {
      new DataView(bad.buffer).setBigUint64(48, BigInt(bad.length - header), true);
    }
  }
  if (bad.length >= header && !dice.oneIn(8)) mend(bad);
  return bad;
}
