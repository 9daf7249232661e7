// A structure that comes as a download.

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

/** Bytes that come in pieces. */
export type ByteSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** What a source gives in turn, and how it is let go of. */
function openSource(source: ByteSource) {
  // Not every engine iterates over a stream.
  if ('getReader' in source) {
    const reader = source.getReader();
    return { next: () => reader.read(), stop: (): unknown => reader.cancel() };
  }
  // A Promise or a Response is no source: bytesOf says what to do with it.
  if (!source[Symbol.asyncIterator]) bytesOf(source as never);
  const iterator = source[Symbol.asyncIterator]();
  return { next: () => iterator.next(), stop: (): unknown => iterator.return?.() };
}

/** Not by a Blob, whose bytes neither jsdom nor Hermes gives. */
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
 * `open` for a download, which it lets go of as soon as the header, the type or the length is wrong. Rejects with what
 * `open` throws, and with what the source does: give the `signal` of an abort to `fetch`.
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
      // A copy: the source may use its buffer again.
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
    // Nobody waits for it, nor for what it says.
    (async () => stop())().catch(() => {});
  }
  return open(join(pieces, length), classes, { ...options, view: true });
}
