// Builds static structures from keys. The source is read once, and only the hashes are kept.

import type { FilterType } from '../../wasm/registry.js';
import type { Key, Keys } from '../key-types.js';
import { Blocks } from '../keys/blocks.js';
import { gatherHashes, type HashBlocks } from '../keys/hashing.js';
import { type AddFromOptions, readKeys, sourceReaders } from '../keys/read-keys.js';
import { need, type Reader } from '../options.js';
import type { KeySource } from '../streams.js';
import { type Plan, planOf } from './building.js';
import { type Adopted, type Adopter, adopt, type Definition, definitionOf } from './definition.js';
import { buildStatic, sizeFor } from './factories.js';
import { Filter, pinHashes } from './filter.js';

/** Checks the options of a build: all but the number of keys, which is counted. */
export function buildPlan(
  definition: Definition,
  options: unknown,
  method: string,
  more?: Readonly<Record<string, Reader<unknown>>>,
): Plan {
  const { capacity: _keys, excluded: _others, ...readers } = definition.readers ?? {};
  const what = `${definition.name}.${method}`;
  return planOf(definition, options, what, undefined, { ...readers, ...more });
}

/** Builds from the hashes, and from a second list if the type has one. */
export function buildOf<S>(
  Class: Adopter<S>,
  { run }: Plan,
  hashes: HashBlocks,
  others?: HashBlocks | Blocks<Uint32Array<ArrayBuffer>>,
): S {
  return adopt(
    Class,
    run((...plan) => buildStatic(...plan, hashes, others)),
  );
}

/** Hashes the keys. The message of an error has the index of the key. */
function gather(hashes: HashBlocks, keys: Keys, { hashing }: Plan, what: string): void {
  try {
    gatherHashes(hashes, keys, hashing.sipKey);
  } catch (error) {
    // The error is changed and not replaced: it may be the caller's own, who compares it by identity.
    const { code, message } = Object(error);
    if (code === 'ERR_TAMIS_INVALID_KEY' && Object.isExtensible(error)) {
      Object(error).message = `${what}: ${message}`;
    }
    throw error;
  }
}

/** Hashes keys in memory. */
export function hashAll(keys: Keys, plan: Plan, what = plan.what): HashBlocks {
  const hashes = new Blocks(BigUint64Array);
  gather(hashes, keys, plan, what);
  return hashes;
}

/** Hashes keys that arrive over time. */
export async function hashesFrom(
  source: KeySource,
  plan: Plan,
  what = plan.what,
): Promise<HashBlocks> {
  const hashes = new Blocks(BigUint64Array);
  await readKeys<Key>(source, plan.options, what, (keys) => gather(hashes, keys, plan, what));
  return hashes;
}

/** The bytes in memory of a structure of a number of distinct keys. */
export function expectedSize(definition: Definition, options: unknown): number {
  const what = `${definition.name}.sizeFor`;
  const plan = planOf(definition, options, what);
  for (const name of ['capacity', 'excluded'] as const) {
    if (Object.hasOwn(definition.readers ?? {}, name)) need(plan.options, what, name);
  }
  return plan.run(sizeFor);
}

/** The options of `fromAsync`: those of `from`, and those of reading. */
export type AsyncOptions<Options> = Options & AddFromOptions;

/** A class with static builds, and its options. */
export type Built<S, Options> = new (adopted: Adopted<Options>) => S;

/** A filter that is built once, from a list. */
export abstract class StaticFilter<
  Type extends FilterType = FilterType,
  Options = unknown,
> extends Filter<Type, Adopted<Options>> {
  /**
   * Builds a filter of the keys. Throws RangeError, TypeError, ERR_TAMIS_TOO_LARGE, ERR_TAMIS_OUT_OF_MEMORY and
   * ERR_TAMIS_BUILD_FAILED.
   */
  static from<Options, F extends StaticFilter>(
    this: Built<F, Options>,
    keys: Keys,
    options?: NoInfer<Options>,
  ): F {
    const plan = buildPlan(definitionOf(this), options, 'from');
    return buildOf(this, plan, hashAll(keys, plan));
  }

  /** Builds a filter of keys that arrive over time. If `signal` aborts, it rejects with the signal's reason. */
  static async fromAsync<Options, F extends StaticFilter>(
    this: Built<F, Options>,
    source: KeySource,
    options?: AsyncOptions<NoInfer<Options>>,
  ): Promise<F> {
    const plan = buildPlan(definitionOf(this), options, 'fromAsync', sourceReaders());
    return buildOf(this, plan, await hashesFrom(source, plan));
  }

  /** Builds a filter of hashes that hashKeys made with the same `key`, if any. */
  static fromHashes<Options, F extends StaticFilter>(
    this: Built<F, Options>,
    hashes: BigUint64Array,
    options?: NoInfer<Options>,
  ): F {
    const plan = buildPlan(definitionOf(this), options, 'fromHashes');
    const pinned = pinHashes(hashes);
    const kept = new Blocks(BigUint64Array);
    kept.take(pinned.length, (block, at, from, count) => {
      block.set(pinned.subarray(from, from + count), at);
    });
    return buildOf(this, plan, kept);
  }

  /** The bytes in memory that are expected for a filter of `capacity` distinct keys. */
  static sizeFor<Options>(
    this: Built<StaticFilter, Options>,
    options: NoInfer<Options> & { readonly capacity: number },
  ): number {
    return expectedSize(definitionOf(this), options);
  }
}
