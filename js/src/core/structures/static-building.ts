// From keys to a structure that is built once: the source is read one time, and of a key its hash is kept.

import type { FilterType } from '../../wasm/registry.js';
import type { Key, Keys } from '../key-types.js';
import { Blocks } from '../keys/blocks.js';
import { gatherHashes, type HashBlocks } from '../keys/hashing.js';
import { type AddFromOptions, readKeys, sourceReaders } from '../keys/read-keys.js';
import { need, type Reader } from '../options.js';
import { addMessages } from '../statuses.js';
import type { KeySource } from '../streams.js';
import { type Plan, planOf } from './building.js';
import { type Adopted, type Adopter, adopt, type Definition, definitionOf } from './definition.js';
import { build, sizeFor } from './factories.js';
import { Filter, pinHashes } from './filter.js';

addMessages({
  ERR_TAMIS_CONFLICT:
    'the lists contradict one another: a key with two values, or both to include and to exclude',
  ERR_TAMIS_BUILD_FAILED:
    'no filter of these keys was found; try another `seed`, or a secret `key`',
});

/** Checks what a build is given: every option but those that are counted. */
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

/** Hands the hashes over, and a second list where the type wants one. */
export function buildOf<S>(
  Class: Adopter<S>,
  { run }: Plan,
  hashes: HashBlocks,
  others?: HashBlocks | Blocks<Uint32Array<ArrayBuffer>>,
): S {
  return adopt(
    Class,
    run((...plan) => build(...plan, hashes, others)),
  );
}

/** Hashes the keys; an error about one of them says in its message where that was. */
function gather(hashes: HashBlocks, keys: Keys, { hashing }: Plan, what: string): void {
  try {
    gatherHashes(hashes, keys, hashing.sipKey);
  } catch (error) {
    // Changed and not replaced: it may come from whoever gives the keys, who knows it by identity.
    if (Object(error).code === 'ERR_TAMIS_INVALID_KEY' && Object.isExtensible(error)) {
      (error as Error).message = `${what}: ${(error as Error).message}`;
    }
    throw error;
  }
}

/** The hashes of keys that are in hand. */
export function hashesOf(keys: Keys, plan: Plan, what = plan.what): HashBlocks {
  const hashes = new Blocks(BigUint64Array);
  gather(hashes, keys, plan, what);
  return hashes;
}

/** The hashes of keys that come in time. */
export async function hashesFrom(
  source: KeySource,
  plan: Plan,
  what = plan.what,
): Promise<HashBlocks> {
  const hashes = new Blocks(BigUint64Array);
  await readKeys<Key>(source, plan.given, what, (keys) => gather(hashes, keys, plan, what));
  return hashes;
}

/** Bytes in memory of a structure of so many distinct keys. */
export function expectedSize(definition: Definition, options: unknown): number {
  const what = `${definition.name}.sizeFor`;
  const { given, run } = planOf(definition, options, what);
  for (const name of ['capacity', 'excluded']) {
    if (Object.hasOwn(definition.readers ?? {}, name)) need(given, what, name);
  }
  return run(sizeFor);
}

/** Options of `fromAsync`, of any options of `from`. */
export type AsyncOptions<Options> = Options & AddFromOptions;

/** A class whose objects are built, with these options. */
export type Built<S, Options> = new (made: Adopted<Options>) => S;

/** A filter that is built once, from one list. */
export abstract class StaticFilter<
  Type extends FilterType = FilterType,
  Options = unknown,
> extends Filter<Type, Adopted<Options>> {
  /** Builds the filter of the keys. Throws RangeError, TypeError, TOO_LARGE, OUT_OF_MEMORY, BUILD_FAILED. */
  static from<Options, F extends StaticFilter>(
    this: Built<F, Options>,
    keys: Keys,
    options?: NoInfer<Options>,
  ): F {
    const plan = buildPlan(definitionOf(this), options, 'from');
    return buildOf(this, plan, hashesOf(keys, plan));
  }

  /** The same for keys that come in time. When `signal` aborts it rejects with the signal's reason. */
  static async fromAsync<Options, F extends StaticFilter>(
    this: Built<F, Options>,
    source: KeySource,
    options?: AsyncOptions<NoInfer<Options>>,
  ): Promise<F> {
    const plan = buildPlan(definitionOf(this), options, 'fromAsync', sourceReaders());
    return buildOf(this, plan, await hashesFrom(source, plan));
  }

  /** The same for keys that hashKeys hashed, with the same `key` where there is one. */
  static fromHashes<Options, F extends StaticFilter>(
    this: Built<F, Options>,
    hashes: BigUint64Array,
    options?: NoInfer<Options>,
  ): F {
    const plan = buildPlan(definitionOf(this), options, 'fromHashes');
    const own = pinHashes(hashes);
    const kept = new Blocks(BigUint64Array);
    kept.take(own.length, (block, at, from, count) => {
      block.set(own.subarray(from, from + count), at);
    });
    return buildOf(this, plan, kept);
  }

  /** Bytes in memory that a filter of `capacity` distinct keys is expected to take. */
  static sizeFor<Options>(
    this: Built<StaticFilter, Options>,
    options: NoInfer<Options> & { readonly capacity: number },
  ): number {
    return expectedSize(definitionOf(this), options);
  }
}
