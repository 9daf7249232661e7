// Builds the file of one page from the hashes of its keys, and computes the largest possible file.

import { rangeError, type TamisError } from '../../core/errors.js';
import { Blocks } from '../../core/keys/blocks.js';
import { keyIdOf } from '../../core/keys/hashing.js';
import { type Plan, sizeOf } from '../../core/structures/building.js';
import { type ClassOf, definitionOf } from '../../core/structures/definition.js';
import { buildOf, buildPlan } from '../../core/structures/static-building.js';
import {
  countFigure,
  excludedFigure,
  figure,
  type Structure,
} from '../../core/structures/structure.js';
import { formatCount, pluralize } from '../../disk/index.js';
import { BinaryFuseFilter } from '../../filters/binary-fuse.js';
import { BloomierMap } from '../../filters/bloomier.js';
import { ExactFilter } from '../../filters/exact.js';
import { RibbonFilter } from '../../filters/ribbon.js';
import { type Layout, layoutOf, mostKeysOf } from '../layout.js';
import type { PageType } from '../manifest.js';
import type { HashedKeys, PageShape } from '../options.js';

export interface BuiltPage {
  readonly file: Uint8Array<ArrayBuffer>;
  /** The number of distinct keys; for an exact filter, of included keys. */
  readonly keys: number;
  /** The number of distinct keys that an exact filter excludes. */
  readonly excluded: number;
}

/** `overhead`: the maximum bytes besides `#sizeFor`: 64 for the header, the type's fields, and 64 for each ribbon. */
const types = {
  ribbon: { Class: RibbonFilter, overhead: 64 + 64 },
  'binary-fuse': { Class: BinaryFuseFilter, overhead: 64 + 8 },
  exact: { Class: ExactFilter, overhead: 64 + 24 + 2 * 64 },
  bloomier: { Class: BloomierMap, overhead: 64 + 8 + 64 },
} as const satisfies Readonly<Record<PageType, unknown>>;

export class PageBuilder {
  readonly type: PageType;
  readonly isExact: boolean;
  /** True if each key has a value of `valueBits` bits. */
  readonly isMap: boolean;
  readonly valueBits: number;
  /** The approximate number of bits per key, which decides the number of pages. */
  readonly bitsPerKey: number;
  readonly shape: PageShape;
  readonly #Class: ClassOf<Structure>;
  readonly #plan: Plan;

  /** Throws TypeError and RangeError for options that the type lacks, or that are out of range. */
  constructor(type: PageType, shape: PageShape) {
    this.type = type;
    this.isExact = type === 'exact';
    this.isMap = type === 'bloomier';
    this.#Class = types[type].Class as ClassOf<Structure>;
    const standard = type === 'ribbon' || type === 'binary-fuse' ? { fingerprintBits: 8 } : {};
    this.shape = { ...standard, ...shape };
    const { fingerprintBits = 8, valueBits = 0, checkBits = 8 } = this.shape;
    this.valueBits = valueBits;
    this.bitsPerKey = this.isMap ? valueBits + checkBits : fingerprintBits;
    this.#plan = buildPlan(definitionOf(this.#Class), this.shape, 'from');
    this.#sizeFor(1, 1); // throws if an option is out of range
  }

  /** The options that all pages of a set share, as values of JSON. */
  get facts(): Readonly<Record<string, string | number>> {
    const { seed = 0n, secret, ...options } = this.shape;
    const keyCheck = secret && { keyCheck: keyIdOf(secret) };
    const hash = secret ? 'keyed' : 'fast';
    return { type: this.type, hash, seed: String(seed), ...keyCheck, ...options };
  }

  /**
   * Builds a page from keys in any order, which may repeat. `others`: the excluded keys of an exact filter. Throws
   * ERR_TAMIS_CONFLICT, ERR_TAMIS_TOO_LARGE, ERR_TAMIS_OUT_OF_MEMORY and ERR_TAMIS_BUILD_FAILED; the message names the
   * page.
   */
  build(page: number, { hashes, values }: HashedKeys, others?: BigUint64Array): BuiltPage {
    let structure: Structure | undefined;
    try {
      const most = 2 ** this.valueBits - 1;
      const tooLarge = values?.find((value) => value > most);
      if (tooLarge !== undefined) {
        throw rangeError(`a value must be at most ${most}, got ${tooLarge}`);
      }
      const second = values
        ? blocksOf(Uint32Array, values)
        : others && blocksOf(BigUint64Array, others);
      structure = buildOf<Structure>(
        this.#Class,
        this.#plan,
        blocksOf(BigUint64Array, hashes),
        second,
      );
      const excluded = this.isExact ? figure(structure, excludedFigure) : 0;
      return { file: structure.toBytes(), keys: figure(structure, countFigure), excluded };
    } catch (error) {
      const { code, count = 1, message } = error as TamisError;
      const why = this.isExact ? 'in both lists' : 'with two values';
      const what = code === 'ERR_TAMIS_CONFLICT' ? `${pluralize(count, 'key')} ${why}` : message;
      throw Object.assign(error as Error, { message: `page ${formatCount(page)}: ${what}` });
    } finally {
      structure?.dispose();
    }
  }

  /** The layout for these numbers of keys. `isApart`: each page is a part. Throws RangeError if a page is too long. */
  layoutFor(keys: number, excluded: number, pages: number, isApart: boolean): Layout {
    const size = this.#sizeFor(mostKeysOf(keys, pages), mostKeysOf(excluded, pages));
    return layoutOf(pages, size + types[this.type].overhead, isApart);
  }

  #sizeFor(keys: number, excluded: number): number {
    const { secret: _, seed: __, ...options } = this.shape;
    const counts = { capacity: Math.max(1, keys), ...(this.isExact && { excluded }) };
    return sizeOf(definitionOf(this.#Class), { ...options, ...counts });
  }
}

/** Copies numbers into blocks, which the build empties. `never`: TypeScript finds no argument that fits both arrays. */
function blocksOf<A extends BigUint64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
  Block: ConstructorParameters<typeof Blocks<A>>[0],
  numbers: BigUint64Array | Uint32Array,
): Blocks<A> {
  const blocks = new Blocks(Block);
  blocks.add(numbers.length, (block, at, from, count) => {
    block.set(numbers.subarray(from, from + count) as never, at);
  });
  return blocks;
}
