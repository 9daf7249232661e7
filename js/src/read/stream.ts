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

/** Options of fromStream. */
export interface StreamOptions extends Pick<LoadOptions, 'key' | 'maxBytes'> {
  /** Ends the download. */
  readonly signal?: AbortSignal;
  /** Told the bytes that came, and how many there will be once the header says so. */
  readonly onProgress?: (progress: { readonly done: number; readonly total?: number }) => void;
}

/** What a source gives in turn, and how it is let go of. */
function openSource(source: ByteSource) {
  // Not every engine iterates over a stream.
  if ('getReader' in source) {
    const reader = source.getReader();
    return { next: () => reader.read(), stop: () => reader.cancel() };
  }
  const iterator = source[Symbol.asyncIterator]();
  return { next: () => iterator.next(), stop: () => iterator.return?.() };
}

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
 * `open` for a download, which it ends as soon as the header, the type or the length is wrong. Rejects with what
 * `open` throws, and with the reason of `signal` when that aborts.
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
  options?: StreamOptions,
): Promise<ReaderOf<Classes>> {
  const { signal, onProgress, ...given } = options ?? {};
  const { maxBytes } = readOptions(given);
  const { next, stop } = openSource(source);
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
  });
  signal?.addEventListener('abort', abort);
  const pieces: Uint8Array[] = [];
  let done = 0;
  let file: Container | undefined;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done: isEnd, value } = await Promise.race([next(), aborted]);
      if (isEnd) break;
      // A copy: the source may use its buffer again.
      const piece = new Uint8Array(bytesOf(value));
      pieces.push(piece);
      done += piece.length;
      if (file === undefined && done >= headerBytes) {
        file = new Container(join(pieces, done), undefined, maxBytes);
        classOf(file.id, classes);
      }
      need(file === undefined || done <= file.size);
      onProgress?.(file === undefined ? { done } : { done, total: file.size });
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    // Nobody waits for it, nor for what it says.
    Promise.resolve(stop()).catch(() => {});
  }
  return open(join(pieces, done), classes, { ...given, view: true });
}
