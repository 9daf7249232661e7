// How a filter comes to be in Redis: one process makes its strings, and all others wait for it.

import { unavailableError } from '../core/requests.js';
import {
  checkShape,
  fieldOf,
  isReady,
  type Meta,
  newTag,
  type Shape,
  type Stage,
  shapeField,
  shapeOf,
  shardTag,
  type Wanted,
  writeShape,
  writeStep,
} from './meta.js';
import type { Store } from './store.js';

const pollMs = 50;
/** A maker that entered no step in so many looks, 10 seconds, has died; another takes over. */
const stalePolls = 200;
/** Who looks so often, and sees no step of its own either, writes what is not there. */
const mostPolls = stalePolls + 10;

/** Writes a field of the meta, unless it is there. What the meta says then: another may have been first. */
async function note(store: Store, field: string, text: string): Promise<Meta | undefined> {
  await store.ask(store.metaKey, ['HSETNX', store.metaKey, field, text]);
  return store.meta();
}

/** Enters the next step, and forgets the one before. What is there then; undefined where another was first. */
async function enter(
  store: Store,
  from: Meta,
  stage: Stage,
  tag: number,
): Promise<Meta | undefined> {
  const next = { id: from.id, step: from.step + 1, stage, tag };
  // Not what HSETNX answers: a client may send a command twice.
  const meta = await note(store, fieldOf(next), writeStep(next));
  if (meta?.step !== next.step || meta.tag !== tag) return undefined;
  await store.ask(store.metaKey, ['HDEL', store.metaKey, fieldOf(from)]);
  return meta;
}

/** Makes every string, with a tag of its own. The meta that is ready; undefined where another took over. */
async function make(store: Store, from: Meta, stage: Stage): Promise<Meta | undefined> {
  const tag = newTag();
  const { shards, blocks } = from.shape;
  let at = from;
  try {
    for (let i = 0; ; i++) {
      const isLast = i === 2 * shards;
      const entered = await enter(store, at, isLast ? stage + 1 : stage, tag);
      if (isLast || entered === undefined) return entered;
      at = entered;
      const shard = i % shards;
      // All others before the first is made: one that was lost, and is made again, would call its keys absent.
      const isPrepared = i >= shards;
      if (stage === 0) await store.checkUnused(shard, blocks, isPrepared);
      else if (!isPrepared) await store.remove(store.keyOf(shard));
      if (isPrepared) await store.allocate(shard, blocks, shardTag(tag, shard));
    }
  } catch (error) {
    // So that nobody waits for this process.
    await enter(store, at, stage, 0).catch(() => {});
    throw error;
  }
}

/**
 * The filter's shape, once all of its strings are there, by this process or by another; made where there is none. With
 * `emptied`, the shape that it must have, it is emptied before. UNAVAILABLE where nobody gets on.
 */
export async function openShape(store: Store, wanted: Wanted, emptied?: Shape): Promise<Shape> {
  let first = '';
  let last = 0;
  for (let polls = 0; polls < mostPolls; polls++) {
    let meta = await store.meta();
    if (meta === undefined) {
      // The formulas of `tamis`, which only who makes a filter needs.
      const shape =
        emptied ?? shapeOf(wanted, (await import('../interop/redis-blocks.js')).blocksFor);
      meta = await note(store, shapeField, writeShape(newTag(), shape));
    }
    if (meta !== undefined) {
      checkShape(store.name, meta.shape, wanted);
      // Only forwards: replies that are old must not go on for ever.
      if (meta.step > last) {
        polls = 0;
        last = meta.step;
      }
      // A later one that is ready was emptied since.
      first ||= emptied ? fieldOf(meta) : '-';
      let ready: Meta | undefined = meta;
      if (!isReady(meta) || fieldOf(meta) === first) {
        const isIdle = isReady(meta) || meta.tag === 0 || polls >= stalePolls;
        const stage = emptied ? meta.stage + 2 - (meta.stage % 2) : meta.stage;
        ready = isIdle ? await make(store, meta, stage) : undefined;
      }
      if (ready !== undefined) {
        store.hold(ready);
        return ready.shape;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw unavailableError(`Redis loses what is written to ${store.name}`);
}

/**
 * Empties every string, or waits for another who does. What is evicted, or lost, is made anew. LOST where a command of
 * another came too late for a string.
 */
export async function clearAll(store: Store, shape: Shape): Promise<void> {
  await openShape(store, shape, shape);
  for (let shard = 0; shard < shape.shards; shard++) await store.tagOf(shard, shape.blocks);
}
