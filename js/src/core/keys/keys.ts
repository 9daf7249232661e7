// Sends keys into wasm through its scratch memory: one key per call, or some hundred.

import type { Core } from '../../wasm/core.js';
import type { Part } from '../../wasm/part.js';
import { base } from '../../wasm/parts/base.js';
import { chunkKeys } from '../border/constants.js';
import {
  batchBytes,
  batchCounts,
  batchKeys,
  chunkBytes,
  keyAddress,
  putChunk,
  putKey,
  putPacked,
  releaseKey,
} from '../border/memory.js';
import { call, core, coreWith } from '../border/runtime.js';
import { atIndex, isOurs, type TamisError } from '../errors.js';
import {
  checkIterable,
  type Key,
  type Keys,
  keep,
  type PackedKeys,
  packedKey,
  packedOf,
} from '../key-types.js';
import { check, statusCode, statusError } from '../statuses.js';

/** An operation on keys in the scratch. A negative result is a status. */
export interface Batch {
  /** Processes the first `count` keys in the scratch, which begins with byte `offset` of all the keys' bytes. */
  many(offset: number, size: number, count: number): number;
  /** Processes one key, which may be longer than the scratch; returns the operation's answer. */
  one(address: number, size: number): number;
  /** Makes the error of a negative status; default: statusError. */
  readonly errorOf?: (status: number) => TamisError;
  /** Called with the number of keys that the last call processed; `answer` is the result of `one`. */
  take(count: number, answer?: number): void;
}

/**
 * Sends every key through `batch`, in order. An error has the index of the key that caused it. No key is written before
 * its chunk is complete, because an iterator or a getter is foreign code that may use the scratch itself.
 */
export function sendKeys(keys: Keys, batch: Batch): void {
  core();
  const packed = packedOf(keys);
  if (packed !== undefined) {
    sendPacked(packed, batch);
    return;
  }
  checkIterable(keys);
  if (!Array.isArray(keys)) {
    sendIterable(keys, batch);
    return;
  }
  for (let i = 0; i < keys.length; i += chunkKeys) {
    sendChunk(keys.slice(i, i + chunkKeys), i, batch);
  }
}

/** Collects the keys of an iterator into chunks, and sends each chunk when it is full. */
function sendIterable(keys: Iterable<Key>, batch: Batch): void {
  const chunk: Key[] = [];
  let sent = 0;
  const flush = () => {
    const ready = chunk.splice(0); // emptied first, so that after a refusal the last flush sends no key twice
    sendChunk(ready, sent, batch);
    sent += ready.length;
  };
  try {
    for (const key of keys) {
      if (chunk.push(keep(key)) === chunkKeys) flush();
    }
  } catch (error) {
    // The keys before the error are still sent.
    try {
      flush();
    } catch (refusal) {
      // The iterator's error is thrown, not `refusal`. If the refused key has a lower index, the error gets that index.
      const { index } = Object(refusal);
      if (isOurs(error) && Number(error.index) > index) throw atIndex(error, index);
    }
    throw error;
  }
  flush();
}

function isText(chunk: readonly Key[]): chunk is readonly string[] {
  for (let i = 0; i < chunk.length; i++) {
    if (typeof chunk[i] !== 'string') return false;
  }
  return true;
}

const errorOf = (status: number, batch: Batch): TamisError =>
  (batch.errorOf ?? statusError)(status);

/** Sends keys in memory. `firstIndex` is the index of the chunk's first key among all keys, for errors. */
function sendChunk(chunk: readonly Key[], firstIndex: number, batch: Batch): void {
  const isAllText = isText(chunk);
  for (let i = 0; i < chunk.length; ) {
    const count = putChunk(chunk, i, isAllText);
    if (count === 0) {
      sendOne(chunk[i] as Key, firstIndex + i, batch); // longer than the scratch, or not a key
      i++;
      continue;
    }
    const status = call(() => batch.many(0, chunkBytes, count));
    const { done } = batchCounts();
    batch.take(done);
    if (status < 0) throw atIndex(errorOf(status, batch), firstIndex + i + done);
    i += count;
  }
}

/** Sends one key of any length by itself; `index` is for errors. Throws if the value is not a key. */
function sendOne(key: Key, index: number, batch: Batch): void {
  let size: number;
  try {
    size = putKey(key);
  } catch (error) {
    throw atIndex(error, index);
  }
  const answer = call(() => batch.one(keyAddress, size));
  releaseKey();
  if (answer < 0) throw atIndex(errorOf(answer, batch), index);
  batch.take(1, answer);
}

/**
 * Sends packed keys in chunks. A chunk is the keys [i, to) and the bytes from the start of the first key to the end of
 * the last. The core refuses a key outside these bytes; such a key may be valid, but out of order, so it is sent alone.
 */
function sendPacked(keys: PackedKeys, batch: Batch): void {
  const { bytes, starts, ends, length } = keys;
  // The maximum number of keys in the next chunk. It falls when the core refuses a key, and then doubles again.
  let most = batchKeys;
  for (let i = 0; i < length; ) {
    const partStart = starts[i] as number;
    // The chunk is halved until its part fits the scratch. It is empty if key i does not fit, or is outside the bytes.
    let to = partStart > bytes.length ? i : Math.min(i + most, length);
    // Each end is read once, to be checked and used: another thread may write to a shared buffer.
    let partEnd = ends[to - 1] as number;
    while (to > i && partEnd - partStart > batchBytes) {
      to = i + ((to - i) >> 1);
      partEnd = ends[to - 1] as number;
    }
    if (to > i) {
      putPacked(bytes.subarray(partStart, partEnd), starts.subarray(i, to), ends.subarray(i, to));
      const status = call(() => batch.many(partStart, chunkBytes, to - i));
      const { done } = batchCounts();
      batch.take(done);
      most = Math.min(status < 0 ? Math.max(1, done) : 2 * most, batchKeys);
      i += done;
      // A key that was refused as invalid begins the next chunk. If it began this one, it is sent alone.
      if (status < 0 && statusCode(status) !== 'ERR_TAMIS_INVALID_KEY') {
        throw atIndex(errorOf(status, batch), i);
      }
      if (done > 0) continue;
    }
    // Key i is sent alone, because it is longer than the scratch, or outside the part or the bytes.
    sendOne(packedKey(keys, i), i, batch);
    i++;
  }
}

/**
 * Calls `act` with the address and size of a key's bytes in wasm memory, and returns the result. `part` is the part of
 * the wasm that `act` calls. Throws if the result is a status, or if the value is not a key. Fast paths do the same
 * without a closure per key.
 */
export function withKey(
  key: Key,
  act: (address: number, size: number, core: Core) => number,
  part: Part = base,
): number {
  coreWith(part);
  const size = putKey(key);
  const answer = call((ready) => act(keyAddress, size, ready));
  releaseKey();
  return check(answer);
}
