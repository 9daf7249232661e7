// Splits texts and byte streams into lines, which become keys.

import { lines } from '../../wasm/parts/lines.js';
import { batchBytes, batchCounts, bytesAddress, copyRanges, raw, write } from '../border/memory.js';
import { call, coreWith } from '../border/runtime.js';
import { mustBe, TamisError, typeError } from '../errors.js';
import { GrowingBytes } from '../growing-bytes.js';
import { isBytes, type PackedKeys, pin } from '../key-types.js';
import { abortSignal, integer, readOptions } from '../options.js';
import { check, errorOf } from '../statuses.js';
import { type ByteSource, chunksOf } from '../streams.js';

/** The options of keysFromLines, keyBatchesFrom and linesFrom. */
export interface LineOptions {
  /** The byte that ends a line; default 10, a line feed. */
  readonly separator?: number;
}

/** The default separator, before which a carriage return is dropped. */
const lineFeed = 10;
const carriageReturn = 13;
const separatorReader = () => integer(0, 255);

/**
 * Splits a text into lines, and returns them as packed keys. It is the fastest way for files, because wasm splits them
 * without copying a key. It drops empty lines, one CR before a line feed, and a UTF-8 byte order mark at the start. The
 * last line needs no separator. The result refers to `bytes`.
 *
 * @example
 * import { keysFromLines } from 'tamis';
 * keysFromLines(new TextEncoder().encode('alice\r\nbob\n')).length; // => 2
 */
export function keysFromLines(bytes: Uint8Array, options?: LineOptions): PackedKeys {
  const readers = { separator: separatorReader() };
  const { separator = lineFeed } = readOptions(options, readers, 'keysFromLines');
  if (!isBytes(bytes)) throw mustBe('a Uint8Array', 'keysFromLines: bytes', bytes);
  return splitLines(pin(bytes, 'keysFromLines'), separator, true);
}

/** The ranges of the lines found so far, in arrays that grow. */
class Ranges {
  starts = new Uint32Array(0);
  ends = new Uint32Array(0);
  length = 0;

  /** Makes room for `count` more ranges. When the arrays grow, they get room for at least `expected` ranges in all. */
  reserve(count: number, expected: number): void {
    const wanted = this.length + count;
    if (wanted <= this.starts.length) return;
    const grow = (old: Uint32Array) => {
      const grown = new Uint32Array(Math.max(wanted, expected, Math.ceil(1.25 * old.length)));
      grown.set(old);
      return grown;
    };
    this.starts = grow(this.starts);
    this.ends = grow(this.ends);
  }
}

/** Splits pinned bytes as keysFromLines does. `isTextStart` means that they may begin with a byte order mark. */
function splitLines(bytes: Uint8Array, separator: number, isTextStart: boolean): PackedKeys {
  coreWith(lines);
  if (bytes.length > 0xffffffff) throw errorOf('ERR_TAMIS_TOO_LARGE', 'over 4 GiB in one piece');
  const ranges = new Ranges();
  for (let at = 0; at < bytes.length; ) {
    const to = Math.min(at + batchBytes, bytes.length);
    write(bytesAddress, batchBytes, bytes.subarray(at, to));
    const isStart = isTextStart && at === 0;
    const isLast = to === bytes.length;
    const split = () =>
      raw._tamis_split_lines(to - at, at, separator, Number(isStart), Number(isLast));
    const count = check(call(split));
    const { done: bytesDone } = batchCounts(); // up to the end of the last whole line
    if (bytesDone > 0) {
      // Estimates how many lines follow, from the lines per byte of this chunk, plus 5 %. The limit of 8 keeps one odd
      // chunk from raising the estimate much.
      const rest = Math.ceil((1.05 * count * (bytes.length - at)) / bytesDone);
      const { length } = ranges;
      ranges.reserve(count, Math.min(length + rest, 8 * (length + count)));
      copyRanges(ranges, ranges.length, count);
      ranges.length += count;
      at += bytesDone;
      continue;
    }
    // No line ends in the scratch, so the next line is longer than the scratch.
    const separatorAt = bytes.indexOf(separator, at);
    const end = separatorAt < 0 ? bytes.length : separatorAt;
    const hasReturn =
      separatorAt >= 0 && separator === lineFeed && bytes[end - 1] === carriageReturn;
    ranges.reserve(1, 0);
    ranges.starts[ranges.length] = isStart && hasByteOrderMark(bytes) ? 3 : at;
    ranges.ends[ranges.length++] = hasReturn ? end - 1 : end;
    at = end + 1;
  }
  const { length } = ranges;
  // If many places are free, a copy drops them, because posting an array to a worker clones its whole buffer.
  const isTight = length > 0.8 * ranges.starts.length;
  const cut = (array: Uint32Array) =>
    isTight ? array.subarray(0, length) : array.slice(0, length);
  return { bytes, starts: cut(ranges.starts), ends: cut(ranges.ends), length };
}

function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The options of keyBatchesFrom and linesFrom. */
export interface StreamLineOptions extends LineOptions {
  /** Aborts the reading, even of a stream that hangs. */
  readonly signal?: AbortSignal;
  /** The longest line in bytes, without its end; default 65,536. A line stays in memory until its end arrives. */
  readonly maxLineBytes?: number;
}

/** Splits a byte stream into lines. `what` is the caller's name, for messages. */
async function* splitStream(
  what: string,
  stream: ByteSource,
  options: StreamLineOptions | undefined,
): AsyncGenerator<PackedKeys, void, undefined> {
  const readers = { separator: separatorReader(), signal: abortSignal, maxLineBytes: integer(1) };
  const checked = readOptions(options, readers, what);
  const { separator = lineFeed, signal, maxLineBytes = 65_536 } = checked;
  const gathered = new GrowingBytes(); // from the start of a line whose end has not arrived
  let isFirst = true;
  const checkLength = (length: number, limit: number) => {
    if (length <= limit) return;
    const text = `${what}: a line has more than ${maxLineBytes} bytes; see maxLineBytes`;
    throw new TamisError('ERR_TAMIS_TOO_LARGE', text);
  };
  // `most` is as in GrowingBytes.add.
  const gather = (piece: Uint8Array, most?: number) => {
    // Three more bytes may be a byte order mark, and one a carriage return.
    checkLength(gathered.length + piece.length, maxLineBytes + 4);
    gathered.add(piece, most);
  };
  // Splits the gathered bytes, and throws if a line is longer than the limit.
  const splitGathered = () => {
    const keys = splitLines(gathered.take(), separator, isFirst);
    isFirst = false;
    const { bytes, starts, ends, length } = keys;
    if (bytes.length <= maxLineBytes) return keys; // then no line is longer
    for (let i = 0; i < length; i++) {
      checkLength((ends[i] ?? 0) - (starts[i] ?? 0), maxLineBytes);
    }
    return keys;
  };
  for await (const piece of chunksOf(stream, signal, what)) {
    const chunk = pin(piece, what);
    const linesEnd = chunk.lastIndexOf(separator) + 1;
    if (linesEnd === 0) {
      gather(chunk);
      continue;
    }
    gathered.add(chunk.subarray(0, linesEnd), gathered.length + linesEnd);
    const keys = splitGathered();
    // This comes before the yield, during which the chunk may change.
    gather(chunk.subarray(linesEnd), chunk.length - linesEnd);
    if (keys.length > 0) yield keys;
  }
  const keys = splitGathered();
  if (keys.length > 0) yield keys;
}

/**
 * Splits a byte stream into lines, by the rules of keysFromLines, and yields the lines of each chunk as one batch of
 * packed keys. It is the fastest way from a download to a filter. A line may span chunks. A line longer than
 * `maxLineBytes` rejects with ERR_TAMIS_TOO_LARGE, after the lines of the chunks before it.
 *
 * @example
 * import { BloomFilter, keyBatchesFrom } from 'tamis';
 * const body = new Blob(['alice\n', 'bob\n']).stream();
 * const filter = new BloomFilter({ capacity: 100 });
 * await filter.addFrom(keyBatchesFrom(body)); // => 2
 */
export function keyBatchesFrom(
  stream: ByteSource,
  options?: StreamLineOptions,
): AsyncGenerator<PackedKeys, void, undefined> {
  return splitStream('keyBatchesFrom', stream, options);
}

/**
 * Splits a byte stream into lines as keyBatchesFrom does, and yields each as a string. A line that is not UTF-8 rejects
 * with ERR_TAMIS_INVALID_KEY.
 *
 * @example
 * import { linesFrom } from 'tamis';
 * const body = new Blob(['alice\n', 'bob\n']).stream();
 * for await (const line of linesFrom(body)) console.log(line);
 * // prints: alice
 * // prints: bob
 */
export async function* linesFrom(
  stream: ByteSource,
  options?: StreamLineOptions,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const { bytes, starts, ends, length } of splitStream('linesFrom', stream, options)) {
    for (let i = 0; i < length; i++) {
      options?.signal?.throwIfAborted(); // a batch may have millions of lines
      let line: string;
      try {
        line = decoder.decode(bytes.subarray(starts[i], ends[i]));
      } catch {
        const text = 'linesFrom: a line is not UTF-8; keyBatchesFrom takes any bytes';
        throw typeError(text, 'ERR_TAMIS_INVALID_KEY');
      }
      yield line;
    }
  }
}
