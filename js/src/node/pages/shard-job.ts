// From lists to built pages on one machine, in little memory. The hashes go to disk in buckets, the distinct ones are
// counted, and the pages are built in order. Each step is in the journal.

import { join } from 'node:path';
import { setImmediate as rest } from 'node:timers/promises';
import { type PageBuilder, pagesFor } from '../../pages/index.js';
import type { MustHold } from '../files/locks.js';
import { CommandError, UsageError } from '../frame/errors.js';
import { startProgress } from '../frame/progress.js';
import type { Terminal } from '../frame/terminal.js';
import { gatherDistinct } from './hashes.js';
import { Journal, type ListName } from './journal.js';
import { hashList, type KeyRules } from './keys.js';
import { buildPage } from './pages.js';
import { hasPart, type PageRange, PartWriter, partFile } from './parts.js';
import { PageReader } from './reader.js';
import { type SpillIndex, SpillReader, type SpillShape, SpillWriter } from './spill.js';

/** Lists, and what becomes of them. */
export interface ShardJob {
  readonly lists: Readonly<Record<ListName, readonly string[]>>;
  readonly rules: KeyRules;
  readonly sipKey: Uint8Array | undefined;
  readonly builder: PageBuilder;
  readonly seed: bigint;
  /** Undefined where the keys decide. */
  readonly pages: number | undefined;
  readonly memoryBytes: number;
  /** Bytes of all lists; undefined where nobody knows beforehand. */
  readonly listBytes: number | undefined;
  /** Tells this job from another in the same folder. */
  readonly identity: string;
}

/** Pages that are built before a part is whole, and not built again. */
const PART_PAGES = 256;
/** Pages that are built before others have a turn: signals, the line of progress. */
const REST_PAGES = 16;

const listNames: readonly ListName[] = ['keys', 'excluded'];

/** Builds all pages into parts in the folder. Goes on where a run of the same job was killed. */
export async function shardPages(
  job: ShardJob,
  folder: string,
  terminal: Terminal,
  mustHold: MustHold,
): Promise<void> {
  const { journal, isNew } = await Journal.open(folder, job.identity, shapeOf(job), mustHold);
  const spills = new Map<ListName, SpillReader>();
  try {
    if (!isNew) terminal.note(`${folder}: goes on where an earlier run ended`);
    for (const list of namesOf(job)) {
      const index =
        journal.spillOf(list) ?? (await spillList(job, list, journal, folder, terminal));
      spills.set(list, new SpillReader(spillPath(folder, list), journal.shape, index));
    }
    const pages = await choosePages(job, spills, journal, terminal);
    await buildAll(job, spills, pages, folder, terminal, mustHold);
  } finally {
    for (const spill of spills.values()) spill.close();
    journal.close();
  }
}

const namesOf = ({ builder }: ShardJob): readonly ListName[] =>
  builder.isExact ? listNames : ['keys'];

const spillPath = (folder: string, list: ListName): string => join(folder, `${list}.spill`);

/** What a key takes in a list, about: so many buckets have as many keys as a processor's cache likes. */
const LINE_BYTES = 12;
const BUCKET_KEYS = 2 ** 16;
const MAX_BLOCK_KEYS = 4096;
const MIN_BLOCK_KEYS = 16;

/** A quarter of the memory is for blocks that wait; a bucket takes 24 bytes a key. */
function shapeOf({ listBytes = 2 ** 33, memoryBytes, seed, builder }: ShardJob): SpillShape {
  const most = Math.min(BUCKET_KEYS, memoryBytes / 64);
  const wanted = Math.min(2 ** 12, Math.ceil(listBytes / LINE_BYTES / most));
  const buckets = 2 ** Math.min(12, Math.max(6, 32 - Math.clz32(wanted)));
  const keys = Math.floor(memoryBytes / 4 / buckets / (builder.isMap ? 12 : 8));
  const blockKeys = Math.max(MIN_BLOCK_KEYS, Math.min(keys, MAX_BLOCK_KEYS));
  return { buckets, blockKeys, seed: String(seed), hasValues: builder.isMap };
}

/** Writes the hashes of a list to disk. */
async function spillList(
  { lists, rules, sipKey, builder }: ShardJob,
  list: ListName,
  journal: Journal,
  folder: string,
  terminal: Terminal,
): Promise<SpillIndex> {
  const writer = new SpillWriter(spillPath(folder, list), journal.shape);
  let isEmpty = true;
  try {
    const options = { isMap: builder.isMap, key: sipKey };
    for (const path of lists[list]) {
      for await (const batch of hashList(path, rules, options, terminal)) {
        writer.add(batch);
        isEmpty &&= batch.hashes.length === 0;
      }
    }
  } catch (error) {
    writer.close();
    throw error;
  }
  const index = writer.finish();
  if (isEmpty && list === 'keys') {
    throw new CommandError(`${lists[list].join(', ')}: an empty list: expected a key on each line`);
  }
  journal.add({ spilled: list, index });
  return index;
}

/** Counts the distinct keys bucket by bucket. */
async function count(spill: SpillReader, journal: Journal, terminal: Terminal): Promise<number> {
  const { buckets } = journal.shape;
  const done = journal.distinctKeys;
  const bar = startProgress(terminal, 'counting', 'keys', spill.stored);
  try {
    let read = 0;
    for (let bucket = done.length; bucket < buckets; bucket++) {
      const { hashes } = spill.read(bucket);
      journal.add({ distinct: gatherDistinct(hashes) });
      read += hashes.length;
      bar.update(read);
      await rest();
    }
  } finally {
    bar.stop();
  }
  return done.reduce((sum, keys) => sum + keys, 0);
}

type Spills = ReadonlyMap<ListName, SpillReader>;

/** The number of pages; the keys are counted where they decide. */
async function choosePages(
  { pages, builder }: ShardJob,
  spills: Spills,
  journal: Journal,
  terminal: Terminal,
): Promise<number> {
  if (pages === undefined) {
    const keys = await count(spills.get('keys') as SpillReader, journal, terminal);
    return pagesFor(keys, builder.bitsPerKey);
  }
  const most = totalOf(spills);
  if (pages <= most) return pages;
  throw new UsageError(`--pages ${pages}: expected at most one for each of ${most} keys`);
}

const totalOf = (spills: Spills): number =>
  [...spills.values()].reduce((sum, { keys }) => sum + keys, 0);

async function buildAll(
  { builder }: ShardJob,
  spills: Spills,
  pages: number,
  folder: string,
  terminal: Terminal,
  mustHold: MustHold,
): Promise<void> {
  const readers = [...spills.values()].map((spill) => new PageReader(spill, pages));
  const total = totalOf(spills);
  const bar = startProgress(terminal, 'building', 'keys', total);
  try {
    for (let first = 0; first < pages; first += PART_PAGES) {
      const range = { first, last: Math.min(first + PART_PAGES, pages) - 1 };
      if (await hasPart(folder, range)) continue;
      const target = partFile(folder, range, { isKept: false });
      try {
        const writer = new PartWriter(target, { facts: builder.facts, pages }, range);
        await buildPart(builder, readers, writer, range, (page) =>
          bar.update(Math.round((total * page) / pages)),
        );
        mustHold();
        await writer.finish();
      } catch (error) {
        target.abandon();
        throw error;
      }
    }
  } finally {
    bar.stop();
  }
}

async function buildPart(
  builder: PageBuilder,
  [keys, excluded]: readonly PageReader[],
  writer: PartWriter,
  { first, last }: PageRange,
  done: (page: number) => void,
): Promise<void> {
  for (let page = first; page <= last; page++) {
    const { hashes, values } = (keys as PageReader).read(page);
    const others = values ?? excluded?.read(page).hashes;
    await writer.add(buildPage(builder, page, hashes, others));
    if (page % REST_PAGES > 0) continue;
    done(page);
    await rest();
  }
}
