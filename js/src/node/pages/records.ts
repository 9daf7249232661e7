// Writes and reads the lines that `tamis hash` prints for `tamis pages`. A line has a page, a hash and, for some types,
// a third field, in hexadecimal of a fixed width, so LC_ALL=C sort orders the lines by page and hash. The last line of
// each run (its closing line) contains the number of printed records, so that an interrupted run is detected. It has an
// id, so that sort -u keeps it, and begins with ~, so that it sorts after all records.

import { createHash, randomBytes } from 'node:crypto';
import type { PageType } from '../../pages/steps.js';
import { CommandError } from '../frame/errors.js';
import { formatCount, pluralize } from '../frame/format.js';

const TAB = 9;
const LINE_FEED = 10;
const PAGE_DIGITS = 8;
const HASH_DIGITS = 16;
/** The offset of the hash in a line, and the offset of the hash's lower half. */
const HASH_AT = PAGE_DIGITS + 1;
const LOW_AT = HASH_AT + HASH_DIGITS / 2;
const VALUE_DIGITS = 8;
/** The number of bytes of page, tab and hash. */
const PLAIN = HASH_AT + HASH_DIGITS;

/** The third field: absent, a value, or a flag that is 1 for an included and 0 for an excluded key. */
export type ThirdField = 'none' | 'value' | 'flag';

export const thirdOf = (type: PageType): ThirdField =>
  type === 'exact' ? 'flag' : type === 'bloomier' ? 'value' : 'none';

const thirdDigits: Readonly<Record<ThirdField, number>> = { none: 0, value: VALUE_DIGITS, flag: 1 };

/** The number of bytes in a line, with its line feed. */
const lineBytes = (third: ThirdField): number =>
  PLAIN + 1 + (third === 'none' ? 0 : 1 + thirdDigits[third]);

const hexDigits = new TextEncoder().encode('0123456789abcdef');

function putHex(target: Uint8Array, at: number, value: number, width: number): void {
  let rest = value;
  for (let i = at + width - 1; i >= at; i--) {
    target[i] = hexDigits[rest & 15] as number;
    rest >>>= 4;
  }
}

/** Writes the lines for keys. `thirdAt` returns the third field of a key, if lines have one. */
export function formatRecords(
  pages: Uint32Array,
  hashes: BigUint64Array,
  third: ThirdField,
  thirdAt: (index: number) => number,
): Buffer {
  const size = lineBytes(third);
  const lines = Buffer.allocUnsafe(size * pages.length);
  // Halves of each hash: the lower half comes first, because machines are little-endian.
  const halves = new Uint32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
  for (let i = 0, at = 0; i < pages.length; i++, at += size) {
    putHex(lines, at, pages[i] as number, PAGE_DIGITS);
    lines[at + PAGE_DIGITS] = TAB;
    putHex(lines, at + HASH_AT, halves[2 * i + 1] as number, HASH_DIGITS / 2);
    putHex(lines, at + LOW_AT, halves[2 * i] as number, HASH_DIGITS / 2);
    if (third !== 'none') {
      lines[at + PLAIN] = TAB;
      putHex(lines, at + PLAIN + 1, thirdAt(i), thirdDigits[third]);
    }
    lines[at + size - 1] = LINE_FEED;
  }
  return lines;
}

/** Records that were read, with the line number of the first record. */
export interface Records {
  readonly pages: Uint32Array;
  readonly hashes: BigUint64Array<ArrayBuffer>;
  readonly third: Uint32Array<ArrayBuffer>;
  readonly firstLine: number;
  /** The lines as they were read. */
  readonly lines: Uint8Array;
}

/** The value of each byte as a hexadecimal digit; 16 if the byte is no digit. */
const digitOf = new Uint8Array(256).fill(16);
for (const [value, digit] of hexDigits.entries()) digitOf[digit] = value;

/** Reads a number of `width` hexadecimal digits; negative if a byte is no digit. */
function readHex(lines: Uint8Array, from: number, width: number): number {
  let value = 0;
  for (let at = from; at < from + width; at++) {
    const digit = digitOf[lines[at] as number] as number;
    if (digit > 15) return -1;
    value = 16 * value + digit;
  }
  return value;
}

/** Reads records from chunks of text. `closing` gets the closing lines. Throws a CommandError that names the line. */
export async function* parseRecords(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  third: ThirdField,
  closing: ClosingLines,
): AsyncGenerator<Records> {
  let rest: Uint8Array = new Uint8Array();
  let line = 1;
  let isClosing = false;
  const size = lineBytes(third);
  for await (const chunk of chunks) {
    const lines = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    if (!isClosing) {
      const most = Math.floor(lines.length / size); // the number of records, unless a closing line comes before
      let count = 0;
      while (count < most && lines[size * count] !== TILDE) count++;
      at = size * count;
      if (count > 0) yield parse(lines.subarray(0, at), count, third, line, name);
      line += count;
      isClosing = lines[at] === TILDE;
    }
    if (isClosing) {
      for (; lines.length - at >= CLOSING_BYTES; at += CLOSING_BYTES) {
        closing.add(lines.subarray(at, at + CLOSING_BYTES), line++);
      }
    }
    rest = lines.slice(at); // the start of the next line
  }
  if (rest.length === 0) return;
  // The last line is not complete, so `add` throws.
  if (isClosing) closing.add(rest, line);
  else throw badRecord(name, line, rest, third);
}

function parse(
  lines: Uint8Array,
  count: number,
  third: ThirdField,
  firstLine: number,
  name: string,
): Records {
  const size = lineBytes(third);
  const pages = new Uint32Array(count);
  const hashes = new BigUint64Array(count);
  const halves = new Uint32Array(hashes.buffer);
  const thirdFields = new Uint32Array(third === 'none' ? 0 : count);
  for (let i = 0, at = 0; i < count; i++, at += size) {
    const page = readHex(lines, at, PAGE_DIGITS);
    const high = readHex(lines, at + HASH_AT, HASH_DIGITS / 2);
    const low = readHex(lines, at + LOW_AT, HASH_DIGITS / 2);
    let isRight = page >= 0 && high >= 0 && low >= 0 && lines[at + PAGE_DIGITS] === TAB;
    if (third !== 'none') {
      const value = readHex(lines, at + PLAIN + 1, thirdDigits[third]);
      isRight &&= lines[at + PLAIN] === TAB && value >= 0 && (third === 'value' || value < 2);
      thirdFields[i] = value;
    }
    if (!isRight || lines[at + size - 1] !== LINE_FEED) {
      throw badRecord(name, firstLine + i, lines.subarray(at, at + size), third);
    }
    pages[i] = page;
    halves[2 * i] = low;
    halves[2 * i + 1] = high;
  }
  return { pages, hashes, third: thirdFields, firstLine, lines };
}

function badRecord(name: string, line: number, bytes: Uint8Array, third: ThirdField): CommandError {
  const more = {
    none: '',
    value: ', a tab and a value of 8 digits',
    flag: ', a tab and 1 or 0',
  }[third];
  const end = bytes.indexOf(LINE_FEED);
  const text = Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('latin1');
  return new CommandError(
    `${name}: line ${formatCount(line)}: ${text}: expected a page of 8 hex digits, a tab and a hash of 16${more}, as tamis hash writes them`,
  );
}

/** The first byte of a closing line. */
const TILDE = 0x7e;
const ID_BYTES = 16;
const COUNT_DIGITS = 16;
/** The number of bytes in a closing line: a tilde, two fields with a tab before each, and a line feed. */
const CLOSING_BYTES = 1 + (1 + 2 * ID_BYTES) + (1 + COUNT_DIGITS) + 1;

export const formatClosing = (records: number): string => {
  const count = records.toString(16).padStart(COUNT_DIGITS, '0');
  return `~\t${randomBytes(ID_BYTES).toString('hex')}\t${count}\n`;
};

/** The closing lines of one input, one for each run of `tamis hash`. A repeated line counts once. */
export class ClosingLines {
  readonly #name: string;
  readonly #counts = new Map<string, number>();

  /** `name` is the name of the input, for errors. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The number of records that all runs of `tamis hash` printed. */
  get records(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** A digest of the closing lines, which does not depend on their order. */
  get digest(): string {
    const lines = [...this.#counts].map(([id, count]) => `${id} ${count}\n`).sort();
    return createHash('sha256').update(lines.join('')).digest('hex');
  }

  /** Adds a line with its line feed. Throws a CommandError unless it is a closing line with a count below 2^52. */
  add(bytes: Uint8Array, line: number): void {
    const text = Buffer.from(bytes).toString('latin1');
    const match = /^~\t([\da-f]{32})\t(000[\da-f]{13})\n$/.exec(text);
    const place = `${this.#name}: line ${formatCount(line)}`;
    if (match === null) {
      const what = text.startsWith('~')
        ? 'expected a complete closing line, as tamis hash writes it'
        : 'a record after a closing line: sort with LC_ALL=C';
      throw new CommandError(`${place}: ${what}`);
    }
    const [, id = '', hexCount = ''] = match;
    const count = Number.parseInt(hexCount, 16);
    if ((this.#counts.get(id) ?? count) !== count) {
      throw new CommandError(`${place}: an earlier closing line with this id has another count`);
    }
    this.#counts.set(id, count);
  }

  /** Throws a CommandError unless exactly `runs` runs of `tamis hash` ended, and printed at least `records` records. */
  check(records: number, runs: number): void {
    const { size } = this.#counts;
    if (size !== runs) {
      const lines = size === 0 ? 'no closing line' : pluralize(size, 'closing line');
      const way = size > runs ? `pass --hashes ${size}` : 'a run of tamis hash did not end';
      throw new CommandError(`${this.#name}: ${lines}, expected ${runs}: ${way}`);
    }
    if (records <= this.records) return;
    const counts = `${pluralize(records, 'record')}, but the closing lines say ${formatCount(this.records)}`;
    throw new CommandError(`${this.#name}: ${counts}: hash and sort again`);
  }
}
