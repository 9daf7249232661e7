// Hashes the keys in a source, and reads the values of a map.

import { atIndex, typeError } from '../../core/errors.js';
import {
  checkIterable,
  type Key,
  keepEntry,
  type PackedKeys,
  packedOf,
  pin,
  tagOf,
} from '../../core/key-types.js';
import { joinBlocks } from '../../core/keys/blocks.js';
import { hashKeys } from '../../core/keys/hashing.js';
import { checkKeySource } from '../../core/keys/read-keys.js';
import { valuesOf } from '../../core/streams.js';
import { type BloomierEntry, Entries } from '../../filters/bloomier.js';
import type { HashedKeys, PagesItem, PagesSource } from '../options.js';
import type { PageBuilder } from './page-builder.js';

/** The number of keys that are collected before they are hashed. */
const BATCH_KEYS = 4096;

const isAsync = (source: unknown): source is AsyncIterable<PagesItem> | ReadableStream<PagesItem> =>
  'getReader' in Object(source) || Symbol.asyncIterator in Object(source);

/** Throws unless the value is a source of keys. Reads nothing from the source. */
export function checkedSource(source: unknown, what: string): PagesSource {
  if (isAsync(source)) checkKeySource(source, what);
  else if (packedOf(source) === undefined) checkIterable(source);
  return source as PagesSource;
}

/** Checks an item that contains hashes, and returns it; undefined if the item is a key or a batch of keys. */
function hashedOf(item: unknown, isMap: boolean): HashedKeys | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { hashes, values } = Object(item);
  if (tagOf(hashes) !== 'BigUint64Array') return undefined;
  const pinned: HashedKeys = {
    hashes: pin(hashes, 'hashes'),
    values: values && pin(values, 'values'),
  };
  // A map needs one value for each hash; other types need none.
  const expectedValues = isMap ? pinned.hashes.length : undefined;
  if (pinned.values?.length === expectedValues) return pinned;
  throw typeError(`expected ${isMap ? 'a value beside each hash' : 'hashes without values'}`);
}

function hashBatch(
  batch: readonly PagesItem[] | PackedKeys,
  { isMap, valueBits, shape: { secret } }: PageBuilder,
): HashedKeys {
  if (!isMap) return { hashes: hashKeys(batch as Key[], secret && { secret }) };
  const entries = new Entries(valueBits, secret);
  entries.add(batch as BloomierEntry[]);
  return { hashes: joinBlocks(entries.hashes), values: joinBlocks(entries.values) };
}

/** Yields the hashes of a source in batches. An error has the `index` of its key, from 0. */
export async function* hashSource(
  source: PagesSource,
  what: string,
  builder: PageBuilder,
  signal: AbortSignal | undefined,
): AsyncGenerator<HashedKeys> {
  let done = 0; // the number of keys
  const hash = (batch: readonly PagesItem[] | PackedKeys): HashedKeys => {
    try {
      return hashBatch(batch, builder);
    } catch (error) {
      const { index } = error as { index?: number };
      throw index === undefined ? error : atIndex(error as Error, done + index);
    } finally {
      done += batch.length;
    }
  };
  const packed = packedOf(source);
  const list = packed ? [packed] : source;
  const items = isAsync(source) ? valuesOf(source, signal, what) : list;
  let gathered: PagesItem[] = [];
  for await (const item of items as Iterable<PagesItem>) {
    // An item is a batch of hashes, a batch of keys, or a single key.
    const hashed = hashedOf(item, builder.isMap);
    const batch = hashed ? undefined : packedOf(item);
    if (!hashed && !batch) {
      gathered.push(keepEntry(item));
      if (gathered.length < BATCH_KEYS) continue;
    }
    if (gathered.length > 0) yield hash(gathered);
    gathered = [];
    if (batch) yield hash(batch);
    if (hashed) yield hashed;
    done += hashed?.hashes.length ?? 0;
  }
  if (gathered.length > 0) yield hash(gathered);
}
