// Turns the stored bytes of a list into the bytes of its text, and checks each piece as it comes.

import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../frame/errors.js';
import { formatCount } from '../frame/format.js';

/** True where `head` begins as every gzip file does, and no UTF-8 text can. */
const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** Decompresses bytes if they are gzip, by their content and not by the file's name. */
export async function* unzip(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = new Uint8Array();
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  async function* all() {
    yield head;
    yield* chunks;
  }
  // The stream itself throws the errors, to its reader.
  yield* isGzip(head) ? pipeline(all, createGunzip(), () => {}) : all();
}

/**
 * Passes the chunks on. Throws at a NUL byte, and at bytes that are not UTF-8. A character may lie in two chunks, but
 * the end must not cut one.
 */
export async function* checkUtf8(
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

function notTextError(name: string, what: string): CommandError {
  return new CommandError(`${name}: not text (${what}): a list is lines of UTF-8`);
}

export const LINE_FEED = 10;

/**
 * Passes the chunks on. Throws if a line is longer than `maxBytes`. A line stays in memory until its end, and a small
 * gzip file may hold gigabytes in one line. `ended` is called with the number of lines that ended, before the chunk
 * with the last of these ends is passed on.
 */
export async function* limitLines(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number,
  ended: (lines: number) => void,
): AsyncGenerator<Uint8Array> {
  let lines = 0;
  let size = 0;
  for await (const chunk of chunks) {
    for (let i = 0; i < chunk.length; i++) {
      if (chunk[i] === LINE_FEED) {
        lines++;
        size = 0;
      } else if (++size > maxBytes) {
        const what = `line ${formatCount(lines + 1)} has more than ${formatCount(maxBytes)} bytes`;
        throw new CommandError(`${name}: ${what}: --max-line N lets it be longer`);
      }
    }
    ended(lines);
    yield chunk;
  }
}
