// A Bloom filter that lives in Redis, which many processes share.

import { atIndex, mustBe, rangeError, show, typeError } from '../core/errors.js';
import { isWellFormed, type Key, type Keys } from '../core/key-types.js';
import { type HashKeyOptions, hashKey, hashKeys } from '../core/keys/hashing.js';
import { blocksOf, shardsOf } from '../core/keys/routes.js';
import { integer, type Reader, rate, readOptions, sixteenBytes, uint64 } from '../core/options.js';
import type { BlockedBloomFilter } from '../filters/blocked-bloom.js';
import { type RedisClient, sendBy } from './client.js';
import { clearAll, openShape } from './making.js';
import { mostBlocks, mostShards, type Shape } from './meta.js';
import { type Places, Store, tailBytes } from './store.js';

/** Options of `RedisFilter.open`. */
export interface RedisFilterOptions {
  /** Keys that the filter is made for; without it the filter must be there already. */
  readonly capacity?: number;
  /** The rate at `capacity`, from 2^-24 on; default 0.01. */
  readonly fpr?: number;
  /** Tells filters apart; mixed into every hash. It is no secret. Default 0n. */
  readonly seed?: bigint;
  /** 16 secret bytes: keys are hashed by SipHash-2-4. For keys that others choose. */
  readonly key?: Uint8Array;
  /** Strings of Redis; default: as few as `shardBytes` allows. A cluster spreads them over its nodes. */
  readonly shards?: number;
  /** The most bytes of a string; default 32 MiB. */
  readonly shardBytes?: number;
}

/** What a RedisFilter says of itself. */
export interface RedisFilterFigures {
  readonly name: string;
  readonly shards: number;
  /** Blocks of a shard, 32 bytes each. */
  readonly blocks: number;
  readonly capacity: number;
  readonly fpr: number;
  readonly hash: 'fast' | 'keyed';
  readonly seed: bigint;
  /** Of all strings. */
  readonly sizeBytes: number;
}

const optionReaders = () => ({
  capacity: integer(1),
  fpr: rate,
  seed: uint64,
  key: sixteenBytes,
  shards: integer(1, mostShards),
  shardBytes: integer(32, 32 * mostBlocks),
});

/** Braces would put every string of the filter on the same node of a cluster. */
const filterName: Reader<string> = (value, name) => {
  const what = 'a text without { and }';
  if (typeof value !== 'string') throw mustBe(what, name, value);
  if (value !== '' && isWellFormed(value) && !/[{}]/.test(value)) return value;
  throw rangeError(`${name} must be ${what}, got ${show(value)}`);
};

/** Keys whose commands are on their way at once, and keys of one command. */
const window = 4096;
const together = 32;

/** How keys are found. */
interface Routes {
  readonly shards: Uint32Array;
  readonly places: Places;
}

type Command = 'add' | 'has';

/** Calls of one turn of the event loop, which share commands. */
interface Batch {
  readonly what: Command;
  readonly hashes: bigint[];
  readonly calls: {
    readonly resolve: (answer: boolean) => void;
    readonly reject: (reason: unknown) => void;
  }[];
}

/** Keys of one command, by their indexes. */
interface Group {
  readonly shard: number;
  readonly indexes: number[];
}

/** A command on its way. */
interface Sent {
  readonly indexes: readonly number[];
  readonly reply: Promise<readonly boolean[]>;
}

/** The keys from `from` to `to`, in groups of one shard each; those of a shard stay in order. */
function groupsOf(shards: Uint32Array, from: number, to: number): Group[] {
  const groups: Group[] = [];
  const open = new Map<number, Group>();
  for (let i = from; i < to; i++) {
    const shard = shards[i] as number;
    let group = open.get(shard);
    if (group === undefined || group.indexes.length === together) {
      group = { shard, indexes: [] };
      groups.push(group);
      open.set(shard, group);
    }
    group.indexes.push(i);
  }
  return groups;
}

/**
 * A Bloom filter in plain strings of Redis, without a module or a script. Many processes add and look up at once. Each
 * `add` and each `has` is one command at most: calls of one turn of the event loop share commands. Strings that Redis
 * lost, or that were made anew, make every look-up of their keys throw LOST, until `clear()`. A failover may lose what
 * the replica had not got yet: Redis does not tell, so no look-up can.
 *
 * @example
 * import { RedisFilter } from 'tamis/redis';
 * const call = async () => {
 *   throw new Error('a server that is down'); // createClient() of redis, or new Redis() of ioredis, is a client too
 * };
 * const opened = RedisFilter.open({ call }, 'seen', { capacity: 1_000_000 });
 * const { code } = await opened.catch((error) => error);
 * code; // => 'ERR_TAMIS_UNAVAILABLE'
 */
export class RedisFilter {
  readonly #store: Store;
  readonly #shape: Shape;
  /** The secret key, if there is one. */
  readonly #hashing: HashKeyOptions;
  /** Calls that are not sent yet. */
  #batch: Batch | undefined;

  private constructor(store: Store, shape: Shape, key?: Uint8Array) {
    if (!(store instanceof Store)) throw typeError('use await RedisFilter.open(client, name)');
    this.#store = store;
    this.#shape = shape;
    this.#hashing = key ? { key } : {};
  }

  /**
   * The filter of this name, made if there is none. Rejects with INCOMPATIBLE where the name has another shape or is
   * of something else, and with KEY_REQUIRED or WRONG_KEY. It is LOST where strings may have keys and nobody knows their
   * shape. What Redis cannot hold is TOO_LARGE. No answer is UNAVAILABLE, and so are writes that are not seen.
   */
  static async open(
    client: RedisClient,
    name: string,
    options?: RedisFilterOptions,
  ): Promise<RedisFilter> {
    const wanted = readOptions(options, optionReaders(), 'RedisFilter.open');
    const { capacity, shards, shardBytes } = wanted;
    if (shards !== undefined && shardBytes !== undefined) {
      throw rangeError('RedisFilter.open: give shards or shardBytes, not both');
    }
    const store = new Store(filterName(name, 'RedisFilter.open: name'), sendBy(client));
    // What is not said with a capacity is the default; without one, whatever the filter has.
    const whole = capacity === undefined ? {} : { fpr: 0.01, seed: 0n };
    const shape = await openShape(store, { ...whole, ...wanted });
    return new this(store, shape, wanted.key);
  }

  /** Name, shape and size; never a question to Redis. */
  get figures(): RedisFilterFigures {
    const { shards, blocks, capacity, fpr, hash, seed } = this.#shape;
    const sizeBytes = shards * (32 * blocks + tailBytes);
    return { name: this.#store.name, shards, blocks, capacity, fpr, hash, seed, sizeBytes };
  }

  toJSON(): Record<string, unknown> {
    const { seed, ...figures } = this.figures;
    return { ...figures, seed: String(seed) };
  }

  /** The shard of a key, from 0 on: the one whose filter toFilter must give. */
  shardOf(key: Key): number {
    return shardsOf(BigUint64Array.of(hashKey(key, this.#hashing)), this.#shape)[0] as number;
  }

  /**
   * Adds a key; `true` means that it was certainly new. Of processes that add the same key at once, one at most is told
   * so. A client that sends a command again after a lost connection may be told `false` of a new key.
   */
  add(key: Key): Promise<boolean> {
    return this.#one(key, 'add');
  }

  /** Adds keys; how many were certainly new. After an error some are in, its `index` is that of the first that is not. */
  async addMany(keys: Keys): Promise<number> {
    const answers = await this.#each(keys, 'add');
    return answers.reduce((sum, isNew) => sum + isNew, 0);
  }

  /** `false` means certainly absent; `true` means probably present. */
  has(key: Key): Promise<boolean> {
    return this.#one(key, 'has');
  }

  /** 1 (probably present) or 0 (certainly absent) for each key, in order. Rejects where one look-up fails. */
  async hasMany(keys: Keys): Promise<Uint8Array<ArrayBuffer>> {
    return this.#each(keys, 'has');
  }

  /**
   * A shard as a filter of `tamis`, whose toBytes is a file for browsers. It knows the keys of its shard alone: see
   * shardOf. A filter of one shard needs no number.
   */
  async toFilter(shard?: number): Promise<BlockedBloomFilter> {
    const of = this.#checkShard(shard, 'toFilter');
    this.#sendBatch();
    const { blocks, shards, capacity, seed, keyCheck } = this.#shape;
    const { filterOfBlocks } = await import('../interop/redis-blocks.js');
    const bytes = await this.#store.blocksOf(of, blocks);
    const share = Math.ceil(capacity / shards);
    return filterOfBlocks(bytes, { seed, keyCheck, capacity: share, ...this.#hashing });
  }

  /** Adds what a filter of `tamis` has, at once. It must be made like the shard, or INCOMPATIBLE. */
  async merge(filter: BlockedBloomFilter, shard?: number): Promise<void> {
    const of = this.#checkShard(shard, 'merge');
    this.#sendBatch();
    const { blocksOfFilter } = await import('../interop/redis-blocks.js');
    await this.#store.merge(of, blocksOfFilter(filter, this.#shape));
  }

  /**
   * Takes all keys out, for every process that has this filter open. What Redis lost is made anew. While it is at work,
   * others may get LOST. Call it again where it rejects: else the next `open` finishes it, and may take out keys that
   * came after.
   */
  async clear(): Promise<void> {
    this.#sendBatch();
    await clearAll(this.#store, this.#shape);
  }

  #checkShard(shard: number | undefined, what: string): number {
    const { shards } = this.#shape;
    if (shard === undefined && shards > 1) {
      throw rangeError(`${what}: the filter has ${shards} shards, so say which`);
    }
    return integer(0, shards - 1)(shard ?? 0, `${what}: shard`);
  }

  /** The answer for a key. It is sent with those that are asked in the same turn, after those that came before it. */
  #one(key: Key, what: Command): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const hash = hashKey(key, this.#hashing);
      if (this.#batch?.what !== what) this.#sendBatch();
      const batch = this.#batch ?? this.#openBatch(what);
      batch.hashes.push(hash);
      batch.calls.push({ resolve, reject });
    });
  }

  #openBatch(what: Command): Batch {
    const batch: Batch = { what, hashes: [], calls: [] };
    this.#batch = batch;
    queueMicrotask(() => {
      if (this.#batch === batch) this.#sendBatch();
    });
    return batch;
  }

  #sendBatch(): void {
    if (this.#batch === undefined) return;
    const { what, hashes, calls } = this.#batch;
    this.#batch = undefined;
    try {
      const routes = this.#routesOf(BigUint64Array.from(hashes));
      for (const { indexes, reply } of this.#send(what, routes, 0, hashes.length)) {
        for (const [i, index] of indexes.entries()) {
          const { resolve, reject } = calls[index] as Batch['calls'][number];
          reply.then((answers) => resolve(answers[i] as boolean), reject);
        }
      }
    } catch (reason) {
      // Nobody else would hear of it: what sends them may be no call at all, or that of another.
      for (const { reject } of calls) reject(reason);
    }
  }

  #routesOf(hashes: BigUint64Array): Routes {
    return { shards: shardsOf(hashes, this.#shape), places: blocksOf(hashes, this.#shape) };
  }

  /** Sends the commands of the keys from `from` to `to`: each with the indexes of its keys, and their answers. */
  #send(what: Command, { shards, places }: Routes, from: number, to: number): Sent[] {
    const { blocks } = this.#shape;
    return groupsOf(shards, from, to).map(({ shard, indexes }) => {
      return { indexes, reply: this.#store[what](shard, blocks, places, indexes) };
    });
  }

  /** The answers for all keys: a command for each few that fall into the same shard. */
  async #each(keys: Keys, what: Command): Promise<Uint8Array<ArrayBuffer>> {
    this.#sendBatch();
    const routes = this.#routesOf(hashKeys(keys, this.#hashing));
    const { length } = routes.shards;
    const answers = new Uint8Array(length);
    for (let from = 0; from < length; from += window) {
      const sent = this.#send(what, routes, from, Math.min(from + window, length));
      const replies = await Promise.allSettled(sent.map(({ reply }) => reply));
      for (const [g, reply] of replies.entries()) {
        const { indexes } = sent[g] as Sent;
        // Commands are in the order of their first keys.
        if (reply.status === 'rejected') throw atIndex(reply.reason, indexes[0] as number);
        for (const [i, answer] of reply.value.entries()) {
          answers[indexes[i] as number] = Number(answer);
        }
      }
    }
    return answers;
  }
}
