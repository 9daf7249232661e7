// The lines of a stream of bytes as keys.

import { GrowingBytes } from '../growing-bytes.js';
import { abortSignal, readOptions } from '../options.js';
import { type ByteSource, chunksOf } from '../streams.js';
import { type PackedKeys, pin } from './key-types.js';
import { type LineOptions, lineFeed, separatorReader, splitLines } from './keys.js';

/** Options of linesFrom. */
export interface StreamLineOptions extends LineOptions {
  /** Lets go of a stream that hangs. */
  readonly signal?: AbortSignal;
}

/**
 * The lines of a byte stream as packed keys: whole lines, whatever the chunks. The rules are those of
 * keysFromLines.
 *
 * @example
 * import { BloomFilter, linesFrom } from 'tamis';
 * const body = new Blob(['alice\n', 'bob\n']).stream();
 * const filter = new BloomFilter({ capacity: 100 });
 * await filter.addFrom(linesFrom(body)); // => 2
 */
export async function* linesFrom(
  stream: ByteSource,
  options?: StreamLineOptions,
): AsyncGenerator<PackedKeys, void, undefined> {
  const readers = { separator: separatorReader(), signal: abortSignal };
  const { separator = lineFeed, signal } = readOptions(options, readers, 'linesFrom');
  const gathered = new GrowingBytes();
  let isFirst = true;
  const take = () => {
    const keys = splitLines(gathered.take(), separator, isFirst);
    isFirst = false;
    return keys;
  };
  for await (const given of chunksOf(stream, signal, 'linesFrom')) {
    const chunk = pin(given, 'linesFrom');
    const end = chunk.lastIndexOf(separator) + 1;
    if (end === 0) {
      gathered.add(chunk);
      continue;
    }
    gathered.add(chunk.subarray(0, end), gathered.length + end);
    const keys = take();
    gathered.add(chunk.subarray(end), chunk.length - end);
    if (keys.length > 0) yield keys;
  }
  const keys = take();
  if (keys.length > 0) yield keys;
}
