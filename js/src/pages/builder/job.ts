// Runs one call of buildPages with little memory, while no other call works in the folder. It writes the hashes to disk
// in buckets, counts the distinct ones, builds the pages in order, and publishes them. A journal records each step.

import { closeSync, fsyncSync, openSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { rangeError } from '../../core/errors.js';
import { type MustHold, onFile, readIfThere, withLock } from '../../disk/index.js';
import { pagesFor } from '../layout.js';
import type { PagesManifest } from '../manifest.js';
import type { PagesSource } from '../options.js';
import {
  checkParts,
  type Publication,
  type PublishSteps,
  publishPages,
  readStanding,
} from './folder.js';
import type { PageBuilder } from './page-builder.js';
import { findParts, hasPart, PartWriter, partFile, removeParts, writeAll } from './parts.js';
import { hashSource } from './source.js';
import {
  gatherDistinct,
  PageReader,
  type SpillIndex,
  SpillReader,
  type SpillShape,
  SpillWriter,
} from './spill.js';

/** The two lists of an exact filter; other types have only `keys`. */
type ListName = 'keys' | 'excluded';

/** A line of the journal: the hashes of a list are on disk, or the distinct keys of a bucket were counted. */
type Step =
  | { readonly spilled: ListName; readonly index: SpillIndex }
  | { readonly distinct: number };

interface Head {
  /** Identifies the job by its lists and options. */
  readonly job: string;
  readonly shape: SpillShape;
  /** When the machine started, in seconds. No job continues after a restart: a power cut can lose unflushed data. */
  readonly boot: number;
}

/** How far the clock may change between two runs. No machine starts twice within this time. */
const BOOT_SLACK_S = 30;

const bootTime = (): number => Math.round(Date.now() / 1000 - uptime());

/** The journal of a job: one line of JSON for each completed step, so that a killed job can continue. */
class Journal {
  readonly shape: SpillShape;
  /** False if a job is continued. */
  readonly isNew: boolean;
  /** For each list whose hashes are on disk: where they are. */
  readonly spills = new Map<ListName, SpillIndex>();
  /** The number of distinct keys in each bucket counted so far. */
  readonly distinctKeys: number[] = [];
  readonly #path: string;
  readonly #file: number;
  readonly #mustHold: MustHold;

  private constructor(path: string, shape: SpillShape, isNew: boolean, mustHold: MustHold) {
    this.shape = shape;
    this.isNew = isNew;
    this.#mustHold = mustHold;
    this.#path = path;
    this.#file = openSync(path, 'a');
  }

  /** Continues the job in a folder, or deletes another job there and begins. `mustHold` is called before each step. */
  static async open(
    folder: string,
    job: string,
    shape: SpillShape,
    mustHold: MustHold,
  ): Promise<Journal> {
    const path = join(folder, 'journal');
    const [head, ...oldSteps] = await readLines(path);
    const isSame = head?.job === job && Math.abs(head.boot - bootTime()) <= BOOT_SLACK_S;
    mustHold();
    if (!isSame) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
    }
    const steps = isSame ? oldSteps : [];
    const first: Head = isSame ? head : { job, shape, boot: bootTime() };
    // The journal is rewritten, because a killed job may have left half a line at its end.
    await writeFile(path, [first, ...steps].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const journal = new Journal(path, first.shape, !isSame, mustHold);
    for (const step of steps) journal.#take(step);
    return journal;
  }

  add(step: Step): void {
    this.#mustHold();
    const line = Buffer.from(`${JSON.stringify(step)}\n`);
    onFile(this.#path, () => writeAll(this.#file, line));
    this.#take(step);
  }

  close(): void {
    try {
      onFile(this.#path, () => fsyncSync(this.#file));
    } finally {
      closeSync(this.#file);
    }
  }

  #take(step: Step): void {
    if ('spilled' in step) this.spills.set(step.spilled, step.index);
    else this.distinctKeys.push(step.distinct);
  }
}

/** Reads the complete lines of a journal. */
async function readLines(path: string): Promise<[head?: Head, ...steps: Step[]]> {
  const text = String((await readIfThere(path)) ?? '');
  const lines: [head?: Head, ...steps: Step[]] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    try {
      lines.push(JSON.parse(line));
    } catch {
      break;
    }
  }
  return lines;
}

interface Job {
  /** The keys, then the excluded keys of an exact filter. */
  readonly sources: readonly (readonly [list: ListName, source: PagesSource])[];
  readonly builder: PageBuilder;
  /** The number of pages; undefined if the number of keys decides it. */
  readonly pages: number | undefined;
  readonly memoryBytes: number;
  /** The approximate number of keys in all sources; undefined if unknown. */
  readonly expectedKeys: number | undefined;
  /** Distinguishes this job from others in the same folder. */
  readonly identity: string;
}

/** The number of pages in a part. A complete part is not built again. */
const PART_PAGES = 256;
/** The number of pages between two pauses, in which Node handles signals and progress. */
const PAUSE_PAGES = 16;

/** Builds and publishes the pages. Throws ERR_TAMIS_UNAVAILABLE if another process builds in the folder. */
export async function buildInto(
  folder: string,
  job: Job,
  publication: Publication,
  options: Omit<PublishSteps, 'mustHold'>,
): Promise<PagesManifest> {
  // The build may take hours, so a manifest that must not be replaced is refused before it.
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
      // Parts that an earlier `tamis pages` built there belong to an older list.
      await removeParts(folder);
      mustHold();
      // Renaming the folder is one step, so that no later run finds half of it.
      await rename(spill, old);
      await rm(old, { recursive: true, force: true });
      return manifest;
    } catch (error) {
      if (!keeps) {
        // Deletes the folder only if this run still owns the lock.
        mustHold();
        await rm(spill, { recursive: true, force: true });
      }
      throw error;
    }
  };
  const onWait = (lock: string) => report({ step: 'waiting', done: 0, path: lock });
  return withLock(`${spill}.lock`, run, { waits: false, signal, onWait });
}

/** Builds all pages into parts in the folder, or continues a killed run of the same job. */
async function buildParts(job: Job, folder: string, steps: PublishSteps): Promise<void> {
  const journal = await Journal.open(folder, job.identity, shapeOf(job), steps.mustHold);
  const spills: SpillReader[] = [];
  try {
    if (!journal.isNew) steps.report({ step: 'resuming', done: 0, path: folder });
    for (const [list, source] of job.sources) {
      spills.push(await spillList(job.builder, source, list, folder, journal, steps));
    }
    const [keySpill] = spills;
    const pages =
      job.pages ??
      pagesFor(await count(keySpill as SpillReader, journal, steps), job.builder.bitsPerKey);
    const total = spills.reduce((sum, { keys }) => sum + keys, 0);
    if (pages > total) {
      throw rangeError(`\`pages\` ${pages}: expected at most ${total}, one per key`);
    }
    const readers = spills.map((spill) => new PageReader(spill, pages));
    await buildAll(job.builder, readers, { pages, total }, folder, steps);
  } finally {
    for (const spill of spills) spill.close();
    journal.close();
  }
}

/** The number of keys in a bucket that fits in a processor's cache. */
const BUCKET_KEYS = 2 ** 16;
const MAX_BLOCK_KEYS = 4096;
const MIN_BLOCK_KEYS = 16;

/** The shape of a file of hashes. 1/4 of the memory is for unwritten blocks, 3/4 for two buckets, 24 bytes per key. */
function shapeOf({ expectedKeys = 2 ** 30, memoryBytes, builder }: Job): SpillShape {
  const mostBucketKeys = Math.min(BUCKET_KEYS, memoryBytes / 64); // 3/4 of the memory / (2 * 24)
  const leastBuckets = Math.min(2 ** 12, Math.ceil(expectedKeys / mostBucketKeys));
  // A power of two from 2^6 to 2^12, and above `leastBuckets` if possible.
  const buckets = 2 ** Math.min(12, Math.max(6, 32 - Math.clz32(leastBuckets)));
  const fittingKeys = Math.floor(memoryBytes / 4 / buckets / (builder.isMap ? 12 : 8));
  const blockKeys = Math.max(MIN_BLOCK_KEYS, Math.min(fittingKeys, MAX_BLOCK_KEYS));
  return { buckets, blockKeys, seed: String(builder.shape.seed ?? 0n), hasValues: builder.isMap };
}

/** Writes the hashes of a source to disk, unless a killed run already did. */
async function spillList(
  builder: PageBuilder,
  source: PagesSource,
  list: ListName,
  folder: string,
  journal: Journal,
  { report, signal }: PublishSteps,
): Promise<SpillReader> {
  const path = join(folder, `${list}.spill`);
  let index = journal.spills.get(list);
  if (index === undefined) {
    const writer = new SpillWriter(path, journal.shape);
    try {
      for await (const batch of hashSource(source, list, builder, signal)) {
        writer.add(batch);
        report({ step: 'reading', done: writer.keys });
        await pause();
      }
      if (writer.keys === 0 && list === 'keys') {
        throw rangeError('buildPages: expected a key, got none');
      }
      index = writer.finish();
      journal.add({ spilled: list, index });
    } finally {
      writer.close();
    }
  }
  return new SpillReader(path, journal.shape, index);
}

/** Counts the distinct keys bucket by bucket. */
async function count(spill: SpillReader, journal: Journal, steps: PublishSteps): Promise<number> {
  const { buckets } = journal.shape;
  const counted = journal.distinctKeys;
  let read = 0;
  for (let bucket = counted.length; bucket < buckets; bucket++) {
    const { hashes } = spill.read(bucket);
    journal.add({ distinct: gatherDistinct({ hashes }) }); // appends to `counted`
    read += hashes.length;
    steps.report({ step: 'counting', done: read, total: spill.stored });
    await pause();
  }
  return counted.reduce((sum, keys) => sum + keys, 0);
}

/** Builds the parts that are not in the folder yet. */
async function buildAll(
  builder: PageBuilder,
  [keys, excluded]: readonly PageReader[],
  { pages, total }: { readonly pages: number; readonly total: number },
  folder: string,
  { report, mustHold }: PublishSteps,
): Promise<void> {
  for (let first = 0; first < pages; first += PART_PAGES) {
    const range = { first, last: Math.min(first + PART_PAGES, pages) - 1 };
    if (hasPart(folder, range)) continue;
    const target = partFile(folder, range, { isKept: false });
    try {
      const writer = new PartWriter(target, { facts: builder.facts, pages, ...range });
      for (let page = first; page <= range.last; page++) {
        const others = excluded?.read(page).hashes;
        await writer.add(builder.build(page, (keys as PageReader).read(page), others));
        if (page % PAUSE_PAGES > 0) continue;
        report({ step: 'building', done: Math.round((total * page) / pages), total });
        await pause();
      }
      mustHold();
      await writer.finish();
    } catch (error) {
      target.abandon();
      throw error;
    }
  }
}
