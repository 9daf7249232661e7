// Reads keys that arrive over time, for addFrom and fromAsync.

import { atIndex, typeError } from '../errors.js';
import { keepEntry, type PackedKeys, packedOf } from '../key-types.js';
import { abortSignal, callable, integer, type Progress } from '../options.js';
import { checkSource, isByteStream, makePauseIfDue, valuesOf } from '../streams.js';

/** The options of addFrom and fromAsync. */
export interface AddFromOptions {
  readonly signal?: AbortSignal;
  /** Called after each batch with the number of keys read so far. */
  readonly onProgress?: (progress: Progress) => void;
  /** The number of keys that are collected before they are processed; default 1,024. */
  readonly batch?: number;
}

export const sourceReaders = () => ({
  signal: abortSignal,
  onProgress: callable<(progress: Progress) => void>(),
  batch: integer(1, 2 ** 20),
});

/** Throws if a value is not a source of keys. It reads nothing. */
export function checkKeySource(source: unknown, what: string): void {
  checkSource(source, what, 'keyBatchesFrom(response.body)');
  if (isByteStream(source)) {
    throw typeError(
      `${what}: source is a stream of bytes; pass keyBatchesFrom(stream)`,
      'ERR_TAMIS_INVALID_KEY',
    );
  }
}

/**
 * Passes the values of a source to `take` in batches, but packed keys as they are. If `signal` aborts, it rejects with
 * the signal's reason. The values before an error are still passed. An error's `index` counts from the first value.
 */
export async function readKeys<T>(
  source: ReadableStream<T | PackedKeys> | AsyncIterable<T | PackedKeys>,
  { signal, onProgress, batch = 1024 }: AddFromOptions,
  what: string,
  take: (values: T[] | PackedKeys) => void,
): Promise<void> {
  checkKeySource(source, what);
  const gathered: T[] = [];
  let done = 0;
  const pauseIfDue = makePauseIfDue();
  const pass = (values: T[] | PackedKeys) => {
    if (values.length === 0) return;
    try {
      take(values);
    } catch (error) {
      const { index }: { index?: number } = Object(error);
      throw index === undefined ? error : atIndex(error, done + index);
    }
    done += values.length;
    onProgress?.({ done });
  };
  const flush = () => pass(gathered.splice(0));
  try {
    for await (const value of valuesOf(source, signal, what)) {
      const packed = packedOf(value);
      if (packed !== undefined) {
        flush();
        pass(packed);
      } else if (gathered.push(keepEntry(value) as T) >= batch) {
        flush();
      }
      const pause = pauseIfDue();
      if (pause) await pause;
    }
  } catch (error) {
    // The values before the error are still passed. The source's own error is thrown.
    try {
      flush();
    } catch {}
    throw error;
  }
  flush();
  signal?.throwIfAborted();
}
