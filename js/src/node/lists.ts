import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { linesFrom, type PackedKeys } from 'tamis';
import { about, CommandError } from './errors.js';
import { startProgress } from './progress.js';

export const STANDARD_INPUT = '-';

/** A list of keys, one a line, that is being read. */
export interface List {
  /** What messages call it: its path, or `standard input`. */
  readonly name: string;
  /** Bytes as stored (compressed ones, for a .gz); undefined where nobody knows beforehand. */
  readonly sizeBytes: number | undefined;
  /** Bytes read so far, counted as `sizeBytes` counts. */
  readonly readBytes: number;
  /** The keys in batches, as they come. Throws a CommandError when the list is not text. */
  readonly batches: AsyncIterable<PackedKeys>;
}

/** Opens the file at `path`, or standard input for `-`. Throws a CommandError if it cannot. */
export async function openList(path: string): Promise<List> {
  if (path === STANDARD_INPUT) return new ListReader('standard input', () => process.stdin);
  try {
    const file = await stat(path);
    if (file.isDirectory()) throw new CommandError(`${path}: is a folder, not a list`);
    // A FIFO or a device has no size to speak of.
    const sizeBytes = file.isFile() ? file.size : undefined;
    return new ListReader(path, () => createReadStream(path), sizeBytes);
  } catch (error) {
    throw about(path, error);
  }
}

/** The list's batches, shown and tallied as they are read. Throws if there was no key at all. */
export async function* counted(list: List, tally: { lines: number }): AsyncGenerator<PackedKeys> {
  const bar = startProgress('reading', 'bytes', list.sizeBytes);
  try {
    for await (const batch of list.batches) {
      tally.lines += batch.length;
      yield batch;
      bar.update(list.readBytes);
    }
  } finally {
    bar.stop();
  }
  if (tally.lines === 0) {
    throw new CommandError(`${list.name}: an empty list: expected a key on each line`);
  }
}

/** The keys of a batch as the strings that they are the UTF-8 bytes of. */
export function textsOf(batch: readonly string[] | PackedKeys): string[] {
  if (!('starts' in batch)) return [...batch];
  const { bytes, starts, ends, length } = batch;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return Array.from({ length }, (_, i) => decoder.decode(bytes.subarray(starts[i], ends[i])));
}

class ListReader implements List {
  readonly name: string;
  readonly sizeBytes: number | undefined;
  readonly batches: AsyncIterable<PackedKeys>;
  #readBytes = 0;

  constructor(name: string, open: () => Readable, sizeBytes?: number) {
    this.name = name;
    this.sizeBytes = sizeBytes;
    this.batches = this.#read(open);
  }

  get readBytes(): number {
    return this.#readBytes;
  }

  async *#read(open: () => Readable): AsyncGenerator<PackedKeys> {
    try {
      yield* linesFrom(textOnly(unzipped(this.#counted(open())), this.name));
    } catch (error) {
      throw about(this.name, error);
    }
  }

  async *#counted(stream: Readable): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      this.#readBytes += chunk.length;
      yield chunk;
    }
  }
}

/** True where `head` begins as every gzip file does, and no UTF-8 text can. */
const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** The bytes, decompressed if they are gzip: told by what they are, not by the file's name. */
async function* unzipped(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = new Uint8Array();
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  if (!isGzip(head)) {
    yield head;
    yield* chunks;
    return;
  }
  const source = Readable.from(withHead(head, chunks), { objectMode: false });
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  yield* source.pipe(gunzip);
}

async function* withHead(
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

/**
 * Passes the chunks on, and throws where they stop being text: at a NUL byte or at what is not
 * UTF-8, also when a character is cut by the border of two chunks or by the end.
 */
async function* textOnly(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let offset = 0;
  for await (const chunk of chunks) {
    const nul = chunk.indexOf(0);
    if (nul >= 0) throw notText(name, `a NUL byte at offset ${offset + nul}`);
    try {
      decoder.decode(chunk, { stream: true });
    } catch {
      throw notText(name, `invalid UTF-8 before offset ${offset + chunk.length}`);
    }
    offset += chunk.length;
    yield chunk;
  }
  try {
    decoder.decode();
  } catch {
    throw notText(name, 'the last character is cut short');
  }
}

function notText(name: string, what: string): CommandError {
  return new CommandError(`${name}: not text (${what}): a list is lines of UTF-8`);
}
