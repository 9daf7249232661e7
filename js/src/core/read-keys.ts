// Keys that come in time: the loop of addFrom and fromAsync.

import { atIndex, typeError } from './errors.js';
import { isPackedKeys, kept, type PackedKeys } from './key-types.js';
import { abortSignal, callback, integer, type Progress } from './options.js';
import { checkSource, isByteStream, valuesOf } from './streams.js';

/** Options of addFrom and fromAsync. */
export interface AddFromOptions {
  readonly signal?: AbortSignal;
  /** Told the keys read so far, after each batch. */
  readonly onProgress?: (progress: Progress) => void;
  /** Keys that are gathered before they are dealt with; default 1,024. */
  readonly batch?: number;
}

export const sourceReaders = {
  signal: abortSignal,
  onProgress: callback,
  batch: integer(1, 2 ** 20),
};

/** Throws for what gives no keys; reads nothing. */
export function checkKeySource(source: unknown, what: string): void {
  checkSource(source, what);
  if (isByteStream(source)) {
    throw typeError(
      `${what}: a stream of bytes has no keys; linesFrom(stream) gives those of its lines`,
      'ERR_TAMIS_INVALID_KEY',
    );
  }
}

/** Milliseconds after which timers and events may run. */
const patience = 16;

/**
 * Gives `take` the values of a source, gathered, and packed keys as they are. When `signal` aborts it rejects
 * with the signal's reason; what came before an error is taken all the same. An error's `index` counts from
 * the first value.
 */
export async function readKeys<T>(
  source: ReadableStream<T | PackedKeys> | AsyncIterable<T | PackedKeys>,
  { signal, onProgress, batch = 1024 }: AddFromOptions,
  what: string,
  take: (values: T[] | PackedKeys) => void,
): Promise<void> {
  checkKeySource(source, what);
  let gathered: T[] = [];
  let done = 0;
  let rested = performance.now();
  const give = (values: T[] | PackedKeys) => {
    if (values.length === 0) return;
    try {
      take(values);
    } catch (error) {
      const { index } = error as { index?: number };
      throw index === undefined ? error : atIndex(error as Error, done + index);
    }
    done += values.length;
    onProgress?.({ done });
  };
  const flush = () => {
    const values = gathered;
    gathered = [];
    give(values);
  };
  try {
    for await (const value of valuesOf(source, signal, what)) {
      if (isPackedKeys(value)) {
        flush();
        give(value);
      } else if (gathered.push(kept(value)) >= batch) {
        flush();
      }
      if (performance.now() - rested > patience) {
        // A source that always has a value ready would never let an abort's timer run.
        await new Promise((resolve) => setTimeout(resolve));
        signal?.throwIfAborted();
        rested = performance.now();
      }
    }
  } catch (error) {
    // The values that came before it are taken all the same; one of them may be the first error.
    try {
      flush();
    } catch (earlier) {
      if (!signal?.aborted) throw earlier;
    }
    throw error;
  }
  flush();
  signal?.throwIfAborted();
}
