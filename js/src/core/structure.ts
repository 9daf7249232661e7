/// <reference lib="esnext.disposable" preserve="true" />
// What every type has: bytes, a size, a life.

import type { Core, Handle } from '../wasm/core.js';
import { type FigureName, type FilterType, figureNames, typeIds } from '../wasm/registry.js';
import type { Blocks } from './blocks.js';
import { check, codeOf, show, statusError, TamisError, typeError } from './errors.js';
import { withSipKey } from './hashing.js';
import { Owned } from './lifetime.js';
import {
  allocate,
  hashesAddress,
  numberAddress,
  read,
  readNumbers,
  readStatus,
  release,
  statusAddress,
  writeArray,
  writeNumbers,
} from './memory.js';
import { call, core } from './runtime.js';

export { type FilterType, typeIds };

/** Marks a structure that is there already, for a constructor to take instead of options. */
export class Adopted {
  constructor(readonly handle: Handle) {}
}

/** What a constructor gets where it makes no new structure; the type is a secret of this package. */
export function adopting<Options>(handle: Handle): Options {
  return new Adopted(handle) as Options;
}

/** The handle for the constructor of a class whose structures `from` makes. */
export function handleOf(made: unknown, name: string): Handle {
  if (made instanceof Adopted) return made.handle;
  throw typeError(`${name}: made by ${name}.from, not by new`);
}

/** Takes what a factory of the core gave. */
export function owned(handle: Handle): Handle {
  if (handle === 0) throw statusError(readStatus());
  return handle;
}

/** The values of a Config's fields, in the order of its fields(); what is undefined keeps its default. */
export type Fields = readonly (number | undefined)[];

/** How keys are hashed, for a Config. */
export interface Hashing {
  readonly hashId: number;
  readonly seed: bigint;
  readonly key: Uint8Array | undefined;
}

/** Puts the fields where a factory reads them, and runs it with their address and that of the key. */
function withFields<T>(
  fields: Fields,
  { hashId, seed, key }: Hashing,
  act: (core: Core, fields: number, key: number) => T,
): T {
  return withSipKey(key, (keyAddress) => {
    const halves = [Number(seed & 0xffffffffn), Number(seed >> 32n)];
    writeNumbers(hashesAddress, [hashId, ...halves, ...fields.map((field) => field ?? Number.NaN)]);
    return call((core) => act(core, hashesAddress, keyAddress));
  });
}

/** Makes a structure on the C++ side from checked fields. */
export function create(type: FilterType, fields: Fields, hashing: Hashing): Handle {
  return owned(
    withFields(fields, hashing, (core, at, key) =>
      core.create(typeIds[type], at, key, statusAddress),
    ),
  );
}

/** Numbers that a build takes: the list is empty afterwards. */
type Numbers = Blocks<BigUint64Array<ArrayBuffer>> | Blocks<Uint32Array<ArrayBuffer>>;

/** Moves numbers into memory of the core for as long as `act` runs. */
function withNumbers<T>(
  numbers: Numbers | undefined,
  act: (address: number, count: number) => T,
): T {
  if (numbers === undefined) return act(0, 0);
  core();
  const { length } = numbers;
  const size = length * numbers.bytesEach;
  const address = allocate(size);
  try {
    numbers.drain((part, at) => {
      const before = at * numbers.bytesEach;
      writeArray(address + before, size - before, part);
    });
    return act(address, length);
  } finally {
    release(address);
  }
}

/**
 * Makes a structure that is built once, from the hashes of its keys and, where its type wants a second list,
 * from that. Throws CONFLICT with a `count`.
 */
export function build(
  type: FilterType,
  fields: Fields,
  hashing: Hashing,
  hashes: Numbers,
  others?: Numbers,
): Handle {
  const handle = withNumbers(hashes, (address, count) =>
    withNumbers(others, (otherAddress, otherCount) =>
      withFields(fields, hashing, (core, at, key) =>
        core.build(
          typeIds[type],
          at,
          key,
          address,
          count,
          otherAddress,
          otherCount,
          numberAddress,
          statusAddress,
        ),
      ),
    ),
  );
  if (handle !== 0) return handle;
  const error = statusError(readStatus());
  if (error.code !== 'ERR_TAMIS_CONFLICT') throw error;
  throw Object.assign(error, { count: readNumbers(numberAddress, 1)[0] as number });
}

/** The bytes in memory that `create` would take. */
export function sizeFor(type: FilterType, fields: Fields, hashing: Hashing): number {
  const size = withFields(fields, hashing, (core, at, key) =>
    core.sizeFor(typeIds[type], at, key, statusAddress),
  );
  check(readStatus());
  return size;
}

/** How structures of one class are loaded. */
export interface Loader<S> {
  readonly type: FilterType;
  /** The class's name, for messages. */
  readonly name: string;
  adopt(handle: Handle): S;
}

/** The handle of a structure, for this package alone. */
export let ownedOf: (structure: Structure) => Owned;
let isStructure: (value: object) => value is Structure;

/** What every type has. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: [Symbol.dispose] is put on the prototype below
export abstract class Structure {
  readonly #owned: Owned;

  static {
    ownedOf = (structure) => structure.#owned;
    isStructure = (value): value is Structure => #owned in value;
    // An engine without the symbol has no `using` either.
    if (Symbol.dispose !== undefined) {
      Object.defineProperty(Structure.prototype, Symbol.dispose, {
        value: Structure.prototype.dispose,
        configurable: true,
        writable: true,
      });
    }
  }

  /** For subclasses of this package; users construct the concrete classes. */
  protected constructor(handle: Handle) {
    this.#owned = new Owned(handle, this);
  }

  /** What kind of structure this is. */
  abstract readonly type: FilterType;

  /** A copy of its own: content, options, seed and key. */
  abstract clone(): Structure;

  /** The figures, never the bits. */
  abstract toJSON(): Record<string, unknown>;

  /** 0n unless given. */
  get seed(): bigint {
    const high = ask(this, (core, handle) => core.seedHigh(handle, statusAddress));
    const low = ask(this, (core, handle) => core.seedLow(handle, statusAddress));
    return (BigInt(high) << 32n) | BigInt(low);
  }

  /** Payload in memory, in bytes. */
  get sizeBytes(): number {
    return figure(this, 'sizeBytes');
  }

  /**
   * The structure as bytes (cpp/FORMAT.md): the same natively and in wasm. What is larger than 256 MiB
   * needs the option `maxBytes` of `fromBytes`.
   */
  toBytes(): Uint8Array<ArrayBuffer> {
    const size = ask(this, (core, handle) => core.encodedBytes(handle, statusAddress));
    const address = allocate(size);
    try {
      tell(this, (core, handle) => core.encodeInto(handle, address, size));
      return read(address, size);
    } finally {
      release(address);
    }
  }

  /** Checks the structure deeply; throws ERR_TAMIS_CORRUPT. */
  validate(): void {
    tell(this, (core, handle) => core.validate(handle));
  }

  /** Gives the memory back at once, and zeroes a key. Harmless when repeated. */
  dispose(): void {
    this.#owned.dispose();
  }

  /** The class's name, which a minifier may take from the class itself. */
  abstract get [Symbol.toStringTag](): string;

  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    const figures = this.#owned.isDisposed ? { disposed: true } : this.toJSON();
    return `${this[Symbol.toStringTag]} ${inspect(figures, options)}`;
  }
}

export interface Structure {
  /** The same as dispose(), for `using`. */
  [Symbol.dispose](): void;
}

/** Runs what answers with a status where it fails; its answer. */
export function tell(structure: Structure, act: (core: Core, handle: Handle) => number): number {
  const { live } = ownedOf(structure);
  const answer = call((core) => act(core, live));
  check(answer);
  return answer;
}

/** Runs what puts its status at an address of its own; its answer. */
export function ask(structure: Structure, act: (core: Core, handle: Handle) => number): number {
  const { live } = ownedOf(structure);
  const answer = call((core) => act(core, live));
  check(readStatus());
  return answer;
}

/** A number that the structure gives about itself. */
export function figure(structure: Structure, name: FigureName): number {
  const which = figureNames.indexOf(name);
  return ask(structure, (core, handle) => core.figure(handle, which, statusAddress));
}

/** Runs a factory of one structure out of another. */
export function derive(structure: Structure, act: (core: Core, handle: Handle) => Handle): Handle {
  const { live } = ownedOf(structure);
  return owned(call((core) => act(core, live)));
}

export function copyOf(structure: Structure): Handle {
  return derive(structure, (core, handle) => core.copy(handle, statusAddress));
}

export function emptyCopyOf(structure: Structure): Handle {
  return derive(structure, (core, handle) => core.emptyCopy(handle, statusAddress));
}

/** Runs an operation on two structures that must have been made alike; names what differs. */
export function combine<S extends Structure>(
  into: S,
  other: unknown,
  fields: readonly (keyof S & string)[],
  act: (core: Core, into: Handle, other: Handle) => number,
): void {
  const difference = () => {
    const differing = fields.find((field) => into[field] !== (other as S)[field]);
    if (differing === undefined) return 'the types or the keys differ';
    return `${differing} is ${String(into[differing])} here and ${String((other as S)[differing])} there`;
  };
  if (typeof other !== 'object' || other === null || !isStructure(other)) {
    throw typeError(`expected a structure of type ${into.type}, got ${show(other)}`);
  }
  const here = ownedOf(into).live;
  const there = ownedOf(other).live;
  if (into.type !== other.type) {
    throw new TamisError(
      'ERR_TAMIS_INCOMPATIBLE',
      `type is ${into.type} here and ${other.type} there`,
    );
  }
  const status = call((core) => act(core, here, there));
  if (status >= 0) return;
  const isUnlike = codeOf(status) === 'ERR_TAMIS_INCOMPATIBLE';
  throw statusError(status, isUnlike ? difference() : undefined);
}
