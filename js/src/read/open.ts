// Opens bytes of one of several types, in memory or from a download.

import type { Key } from '../core/key-types.js';
import { allClasses } from './all.js';
import type { BitArray } from './bit-array.js';
import {
  bytesOf,
  Container,
  headerBytes,
  type LoadOptions,
  need,
  readOptions,
} from './container.js';
import type { Reader, ReaderClass } from './filter.js';

/** The structure that a class of a list makes. */
export type ReaderOf<Classes extends readonly ReaderClass[]> = InstanceType<Classes[number]>;

/** The class of a list that reads a type id. Throws ERR_TAMIS_WRONG_TYPE. */
function classOf<R extends Reader>(id: number, classes: readonly ReaderClass<R>[]): ReaderClass<R> {
  const Class = classes.find(({ prototype }) => prototype.kind[1] === id);
  const expected = classes.map(({ prototype }) => prototype.type).join(', ');
  need(Class !== undefined, 'WRONG_TYPE', `expected ${expected}, got type ${id}`);
  return Class;
}

/**
 * Opens the bytes of `toBytes` with the class of their type. Your bundle has only the classes of the list. Throws the
 * errors of fromBytes, and ERR_TAMIS_WRONG_TYPE for a type that the list lacks.
 *
 * @example
 * import { RibbonFilter as Builder } from 'tamis';
 * import { BloomFilter, open, RibbonFilter } from 'tamis/read';
 * const bytes = Builder.from(['alice', 'bob']).toBytes();
 * const filter = open(bytes, [BloomFilter, RibbonFilter]);
 * filter.type; // => 'ribbon'
 * filter.has('alice'); // => true
 */
export function open<const Classes extends readonly ReaderClass[]>(
  bytes: ArrayBuffer | Uint8Array,
  classes: Classes,
  options?: LoadOptions,
): ReaderOf<Classes> {
  const { id } = new Container(bytesOf(bytes), readOptions(options).maxBytes); // checks only the header
  return classOf(id, classes).fromBytes(bytes, options) as ReaderOf<Classes>;
}

/** A structure that does not look up keys. */
interface Unasked {
  /** Throws for every key: this structure has no keys. `type` tells it from a filter. */
  has(key: Key): never;
}

/** Any structure of tamis/read; `type` says which. All have `has`; that of a BitArray throws for keys. */
export type AnyReader = Exclude<ReaderOf<typeof allClasses>, BitArray> | (BitArray & Unasked);

/**
 * Opens bytes of any type of this entry. Your bundle then has all classes. Throws the errors of fromBytes, and
 * ERR_TAMIS_WRONG_TYPE for a type without look-ups.
 *
 * @example
 * import { CuckooFilter } from 'tamis';
 * import { openAny } from 'tamis/read';
 * const opened = openAny(CuckooFilter.from(['alice']).toBytes());
 * opened.has('alice'); // => true
 * opened.type; // => 'cuckoo'
 */
export const openAny = (bytes: ArrayBuffer | Uint8Array, options?: LoadOptions): AnyReader =>
  open(bytes, allClasses, options);

/** Bytes in pieces. */
export type ByteSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** Opens a source: `next` reads a piece, and `stop` cancels. */
function openSource(source: ByteSource) {
  // Not every engine can iterate over a stream.
  if ('getReader' in source) {
    const reader = source.getReader();
    return { next: () => reader.read(), stop: (): unknown => reader.cancel() };
  }
  // A Promise or a Response is not a source: the error of bytesOf says what to do with it.
  if (!source[Symbol.asyncIterator]) bytesOf(source as never);
  const iterator = source[Symbol.asyncIterator]();
  return { next: () => iterator.next(), stop: (): unknown => iterator.return?.() };
}

/** Joins pieces. A Blob would not do: jsdom and Hermes cannot read its bytes. */
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
 * Opens a download, and cancels it as soon as the header, the type or the length is wrong. Rejects with the errors of
 * `open` and of the source. To abort, pass a `signal` to `fetch`.
 *
 * @example
 * import { RibbonFilter as Builder } from 'tamis';
 * import { fromStream, RibbonFilter } from 'tamis/read';
 * const body = new Blob([Builder.from(['alice', 'bob']).toBytes()]).stream(); // or the body of a Response
 * const filter = await fromStream(body, [RibbonFilter]);
 * filter.has('alice'); // => true
 */
export async function fromStream<const Classes extends readonly ReaderClass[]>(
  source: ByteSource,
  classes: Classes,
  options?: LoadOptions,
): Promise<ReaderOf<Classes>> {
  const { maxBytes } = readOptions(options);
  const { next, stop } = openSource(source);
  const pieces: Uint8Array[] = [];
  let length = 0;
  let file: Container | undefined;
  try {
    for (;;) {
      const { done, value } = await next();
      if (done) break;
      // The piece is copied, since the source may reuse its buffer.
      const piece = new Uint8Array(bytesOf(value));
      pieces.push(piece);
      length += piece.length;
      if (file === undefined && length >= headerBytes) {
        file = new Container(join(pieces, length), maxBytes);
        classOf(file.id, classes); // throws for a type that the list lacks
      }
      need(file === undefined || length <= file.size); // no more bytes than the header says
    }
  } finally {
    // The cancellation is not awaited, and its errors do not matter. At the end of the source it does nothing.
    (async () => stop())().catch(() => {});
  }
  return open(join(pieces, length), classes, { ...options, view: true });
}
