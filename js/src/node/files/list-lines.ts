// Comments, and blanks around keys, in the lines of a list.

import type { PackedKeys } from 'tamis';
import { UsageError } from '../frame/errors.js';
import { formatCount, pluralize } from '../frame/format.js';

/** The number of lines with comments or blanks, which were kept or dropped. */
export interface Extras {
  /** The lines with a comment: those that begin with #, or those with the mark, if one is given. */
  comments: number;
  /** The other keys with blanks before or after them. */
  blanks: number;
}

const SPACE = 0x20;
const TAB = 0x09;
const HASH = 0x23;

const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;

/** The bytes of the mark of --comments. Throws if the text cannot begin a comment. */
export function parseCommentMark(text: string): Uint8Array {
  if (text === '' || /\s/.test(text)) {
    throw new UsageError(`--comments '${text}': expected what comments begin with, such as '#'`);
  }
  return Buffer.from(text);
}

/** Counts keys that look like comments, and keys with blanks around them. All of them stay keys. */
export function countExtras({ bytes, starts, ends, length }: PackedKeys, extras: Extras): void {
  for (let i = 0; i < length; i++) {
    const start = starts[i] as number;
    const end = ends[i] as number;
    let at = start;
    while (at < end && isBlank(bytes[at])) at++;
    if (bytes[at] === HASH && at < end) extras.comments++;
    else if (at > start || isBlank(bytes[end - 1])) extras.blanks++;
  }
}

/**
 * Removes comments, and blanks around keys, and counts both. A comment is the rest of a line from a mark on that begins
 * the line or follows a blank.
 */
export function dropExtras(keys: PackedKeys, mark: Uint8Array, extras: Extras): PackedKeys {
  const { bytes, length } = keys;
  const starts = new Uint32Array(length);
  const ends = new Uint32Array(length);
  let kept = 0;
  for (let i = 0; i < length; i++) {
    let start = keys.starts[i] as number;
    const end = keys.ends[i] as number;
    const comment = startOfComment(bytes.subarray(start, end), mark);
    let cut = comment < 0 ? end : start + comment;
    while (start < cut && isBlank(bytes[start])) start++;
    while (cut > start && isBlank(bytes[cut - 1])) cut--;
    if (comment >= 0) extras.comments++;
    else if (cut - start < end - (keys.starts[i] as number)) extras.blanks++;
    if (start === cut) continue;
    starts[kept] = start;
    ends[kept++] = cut;
  }
  return { bytes, starts, ends, length: kept };
}

function startOfComment(line: Uint8Array, mark: Uint8Array): number {
  const text = Buffer.from(line.buffer, line.byteOffset, line.length);
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    if (at === 0 || isBlank(text[at - 1])) return at;
  }
  return -1;
}

/** `3 comments and blanks around 12 keys dropped`; undefined if nothing was dropped. */
export function describeDropped({ comments, blanks }: Extras): string | undefined {
  const parts = [
    comments > 0 && pluralize(comments, 'comment'),
    blanks > 0 && `blanks around ${pluralize(blanks, 'key')}`,
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join(' and ')} dropped` : undefined;
}

/** A warning if keys look like comments or have blanks, although they are taken as they are. */
export function extrasWarning({ comments, blanks }: Extras): string | undefined {
  const parts = [
    comments > 0 && `${pluralize(comments, 'line')} ${comments === 1 ? 'begins' : 'begin'} with #`,
    blanks > 0 && `${formatCount(blanks)} ${blanks === 1 ? 'has' : 'have'} blanks around the key`,
  ].filter(Boolean);
  if (parts.length === 0) return undefined;
  return `${parts.join(', ')}: lines are taken as they stand; --comments '#' drops comments and blanks`;
}
