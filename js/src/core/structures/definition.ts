// The definition of a class, shared by its constructor and its static methods.

import type { Handle } from '../../wasm/core.js';
import type { Part } from '../../wasm/part.js';
import type { FilterType } from '../../wasm/registry.js';
import { destroy, isOwner, ownedOf } from '../border/lifetime.js';
import { typeError } from '../errors.js';
import type { AddFromOptions } from '../keys/read-keys.js';
import { copyOwn, type Reader } from '../options.js';
import type { Messages } from '../statuses.js';
import type { BloomScheme, SchemeRules } from './scheme.js';

/** The checked options of any class. Those that a class lacks are absent. */
export interface CheckedOptions extends AddFromOptions {
  readonly seed?: bigint;
  readonly secret?: Uint8Array;
  readonly capacity?: number;
  readonly excluded?: number;
  readonly fpr?: number;
  readonly fingerprintBits?: number;
  readonly valueBits?: number;
  readonly bits?: number;
  readonly hashes?: number;
  readonly scheme?: BloomScheme;
}

/**
 * A scheme that replaces the usual hash of keys: its id in files, and the part of the wasm that computes it. The
 * members repeat internal ones of BloomScheme, which are not in the package's types.
 */
interface UsedScheme {
  readonly id: number;
  readonly part: Part;
  readonly refusal?: string | undefined;
}

/** A structure that is made for a number of keys. */
export interface Sized {
  readonly capacity: number;
  readonly count: number;
}

/** The result of a class's `define`. It is made on first use, so that a bundle can drop it. */
export interface Definition {
  readonly type: FilterType;
  /** The type's number in the wire format. */
  readonly id: number;
  /** The part of the wasm that implements the type. */
  readonly part: Part;
  /** The class's name. A minifier may change the name of the class itself. */
  readonly name: string;
  /** The names of the members that toJSON has in addition to the common ones. */
  readonly shown?: readonly string[];
  /** Makes a new structure; absent if the class is made only from a list or from bytes. */
  readonly construct?: (definition: Definition, options: unknown) => Handle;
  /** The readers of all options but those of hashing, in the order of the C++ Config's fields(). */
  readonly readers?: Readonly<Record<string, Reader<number>>>;
  /** The readers of options that are not fields of the Config. */
  readonly otherReaders?: Readonly<Record<string, Reader<unknown>>>;
  /** The required options; default: capacity. Static builds count their keys, and require no numbers of keys. */
  readonly needed?: readonly string[];
  /** Checks that the options can be combined and are complete. Returns the scheme, if there is one. */
  readonly complete?: (options: CheckedOptions, what: string) => UsedScheme | undefined;
  /** Only for classes whose files may have schemes: reads the option `schemes`, and explains a refusal. */
  readonly rules?: SchemeRules;
  /** The text of the RangeError if the core refuses an argument. */
  readonly refusal?: string;
  /** Messages about a key that only some classes need. They are here so that other bundles do not contain them. */
  readonly keyMessages?: (filter: Sized) => Messages;
  /** Describes a key on which two lists of a build contradict each other, for the message. */
  readonly conflict?: string;
}

/** Returns the definition of a class, without inherited members; undefined if the value is no class of structures. */
export function findDefinition(Class: unknown): Definition | undefined {
  // A static method that is called without its class has no `this`.
  if (typeof Class !== 'function') return undefined;
  const definition = (Class as { define?: () => Definition }).define?.();
  return definition && copyOwn(definition);
}

/** Returns the definition of the class of a static method. Throws TypeError if `this` is another value. */
export function definitionOf(Class: unknown): Definition {
  const definition = findDefinition(Class);
  if (definition !== undefined) return definition;
  throw typeError('call static methods on a class, as in BloomFilter.fromBytes(bytes)');
}

/** The type of a constructor's argument if the class has no options. Its text names the call that makes objects. */
export interface Use<Call extends string> {
  readonly use: Call;
}

const wrongConstructor = (): TypeError =>
  typeError('the constructor of a subclass must pass super its first argument, once');

/** An existing structure. A constructor accepts it instead of options, so that subclass constructors run too. */
export class Adopted {
  #handle: Handle;

  /** @internal */
  constructor(handle: Handle) {
    this.#handle = handle;
  }

  /** Returns the handle at the first call, and throws later, because a handle has one owner. @internal */
  take(): Handle {
    const handle = this.#handle;
    if (handle === 0) throw wrongConstructor();
    this.#handle = 0;
    return handle;
  }

  /** Frees the structure if no object took it. @internal */
  release(): void {
    if (this.#handle !== 0) destroy(this.#handle);
  }
}

/** A class whose constructor accepts an existing structure; `more` are further arguments. */
export type ClassOf<S, More extends unknown[] = []> = new (adopted: never, ...more: More) => S;

/** Makes an object of a class for an existing structure. Throws TypeError if a subclass owns another structure. */
export function adopt<S, More extends unknown[]>(
  Class: ClassOf<S, More>,
  handle: Handle,
  ...more: More
): S {
  const adopted = new Adopted(handle);
  try {
    const structure = new Class(adopted as never, ...more);
    if (isOwner(structure) && ownedOf(structure).handle === handle) return structure;
  } finally {
    adopted.release();
  }
  throw wrongConstructor();
}

/** Makes an object of the same class, for a structure derived from another one, such as a copy. */
export function adoptLike<S extends object>(structure: S, handle: Handle): S {
  return adopt(structure.constructor as ClassOf<S>, handle);
}
