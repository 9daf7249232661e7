// The roads in: bytes and streams of bytes, for one class or for all.

import { typeIds } from '../../wasm/registry.js';
import { own } from '../border/factories.js';
import {
  allocate,
  bytesAddress,
  numberAddress,
  readNumbers,
  readStatus,
  release,
  statusAddress,
  write,
} from '../border/memory.js';
import { call, core, coreWith } from '../border/runtime.js';
import { codeOf, show, statusError, TamisError, typeError } from '../errors.js';
import { GrowingBytes } from '../growing-bytes.js';
import { withSipKey } from '../keys/hashing.js';
import { isBytes, pin } from '../keys/key-types.js';
import {
  abortSignal,
  callback,
  integer,
  type Progress,
  type Reader,
  readOptions,
  sixteenBytes,
} from '../options.js';
import { type ByteSource, chunksOf } from '../streams.js';
import { type Adopter, adopt, definitionOf } from './definition.js';
import type { BloomScheme, SchemeRules } from './scheme.js';

const headerBytes = 64;
const typeAt = 10;
const hashAt = 11;
const defaultMaxBytes = 256 * 2 ** 20;

/** Options of `fromBytes`. */
export interface LoadOptions {
  /** The 16 bytes of a keyed structure. */
  readonly key?: Uint8Array;
  /** The most bytes that are taken; default 256 MiB. */
  readonly maxBytes?: number;
  /** Of `tamis/schemes`, those that a BloomFilter may have; the default needs no name. */
  readonly schemes?: readonly BloomScheme[];
}

/** Options of `fromStream`. */
export interface StreamLoadOptions extends LoadOptions {
  readonly signal?: AbortSignal;
  /** Told the bytes received so far, and how many there will be. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Of a class that has no schemes: the option is for others. */
const ignoreSchemes: Reader<readonly BloomScheme[]> = () => [];

export const loadReaders = (rules?: SchemeRules) => ({
  key: sixteenBytes,
  maxBytes: integer(1),
  schemes: rules?.read ?? ignoreSchemes,
});
export const streamReaders = (rules?: SchemeRules) => ({
  ...loadReaders(rules),
  signal: abortSignal,
  onProgress: callback,
});

/** The type with this wire id. */
export function nameOf(typeId: number | undefined): string {
  return Object.entries(typeIds).find(([, id]) => id === typeId)?.[0] ?? 'unknown';
}

/** Checks the 64 bytes of a header, against one type or any; a type's id and the payload's size. */
function inspectHeader(
  bytes: Uint8Array,
  typeId: number,
  maxBytes: number,
): { typeId: number; totalBytes: number } {
  core();
  const head = bytes.subarray(0, headerBytes);
  write(bytesAddress, headerBytes, head);
  const found = call((core) =>
    core.inspect(bytesAddress, head.length, typeId, maxBytes, numberAddress),
  );
  if (found < 0) {
    const isOther = codeOf(found) === 'ERR_TAMIS_WRONG_TYPE';
    throw statusError(
      found,
      isOther ? `${nameOf(typeId)} asked, ${nameOf(head[typeAt])} found` : undefined,
    );
  }
  return { typeId: found, totalBytes: headerBytes + (readNumbers(numberAddress, 1)[0] as number) };
}

function bytesOf(input: ArrayBuffer | Uint8Array, what: string): Uint8Array {
  if (isBytes(input)) return pin(input, what);
  try {
    // A DataView takes real buffers alone, shared ones too, and none that is detached.
    return new Uint8Array(input, 0, new DataView(input).byteLength);
  } catch {
    const expected = 'expected a Uint8Array, or an ArrayBuffer that is not detached';
    throw typeError(`${what}: ${expected}, got ${show(input)}`);
  }
}

const typeIdOf = (Class: unknown): number => typeIds[definitionOf(Class).type];

/** For messages, the only type id that is taken (0: any), and how the option `schemes` is read. */
function expectedOf(classes: readonly unknown[]): {
  what: string;
  typeId: number;
  rules: SchemeRules | undefined;
} {
  const rules = classes.map((Class) => definitionOf(Class).schemes).find(Boolean);
  if (classes.length > 1) return { what: 'fromBytes', typeId: 0, rules };
  return { what: definitionOf(classes[0]).name, typeId: typeIdOf(classes[0]), rules };
}

/** The wire id of the type that the bytes say they hold, of which the header alone is checked. */
export function inspect(
  input: ArrayBuffer | Uint8Array,
  options: LoadOptions | undefined,
  what: string,
): number {
  const { maxBytes = defaultMaxBytes } = readOptions(options, loadReaders(), what);
  return inspectHeader(bytesOf(input, what), 0, maxBytes).typeId;
}

/**
 * The one road in for bytes: look at the header, copy, decode and check everything. `classes` are those that
 * it takes, one or all; `more` are further arguments of their constructors.
 */
export function load<S, More extends unknown[]>(
  classes: readonly Adopter<S, More>[],
  input: ArrayBuffer | Uint8Array,
  options: LoadOptions | undefined,
  ...more: More
): S {
  const expected = expectedOf(classes);
  const given = readOptions(options, loadReaders(expected.rules), expected.what);
  const { key: sipKey, maxBytes = defaultMaxBytes, schemes = [] } = given;
  const bytes = bytesOf(input, expected.what);
  const { typeId, totalBytes } = inspectHeader(bytes, expected.typeId, maxBytes);
  const Class = classes.find((one) => typeIdOf(one) === typeId);
  if (Class === undefined) {
    const what = `the bytes hold a ${nameOf(typeId)}, which 'tamis/url' loads`;
    throw new TamisError('ERR_TAMIS_WRONG_TYPE', what);
  }
  // Told here too, so that nothing is copied that cannot be right.
  if (bytes.length < totalBytes) throw new TamisError('ERR_TAMIS_TRUNCATED');
  if (bytes.length > totalBytes) throw new TamisError('ERR_TAMIS_CORRUPT');
  const hashId = bytes[hashAt] as number;
  const scheme = schemes.find(({ id }) => id === hashId);
  if (scheme !== undefined) coreWith(scheme.part);
  const { length } = bytes;
  const address = allocate(length);
  try {
    write(address, length, bytes);
    const { part, schemes: rules } = definitionOf(Class);
    const handle = withSipKey(sipKey, (sipKeyAddress) =>
      call((core) => {
        const schemeId = scheme?.id ?? 0;
        return core.decode(
          typeId,
          address,
          length,
          sipKeyAddress,
          maxBytes,
          schemeId,
          statusAddress,
        );
      }, part),
    );
    if (handle === 0 && rules && codeOf(readStatus()) === 'ERR_TAMIS_UNSUPPORTED') {
      throw rules.explain(hashId);
    }
    return adopt(Class, own(handle), ...more);
  } finally {
    release(address);
  }
}

/** The same from a stream; it refuses as soon as the header, or the length, is wrong. */
export async function loadStream<S, More extends unknown[]>(
  classes: readonly Adopter<S, More>[],
  source: ByteSource,
  options: StreamLoadOptions | undefined,
  ...more: More
): Promise<S> {
  const expected = expectedOf(classes);
  const given = readOptions(options, streamReaders(expected.rules), expected.what);
  const { signal, onProgress, ...loadOptions } = given;
  const received = new GrowingBytes();
  let total: number | undefined;
  for await (const piece of chunksOf(source, signal, expected.what)) {
    const chunk = pin(piece, expected.what);
    // The header is looked at before a byte behind it is copied.
    const head = chunk.subarray(0, Math.max(0, headerBytes - received.length));
    received.add(head, headerBytes);
    if (total === undefined && received.length === headerBytes) {
      const limit = given.maxBytes ?? defaultMaxBytes;
      total = inspectHeader(received.all, expected.typeId, limit).totalBytes;
    }
    const rest = chunk.subarray(head.length);
    if (total !== undefined && received.length + rest.length > total) {
      throw new TamisError('ERR_TAMIS_CORRUPT', `expected ${total} bytes, got more`);
    }
    received.add(rest, total);
    const done = received.length;
    onProgress?.(total === undefined ? { done } : { done, total });
  }
  return load(classes, received.take(), loadOptions as LoadOptions, ...more);
}
