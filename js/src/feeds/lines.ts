// The bytes of a feed, in pieces that are not large, and its lines.

import { typeError } from '../core/errors.js';
import { GrowingBytes } from '../core/growing-bytes.js';
import { pin } from '../core/key-types.js';
import { type ByteSource, chunksOf } from '../core/streams.js';
import type { Findings, LineReader } from './report.js';

/** What is looked at in one step, however large a chunk is. */
export const pieceBytes = 65_536;

/** The bytes of a source in pieces of at most 64 kB. Throws for gzip. */
export async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array, void, undefined> {
  let before = -1;
  let count = 0;
  for await (const given of chunksOf(source, undefined, 'readFeed')) {
    const chunk = pin(given, 'readFeed');
    if (count < 2) {
      const first = count === 0 ? chunk[0] : before;
      const second = count === 0 ? chunk[1] : chunk[0];
      if (first === 0x1f && second === 0x8b) {
        throw typeError("readFeed: the feed is gzip; pipe it through DecompressionStream('gzip')");
      }
      before = first as number;
      count += chunk.length;
    }
    for (let i = 0; i < chunk.length; i += pieceBytes) yield chunk.subarray(i, i + pieceBytes);
  }
}

/** More than the letters of a line that a report shows. */
const shownBytes = 400;

/** NUL, and what was no UTF-8: nothing that such a line says is sure. */
const damage = /[\0\ufffd]/;

/** Cuts pieces into lines, and has each read. One that is too long is told, and not held. */
export class LineCutter {
  readonly #reader: LineReader;
  readonly #findings: Findings;
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #gathered = new GrowingBytes();
  /** The start of a line that is passed over; undefined where none is. */
  #passed: string | undefined;

  constructor(reader: LineReader, findings: Findings, maxLineBytes: number) {
    this.#reader = reader;
    this.#findings = findings;
    this.#maxLineBytes = maxLineBytes;
  }

  read(piece: Uint8Array): void {
    let from = 0;
    if (this.#passed !== undefined) {
      from = piece.indexOf(0x0a) + 1;
      if (from === 0) return;
      this.#endPassed();
    }
    const end = piece.lastIndexOf(0x0a) + 1;
    if (end > from) {
      this.#gathered.add(piece.subarray(from, end));
      this.#cut(this.#gathered.all.subarray(0, -1));
      this.#gathered.length = 0;
      from = end;
    }
    this.#gathered.add(piece.subarray(from));
    // A byte order mark and a carriage return are no part of the line.
    if (this.#gathered.length <= Math.max(this.#maxLineBytes + 4, shownBytes)) return;
    this.#passed = this.#decoder.decode(this.#gathered.all.subarray(0, shownBytes));
    this.#gathered.take();
  }

  end(): void {
    if (this.#passed !== undefined) this.#endPassed();
    else if (this.#gathered.length > 0) this.#cut(this.#gathered.all);
    this.#reader.end?.();
  }

  #endPassed(): void {
    this.#findings.report.lines++;
    this.#findings.skip('too-long', this.#trim(this.#passed as string));
    this.#passed = undefined;
  }

  #cut(bytes: Uint8Array): void {
    const whole = this.#decoder.decode(bytes);
    const isDamaged = damage.test(whole);
    for (const text of whole.split('\n')) {
      this.#findings.report.lines++;
      const line = this.#trim(text);
      if (this.#isTooLong(line)) this.#findings.skip('too-long', line);
      else if (isDamaged && damage.test(line)) this.#findings.skip('not-understood', line);
      else this.#reader.read(line);
    }
  }

  #trim(text: string): string {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    return this.#findings.report.lines === 1 && line.startsWith('\ufeff') ? line.slice(1) : line;
  }

  #isTooLong(line: string): boolean {
    if (line.length * 3 <= this.#maxLineBytes) return false;
    return new TextEncoder().encode(line).length > this.#maxLineBytes;
  }
}
