// Pages that were built, before all are there: a file for each part. It has pages without gaps, then JSON that says what
// they are, then the length of that, the SHA-256 of all this, and a mark. So a file that was cut is no part, and a pipe can
// take one. Who reads the pages to their end is told of damage.
// The length that a page will have follows from the number of all keys.

import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, type Stats, writeSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { aboutFile, FileError, ignoreAbsence, onFile, writeAtomically } from '../../disk/index.js';
import { digestBytes, mostPages } from '../layout.js';
import type { BuiltPage } from './page-builder.js';

/** What all pages of one set have in common. */
export type PageFacts = Readonly<Record<string, string | number>>;

/** Where the records of a part come from, and when it was made of them. */
export interface Origin {
  /** The name of the list. */
  readonly name: string;
  /** All parts of one run are of the same keys. */
  readonly run: string;
  /** When its build began, as Date.toISOString writes it. */
  readonly built: string;
  /** How many records it was built of, and the SHA-256 of their lines. */
  readonly records: number;
  readonly digest: string;
  /** What the closing lines say together, and a digest of them. */
  readonly hashed: number;
  readonly closing: string;
}

interface PartFields {
  readonly format: 'tamis-pages-part-1';
  readonly facts: PageFacts;
  /** Undefined in what one process keeps for itself. */
  readonly origin?: Origin | undefined;
  /** Pages of the whole set. */
  readonly pages: number;
  readonly first: number;
  readonly last: number;
  /** Of each page: the bytes of its file, its distinct keys, and the excluded ones. */
  readonly sizes: readonly number[];
  readonly keys: readonly number[];
  readonly excluded: readonly number[];
}

/** A part that was built. */
export interface BuiltPart extends PartFields {
  readonly path: string;
  /** Tells the file from one that takes its place. */
  readonly file: string;
}

/** Pages from `first` to `last`. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

const ENDING = '.part';
const MARK = Buffer.from('TMSPART\n');
/** The digest, then the mark. */
const SEAL_BYTES = digestBytes + MARK.length;
/** The length of the JSON, then those. */
const TAIL_BYTES = 8 + SEAL_BYTES;

const digits = (page: number): string => String(page).padStart(10, '0');
const nameOf = ({ first, last }: PageRange): string =>
  `part-${digits(first)}-${digits(last)}${ENDING}`;

/** Bytes that are gathered before they are written. */
const BUFFER_BYTES = 2 ** 20;

/** Where the bytes of a part go. */
export interface PartTarget {
  write(bytes: Uint8Array): Promise<void> | void;
  /** Makes it a part. Until then nobody takes it for one. */
  finish(): void;
  /** Leaves nothing of it. Where it is kept, nothing stays that stands in its place. */
  abandon(): void;
}

/** A file in a folder. `isKept` where a power cut must not harm it. */
export function partFile(
  folder: string,
  range: PageRange,
  { isKept }: { readonly isKept: boolean },
): PartTarget {
  const path = join(folder, nameOf(range));
  const temporary = join(folder, `.${nameOf(range)}.${randomUUID()}.tmp`);
  const file = onFile(temporary, () => openSync(temporary, 'wx'));
  return {
    write: (bytes) => onFile(path, () => writeAll(file, bytes)),
    finish: () =>
      onFile(path, () => {
        if (isKept) fsyncSync(file);
        closeSync(file);
        renameSync(temporary, path);
      }),
    abandon() {
      try {
        closeSync(file);
      } catch {
        // It was closed.
      }
      rmSync(temporary, { force: true });
      // Of the same run, but maybe of older records. What is not kept was not there before, and is another's.
      if (isKept) rmSync(path, { force: true });
    },
  };
}

/** Whether a range of pages was built before. */
export const hasPart = (folder: string, range: PageRange): Promise<boolean> =>
  stat(join(folder, nameOf(range))).then(
    () => true,
    () => false,
  );

/** Writes the pages of a range, in order. */
export class PartWriter {
  readonly #target: PartTarget;
  readonly #fields: Pick<PartFields, 'format' | 'facts' | 'pages' | 'first' | 'last'>;
  readonly #lists = { sizes: [] as number[], keys: [] as number[], excluded: [] as number[] };
  /** Of all that was written. */
  readonly #digest = createHash('sha256');
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  constructor(
    target: PartTarget,
    { facts, pages }: { readonly facts: PageFacts; readonly pages: number },
    { first, last }: PageRange,
  ) {
    this.#target = target;
    this.#fields = { format: 'tamis-pages-part-1', facts, pages, first, last };
  }

  async add({ file, keys, excluded }: BuiltPage): Promise<void> {
    this.#lists.sizes.push(file.length);
    this.#lists.keys.push(keys);
    this.#lists.excluded.push(excluded);
    this.#waiting.push(file);
    this.#waitingBytes += file.length;
    if (this.#waitingBytes >= BUFFER_BYTES) await this.#flush();
  }

  /** Ends the part. */
  async finish(origin?: Origin): Promise<void> {
    const json = Buffer.from(JSON.stringify({ ...this.#fields, origin, ...this.#lists }));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(json.length));
    this.#waiting.push(json, length);
    await this.#flush();
    await this.#target.write(Buffer.concat([this.#digest.digest(), MARK]));
    this.#target.finish();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#digest.update(bytes);
    await this.#target.write(bytes);
  }
}

/** Writes all of the bytes where the file is: one call may write fewer. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

const isCount = (value: unknown, most = 2 ** 53 - 1): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;

const isCounts = (value: unknown, length: number): value is number[] =>
  Array.isArray(value) && value.length === length && value.every((one) => isCount(one));

const isText = (value: unknown): value is string => typeof value === 'string';

/** The origin as it is written; undefined where it is none. */
function readOrigin(value: unknown): Origin | undefined {
  const { name, run, built, records, digest, hashed, closing } = Object(value) as Origin;
  if (![name, run, digest, closing].every(isText)) return undefined;
  if (!isCount(records) || !isCount(hashed) || !(Date.parse(built) >= 0)) return undefined;
  return { name, run, built, records, digest, hashed, closing };
}

function readFields(text: string): PartFields | undefined {
  let part: Partial<PartFields> | null;
  try {
    part = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { format, facts, pages, first, last, sizes, keys, excluded, origin } = Object(
    part,
  ) as PartFields;
  const isRange = isCount(pages, mostPages) && isCount(first) && isCount(last) && first <= last;
  if (format !== 'tamis-pages-part-1' || !isRange || last >= pages) return undefined;
  if (typeof facts !== 'object' || facts === null) return undefined;
  const count = last - first + 1;
  if (![sizes, keys, excluded].every((list) => isCounts(list, count))) return undefined;
  return { format, facts, pages, first, last, sizes, keys, excluded, origin: readOrigin(origin) };
}

/** What stands behind the pages in a file; undefined where it is no whole part. */
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
    return { ...fields, path, file: identityOf(stats) };
  } catch (error) {
    throw aboutFile(path, error);
  } finally {
    await file?.close();
  }
}

const identityOf = ({ ino, size, mtimeMs }: Stats): string => `${ino} ${size} ${mtimeMs}`;

async function readFrom(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  if (bytesRead !== length) throw new Error('the file ends too early');
  return buffer;
}

async function pathsOfParts(folder: string): Promise<string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING));
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    throw aboutFile(folder, error);
  }
}

/** The parts in a folder, in the order of their pages. Throws CORRUPT for what is no whole part. */
export async function findParts(folder: string): Promise<BuiltPart[]> {
  const parts: BuiltPart[] = [];
  for (const path of await pathsOfParts(folder)) {
    const part = await readPart(path);
    if (part === undefined) {
      throw new FileError('ERR_TAMIS_CORRUPT', `${path}: no whole part of tamis pages`);
    }
    parts.push(part);
  }
  return parts.sort((one, other) => one.first - other.first || one.last - other.last);
}

/** The parts that were published, while they are removed. */
const publishedIn = (folder: string): string => join(folder, '.published');

/** Removes parts that were published. Where it is killed, `removePublished` goes on. */
export async function removeBuilt(folder: string, parts: readonly BuiltPart[]): Promise<void> {
  const files = parts.map(({ file }) => file);
  await writeAtomically(publishedIn(folder), Buffer.from(JSON.stringify(files)));
  await removePublished(folder);
}

/** Removes what a run left that was killed while it removed what it had published; false where there was none. */
export async function removePublished(folder: string): Promise<boolean> {
  const list = publishedIn(folder);
  const text = await readFile(list, 'utf8')
    .catch(ignoreAbsence)
    .catch((error) => {
      throw aboutFile(folder, error);
    });
  if (text === undefined) return false;
  const files = onFile(list, () => new Set<string>(JSON.parse(text)));
  for (const path of await pathsOfParts(folder)) {
    // A run beside this one may have removed it, or built another.
    const file = await stat(path).then(identityOf, ignoreAbsence);
    if (file !== undefined && files.has(file)) await rm(path, { force: true });
  }
  await rm(list, { force: true });
  return true;
}

/** Removes the parts of tamis pages from a folder, but for those of a run. What is no whole part stays. */
export async function removeParts(folder: string, but?: string): Promise<void> {
  await removePublished(folder);
  for (const path of await pathsOfParts(folder)) {
    // A run beside this one may have removed it, and what cannot be read no manifest takes.
    const origin = await readPart(path).then(
      (part) => part?.origin,
      () => undefined,
    );
    if (origin !== undefined && origin.run !== but) await rm(path, { force: true });
  }
}

/** The files of all pages, in order. Throws CORRUPT behind the last page of a part that was damaged. */
export async function* readPages(parts: readonly BuiltPart[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    const file = await openBuilt(part);
    try {
      yield* pagesIn(part, file);
    } catch (error) {
      throw aboutFile(part.path, error);
    } finally {
      await file.close();
    }
  }
}

async function openBuilt({ path, file: found }: BuiltPart): Promise<FileHandle> {
  const file = await open(path).catch((error) => {
    throw aboutFile(path, error);
  });
  if (identityOf(await file.stat()) === found) return file;
  await file.close();
  throw new FileError('ERR_TAMIS_LOST', `${path}: was built anew meanwhile`);
}

async function* pagesIn({ path, sizes }: BuiltPart, file: FileHandle): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let position = 0;
  const next = async (length: number): Promise<Buffer> => {
    const bytes = await readFrom(file, position, length);
    position += length;
    return bytes;
  };
  for (let i = 0; i < sizes.length; ) {
    // At least one page, and some more of them in one read.
    let length = 0;
    const from = i;
    while (i < sizes.length && (i === from || length + (sizes[i] as number) <= BUFFER_BYTES)) {
      length += sizes[i++] as number;
    }
    const bytes = await next(length);
    digest.update(bytes);
    let at = 0;
    for (const size of sizes.slice(from, i)) {
      yield bytes.subarray(at, at + size);
      at += size;
    }
  }
  const rest = await next((await file.stat()).size - position);
  digest.update(rest.subarray(0, -SEAL_BYTES));
  if (digest.digest().equals(rest.subarray(-SEAL_BYTES, -MARK.length))) return;
  const message = `${path}: damaged: remove it, and give the command again that built it`;
  throw new FileError('ERR_TAMIS_CORRUPT', message);
}
