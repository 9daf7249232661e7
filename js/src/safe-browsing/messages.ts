// Reads the messages of Safe Browsing v5 (google/security/safebrowsing/v5/safebrowsing.proto), with a small reader of
// Protocol Buffers.
//
// Like Google's readers, this reader takes the last value of a field that occurs several times, and merges messages. It
// skips unknown fields, and known fields with another wire type. It refuses groups, because no message here has one.

import { TamisError } from '../core/errors.js';
import { jsonIn } from '../core/signed/bytes.js';
import type { RiceDeltas } from '../url/list/rice.js';

export const corrupt = (what: string): TamisError =>
  new TamisError('ERR_TAMIS_CORRUPT', `the server's answer is damaged: ${what}`);

const notProtobuf = () => corrupt('it is not protobuf');

/** The maximum number of fields and packed values in an answer with all its parts. Valid answers have fewer. */
const mostFields = 16_384;
/** How many fields the answer may still contain. One variable is enough, because an answer is read without a pause. */
let fieldsLeft = 0;

/** Counts a field or a packed value. A compressed body of a few kilobytes could have millions, and block the page. */
function countField(): void {
  if (fieldsLeft-- === 0) throw corrupt('it has too many fields');
}

/** These return a field's tag: for an integer of variable length, an integer of eight bytes, bytes with a length. */
const varintTag = (number: number): number => 8 * number;
const fixed64Tag = (number: number): number => 8 * number + 1;
const sizedTag = (number: number): number => 8 * number + 2;

/** Passed as the bytes of a field that is an integer. */
const noBytes = new Uint8Array();

class BytesReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw notProtobuf();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** Reads an integer of 64 bits from at most `mostBytes` bytes. Excess bits of the last byte are dropped. */
  varint(mostBytes = 10): bigint {
    let value = 0n;
    for (let i = 0; i < mostBytes; i++) {
      if (this.isAtEnd) throw notProtobuf();
      const byte = this.#bytes[this.#at++] as number;
      value |= BigInt(byte & 127) << BigInt(7 * i);
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw notProtobuf();
  }

  fixed64(): bigint {
    const { buffer, byteOffset } = this.take(8);
    return new DataView(buffer, byteOffset).getBigUint64(0, true);
  }

  /** Reads a varint that is small in valid answers. A single byte has a fast path, because there may be millions. */
  small(mostBytes?: number): number {
    // At the end, 128 stands for the missing byte, and `varint` throws.
    const byte = this.#bytes[this.#at] ?? 128;
    if (byte > 127) return Number(this.varint(mostBytes));
    this.#at++;
    return byte;
  }
}

/** The maximum size in bytes of a name, a version or another text. Valid texts are shorter. They are read bytewise. */
const mostTextBytes = 16_384;

function short(bytes: Uint8Array): Uint8Array {
  if (bytes.length > mostTextBytes) throw corrupt(`a text has ${bytes.length} bytes`);
  return bytes;
}

/** Calls `take` with the tag and value of each field, except four-byte fields (type 5). Throws ERR_TAMIS_CORRUPT. */
function readFields(
  message: Uint8Array,
  take: (tag: number, integer: bigint, bytes: Uint8Array) => void,
): void {
  const reader = new BytesReader(message);
  while (!reader.isAtEnd) {
    countField();
    const tag = reader.small(5);
    // A tag has 32 bits. A tag below 8 would mean field 0, which no message has.
    if (tag < 8 || tag >= 2 ** 32) throw notProtobuf();
    const type = tag & 7;
    if (type === 0) take(tag, reader.varint(), noBytes);
    else if (type === 1) take(tag, reader.fixed64(), noBytes);
    else if (type === 2) take(tag, 0n, reader.take(reader.small()));
    else if (type === 5) reader.take(4);
    else throw notProtobuf();
  }
}

const int32 = (value: bigint): number => Number(BigInt.asIntN(32, value));

function decodeText(bytes: Uint8Array): string {
  const text = short(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text);
  } catch {
    throw notProtobuf();
  }
}

/** Reads the values of a repeated field that are packed into one. */
function readInt32s(bytes: Uint8Array): number[] {
  const values: number[] = [];
  const reader = new BytesReader(bytes);
  while (!reader.isAtEnd) {
    countField();
    values.push(int32(reader.varint()));
  }
  return values;
}

/** A list, or changes to a list. */
export interface HashList {
  readonly name: string;
  /** An opaque value to send with the next request. */
  readonly version: Uint8Array;
  readonly isPartial: boolean;
  readonly additions: { readonly prefixBytes: number; readonly deltas: RiceDeltas } | undefined;
  /** Indices into the old list. */
  readonly removals: RiceDeltas | undefined;
  /** The time to wait before the next request; 0 if there is more data now. */
  readonly waitMs: number;
  /** The checksum of the whole new list; undefined if nothing changed. */
  readonly sha256: Uint8Array | undefined;
}

/** A listed hash, with its threats. */
export interface FullHash {
  readonly hash: Uint8Array;
  readonly details: readonly FullHashDetail[];
}

export interface FullHashDetail {
  /** The number of the threat. */
  readonly threat: number;
  readonly attributes: readonly number[];
}

export interface SearchAnswer {
  readonly hashes: readonly FullHash[];
  /** The time for which the answer may be cached; undefined if the server did not say. */
  readonly cacheMs: number | undefined;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Reads a duration in milliseconds. Merges it into `duration`, which has the earlier values of the same field. */
function readMs(bytes: Uint8Array, duration: { seconds: number; nanos: number }): number {
  readFields(bytes, (tag, integer) => {
    if (tag === varintTag(1)) duration.seconds = Number(BigInt.asIntN(64, integer));
    else if (tag === varintTag(2)) duration.nanos = int32(integer);
  });
  return 1000 * duration.seconds + duration.nanos / 1e6;
}

/**
 * Reads Rice-coded integers of 32 to 256 bits. Merges them into `rice`, the earlier value of the same field. The first
 * integer comes in parts of 64 bits, the highest first: field 1 is a varint, and the next fields have 8 bytes.
 */
function readRice(
  bytes: Uint8Array,
  prefixBytes: number,
  rice: Mutable<RiceDeltas> = {
    firstValue: new Uint8Array(prefixBytes),
    parameter: 0,
    entriesCount: 0,
    data: noBytes,
  },
): RiceDeltas {
  const parts = Math.ceil(prefixBytes / 8);
  const first = new DataView(rice.firstValue.buffer);
  readFields(bytes, (tag, integer, content) => {
    // Field i + 1 is part i. The tag of a field that does not have 8 bytes gives a fraction.
    const part = (tag - fixed64Tag(1)) / 8;
    if (tag === varintTag(1) && prefixBytes === 4) {
      first.setUint32(0, Number(integer & 0xffffffffn));
    } else if (tag === varintTag(1)) first.setBigUint64(0, integer);
    else if (Number.isInteger(part) && part > 0 && part < parts) {
      first.setBigUint64(8 * part, integer);
    } else if (tag === varintTag(parts + 1)) rice.parameter = int32(integer);
    else if (tag === varintTag(parts + 2)) rice.entriesCount = int32(integer);
    else if (tag === sizedTag(parts + 3)) rice.data = content;
  });
  return rice;
}

/** Checks the encoding of a list's metadata, which is not used. */
function checkMetadata(bytes: Uint8Array): void {
  readFields(bytes, (tag, _, content) => {
    if (tag === sizedTag(1) || tag === sizedTag(2)) readInt32s(content);
    else if (tag === sizedTag(4)) decodeText(content);
  });
}

/** The tags of additions, each with its prefix length. If one message has several, the last counts. */
const additionTags = new Map([
  [sizedTag(4), 4],
  [sizedTag(9), 8],
  [sizedTag(10), 16],
  [sizedTag(11), 32],
]);

function readHashList(bytes: Uint8Array): HashList {
  const absent = { waitMs: 0, additions: undefined, removals: undefined, sha256: undefined };
  const list: Mutable<HashList> = { name: '', version: noBytes, isPartial: false, ...absent };
  const wait = { seconds: 0, nanos: 0 };
  readFields(bytes, (tag, integer, content) => {
    const prefixBytes = additionTags.get(tag);
    if (prefixBytes !== undefined) {
      const { additions } = list;
      // An earlier value of the same field, with which this value is merged.
      const before = additions?.prefixBytes === prefixBytes ? additions.deltas : undefined;
      list.additions = { prefixBytes, deltas: readRice(content, prefixBytes, before) };
    } else if (tag === sizedTag(1)) list.name = decodeText(content);
    else if (tag === sizedTag(2)) list.version = short(content);
    else if (tag === varintTag(3)) list.isPartial = integer !== 0n;
    else if (tag === sizedTag(5)) list.removals = readRice(content, 4, list.removals);
    else if (tag === sizedTag(6)) list.waitMs = readMs(content, wait);
    // An empty value counts as absent, as for every field without presence.
    else if (tag === sizedTag(7)) list.sha256 = content.length > 0 ? short(content) : undefined;
    else if (tag === sizedTag(8)) checkMetadata(content);
  });
  return list;
}

/** Parses the lists of an answer, in order. Throws ERR_TAMIS_CORRUPT. */
export function readHashLists(bytes: Uint8Array): HashList[] {
  fieldsLeft = mostFields;
  const lists: HashList[] = [];
  readFields(bytes, (tag, _, content) => {
    if (tag === sizedTag(1)) lists.push(readHashList(content));
  });
  return lists;
}

function readDetail(bytes: Uint8Array): FullHashDetail {
  let threat = 0;
  const attributes: number[] = [];
  readFields(bytes, (tag, integer, content) => {
    if (tag === varintTag(1)) threat = int32(integer);
    // One value, or several in one field.
    else if (tag === varintTag(2)) attributes.push(int32(integer));
    else if (tag === sizedTag(2)) attributes.push(...readInt32s(content));
  });
  return { threat, attributes };
}

function readFullHash(bytes: Uint8Array): FullHash {
  let hash: Uint8Array = noBytes;
  const details: FullHashDetail[] = [];
  readFields(bytes, (tag, _, content) => {
    if (tag === sizedTag(1)) hash = content;
    else if (tag === sizedTag(2)) details.push(readDetail(content));
  });
  return { hash, details };
}

/** Parses the answer to a search. Throws ERR_TAMIS_CORRUPT. */
export function readSearch(bytes: Uint8Array): SearchAnswer {
  fieldsLeft = mostFields;
  let cacheMs: number | undefined;
  const cache = { seconds: 0, nanos: 0 };
  const hashes: FullHash[] = [];
  readFields(bytes, (tag, _, content) => {
    if (tag === sizedTag(1)) hashes.push(readFullHash(content));
    else if (tag === sizedTag(2)) cacheMs = readMs(content, cache);
  });
  return { hashes, cacheMs };
}

/** Returns an error's message, or '', from a google.rpc.Status or from JSON; Google's servers send both formats. */
export function readReason(bytes: Uint8Array): string {
  fieldsLeft = mostFields;
  const { message } = Object(jsonIn(bytes).error);
  let reason = typeof message === 'string' ? message : '';
  try {
    readFields(bytes, (tag, _, content) => {
      if (tag === sizedTag(2)) reason = decodeText(content);
    });
  } catch {
    // The body is JSON, or the page of a proxy.
  }
  return reason;
}
