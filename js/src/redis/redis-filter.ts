import { addMember } from '../core/add-member.js';
import { atIndex, mustBe, rangeError, show, typeError } from '../core/errors.js';
import { isWellFormed, type Key, type Keys } from '../core/key-types.js';
import { type HashKeyOptions, hashKey, hashKeys } from '../core/keys/hashing.js';
import { blocksOf, shardsOf } from '../core/keys/routes.js';
import {
  integer,
  type Reader,
  rate,
  readOptions,
  seedReader,
  sixteenBytes,
} from '../core/options.js';
import type { BlockedBloomFilter } from '../filters/blocked-bloom.js';
import { type RedisClient, sendBy } from './client.js';
import { openShape } from './making.js';
import { mostBlocks, mostShards } from './meta.js';
import { Store, tailBytes } from './store.js';

/** Options of `RedisFilter.open`. */
export interface RedisFilterOptions {
  /** The number of keys to make room for. Without it, the filter must exist. */
  readonly capacity?: number;
  /** The false-positive rate at `capacity`, 2^-24 or more; default 0.01. */
  readonly fpr?: number;
  /** A number that is mixed into every hash, so that filters differ. It is not a secret. Default 0. */
  readonly seed?: number | bigint;
  /** 16 secret bytes, if others can choose the keys. Keys are then hashed by SipHash-2-4. */
  readonly secret?: Uint8Array;
  /** The number of Redis strings, which a cluster distributes; default: as few as `shardBytes` allows. */
  readonly shards?: number;
  /** The maximum size of each string in bytes; default 32 MiB. */
  readonly shardBytes?: number;
}

/** The figures of a RedisFilter. */
export interface RedisFilterFigures {
  readonly name: string;
  readonly shards: number;
  /** The number of blocks in a shard; a block has 32 bytes. */
  readonly blocks: number;
  readonly capacity: number;
  readonly fpr: number;
  readonly hash: 'fast' | 'keyed';
  readonly seed: bigint;
  /** The size of all strings together. */
  readonly sizeBytes: number;
}

const optionReaders = () => ({
  capacity: integer(1),
  fpr: rate,
  seed: seedReader,
  secret: sixteenBytes,
  shards: integer(1, mostShards),
  shardBytes: integer(32, 32 * mostBlocks),
});

/** Reads a filter's name. Braces in it would put all strings on the same node of a cluster. */
const filterName: Reader<string> = (value, name) => {
  const what = 'a text without { and }';
  if (typeof value !== 'string') throw mustBe(what, name, value);
  if (value !== '' && isWellFormed(value) && !/[{}]/.test(value)) return value;
  throw rangeError(`${name} must be ${what}, got ${show(value)}`);
};

/** The maximum number of keys whose commands run at once, and of keys in one command. */
const keysAtOnce = 4096;
const keysPerCommand = 32;

type Command = 'add' | 'has';

/** Calls in one turn of the event loop, which share commands. */
interface Batch {
  readonly what: Command;
  readonly calls: {
    readonly hash: bigint;
    readonly resolve: (answer: boolean) => void;
    readonly reject: (reason: unknown) => void;
  }[];
}

/** Groups the indexes of keys by shard, with at most `keysPerCommand` in a group. Keys of a shard stay in order. */
function groupsOf(shards: Uint32Array) {
  const groups: { readonly shard: number; readonly indexes: number[] }[] = [];
  const lastGroups = new Map<number, number[]>();
  for (const [i, shard] of shards.entries()) {
    let indexes = lastGroups.get(shard);
    if (indexes === undefined || indexes.length === keysPerCommand) {
      indexes = [];
      groups.push({ shard, indexes });
      lastGroups.set(shard, indexes);
    }
    indexes.push(i);
  }
  return groups;
}

/**
 * A Bloom filter in plain Redis strings, without a module or a script. Many processes can add and look up at once. Each
 * `add` and `has` costs at most one command, and calls in one turn of the event loop share commands.
 *
 * If Redis lost a string, or the filter was created again, look-ups of keys in it throw ERR_TAMIS_LOST until `clear()`.
 * A failover can lose writes that had not reached the replica. Redis does not report that, so no look-up detects it.
 */
export class RedisFilter {
  readonly #store: Store;
  /** The options for hashKey: the secret, if there is one. */
  readonly #hashing: HashKeyOptions;
  /** The calls that have not been sent yet. */
  #batch: Batch | undefined;

  private constructor(store: Store, secret?: Uint8Array) {
    if (!(store instanceof Store)) throw typeError('use await RedisFilter.open(client, name)');
    const inspect = (_depth: number, options: object, show: (...args: object[]) => string) =>
      `RedisFilter ${show(this.toJSON(), options)}`;
    addMember(this, Symbol.for('nodejs.util.inspect.custom'), inspect);
    this.#store = store;
    this.#hashing = secret ? { secret } : {};
  }

  /**
   * Opens the filter of this name, or creates it. Rejects with ERR_TAMIS_INCOMPATIBLE if the filter has other options,
   * or other data has its name; with ERR_TAMIS_KEY_REQUIRED or ERR_TAMIS_WRONG_KEY; with ERR_TAMIS_LOST if Redis lost
   * the filter's options but may have its keys; with ERR_TAMIS_TOO_LARGE if Redis cannot hold the filter; and with
   * ERR_TAMIS_UNAVAILABLE if Redis does not answer or loses writes.
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
  static async open(
    client: RedisClient,
    name: string,
    options?: RedisFilterOptions,
  ): Promise<RedisFilter> {
    const wanted = readOptions(options, optionReaders(), 'RedisFilter.open');
    const { capacity, shards, shardBytes } = wanted;
    if (shards !== undefined && shardBytes !== undefined) {
      throw rangeError('RedisFilter.open: pass shards or shardBytes, not both');
    }
    const send = sendBy(client);
    const store = new Store(filterName(name, 'RedisFilter.open: name'), send);
    // With a capacity, missing options get their defaults. Without one, they match any filter.
    const defaults = capacity === undefined ? {} : { fpr: 0.01, seed: 0n };
    await openShape(store, { ...defaults, ...wanted });
    return new this(store, wanted.secret);
  }

  /** The name, the options and the size. Reading them sends nothing to Redis. */
  get figures(): RedisFilterFigures {
    const { name, shape } = this.#store;
    const { shards, blocks, capacity, fpr, hash, seed } = shape;
    const sizeBytes = shards * (32 * blocks + tailBytes);
    return { name, shards, blocks, capacity, fpr, hash, seed, sizeBytes };
  }

  /** The type and the figures, as values of JSON. */
  toJSON(): Record<string, unknown> {
    const { seed, ...figures } = this.figures;
    return { type: 'redis-filter', ...figures, seed: String(seed) };
  }

  /** The number of a key's shard, from 0. `toFilter` of that shard returns the filter that contains the key. */
  shardOf(key: Key): number {
    const [shard = 0] = shardsOf(BigUint64Array.of(hashKey(key, this.#hashing)), this.#store.shape);
    return shard;
  }

  /**
   * Adds a key; `true` means that it was certainly new. If processes add the same key at once, at most one gets `true`.
   * If the client resends a command after a lost connection, a new key may get `false`.
   */
  add(key: Key): Promise<boolean> {
    return this.#one(key, 'add');
  }

  /**
   * Adds keys. Resolves to the number of keys that were certainly new. An error carries the `index` of the first key
   * that was not added; later keys may have been added.
   */
  async addMany(keys: Keys): Promise<number> {
    const answers = await this.#each(keys, 'add');
    return answers.reduce((sum, isNew) => sum + isNew, 0);
  }

  /** Looks a key up. `false` means certainly absent, `true` means probably present. */
  has(key: Key): Promise<boolean> {
    return this.#one(key, 'has');
  }

  /** Looks keys up: 1 (probably present) or 0 (certainly absent) for each, in order. Rejects if one look-up fails. */
  async hasMany(keys: Keys): Promise<Uint8Array<ArrayBuffer>> {
    return this.#each(keys, 'has');
  }

  /**
   * Copies a shard into a filter of `tamis`, whose toBytes makes a file for browsers. The copy contains only the keys
   * of its shard (see shardOf). `shard` is optional if there is only one.
   */
  async toFilter(shard?: number): Promise<BlockedBloomFilter> {
    const index = this.#checkShard(shard, 'toFilter');
    this.#sendBatch();
    const { shards, capacity, seed, keyCheck } = this.#store.shape;
    const { filterOfBlocks } = await import('../interop/redis-blocks.js');
    const bytes = await this.#store.download(index);
    const share = Math.ceil(capacity / shards);
    return filterOfBlocks(bytes, { seed, keyCheck, capacity: share, ...this.#hashing });
  }

  /** Adds a filter's keys atomically. Throws ERR_TAMIS_INCOMPATIBLE unless its options are those of the shard. */
  async merge(filter: BlockedBloomFilter, shard?: number): Promise<void> {
    const index = this.#checkShard(shard, 'merge');
    this.#sendBatch();
    const { blocksOfFilter } = await import('../interop/redis-blocks.js');
    await this.#store.merge(index, blocksOfFilter(filter, this.#store.shape));
  }

  /**
   * Removes all keys, for every process that has this filter open, and replaces strings that Redis lost. Meanwhile,
   * other processes may get ERR_TAMIS_LOST. If `clear` rejects, call it again: otherwise the next `open` completes the
   * removal, and may remove newer keys.
   */
  async clear(): Promise<void> {
    this.#sendBatch();
    const store = this.#store;
    await openShape(store, store.shape, store.shape);
    // tagOf rejects if another process's late command damaged a string.
    for (let shard = 0; shard < store.shape.shards; shard++) await store.tagOf(shard);
  }

  /** Returns the checked number of a shard; it may be left out if there is one shard. Throws RangeError. */
  #checkShard(shard: number | undefined, what: string): number {
    const { shards } = this.#store.shape;
    if (shard === undefined && shards > 1) {
      throw rangeError(`${what}: the filter has ${shards} shards; pass the number of one`);
    }
    return integer(0, shards - 1)(shard ?? 0, `${what}: shard`);
  }

  /** Adds or looks up one key, together with other calls in this turn, and after earlier calls. */
  #one(key: Key, what: Command): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const hash = hashKey(key, this.#hashing);
      if (this.#batch?.what !== what) this.#sendBatch(); // a batch has one command
      const batch = this.#batch ?? { what, calls: [] };
      batch.calls.push({ hash, resolve, reject });
      if (this.#batch === batch) return; // an earlier call has scheduled the sending
      this.#batch = batch;
      queueMicrotask(() => {
        if (this.#batch === batch) this.#sendBatch();
      });
    });
  }

  #sendBatch(): void {
    if (this.#batch === undefined) return;
    const { what, calls } = this.#batch;
    this.#batch = undefined;
    try {
      const hashes = BigUint64Array.from(calls, ({ hash }) => hash);
      for (const { indexes, reply } of this.#send(what, hashes)) {
        for (const [i, index] of indexes.entries()) {
          const { resolve, reject } = calls[index] as Batch['calls'][number];
          reply.then((answers) => resolve(answers[i] as boolean), reject);
        }
      }
    } catch (reason) {
      // Rejects each call itself, because the code that sends the batch may belong to another call, or to none.
      for (const { reject } of calls) reject(reason);
    }
  }

  /** Sends the commands for keys. Returns, for each command, the indexes of its keys and its reply. */
  #send(what: Command, hashes: BigUint64Array) {
    const { shape } = this.#store;
    const places = blocksOf(hashes, shape);
    return groupsOf(shardsOf(hashes, shape)).map(({ shard, indexes }) => {
      return { indexes, reply: this.#store[what](shard, places, indexes) };
    });
  }

  /** Adds or looks up many keys, with one command for up to `keysPerCommand` keys of the same shard. */
  async #each(keys: Keys, what: Command): Promise<Uint8Array<ArrayBuffer>> {
    this.#sendBatch();
    const hashes = hashKeys(keys, this.#hashing);
    const answers = new Uint8Array(hashes.length);
    for (let from = 0; from < hashes.length; from += keysAtOnce) {
      const sent = this.#send(what, hashes.subarray(from, from + keysAtOnce));
      await Promise.allSettled(sent.map(({ reply }) => reply));
      for (const { indexes, reply } of sent) {
        const results = await reply.catch((reason) => {
          // Commands are in the order of their first keys, so this key is the first that failed.
          throw atIndex(reason, from + (indexes[0] as number));
        });
        for (const [i, index] of indexes.entries()) answers[from + index] = Number(results[i]);
      }
    }
    return answers;
  }
}
