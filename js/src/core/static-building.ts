// From keys to a structure that is built once: the source is read one time, and of a key its hash is kept.

import { Blocks } from './blocks.js';
import { type Definition, need, type Plan, planOf } from './building.js';
import { fixedHashes } from './filter.js';
import { gatherHashes, type HashBlocks } from './hashing.js';
import type { Key, Keys } from './key-types.js';
import type { Reader } from './options.js';
import { type AddFromOptions, readKeys, sourceReaders } from './read-keys.js';
import type { KeySource } from './streams.js';
import { build, sizeFor } from './structure.js';

/** Checks what a build is given: every option but those that are counted. */
export function buildPlan<S>(
  definition: Definition<S>,
  options: unknown,
  method: string,
  more?: Readonly<Record<string, Reader<unknown>>>,
): Plan {
  const { capacity: _keys, excluded: _others, ...readers } = definition.readers;
  const what = `${definition.name}.${method}`;
  return planOf(definition, options, what, undefined, { ...readers, ...more });
}

/** Hands the hashes over, and a second list where the type wants one. */
export function buildOf<S>(
  { type, adopt }: Definition<S>,
  { fields, hashing, run }: Plan,
  hashes: HashBlocks,
  others?: HashBlocks | Blocks<Uint32Array<ArrayBuffer>>,
): S {
  return adopt(run(() => build(type, fields, hashing, hashes, others)));
}

/** Hashes the keys; an error about one of them says in its message where that was. */
function gather(hashes: HashBlocks, keys: Keys, { hashing }: Plan, what: string): void {
  try {
    gatherHashes(hashes, keys, hashing.key);
  } catch (error) {
    // Changed and not replaced: it may come from whoever gives the keys, who knows it by identity.
    if (Object(error).code === 'ERR_TAMIS_INVALID_KEY' && Object.isExtensible(error)) {
      (error as Error).message = `${what}: ${(error as Error).message}`;
    }
    throw error;
  }
}

/** The hashes of keys that are in hand. */
export function hashesOf(keys: Keys, plan: Plan, what: string): HashBlocks {
  const hashes = new Blocks(BigUint64Array);
  gather(hashes, keys, plan, what);
  return hashes;
}

/** The hashes of keys that come in time. */
export async function hashesFrom(source: KeySource, plan: Plan, what: string): Promise<HashBlocks> {
  const hashes = new Blocks(BigUint64Array);
  await readKeys<Key>(source, plan.given, what, (keys) => gather(hashes, keys, plan, what));
  return hashes;
}

/** `from` of the filters of one list. */
export function buildFromKeys<S>(definition: Definition<S>, keys: Keys, options: unknown): S {
  const plan = buildPlan(definition, options, 'from');
  return buildOf(definition, plan, hashesOf(keys, plan, `${definition.name}.from`));
}

/** `fromAsync` of the same. */
export async function buildFromSource<S>(
  definition: Definition<S>,
  source: KeySource,
  options: unknown,
): Promise<S> {
  const plan = buildPlan(definition, options, 'fromAsync', sourceReaders);
  const hashes = await hashesFrom(source, plan, `${definition.name}.fromAsync`);
  return buildOf(definition, plan, hashes);
}

/** `fromHashes` of the same. */
export function buildFromHashes<S>(
  definition: Definition<S>,
  hashes: BigUint64Array,
  options: unknown,
): S {
  const plan = buildPlan(definition, options, 'fromHashes');
  const own = fixedHashes(hashes);
  const kept = new Blocks(BigUint64Array);
  kept.take(own.length, (block, at, from, count) => {
    block.set(own.subarray(from, from + count), at);
  });
  return buildOf(definition, plan, kept);
}

/** Bytes in memory of a structure of so many distinct keys. */
export function expectedSize<S>(definition: Definition<S>, options: unknown): number {
  const what = `${definition.name}.sizeFor`;
  const { given, fields, hashing, run } = planOf(definition, options, what);
  for (const name of ['capacity', 'excluded']) {
    if (Object.hasOwn(definition.readers, name)) need(given, name, what);
  }
  return run(() => sizeFor(definition.type, fields, hashing));
}

/** Options of `fromAsync`, of any options of `from`. */
export type AsyncOptions<Options> = Options & AddFromOptions;
