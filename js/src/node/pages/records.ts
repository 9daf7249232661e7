// The lines between `tamis hash` and `tamis pages`: a page, a hash and for some types a third field, in hexadecimal of
// a fixed width. So LC_ALL=C sort orders them by page and hash. Closing lines come behind them.

import type { PageType } from '../../pages/steps.js';
import { CommandError } from '../frame/errors.js';
import { formatCount } from '../frame/format.js';
import { CLOSING_BYTES, type ClosingLines, TILDE } from './closing.js';

const TAB = 9;
const LINE_FEED = 10;
const PAGE_DIGITS = 8;
const HASH_DIGITS = 16;
const VALUE_DIGITS = 8;
/** The bytes of page, tab and hash. */
const PLAIN = PAGE_DIGITS + 1 + HASH_DIGITS;

/** The third field: absent, a value, or 1 for an included and 0 for an excluded key. */
export type ThirdField = 'none' | 'value' | 'flag';

/** The kind of third field, by type. */
export const thirdOf = (type: PageType): ThirdField =>
  type === 'exact' ? 'flag' : type === 'bloomier' ? 'value' : 'none';

const thirdDigits: Readonly<Record<ThirdField, number>> = { none: 0, value: VALUE_DIGITS, flag: 1 };

/** The bytes of a line, with its line feed. */
const lineBytes = (third: ThirdField): number =>
  PLAIN + 1 + (third === 'none' ? 0 : 1 + thirdDigits[third]);

const digits = new TextEncoder().encode('0123456789abcdef');

function putHex(target: Uint8Array, at: number, value: number, count: number): void {
  let rest = value;
  for (let i = at + count - 1; i >= at; i--) {
    target[i] = digits[rest & 15] as number;
    rest >>>= 4;
  }
}

/** Writes the lines of keys; `more` has the third fields, if there are any. */
export function formatRecords(
  pages: Uint32Array,
  hashes: BigUint64Array,
  third: ThirdField,
  more: (index: number) => number,
): Buffer {
  const size = lineBytes(third);
  const lines = Buffer.allocUnsafe(size * pages.length);
  const halves = new Uint32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
  for (let i = 0, at = 0; i < pages.length; i++, at += size) {
    putHex(lines, at, pages[i] as number, PAGE_DIGITS);
    lines[at + PAGE_DIGITS] = TAB;
    putHex(lines, at + 9, halves[2 * i + 1] as number, 8);
    putHex(lines, at + 17, halves[2 * i] as number, 8);
    if (third !== 'none') {
      lines[at + PLAIN] = TAB;
      putHex(lines, at + PLAIN + 1, more(i), thirdDigits[third]);
    }
    lines[at + size - 1] = LINE_FEED;
  }
  return lines;
}

/** Records that were read, and the line number of the first. */
export interface Records {
  readonly pages: Uint32Array;
  readonly hashes: BigUint64Array<ArrayBuffer>;
  readonly third: Uint32Array<ArrayBuffer>;
  readonly firstLine: number;
  /** The lines as they were read. */
  readonly lines: Uint8Array;
}

/** The value of each byte as a hexadecimal digit; 16 or more if it is not one. */
const digitOf = new Uint8Array(256).fill(16);
for (const [value, digit] of digits.entries()) digitOf[digit] = value;

/** Reads a number of `count` digits; negative if one is not a digit. */
function readHex(lines: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = digitOf[lines[at] as number] as number;
    if (digit > 15) return -1;
    value = 16 * value + digit;
  }
  return value;
}

/**
 * Reads the records in chunks of lines; `closing` receives the lines behind them. Throws a CommandError with the line.
 */
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
      const most = Math.floor(lines.length / size);
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
    rest = lines.slice(at);
  }
  if (rest.length === 0) return;
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
  const more = new Uint32Array(third === 'none' ? 0 : count);
  for (let i = 0, at = 0; i < count; i++, at += size) {
    const page = readHex(lines, at, PAGE_DIGITS);
    const high = readHex(lines, at + 9, 8);
    const low = readHex(lines, at + 17, 8);
    let isRight = page >= 0 && high >= 0 && low >= 0 && lines[at + PAGE_DIGITS] === TAB;
    if (third !== 'none') {
      const value = readHex(lines, at + PLAIN + 1, thirdDigits[third]);
      isRight &&= lines[at + PLAIN] === TAB && value >= 0 && (third === 'value' || value < 2);
      more[i] = value;
    }
    if (!isRight || lines[at + size - 1] !== LINE_FEED) {
      throw badRecord(name, firstLine + i, lines.subarray(at, at + size), third);
    }
    pages[i] = page;
    halves[2 * i] = low;
    halves[2 * i + 1] = high;
  }
  return { pages, hashes, third: more, firstLine, lines };
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
