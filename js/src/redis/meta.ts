// What `name:meta` says: the shape that all processes share.

import { TamisError, typeError } from '../core/errors.js';
import { keyIdOf } from '../core/keys/hashing.js';
import { copyOwn } from '../core/options.js';

const format = 'tamis-redis-1';

/** More strings than that would not be found again in time, let alone made. */
export const mostShards = 65_536;
/** A string of Redis has at most 512 MiB: so many blocks and the byte of the sentinel. */
export const mostBlocks = 2 ** 24 - 1;

/** What a filter is made of. */
export interface Shape {
  readonly shards: number;
  /** Of each shard; 32 bytes each. */
  readonly blocks: number;
  readonly seed: bigint;
  readonly hash: 'fast' | 'keyed';
  /** Of a keyed filter: the id of its key. */
  readonly keyCheck?: string | undefined;
  readonly capacity: number;
  readonly fpr: number;
}

/**
 * Whether every string is there, or what is being done about it. `clearing` takes every string away. `emptied` makes them
 * anew and takes none away, since keys may have come.
 */
export type Stage = 'making' | 'clearing' | 'emptied' | 'ready';

/** What a caller of `open` asks for; undefined where the filter's own is taken. */
export interface Wanted {
  readonly capacity?: number | undefined;
  readonly fpr?: number | undefined;
  readonly seed?: bigint | undefined;
  readonly shards?: number | undefined;
  readonly shardBytes?: number | undefined;
  readonly key?: Uint8Array | undefined;
}

export function writeMeta(shape: Shape, stage: Stage): string {
  const { shards, blocks, seed, hash, keyCheck, capacity, fpr } = shape;
  return JSON.stringify({
    format,
    shards,
    blocks,
    seed: String(seed),
    hash,
    keyCheck,
    capacity,
    fpr,
    ready: stage === 'ready',
    clearing: stage === 'clearing' || undefined,
    emptied: stage === 'emptied' || undefined,
  });
}

/** The error for a name that something else has. */
export function incompatible(name: string, detail: string): TamisError {
  return new TamisError('ERR_TAMIS_INCOMPATIBLE', `the filter ${name} in Redis: ${detail}`);
}

const isWhole = (value: unknown, most: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most;

const isSeed = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{1,20}$/.test(value) && BigInt(value) < 1n << 64n;

const isRate = (value: unknown): boolean => typeof value === 'number' && value > 0 && value < 1;

const isKeyCheck = (value: unknown, hash: unknown): boolean =>
  hash === 'keyed' ? /^[\da-f]{16}$/.test(String(value)) : value === undefined;

/** The shape in the text, which anybody may have written. Throws INCOMPATIBLE. */
export function readMeta(name: string, text: string): { shape: Shape; stage: Stage } {
  let meta: Record<string, unknown>;
  try {
    meta = copyOwn(JSON.parse(text));
  } catch {
    throw incompatible(name, `${name}:meta is no JSON`);
  }
  if (meta.format !== format) {
    throw incompatible(name, `${name}:meta is not of the format ${format}`);
  }
  const { shards, blocks, seed, hash, keyCheck, capacity, fpr, ready, clearing, emptied } = meta;
  const isRight =
    isWhole(shards, mostShards) &&
    isWhole(blocks, mostBlocks) &&
    isSeed(seed) &&
    (hash === 'fast' || hash === 'keyed') &&
    isKeyCheck(keyCheck, hash) &&
    isWhole(capacity, 2 ** 53 - 1) &&
    isRate(fpr) &&
    typeof ready === 'boolean';
  if (!isRight) throw incompatible(name, `${name}:meta has a field that is missing or wrong`);
  const shape = { ...meta, seed: BigInt(seed as string) } as unknown as Shape;
  let stage: Stage = 'making';
  if (ready) stage = 'ready';
  else if (clearing === true) stage = 'clearing';
  else if (emptied === true) stage = 'emptied';
  return { shape, stage };
}

/** Throws INCOMPATIBLE, KEY_REQUIRED or WRONG_KEY unless the filter is the one that is wanted. */
export function checkShape(name: string, shape: Shape, wanted: Wanted): void {
  for (const field of ['capacity', 'fpr', 'seed', 'shards'] as const) {
    if (wanted[field] !== undefined && wanted[field] !== shape[field]) {
      throw incompatible(name, `${field} is ${shape[field]} there and ${wanted[field]} here`);
    }
  }
  const most = wanted.shardBytes;
  if (most !== undefined && 32 * shape.blocks > most) {
    const there = `a shard has ${32 * shape.blocks} bytes there`;
    throw incompatible(name, `${there}, and shardBytes is ${most} here`);
  }
  const { key } = wanted;
  if (shape.hash === 'keyed' && key === undefined) {
    throw new TamisError('ERR_TAMIS_KEY_REQUIRED', 'the filter is keyed; pass the option `key`');
  }
  if (key !== undefined && shape.keyCheck !== keyIdOf(key)) {
    throw new TamisError('ERR_TAMIS_WRONG_KEY');
  }
}

/** The shape of a new filter; `blocksFor` gives the fewest blocks of one that has no shards. */
export function shapeOf(
  wanted: Wanted,
  blocksFor: (capacity: number, fpr: number) => number,
): Shape {
  const { capacity, fpr = 0.01, seed = 0n, shardBytes = 2 ** 25, key } = wanted;
  if (capacity === undefined) {
    throw typeError('RedisFilter.open: there is no such filter; capacity is needed to make it');
  }
  const all = blocksFor(capacity, fpr);
  const shards = wanted.shards ?? Math.ceil(all / Math.floor(shardBytes / 32));
  // Shards and blocks are independent: a key falls into one of shards * blocks, all alike.
  const blocks = Math.ceil(all / shards);
  if (shards > mostShards || blocks > mostBlocks) {
    const text = `${shards} strings of ${32 * blocks} bytes are too many or too long for Redis`;
    throw new TamisError('ERR_TAMIS_TOO_LARGE', text);
  }
  const hash = key === undefined ? 'fast' : 'keyed';
  const keyCheck = key && keyIdOf(key);
  return { shards, blocks, seed, hash, keyCheck, capacity, fpr };
}
