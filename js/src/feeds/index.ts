/**
 * Reads block lists that others publish, line by line. Yields what each list blocks and excepts, and reports what was
 * skipped.
 *
 * @packageDocumentation
 */

import { mustBe, typeError } from '../core/errors.js';
import { GrowingBytes } from '../core/growing-bytes.js';
import { pin } from '../core/key-types.js';
import {
  callable,
  flag,
  integer,
  namesOf,
  oneOf,
  type Reader,
  readOptions,
  text,
} from '../core/options.js';
import { type ByteSource, checkSource, chunksOf } from '../core/streams.js';
import { detectFormat, type LineFormat, lineReaders } from './detect.js';
import { JsonStreamReader } from './json.js';
import { spell } from './names.js';
import {
  type FeedEntry,
  type FeedFormat,
  type FeedReport,
  type FeedSkip,
  Findings,
  inBatches,
  type LineReader,
  type ReaderSettings,
  type SkipReason,
} from './report.js';
import { jsonReaders } from './tables.js';

export { TamisError, type TamisErrorCode } from '../core/errors.js';
export type { ByteSource } from '../core/streams.js';
export type {
  FeedEntry,
  FeedFormat,
  FeedReport,
  FeedSkip,
  SkipReason,
} from './report.js';

/** Options of `readFeed`. */
export interface FeedOptions {
  /** The format. With 'auto', the default, it is detected from the heading, or from the lines of the first 64 kB. */
  readonly format?: FeedFormat | 'auto';
  /** For the format 'csv', which needs it: the column with URLs or names, by its number from 1 or its name. */
  readonly column?: number | string;
  /** Addresses or names to which the feed sends blocked names, such as the address of a block page. */
  readonly landing?: readonly string[];
  /** If true, the default, skips URLs that URLhaus or PhishTank marks as dead. */
  readonly online?: boolean;
  /** The longest line, in bytes, and the longest string of JSON; default 65,536. Longer ones are skipped. */
  readonly maxLineBytes?: number;
  /** Called for each skip. The report itself keeps the first 20 skips of each reason. */
  readonly onSkip?: (skip: FeedSkip) => void;
}

/** The most bytes that are kept of a long line. A report shows 80 characters, at most 320 bytes. */
const shownBytes = 400;

/** Matches NUL, bytes that are not UTF-8, or a lone carriage return. A line with these cannot be trusted. */
const damage = /[\0\ufffd]|\r(?!\n)/;
/** Matches a comment in any format. A damaged comment does no harm. */
const commentLine = /^\s*[!#;]/;

const quotesIn = (bytes: Uint8Array): number => bytes.filter((byte) => byte === 0x22).length;

/** Cuts pieces into lines, and reads each line. A line that is too long is skipped, and not kept in memory. */
class LineCutter {
  readonly #reader: LineReader;
  readonly #findings: Findings;
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #gathered = new GrowingBytes();
  /** The start of the long line that is being skipped, and its quotes so far; undefined if there is none. */
  #longLine: { readonly start: string; quotes: number } | undefined;

  constructor(reader: LineReader, findings: Findings, maxLineBytes: number) {
    this.#reader = reader;
    this.#findings = findings;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Reads the lines that end in a piece. The rest of the piece waits in `#gathered`. */
  read(piece: Uint8Array): void {
    let from = 0;
    if (this.#longLine !== undefined) {
      const lineEnd = piece.indexOf(0x0a);
      this.#longLine.quotes += quotesIn(lineEnd < 0 ? piece : piece.subarray(0, lineEnd));
      if (lineEnd < 0) return; // the line goes on
      this.#endLongLine();
      from = lineEnd + 1;
    }
    const end = piece.lastIndexOf(0x0a) + 1;
    if (end > from) {
      this.#gathered.add(piece.subarray(from, end));
      this.#readLines(this.#gathered.all.subarray(0, -1)); // without the last line feed
      this.#gathered.length = 0;
      from = end;
    }
    this.#gathered.add(piece.subarray(from));
    // A byte order mark (3 bytes) and a carriage return do not count. However small the limit, a report shows enough.
    if (this.#gathered.length <= Math.max(this.#maxLineBytes + 4, shownBytes)) return;
    const { all } = this.#gathered;
    const start = this.#decoder.decode(all.subarray(0, shownBytes));
    this.#longLine = { start, quotes: quotesIn(all) };
    this.#gathered.take(); // frees the memory, and sets the length to 0
  }

  end(): void {
    if (this.#longLine !== undefined) this.#endLongLine();
    else if (this.#gathered.length > 0) this.#readLines(this.#gathered.all);
    this.#reader.end?.();
  }

  #endLongLine(): void {
    const { start = '', quotes = 0 } = this.#longLine ?? {};
    this.#findings.report.lines++;
    this.#skip('too-long', this.#trim(start), quotes);
    this.#longLine = undefined;
  }

  #skip(reason: SkipReason, line: string, quotes = line.split('"').length - 1): void {
    this.#findings.skip(reason, line);
    this.#reader.skip?.(quotes);
  }

  #readLines(bytes: Uint8Array): void {
    const whole = this.#decoder.decode(bytes);
    // Few pieces are damaged, so in most pieces this test spares a test of each line.
    const isDamaged = damage.test(whole);
    const most = this.#maxLineBytes;
    for (const text of whole.split('\n')) {
      this.#findings.report.lines++;
      const line = this.#trim(text);
      // A UTF-16 unit takes at most 3 bytes, so most lines need not be encoded to know that they are short.
      const isLong = 3 * line.length > most && new TextEncoder().encode(line).length > most;
      if (isLong) this.#skip('too-long', line);
      else if (!isDamaged || !damage.test(line)) this.#reader.read(line);
      else if (commentLine.test(line)) this.#findings.comment();
      else this.#skip('not-understood', line);
    }
  }

  /** Returns a line without its carriage return, and the first line without its byte order mark. */
  #trim(text: string): string {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    return this.#findings.report.lines === 1 && line.startsWith('\ufeff') ? line.slice(1) : line;
  }
}

const hasLines = (format: FeedFormat): format is LineFormat => Object.hasOwn(lineReaders, format);

function readerOf(
  format: FeedFormat,
  findings: Findings,
  settings: ReaderSettings,
): LineCutter | JsonStreamReader {
  const { online, maxLineBytes } = settings;
  if (hasLines(format)) {
    return new LineCutter(lineReaders[format](findings, settings), findings, maxLineBytes);
  }
  return new JsonStreamReader(jsonReaders[format](findings, online), maxLineBytes);
}

/** The maximum number of bytes in one step, however large a chunk is. */
const pieceBytes = 65_536;

/** Yields a source in pieces of at most 64 kB. Throws for gzip. */
async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array, void, undefined> {
  const firstBytes: number[] = [];
  for await (const bytes of chunksOf(source, undefined, 'readFeed')) {
    const chunk = pin(bytes, 'readFeed');
    firstBytes.push(...chunk.subarray(0, 2 - firstBytes.length));
    if (firstBytes[0] === 0x1f && firstBytes[1] === 0x8b) {
      throw typeError("readFeed: the feed is gzip; pipe it through DecompressionStream('gzip')");
    }
    for (let i = 0; i < chunk.length; i += pieceBytes) yield chunk.subarray(i, i + pieceBytes);
  }
}

/** Yields the entries of each piece in an array, also those before a fault. For 'auto', the first 64 kB decide. */
async function* batchesOf(
  source: ByteSource,
  findings: Findings,
  settings: ReaderSettings,
): AsyncGenerator<FeedEntry[], void, undefined> {
  const { report } = findings;
  const head = new GrowingBytes();
  let reader = report.format === 'auto' ? undefined : readerOf(report.format, findings, settings);
  /** Detects the format of the head, and makes its reader, which reads the head. */
  const detect = (isWhole: boolean) => {
    report.format = detectFormat(head.all, isWhole, findings.landing);
    const detected = readerOf(report.format, findings, settings);
    detected.read(head.take());
    return detected;
  };
  for await (const piece of piecesOf(source)) {
    try {
      // Without a reader, pieces go into the head until it is full. The new reader then reads the rest of the piece.
      const headRoom = reader ? 0 : pieceBytes - head.length;
      head.add(piece.subarray(0, headRoom));
      if (piece.length < headRoom) continue;
      reader ??= detect(false);
      reader.read(piece.subarray(headRoom));
    } finally {
      yield findings.take();
    }
  }
  try {
    reader ??= detect(true);
    reader.end();
  } finally {
    yield findings.take();
  }
}

/** Returns the text of a feed as a stream. Throws TypeError if the text is only a URL. */
function streamOf(text: string): ByteSource {
  if (!/^https?:\/\/\S+$/i.test(text)) return new Blob([text]).stream();
  const cure = 'pass the body of await fetch(url), or add a newline if the feed is this line';
  throw typeError(`readFeed: the text is only a URL: ${cure}`);
}

const columnOf: Reader<number | string> = (value, name) =>
  typeof value === 'string' && value !== '' ? value : integer(1, 2 ** 20)(value, name);

const landingSet: Reader<ReadonlySet<string>> = (value, name) => {
  if (!Array.isArray(value)) throw mustBe('an array of addresses', name, value);
  return new Set(value.map((one) => spell(text(one, name))));
};

/**
 * Reads a feed as a stream, and yields its entries in order.
 *
 * It keeps at most a piece of 64 kB and one line in memory. A line that is not understood is skipped; the report counts
 * the line, and says why. While you iterate, `report` has the figures so far.
 *
 * A string is the feed's text, not its address, so a lone URL without a newline is refused. Exceptions are entries of
 * the kind `allow-host`. `UrlListBuilder.addFeed` applies them as programs for the feed do, by their `precedence`.
 *
 * Throws ERR_TAMIS_INVALID_OPTION for wrong options, for gzip, and if 'auto' cannot tell the format. After the entries
 * before the fault, it throws ERR_TAMIS_TRUNCATED if JSON or a record ends too early, ERR_TAMIS_CORRUPT if JSON is
 * damaged, and ERR_TAMIS_TOO_LARGE if JSON is deeper than 64 levels.
 *
 * @example
 * import { readFeed } from 'tamis/feeds';
 * const feed = readFeed('||evil.example^\n@@||good.example^\nshop.example##.banner\n');
 * for await (const { kind, text } of feed) console.log(kind, text);
 * // prints: host evil.example
 * // prints: allow-host good.example
 * feed.report.format; // => 'adblock'
 * feed.report.skipped; // => { cosmetic: 1 }
 */
export function readFeed(
  source: ByteSource | string,
  options?: FeedOptions,
): AsyncIterable<FeedEntry> & { readonly report: FeedReport } {
  const readers = {
    format: oneOf(['auto', ...namesOf(lineReaders), ...namesOf(jsonReaders)]),
    column: columnOf,
    landing: landingSet,
    online: flag,
    maxLineBytes: integer(1, 2 ** 28),
    onSkip: callable<(skip: FeedSkip) => void>(),
  };
  const values = readOptions(options, readers, 'readFeed');
  const { format = 'auto', column, online = true, maxLineBytes = 65_536, onSkip } = values;
  if ((format === 'csv') !== (column !== undefined)) {
    const need = column === undefined ? 'needs' : 'alone has';
    throw typeError(`readFeed: the format 'csv' ${need} the option column`);
  }
  const stream = typeof source === 'string' ? streamOf(source) : source;
  checkSource(stream, 'readFeed');
  const findings = new Findings(format, onSkip, values.landing);
  const batches = batchesOf(stream, findings, { online, maxLineBytes, column });
  async function* entries(): AsyncGenerator<FeedEntry, void, undefined> {
    // From here on, this loop has the rest of a batch, so another reader of `batches` would miss entries.
    delete feed[inBatches];
    for await (const batch of batches) for (const entry of batch) yield entry;
  }
  const more: { report: FeedReport; [inBatches]?: AsyncIterable<FeedEntry[]> } = {
    report: findings.report,
    [inBatches]: batches,
  };
  const feed = Object.assign(entries(), more);
  return feed;
}
