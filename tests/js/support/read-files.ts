/** Makes files of every type with keys, random and damaged ones, to compare tamis/read with tamis. */
import type * as tamis from 'tamis';

import { crc32c } from './crc32c.js';
import { random } from './keys.js';

/** Random choices, which depend only on the seed. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = random(seed);
  }

  /** A whole number below n. */
  below = (n: number): number => Math.floor((this.#next() / 2 ** 32) * n);
  /** A whole number in a range that includes both ends. */
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

/** The first and the last character of each length in UTF-8, and others near limits. */
const edges = '\0\x7f\x80\u07ff\u0800\ud7ff\ue000\ufeff\uffff\u{10000}\u{1f600}\u{10ffff}';
const sourceUnits = 50_000;

/** Makes keys that all have different bytes: texts of 0 to 2,500 UTF-16 units, and bytes. */
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
      : // No half of a surrogate pair at the ends.
        dice
          .pick(texts)
          .slice(at, at + size)
          .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
    found.set(Buffer.from(key as Uint8Array).toString('latin1'), key);
  }
  return [...found.values()];
}

/** The members that every tamis structure with keys has. */
export interface Whole {
  has(key: tamis.Key): boolean;
  hasMany(keys: readonly tamis.Key[]): Uint8Array;
  toBytes(): Uint8Array<ArrayBuffer>;
  toJSON(): unknown;
  dispose(): void;
}

/** What a file is made from: its keys, other keys, and the options that all types have. */
export interface Recipe {
  readonly dice: Dice;
  readonly keys: readonly tamis.Key[];
  readonly others: readonly tamis.Key[];
  readonly hashing: tamis.HashOptions;
}

const header = 64;

/** Corrects both checksums. */
function mend(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setUint32(56, crc32c(bytes.subarray(header)), true);
  view.setUint32(60, crc32c(bytes.subarray(0, 60)), true);
}

/** Changes a byte, a bit, or a number of 4 or 8 bytes, mostly in the header or in records. */
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
  // The ids of the type and the hash.
  else bytes[dice.from(10, 11)] = dice.below(18);
}

/** A file with some damage, mostly with right checksums. */
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
