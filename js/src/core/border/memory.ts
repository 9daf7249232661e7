// The border's memory: the only file that sees the wasm's bytes.
//
// Keys go in and answers come out through scratch memory at fixed addresses (bindings/scratch.hpp).
// A view dies whenever the wasm memory grows: none leaves this file, and none is trusted across a call
// that may allocate.

import type { Core, Handle, RawExports } from '../../wasm/core.js';
import {
  answersPart,
  batchKeysPart,
  bytesPart,
  countsPart,
  endsPart,
  hashesPart,
  numberPart,
  scratchBytesPart,
  sipKeyPart,
  startsPart,
  statusPart,
  valuesPart,
} from '../../wasm/registry.js';
import { invalidKey, isWellFormed, type Key, lengthOfBytes } from '../key-types.js';
import { errorOf, statusError } from '../statuses.js';
import { isBytes } from '../tags.js';
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

/** The raw exports; none before the first structure was made, all throwing after a trap. */
export let raw: RawExports;

/** Where putKey put its key. */
export let keyAddress = 0;

/** Where a factory puts its status, an answer that is a number, and a SipHash key. */
export let statusAddress = 0;
export let numberAddress = 0;
export let sipKeyAddress = 0;

/** The most keys and bytes of one batch. */
export let batchKeys = 0;
export let batchBytes = 0;

/** Where a batch's keys, its hashes and long answers lie. */
export let bytesAddress = 0;
export let hashesAddress = 0;

let startsAddress = 0;
let endsAddress = 0;
let answersAddress = 0;
let valuesAddress = 0;
let countsAddress = 0;

let memory: WebAssembly.Memory;
/** Undefined where strings of every length go by the loop. */
let encoder: TextEncoder | undefined;

let all: Uint8Array<ArrayBuffer>;
let bytes: Uint8Array<ArrayBuffer>;
let words: Int32Array<ArrayBuffer>;
let starts: Uint32Array<ArrayBuffer>;
let ends: Uint32Array<ArrayBuffer>;
let values: Uint32Array<ArrayBuffer>;

/** The longest strings that the helper looks up by itself; the others go by putKey. */
export let helper: StringHelper;
export let helperLimit = -1;
/** The longest strings that go by the helper or the loop. */
let shortLimit = -1;

/** Makes the views anew where growth has detached them. */
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
 * Called by the runtime when functions have come. Their object is a copy that is made at once. Of one that grew
 * name by name V8 makes a dictionary, and each call takes 4 ns longer.
 */
export function attachRaw(core: Core): void {
  raw = Object.setPrototypeOf({ ...core }, Object.getPrototypeOf(core));
}

/** Called by the runtime when it has started. */
export function attach(core: Core, wasmMemory: WebAssembly.Memory): void {
  attachRaw(core);
  memory = wasmMemory;
  if (hasEncoder) encoder = new TextEncoder();
  const at = (part: number) => core._tamis_scratch(part) >>> 0;
  bytesAddress = at(bytesPart);
  startsAddress = at(startsPart);
  endsAddress = at(endsPart);
  answersAddress = at(answersPart);
  hashesAddress = at(hashesPart);
  valuesAddress = at(valuesPart);
  numberAddress = at(numberPart);
  statusAddress = at(statusPart);
  countsAddress = at(countsPart);
  sipKeyAddress = at(sipKeyPart);
  batchBytes = at(scratchBytesPart);
  batchKeys = at(batchKeysPart);
  refresh();
}

/**
 * Called by the runtime when the first part has come, and when the filters' has. The helper needs what the
 * latter exports to look keys up, and writes strings without it.
 */
export function attachHelper(core: Core): void {
  const made = makeHelper(memory, bytesAddress, core);
  shortLimit = shortLimitOf(made !== undefined);
  if (made === undefined) return;
  helper = made;
  helperLimit = shortLimit;
}

/** Called by the runtime after a trap: from now on every raw export throws `fault`. */
export function detach(fault: Error): void {
  helperLimit = -1;
  raw = new Proxy({} as RawExports, {
    get() {
      throw fault;
    },
  });
}

/** Reserves memory on the other side. Throws OUT_OF_MEMORY. */
function allocate(size: number): number {
  if (size > 0xffffffff) throw errorOf('ERR_TAMIS_TOO_LARGE');
  const address = raw._malloc(Math.max(size, 1)) >>> 0;
  if (address === 0) throw errorOf('ERR_TAMIS_OUT_OF_MEMORY');
  return address;
}

/** Runs `act` with memory that is there for as long as it runs. Throws OUT_OF_MEMORY. */
export function withMemory<T>(size: number, act: (address: number) => T): T {
  const address = allocate(size);
  try {
    return act(address);
  } finally {
    raw._free(address);
  }
}

/**
 * ASCII text, or one unit a byte. It comes in pieces: a call takes only so many arguments, and a spread takes them by
 * the iterator, which is slow. Not every environment has a TextDecoder.
 */
export function asciiOf(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) {
    const piece: ArrayLike<number> = bytes.subarray(i, i + 8192);
    text += String.fromCharCode.apply(null, piece as number[]);
  }
  return text;
}

/** The ASCII text at an address, which a byte 0 ends. */
export function readName(address: number): string {
  refresh();
  return String.fromCharCode(...all.subarray(address, all.indexOf(0, address)));
}

/** Copies bytes in. A RangeError, and no byte is written, where they have more than `room`. */
export function write(address: number, room: number, source: Uint8Array): void {
  refresh();
  all.subarray(address, address + room).set(source);
}

/** Copies bytes out. */
export function read(address: number, size: number): Uint8Array<ArrayBuffer> {
  refresh();
  return all.slice(address, address + size);
}

export function readStatus(): number {
  refresh();
  return new Int32Array(all.buffer, statusAddress, 1)[0] as number;
}

/** Takes what a factory of the core gave. */
export function own(handle: Handle): Handle {
  if (handle === 0) throw statusError(readStatus());
  return handle;
}

export function readNumbers(address: number, count: number): Float64Array<ArrayBuffer> {
  refresh();
  return new Float64Array(all.buffer, address, count).slice();
}

export function writeNumbers(address: number, numbers: ArrayLike<number>): void {
  refresh();
  new Float64Array(all.buffer, address, numbers.length).set(numbers);
}

/** Overwrites a key that need not lie about any longer. */
export function wipeSipKey(): void {
  refresh();
  all.fill(0, sipKeyAddress, sipKeyAddress + 16);
}

/**
 * Puts one key where wasm can read it, at `keyAddress`, and answers its size in bytes; releaseKey()
 * belongs after the call. Throws a TypeError for what is no key.
 */
export function putKey(key: Key): number {
  keyAddress = bytesAddress;
  const size = putAt(key, 0);
  return size < 0 ? putUnusual(key) : size;
}

/** A key that is empty, no key, or longer than the scratch, or that met a view that growth detached. */
function putUnusual(key: Key): number {
  const isText = typeof key === 'string';
  if (isText ? !isWellFormed(key) : !isBytes(key)) throw invalidKey(key);
  const most = isText ? 3 * key.length : lengthOfBytes(key);
  if (most > batchBytes) keyAddress = allocate(most);
  refresh();
  const room = all.subarray(keyAddress, keyAddress + most);
  if (isText) return encoder?.encodeInto(key, room).written ?? encodeUnits(key, 0, room, 0);
  try {
    // Bounded, for another thread may let the key's buffer grow in between.
    room.set(key);
  } catch {
    // A buffer that is detached, too: its bytes are gone, and are not the empty key.
    releaseKey();
    throw invalidKey(key);
  }
  return most;
}

/** Gives back what putKey may have reserved. */
export function releaseKey(): void {
  if (keyAddress === bytesAddress) return;
  const address = keyAddress;
  keyAddress = bytesAddress;
  raw._free(address);
}

/** Bytes that the last putChunk or putPacked took. */
export let chunkBytes = 0;

/** The most strings of the next join; few where some were not ASCII, and these go one by one. */
let joinSize = chunkKeys;
/** ASCII strings in a row that went one by one. */
let plainKeys = 0;

/**
 * Puts as many keys of `chunk` from `from` on as have room, and answers how many. That is 0 where the first of them
 * is too long for the scratch, or no key.
 */
export function putChunk(chunk: readonly Key[], from: number, isText: boolean): number {
  refresh();
  chunkBytes = 0;
  const isJoined = isText && !isOneByOne;
  for (let i = from; i < chunk.length; ) {
    const to = isJoined ? Math.min(i + joinSize, chunk.length) : i;
    if (to > i + 1) i += putJoined(chunk as readonly string[], i, to, from);
    if (i === to && isJoined) continue;
    const key = chunk[i] as Key;
    chunkBytes = (chunkBytes + 3) & ~3;
    const size = putAt(key, chunkBytes);
    if (size < 0) return i - from;
    starts[i - from] = chunkBytes;
    chunkBytes += size;
    ends[i - from] = chunkBytes;
    i++;
    if (!isJoined) continue;
    plainKeys = size === key.length ? plainKeys + 1 : 0;
    if (joinSize === 1 && plainKeys >= plainForJoin) joinSize = 2;
  }
  return chunk.length - from;
}

/** One join, one encode: how many of the strings [i, to) it put, which are those before any that is not ASCII. */
function putJoined(chunk: readonly string[], i: number, to: number, from: number): number {
  // Not by join(), which is slower in V8 and SpiderMonkey. And without a look at the characters: that would flatten
  // strings that were made by `+` one by one.
  let joined = '';
  for (let at = i; at < to; at++) {
    starts[at - from] = chunkBytes + joined.length;
    joined += chunk[at];
    ends[at - from] = chunkBytes + joined.length;
  }
  const room = behind(chunkBytes);
  const { read, written } = (encoder as TextEncoder).encodeInto(joined, room);
  if (read === written && read === joined.length) {
    joinSize = Math.min(chunkKeys, joinSize + (joinSize >> 3) + 1);
    chunkBytes += written;
    return to - i;
  }
  let plain = 0;
  if (read === written) {
    plain = read;
  } else {
    while ((room[plain] as number) < 0x80) plain++;
    joinSize = plainForJoin > 1 ? 1 : Math.max(1, Math.min(32, to - i) >> 2);
    plainKeys = 0;
  }
  plain += chunkBytes;
  let put = i;
  while ((ends[put - from] as number) <= plain) chunkBytes = ends[put++ - from] as number;
  return put - i;
}

/**
 * The size of a key put at `offset` of the scratch, a multiple of 4. Negative where there is no key or
 * no room, or where the room may be too small.
 */
function putAt(key: Key, offset: number): number {
  if (typeof key === 'string') {
    const { length } = key;
    if (length <= shortLimit) {
      if (helperLimit < 0) return writeUnits(key, bytes, words, offset);
      return 3 * length + 8 > batchBytes - offset ? -1 : helper.write(key, bytesAddress + offset);
    }
    const { read, written } = (encoder as TextEncoder).encodeInto(key, behind(offset));
    // Only what is not ASCII is looked at.
    return read === length && (written === read || isWellFormed(key)) ? written : -1;
  }
  if (!isBytes(key)) return -1;
  const size = lengthOfBytes(key);
  // A detached key has no bytes either; putUnusual refuses it.
  if (size === 0 || size > batchBytes - offset) return -1;
  try {
    bytes.set(key, offset);
  } catch {
    return -1;
  }
  return size;
}

/** The rest of the scratch. */
function behind(offset: number): Uint8Array {
  return offset === 0 ? bytes : bytes.subarray(offset);
}

/** Puts packed keys that lie in `part`. */
export function putPacked(part: Uint8Array, keyStarts: Uint32Array, keyEnds: Uint32Array): void {
  refresh();
  chunkBytes = part.length;
  bytes.set(part);
  starts.set(keyStarts);
  ends.set(keyEnds);
}

/** Keys that the last batch dealt with, and how many of them were certainly new. */
export function batchCounts(): { done: number; fresh: number } {
  refresh();
  const [done, fresh] = new Uint32Array(all.buffer, countsAddress, 2);
  return { done: done as number, fresh: fresh as number };
}

/** Copies the last batch's answers to `target`. */
export function copyAnswers(target: Uint8Array, at: number, count: number): void {
  refresh();
  target.set(all.subarray(answersAddress, answersAddress + count), at);
}

/** The last batch's hashes, copied. */
export function readHashes(count: number): BigUint64Array<ArrayBuffer> {
  refresh();
  return new BigUint64Array(all.buffer, hashesAddress, count).slice();
}

/** Copies hashes of the last batch, from the one numbered `from` on, into `target` from `at` on. */
export function copyHashes(target: BigUint64Array, at: number, from: number, count: number): void {
  refresh();
  target.set(new BigUint64Array(all.buffer, hashesAddress + 8 * from, count), at);
}

/** Puts hashes where the next batch is. */
export function writeHashes(hashes: BigUint64Array): void {
  writeArray(hashesAddress, 8 * batchKeys, hashes);
}

/** Copies numbers in, as `write` does. */
export function writeArray(
  address: number,
  room: number,
  numbers: BigUint64Array | Uint32Array,
): void {
  write(address, room, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}

/** The values of the last batch of a map, copied. */
export function readValues(count: number): Uint32Array<ArrayBuffer> {
  refresh();
  return values.slice(0, count);
}

/** The value of the last key of a map. */
export function readValue(): number {
  refresh();
  return values[0] as number;
}

/** Copies the ranges that the last split of lines gave. */
export function copyRanges(
  toStarts: Uint32Array,
  toEnds: Uint32Array,
  at: number,
  count: number,
): void {
  refresh();
  toStarts.set(starts.subarray(0, count), at);
  toEnds.set(ends.subarray(0, count), at);
}

/** The scratch's first bytes as ASCII text. */
export function readText(count: number): string {
  refresh();
  return asciiOf(bytes.subarray(0, count));
}

/** What the range of addresses numbered `i` holds, copied. */
export function readRange(i: number): Uint8Array<ArrayBuffer> {
  refresh();
  return all.slice(starts[i], ends[i]);
}

/** The first ranges of addresses, as ASCII text. */
export function readRangesAsText(count: number): string[] {
  refresh();
  return Array.from({ length: count }, (_, i) => asciiOf(all.subarray(starts[i], ends[i])));
}
