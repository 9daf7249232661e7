// Builds pages from keys on one machine, in little memory. It writes the hashes to disk in buckets, counts the distinct
// ones, and builds the pages in order. The journal has each step.

import { join } from 'node:path';
import { setImmediate as rest } from 'node:timers/promises';
import { rangeError } from '../../core/errors.js';
import { pagesFor } from '../layout.js';
import type { PagesSource } from '../options.js';
import { gatherDistinct } from './hashes.js';
import { Journal, type ListName } from './journal.js';
import type { PublishSteps } from './manifest-file.js';
import type { PageBuilder } from './page-builder.js';
import { hasPart, type PageRange, PartWriter, partFile } from './parts.js';
import { PageReader } from './reader.js';
import { hashSource } from './source.js';
import { type SpillIndex, SpillReader, type SpillShape, SpillWriter } from './spill.js';

/** The keys of a job, and its options. */
export interface Job {
  /** The keys; the excluded keys of an exact filter are in `excluded`. */
  readonly sources: { readonly [List in ListName]?: PagesSource };
  readonly sipKey: Uint8Array | undefined;
  readonly builder: PageBuilder;
  readonly seed: bigint;
  /** The number of pages; undefined if it depends on the number of keys. */
  readonly pages: number | undefined;
  readonly memoryBytes: number;
  /** The approximate number of keys of all sources; undefined if not known. */
  readonly expectedKeys: number | undefined;
  /** The identity of this job, against others in the same folder. */
  readonly identity: string;
}

/** The number of pages in a part, which is not built again once it is complete. */
const PART_PAGES = 256;
/** The number of pages between two pauses, in which signals and progress are handled. */
const REST_PAGES = 16;

/** Builds all pages into parts in the folder. It continues a killed run of the same job. */
export async function runJob(job: Job, folder: string, steps: PublishSteps): Promise<void> {
  const { journal, isNew } = await Journal.open(folder, job.identity, shapeOf(job), steps.mustHold);
  const spills = new Map<ListName, SpillReader>();
  try {
    if (!isNew) steps.report({ step: 'resuming', done: 0, path: folder });
    for (const list of namesOf(job)) {
      const index =
        journal.spills.get(list) ?? (await spillList(job, list, journal, folder, steps));
      spills.set(list, new SpillReader(spillPath(folder, list), journal.shape, index));
    }
    const pages = await choosePages(job, spills, journal, steps);
    await buildAll(job, spills, pages, folder, steps);
  } finally {
    for (const spill of spills.values()) spill.close();
    journal.close();
  }
}

const namesOf = ({ builder }: Job): readonly ListName[] =>
  builder.isExact ? ['keys', 'excluded'] : ['keys'];

const spillPath = (folder: string, list: ListName): string => join(folder, `${list}.spill`);

/** The number of keys of a bucket that fit in a processor's cache. */
const BUCKET_KEYS = 2 ** 16;
const MAX_BLOCK_KEYS = 4096;
const MIN_BLOCK_KEYS = 16;

/** The shape of a spill. A quarter of the memory is for blocks in progress; a bucket takes 24 bytes per key. */
function shapeOf({ expectedKeys = 2 ** 30, memoryBytes, seed, builder }: Job): SpillShape {
  const most = Math.min(BUCKET_KEYS, memoryBytes / 64);
  const wanted = Math.min(2 ** 12, Math.ceil(expectedKeys / most));
  const buckets = 2 ** Math.min(12, Math.max(6, 32 - Math.clz32(wanted)));
  const keys = Math.floor(memoryBytes / 4 / buckets / (builder.isMap ? 12 : 8));
  const blockKeys = Math.max(MIN_BLOCK_KEYS, Math.min(keys, MAX_BLOCK_KEYS));
  return { buckets, blockKeys, seed: String(seed), hasValues: builder.isMap };
}

/** Writes the hashes of a source to disk. */
async function spillList(
  { sources, sipKey, builder }: Job,
  list: ListName,
  journal: Journal,
  folder: string,
  { report, signal }: PublishSteps,
): Promise<SpillIndex> {
  const writer = new SpillWriter(spillPath(folder, list), journal.shape);
  try {
    const source = sources[list] as PagesSource;
    for await (const batch of hashSource(source, list, builder, sipKey, signal)) {
      writer.add(batch);
      report({ step: 'reading', done: writer.keys });
      await rest();
    }
  } catch (error) {
    writer.close();
    throw error;
  }
  const index = writer.finish();
  if (index.keys === 0 && list === 'keys') throw rangeError('buildPages: expected a key, got none');
  journal.add({ spilled: list, index });
  return index;
}

/** Counts the distinct keys bucket by bucket. */
async function count(spill: SpillReader, journal: Journal, steps: PublishSteps): Promise<number> {
  const { buckets } = journal.shape;
  const done = journal.distinctKeys;
  let read = 0;
  for (let bucket = done.length; bucket < buckets; bucket++) {
    const { hashes } = spill.read(bucket);
    journal.add({ distinct: gatherDistinct(hashes) });
    read += hashes.length;
    steps.report({ step: 'counting', done: read, total: spill.stored });
    await rest();
  }
  return done.reduce((sum, keys) => sum + keys, 0);
}

type Spills = ReadonlyMap<ListName, SpillReader>;

/** The number of pages. The keys are counted if it depends on them. */
async function choosePages(
  { pages, builder }: Job,
  spills: Spills,
  journal: Journal,
  steps: PublishSteps,
): Promise<number> {
  if (pages === undefined) {
    const keys = await count(spills.get('keys') as SpillReader, journal, steps);
    return pagesFor(keys, builder.bitsPerKey);
  }
  const most = totalOf(spills);
  if (pages <= most) return pages;
  throw rangeError(`\`pages\` ${pages}: expected at most one for each of ${most} keys`);
}

const totalOf = (spills: Spills): number =>
  [...spills.values()].reduce((sum, { keys }) => sum + keys, 0);

async function buildAll(
  { builder }: Job,
  spills: Spills,
  pages: number,
  folder: string,
  { report, mustHold }: PublishSteps,
): Promise<void> {
  const readers = [...spills.values()].map((spill) => new PageReader(spill, pages));
  const total = totalOf(spills);
  const reportPage = (page: number) =>
    report({ step: 'building', done: Math.round((total * page) / pages), total });
  for (let first = 0; first < pages; first += PART_PAGES) {
    const range = { first, last: Math.min(first + PART_PAGES, pages) - 1 };
    if (await hasPart(folder, range)) continue;
    const target = partFile(folder, range, { isKept: false });
    try {
      const writer = new PartWriter(target, { facts: builder.facts, pages }, range);
      await buildPart(builder, readers, writer, range, reportPage);
      mustHold();
      await writer.finish();
    } catch (error) {
      target.abandon();
      throw error;
    }
  }
}

async function buildPart(
  builder: PageBuilder,
  [keys, excluded]: readonly PageReader[],
  writer: PartWriter,
  { first, last }: PageRange,
  reportPage: (page: number) => void,
): Promise<void> {
  for (let page = first; page <= last; page++) {
    const { hashes, values } = (keys as PageReader).read(page);
    const others = values ?? excluded?.read(page).hashes;
    await writer.add(builder.build(page, hashes, others));
    if (page % REST_PAGES > 0) continue;
    reportPage(page);
    await rest();
  }
}
