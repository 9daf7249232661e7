// Opens a structure from a download.

import {
  bytesOf,
  Container,
  headerBytes,
  type LoadOptions,
  need,
  readOptions,
} from './container.js';
import type { ReaderClass } from './filter.js';
import { classOf, open, type ReaderOf } from './open.js';

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
        file = new Container(join(pieces, length), undefined, maxBytes);
        classOf(file.id, classes);
      }
      need(file === undefined || length <= file.size);
    }
  } finally {
    // The cancellation is not awaited, and its errors do not matter.
    (async () => stop())().catch(() => {});
  }
  return open(join(pieces, length), classes, { ...options, view: true });
}
