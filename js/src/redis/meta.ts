// What `name:meta` says: the shape that all processes share, and what is being done to the strings.

import { TamisError, typeError } from '../core/errors.js';
import { keyIdOf } from '../core/keys/hashing.js';
import { copyOwn, integer, rate, uint64 } from '../core/options.js';
import { errorOf } from '../core/statuses.js';

const format = 'tamis-redis-1';

/** More strings than that would not be found again in time, let alone made. */
export const mostShards = 65_536;
/** A string of Redis has at most 512 MiB: so many blocks and the tag. */
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
 * How far the filter is: an odd number where it is ready. 0 is the making, and each clear() takes the next even number. So
 * what is ready once more, after a part of Redis was restored, has no later stage.
 */
export type Stage = number;

/** A change of stage. Steps are numbered, and Redis takes one of a number at most: who comes late changes nothing. */
export interface Step {
  /** The filter whose step it is: one that is deleted and made anew is another. */
  readonly id: number;
  readonly step: number;
  readonly stage: Stage;
  /** What the string of shard 0 ends with; 0 where nobody is at work. */
  readonly tag: number;
}

export const isReady = ({ stage }: Step): boolean => stage % 2 === 1;

/** What `name:meta` says. */
export interface Meta extends Step {
  readonly shape: Shape;
}

/** A random number of 49 bits. It is odd, so a string is as long as its tag says, and one that is cut has another. */
export const newTag = (): number =>
  // The last 12 digits of a UUID have nothing else.
  2 * Number(`0x${crypto.randomUUID().slice(24)}`) + 1;

/** The tag of a shard: each has another, so strings that changed places are told. */
export const shardTag = (tag: number, shard: number): number => tag + 2 * shard;

/** The field of a shape, and that of a step. */
export const shapeField = 'filter';
export const fieldOf = ({ id, step }: Step): string => `${id} ${step}`;

export const writeStep = (step: Step): string => `${fieldOf(step)} ${step.stage} ${step.tag}`;
const stepForm = /^\d{1,15}( \d{1,15}){3}$/;

/** What a caller of `open` asks for, or all of the shape that it had open; what is absent is the filter's own. */
export interface Wanted extends Partial<Shape> {
  readonly shardBytes?: number;
  readonly key?: Uint8Array;
}

export function writeShape(id: number, shape: Shape): string {
  const { shards, blocks, seed, hash, keyCheck, capacity, fpr } = shape;
  const text = String(seed);
  return JSON.stringify({ format, id, shards, blocks, seed: text, hash, keyCheck, capacity, fpr });
}

/** The error for a name that something else has. */
export function incompatible(name: string, detail: string): TamisError {
  return new TamisError('ERR_TAMIS_INCOMPATIBLE', `the filter ${name} in Redis: ${detail}`);
}

/** The members that are numbers. */
const numberReaders = () => ({
  id: integer(1),
  shards: integer(1, mostShards),
  blocks: integer(1, mostBlocks),
  capacity: integer(1),
  fpr: rate,
});

/** The other members, in the one way to write them. */
const textForm =
  /^{"format":"tamis-redis-1","seed":"\d{1,20}","hash":"(fast"|keyed","keyCheck":"[\da-f]{16}")}$/;

/** The id and the shape in a text, which anybody may have written. Throws INCOMPATIBLE. */
function readShape(name: string, text: string): { readonly id: number; readonly shape: Shape } {
  try {
    const meta = copyOwn(JSON.parse(text));
    for (const [field, read] of Object.entries(numberReaders())) read(meta[field], field);
    const { seed, hash, keyCheck } = meta;
    if (textForm.test(JSON.stringify({ format: meta.format, seed, hash, keyCheck })))
      return { id: meta.id, shape: { ...meta, seed: uint64(BigInt(seed), 'seed') } };
  } catch {}
  throw incompatible(name, `its meta is not of the format ${format}`);
}

/** What the values of the hash say; undefined where none is a shape. Throws INCOMPATIBLE. */
export function readMeta(name: string, values: readonly string[]): Meta | undefined {
  const others = values.filter((text) => !stepForm.test(text));
  if (others.length === 0) return undefined;
  // Several are no JSON.
  const { id, shape } = readShape(name, others.join());
  let last: Meta = { id, step: 0, stage: 0, tag: 0, shape };
  for (const text of values) {
    const [of, step = 0, stage = 0, tag = 0] = text.split(' ').map(Number);
    if (of === id && step > last.step) last = { id, step, stage, tag, shape };
  }
  return last;
}

const compared = ['capacity', 'fpr', 'seed', 'shards', 'blocks', 'hash', 'keyCheck'] as const;

/** Throws INCOMPATIBLE, KEY_REQUIRED or WRONG_KEY unless the filter is the one that is wanted. */
export function checkShape(name: string, shape: Shape, wanted: Wanted): void {
  for (const field of compared) {
    if (wanted[field] !== undefined && wanted[field] !== shape[field]) {
      throw incompatible(name, `${field} is ${shape[field]} there and ${wanted[field]} here`);
    }
  }
  const { key, hash = 'fast', shardBytes = Infinity } = wanted;
  const bytes = 32 * shape.blocks;
  if (bytes > shardBytes) {
    throw incompatible(
      name,
      `a shard has ${bytes} bytes there and shardBytes is ${shardBytes} here`,
    );
  }
  if (key === undefined && shape.hash !== hash) throw errorOf('ERR_TAMIS_KEY_REQUIRED');
  if (key !== undefined && shape.keyCheck !== keyIdOf(key)) {
    throw errorOf('ERR_TAMIS_WRONG_KEY');
  }
}

/** The shape of a new filter; `blocksFor` gives the fewest blocks of one that has no shards. */
export function shapeOf(
  wanted: Wanted,
  blocksFor: (capacity: number, fpr: number) => number,
): Shape {
  const { capacity, fpr = 0.01, seed = 0n, shardBytes = 2 ** 25, key } = wanted;
  if (capacity === undefined) {
    throw typeError('RedisFilter.open: there is no such filter; give capacity to make it');
  }
  const all = blocksFor(capacity, fpr);
  const shards = wanted.shards ?? Math.ceil(all / Math.floor(shardBytes / 32));
  // Shards and blocks are independent: a key falls into one of shards * blocks, all alike.
  const blocks = Math.ceil(all / shards);
  if (shards > mostShards || blocks > mostBlocks) {
    throw errorOf(
      'ERR_TAMIS_TOO_LARGE',
      `Redis cannot hold ${shards} strings of ${32 * blocks} bytes`,
    );
  }
  const hash = key === undefined ? 'fast' : 'keyed';
  const keyCheck = key && keyIdOf(key);
  return { shards, blocks, seed, hash, keyCheck, capacity, fpr };
}
