// Loads structures from bytes and from streams of bytes, for one class or for all.

import { typeIds } from '../../wasm/registry.js';
import { hashAt, headerBytes, typeAt } from '../border/constants.js';
import { bytesAddress, readStatus, statusAddress, withMemory, write } from '../border/memory.js';
import { call, core } from '../border/runtime.js';
import { cureOfBytes, guessContent, mustBe, TamisError, typeError } from '../errors.js';
import { GrowingBytes } from '../growing-bytes.js';
import { isBytes, pin } from '../key-types.js';
import { withSecret } from '../keys/hashing.js';
import {
  abortSignal,
  callable,
  integer,
  type Progress,
  readOptions,
  sixteenBytes,
} from '../options.js';
import { errorOf, statusError } from '../statuses.js';
import { type ByteSource, chunksOf } from '../streams.js';
import { adopt, type ClassOf, definitionOf } from './definition.js';
import type { BloomScheme, SchemeRules } from './scheme.js';

/** The options of `fromBytes`. */
export interface LoadOptions {
  /** The 16 secret bytes of a keyed structure. */
  readonly secret?: Uint8Array;
  /** The maximum number of bytes to accept; default 256 MiB. */
  readonly maxBytes?: number;
  /** The schemes of `tamis/schemes` that a BloomFilter may have besides the default. */
  readonly schemes?: readonly BloomScheme[];
}

/** The options of `fromStream`. */
export interface StreamLoadOptions extends LoadOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of bytes received so far, and with the total. */
  readonly onProgress?: (progress: Progress) => void;
}

export const loadReaders = (rules?: SchemeRules) => ({
  secret: sixteenBytes,
  maxBytes: integer(1),
  // A class without schemes ignores the option, which may be meant for other classes.
  schemes: rules?.read ?? ((): readonly BloomScheme[] => []),
});
export const streamReaders = (rules?: SchemeRules) => ({
  ...loadReaders(rules),
  signal: abortSignal,
  onProgress: callable<(progress: Progress) => void>(),
});

/** The name of the type with a wire id, or 'unknown'. */
export function typeNameOf(typeId: number | undefined): string {
  return Object.entries(typeIds).find(([, id]) => id === typeId)?.[0] ?? 'unknown';
}

/** The first bytes of a file, each as a character. */
export const startOf = (bytes: Uint8Array): string =>
  String.fromCharCode(...bytes.subarray(0, headerBytes));

/** Makes the error of a negative status from the core's open or decode. */
function loadError(status: number, bytes: Uint8Array, maxBytes?: number): TamisError {
  const later = 'the bytes are from a later release; update tamis';
  return statusError(status, {
    ERR_TAMIS_NOT_TAMIS: `expected the bytes of toBytes, got ${guessContent(startOf(bytes))}; check response.ok and the URL`,
    ERR_TAMIS_UNSUPPORTED_VERSION: later,
    ERR_TAMIS_UNKNOWN_TYPE: later,
    ERR_TAMIS_WRONG_TYPE: 'the bytes have another type; `fromBytes` loads any filter',
    ERR_TAMIS_TRUNCATED: 'the bytes end too early; fetch them again',
    ERR_TAMIS_KEY_REQUIRED: 'the structure has a secret: pass the option `secret`',
    ERR_TAMIS_WRONG_KEY: 'the structure has another `secret`, or none',
    ...(maxBytes && { ERR_TAMIS_TOO_LARGE: `the bytes exceed \`maxBytes\` (${maxBytes})` }),
  });
}

/** Checks a header. Returns the class of its type, and the size of header and payload. */
function open<S, More extends unknown[]>(
  { id, find }: Target<S, More>,
  bytes: Uint8Array,
  maxBytes = 256 * 2 ** 20,
) {
  core();
  const head = bytes.subarray(0, headerBytes);
  write(bytesAddress, headerBytes, head);
  const type = head[typeAt] ?? 0;
  const total = call((core) => core.open(bytesAddress, head.length, id || type, maxBytes));
  if (total < 0) throw loadError(total, bytes, maxBytes);
  return { total, Class: find(type) };
}

/** Returns a fixed view of a caller's bytes. Throws TypeError for another value. */
export function bytesOf(input: ArrayBuffer | Uint8Array, what: string): Uint8Array {
  if (isBytes(input)) return pin(input, what);
  try {
    // DataView accepts only real buffers. It accepts shared ones, but none that is detached.
    return new Uint8Array(input, 0, new DataView(input).byteLength);
  } catch {
    const { message } = mustBe('a Uint8Array or an ArrayBuffer', `${what}: bytes`, input);
    throw typeError(message + cureOfBytes(input));
  }
}

/** The classes that a load accepts. */
export interface Target<S, More extends unknown[]> {
  readonly name: string;
  /** The only accepted type id; 0 for any. */
  readonly id: number;
  readonly rules?: SchemeRules | undefined;
  /** Returns the class of a type id. Throws ERR_TAMIS_WRONG_TYPE. */
  readonly find: (id: number) => ClassOf<S, More>;
}

/** Accepts one class. Throws TypeError if the value is not a class of structures. */
export function only<S, More extends unknown[] = []>(Class: unknown): Target<S, More> {
  return Object.assign(definitionOf(Class), { find: () => Class as ClassOf<S, More> });
}

/**
 * Loads a structure from bytes: checks the header, copies the rest, decodes and checks everything. `more` are further
 * arguments for the class's constructor.
 */
export function load<S, More extends unknown[]>(
  target: Target<S, More>,
  input: ArrayBuffer | Uint8Array,
  options: LoadOptions | undefined,
  ...more: More
): S {
  const { name } = target;
  const checked = readOptions(options, loadReaders(target.rules), name);
  const bytes = bytesOf(input, name);
  const { total, Class } = open(target, bytes, checked.maxBytes);
  const { part, rules } = definitionOf(Class);
  const hashId = bytes[hashAt] ?? 0;
  const schemeId = rules?.prepare(checked.schemes, hashId) ?? 0; // 0: only the default scheme is accepted
  const { length } = bytes;
  // Bytes of a wrong length are not copied: the payload is empty, and `decode` refuses `length` before it reads.
  const payload = bytes.subarray(length === total ? headerBytes : length);
  return withMemory(payload.length, (address) => {
    write(address, payload.length, payload);
    const handle = withSecret(checked.secret, (secret) =>
      call(
        (core) => core.decode(address, length - headerBytes, secret, schemeId, statusAddress),
        part,
      ),
    );
    if (handle !== 0) return adopt(Class, handle, ...more);
    const error = loadError(readStatus(), bytes);
    if (rules === undefined || error.code !== 'ERR_TAMIS_UNSUPPORTED') throw error;
    throw new TamisError('ERR_TAMIS_UNSUPPORTED', rules.explain(hashId));
  });
}

/** Loads a structure from a stream. Rejects as soon as the header, or the length, is wrong. */
export async function loadStream<S, More extends unknown[]>(
  target: Target<S, More>,
  source: ByteSource,
  options: StreamLoadOptions | undefined,
  ...more: More
): Promise<S> {
  const { name, rules } = target;
  const checked = readOptions(options, streamReaders(rules), name);
  const { signal, onProgress, maxBytes, ...rest } = checked;
  const received = new GrowingBytes();
  let total: number | undefined;
  for await (const piece of chunksOf(source, signal, name)) {
    const chunk = pin(piece, name);
    // The header is checked before any byte after it is copied.
    const head = chunk.subarray(0, Math.max(0, headerBytes - received.length));
    received.add(head, headerBytes);
    if (received.length === headerBytes) total ??= open(target, received.all, maxBytes).total;
    const body = chunk.subarray(head.length); // empty until the header is complete
    if (received.length + body.length > (total ?? headerBytes)) throw errorOf('ERR_TAMIS_CORRUPT');
    received.add(body, total);
    const done = received.length;
    onProgress?.(total === undefined ? { done } : { done, total });
  }
  return load(target, received.take(), { ...rest, maxBytes } as LoadOptions, ...more);
}
