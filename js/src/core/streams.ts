// Streams of bytes and of keys that the caller can abort.

import { mustBe } from './errors.js';
import { isBytes, type Key, type PackedKeys, pin } from './key-types.js';

/** A source that yields bytes in pieces. */
export type ByteSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** Keys that arrive over time, one by one or packed. */
export type KeySource = ReadableStream<Key | PackedKeys> | AsyncIterable<Key | PackedKeys>;

/**
 * Makes a function that a loop calls in each step. At most once in 16 ms the function returns a pause to wait for, else
 * undefined. Without pauses, a source that always has a value ready would never let the timer of an abort run.
 */
export function makePauseIfDue(): () => Promise<unknown> | undefined {
  let nextPause = 0;
  return () => {
    const now = performance.now();
    if (now < nextPause) return undefined;
    nextPause = now + 16;
    return new Promise((resolve) => setTimeout(resolve));
  };
}

/** Throws if a value cannot be read as a stream. The message names `example` as a right value. */
export function checkSource(source: unknown, what: string, example = 'response.body'): void {
  const { getReader, [Symbol.asyncIterator]: iterate } = Object(source);
  if (typeof getReader === 'function' || typeof iterate === 'function') return;
  const right = `a ReadableStream or an AsyncIterable, such as ${example}`;
  throw mustBe(right, `${what}: source`, source);
}

type Source<T> = ReadableStream<T> | AsyncIterable<T>;

/** Opens a source: `next` reads a value, and `stop` cancels the rest. */
function open<T>(source: Source<T>, what: string) {
  checkSource(source, what);
  const stream = source as ReadableStream<T>;
  if (typeof stream.getReader === 'function') {
    const reader = stream.getReader();
    return {
      next: () => reader.read() as Promise<IteratorResult<T, unknown>>,
      stop: (reason: unknown) => reader.cancel(reason),
    };
  }
  const iterator = (source as AsyncIterable<T>)[Symbol.asyncIterator]();
  return { next: () => iterator.next(), stop: async () => iterator.return?.() };
}

/** Cancels a source that will not be read, so that a download ends. It does not wait for the cancellation. */
export function cancelSource(source: Source<unknown>, reason: unknown, what: string): void {
  try {
    const { stop } = open(source, what);
    stop(reason).catch(() => {});
  } catch {
    // A source that cannot be opened needs no cancellation. The caller throws `reason`, and not this second error.
  }
}

/** Yields the values of a source. Rejects with the signal's reason as soon as the signal aborts. */
export async function* valuesOf<T>(
  source: Source<T>,
  signal: AbortSignal | undefined,
  what: string,
): AsyncGenerator<T, void, undefined> {
  const opened = open(source, what);
  let rejectNext = () => {}; // rejects the promise of the value that is waited for
  const onAbort = () => rejectNext();
  signal?.addEventListener('abort', onAbort);
  let isFinished = false;
  try {
    for (;;) {
      // `rejectNext` acts only while a value is waited for, so the signal is also checked before and after.
      signal?.throwIfAborted();
      const result = await new Promise<IteratorResult<T, unknown>>((resolve, reject) => {
        rejectNext = () => reject(signal?.reason);
        Promise.resolve(opened.next()).then(resolve, reject);
      });
      signal?.throwIfAborted();
      if (result.done) {
        isFinished = true;
        return;
      }
      yield result.value;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // The cancellation is not awaited, because a source that hangs must not delay the abort.
    if (!isFinished) opened.stop(signal?.reason).catch(() => {});
  }
}

/** Yields the non-empty pieces of a byte source. The caller must pin() each, because its length may change. */
export async function* chunksOf(
  source: ByteSource,
  signal: AbortSignal | undefined,
  what: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pauseIfDue = makePauseIfDue();
  for await (const chunk of valuesOf(source, signal, what)) {
    if (!isBytes(chunk)) throw mustBe('a Uint8Array', `${what}: chunk`, chunk);
    if (pin(chunk, what).length > 0) yield chunk;
    else await pauseIfDue(); // A source of empty chunks never reaches a limit of bytes.
  }
}

/** True if a source yields raw pieces of a file or a download, which are not keys. */
export function isByteStream(source: unknown): boolean {
  const stream = Object(source);
  // This is a Node stream that is not in object mode.
  if (stream.readableObjectMode === false) return true;
  if (typeof stream.getReader !== 'function') return false;
  try {
    // Only a stream of type 'bytes' returns such a reader.
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
