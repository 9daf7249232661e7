// What every type has: bytes, a size, a life.

import type { Core, Handle } from '../wasm/core.js';
import { check, codeOf, show, statusError, TamisError, typeError } from './errors.js';
import { withSipKey } from './hashing.js';
import { isBytes } from './key-types.js';
import { Owned } from './lifetime.js';
import {
  allocate,
  bytesAddress,
  hashesAddress,
  numberAddress,
  read,
  readNumbers,
  readStatus,
  release,
  statusAddress,
  write,
  writeNumbers,
} from './memory.js';
import { abortSignal, callback, integer, type Progress, readOptions, sipKey } from './options.js';
import { call, core } from './runtime.js';
import { type ByteSource, chunksOf } from './streams.js';

/** The types of this release, as `type` names them, with their ids in the wire format. */
const typeIds = {
  bloom: 1,
  'blocked-bloom': 2,
  'counting-bloom': 3,
  'tombstone-bloom': 4,
  'deletable-bloom': 5,
  'scalable-bloom': 6,
  'rotating-bloom': 7,
  'd-left-counting': 8,
  cuckoo: 9,
  iblt: 14,
  'bit-array': 15,
} as const;
export type FilterType = keyof typeof typeIds;

/** The numbers that structures give about themselves, in the order of bindings/figures.def. */
const figureNames = [
  'count',
  'capacity',
  'sizeBytes',
  'fpr',
  'estimatedFpr',
  'bits',
  'hashes',
  'fillRatio',
  'estimateCount',
  'counters',
  'counterBits',
  'deletions',
  'falseNegativeRate',
  'regions',
  'deletableRatio',
  'layers',
  'growth',
  'tightening',
  'generations',
  'periodMs',
  'bucketSize',
  'fingerprintBits',
  'loadFactor',
  'keyBytes',
  'cells',
  'length',
] as const;
export type FigureName = (typeof figureNames)[number];

const headerBytes = 64;
const defaultMaxBytes = 256 * 2 ** 20;

/** Options of `fromBytes`. */
export interface LoadOptions {
  /** The 16 bytes of a keyed structure. */
  readonly key?: Uint8Array;
  /** The most bytes that are taken; default 256 MiB. */
  readonly maxBytes?: number;
}

/** Options of `fromStream`. */
export interface StreamLoadOptions extends LoadOptions {
  readonly signal?: AbortSignal;
  /** Told the bytes received so far, and how many there will be. */
  readonly onProgress?: (progress: Progress) => void;
}

const loadReaders = { key: sipKey, maxBytes: integer(1) };
const streamReaders = { ...loadReaders, signal: abortSignal, onProgress: callback };

/** Marks a structure that is there already, for a constructor to take instead of options. */
export class Adopted {
  constructor(readonly handle: Handle) {}
}

/** What a constructor gets where it makes no new structure; the type is a secret of this package. */
export function adopting<Options>(handle: Handle): Options {
  return new Adopted(handle) as Options;
}

/** Takes what a factory of the core gave. */
function owned(handle: Handle): Handle {
  if (handle === 0) throw statusError(readStatus());
  return handle;
}

/** The values of a Config's fields, in the order of its each_field; what is undefined keeps its default. */
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

/** The bytes in memory that `create` would take. */
export function sizeFor(type: FilterType, fields: Fields, hashing: Hashing): number {
  const size = withFields(fields, hashing, (core, at, key) =>
    core.sizeFor(typeIds[type], at, key, statusAddress),
  );
  check(readStatus());
  return size;
}

function nameOf(typeId: number | undefined): string {
  return Object.entries(typeIds).find(([, id]) => id === typeId)?.[0] ?? 'unknown';
}

/** Checks the 64 bytes of a header, against one type or any; a type's id and the payload's size. */
export function inspectHeader(
  bytes: Uint8Array,
  typeId: number,
  maxBytes: number,
): { typeId: number; totalBytes: number } {
  core();
  const head = bytes.subarray(0, headerBytes);
  write(bytesAddress, head);
  const found = call((core) =>
    core.inspect(bytesAddress, head.length, typeId, maxBytes, numberAddress),
  );
  if (found < 0) {
    const isOther = codeOf(found) === 'ERR_TAMIS_WRONG_TYPE';
    throw statusError(
      found,
      isOther ? `${nameOf(typeId)} asked, ${nameOf(head[10])} found` : undefined,
    );
  }
  return { typeId: found, totalBytes: headerBytes + (readNumbers(numberAddress, 1)[0] as number) };
}

function bytesOf(input: ArrayBuffer | Uint8Array, what: string): Uint8Array {
  const tag = Object.prototype.toString.call(input);
  const isBuffer = tag === '[object ArrayBuffer]' || tag === '[object SharedArrayBuffer]';
  if (!isBuffer && !isBytes(input)) {
    throw typeError(`${what}: expected an ArrayBuffer or a Uint8Array, got ${show(input)}`);
  }
  try {
    return isBytes(input) ? input.subarray() : new Uint8Array(input);
  } catch {
    throw typeError(`${what}: the buffer has been detached (transferred?)`);
  }
}

/** How structures of one class are loaded. */
export interface Loader<S> {
  readonly type: FilterType;
  /** The class's name, for messages. */
  readonly name: string;
  adopt(handle: Handle): S;
}

/** The classes that a road in takes: one, or all. */
export type Loaders<S> = readonly Loader<S>[];

/** For messages, and the only type id that is taken; 0: any. */
function expectedOf<S>(loaders: Loaders<S>): { what: string; typeId: number } {
  const [only] = loaders;
  if (loaders.length > 1 || only === undefined) return { what: 'fromBytes', typeId: 0 };
  return { what: only.name, typeId: typeIds[only.type] };
}

/** The one road in for bytes: look at the header, copy, decode and check everything. */
export function load<S>(
  loaders: Loaders<S>,
  input: ArrayBuffer | Uint8Array,
  options: LoadOptions | undefined,
): S {
  const expected = expectedOf(loaders);
  const { key, maxBytes = defaultMaxBytes } = readOptions(options, loadReaders, expected.what);
  const bytes = bytesOf(input, expected.what);
  const { typeId, totalBytes } = inspectHeader(bytes, expected.typeId, maxBytes);
  // Told here too, so that nothing is copied that cannot be right.
  if (bytes.length < totalBytes) throw new TamisError('ERR_TAMIS_TRUNCATED');
  if (bytes.length > totalBytes) throw new TamisError('ERR_TAMIS_CORRUPT');
  const loader = loaders.find(({ type }) => typeIds[type] === typeId);
  if (loader === undefined) throw new TamisError('ERR_TAMIS_UNKNOWN_TYPE');
  const address = allocate(bytes.length);
  try {
    write(address, bytes);
    const handle = withSipKey(key, (keyAddress) =>
      owned(
        call((core) =>
          core.decode(typeId, address, bytes.length, keyAddress, maxBytes, statusAddress),
        ),
      ),
    );
    return loader.adopt(handle);
  } finally {
    release(address);
  }
}

/** The same from a stream; it refuses as soon as the header, or the length, is wrong. */
export async function loadStream<S>(
  loaders: Loaders<S>,
  source: ByteSource,
  options: StreamLoadOptions | undefined,
): Promise<S> {
  const expected = expectedOf(loaders);
  const { key, maxBytes, signal, onProgress } = readOptions(options, streamReaders, expected.what);
  const chunks: Uint8Array[] = [];
  let done = 0;
  let total: number | undefined;
  const joined = () => {
    const bytes = new Uint8Array(done);
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  };
  for await (const chunk of chunksOf(source, signal, expected.what)) {
    chunks.push(chunk.slice());
    done += chunk.length;
    if (total === undefined && done >= headerBytes) {
      const limit = maxBytes ?? defaultMaxBytes;
      total = inspectHeader(joined(), expected.typeId, limit).totalBytes;
    }
    if (total !== undefined && done > total) {
      throw new TamisError('ERR_TAMIS_CORRUPT', `expected ${total} bytes, got more`);
    }
    onProgress?.(total === undefined ? { done } : { done, total });
  }
  const bytes = joined();
  chunks.length = 0;
  return load(loaders, bytes, {
    ...(key === undefined ? {} : { key }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
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
    if (differing === undefined) return 'the keys differ';
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
