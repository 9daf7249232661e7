// Batches of keys: some hundred keys cross into wasm by one call.

import { lines } from '../../wasm/parts/lines.js';
import { chunkKeys } from '../border/constants.js';
import {
  batchBytes,
  batchCounts,
  batchKeys,
  bytesAddress,
  chunkBytes,
  copyRanges,
  keyAddress,
  putChunk,
  putKey,
  putPacked,
  raw,
  releaseKey,
  write,
} from '../border/memory.js';
import { call, core, coreWith } from '../border/runtime.js';
import { atIndex, mustBe, rangeError } from '../errors.js';
import {
  checkIterable,
  type Key,
  type Keys,
  keep,
  type PackedKeys,
  packedOf,
  pin,
} from '../key-types.js';
import { integer, readOptions } from '../options.js';
import { check, errorOf, statusCode, statusError } from '../statuses.js';
import { isBytes } from '../tags.js';

/** An operation on keys in the scratch. Negative results are statuses. */
export interface Batch {
  /** Processes the first `count` keys of the scratch, which begins at `offset` of the keys' bytes. */
  many(offset: number, size: number, count: number): number;
  /** Processes one key, which may be longer than the scratch; returns the answer of `has` or `add`. */
  one(address: number, size: number): number;
  /** Called with the number of keys that the last call processed; `answer` is the result of `one`. */
  take(count: number, answer?: number): void;
}

/**
 * Sends every key through `batch`, in order. An error has the index of the key that caused it. `begin` is called first
 * with the number of keys, if that is known. No key is written before its chunk is complete: an iterator or a getter is
 * foreign code, which may itself use a filter, and with it the scratch.
 */
export function sendKeys(keys: Keys, batch: Batch, begin?: (count: number) => void): void {
  core();
  const packed = packedOf(keys);
  if (packed !== undefined) {
    begin?.(packed.length);
    sendPacked(packed, batch);
    return;
  }
  checkIterable(keys);
  if (!Array.isArray(keys)) {
    sendIterable(keys, batch);
    return;
  }
  begin?.(keys.length);
  for (let i = 0; i < keys.length; i += chunkKeys) {
    const chunk = keys.slice(i, i + chunkKeys);
    sendChunk(chunk, i, batch);
  }
}

function sendIterable(keys: Iterable<Key>, batch: Batch): void {
  let chunk: Key[] = [];
  let sent = 0;
  const flush = () => {
    const ready = chunk;
    chunk = [];
    sendChunk(ready, sent, batch);
    sent += ready.length;
  };
  try {
    for (const key of keys) {
      if (chunk.push(keep(key)) === chunkKeys) flush();
    }
  } catch (error) {
    // The keys before the error are still sent. None are left if the error came behind a full chunk.
    try {
      if (chunk.length > 0) flush();
    } catch (earlier) {
      // The iterator's own error is thrown. An index in it means that the keys before it were processed.
      const { index } = Object(earlier);
      if (Object(error).index > index) atIndex(error, index);
    }
    throw error;
  }
  if (chunk.length > 0) flush();
}

function isText(chunk: readonly Key[]): chunk is readonly string[] {
  for (let i = 0; i < chunk.length; i++) {
    if (typeof chunk[i] !== 'string') return false;
  }
  return true;
}

function sendChunk(chunk: readonly Key[], base: number, batch: Batch): void {
  const isAllText = isText(chunk);
  for (let i = 0; i < chunk.length; ) {
    const count = putChunk(chunk, i, isAllText);
    if (count === 0) {
      sendOne(chunk[i] as Key, base + i, batch);
      i++;
      continue;
    }
    const status = call(() => batch.many(0, chunkBytes, count));
    const { done } = batchCounts();
    batch.take(done);
    if (status < 0) throw atIndex(statusError(status), base + i + done);
    i += count;
  }
}

function sendOne(key: Key, index: number, batch: Batch): void {
  let size: number;
  try {
    size = putKey(key);
  } catch (error) {
    throw atIndex(error, index);
  }
  const answer = call(() => batch.one(keyAddress, size));
  releaseKey();
  if (answer < 0) throw atIndex(statusError(answer), index);
  batch.take(1, answer);
}

function sendPacked(keys: PackedKeys, batch: Batch): void {
  const { bytes, starts, ends, length } = keys;
  // Chunks stay small while the keys are not in the order of their bytes.
  let most = batchKeys;
  for (let i = 0; i < length; ) {
    const low = starts[i] ?? 0;
    let to = low > bytes.length ? i : Math.min(i + most, length);
    // Each value is read once: another thread may write to a shared buffer.
    let high = ends[to - 1] ?? 0;
    while (to > i && high - low > batchBytes) {
      to = i + ((to - i) >> 1);
      high = ends[to - 1] ?? 0;
    }
    if (to > i) {
      putPacked(bytes.subarray(low, high), starts.subarray(i, to), ends.subarray(i, to));
      const status = call(() => batch.many(low, chunkBytes, to - i));
      const { done } = batchCounts();
      batch.take(done);
      most = Math.min(status < 0 ? Math.max(1, done) : 2 * most, batchKeys);
      i += done;
      if (status < 0 && statusCode(status) !== 'ERR_TAMIS_INVALID_KEY') {
        throw atIndex(statusError(status), i);
      }
      if (done > 0) continue;
    }
    // The key is longer than the scratch, or lies outside the bytes.
    const start = starts[i] ?? 0;
    const end = ends[i] ?? 0;
    if (start > end || end > bytes.length) {
      const message = `packed keys: [${start}, ${end}) is outside the ${bytes.length} bytes`;
      throw atIndex(rangeError(message, 'ERR_TAMIS_INVALID_KEY'), i);
    }
    sendOne(bytes.subarray(start, end), i, batch);
    i++;
  }
}

/** The options of keysFromLines and linesFrom. */
export interface LineOptions {
  /** The byte that ends a line; default 10, a line feed. */
  readonly separator?: number;
}

/** The default separator. */
export const lineFeed = 10;
export const separatorReader = () => integer(0, 255);

/**
 * Splits a text into lines as packed keys. It is the fastest way for files: wasm splits, and no key is copied. One
 * CR before a line feed, a UTF-8 byte order mark at the start and empty lines are dropped. The last line needs no
 * separator. The result refers to `bytes`.
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

/** The growing ranges of the lines found so far. */
class Ranges {
  starts = new Uint32Array(0);
  ends = new Uint32Array(0);
  length = 0;

  /** Makes room for `count` more ranges, and for `expected` in the end. */
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

/** Splits pinned bytes, as keysFromLines does; `isFirst`: they may begin with a byte order mark. */
export function splitLines(bytes: Uint8Array, separator: number, isFirst: boolean): PackedKeys {
  coreWith(lines);
  if (bytes.length > 0xffffffff) throw errorOf('ERR_TAMIS_TOO_LARGE');
  const ranges = new Ranges();
  for (let at = 0; at < bytes.length; ) {
    const to = Math.min(at + batchBytes, bytes.length);
    write(bytesAddress, batchBytes, bytes.subarray(at, to));
    const isStart = isFirst && at === 0;
    const isLast = to === bytes.length;
    const count = call(() =>
      raw._tamis_split_lines(to - at, at, separator, Number(isStart), Number(isLast)),
    );
    check(count);
    const { done } = batchCounts();
    if (done > 0) {
      // The estimate is the lines per byte so far, and a few more. One odd chunk must not raise it much.
      const rest = Math.ceil((1.05 * count * (bytes.length - at)) / done);
      const { length } = ranges;
      ranges.reserve(count, Math.min(length + rest, 8 * (length + count)));
      copyRanges(ranges.starts, ranges.ends, ranges.length, count);
      ranges.length += count;
      at += done;
      continue;
    }
    // The line is longer than the scratch.
    const separatorAt = bytes.indexOf(separator, at);
    const end = separatorAt < 0 ? bytes.length : separatorAt;
    const hasReturn = separatorAt >= 0 && separator === lineFeed && bytes[end - 1] === 13;
    ranges.reserve(1, 0);
    ranges.starts[ranges.length] = isStart && hasByteOrderMark(bytes) ? 3 : at;
    ranges.ends[ranges.length++] = hasReturn ? end - 1 : end;
    at = end + 1;
  }
  const { length } = ranges;
  // The arrays are cut only if that saves much. A clone for a worker copies the whole buffer of an array.
  const isTight = length > 0.8 * ranges.starts.length;
  const cut = (array: Uint32Array) =>
    isTight ? array.subarray(0, length) : array.slice(0, length);
  return { bytes, starts: cut(ranges.starts), ends: cut(ranges.ends), length };
}

function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
