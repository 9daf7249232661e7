// Builds static structures from keys. The source is read once, and only the hashes are kept.

import type { FilterType } from '../../wasm/registry.js';
import {
  numberAddress,
  readNumber,
  readStatus,
  statusAddress,
  withMemory,
  write,
} from '../border/memory.js';
import { core } from '../border/runtime.js';
import { isOurs, type TamisError } from '../errors.js';
import type { Key, Keys } from '../key-types.js';
import { Blocks } from '../keys/blocks.js';
import { gatherHashes, type HashBlocks } from '../keys/hashing.js';
import { type AddFromOptions, readKeys, sourceReaders } from '../keys/read-keys.js';
import type { Reader } from '../options.js';
import { statusError } from '../statuses.js';
import type { KeySource } from '../streams.js';
import { type Plan, planOf, sizeOf } from './building.js';
import { adopt, type ClassOf, type Definition, definitionOf, type Use } from './definition.js';
import { Filter, pinHashes } from './filter.js';
import type { LoadingClass } from './structure.js';

/** Checks the options of a build. The number of keys is no option, because the build counts the keys. */
export function buildPlan(
  definition: Definition,
  options: unknown,
  method: string,
  more?: Readonly<Record<string, Reader<unknown>>>,
): Plan {
  const { capacity: _keys, excluded: _others, ...readers } = definition.readers ?? {};
  const what = `${definition.name}.${method}`;
  return planOf(definition, options, what, { ...readers, ...more });
}

/** A list of numbers for a build. The build empties the list. */
type Numbers = HashBlocks | Blocks<Uint32Array<ArrayBuffer>>;

/** Runs `act` with the numbers in wasm memory, which is freed afterwards. Empties the list. */
function withNumbers<T>(
  numbers: Numbers | undefined,
  act: (address: number, count: number) => T,
): T {
  if (numbers === undefined) return act(0, 0);
  core(); // makes the memory, if nothing has yet
  const { length } = numbers;
  const bytesEach = numbers.Block.BYTES_PER_ELEMENT;
  const size = length * bytesEach;
  return withMemory(size, (address) => {
    numbers.drain((part, at) => {
      const before = at * bytesEach;
      write(address + before, size - before, part);
    });
    return act(address, length);
  });
}

/**
 * Builds a structure from the hashes, and from a second list if the type has one. Throws ERR_TAMIS_CONFLICT with a
 * `count`, and ERR_TAMIS_BUILD_FAILED.
 */
export function buildOf<S>(
  Class: unknown,
  { run, what }: Plan,
  hashes: HashBlocks,
  others?: Numbers,
): S {
  // `list` and `otherList` are an address and a count; `inputs` are a type, and the addresses of fields and secret.
  const handle = withNumbers(hashes, (...list) =>
    withNumbers(others, (...otherList) =>
      run((core, ...inputs) => {
        const built = core.build(...inputs, ...list, ...otherList, numberAddress, statusAddress);
        if (built === 0) throw buildError(what, definitionOf(Class));
        return built;
      }),
    ),
  );
  return adopt(Class as ClassOf<S>, handle);
}

function buildError(what: string, { conflict }: Definition): TamisError {
  const count = readNumber(numberAddress);
  const error = statusError(readStatus(), {
    ERR_TAMIS_CONFLICT: `${what}: ${conflict}; number of such keys: ${count}`,
    ERR_TAMIS_BUILD_FAILED: 'no filter of these keys was found; try another `seed`, or a `secret`',
  });
  const isConflict = error.code === 'ERR_TAMIS_CONFLICT';
  return isConflict ? Object.assign(error, { count }) : error;
}

/** Hashes keys in memory, and appends the hashes. `what` is the start of an error message about a key. */
export function hashAll(
  keys: Keys,
  { options, what: method }: Plan,
  what = method,
  hashes: HashBlocks = new Blocks(BigUint64Array),
): HashBlocks {
  try {
    gatherHashes(hashes, keys, options.secret);
    return hashes;
  } catch (error) {
    if (isOurs(error) && Object(error).code === 'ERR_TAMIS_INVALID_KEY') {
      error.message = `${what}: ${error.message}`;
    }
    throw error;
  }
}

/** Hashes keys that arrive over time; `what` is as in hashAll. */
export async function hashesFrom(
  source: KeySource,
  plan: Plan,
  what = plan.what,
): Promise<HashBlocks> {
  const hashes = new Blocks(BigUint64Array);
  await readKeys<Key>(source, plan.options, what, (keys) => hashAll(keys, plan, what, hashes));
  return hashes;
}

/** The static methods of filters that are built once. Editors show `Call` to a caller of the constructor. */
export interface StaticClass<F, Type extends FilterType, Options, Call extends string>
  extends LoadingClass<F> {
  new (options: Use<Call>): StaticFilter<Type, Use<Call>>;

  /**
   * Builds a filter of keys. Throws ERR_TAMIS_BUILD_FAILED if someone chose the keys so that every attempt fails.
   *
   * @example
   * import { RibbonFilter } from 'tamis';
   * RibbonFilter.from(new Set(['alice', 'bob']), { fpr: 0.001 }).count; // => 2
   */
  from(keys: Keys, options?: Options): F;

  /** Builds a filter of keys that arrive over time. If `signal` aborts, it rejects with the signal's reason. */
  fromAsync(source: KeySource, options?: Options & AddFromOptions): Promise<F>;

  /** Builds a filter of hashes that hashKeys made with the same `secret`, if any. */
  fromHashes(hashes: BigUint64Array, options?: Options): F;

  /** The expected size in memory, in bytes, of a filter of `capacity` distinct keys. */
  sizeFor(options: Options & { readonly capacity: number }): number;
}

/** A filter that is built once, from a list. */
export abstract class StaticFilter<
  Type extends FilterType = FilterType,
  Options = never,
> extends Filter<Type, Options> {
  // StaticClass declares the static methods for users.
  static from(keys: Keys, options?: never): StaticFilter {
    const plan = buildPlan(definitionOf(this), options, 'from');
    return buildOf<StaticFilter>(this, plan, hashAll(keys, plan));
  }

  static async fromAsync(source: KeySource, options?: never): Promise<StaticFilter> {
    const plan = buildPlan(definitionOf(this), options, 'fromAsync', sourceReaders());
    return buildOf<StaticFilter>(this, plan, await hashesFrom(source, plan));
  }

  static fromHashes(hashes: BigUint64Array, options?: never): StaticFilter {
    const plan = buildPlan(definitionOf(this), options, 'fromHashes');
    const pinned = pinHashes(hashes);
    const kept = new Blocks(BigUint64Array);
    kept.add(pinned.length, (block, at, from, count) => {
      block.set(pinned.subarray(from, from + count), at);
    });
    return buildOf<StaticFilter>(this, plan, kept);
  }

  static sizeFor(options: never): number {
    return sizeOf(definitionOf(this), options);
  }
}
