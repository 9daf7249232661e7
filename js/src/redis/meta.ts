// Reads and writes the Redis hash `name:meta`: the filter's shape (size, seed, hash), and the steps of its creation.

import { TamisError, typeError } from '../core/errors.js';
import { keyIdOf } from '../core/keys/hashing.js';
import { copyOwn, integer, rate, seedReader } from '../core/options.js';
import { errorOf } from '../core/statuses.js';

const format = 'tamis-redis-1';

/** The maximum number of shards. Creating a filter visits their strings one by one, so more would take too long. */
export const mostShards = 65_536;
/** The maximum number of blocks in a Redis string, which has at most 512 MiB and also contains the tag. */
export const mostBlocks = 2 ** 24 - 1;

export interface Shape {
  readonly shards: number;
  /** The number of blocks in each shard; a block has 32 bytes. */
  readonly blocks: number;
  readonly seed: bigint;
  readonly hash: 'fast' | 'keyed';
  /** The id of the secret, if the filter is keyed. */
  readonly keyCheck?: string | undefined;
  readonly capacity: number;
  readonly fpr: number;
}

/** A step of creating or emptying a filter. Redis accepts each `step` once, so that a late process changes nothing. */
export interface Step {
  /** The id of this filter. If it is deleted and created again, the new filter has another id. */
  readonly id: number;
  readonly step: number;
  /**
   * 0 while the filter is created; odd once it is ready. Each clear() begins at the next even number. So a later odd
   * stage shows that the filter was emptied. Restoring Redis to an old state never gives a later stage.
   */
  readonly stage: number;
  /** The tag that shard 0's string ends with; 0 if no process is working. */
  readonly tag: number;
}

export const isReady = ({ stage }: Step): boolean => stage % 2 === 1;

/** The content of `name:meta`. */
export interface Meta extends Step {
  readonly shape: Shape;
}

/** A random odd number of 49 bits. Because its last bit is 1, a string that is cut short does not end with it. */
export const newTag = (): number =>
  // All of the last 12 digits of a UUID are random.
  2 * Number(`0x${crypto.randomUUID().slice(24)}`) + 1;

/** The tag of a shard. It differs for each shard, so that swapped strings are detected. */
export const shardTag = (tag: number, shard: number): number => tag + 2 * shard;

/** The names of the hash's fields: `shapeField` contains the shape. Each step has a field, which `fieldOf` names. */
export const shapeField = 'filter';
export const fieldOf = ({ id, step }: Step): string => `${id} ${step}`;

export const writeStep = (step: Step): string => `${fieldOf(step)} ${step.stage} ${step.tag}`;
const stepForm = /^\d{1,15}( \d{1,15}){3}$/;

/** The shape that the caller of `open` wants. Members that are absent match any filter. */
export interface Wanted extends Partial<Shape> {
  readonly shardBytes?: number;
  readonly secret?: Uint8Array;
}

export function writeShape(id: number, shape: Shape): string {
  const { shards, blocks, seed, hash, keyCheck, capacity, fpr } = shape;
  const text = String(seed);
  return JSON.stringify({ format, id, shards, blocks, seed: text, hash, keyCheck, capacity, fpr });
}

/** The error if another filter, or other data, has this name. */
function incompatible(name: string, detail: string): TamisError {
  return new TamisError('ERR_TAMIS_INCOMPATIBLE', `the filter ${name} in Redis: ${detail}`);
}

/** Matches the JSON of a shape's text members. Only a keyed filter has a keyCheck. */
const textForm =
  /^{"format":"tamis-redis-1","seed":"\d{1,20}","hash":"(fast"|keyed","keyCheck":"[\da-f]{16}")}$/;

/** Parses the id and the shape; the text is not trusted. Throws ERR_TAMIS_INCOMPATIBLE. */
function readShape(name: string, text: string): { readonly id: number; readonly shape: Shape } {
  try {
    const meta = copyOwn(JSON.parse(text));
    for (const field of ['id', 'capacity']) integer(1)(meta[field], field);
    integer(1, mostShards)(meta.shards, 'shards');
    integer(1, mostBlocks)(meta.blocks, 'blocks');
    rate(meta.fpr, 'fpr');
    const { seed, hash, keyCheck } = meta;
    if (textForm.test(JSON.stringify({ format: meta.format, seed, hash, keyCheck })))
      return { id: meta.id, shape: { ...meta, seed: seedReader(BigInt(seed), 'seed') } };
  } catch {} // not JSON, or a field has a wrong form
  throw incompatible(name, `its meta does not have the format ${format}`);
}

/** Parses the values of `name:meta`; undefined if none is a shape. Throws ERR_TAMIS_INCOMPATIBLE. */
export function readMeta(name: string, values: readonly string[]): Meta | undefined {
  const shapes = values.filter((text) => !stepForm.test(text));
  if (shapes.length === 0) return undefined;
  // If there are several shapes, the joined text is not valid JSON, and is refused.
  const { id, shape } = readShape(name, shapes.join());
  let last: Meta = { id, step: 0, stage: 0, tag: 0, shape };
  for (const text of values) {
    const [filterId, step = 0, stage = 0, tag = 0] = text.split(' ').map(Number); // NaN for the shape's JSON
    if (filterId === id && step > last.step) last = { id, step, stage, tag, shape };
  }
  return last;
}

const compared = ['capacity', 'fpr', 'seed', 'shards', 'blocks', 'hash', 'keyCheck'] as const;

/** Throws ERR_TAMIS_INCOMPATIBLE, ERR_TAMIS_KEY_REQUIRED or ERR_TAMIS_WRONG_KEY unless the filter matches `wanted`. */
export function checkShape(name: string, shape: Shape, wanted: Wanted): void {
  for (const field of compared) {
    if (wanted[field] !== undefined && wanted[field] !== shape[field]) {
      throw incompatible(name, `${field} is ${shape[field]} there and ${wanted[field]} here`);
    }
  }
  const { secret, hash = 'fast', shardBytes = Infinity } = wanted;
  const bytes = 32 * shape.blocks;
  if (bytes > shardBytes) {
    const detail = `a shard has ${bytes} bytes there and shardBytes is ${shardBytes} here`;
    throw incompatible(name, detail);
  }
  // Without a secret, the filter must be 'fast'. clear() passes the filter's own hash: `open` has checked the secret.
  const isRight = secret === undefined ? shape.hash === hash : shape.keyCheck === keyIdOf(secret);
  if (isRight) return;
  throw secret
    ? new TamisError('ERR_TAMIS_WRONG_KEY', `${name} has another secret, or none`)
    : new TamisError('ERR_TAMIS_KEY_REQUIRED', `${name} has a secret: pass the option secret`);
}

/** The shape of a new filter. `blocksFor` returns the fewest blocks for an unsharded filter. */
export function newShape(
  wanted: Wanted,
  blocksFor: (capacity: number, fpr: number) => number,
): Shape {
  const { capacity, fpr = 0.01, seed = 0n, shardBytes = 2 ** 25, secret } = wanted;
  if (capacity === undefined) {
    throw typeError('RedisFilter.open: the filter does not exist; pass capacity to create it');
  }
  const all = blocksFor(capacity, fpr);
  const shards = wanted.shards ?? Math.ceil(all / Math.floor(shardBytes / 32));
  // A key's shard and block are independent, so all shards * blocks places are equally likely.
  const blocks = Math.ceil(all / shards);
  if (shards > mostShards || blocks > mostBlocks) {
    const detail = `Redis cannot hold ${shards} strings of ${32 * blocks} bytes`;
    throw errorOf('ERR_TAMIS_TOO_LARGE', detail);
  }
  const hash = secret === undefined ? 'fast' : 'keyed';
  const keyCheck = secret && keyIdOf(secret);
  return { shards, blocks, seed, hash, keyCheck, capacity, fpr };
}
