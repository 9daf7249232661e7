// The bytes of a feed in small pieces, and its lines.

import { typeError } from '../core/errors.js';
import { GrowingBytes } from '../core/growing-bytes.js';
import { pin } from '../core/key-types.js';
import { type ByteSource, chunksOf } from '../core/streams.js';
import type { Findings, LineReader } from './report.js';

/** The most bytes of one step, however large a chunk is. */
export const pieceBytes = 65_536;

/** Yields a source in pieces of at most 64 kB. Throws for gzip. */
export async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array, void, undefined> {
  const start: number[] = [];
  for await (const bytes of chunksOf(source, undefined, 'readFeed')) {
    const chunk = pin(bytes, 'readFeed');
    if (start.length < 2) {
      start.push(...chunk.subarray(0, 2 - start.length));
      if (start[0] === 0x1f && start[1] === 0x8b) {
        throw typeError("readFeed: the feed is gzip; pipe it through DecompressionStream('gzip')");
      }
    }
    for (let i = 0; i < chunk.length; i += pieceBytes) yield chunk.subarray(i, i + pieceBytes);
  }
}

/** The most bytes that are kept of a long line; a report shows fewer. */
const shownBytes = 400;

/** NUL, or bytes that are not UTF-8. A line with these cannot be trusted. */
const damage = /[\0\ufffd]/;

/** Cuts pieces into lines, and reads each. A line that is too long is reported as skipped, and not held in memory. */
export class LineCutter {
  readonly #reader: LineReader;
  readonly #findings: Findings;
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #gathered = new GrowingBytes();
  /** The start of the long line that is being skipped; undefined if there is none. */
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
    // A byte order mark (3 bytes) and a carriage return do not count.
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
    const most = this.#maxLineBytes;
    for (const text of whole.split('\n')) {
      this.#findings.report.lines++;
      const line = this.#trim(text);
      const isLong = 3 * line.length > most && new TextEncoder().encode(line).length > most;
      if (isLong) this.#findings.skip('too-long', line);
      else if (isDamaged && damage.test(line)) this.#findings.skip('not-understood', line);
      else this.#reader.read(line);
    }
  }

  #trim(text: string): string {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    return this.#findings.report.lines === 1 && line.startsWith('\ufeff') ? line.slice(1) : line;
  }
}
