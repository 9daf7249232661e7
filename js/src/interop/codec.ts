// Code that all codecs share: it reads files of other libraries within a size limit, and refuses wrong ones.

import { isOwner } from '../core/border/lifetime.js';
import { guessContent, TamisError, type TamisErrorCode } from '../core/errors.js';
import { integer, type Reader, readOptions } from '../core/options.js';
import { bytesOf, startOf } from '../core/structures/loading.js';
import { mustBeOwn, type Structure } from '../core/structures/structure.js';

/** The bytes of a file or a download. */
export type Binary = ArrayBuffer | Uint8Array;

/** The options of every `decode`. */
export interface DecodeOptions {
  /** The maximum size in bytes, both of the input and of the filter that its header claims; default 256 MiB. */
  readonly maxBytes?: number;
}

/** The options of every `create`, which makes a filter of the size that the other library chooses. */
export interface CreateOptions {
  /** The number of keys that the filter should have room for. */
  readonly capacity: number;
  /** The false-positive rate at `capacity`, from 2^-48 to below 1. */
  readonly fpr: number;
}

/** Reads one format of another library. You choose the codec, because most formats cannot be recognized. */
export interface Codec<Data, Result, Options = DecodeOptions> {
  readonly name: string;
  /**
   * Reads the filter in the bytes. Throws ERR_TAMIS_TOO_LARGE, ERR_TAMIS_TRUNCATED, ERR_TAMIS_CORRUPT and
   * ERR_TAMIS_UNSUPPORTED, and TypeError if the argument has a wrong type.
   */
  decode(data: Data, options?: Options): Result;
}

/** A codec that can write. */
export interface Encoder<Taken, Data> {
  /** Writes the filter in the other library's format. Throws ERR_TAMIS_INCOMPATIBLE for a filter of another scheme. */
  encode(filter: Taken): Data;
}

/** A codec that can make filters. */
export interface Creator<Options, Result> {
  /** Makes an empty filter of the size that the other library chooses. */
  create(options: Options): Result;
}

/** Reads the options of a `decode`: `maxBytes`, and those in `more`. Throws TypeError and RangeError. */
export const readDecode = <More extends Record<string, Reader<unknown>>>(
  format: string,
  options: unknown,
  more: More,
) => readOptions(options, { maxBytes: integer(1), ...more }, `${format}.decode`);

/** Reads `maxBytes`, for a `decode` that has no other option. */
export const maxBytesOf = (options: unknown, format: string): number | undefined =>
  readDecode(format, options, {}).maxBytes;

export function refusal(code: TamisErrorCode, format: string, detail: string): TamisError {
  return new TamisError(code, `${format}: ${detail}`);
}

/** Data of another library: enforces the size limit, and makes the errors. */
export class ForeignData {
  /** The codec's name, for messages. */
  readonly format: string;
  readonly #maxBytes: number;
  /** The first characters of the data. From them, a message guesses what the data is instead, such as HTML. */
  protected start = '';

  constructor(format: string, maxBytes = 256 * 2 ** 20) {
    this.format = format;
    this.#maxBytes = maxBytes;
  }

  /** Throws ERR_TAMIS_TOO_LARGE for a size above the caller's limit. */
  checkLimit(size: number | bigint): void {
    if (size <= this.#maxBytes) return;
    const limit = `more than the option maxBytes allows, which is ${this.#maxBytes}`;
    throw this.#refuse('ERR_TAMIS_TOO_LARGE', `${size} bytes are ${limit}`);
  }

  /** Returns a header's number of hashes. Throws ERR_TAMIS_CORRUPT for 0, and ERR_TAMIS_UNSUPPORTED above 64. */
  checkHashes(hashes: number | bigint): number {
    if (hashes < 1) throw this.corrupt(`a key sets ${hashes} bits`);
    if (hashes > 64) throw this.unsupported(`a key sets ${hashes} bits; tamis supports at most 64`);
    return Number(hashes);
  }

  truncated(detail: string): TamisError {
    return this.#refuse('ERR_TAMIS_TRUNCATED', `the data is too short: ${detail}`);
  }

  corrupt(detail: string): TamisError {
    return this.#refuse('ERR_TAMIS_CORRUPT', `damaged data, or another format: ${detail}`);
  }

  unsupported(detail: string): TamisError {
    return this.#refuse('ERR_TAMIS_UNSUPPORTED', detail);
  }

  #refuse(code: TamisErrorCode, detail: string): TamisError {
    const isText = this.start.includes('\xef\xbf\xbd'); // U+FFFD, which text decoders write in place of invalid bytes
    const ours = this.start.startsWith('\x89TMS') && 'bytes of toBytes: use fromBytes';
    const guess = ours || (isText ? 'bytes read as text' : guessContent(this.start));
    const isOther = /^[HJgb]/.test(guess); // a known kind of content; a mere quotation of the start could be from a right file
    return refusal(code, this.format, isOther ? `${detail}; the data looks like ${guess}` : detail);
  }
}

/** A reader of a foreign file. A read past the end throws ERR_TAMIS_TRUNCATED. */
export class ForeignReader extends ForeignData {
  /** The whole file, not copied. */
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  /** The number of bytes read. */
  at = 0;

  /** Throws TypeError if the value is not bytes, and ERR_TAMIS_TOO_LARGE. */
  constructor(format: string, data: unknown, maxBytes?: number) {
    super(format, maxBytes);
    this.bytes = bytesOf(data as Binary, format);
    this.start = startOf(this.bytes);
    const { buffer, byteOffset, length } = this.bytes;
    this.#view = new DataView(buffer, byteOffset, length);
    this.checkLimit(length);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  u8 = (): number => this.#view.getUint8(this.#next(1));
  u16le = (): number => this.#view.getUint16(this.#next(2), true);
  u32le = (): number => this.#view.getUint32(this.#next(4), true);
  i32be = (): number => this.#view.getInt32(this.#next(4));
  u64le = (): bigint => this.#view.getBigUint64(this.#next(8), true);
  i64le = (): bigint => this.#view.getBigInt64(this.#next(8), true);
  u64be = (): bigint => this.#view.getBigUint64(this.#next(8));
  f64le = (): number => this.#view.getFloat64(this.#next(8), true);

  /** Reads bytes, without a copy. */
  take(size: number): Uint8Array {
    const at = this.#next(size);
    return this.bytes.subarray(at, at + size);
  }

  /** Throws unless exactly `size` bytes are left, as the header claims: ERR_TAMIS_TOO_LARGE, _TRUNCATED or _CORRUPT. */
  expect(size: number | bigint): void {
    this.checkLimit(BigInt(this.at) + BigInt(size));
    if (size > this.left) throw this.truncated(`expected ${size} more bytes, got ${this.left}`);
    if (size < this.left) throw this.corrupt(`${BigInt(this.left) - BigInt(size)} bytes too many`);
  }

  /** Returns the rest of the file without a copy. Throws as `expect` does unless the rest has this size. */
  rest(size: number | bigint): Uint8Array {
    this.expect(size);
    return this.take(Number(size));
  }

  /** Throws ERR_TAMIS_UNSUPPORTED for data of Java's ObjectOutputStream, which begin with ac ed 00 05. */
  refuseJavaObject(): void {
    if (this.bytes.length < 4 || this.#view.getUint32(0) !== 0xaced0005) return;
    throw this.unsupported(
      'Java serialization wrote these bytes; write the filter with filter.writeTo(stream) instead',
    );
  }

  #next(size: number): number {
    const { at } = this;
    if (size > this.left) throw this.truncated(`expected ${size} bytes at offset ${at}`);
    this.at += size;
    return at;
  }
}

/** Throws ERR_TAMIS_INCOMPATIBLE unless a filter has the type, one of the schemes (default: any) and no secret. */
export function checkFilter(
  format: string,
  filter: unknown,
  type: 'bloom' | 'blocked-bloom',
  schemes?: readonly string[],
): void {
  if (!isOwner(filter)) throw mustBeOwn('a filter of tamis', `${format}: filter`, filter);
  const candidate = filter as Structure & Readonly<Record<'hash' | 'scheme', string>>;
  const expected = schemes?.map((scheme) => `'${scheme}'`).join(' or ') ?? 'any but a keyed one';
  const refuse = (actual: string) =>
    refusal(
      'ERR_TAMIS_INCOMPATIBLE',
      format,
      `expected a filter of type ${type} whose scheme is ${expected}, got ${actual}`,
    );
  if (candidate.type !== type) throw refuse(`the type ${candidate.type}`);
  if (candidate.hash === 'keyed') throw refuse('a keyed filter');
  if (schemes?.includes(candidate.scheme) === false)
    throw refuse(`the scheme '${candidate.scheme}'`);
}

/** Copies bytes to the offset `at` of `target`, and reverses the bytes of each 64-bit word. */
export function writeSwapped(target: Uint8Array, at: number, bytes: Uint8Array): void {
  const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const to = new DataView(target.buffer, target.byteOffset + at, bytes.length);
  for (let i = 0; i < bytes.length; i += 8) {
    to.setUint32(i, from.getUint32(i + 4, true)); // reads little-endian, writes big-endian
    to.setUint32(i + 4, from.getUint32(i, true));
  }
}
