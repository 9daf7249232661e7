// How a filter comes to be in Redis: one process makes its strings, and all others wait for it.

import { copyOwn } from '../core/options.js';
import {
  checkShape,
  incompatible,
  readMeta,
  type Shape,
  type Stage,
  shapeOf,
  type Wanted,
  writeMeta,
} from './meta.js';
import type { Store } from './store.js';

/** A maker that said nothing for so long has died; another takes over. */
const lockMs = 10_000;
const pollMs = 50;

const lockKeyOf = ({ name }: Store) => `${name}:lock`;

/** Waits a while for who has the lock. INCOMPATIBLE for what does not end as a lock does. */
async function rest(store: Store): Promise<void> {
  const key = lockKeyOf(store);
  const leftMs = await store.number(key, 'PTTL');
  if (leftMs === -1 || leftMs > lockMs) {
    throw incompatible(store.name, `${key} is something else than a lock`);
  }
  await new Promise((resolve) => setTimeout(resolve, pollMs));
}

/** The right to make or clear a filter, which ends by itself. */
class Lock {
  readonly #store: Store;
  readonly #key: string;
  readonly #token = crypto.randomUUID();

  constructor(store: Store) {
    this.#store = store;
    this.#key = lockKeyOf(store);
  }

  take(): Promise<boolean> {
    return this.#store.set(this.#key, this.#token, 'NX', 'PX', `${lockMs}`);
  }

  /** Whether it is held still, for as long again. */
  async renew(): Promise<boolean> {
    const owner = await this.#store.text(this.#key);
    if (owner !== this.#token) return false;
    return (await this.#store.number(this.#key, 'PEXPIRE', `${lockMs}`)) === 1;
  }

  async release(): Promise<void> {
    if (await this.renew()) await this.#store.remove(this.#key);
  }
}

/** Runs `act` while the lock is held: whether it did all; false where another has the lock. */
async function holding(store: Store, act: (lock: Lock) => Promise<boolean>): Promise<boolean> {
  const lock = new Lock(store);
  if (!(await lock.take())) return false;
  try {
    return await act(lock);
  } finally {
    await lock.release();
  }
}

async function metaOf(store: Store) {
  const text = await store.text(store.metaKey);
  return text === undefined ? undefined : readMeta(store.name, text);
}

/** Makes the strings that the meta promises; false where the lock was lost before they are ready. */
async function finish(store: Store, lock: Lock): Promise<boolean> {
  const meta = await metaOf(store);
  if (meta === undefined) return false;
  const { shape, stage } = meta;
  // Another has made them.
  if (stage === 'ready') return true;
  const { shards, blocks } = shape;
  const forEachShard = async (act: (shard: number) => Promise<void>) => {
    for (let shard = 0; shard < shards; shard++) {
      if (!(await lock.renew())) return false;
      await act(shard);
    }
    return lock.renew();
  };
  const enter = (next: Stage) => store.set(store.metaKey, writeMeta(shape, next), 'XX');
  // Each before the first is made: one that was lost, and is made again, would call its keys absent.
  if (stage === 'making') {
    if (!(await forEachShard((shard) => store.checkUnused(shard, blocks)))) return false;
  } else if (stage === 'clearing') {
    const isEmptied = await forEachShard((shard) => store.remove(store.keyOf(shard)));
    if (!isEmptied || !(await enter('emptied'))) return false;
  }
  return (await forEachShard((shard) => store.allocate(shard, blocks))) && enter('ready');
}

/** Brings the formulas of `tamis`, which only who makes a filter needs. */
const importBlocks = () => import('../interop/redis-blocks.js');

/** The filter's shape, once all of its strings are there; makes it where there is none. */
export async function openShape(store: Store, wanted: Wanted): Promise<Shape> {
  for (;;) {
    const meta = await metaOf(store);
    if (meta === undefined) {
      const { blocksFor } = await importBlocks();
      const shape = copyOwn(shapeOf(wanted, blocksFor));
      await store.set(store.metaKey, writeMeta(shape, 'making'), 'NX');
      continue;
    }
    checkShape(store.name, meta.shape, wanted);
    if (meta.stage === 'ready') return meta.shape;
    if (!(await holding(store, (lock) => finish(store, lock)))) await rest(store);
  }
}

/**
 * Empties every string. What is evicted, or lost, is made anew. It goes on where the lock was lost on the way: a full
 * server may evict that first, since it expires. LOST where another then finished first, and a command of this process
 * came too late and took a string away.
 */
export async function clearAll(store: Store, shape: Shape): Promise<void> {
  let isBegun = false;
  let wasLost = false;
  const clear = async (lock: Lock) => {
    const meta = await metaOf(store);
    // Another has finished it: the keys that are there came later.
    if (isBegun && meta?.stage === 'ready') return true;
    if (meta?.stage === 'ready' && writeMeta(meta.shape, 'ready') !== writeMeta(shape, 'ready')) {
      throw incompatible(store.name, 'it was made anew in another shape; open it again');
    }
    if (!isBegun || meta === undefined) {
      await store.set(store.metaKey, writeMeta(shape, 'clearing'));
      isBegun = true;
    }
    return finish(store, lock);
  };
  while (!(await holding(store, clear))) {
    wasLost ||= isBegun;
    await rest(store);
  }
  for (let shard = 0; wasLost && shard < shape.shards; shard++) {
    await store.checkSentinel(shard, shape.blocks);
  }
}
