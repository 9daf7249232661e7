// Creates a filter in Redis: one process makes its strings, and all others wait.

import { unavailableError } from '../core/requests.js';
import {
  checkShape,
  fieldOf,
  isReady,
  type Meta,
  newShape,
  newTag,
  type Shape,
  shapeField,
  shardTag,
  type Wanted,
  writeShape,
  writeStep,
} from './meta.js';
import type { Store } from './store.js';

const pollMs = 50;
/** If a maker enters no step in this many polls (10 seconds), it counts as dead. Another process takes over. */
const stalePolls = 200;
/** After this many polls without a step, its own ones too, a process concludes that Redis loses its writes. */
const mostPolls = stalePolls + 10;

/** Writes a field of the meta, unless it exists. Resolves to the meta: another process may have been first. */
async function writeNew(store: Store, field: string, text: string): Promise<Meta | undefined> {
  await store.ask(store.metaKey, ['HSETNX', store.metaKey, field, text]);
  return store.meta();
}

/** Replaces the step of `from` by the next one. Resolves to the new meta; undefined if another process was first. */
async function enter(store: Store, from: Meta, stage: number, tag: number) {
  const next = { id: from.id, step: from.step + 1, stage, tag };
  // HSETNX's own reply does not count: a client may send a command twice.
  const meta = await writeNew(store, fieldOf(next), writeStep(next));
  if (meta?.step !== next.step || meta.tag !== tag) return undefined;
  await store.ask(store.metaKey, ['HDEL', store.metaKey, fieldOf(from)]);
  return meta;
}

/** Makes every string, with a new tag. Resolves to the ready meta; undefined if another process took over. */
async function make(store: Store, from: Meta, stage: number): Promise<Meta | undefined> {
  const tag = newTag();
  const { shards } = from.shape;
  const isNew = stage === 0;
  let last = from;
  try {
    // The first round checks that all strings are unused, or removes them if the filter is emptied. The second deletes
    // empty strings, and makes new ones. Without the check, a new string could hide that Redis lost one with keys. Each
    // turn enters a step of the meta.
    for (let turn = 0; ; turn++) {
      const isEnd = turn === 2 * shards;
      const nextStage = isEnd ? stage + 1 : stage; // + 1: ready
      const entered = await enter(store, last, nextStage, tag);
      if (isEnd || entered === undefined) return entered;
      last = entered;
      const shard = turn % shards;
      const isSecondRound = turn >= shards;
      if (isNew) await store.checkUnused(shard, isSecondRound);
      else if (!isSecondRound) await store.remove(store.keyOf(shard));
      if (isSecondRound) await store.allocate(shard, shardTag(tag, shard));
    }
  } catch (error) {
    // The tag 0 tells the other processes not to wait for this one.
    await enter(store, last, stage, 0).catch(() => {});
    throw error;
  }
}

/**
 * Sets the store's shape and state, once this or another process has made all of its strings. It makes a missing
 * filter. With `emptied`, the shape to expect, it first empties the filter. Rejects with ERR_TAMIS_UNAVAILABLE if no
 * process enters a step for 10 seconds, not even this one.
 */
export async function openShape(store: Store, wanted: Wanted, emptied?: Shape): Promise<void> {
  let stepToEmpty: string | undefined;
  let lastStep = 0;
  for (let polls = 0; polls < mostPolls; polls++) {
    let meta = await store.meta();
    if (meta === undefined) {
      // The formulas of `tamis`. Only the maker of a filter needs them.
      const shape =
        emptied ?? newShape(wanted, (await import('../interop/redis-blocks.js')).blocksFor);
      meta = await writeNew(store, shapeField, writeShape(newTag(), shape)); // the tag is the id
    }
    // If Redis lost the write, there is still none.
    if (meta !== undefined) {
      checkShape(store.name, meta.shape, wanted);
      store.shape = meta.shape;
      // Only forward steps count: stale replies must not prolong the wait for ever.
      if (meta.step > lastStep) {
        polls = 0;
        lastStep = meta.step;
      }
      // Only the first step is emptied: if the meta is ready at a later one, another process has emptied the filter.
      if (emptied) stepToEmpty ??= fieldOf(meta);
      const isDone = isReady(meta) && fieldOf(meta) !== stepToEmpty;
      const isOtherAtWork = !isReady(meta) && meta.tag !== 0 && polls < stalePolls;
      // Emptying takes the next even stage.
      const stage = emptied ? meta.stage + 2 - (meta.stage % 2) : meta.stage;
      let ready = isDone ? meta : undefined;
      if (!isDone && !isOtherAtWork) ready = await make(store, meta, stage);
      if (ready !== undefined) {
        store.state = ready;
        return;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw unavailableError(`Redis loses writes to ${store.name}`);
}
