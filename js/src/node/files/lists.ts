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
    help: "drops comments that begin with TEXT, such as '#', at the start of a line or after a blank; also drops blanks around keys",
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

/** The text of a short file, plain or gzip, and its name in messages. Throws a CommandError if it is not text. */
export async function readTextFile(
  path: string,
  terminal: Terminal,
): Promise<{ name: string; text: string }> {
  const { name, content } = await openStored(path, terminal);
  const bytes = await tellAbout(name, () => buffer(checkUtf8(content, name)));
  return { name, text: bytes.toString() };
}

/** The status of the file that a stream reads; undefined if it reads none. */
export function fileOf(stream: object): BigIntStats | undefined {
  const fd = 'fd' in stream ? stream.fd : undefined;
  return typeof fd === 'number' ? fstatSync(fd, { bigint: true }) : undefined;
}

/** The size of a regular file; undefined for a FIFO or a device. */
const sizeOf = (file: BigIntStats | undefined): number | undefined =>
  file?.isFile() ? Number(file.size) : undefined;

/** Passes on the values from a source, and shows a progress line. `label` names the task. */
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

/** Passes on the list's batches, and shows a progress line. Throws at the end if the list had no key (no `noun`). */
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

/** The bytes of a file or of standard input, plain or gzip. */
export class StoredBytes {
  /** The name in messages: the path, or `standard input`. */
  readonly name: string;
  /** The number of stored bytes (compressed, if gzip); undefined if unknown before the end. */
  readonly sizeBytes: number | undefined;
  /** The decompressed bytes. */
  readonly content: AsyncIterable<Uint8Array>;
  /** The number of stored bytes that were read so far. */
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

/** A list of keys, one per line, while it is read. */
export class List {
  readonly name: string;
  readonly stored: StoredBytes;
  /** The keys in batches. Throws a CommandError if the list is not text. */
  readonly batches: AsyncIterable<PackedKeys>;
  /** The numbers of lines with a comment, and of keys with blanks around them. */
  readonly extras: Extras = { comments: 0, blanks: 0 };
  readonly #rules: LineRules;
  keys = 0;
  #isHtml = false;
  /** True as long as every key is a digest and a count, `HEX:NUMBER`. */
  #isCounted = true;
  /** The number of complete lines. */
  #lines = 0;

  constructor(stored: StoredBytes, rules: LineRules) {
    this.name = stored.name;
    this.stored = stored;
    this.#rules = rules;
    this.batches = this.#read();
  }

  /** The line numbers, from 1, of the keys in the newest batch. Counts line feeds backwards, from the batch's end. */
  lineNumbers({ bytes, starts, length }: PackedKeys): number[] {
    const numbers = new Array<number>(length);
    let line = this.#lines + 1; // the line that begins after the batch
    let at = bytes.length;
    for (let i = length - 1; i >= 0; i--) {
      const start = starts[i] as number;
      while (at > start) if (bytes[--at] === LINE_FEED) line--;
      numbers[i] = line;
    }
    return numbers;
  }

  /** The beginning of a message about a key in the newest batch. */
  placeOf(batch: PackedKeys, i: number): string {
    return `${this.name}: line ${formatCount(this.lineNumbers(batch)[i] ?? 0)}: key`;
  }

  /** Such as `3 comments and blanks around 12 keys dropped, `; '' if nothing was dropped. */
  get dropped(): string {
    const { comments, blanks } = this.extras;
    const parts = [
      comments > 0 && pluralize(comments, 'comment'),
      blanks > 0 && `blanks around ${pluralize(blanks, 'key')}`,
    ].filter(Boolean);
    return this.#rules.comments && parts.length > 0 ? `${parts.join(' and ')} dropped, ` : '';
  }

  /** Warns if the file does not look like a list of keys, or if keys look like comments or have blanks around them. */
  warn(terminal: Terminal): void {
    if (this.#isHtml) {
      const what = 'this is HTML, perhaps an error page that was saved as the list';
      terminal.warn(this.name, `${what}: each of its lines is a key`);
    } else if (this.#isCounted && this.keys > 0) {
      const what = 'every line is HEX:NUMBER, as in a file of Pwned Passwords';
      const hint = "the number is part of the key; 'cut -d: -f1' removes it";
      terminal.warn(this.name, `${what}: ${hint} (see the recipe Breached passwords)`);
    }
    const { comments, blanks } = this.extras;
    const parts = [
      comments > 0 &&
        `${pluralize(comments, 'line')} ${comments === 1 ? 'begins' : 'begin'} with #`,
      blanks > 0 && `${formatCount(blanks)} ${blanks === 1 ? 'has' : 'have'} blanks around the key`,
    ].filter(Boolean);
    if (this.#rules.comments || parts.length === 0) return;
    const hint = "lines are used unchanged; --comments '#' drops comments and blanks";
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

  /** Finds out, from the next keys, whether the file is HTML or a list with counts. */
  #judge({ bytes, starts, ends, length }: PackedKeys): void {
    const textAt = (i: number) =>
      Buffer.from(bytes.subarray(starts[i], ends[i])).toString('latin1');
    if (this.keys === 0 && length > 0)
      this.#isHtml = /^\s*<(!doctype|html|head|\?xml)/i.test(textAt(0));
    for (let i = 0; i < length && this.#isCounted; i++) {
      this.#isCounted = /^[\da-f]{32,128}:\d+$/i.test(textAt(i));
    }
  }

  /** Yields the text, and counts its lines before. Throws if a line is too long: gzip may hide gigabytes in one. */
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
          throw new CommandError(`${this.name}: ${what}: --max-line N allows longer lines`);
        }
      }
      yield chunk;
    }
  }
}

/** Decompresses the bytes if they are gzip, which it recognizes from the content and not from the name. */
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
  // Every gzip file begins with these two bytes, and no UTF-8 text can.
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  // `pipeline` needs a callback, which has nothing to do, because the stream throws its errors to the reader.
  yield* isGzip ? pipeline(joined, createGunzip(), () => {}) : joined();
}

/** Passes the chunks on. Throws at a NUL byte, at bytes that are not UTF-8, and if the text ends inside a character. */
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
  new CommandError(`${name}: not text (${what}): a list must be lines of UTF-8`);

// Finds comments, and blanks around keys.

/** The numbers of lines with a comment, and of keys with blanks around them. The text is kept or dropped. */
interface Extras {
  /** The lines with a comment: those that contain the mark of --comments or, without that option, begin with #. */
  comments: number;
  /** The other keys with blanks before or after them. */
  blanks: number;
}

const HASH = 0x23;

/** True for a space or a tab. */
const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09;

/** Reads the mark of --comments as bytes. Throws if the text cannot begin a comment. */
function parseCommentMark(text: string): Uint8Array {
  if (text === '' || /\s/.test(text)) {
    throw new UsageError(`--comments '${text}': expected the start of a comment, such as '#'`);
  }
  return Buffer.from(text);
}

/** Counts keys that look like comments, and keys with blanks around them. All of them are kept as they are. */
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

/** Removes comments, and blanks around keys, and counts both. The mark begins the line or follows a blank. */
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

/** The offset at which the comment begins in a line; -1 if there is none. */
function startOfComment(line: Uint8Array, mark: Uint8Array): number {
  const text = Buffer.from(line.buffer, line.byteOffset, line.length);
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    if (at === 0 || isBlank(text[at - 1])) return at;
  }
  return -1;
}
