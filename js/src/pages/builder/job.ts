// Runs one call of buildPages, alone in its folder and in little memory. It writes the hashes to disk in buckets, counts
// the distinct ones, builds the pages in order, and publishes them. The journal has each step.

import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as rest } from 'node:timers/promises';
import { rangeError } from '../../core/errors.js';
import { type MustHold, withLock } from '../../disk/index.js';
import { pagesFor } from '../layout.js';
import type { PagesManifest } from '../manifest.js';
import type { PagesSource } from '../options.js';
import { checkParts, publishPages } from './folder.js';
import { gatherDistinct } from './hashes.js';
import { Journal, type ListName } from './journal.js';
import { type Publication, type PublishSteps, readStanding } from './manifest-file.js';
import type { PageBuilder } from './page-builder.js';
import { findParts, hasPart, PartWriter, partFile, removeParts } from './parts.js';
import { hashSource } from './source.js';
import { PageReader, type SpillIndex, SpillReader, type SpillShape, SpillWriter } from './spill.js';

/** The keys of a job, and its options. */
interface Job {
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

/** Builds and publishes the pages. Throws ERR_TAMIS_UNAVAILABLE if another process builds in the folder. */
export async function buildInto(
  folder: string,
  job: Job,
  publication: Publication,
  options: Omit<PublishSteps, 'mustHold'>,
): Promise<PagesManifest> {
  // The build may take hours. A manifest that forbids a successor must fail before it.
  await readStanding(folder, publication);
  await mkdir(folder, { recursive: true });
  const { report, signal, keeps } = options;
  const spill = join(folder, '.spill');
  const old = `${spill}-old`;
  const run = async (mustHold: MustHold) => {
    const steps = { ...options, mustHold };
    try {
      await rm(old, { recursive: true, force: true });
      await buildParts(job, spill, steps);
      const parts = await findParts(spill);
      checkParts(parts, spill);
      const manifest = await publishPages(parts, folder, job.builder, publication, steps);
      mustHold();
      // Parts that `tamis pages` built there before are of an older list.
      await removeParts(folder);
      mustHold();
      // The folder is renamed in one step, so that no later run uses a half of it.
      await rename(spill, old);
      await rm(old, { recursive: true, force: true });
      return manifest;
    } catch (error) {
      if (!keeps) {
        // The folder is deleted only if this run still holds the lock.
        mustHold();
        await rm(spill, { recursive: true, force: true });
      }
      throw error;
    }
  };
  const onWait = (lock: string) => report({ step: 'waiting', done: 0, path: lock });
  return withLock(`${spill}.lock`, run, { waits: false, signal, onWait });
}

/** Builds all pages into parts in the folder. It continues a killed run of the same job. */
async function buildParts(job: Job, folder: string, steps: PublishSteps): Promise<void> {
  const { journal, isNew } = await Journal.open(folder, job.identity, shapeOf(job), steps.mustHold);
  const spills = new Map<ListName, SpillReader>();
  try {
    if (!isNew) steps.report({ step: 'resuming', done: 0, path: folder });
    const lists = job.builder.isExact ? (['keys', 'excluded'] as const) : (['keys'] as const);
    for (const list of lists) {
      const path = join(folder, `${list}.spill`);
      const index = journal.spills.get(list) ?? (await spillList(job, list, journal, path, steps));
      spills.set(list, new SpillReader(path, journal.shape, index));
    }
    const pages = await choosePages(job, spills, journal, steps);
    await buildAll(job, spills, pages, folder, steps);
  } finally {
    for (const spill of spills.values()) spill.close();
    journal.close();
  }
}

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
  path: string,
  { report, signal }: PublishSteps,
): Promise<SpillIndex> {
  const writer = new SpillWriter(path, journal.shape);
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
  const [keys, excluded] = [...spills.values()].map((spill) => new PageReader(spill, pages));
  const total = totalOf(spills);
  for (let first = 0; first < pages; first += PART_PAGES) {
    const range = { first, last: Math.min(first + PART_PAGES, pages) - 1 };
    if (hasPart(folder, range)) continue;
    const target = partFile(folder, range, { isKept: false });
    try {
      const writer = new PartWriter(target, { facts: builder.facts, pages, ...range });
      for (let page = first; page <= range.last; page++) {
        const others = excluded?.read(page).hashes;
        await writer.add(builder.build(page, (keys as PageReader).read(page), others));
        if (page % REST_PAGES > 0) continue;
        report({ step: 'building', done: Math.round((total * page) / pages), total });
        await rest();
      }
      mustHold();
      await writer.finish();
    } catch (error) {
      target.abandon();
      throw error;
    }
  }
}
