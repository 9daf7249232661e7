// The messages of Safe Browsing v5 that a client reads: google/security/safebrowsing/v5/safebrowsing.proto.

import type { RiceDeltas } from '../url/list/rice.js';
import {
  addInt32s,
  addValue,
  decodeText,
  fixed64,
  int32,
  noBytes,
  readFields,
  sized,
  varint,
} from './protobuf.js';

/** A list, or the changes to one. */
export interface HashList {
  readonly name: string;
  /** An opaque value to send with the next request. */
  readonly version: Uint8Array;
  readonly isPartial: boolean;
  readonly additions: HashListAdditions | undefined;
  /** Indices into the old list. */
  readonly removals: RiceDeltas | undefined;
  /** The time to wait before the next request; 0 if there is more now. */
  readonly waitMs: number;
  /** The checksum of the whole new list; undefined if nothing changed. */
  readonly sha256: Uint8Array | undefined;
}

export interface HashListAdditions {
  readonly prefixBytes: number;
  readonly deltas: RiceDeltas;
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

/** Reads a time into `duration`, and returns it in milliseconds. */
function readMs(bytes: Uint8Array, duration: { seconds: number; nanos: number }): number {
  readFields(bytes, (tag, integer) => {
    if (tag === varint(1)) duration.seconds = Number(BigInt.asIntN(64, integer));
    else if (tag === varint(2)) duration.nanos = int32(integer);
  });
  return 1000 * duration.seconds + duration.nanos / 1e6;
}

const emptyRice = (prefixBytes: number): RiceDeltas => ({
  firstValue: new Uint8Array(prefixBytes),
  parameter: 0,
  entriesCount: 0,
  data: noBytes,
});

/**
 * Reads Rice-coded integers of 32, 64, 128 or 256 bits, over those in `before`. The first integer comes in parts of 64
 * bits, the highest first.
 */
function readRice(
  bytes: Uint8Array,
  prefixBytes: number,
  before = emptyRice(prefixBytes),
): RiceDeltas {
  const rice: Mutable<RiceDeltas> = before;
  const parts = Math.ceil(prefixBytes / 8);
  const first = new DataView(rice.firstValue.buffer);
  readFields(bytes, (tag, integer, content) => {
    // Each further part has the next number.
    const part = (tag - fixed64(1)) / 8;
    if (tag === varint(1) && prefixBytes === 4) first.setUint32(0, Number(integer & 0xffffffffn));
    else if (tag === varint(1)) first.setBigUint64(0, integer);
    else if (Number.isInteger(part) && part > 0 && part < parts)
      first.setBigUint64(8 * part, integer);
    else if (tag === varint(parts + 1)) rice.parameter = int32(integer);
    else if (tag === varint(parts + 2)) rice.entriesCount = int32(integer);
    else if (tag === sized(parts + 3)) rice.data = content;
  });
  return rice;
}

/** Reads the purpose of a list. The client does not use it, but reads the whole answer. */
function readMetadata(bytes: Uint8Array, threats: number[], likelySafe: number[]): void {
  readFields(bytes, (tag, _, content) => {
    if (tag === sized(1)) addInt32s(threats, content);
    else if (tag === sized(2)) addInt32s(likelySafe, content);
    else if (tag === sized(4)) decodeText(content);
  });
}

/** The tags of additions, each with its prefix length. If one message has several, the last counts. */
const additionTags = new Map([
  [sized(4), 4],
  [sized(9), 8],
  [sized(10), 16],
  [sized(11), 32],
]);

function readHashList(bytes: Uint8Array): HashList {
  const list: Mutable<HashList> = {
    ...{ name: '', version: noBytes, isPartial: false, waitMs: 0 },
    ...{ additions: undefined, removals: undefined, sha256: undefined },
  };
  const wait = { seconds: 0, nanos: 0 };
  const threats: number[] = [];
  const likelySafe: number[] = [];
  readFields(bytes, (tag, integer, content) => {
    const prefixBytes = additionTags.get(tag);
    if (prefixBytes !== undefined) {
      const { additions } = list;
      const before = additions?.prefixBytes === prefixBytes ? additions.deltas : undefined;
      list.additions = { prefixBytes, deltas: readRice(content, prefixBytes, before) };
    } else if (tag === sized(1)) list.name = decodeText(content);
    else if (tag === sized(2)) list.version = content;
    else if (tag === varint(3)) list.isPartial = integer !== 0n;
    else if (tag === sized(5)) list.removals = readRice(content, 4, list.removals);
    else if (tag === sized(6)) list.waitMs = readMs(content, wait);
    // An empty value means an absent one, as for every field without presence.
    else if (tag === sized(7)) list.sha256 = content.length > 0 ? content : undefined;
    else if (tag === sized(8)) readMetadata(content, threats, likelySafe);
  });
  return list;
}

/** Parses the lists of an answer, in order. Throws ERR_TAMIS_CORRUPT. */
export function readHashLists(bytes: Uint8Array): HashList[] {
  const lists: HashList[] = [];
  readFields(bytes, (tag, _, content) => {
    if (tag === sized(1)) addValue(lists, readHashList(content));
  });
  return lists;
}

function readDetail(bytes: Uint8Array): FullHashDetail {
  let threat = 0;
  const attributes: number[] = [];
  readFields(bytes, (tag, integer, content) => {
    if (tag === varint(1)) threat = int32(integer);
    // One value, or several in one field.
    else if (tag === varint(2)) addValue(attributes, int32(integer));
    else if (tag === sized(2)) addInt32s(attributes, content);
  });
  return { threat, attributes };
}

function readFullHash(bytes: Uint8Array): FullHash {
  let hash: Uint8Array = noBytes;
  const details: FullHashDetail[] = [];
  readFields(bytes, (tag, _, content) => {
    if (tag === sized(1)) hash = content;
    else if (tag === sized(2)) addValue(details, readDetail(content));
  });
  return { hash, details };
}

/** Parses the answer to a search. Throws ERR_TAMIS_CORRUPT. */
export function readSearch(bytes: Uint8Array): SearchAnswer {
  let cacheMs: number | undefined;
  const cache = { seconds: 0, nanos: 0 };
  const hashes: FullHash[] = [];
  readFields(bytes, (tag, _, content) => {
    if (tag === sized(1)) addValue(hashes, readFullHash(content));
    else if (tag === sized(2)) cacheMs = readMs(content, cache);
  });
  return { hashes, cacheMs };
}
