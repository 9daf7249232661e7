// The messages of Safe Browsing v5 that a client reads: google/security/safebrowsing/v5/safebrowsing.proto.

import type { RiceDeltas } from '../url/list/rice.js';
import {
  bool,
  fixed64,
  int32,
  int64,
  type Message,
  manyInt32,
  message,
  messages,
  oneInt32,
  raw,
  readMessage,
  type Schema,
  sized,
  text,
  uint32,
  uint64,
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

const duration: Schema = { [varint(1)]: ['seconds', int64], [varint(2)]: ['nanos', int32] };

/** Rice-coded integers of 32, 64, 128 or 256 bits. The first integer comes in parts of 64 bits, the highest first. */
const riceSchema = (parts: number): Schema => {
  const schema: Record<number, Schema[number]> = {
    [varint(1)]: ['part0', parts === 0 ? uint32 : uint64],
  };
  for (let i = 1; i < parts; i++) schema[fixed64(i + 1)] = [`part${i}`, uint64];
  const next = Math.max(parts, 1) + 1;
  return {
    ...schema,
    [varint(next)]: ['parameter', int32],
    [varint(next + 1)]: ['entriesCount', int32],
    [sized(next + 2)]: ['data', raw],
  };
};

/** Each width has its own field. If one message has several, the last counts. */
const additionsField = (prefixBytes: number): Schema[number] => {
  const read = message(riceSchema(prefixBytes >> 3));
  return [
    'additions',
    (value: Uint8Array, before: unknown) => {
      const known = before as { prefixBytes: number; rice: Message } | undefined;
      const rice = known?.prefixBytes === prefixBytes ? known.rice : undefined;
      return { prefixBytes, rice: read(value, rice) };
    },
  ];
};

/** The purpose of a list. The client does not use it, but reads the whole answer. */
const metadata: Schema = {
  [sized(1)]: ['threats', manyInt32],
  [sized(2)]: ['likelySafe', manyInt32],
  [sized(4)]: ['description', text],
};

const hashListSchema: Schema = {
  [sized(1)]: ['name', text],
  [sized(2)]: ['version', raw],
  [varint(3)]: ['isPartial', bool],
  [sized(4)]: additionsField(4),
  [sized(5)]: ['removals', message(riceSchema(0))],
  [sized(6)]: ['wait', message(duration)],
  [sized(7)]: ['sha256', raw],
  [sized(8)]: ['metadata', message(metadata)],
  [sized(9)]: additionsField(8),
  [sized(10)]: additionsField(16),
  [sized(11)]: additionsField(32),
};

const searchSchema: Schema = {
  [sized(1)]: [
    'hashes',
    messages({
      [sized(1)]: ['hash', raw],
      [sized(2)]: [
        'details',
        messages({
          [varint(1)]: ['threat', int32],
          [varint(2)]: ['attributes', oneInt32],
          [sized(2)]: ['attributes', manyInt32],
        }),
      ],
    }),
  ],
  [sized(2)]: ['cache', message(duration)],
};

const none = new Uint8Array();

function toMs(value: unknown): number {
  const { seconds = 0, nanos = 0 } = value as { seconds?: number; nanos?: number };
  return 1000 * seconds + nanos / 1e6;
}

function toDeltas(value: unknown, prefixBytes: number): RiceDeltas {
  const rice = value as Message;
  const { parameter = 0, entriesCount = 0, data = none } = rice as unknown as Partial<RiceDeltas>;
  const firstValue = new Uint8Array(prefixBytes);
  const view = new DataView(firstValue.buffer);
  if (prefixBytes === 4) view.setUint32(0, (rice.part0 as number | undefined) ?? 0);
  for (let i = 0; i < prefixBytes >> 3; i++) {
    view.setBigUint64(8 * i, (rice[`part${i}`] as bigint | undefined) ?? 0n);
  }
  return { firstValue, parameter, entriesCount, data };
}

/** Parses the lists of an answer, in order. Throws ERR_TAMIS_CORRUPT. */
export function readHashLists(bytes: Uint8Array): HashList[] {
  const { lists = [] } = readMessage({ [sized(1)]: ['lists', messages(hashListSchema)] }, bytes);
  return (lists as Message[]).map((list) => {
    const additions = list.additions as { prefixBytes: number; rice: Message } | undefined;
    return {
      name: (list.name as string | undefined) ?? '',
      version: (list.version as Uint8Array | undefined) ?? none,
      isPartial: list.isPartial === true,
      additions: additions && {
        prefixBytes: additions.prefixBytes,
        deltas: toDeltas(additions.rice, additions.prefixBytes),
      },
      removals: list.removals === undefined ? undefined : toDeltas(list.removals, 4),
      waitMs: list.wait === undefined ? 0 : toMs(list.wait),
      // An empty value means an absent one, as for every field without presence.
      sha256: (list.sha256 as Uint8Array | undefined)?.length
        ? (list.sha256 as Uint8Array)
        : undefined,
    };
  });
}

/** Parses the answer to a search. Throws ERR_TAMIS_CORRUPT. */
export function readSearch(bytes: Uint8Array): SearchAnswer {
  const { hashes = [], cache } = readMessage(searchSchema, bytes);
  return {
    hashes: (hashes as Message[]).map(({ hash = none, details = [] }) => ({
      hash: hash as Uint8Array,
      details: (details as Message[]).map(({ threat = 0, attributes = [] }) => ({
        threat: threat as number,
        attributes: attributes as number[],
      })),
    })),
    cacheMs: cache === undefined ? undefined : toMs(cache),
  };
}
