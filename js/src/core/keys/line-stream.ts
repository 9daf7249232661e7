// Splits a stream of bytes into lines as keys.

import { TamisError } from '../errors.js';
import { GrowingBytes } from '../growing-bytes.js';
import { type PackedKeys, pin } from '../key-types.js';
import { abortSignal, integer, readOptions } from '../options.js';
import { type ByteSource, chunksOf } from '../streams.js';
import { type LineOptions, lineFeed, separatorReader, splitLines } from './keys.js';

/** The options of linesFrom. */
export interface StreamLineOptions extends LineOptions {
  /** Aborts the reading, also of a stream that hangs. */
  readonly signal?: AbortSignal;
  /** The longest line in bytes, without its end; default 65,536. A line stays in memory until its end arrives. */
  readonly maxLineBytes?: number;
}

/**
 * Splits a byte stream into lines as packed keys, by the rules of keysFromLines. A line may lie in several chunks. A
 * line above `maxLineBytes` rejects with ERR_TAMIS_TOO_LARGE, after the lines of the chunks before it.
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
  const readers = {
    separator: separatorReader(),
    signal: abortSignal,
    maxLineBytes: integer(1),
  };
  const {
    separator = lineFeed,
    signal,
    maxLineBytes = 65_536,
  } = readOptions(options, readers, 'linesFrom');
  const gathered = new GrowingBytes();
  let isFirst = true;
  const check = (length: number, most: number) => {
    if (length <= most) return;
    const text = `linesFrom: a line has more than ${maxLineBytes} bytes; see maxLineBytes`;
    throw new TamisError('ERR_TAMIS_TOO_LARGE', text);
  };
  const keep = (piece: Uint8Array, expected?: number) => {
    // Three more bytes may be a byte order mark, and one a carriage return.
    check(gathered.length + piece.length, maxLineBytes + 4);
    gathered.add(piece, expected);
  };
  const take = () => {
    const keys = splitLines(gathered.take(), separator, isFirst);
    isFirst = false;
    const { bytes, starts, ends, length } = keys;
    for (let i = 0; bytes.length > maxLineBytes && i < length; i++) {
      check((ends[i] ?? 0) - (starts[i] ?? 0), maxLineBytes);
    }
    return keys;
  };
  for await (const piece of chunksOf(stream, signal, 'linesFrom')) {
    const chunk = pin(piece, 'linesFrom');
    const end = chunk.lastIndexOf(separator) + 1;
    if (end === 0) {
      keep(chunk);
      continue;
    }
    gathered.add(chunk.subarray(0, end), gathered.length + end);
    const keys = take();
    keep(chunk.subarray(end), chunk.length - end);
    if (keys.length > 0) yield keys;
  }
  const keys = take();
  if (keys.length > 0) yield keys;
}
