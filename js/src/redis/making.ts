// How a filter comes to be in Redis: one process makes its strings, and all others wait for it.

import { copyOwn } from '../core/options.js';
import { unavailableError } from '../core/requests.js';
import {
  checkShape,
  fieldOf,
  incompatible,
  type Meta,
  newTag,
  type Shape,
  type Stage,
  shapeField,
  shapeOf,
  type Wanted,
  writeShape,
  writeStep,
} from './meta.js';
import type { Store } from './store.js';

/** A maker that said nothing for so long has died; another takes over. */
const lockMs = 10_000;
const pollMs = 50;
/** So often does a process begin, or find nobody at work. More is no bad luck: what is written is not there. */
const mostRounds = 100;

const lockKeyOf = ({ name }: Store) => `${name}:lock`;

/** The right to make or clear a filter, which ends by itself. It saves work; who comes late without it does no harm. */
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

type Act = (lock: Lock) => Promise<Meta | undefined>;

/** Runs `act` while the lock is held: what it gives; undefined where another has the lock. */
async function holding(store: Store, act: Act): Promise<Meta | undefined> {
  const lock = new Lock(store);
  if (!(await lock.take())) return undefined;
  try {
    return await act(lock);
  } finally {
    await lock.release();
  }
}

/**
 * Runs `act` until it gives a meta, with rests between. INCOMPATIBLE for a lock that does not end as a lock does, and
 * UNAVAILABLE where nobody gets on.
 */
async function untilReady(store: Store, act: () => Promise<Meta | undefined>): Promise<Meta> {
  const key = lockKeyOf(store);
  for (let left = mostRounds; left > 0; ) {
    const meta = await act();
    if (meta !== undefined) return meta;
    const leftMs = await store.number(key, 'PTTL');
    if (leftMs === -1 || leftMs > lockMs) {
      throw incompatible(store.name, `${key} is something else than a lock`);
    }
    // Who has the lock may take its time.
    if (leftMs < 0) left--;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw unavailableError(`${store.metaKey}: what was written is not there; does a replica answer?`);
}

/** Names the shape of a filter that is not there yet. What is there then: another may have been first. */
async function found(store: Store, shape: Shape): Promise<Meta | undefined> {
  await store.note(shapeField, writeShape(newTag(), shape));
  return store.meta();
}

/** Enters a stage, and forgets the step before. What is there then; undefined where another was first. */
async function enter(
  store: Store,
  from: Meta,
  stage: Stage,
  tag: number,
): Promise<Meta | undefined> {
  const next = { id: from.id, step: from.step + 1, stage, tag };
  await store.note(fieldOf(next), writeStep(next));
  // The reply says less: a client may send a command twice.
  const meta = await store.meta();
  if (meta?.tag !== tag || meta.step !== next.step) return undefined;
  await store.forget(fieldOf(from));
  return meta;
}

/** Enters a stage in which every string is made with a tag of its own. */
const begin = (store: Store, from: Meta, stage: Stage) => enter(store, from, stage, newTag());

/** Makes every string, as the stage says. The meta that is ready; undefined where the lock was lost before. */
async function make(store: Store, lock: Lock, begun: Meta): Promise<Meta | undefined> {
  const { stage, tag } = begun;
  const { shards, blocks } = begun.shape;
  const forEachShard = async (act: (shard: number) => Promise<void>) => {
    for (let shard = 0; shard < shards; shard++) {
      if (!(await lock.renew())) return false;
      await act(shard);
    }
    return true;
  };
  // Each before the first is made: one that was lost, and is made again, would call its keys absent.
  const prepare = (shard: number) =>
    stage === 'making' ? store.checkUnused(shard, blocks) : store.remove(store.keyOf(shard));
  const isDone =
    (await forEachShard(prepare)) &&
    (await forEachShard((shard) => store.allocate(shard, blocks, tag)));
  return isDone ? enter(store, begun, 'ready', tag) : undefined;
}

/** Brings the formulas of `tamis`, which only who makes a filter needs. */
const importBlocks = () => import('../interop/redis-blocks.js');

/** The filter's shape, once all of its strings are there; makes it where there is none. */
export async function openShape(store: Store, wanted: Wanted): Promise<Shape> {
  const ready = await untilReady(store, async () => {
    let meta = await store.meta();
    if (meta === undefined) {
      const { blocksFor } = await importBlocks();
      meta = await found(store, copyOwn(shapeOf(wanted, blocksFor)));
    }
    if (meta === undefined) return undefined;
    checkShape(store.name, meta.shape, wanted);
    if (meta.stage === 'ready') return meta;
    return holding(store, async (lock) => {
      // Another may have finished it, or taken it away.
      const now = await store.meta();
      const begun = now && now.stage !== 'ready' && (await begin(store, now, now.stage));
      return begun ? make(store, lock, begun) : undefined;
    });
  });
  store.hold(ready);
  return ready.shape;
}

/**
 * Empties every string. What is evicted, or lost, is made anew. It goes on where the lock was lost on the way: a full
 * server may evict that first, since it expires. LOST where another then finished first, and a command of this process
 * came too late for a string.
 */
export async function clearAll(store: Store, shape: Shape): Promise<void> {
  let isBegun = false;
  let byAnother = false;
  const cleared = await untilReady(store, () =>
    holding(store, async (lock) => {
      const meta = (await store.meta()) ?? (await found(store, shape));
      if (meta === undefined) return undefined;
      if (writeShape(0, meta.shape) !== writeShape(0, shape)) {
        throw incompatible(store.name, 'it was made anew in another shape; open it again');
      }
      // Another has finished it: the keys that are there came later.
      byAnother = isBegun && meta.stage === 'ready';
      if (byAnother) return meta;
      const begun = await begin(store, meta, 'clearing');
      if (begun === undefined) return undefined;
      isBegun = true;
      return make(store, lock, begun);
    }),
  );
  store.hold(cleared);
  for (let shard = 0; byAnother && shard < shape.shards; shard++) {
    await store.tagOf(shard, shape.blocks);
  }
}
