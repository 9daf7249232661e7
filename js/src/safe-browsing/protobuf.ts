// A small reader of Protocol Buffers.
//
// As Google's readers do, its callers take the last of several values of a field, and merge messages. A known field of
// another wire type is skipped like an unknown one. Groups are refused, because no message here has one.

import { TamisError } from '../core/errors.js';

/** Makes ERR_TAMIS_CORRUPT, with the reason. */
export const corrupt = (what: string): TamisError =>
  new TamisError('ERR_TAMIS_CORRUPT', `the server's answer is damaged: ${what}`);

const notProtobuf = () => corrupt('it is not protobuf');

/** More values of one field than any answer has. */
const mostRepeated = 65_536;

/** Tags of fields: an integer of variable length, an integer of eight bytes, and bytes with a length. */
export const varint = (number: number): number => 8 * number;
export const fixed64 = (number: number): number => 8 * number + 1;
export const sized = (number: number): number => 8 * number + 2;

/** The bytes of a field that is an integer. */
export const noBytes = new Uint8Array();

class BytesReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw notProtobuf();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** Reads an integer of 64 bits from at most `mostBytes` bytes. Excess bits of the last byte are dropped. */
  varint(mostBytes = 10): bigint {
    let value = 0n;
    for (let i = 0; i < mostBytes; i++) {
      if (this.isAtEnd) throw notProtobuf();
      const byte = this.#bytes[this.#at++] as number;
      value |= BigInt(byte & 127) << BigInt(7 * i);
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw notProtobuf();
  }

  fixed64(): bigint {
    const { buffer, byteOffset } = this.take(8);
    return new DataView(buffer, byteOffset).getBigUint64(0, true);
  }

  /**
   * Reads a varint that is small in all valid answers. One byte has a fast path, because there may be millions of
   * these.
   */
  small(mostBytes?: number): number {
    const byte = this.#bytes[this.#at] ?? 128;
    if (byte > 127) return Number(this.varint(mostBytes));
    this.#at++;
    return byte;
  }
}

/** Calls `take` for each field of a message, with its tag and its value. Throws ERR_TAMIS_CORRUPT. */
export function readFields(
  message: Uint8Array,
  take: (tag: number, integer: bigint, bytes: Uint8Array) => void,
): void {
  const reader = new BytesReader(message);
  while (!reader.isAtEnd) {
    const tag = reader.small(5);
    if (tag < 8 || tag >= 2 ** 32) throw notProtobuf();
    const type = tag & 7;
    if (type === 0) take(tag, reader.varint(), noBytes);
    else if (type === 1) take(tag, reader.fixed64(), noBytes);
    else if (type === 2) take(tag, 0n, reader.take(reader.small()));
    else if (type === 5) reader.take(4);
    else throw notProtobuf();
  }
}

export const int32 = (value: bigint): number => Number(BigInt.asIntN(32, value));

export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notProtobuf();
  }
}

/** Adds a value of a repeated field. */
export function addValue<T>(values: T[], value: T): void {
  if (values.length === mostRepeated) throw corrupt('too many values of one field');
  values.push(value);
}

/** Adds the values of a repeated field that are packed into one. */
export function addInt32s(values: number[], bytes: Uint8Array): void {
  const reader = new BytesReader(bytes);
  while (!reader.isAtEnd) addValue(values, int32(reader.varint()));
}
