// Stores built pages in part files before all pages exist. A file has the pages without gaps, JSON about them, the
// length of the JSON, the SHA-256 of everything before, and a fixed mark. All that is at the end, so that a file can be
// written to a pipe, and a truncated file is detected. Other damage is detected after the last page. Pages are not
// padded yet, because their final length depends on the number of keys in the whole set.

import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mustBe } from '../../core/errors.js';
import { GrowingBytes } from '../../core/growing-bytes.js';
import { integer, oneOf, type Reader, text } from '../../core/options.js';
import { instant, readRecord } from '../../core/signed/fields.js';
import {
  aboutFile,
  FileError,
  ignoreAbsence,
  onFile,
  readIfThere,
  writeAtomically,
} from '../../disk/index.js';
import { digestBytes, mostPages } from '../layout.js';
import type { BuiltPage } from './page-builder.js';

/** The options that all pages of a set share. */
export type PageFacts = Readonly<Record<string, string | number>>;

const count = integer(0);

const counts: Reader<readonly number[]> = (value, name) => {
  if (!Array.isArray(value)) throw mustBe('an array', name, value);
  return value.map((one) => count(one, name));
};

const facts: Reader<PageFacts> = (value, name) => {
  if (typeof value !== 'object' || value === null) throw mustBe('an object', name, value);
  return { ...value };
};

/** Where a part comes from: its records, and the time of its build. */
export interface Origin extends Readonly<ReturnType<typeof readOrigin>> {}

const readOrigin = readRecord({
  /** The name of the list. */
  name: text,
  /** The id of the run. All parts of a run have keys from the same list. */
  run: text,
  /** The time at which the part's build began. */
  built: instant,
  /** The number of records (lines of `tamis hash`) in the part, and the SHA-256 of these lines. */
  records: count,
  digest: text,
  /** The sum of the counts in the last lines of all runs of `tamis hash`, and a digest of these closing lines. */
  hashed: count,
  closing: text,
});

const FORMAT = 'tamis-pages-part-1';

interface PartFields extends Readonly<ReturnType<typeof readAllFields>> {}

const readAllFields = readRecord({
  format: oneOf([FORMAT]),
  facts,
  /** Undefined if only one process uses the part. */
  origin: (value, name) => (value === undefined ? value : readOrigin(value, name)),
  /** The number of pages of the whole set. */
  pages: integer(1, mostPages),
  first: count,
  last: count,
  /** For each page: the bytes of its file, its distinct keys, and its excluded keys. */
  sizes: counts,
  keys: counts,
  excluded: counts,
});

export interface BuiltPart extends PartFields {
  readonly path: string;
  /** Identifies the file, so that a replacement of it is noticed. */
  readonly identity: string;
}

export type PageRange = Pick<PartFields, 'first' | 'last'>;

const ENDING = '.part';
const MARK = Buffer.from('TMSPART\n');
/** The size in bytes of the digest and the mark at the end of a file. */
const SEAL_BYTES = digestBytes + MARK.length;
/** The size in bytes of everything after the JSON: its length, the digest and the mark. */
const TAIL_BYTES = 8 + SEAL_BYTES;

const digits = (page: number): string => String(page).padStart(10, '0');
const nameOf = ({ first, last }: PageRange): string =>
  `part-${digits(first)}-${digits(last)}${ENDING}`;

/** The number of bytes to collect before a write, and to read at once. */
const BUFFER_BYTES = 2 ** 20;

export interface PartTarget {
  write(bytes: Uint8Array): Promise<void> | void;
  /** Completes the part. Until then, no reader takes the file for a part. */
  finish(): void;
  /** Deletes the file. If parts must survive a power cut (`isKept`), deletes an older part of the same pages too. */
  abandon(): void;
}

/** Writes a part to a file in a folder. `isKept`: the part must survive a power cut. */
export function partFile(
  folder: string,
  range: PageRange,
  { isKept }: { readonly isKept: boolean },
): PartTarget {
  const path = join(folder, nameOf(range));
  const temporary = join(folder, `.${nameOf(range)}.${randomUUID()}.tmp`);
  const file = onFile(temporary, () => fs.openSync(temporary, 'wx'));
  return {
    write: (bytes) => onFile(path, () => writeAll(file, bytes)),
    finish: () =>
      onFile(path, () => {
        if (isKept) fs.fsyncSync(file);
        fs.closeSync(file);
        fs.renameSync(temporary, path);
      }),
    abandon() {
      try {
        fs.closeSync(file);
      } catch {
        // The file is already closed.
      }
      fs.rmSync(temporary, { force: true });
      // An older part of these pages may come from older records. Without `isKept`, it belongs to another process.
      if (isKept) fs.rmSync(path, { force: true });
    },
  };
}

export const hasPart = (folder: string, range: PageRange): boolean =>
  fs.existsSync(join(folder, nameOf(range)));

type PartHead = Pick<PartFields, 'facts' | 'pages' | 'first' | 'last'>;

/** Writes the pages of a range, in order. */
export class PartWriter {
  readonly #target: PartTarget;
  readonly #fields: PartHead;
  readonly #lists = { sizes: [] as number[], keys: [] as number[], excluded: [] as number[] };
  readonly #digest = createHash('sha256');
  readonly #waiting = new GrowingBytes();

  constructor(target: PartTarget, fields: PartHead) {
    this.#target = target;
    this.#fields = fields;
  }

  async add({ file, keys, excluded }: BuiltPage): Promise<void> {
    this.#lists.sizes.push(file.length);
    this.#lists.keys.push(keys);
    this.#lists.excluded.push(excluded);
    this.#waiting.add(file);
    if (this.#waiting.length >= BUFFER_BYTES) await this.#flush();
  }

  async finish(origin?: Origin): Promise<void> {
    const fields = { format: FORMAT, ...this.#fields, origin, ...this.#lists };
    const json = Buffer.from(JSON.stringify(fields));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(json.length));
    this.#waiting.add(json);
    this.#waiting.add(length);
    await this.#flush();
    await this.#target.write(Buffer.concat([this.#digest.digest(), MARK]));
    this.#target.finish();
  }

  async #flush(): Promise<void> {
    const bytes = this.#waiting.take();
    this.#digest.update(bytes);
    await this.#target.write(bytes);
  }
}

/** Writes all bytes, since a single call may write fewer. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at);
}

/** Reads a part's JSON; undefined if its fields are wrong, or contradict each other. */
function readFields(json: string): PartFields | undefined {
  try {
    const part = readAllFields(JSON.parse(json), 'part');
    const { pages, first, last, sizes, keys, excluded } = part;
    const areWhole = [sizes, keys, excluded].every(({ length }) => length === last - first + 1);
    return areWhole && first <= last && last < pages ? part : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the fields that follow the pages in a file; undefined if the part is not complete. */
async function readPart(path: string): Promise<BuiltPart | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const stats = await file.stat();
    const { size } = stats;
    if (size < TAIL_BYTES) return undefined;
    const tail = await readFrom(file, size - TAIL_BYTES, TAIL_BYTES);
    const length = Number(tail.readBigUInt64LE());
    const pagesBytes = size - TAIL_BYTES - length;
    if (!tail.subarray(-MARK.length).equals(MARK) || pagesBytes < 0) return undefined;
    const json = await readFrom(file, pagesBytes, length);
    const fields = readFields(json.toString());
    if (fields?.sizes.reduce((sum, one) => sum + one, 0) !== pagesBytes) return undefined;
    return { ...fields, path, identity: identityOf(stats) };
  } catch (error) {
    throw aboutFile(path, error);
  } finally {
    await file?.close();
  }
}

const identityOf = ({ ino, size, mtimeMs }: fs.Stats): string => `${ino} ${size} ${mtimeMs}`;

async function readFrom(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  if (bytesRead !== length) throw new Error('the file ends too early');
  return buffer;
}

async function pathsOfParts(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  const parts = names.filter((name) => name.endsWith(ENDING)).sort();
  return parts.map((name) => join(folder, name));
}

/** Finds the parts in a folder, in the order of their pages. Throws ERR_TAMIS_CORRUPT if a part is not complete. */
export async function findParts(folder: string): Promise<BuiltPart[]> {
  const parts: BuiltPart[] = [];
  for (const path of await pathsOfParts(folder)) {
    const part = await readPart(path);
    if (part === undefined) {
      throw new FileError('ERR_TAMIS_CORRUPT', `${path}: not a complete part of tamis pages`);
    }
    parts.push(part);
  }
  // Sorted by their fields, because a file may have been renamed.
  return parts.sort((one, other) => one.first - other.first || one.last - other.last);
}

/** The path of a file that lists the published parts while they are being deleted. */
const publishedIn = (folder: string): string => join(folder, '.published');

/** Deletes published parts. If the process is killed, `removePublished` continues the deletion. */
export async function removeBuilt(folder: string, parts: readonly BuiltPart[]): Promise<void> {
  const identities = parts.map(({ identity }) => identity);
  await writeAtomically(publishedIn(folder), Buffer.from(JSON.stringify(identities)));
  await removePublished(folder);
}

/** Continues a deletion of published parts that was interrupted; returns false if there was none. */
export async function removePublished(folder: string): Promise<boolean> {
  const list = publishedIn(folder);
  const json = await readIfThere(list, folder);
  if (json === undefined) return false;
  const identities = onFile(list, () => new Set<string>(JSON.parse(json.toString())));
  for (const path of await pathsOfParts(folder)) {
    // Another run may have deleted the file, or built a new one.
    const identity = await stat(path).then(identityOf, ignoreAbsence);
    if (identity !== undefined && identities.has(identity)) await rm(path, { force: true });
  }
  await rm(list, { force: true });
  return true;
}

/** Deletes the parts of `tamis pages` in a folder, except those of the run `but` and incomplete ones. */
export async function removeParts(folder: string, but?: string): Promise<void> {
  await removePublished(folder);
  for (const path of await pathsOfParts(folder)) {
    // Another run may have deleted the file. A file that cannot be read can stay, because it is never published.
    const part = await readPart(path).catch(() => undefined);
    if (part?.origin && part.origin.run !== but) await rm(path, { force: true });
  }
}

/** Yields the file of each page, in order. Throws ERR_TAMIS_CORRUPT at the end of a damaged part. */
export async function* readPages(parts: readonly BuiltPart[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    const file = await open(part.path);
    try {
      if (identityOf(await file.stat()) !== part.identity) {
        throw new FileError('ERR_TAMIS_LOST', `${part.path}: another run replaced this file`);
      }
      yield* pagesIn(part, file);
    } catch (error) {
      throw aboutFile(part.path, error);
    } finally {
      await file.close();
    }
  }
}

/** Yields the files of a part's pages. Throws ERR_TAMIS_CORRUPT after the last one if the part is damaged. */
async function* pagesIn({ path, sizes }: BuiltPart, file: FileHandle): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  const pagesBytes = sizes.reduce((sum, size) => sum + size, 0);
  let position = 0;
  /** The bytes that were read, but not yielded yet. */
  let ready = Buffer.alloc(0);
  for (const size of sizes) {
    if (ready.length < size) {
      const wanted = Math.max(size - ready.length, BUFFER_BYTES);
      const more = await readFrom(file, position, Math.min(wanted, pagesBytes - position));
      digest.update(more);
      position += more.length;
      ready = Buffer.concat([ready, more]);
    }
    yield ready.subarray(0, size);
    ready = ready.subarray(size);
  }
  const rest = await readFrom(file, position, (await file.stat()).size - position);
  digest.update(rest.subarray(0, -SEAL_BYTES));
  if (digest.digest().equals(rest.subarray(-SEAL_BYTES, -MARK.length))) return;
  const message = `${path}: damaged: remove it, and run the command that built it again`;
  throw new FileError('ERR_TAMIS_CORRUPT', message);
}
