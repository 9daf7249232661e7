import { type BigIntStats, createReadStream, fstatSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { keyBatchesFrom, type PackedKeys } from 'tamis';
import { countReader } from '../frame/arguments.js';
import type { Options, ValuesOf } from '../frame/command.js';
import { CommandError, prefixError, tellAbout, UsageError } from '../frame/errors.js';
import { formatCount, pluralize } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';

export const STANDARD_INPUT = '-';

const LINE_FEED = 10;

export const listOptions = {
  comments: {
    value: 'TEXT',
    help: "drops comments that begin with TEXT, such as '#', at the start of a line or after a blank; drops blanks around keys",
    read: parseCommentMark,
  },
  'max-line': {
    value: 'N',
    help: 'the longest line, in bytes',
    default: '65536',
    read: countReader('a whole number of bytes, at least 1', 1),
  },
} as const satisfies Options;

export type LineRules = ValuesOf<typeof listOptions>;

/** Opens the list at `path`, or on standard input for `-`. Throws a CommandError if it cannot. */
export const openList = async (path: string, rules: LineRules, terminal: Terminal): Promise<List> =>
  new List(await openStored(path, terminal), rules);

/** Opens the file at `path`, or standard input for `-`. Throws a CommandError if it cannot. */
export async function openStored(path: string, { stdin }: Terminal): Promise<StoredBytes> {
  if (path === STANDARD_INPUT) {
    return new StoredBytes('standard input', () => stdin, sizeOf(fileOf(stdin)));
  }
  const file = await tellAbout(path, () => stat(path, { bigint: true }));
  if (file.isDirectory()) throw new CommandError(`${path}: is a folder, not a list`);
  return new StoredBytes(path, () => createReadStream(path), sizeOf(file));
}

/** The text of a short file, plain or gzip, and its name for messages. Throws a CommandError if it is not text. */
export async function readTextFile(
  path: string,
  terminal: Terminal,
): Promise<{ name: string; text: string }> {
  const { name, content } = await openStored(path, terminal);
  const bytes = await tellAbout(name, () => buffer(checkUtf8(content, name)));
  return { name, text: bytes.toString() };
}

/** The status of a stream's file; undefined if the stream is not of a file. */
export function fileOf(stream: object): BigIntStats | undefined {
  const fd = 'fd' in stream ? stream.fd : undefined;
  return typeof fd === 'number' ? fstatSync(fd, { bigint: true }) : undefined;
}

/** The size of a regular file. A FIFO or a device has none. */
const sizeOf = (file: BigIntStats | undefined): number | undefined =>
  file?.isFile() ? Number(file.size) : undefined;

/** Passes on what is read from a source, with a progress line. `label` names the task. */
export async function* showProgress<T>(
  values: AsyncIterable<T>,
  source: StoredBytes,
  label: string,
  terminal: Terminal,
): AsyncGenerator<T> {
  const bar = terminal.startProgress(label, 'bytes', source.sizeBytes);
  try {
    for await (const value of values) {
      yield value;
      bar.update(source.readBytes);
    }
  } finally {
    bar.stop();
  }
}

/** Passes on the list's batches, with a progress line. Throws at the end if the list had no key, which is a `noun`. */
export async function* showReading(
  list: List,
  terminal: Terminal,
  { label = 'reading', noun = 'key' } = {},
): AsyncGenerator<PackedKeys> {
  yield* showProgress(list.batches, list.stored, label, terminal);
  if (list.keys === 0) {
    throw new CommandError(`${list.name}: an empty list: expected a ${noun} on each line`);
  }
}

/** The keys of a batch, decoded from UTF-8. */
export function textsOf(batch: readonly string[] | PackedKeys): string[] {
  if (!('starts' in batch)) return [...batch];
  const { bytes, starts, ends, length } = batch;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return Array.from({ length }, (_, i) => decoder.decode(bytes.subarray(starts[i], ends[i])));
}

/** A source of stored bytes, plain or gzip. */
export class StoredBytes {
  /** Its name in messages: the path, or `standard input`. */
  readonly name: string;
  /** The number of stored bytes (compressed, for a .gz); undefined if not known beforehand. */
  readonly sizeBytes: number | undefined;
  /** The decompressed bytes. */
  readonly content: AsyncIterable<Uint8Array>;
  /** The number of stored bytes read so far. */
  readBytes = 0;

  constructor(name: string, open: () => Readable, sizeBytes: number | undefined) {
    this.name = name;
    this.sizeBytes = sizeBytes;
    this.content = unzip(this.#countBytes(open));
  }

  async *#countBytes(open: () => Readable): AsyncGenerator<Uint8Array> {
    for await (const chunk of open()) {
      this.readBytes += chunk.length;
      yield chunk;
    }
  }
}

/** A list of keys, one per line, that is being read. */
export class List {
  readonly name: string;
  readonly stored: StoredBytes;
  /** The keys in batches. Throws a CommandError if the list is not text. */
  readonly batches: AsyncIterable<PackedKeys>;
  /** The numbers of lines with comments or blanks, which the rules may drop. */
  readonly extras: Extras = { comments: 0, blanks: 0 };
  readonly #rules: LineRules;
  keys = 0;
  #isHtml = false;
  /** True while every key was a digest and a count, `HEX:NUMBER`. */
  #isCounted = true;
  /** The number of complete lines. */
  #lines = 0;

  constructor(stored: StoredBytes, rules: LineRules) {
    this.name = stored.name;
    this.stored = stored;
    this.#rules = rules;
    this.batches = this.#read();
  }

  /** The line numbers, from 1, of the keys of the newest batch. Counts line feeds from its end back to each key. */
  lineNumbers({ bytes, starts, length }: PackedKeys): number[] {
    const numbers = new Array<number>(length);
    let line = this.#lines + 1; // the line that begins behind the batch
    let at = bytes.length;
    for (let i = length - 1; i >= 0; i--) {
      const start = starts[i] as number;
      while (at > start) if (bytes[--at] === LINE_FEED) line--;
      numbers[i] = line;
    }
    return numbers;
  }

  /** The beginning of a message about a key of the newest batch. */
  placeOf(batch: PackedKeys, i: number): string {
    return `${this.name}: line ${formatCount(this.lineNumbers(batch)[i] ?? 0)}: key`;
  }

  /** `3 comments and blanks around 12 keys dropped, `; '' if nothing was dropped. */
  get dropped(): string {
    const { comments, blanks } = this.extras;
    const parts = [
      comments > 0 && pluralize(comments, 'comment'),
      blanks > 0 && `blanks around ${pluralize(blanks, 'key')}`,
    ].filter(Boolean);
    return this.#rules.comments && parts.length > 0 ? `${parts.join(' and ')} dropped, ` : '';
  }

  /** Warns of a file that is no list of keys, and of keys that look like comments or have blanks, if they are kept. */
  warn(terminal: Terminal): void {
    if (this.#isHtml) {
      const what = 'this is HTML, perhaps the page of an error that was saved as the list';
      terminal.warn(this.name, `${what}: each line of it is a key`);
    } else if (this.#isCounted && this.keys > 0) {
      const what = 'every line is HEX:NUMBER, as in a file of Pwned Passwords';
      const hint = "the number is part of the key; 'cut -d: -f1' takes it off";
      terminal.warn(this.name, `${what}: ${hint} (see the recipe Breached passwords)`);
    }
    const { comments, blanks } = this.extras;
    const parts = [
      comments > 0 &&
        `${pluralize(comments, 'line')} ${comments === 1 ? 'begins' : 'begin'} with #`,
      blanks > 0 && `${formatCount(blanks)} ${blanks === 1 ? 'has' : 'have'} blanks around the key`,
    ].filter(Boolean);
    if (this.#rules.comments || parts.length === 0) return;
    const hint = "lines are taken as they stand; --comments '#' drops comments and blanks";
    terminal.warn(this.name, `${parts.join(', ')}: ${hint}`);
  }

  async *#read(): AsyncGenerator<PackedKeys> {
    const { 'max-line': maxLine, comments: mark } = this.#rules;
    try {
      for await (const batch of keyBatchesFrom(this.#limitLines(), { maxLineBytes: maxLine })) {
        if (!mark) countExtras(batch, this.extras);
        const keys = mark ? dropExtras(batch, mark, this.extras) : batch;
        this.#judge(keys);
        this.keys += keys.length;
        if (keys.length > 0) yield keys;
      }
    } catch (error) {
      throw prefixError(this.name, error);
    }
  }

  /** Judges by the next keys whether the file is a list of keys. */
  #judge({ bytes, starts, ends, length }: PackedKeys): void {
    const textAt = (i: number) =>
      Buffer.from(bytes.subarray(starts[i], ends[i])).toString('latin1');
    if (this.keys === 0 && length > 0)
      this.#isHtml = /^\s*<(!doctype|html|head|\?xml)/i.test(textAt(0));
    for (let i = 0; i < length && this.#isCounted; i++) {
      this.#isCounted = /^[\da-f]{32,128}:\d+$/i.test(textAt(i));
    }
  }

  /** The text, whose lines are counted first. Throws for a line too long: gzip may hold gigabytes in one. */
  async *#limitLines(): AsyncGenerator<Uint8Array> {
    const maxBytes = this.#rules['max-line'];
    let lineBytes = 0;
    for await (const chunk of checkUtf8(this.stored.content, this.name)) {
      for (let i = 0; i < chunk.length; i++) {
        if (chunk[i] === LINE_FEED) {
          this.#lines++;
          lineBytes = 0;
        } else if (++lineBytes > maxBytes) {
          const line = formatCount(this.#lines + 1);
          const what = `line ${line} has more than ${formatCount(maxBytes)} bytes`;
          throw new CommandError(`${this.name}: ${what}: --max-line N lets it be longer`);
        }
      }
      yield chunk;
    }
  }
}

/** Decompresses bytes if they are gzip, by their content and not by the file's name. */
async function* unzip(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = new Uint8Array();
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  async function* joined() {
    yield head;
    yield* chunks;
  }
  // Every gzip file begins so, and no UTF-8 text can.
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  // The callback, which pipeline needs, has nothing to do: the stream throws the errors to its reader.
  yield* isGzip ? pipeline(joined, createGunzip(), () => {}) : joined();
}

/** Passes the chunks on. Throws at a NUL byte, at bytes that are not UTF-8, and if the end cuts a character. */
async function* checkUtf8(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let offset = 0;
  for await (const chunk of chunks) {
    const nul = chunk.indexOf(0);
    if (nul >= 0) throw notTextError(name, `a NUL byte at offset ${offset + nul}`);
    try {
      decoder.decode(chunk, { stream: true });
    } catch {
      throw notTextError(name, `invalid UTF-8 before offset ${offset + chunk.length}`);
    }
    offset += chunk.length;
    yield chunk;
  }
  try {
    decoder.decode();
  } catch {
    throw notTextError(name, 'the last character is cut short');
  }
}

const notTextError = (name: string, what: string) =>
  new CommandError(`${name}: not text (${what}): a list is lines of UTF-8`);

// Comments, and blanks around keys.

/** The numbers of lines with comments or blanks, which were kept or dropped. */
interface Extras {
  /** The lines with a comment: those that begin with #, or those with the mark, if one is given. */
  comments: number;
  /** The other keys with blanks before or after them. */
  blanks: number;
}

const HASH = 0x23;

/** True for a space and a tab. */
const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09;

/** The bytes of the mark of --comments. Throws if the text cannot begin a comment. */
function parseCommentMark(text: string): Uint8Array {
  if (text === '' || /\s/.test(text)) {
    throw new UsageError(`--comments '${text}': expected what comments begin with, such as '#'`);
  }
  return Buffer.from(text);
}

/** Counts keys that look like comments, and keys with blanks around them. All of them stay keys. */
function countExtras({ bytes, starts, ends, length }: PackedKeys, extras: Extras): void {
  for (let i = 0; i < length; i++) {
    const start = starts[i] as number;
    const end = ends[i] as number;
    let at = start;
    while (at < end && isBlank(bytes[at])) at++;
    if (bytes[at] === HASH && at < end) extras.comments++;
    else if (at > start || isBlank(bytes[end - 1])) extras.blanks++;
  }
}

/** Removes and counts comments, and blanks around keys. A comment's mark begins the line or follows a blank. */
function dropExtras(keys: PackedKeys, mark: Uint8Array, extras: Extras): PackedKeys {
  const { bytes, length } = keys;
  const starts = new Uint32Array(length);
  const ends = new Uint32Array(length);
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const lineStart = keys.starts[i] as number;
    const lineEnd = keys.ends[i] as number;
    const commentAt = startOfComment(bytes.subarray(lineStart, lineEnd), mark);
    let start = lineStart;
    let end = commentAt < 0 ? lineEnd : lineStart + commentAt;
    while (start < end && isBlank(bytes[start])) start++;
    while (end > start && isBlank(bytes[end - 1])) end--;
    if (commentAt >= 0) extras.comments++;
    else if (end - start < lineEnd - lineStart) extras.blanks++;
    if (start === end) continue;
    starts[kept] = start;
    ends[kept++] = end;
  }
  return { bytes, starts, ends, length: kept };
}

/** The offset of the comment in a line; -1 if there is none. */
function startOfComment(line: Uint8Array, mark: Uint8Array): number {
  const text = Buffer.from(line.buffer, line.byteOffset, line.length);
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    if (at === 0 || isBlank(text[at - 1])) return at;
  }
  return -1;
}
