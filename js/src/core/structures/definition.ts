// What a class says of itself, once, for its constructor and its static methods.

import type { Handle } from '../../wasm/core.js';
import type { Part } from '../../wasm/part.js';
import type { FilterType } from '../../wasm/registry.js';
import { destroy, isOwner, ownedOf } from '../border/lifetime.js';
import { typeError } from '../errors.js';
import { copyOwn, type Given, type Reader } from '../options.js';
import type { SchemeRules } from './scheme.js';

/** What `define` of a class gives. Nothing of it is made before its first use, so that a bundle can drop it. */
export interface Definition {
  readonly type: FilterType;
  /** Its number in the wire format. */
  readonly id: number;
  /** The part of the wasm that knows the type. */
  readonly part: Part;
  /** The class's name, which a minifier may take from the class itself. */
  readonly name: string;
  /** What toJSON gives beside the figures that all have. */
  readonly shown?: readonly string[];
  /** How `new` makes one; what has no such road is made from a list or from bytes. */
  readonly construct?: (definition: Definition, options: unknown) => Handle;
  /** The options beside those of hashing, in the order of the C++ Config's fields(). */
  readonly readers?: Readonly<Record<string, Reader<number>>>;
  /** Options that are no field of the Config. */
  readonly otherReaders?: Readonly<Record<string, Reader<unknown>>>;
  /** The options that must be there; default: capacity. */
  readonly needed?: readonly string[];
  /**
   * Looks whether the options go together and are enough, and fills in what is known. Gives a hash id where a
   * scheme has its own, and the scheme's part of the wasm.
   */
  readonly complete?: (
    given: Given,
    what: string,
    knownCapacity?: number,
  ) =>
    | { readonly id: number; readonly part: Part; readonly refusal?: string | undefined }
    | undefined;
  /** Where files have schemes: how the option `schemes` is read, and a file of another refused. */
  readonly schemes?: SchemeRules;
  /** What the core may still refuse, for a RangeError. */
  readonly refusal?: string;
}

/** What a class says of itself; undefined for what is no class of structures. */
export function findDefinition(Class: unknown): Definition | undefined {
  // A static method that lost its class has no `this`.
  if (typeof Class !== 'function') return undefined;
  const found = (Class as { define?: () => Definition }).define?.();
  return found && copyOwn(found);
}

/** The same, for static methods. Throws TypeError. */
export function definitionOf(Class: unknown): Definition {
  const found = findDefinition(Class);
  if (found !== undefined) return found;
  throw typeError('call it on its class, as in BloomFilter.fromBytes(bytes)');
}

/** What a constructor gets in the place of options, where there is a structure already. */
export class Adopted<Options = unknown> {
  /** For static methods, which learn the options from the constructor. */
  declare protected readonly options: Options;
  readonly #Class: unknown;
  #handle: Handle;

  constructor(handle: Handle, Class: unknown) {
    this.#handle = handle;
    this.#Class = Class;
  }

  /** Gives the handle to an object of its class, once. */
  take(Class: unknown): Handle {
    const handle = this.#handle;
    if (handle === 0 || Class !== this.#Class) throw typeError('made for another');
    this.#handle = 0;
    return handle;
  }

  /** Gives the memory back, if nobody took it. */
  release(): void {
    if (this.#handle !== 0) destroy(this.#handle);
    this.#handle = 0;
  }
}

/** A class that can be made of what is there already; `more` are further arguments of its constructor. */
export type Adopter<S, More extends unknown[] = []> = new (made: never, ...more: More) => S;

/** An object of the class for a new structure. Throws TypeError for a subclass whose constructor makes another. */
export function adopt<S, More extends unknown[]>(
  Class: Adopter<S, More>,
  handle: Handle,
  ...more: More
): S {
  const adopted = new Adopted(handle, Class);
  try {
    const made = new Class(adopted as never, ...more);
    if (isOwner(made) && ownedOf(made).handle === handle) return made as S;
  } finally {
    adopted.release();
  }
  throw typeError(`${Class.name}: its constructor must pass super its first argument`);
}

/** A copy and the like of a structure: an object of the same class. */
export function adoptLike<S extends object>(structure: S, handle: Handle): S {
  return adopt(structure.constructor as Adopter<S>, handle);
}
