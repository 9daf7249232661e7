// What the codecs share: how a file of another library is read, bounded, and refused.

import { isOwner } from '../core/border/lifetime.js';
import { TamisError, type TamisErrorCode } from '../core/errors.js';
import { integer, readOptions } from '../core/options.js';
import { bytesOf } from '../core/structures/loading.js';
import { mustBeOwn, type Structure } from '../core/structures/structure.js';

/** Bytes of a file or a download. */
export type Binary = ArrayBuffer | Uint8Array;

/** Options of every `decode`. */
export interface DecodeOptions {
  /** The most bytes that are taken, and that a header may claim; default 256 MiB. */
  readonly maxBytes?: number;
}

/** Options of every `create`: a filter of the size that the other library gives it. */
export interface CreateOptions {
  /** Keys that the filter is made for. */
  readonly capacity: number;
  /** The rate at `capacity`, from 2^-48 to below 1. */
  readonly fpr: number;
}

/** A format of another library. No format is guessed: most have nothing by which they could be told. */
export interface Codec<Data, Made, Options = DecodeOptions> {
  readonly name: string;
  /**
   * The filter in the bytes. Throws TOO_LARGE, TRUNCATED, CORRUPT or UNSUPPORTED, and TypeError for what is no
   * such data.
   */
  decode(data: Data, options?: Options): Made;
}

/** Of a codec that writes. */
export interface Encoder<Taken, Data> {
  /** The filter as the other library writes it. Throws INCOMPATIBLE for a filter of another scheme. */
  encode(filter: Taken): Data;
}

/** Of a codec that makes filters. */
export interface Creator<Options, Made> {
  /** An empty filter, as the other library sizes it. */
  create(options: Options): Made;
}

/** The readers of DecodeOptions. */
export const decodeReaders = () => ({ maxBytes: integer(1) });

/** The limit in the options of a `decode` that takes no others. Throws TypeError and RangeError. */
export const maxBytesOf = (options: unknown, format: string): number | undefined =>
  readOptions(options, decodeReaders(), `${format}.decode`).maxBytes;

/** The error of a file that is not taken. */
export function refusal(code: TamisErrorCode, format: string, detail: string): TamisError {
  return new TamisError(code, `${format}: ${detail}`);
}

/** Data of another library: how large they may be, and how they are refused. */
export class ForeignData {
  /** The codec's name, for messages. */
  readonly format: string;
  readonly #most: number;

  constructor(format: string, maxBytes = 256 * 2 ** 20) {
    this.format = format;
    this.#most = maxBytes;
  }

  /** Throws TOO_LARGE for a size that the caller did not allow. */
  checkLimit(size: number | bigint): void {
    if (size <= this.#most) return;
    const limit = `more than the option maxBytes allows, which is ${this.#most}`;
    throw refusal('ERR_TAMIS_TOO_LARGE', this.format, `${size} bytes are ${limit}`);
  }

  /** Throws CORRUPT for no hash, UNSUPPORTED for more than tamis has. */
  checkHashes(hashes: number | bigint): number {
    if (hashes < 1) throw this.corrupt(`a key sets ${hashes} bits`);
    if (hashes > 64) throw this.unsupported(`a key sets ${hashes} bits; tamis has at most 64`);
    return Number(hashes);
  }

  truncated(detail: string): TamisError {
    return refusal('ERR_TAMIS_TRUNCATED', this.format, `the data end too early: ${detail}`);
  }

  corrupt(detail: string): TamisError {
    const text = `the data are damaged, or no such filter: ${detail}`;
    return refusal('ERR_TAMIS_CORRUPT', this.format, text);
  }

  unsupported(detail: string): TamisError {
    return refusal('ERR_TAMIS_UNSUPPORTED', this.format, detail);
  }
}

/** A foreign file from its first byte on. Whatever reads past its end throws TRUNCATED. */
export class ForeignReader extends ForeignData {
  /** All of the file, not copied. */
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  /** Throws TypeError for what is no bytes, TOO_LARGE. */
  constructor(format: string, data: unknown, maxBytes?: number) {
    super(format, maxBytes);
    this.bytes = bytesOf(data as Binary, format);
    const { buffer, byteOffset, length } = this.bytes;
    this.#view = new DataView(buffer, byteOffset, length);
    this.checkLimit(length);
  }

  /** Bytes that were read. */
  get at(): number {
    return this.#at;
  }

  /** Bytes that are not read yet. */
  get left(): number {
    return this.bytes.length - this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#next(1));
  }

  u16le(): number {
    return this.#view.getUint16(this.#next(2), true);
  }

  u32le(): number {
    return this.#view.getUint32(this.#next(4), true);
  }

  i32be(): number {
    return this.#view.getInt32(this.#next(4));
  }

  u64le(): bigint {
    return this.#view.getBigUint64(this.#next(8), true);
  }

  i64le(): bigint {
    return this.#view.getBigInt64(this.#next(8), true);
  }

  u64be(): bigint {
    return this.#view.getBigUint64(this.#next(8));
  }

  f64le(): number {
    return this.#view.getFloat64(this.#next(8), true);
  }

  /** The next bytes, not copied. */
  take(size: number): Uint8Array {
    const at = this.#next(size);
    return this.bytes.subarray(at, at + size);
  }

  /**
   * Looks whether exactly so many bytes are left, as the header claims. Throws TOO_LARGE, which goes before
   * TRUNCATED, and CORRUPT where there are more.
   */
  expect(size: number | bigint): void {
    this.checkLimit(BigInt(this.#at) + BigInt(size));
    if (size > this.left)
      throw this.truncated(`${size} bytes belong here, and ${this.left} are left`);
    if (size < this.left) throw this.corrupt(`${BigInt(this.left) - BigInt(size)} bytes too many`);
  }

  /** The rest, which must have this size, not copied. Throws what expect() throws. */
  rest(size: number | bigint): Uint8Array {
    this.expect(size);
    return this.take(Number(size));
  }

  /** Throws UNSUPPORTED for what Java's ObjectOutputStream writes, whose first bytes are ac ed 00 05. */
  refuseJavaObject(): void {
    if (this.bytes.length < 4 || this.#view.getUint32(0) !== 0xaced0005) return;
    throw this.unsupported(
      'Java serialization wrote these bytes; write the filter with filter.writeTo(stream) instead',
    );
  }

  #next(size: number): number {
    const at = this.#at;
    if (size > this.left) throw this.truncated(`${size} bytes belong at ${at}`);
    this.#at = at + size;
    return at;
  }
}

/**
 * Looks whether a format holds filters of this type and of these schemes, or any. Throws TypeError for what is no
 * filter, and INCOMPATIBLE.
 */
export function checkFilter(
  format: string,
  filter: unknown,
  type: 'bloom' | 'blocked-bloom',
  schemes?: readonly string[],
): void {
  if (!isOwner(filter)) {
    throw mustBeOwn('a filter of tamis', `${format}: filter`, filter);
  }
  const given = filter as Structure & Readonly<Record<'hash' | 'scheme', string>>;
  const expected = schemes?.map((scheme) => `'${scheme}'`).join(' or ') ?? 'any but a keyed one';
  const refuse = (found: string) =>
    refusal(
      'ERR_TAMIS_INCOMPATIBLE',
      format,
      `expected a filter of type ${type} whose scheme is ${expected}, got ${found}`,
    );
  if (given.type !== type) throw refuse(`the type ${given.type}`);
  if (given.hash === 'keyed') throw refuse('a keyed filter');
  if (schemes?.includes(given.scheme) === false) throw refuse(`the scheme '${given.scheme}'`);
}

/** The bytes with their 64-bit words turned round, at an offset of `target`: a multiple of 8 of them. */
export function writeSwapped(target: Uint8Array, at: number, bytes: Uint8Array): void {
  const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const to = new DataView(target.buffer, target.byteOffset + at, bytes.length);
  for (let i = 0; i < bytes.length; i += 8) {
    to.setUint32(i, from.getUint32(i + 4, true));
    to.setUint32(i + 4, from.getUint32(i, true));
  }
}
