// Loads bytes of one of several types, in memory or from a download.

import { classNameOf, typeError } from '../core/errors.js';
import type { Progress } from '../core/options.js';
import type { ByteSource } from '../core/streams.js';
import { filterClasses } from './all.js';
import {
  bitArrayId,
  bytesOf,
  Container,
  headerBytes,
  type LoadOptions,
  need,
  readOptions,
} from './container.js';
import type { ReaderClass } from './filter.js';

/** The options of `fromStream`. */
export interface StreamLoadOptions extends LoadOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of bytes received so far, and with the total. */
  readonly onProgress?: (progress: Progress) => void;
}

/** A filter of any class of `tamis/read`; `type` says which. */
export type AnyFilter = InstanceType<(typeof filterClasses)[number]>;

/** Returns a function that finds the class for a type's id, or throws ERR_TAMIS_WRONG_TYPE. */
function finderOf(classes: readonly ReaderClass[]): (id: number) => ReaderClass {
  const kinds = Array.isArray(classes) ? classes.map((Class) => Class?.prototype?.kind) : undefined;
  if (!kinds?.every(Boolean))
    throw typeError("classes must be an array of classes of 'tamis/read'");
  return (id) => {
    const found = classes[kinds.findIndex((kind) => kind[1] === id)];
    const expected = kinds.map(([type]) => type).join(', ');
    const got = id === bitArrayId ? 'a bit-array: use BitArray.fromBytes' : `type ${id}`;
    need(found !== undefined, 'WRONG_TYPE', `expected ${expected}, got ${got}`);
    return found;
  };
}

/**
 * Loads the bytes of `toBytes` with the class of their type, which must be in the list. Your bundle contains only the
 * classes in the list. Throws the errors of a class's fromBytes, and ERR_TAMIS_WRONG_TYPE if none of them has the type.
 *
 * @example
 * import { RibbonFilter as Builder } from 'tamis';
 * import { BloomFilter, fromBytesOf, RibbonFilter } from 'tamis/read';
 * const bytes = Builder.from(['alice', 'bob']).toBytes();
 * const filter = fromBytesOf([BloomFilter, RibbonFilter], bytes);
 * filter.type; // => 'ribbon'
 * filter.has('alice'); // => true
 */
export function fromBytesOf<const Classes extends readonly ReaderClass[]>(
  classes: Classes,
  bytes: ArrayBuffer | Uint8Array,
  options?: LoadOptions,
): InstanceType<Classes[number]> {
  const find = finderOf(classes);
  const { id } = new Container(bytesOf(bytes), readOptions(options).maxBytes); // checks only the header
  return find(id).fromBytes(bytes, options) as InstanceType<Classes[number]>;
}

/**
 * Loads a filter of any type from the bytes of `toBytes`. A bundle with this function contains all classes. The bytes
 * of a BitArray throw ERR_TAMIS_WRONG_TYPE: load them with `BitArray.fromBytes`.
 *
 * @example
 * import { CuckooFilter } from 'tamis';
 * import { fromBytes } from 'tamis/read';
 * const loaded = fromBytes(CuckooFilter.from(['alice']).toBytes());
 * loaded.has('alice'); // => true
 * loaded.type; // => 'cuckoo'
 */
export const fromBytes = (bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): AnyFilter =>
  fromBytesOf(filterClasses, bytes, options);

/** Opens a source: `next` reads a piece, and `stop` cancels. Not every engine can iterate over a stream. */
function openSource(source: ByteSource) {
  const { getReader, [Symbol.asyncIterator]: iterate } = Object(source);
  const opened = (getReader ?? iterate)?.call(source);
  if (opened) {
    return {
      next: () => (opened.read ?? opened.next).call(opened),
      stop: () => (opened.cancel ?? opened.return)?.call(opened),
    };
  }
  throw typeError(`expected a stream, such as response.body, got ${classNameOf(source)}`);
}

/** Joins pieces. It uses no Blob, whose bytes jsdom and Hermes cannot read. */
function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/**
 * Loads a download with the class of its type, as `fromBytesOf` does. It cancels the download as soon as the header,
 * the type or the length is wrong. Rejects with the errors of `fromBytesOf` and of the source.
 */
export async function fromStreamOf<const Classes extends readonly ReaderClass[]>(
  classes: Classes,
  stream: ByteSource,
  options?: StreamLoadOptions,
): Promise<InstanceType<Classes[number]>> {
  const find = finderOf(classes);
  const { signal, onProgress, ...rest }: StreamLoadOptions = {
    __proto__: null,
    ...options,
  } as object;
  const { maxBytes } = readOptions(rest);
  if ((signal && !signal.throwIfAborted) || (onProgress && typeof onProgress !== 'function')) {
    throw typeError('signal must be an AbortSignal, onProgress a function');
  }
  const { next, stop } = openSource(stream);
  const pieces: Uint8Array[] = [];
  let done = 0;
  let total: number | undefined;
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal?.reason);
  });
  signal?.addEventListener('abort', onAbort);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done: isDone, value } = await Promise.race([next(), aborted]);
      if (isDone) break;
      const piece = new Uint8Array(bytesOf(value)); // a copy, since the source may reuse its buffer
      pieces.push(piece);
      done += piece.length;
      if (total === undefined && done >= headerBytes) {
        const { id, size } = new Container(join(pieces, done), maxBytes);
        find(id);
        total = size;
      }
      need(done <= (total ?? done)); // no more bytes than the header says
      onProgress?.({ done, ...(total && { total }) });
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // The cancellation is not awaited, and its errors do not matter. At the end of the source it does nothing.
    (async () => stop())().catch(() => {});
  }
  return fromBytesOf(classes, join(pieces, done), { ...rest, view: true });
}

/** Loads a filter of any type from a download, as `fromStreamOf` does. A bundle with it contains all classes. */
export const fromStream = (stream: ByteSource, options?: StreamLoadOptions): Promise<AnyFilter> =>
  fromStreamOf(filterClasses, stream, options);
