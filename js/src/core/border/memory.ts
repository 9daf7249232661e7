// Reads and writes the wasm memory. No other file sees its bytes.
//
// Keys go in and answers come out through scratch memory at fixed addresses (bindings/scratch.hpp). Growth of the wasm
// memory detaches every view. So no view leaves this file, and none is used after a call that may allocate.

import type { Core, Handle, RawExports } from '../../wasm/core.js';
import { invalidKey, isBytes, isWellFormed, type Key, type PackedKeys, pin } from '../key-types.js';
import { errorOf, type Messages, memoryUse, statusError } from '../statuses.js';
import { encodeUnits } from '../utf8.js';
import { chunkKeys } from './constants.js';
import {
  hasEncoder,
  isOneByOne,
  makeHelper,
  plainForJoin,
  type StringHelper,
  shortLimitOf,
  writeUnits,
} from './strings.js';

/** The raw exports of the wasm. They are undefined until the first structure is made, and each throws after a trap. */
export let raw: RawExports;

/** The address of the key that putKey wrote. */
export let keyAddress = 0;

/** The addresses of the status of a factory (which makes a structure), of a numeric answer, and of a SipHash key. */
export let statusAddress = 0;
export let numberAddress = 0;
export let sipKeyAddress = 0;

/** The largest batch, in keys and in bytes. */
export let batchKeys = 0;
export let batchBytes = 0;

/** The address of a batch's keys and of long answers, and that of the batch's hashes. */
export let bytesAddress = 0;
export let hashesAddress = 0;

let startsAddress = 0;
let endsAddress = 0;
let answersAddress = 0;
let valuesAddress = 0;
let countsAddress = 0;

let memory: WebAssembly.Memory;
/** Undefined if the engine has no TextEncoder. A loop then writes strings of every length. */
let encoder: TextEncoder | undefined;

/** Views of the whole memory, of the scratch as bytes and as words, and of three parts of the scratch. */
let all: Uint8Array<ArrayBuffer>;
let bytes: Uint8Array<ArrayBuffer>;
let words: Int32Array<ArrayBuffer>;
let starts: Uint32Array<ArrayBuffer>;
let ends: Uint32Array<ArrayBuffer>;
let values: Uint32Array<ArrayBuffer>;

/** The string helper, which looks up strings of at most `helperLimit` units. Longer strings go through putKey. */
export let helper: StringHelper;
export let helperLimit = -1;
/** The length of the longest strings that the helper or the loop writes. */
let shortLimit = -1;

/** Makes the views, or makes them again if growth has detached them. A detached view has the length 0. */
function refresh(): void {
  if (all !== undefined && all.length !== 0) return;
  const buffer = memory.buffer as ArrayBuffer;
  all = new Uint8Array(buffer);
  bytes = new Uint8Array(buffer, bytesAddress, batchBytes);
  words = new Int32Array(buffer, bytesAddress, batchBytes >> 2);
  starts = new Uint32Array(buffer, startsAddress, batchKeys);
  ends = new Uint32Array(buffer, endsAddress, batchKeys);
  values = new Uint32Array(buffer, valuesAddress, batchKeys);
}

/**
 * Stores new raw exports, with the prototype that throws for absent ones; the runtime calls it. The object is copied as
 * a whole: if it grew name by name, V8 would turn it into a dictionary, and each call would take 4 ns longer.
 */
export function attachRaw(core: Core): void {
  raw = Object.setPrototypeOf({ ...core }, Object.getPrototypeOf(core));
}

/** Stores the memory and its addresses; the runtime calls it once it has started. */
export function attach(core: Core, wasmMemory: WebAssembly.Memory): void {
  attachRaw(core);
  memory = wasmMemory;
  memoryUse.memory = memory;
  if (hasEncoder) encoder = new TextEncoder();
  // In the order of border.def. The last two are sizes.
  [
    bytesAddress = 0,
    startsAddress = 0,
    endsAddress = 0,
    answersAddress = 0,
    hashesAddress = 0,
    valuesAddress = 0,
    numberAddress = 0,
    statusAddress = 0,
    countsAddress = 0,
    sipKeyAddress = 0,
    batchBytes = 0,
    batchKeys = 0,
  ] = Array.from({ length: 12 }, (_, part) => core._tamis_scratch(part) >>> 0);
  refresh();
}

/**
 * Makes the string helper, if the engine allows one, and sets the limits of short strings. The runtime calls it after
 * the first part has loaded, and again after the filters' part, whose exports let the helper look up keys too.
 */
export function attachHelper(core: Core): void {
  const newHelper = makeHelper(memory, bytesAddress, core);
  shortLimit = shortLimitOf(newHelper !== undefined);
  if (newHelper === undefined) return;
  helper = newHelper;
  helperLimit = shortLimit;
}

/** Makes every raw export throw `fault`, and turns the helper off. The runtime calls it after a trap. */
export function detach(fault: Error): void {
  helperLimit = -1;
  raw = new Proxy({} as RawExports, {
    get() {
      throw fault;
    },
  });
}

/** Allocates wasm memory. Throws ERR_TAMIS_TOO_LARGE and ERR_TAMIS_OUT_OF_MEMORY. */
function allocate(size: number): number {
  if (size > 0xffffffff) throw errorOf('ERR_TAMIS_TOO_LARGE');
  const address = raw._malloc(Math.max(size, 1)) >>> 0;
  if (address === 0) throw errorOf('ERR_TAMIS_OUT_OF_MEMORY');
  return address;
}

/** Runs `act` with wasm memory that is freed afterwards. Throws as allocate() does. */
export function withMemory<T>(size: number, act: (address: number) => T): T {
  const address = allocate(size);
  try {
    return act(address);
  } finally {
    raw._free(address);
  }
}

/**
 * Converts bytes to a string with one unit per byte, as in ASCII. It works in pieces, since a call accepts a limited
 * number of arguments; a spread would be slow, since it uses the iterator. Not every environment has a TextDecoder.
 */
export function asciiOf(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) {
    const piece: ArrayLike<number> = bytes.subarray(i, i + 8192);
    text += String.fromCharCode.apply(null, piece as number[]);
  }
  return text;
}

/** Reads the ASCII text at an address, up to a zero byte. The text is short, so one call can pass all its bytes. */
export function readAscii(address: number): string {
  refresh();
  return String.fromCharCode(...all.subarray(address, all.indexOf(0, address)));
}

/** Copies an array into wasm memory. Throws a RangeError, and writes nothing, if the array has over `room` bytes. */
export function write(address: number, room: number, source: ArrayBufferView): void {
  refresh();
  const { buffer, byteOffset, byteLength } = source;
  all.subarray(address, address + room).set(new Uint8Array(buffer, byteOffset, byteLength));
}

export function read(address: number, size: number): Uint8Array<ArrayBuffer> {
  refresh();
  return all.slice(address, address + size);
}

export function readStatus(): number {
  refresh();
  return new DataView(all.buffer).getInt32(statusAddress, true);
}

/** Returns a handle that a factory of the core returned. If the handle is 0, throws the factory's error. */
export function handleOrThrow(handle: Handle, messages?: Messages): Handle {
  if (handle === 0) throw statusError(readStatus(), messages);
  return handle;
}

export function readNumber(address: number): number {
  refresh();
  return new DataView(all.buffer).getFloat64(address, true);
}

export function readNumbers(address: number, count: number): Float64Array<ArrayBuffer> {
  refresh();
  return new Float64Array(all.buffer, address, count).slice();
}

export function writeNumbers(address: number, numbers: ArrayLike<number>): void {
  refresh();
  new Float64Array(all.buffer, address, numbers.length).set(numbers);
}

/** Writes a key at `keyAddress`, and returns its size in bytes. Call releaseKey() afterwards. Throws a TypeError. */
export function putKey(key: Key): number {
  keyAddress = bytesAddress;
  const size = putAt(key, 0);
  return size < 0 ? putUnusual(key) : size;
}

/** Writes a key that putAt refused, perhaps only because growth has detached the views. Throws a TypeError. */
function putUnusual(key: Key): number {
  if (typeof key === 'string') {
    if (!isWellFormed(key)) throw invalidKey(key);
    const room = makeRoom(3 * key.length);
    return encoder?.encodeInto(key, room).written ?? encodeUnits(key, 0, room, 0);
  }
  if (!isBytes(key)) throw invalidKey(key);
  const pinned = pin(key, 'a key', 'ERR_TAMIS_INVALID_KEY');
  makeRoom(pinned.length).set(pinned);
  return pinned.length;
}

/** Returns a view of room for a key of `size` bytes. A key larger than the scratch gets its own memory. */
function makeRoom(size: number): Uint8Array {
  if (size > batchBytes) keyAddress = allocate(size);
  refresh();
  return all.subarray(keyAddress, keyAddress + size);
}

/** Frees the memory that putKey may have allocated. */
export function releaseKey(): void {
  if (keyAddress === bytesAddress) return;
  const address = keyAddress;
  keyAddress = bytesAddress;
  raw._free(address);
}

/** The number of bytes that the last putChunk or putPacked wrote. */
export let chunkBytes = 0;

/** The maximum number of strings in the next join. It falls after non-ASCII strings, which are written one by one. */
let joinSize = chunkKeys;
/** How many ASCII strings in a row were last written one by one. */
let plainKeys = 0;

/**
 * Writes the keys of `chunk` from `from` on until the scratch is full, and returns their number. The number is 0 if the
 * first key is too long for the scratch, or is not a key. `isText` means that all keys are strings.
 */
export function putChunk(chunk: readonly Key[], from: number, isText: boolean): number {
  refresh();
  chunkBytes = 0;
  const canJoin = isText && !isOneByOne;
  for (let i = from; i < chunk.length; ) {
    // The strings [i, joinEnd) are joined, if there are at least two.
    const joinEnd = canJoin ? Math.min(i + joinSize, chunk.length) : i;
    if (joinEnd > i + 1) {
      i += putJoined(chunk as readonly string[], i, joinEnd, from);
      if (i === joinEnd) continue;
    }
    // Writes one key alone: any key if keys are not joined, else the string at which putJoined stopped.
    const key = chunk[i] as Key;
    chunkBytes = (chunkBytes + 3) & ~3; // putAt needs a multiple of 4
    const size = putAt(key, chunkBytes);
    if (size < 0) return i - from;
    starts[i - from] = chunkBytes;
    chunkBytes += size;
    ends[i - from] = chunkBytes;
    i++;
    if (!canJoin) continue;
    // After enough ASCII strings in a row, joins begin again.
    plainKeys = size === key.length ? plainKeys + 1 : 0;
    if (joinSize === 1 && plainKeys >= plainForJoin) joinSize = 2;
  }
  return chunk.length - from;
}

/**
 * Writes the strings [i, to) with one encodeInto, and advances `chunkBytes`. Stops before the first string that is not
 * ASCII or has no room, and returns the number written. Writes the ranges of all strings as if each were ASCII.
 * Adapts `joinSize`.
 */
function putJoined(chunk: readonly string[], i: number, to: number, from: number): number {
  // join() is slower in V8 and SpiderMonkey. A check for ASCII would flatten, one by one, the strings that `+` made.
  let joined = '';
  for (let at = i; at < to; at++) {
    starts[at - from] = chunkBytes + joined.length;
    joined += chunk[at];
    ends[at - from] = chunkBytes + joined.length;
  }
  const room = behind(chunkBytes);
  const { read, written } = (encoder as TextEncoder).encodeInto(joined, room);
  const isPlain = read === written; // ASCII: one byte per unit
  if (isPlain && read === joined.length) {
    joinSize = Math.min(chunkKeys, joinSize + (joinSize >> 3) + 1);
    chunkBytes += written;
    return to - i;
  }
  let plainBytes = isPlain ? read : 0; // the bytes before the first one that is not ASCII
  if (!isPlain) {
    while ((room[plainBytes] as number) < 0x80) plainBytes++;
    // Browsers write the next strings one by one, because a failed join costs much there. Node and Bun join up to 8.
    joinSize = plainForJoin > 1 ? 1 : Math.max(1, Math.min(8, (to - i) >> 2));
    plainKeys = 0;
  }
  const plainEnd = chunkBytes + plainBytes;
  // Counts the strings that end at or before plainEnd. The last string ends after plainEnd, so the loop stops.
  let next = i;
  for (; (ends[next - from] as number) <= plainEnd; next++) {
    chunkBytes = ends[next - from] as number;
  }
  return next - i;
}

/**
 * Writes a key to the scratch at `offset`, a multiple of 4, and returns its size. Returns a negative number if
 * putUnusual must handle the key: it may lack room, may be no key, or is an empty array, which may be a detached one.
 */
function putAt(key: Key, offset: number): number {
  if (typeof key === 'string') {
    const { length } = key;
    if (length <= shortLimit) {
      if (helperLimit < 0) return writeUnits(key, bytes, words, offset);
      // The helper may change seven bytes after the key, and one more stays free.
      return 3 * length + 8 > batchBytes - offset ? -1 : helper.write(key, bytesAddress + offset);
    }
    const { read, written } = (encoder as TextEncoder).encodeInto(key, behind(offset));
    // An ASCII string is well formed.
    return read === length && (written === read || isWellFormed(key)) ? written : -1;
  }
  if (!isBytes(key)) return -1;
  // `>>> 0` makes a whole number even of a `length` that the caller redefined, so that no write can leave the scratch.
  const size = key.length >>> 0;
  if (size === 0 || size > batchBytes - offset) return -1;
  try {
    bytes.set(key, offset);
  } catch {
    return -1;
  }
  return size;
}

/** The part of the scratch from `offset` on. */
function behind(offset: number): Uint8Array {
  return offset === 0 ? bytes : bytes.subarray(offset);
}

/** Writes packed keys whose bytes are in `part`. */
export function putPacked(part: Uint8Array, keyStarts: Uint32Array, keyEnds: Uint32Array): void {
  refresh();
  chunkBytes = part.length;
  bytes.set(part);
  starts.set(keyStarts);
  ends.set(keyEnds);
}

/** The last batch processed `done` keys. For `fresh` of them the answer was above 0, as it is for a new key. */
export function batchCounts(): { done: number; fresh: number } {
  refresh();
  const [done = 0, fresh = 0] = new Uint32Array(all.buffer, countsAddress, 2);
  return { done, fresh };
}

/** Copies the last batch's answers to `target`. */
export function copyAnswers(target: Uint8Array, at: number, count: number): void {
  refresh();
  target.set(all.subarray(answersAddress, answersAddress + count), at);
}

/** Returns a copy of the last batch's hashes. */
export function readHashes(count: number): BigUint64Array<ArrayBuffer> {
  refresh();
  return new BigUint64Array(all.buffer, hashesAddress, count).slice();
}

/** Copies `count` hashes of the last batch, from index `from` on, to index `at` of `target`. */
export function copyHashes(target: BigUint64Array, at: number, from: number, count: number): void {
  refresh();
  target.set(new BigUint64Array(all.buffer, hashesAddress + 8 * from, count), at);
}

/** Returns a copy of the values of a map's last batch. */
export function readValues(count: number): Uint32Array<ArrayBuffer> {
  refresh();
  return values.slice(0, count);
}

/** The value of the key that was looked up last in a map. */
export function readValue(): number {
  refresh();
  return values[0] ?? 0;
}

/** Copies the ranges of the lines that were split last, to index `at` of the arrays. */
export function copyRanges(
  to: Pick<PackedKeys, 'starts' | 'ends'>,
  at: number,
  count: number,
): void {
  refresh();
  to.starts.set(starts.subarray(0, count), at);
  to.ends.set(ends.subarray(0, count), at);
}

/** Returns a copy of the bytes in the address range with index `i`. */
export function readRange(i: number): Uint8Array<ArrayBuffer> {
  refresh();
  return all.slice(starts[i], ends[i]);
}

/** Returns the bytes of the first `count` address ranges, each as ASCII text. */
export function readRangesAsText(count: number): string[] {
  refresh();
  return Array.from({ length: count }, (_, i) => asciiOf(all.subarray(starts[i], ends[i])));
}
