// Creates a filter in Redis: one process, the maker, creates the filter's strings, and all others wait for the maker.

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
/** If the maker records no step during this many polls (10 seconds), it counts as dead, and another takes over. */
const stalePolls = 200;
/** After this many polls without any step, even one of its own, a process concludes that Redis loses its writes. */
const mostPolls = stalePolls + 10;

/** Writes a field of `name:meta` unless it exists. Resolves to the meta, since another process may have been first. */
async function writeNew(store: Store, field: string, text: string): Promise<Meta | undefined> {
  await store.ask(store.metaKey, ['HSETNX', store.metaKey, field, text]);
  return store.meta();
}

/** Replaces the step of `from` by the next one. Resolves to the new meta; undefined if another process was first. */
async function enter(store: Store, from: Meta, stage: number, tag: number) {
  const next = { id: from.id, step: from.step + 1, stage, tag };
  // HSETNX's reply does not tell who was first, because a client may send a command twice.
  const meta = await writeNew(store, fieldOf(next), writeStep(next));
  if (meta?.step !== next.step || meta.tag !== tag) return undefined;
  await store.ask(store.metaKey, ['HDEL', store.metaKey, fieldOf(from)]);
  return meta;
}

/** Creates every string, with a new tag. Resolves to the ready meta; undefined if another process took over. */
async function make(store: Store, from: Meta, stage: number): Promise<Meta | undefined> {
  const tag = newTag();
  const { shards } = from.shape;
  const isNew = stage === 0;
  let last = from;
  try {
    // The first round checks that no string is in use or, when the filter is emptied, deletes the strings. The second
    // round deletes empty strings, and creates new ones. Without the first round, a new string could hide that Redis
    // lost a string with keys. Each turn records a step in the meta.
    for (let turn = 0; ; turn++) {
      const isEnd = turn === 2 * shards;
      const nextStage = isEnd ? stage + 1 : stage; // an odd stage: the filter is ready
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
    // Records the tag 0, so that other processes do not wait for this one.
    await enter(store, last, stage, 0).catch(() => {});
    throw error;
  }
}

/**
 * Sets the store's shape and state once all strings exist, whichever process created them. Creates the filter if it is
 * missing. If `emptied` (the expected shape) is passed, it empties the filter first. Rejects with ERR_TAMIS_UNAVAILABLE
 * if no process, not even this one, records a step for 10 seconds.
 */
export async function openShape(store: Store, wanted: Wanted, emptied?: Shape): Promise<void> {
  let stepToEmpty: string | undefined;
  let lastStep = 0;
  for (let polls = 0; polls < mostPolls; polls++) {
    let meta = await store.meta();
    if (meta === undefined) {
      // Loads the size formulas of `tamis`, which only the maker needs.
      const shape =
        emptied ?? newShape(wanted, (await import('../interop/redis-blocks.js')).blocksFor);
      meta = await writeNew(store, shapeField, writeShape(newTag(), shape)); // a random tag serves as the id
    }
    // The meta is still undefined if Redis lost the write.
    if (meta !== undefined) {
      checkShape(store.name, meta.shape, wanted);
      store.shape = meta.shape;
      // Only a later step restarts the wait. Otherwise replies with old steps could prolong the wait for ever.
      if (meta.step > lastStep) {
        polls = 0;
        lastStep = meta.step;
      }
      // Only the step found first needs emptying: if a later step is ready, another process emptied the filter.
      if (emptied) stepToEmpty ??= fieldOf(meta);
      const isDone = isReady(meta) && fieldOf(meta) !== stepToEmpty;
      const isOtherAtWork = !isReady(meta) && meta.tag !== 0 && polls < stalePolls;
      // Emptying begins at the next even stage.
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
