// How a filter comes to be in Redis: one process makes its strings, and all others wait for it.

import { copyOwn } from '../core/options.js';
import { checkShape, readMeta, type Shape, shapeOf, type Wanted, writeMeta } from './meta.js';
import type { Store } from './store.js';

/** A maker that said nothing for so long has died; another takes over. */
const lockMs = 10_000;
const pollMs = 50;

const rest = () => new Promise((resolve) => setTimeout(resolve, pollMs));

/** The right to make or clear a filter, which ends by itself. */
class Lock {
  readonly #store: Store;
  readonly #token = crypto.randomUUID();

  constructor(store: Store) {
    this.#store = store;
  }

  get #key(): string {
    return `${this.#store.name}:lock`;
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
  for (let shard = 0; shard < shape.shards; shard++) {
    if (!(await lock.renew())) return false;
    if (stage === 'clearing') await store.remove(store.keyOf(shard));
    else await store.checkUnused(shard, shape.blocks);
    await store.allocate(shard, shape.blocks);
  }
  if (!(await lock.renew())) return false;
  return store.set(store.metaKey, writeMeta(shape, 'ready'), 'XX');
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
    if (!(await holding(store, (lock) => finish(store, lock)))) await rest();
  }
}

/**
 * Empties every string. What is evicted, or lost, is made anew. It begins again where the lock was lost on the way: a
 * full server may evict that first, since it expires.
 */
export async function clearAll(store: Store, shape: Shape): Promise<void> {
  const clear = async (lock: Lock) => {
    await store.set(store.metaKey, writeMeta(shape, 'clearing'));
    return finish(store, lock);
  };
  while (!(await holding(store, clear))) await rest();
}
