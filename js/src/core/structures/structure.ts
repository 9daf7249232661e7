// The members of every type of structure: bytes, size, lifetime.

import type { Core, Handle } from '../../wasm/core.js';
import { sizeBytesFigure } from '../../wasm/figures.js';
import type { FilterType } from '../../wasm/registry.js';
import { addMember } from '../add-member.js';
import { isOwner, makeOwner, ownedOf } from '../border/lifetime.js';
import {
  handleOrThrow,
  hashesAddress,
  read,
  readNumbers,
  readStatus,
  statusAddress,
  withMemory,
} from '../border/memory.js';
import { call } from '../border/runtime.js';
import { mustBe, notInJson, TamisError, typeError } from '../errors.js';
import { areSame } from '../key-types.js';
import { check, type Messages, statusCode, statusError } from '../statuses.js';
import type { ByteSource } from '../streams.js';
import { Adopted, adoptLike, definitionOf, findDefinition } from './definition.js';
import { type LoadOptions, load, loadStream, only, type StreamLoadOptions } from './loading.js';

export * from '../../wasm/figures.js';
export type { FilterType };

/** An owner of wasm memory. It cannot leave its thread: structuredClone and postMessage throw a DataCloneError. */
export abstract class MemoryOwner {
  /** Calls dispose(), for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** Makes an object that owns the structure with this handle. */
  protected constructor(handle: number) {
    const { prototype } = MemoryOwner;
    addMember(prototype, Symbol.dispose, prototype.dispose);
    addMember(prototype, Symbol.for('nodejs.util.inspect.custom'), inspectStructure);
    // biome-ignore lint/correctness/noConstructorReturn: only makeOwner makes an object that cannot be cloned
    return makeOwner(new.target.prototype, handle) as this;
  }

  abstract toJSON(): Record<string, unknown>;

  /** Frees the memory at once, and zeroes a secret. A second call does nothing. */
  dispose(): void {
    ownedOf(this).dispose();
  }

  abstract get [Symbol.toStringTag](): string;
}

/** The members of every structure. To send one to another thread, transfer its bytes, and load them there. */
export abstract class Loadable<Type extends FilterType = FilterType> extends MemoryOwner {
  // LoadingClass declares the static methods for users.
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): Loadable {
    return load(only<Loadable>(this), bytes, options);
  }

  static async fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<Loadable> {
    return loadStream(only<Loadable>(this), stream, options);
  }

  /** The kind of structure. */
  get type(): Type {
    return definitionOf(Object(this).constructor).type as Type;
  }

  /** The figures of the structure. The content is not in JSON; store `toBytes()` instead. */
  toJSON(): Record<string, unknown> {
    return figuresOf(this, ['type', ...shownBy(this), 'sizeBytes']);
  }

  /** The seed; default 0n. */
  get seed(): bigint {
    const { low, high } = headerOf(this);
    return (BigInt(high) << 32n) | BigInt(low);
  }

  /** The size in memory, in bytes, without the JavaScript object. */
  get sizeBytes(): number {
    return figure(this, sizeBytesFigure);
  }

  get [Symbol.toStringTag](): string {
    return findDefinition(this.constructor)?.name ?? 'Structure';
  }
}

/** The static methods of every class of structures. */
export interface LoadingClass<S> {
  /**
   * Loads a structure from the bytes of `toBytes`. Throws if they are damaged.
   *
   * A server that loads a file for each request needs `using`, `dispose()` or `tamis/read`: garbage is collected late.
   * On a subclass, it makes an object of the subclass, whose constructor must accept the same arguments.
   *
   * @example
   * import { CuckooFilter } from 'tamis';
   * const bytes = CuckooFilter.from(['alice']).toBytes(); // or: await response.arrayBuffer()
   * CuckooFilter.fromBytes(bytes).has('alice'); // => true
   */
  fromBytes(bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): S;

  /** Loads a structure from a download. Rejects as soon as the header is wrong. */
  fromStream(stream: ByteSource, options?: StreamLoadOptions): Promise<S>;
}

export interface StructureClass<S, Type extends FilterType, Options> extends LoadingClass<S> {
  new (options: Options): Structure<Type, Options>;
}

/** The members of every type that can be built. */
export abstract class Structure<
  Type extends FilterType = FilterType,
  Options = never,
> extends Loadable<Type> {
  // Editors show the docstring of the class, because the constructor has none.
  constructor(options: Options) {
    super(options instanceof Adopted ? options.take() : construct(new.target, options));
  }

  /** Makes an independent copy with the same content, options, seed and secret. */
  clone(): this {
    return deriveLike(this, (core, handle) => core.copy(handle, statusAddress));
  }

  /**
   * Returns the structure as bytes (cpp/FORMAT.md), which are the same natively and in wasm. Above 256 MiB, `fromBytes`
   * needs the option `maxBytes`.
   *
   * @example
   * import { BloomFilter } from 'tamis';
   * BloomFilter.from(['alice', 'bob']).toBytes().length; // => 88
   */
  toBytes(): Uint8Array<ArrayBuffer> {
    const { size } = headerOf(this);
    return withMemory(size, (address) => {
      callOrThrow(this, (core, handle) => core.encodeInto(handle, address, size));
      return read(address, size);
    });
  }

  /**
   * True if type, options, secret and content are equal. The call compares the `toBytes()` of both. Throws TypeError
   * unless `other` is a filter, a map or another structure of this package.
   */
  equals(other: Structure): boolean {
    ownedOf(this).check();
    checkOwn(other);
    return this.type === other.type && areSame(this.toBytes(), other.toBytes());
  }

  /** Checks every invariant of the structure. Throws ERR_TAMIS_CORRUPT. */
  validate(): void {
    callOrThrow(this, (core, handle) => core.validate(handle));
  }
}

/** Makes a new structure for an object of the class. */
function construct(Class: unknown, options: unknown): Handle {
  const definition = definitionOf(Class);
  if (definition.construct !== undefined) return definition.construct(definition, options);
  const method = 'from' in Object(Class) ? 'from' : 'fromBytes';
  throw typeError(`use ${definition.name}.${method} or the like, not new`);
}

function inspectStructure(
  this: { toJSON(): Record<string, unknown>; readonly [Symbol.toStringTag]: string },
  _depth: number,
  options: object,
  inspect: (value: unknown, options: object) => string,
): string {
  const figures = ownedOf(this).handle === 0 ? { disposed: true } : this.toJSON();
  return `${this[Symbol.toStringTag]} ${inspect(figures, options)}`;
}

/** Returns members of a structure as JSON values. */
export function figuresOf(structure: object, names: readonly string[]): Record<string, unknown> {
  const jsonValue = (name: string) => {
    const value: unknown = Object(structure)[name];
    if (typeof value === 'bigint') return String(value);
    // NaN becomes null, as in JSON, so that the object and its text agree.
    return Number.isNaN(value) ? null : (value ?? null);
  };
  const figures = Object.fromEntries(names.map((name) => [name, jsonValue(name)]));
  return { ...figures, content: notInJson };
}

/** The names of the members that toJSON of the class has in addition to the common ones. */
export function shownBy(structure: object): readonly string[] {
  return definitionOf(Object(structure).constructor).shown ?? [];
}

/** A call into wasm about one structure. */
type Act = (core: Core, handle: Handle) => number;

function run(structure: Loadable, act: Act): number {
  const { live } = ownedOf(structure);
  return call((core) => act(core, live));
}

/** Runs a call into wasm, and returns its answer. Throws if the answer is a status. */
export function callOrThrow(structure: Loadable, act: Act): number {
  return check(run(structure, act));
}

/** Returns one of the structure's numbers. `which` is a constant of figures.ts. */
export function figure(structure: Loadable, which: number): number {
  const answer = run(structure, (core, handle) => core.figure(handle, which, statusAddress));
  check(readStatus());
  return answer;
}

/** Reads the header that a structure's bytes would have. `low` and `high` are the seed; `size` is in bytes. */
function headerOf(structure: Loadable) {
  callOrThrow(structure, (core, handle) => core.header(handle, hashesAddress));
  const [low = 0, high = 0, hashId = 0, size = 0] = readNumbers(hashesAddress, 4);
  return { low, high, hashId, size };
}

/** The wire format's id of a structure's hash. */
export const hashIdOf = (structure: Loadable): number => headerOf(structure).hashId;

/** Runs a factory that derives one structure from another. */
export function derive(structure: Structure, act: Act, messages?: Messages): Handle {
  return handleOrThrow(run(structure, act), messages);
}

/** Makes an object of the same class for a structure that a factory derives. */
function deriveLike<S extends Structure>(structure: S, act: Act): S {
  return adoptLike(structure, derive(structure, act));
}

/** Makes an empty structure with the same options, seed and secret. */
export const emptyLike = <S extends Structure>(structure: S): S =>
  deriveLike(structure, (core, handle) => core.emptyCopy(handle, statusAddress));

/** The error for a value of a wrong type, with its own text for a structure of another copy of the package. */
export function mustBeOwn(what: string, name: string, value: unknown): TypeError {
  const isOfOtherCopy = !isOwner(value) && Object(value).toBytes;
  if (!isOfOtherCopy) return mustBe(what, name, value);
  const got = 'one of another copy of tamis: load its toBytes() here';
  return typeError(`${name} must be ${what}, got ${got}`);
}

/** Throws TypeError unless the other operand is a structure of this copy of the package. */
export function checkOwn(other: unknown): asserts other is object {
  if (!isOwner(other)) throw mustBeOwn('a filter or another object of tamis', 'other', other);
}

/**
 * Runs an operation on two structures, and returns the first. If the core refuses them because their options differ,
 * the error names the first of `fields` that differs.
 */
export function combine<S extends Structure>(
  into: S,
  other: unknown,
  fields: readonly (keyof S & string)[],
  act: (core: Core, into: Handle, other: Handle) => number,
): S {
  const handle = ownedOf(into).live;
  checkOwn(other);
  const partner = other as S;
  const refuse = (what: string) =>
    new TamisError('ERR_TAMIS_INCOMPATIBLE', `the two have different ${what}`);
  const difference = (field: keyof S & string) =>
    `${field} is ${String(into[field])} here and ${String(partner[field])} there`;
  const otherHandle = ownedOf(other).live;
  if (into.type !== partner.type) throw refuse(`types: ${difference('type')}`);
  const status = call((core) => act(core, handle, otherHandle));
  if (status >= 0) return into;
  if (statusCode(status) !== 'ERR_TAMIS_INCOMPATIBLE') throw statusError(status);
  const differing = fields.find((field) => into[field] !== partner[field]);
  // If all fields agree, the secrets of the two differ.
  if (differing === undefined) throw refuse('secrets');
  const advice = 'capacity' in into ? '; make one with `other.emptyCopy()`' : '';
  throw refuse(`options: ${difference(differing)}${advice}`);
}
