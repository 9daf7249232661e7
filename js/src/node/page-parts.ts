// Pages that were built, before all are there: a file of pages without gaps, and one of JSON that says what they are.
// The length that a page will have follows from the number of all keys.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuiltPage, mostPages } from '../pages/index.js';
import { CommandError, codeOf, onFile, prefixError } from './errors.js';

/** What all pages of one set have in common. */
export type PageFacts = Readonly<Record<string, string | number>>;

interface PartFields {
  readonly format: 'tamis-pages-part-1';
  readonly facts: PageFacts;
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
  /** Without the ending. */
  readonly path: string;
}

const digits = (page: number): string => String(page).padStart(10, '0');
const stemOf = (first: number, last: number): string => `part-${digits(first)}-${digits(last)}`;

/** Bytes that are gathered before they are written. */
const BUFFER_BYTES = 2 ** 20;

/** Writes the pages of a range, in order. Until `finish` nobody takes it for a part. */
export class PartWriter {
  readonly #path: string;
  readonly #temporary: string;
  readonly #fields: Omit<PartFields, 'sizes' | 'keys' | 'excluded'>;
  readonly #lists = { sizes: [] as number[], keys: [] as number[], excluded: [] as number[] };
  readonly #file: number;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  /** Of the pages from `first` to `last`. */
  constructor(
    folder: string,
    { facts, pages }: { readonly facts: PageFacts; readonly pages: number },
    { first, last }: { readonly first: number; readonly last: number },
  ) {
    this.#path = join(folder, stemOf(first, last));
    this.#temporary = join(folder, `.${stemOf(first, last)}.${randomUUID()}.tmp`);
    this.#fields = { format: 'tamis-pages-part-1', facts, pages, first, last };
    this.#file = onFile(this.#temporary, () => openSync(this.#temporary, 'wx'));
  }

  /** Whether a range of pages was built before. */
  static async isDone(folder: string, first: number, last: number): Promise<boolean> {
    const path = join(folder, `${stemOf(first, last)}.json`);
    return stat(path).then(
      () => true,
      () => false,
    );
  }

  add({ file, keys, excluded }: BuiltPage): void {
    this.#lists.sizes.push(file.length);
    this.#lists.keys.push(keys);
    this.#lists.excluded.push(excluded);
    this.#waiting.push(file);
    this.#waitingBytes += file.length;
    if (this.#waitingBytes >= BUFFER_BYTES) this.#flush();
  }

  /** Makes it a part: the pages first, and what names them last. `isKept` where a power cut must not harm it. */
  finish({ isKept }: { readonly isKept: boolean }): void {
    this.#flush();
    onFile(`${this.#path}.pages`, () => {
      if (isKept) fsyncSync(this.#file);
      closeSync(this.#file);
      renameSync(this.#temporary, `${this.#path}.pages`);
    });
    const fields: PartFields = { ...this.#fields, ...this.#lists };
    onFile(`${this.#path}.json`, () => {
      writeFileSync(this.#temporary, JSON.stringify(fields), { flag: 'wx', flush: isKept });
      renameSync(this.#temporary, `${this.#path}.json`);
    });
  }

  /** Leaves nothing of it. */
  abandon(): void {
    try {
      closeSync(this.#file);
    } catch {
      // It was closed.
    }
    rmSync(this.#temporary, { force: true });
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#waiting);
    onFile(`${this.#path}.pages`, () => writeAll(this.#file, bytes));
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}

/** Writes all of the bytes, where the file is or from `position` on: one call may write fewer. */
export function writeAll(file: number, bytes: Uint8Array, position?: number): void {
  for (let at = 0; at < bytes.length; ) {
    const place = position === undefined ? null : position + at;
    at += writeSync(file, bytes, at, bytes.length - at, place);
  }
}

const isCount = (value: unknown, most = 2 ** 53 - 1): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;

const isCounts = (value: unknown, length: number): value is number[] =>
  Array.isArray(value) && value.length === length && value.every((one) => isCount(one));

function readFields(text: string): PartFields | undefined {
  let part: Partial<PartFields> | null;
  try {
    part = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { format, facts, pages, first, last, sizes, keys, excluded } = Object(part) as PartFields;
  const isRange = isCount(pages, mostPages) && isCount(first) && isCount(last) && first <= last;
  if (format !== 'tamis-pages-part-1' || !isRange || last >= pages) return undefined;
  if (typeof facts !== 'object' || facts === null) return undefined;
  const count = last - first + 1;
  if (![sizes, keys, excluded].every((list) => isCounts(list, count))) return undefined;
  return { format, facts, pages, first, last, sizes, keys, excluded };
}

/** The parts in a folder, in the order of their pages. Throws a CommandError for what is no whole part. */
export async function findParts(folder: string): Promise<BuiltPart[]> {
  const parts: BuiltPart[] = [];
  try {
    for (const name of (await readdir(folder)).sort()) {
      if (!/^part-\d{10}-\d{10}\.json$/.test(name)) continue;
      const path = join(folder, name.slice(0, -'.json'.length));
      const fields = readFields(await readFile(`${path}.json`, 'utf8'));
      if (fields === undefined) throw new CommandError(`${path}.json: no part of tamis pages`);
      const wanted = fields.sizes.reduce((sum, size) => sum + size, 0);
      const found = await sizeOf(`${path}.pages`);
      if (found !== wanted) {
        throw new CommandError(`${path}.pages: expected ${wanted} bytes, found ${found}`);
      }
      parts.push({ ...fields, path });
    }
  } catch (error) {
    throw prefixError(folder, error);
  }
  return parts.sort((one, other) => one.first - other.first || one.last - other.last);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw codeOf(error) === 'ENOENT' ? new CommandError(`${path}: the file is missing`) : error;
  }
}

/** The files of all pages, in order. */
export async function* readPages(parts: readonly BuiltPart[]): AsyncGenerator<Uint8Array> {
  for (const { path, sizes } of parts) {
    const file = await open(`${path}.pages`);
    try {
      for (let i = 0; i < sizes.length; ) {
        // At least one page, and some more of them in one read.
        let bytes = 0;
        const from = i;
        while (i < sizes.length && (i === from || bytes + (sizes[i] as number) <= BUFFER_BYTES)) {
          bytes += sizes[i++] as number;
        }
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes)).catch((error) => {
          throw prefixError(`${path}.pages`, error);
        });
        if (bytesRead !== bytes) throw new CommandError(`${path}.pages: ends too early`);
        let at = 0;
        for (const size of sizes.slice(from, i)) {
          yield buffer.subarray(at, at + size);
          at += size;
        }
      }
    } finally {
      await file.close();
    }
  }
}
