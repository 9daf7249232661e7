// A small reader of Protocol Buffers, driven by tables.
//
// As Google's readers do, it takes the last of several values of a field, and merges messages. A known field of another
// wire type is skipped like an unknown one. Groups are refused, because no message here has one.

import { TamisError } from '../core/errors.js';
import { copyOwn } from '../core/options.js';

/** A field's name, and the function that turns its bytes or integer into the next value. */
export type FieldOf<Value> = readonly [
  name: string,
  read: (value: Value, before: unknown, message: Message) => unknown,
];
/** Fields by their tags: 8 times the number, plus the wire type. */
export type Schema = Readonly<Record<number, FieldOf<bigint> | FieldOf<Uint8Array>>>;
/** A message by its field names. Absent fields are undefined. */
export type Message = Record<string, unknown>;

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

/**
 * Reads a message into `message`, which may have fields already and must have no prototype. Throws ERR_TAMIS_CORRUPT.
 */
export function readMessage(
  schema: Schema,
  bytes: Uint8Array,
  message: Message = copyOwn({}),
): Message {
  const reader = new BytesReader(bytes);
  while (!reader.isAtEnd) {
    const tag = reader.small(5);
    if (tag < 8 || tag >= 2 ** 32) throw notProtobuf();
    const type = tag & 7;
    let value: bigint | Uint8Array;
    if (type === 0) value = reader.varint();
    else if (type === 1) value = reader.fixed64();
    else if (type === 2) value = reader.take(reader.small());
    else if (type === 5) value = reader.take(4);
    else throw notProtobuf();
    const [name, read] = (schema[tag >>> 0] as FieldOf<unknown> | undefined) ?? [];
    if (name !== undefined) message[name] = read?.(value, message[name], message);
  }
  return message;
}

export const uint32 = (value: bigint): number => Number(BigInt.asUintN(32, value));
export const int32 = (value: bigint): number => Number(BigInt.asIntN(32, value));
export const int64 = (value: bigint): number => Number(BigInt.asIntN(64, value));
export const uint64 = (value: bigint): bigint => value;
export const bool = (value: bigint): boolean => value !== 0n;
export const raw = (value: Uint8Array): Uint8Array => value;

export function text(value: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw notProtobuf();
  }
}

/** A field that is a message. */
export const message =
  (schema: Schema) =>
  (value: Uint8Array, before: unknown): Message =>
    readMessage(schema, value, before as Message | undefined);

function push<T>(before: unknown, ...values: T[]): T[] {
  const all = (before ?? []) as T[];
  if (all.length + values.length > mostRepeated) throw corrupt('too many values of one field');
  all.push(...values);
  return all;
}

export const messages =
  (schema: Schema) =>
  (value: Uint8Array, before: unknown): Message[] =>
    push(before, readMessage(schema, value));

/** Repeated integers: one in each field, or packed into one. */
export const oneInt32 = (value: bigint, before: unknown): number[] => push(before, int32(value));
export function manyInt32(value: Uint8Array, before: unknown): number[] {
  const reader = new BytesReader(value);
  let all = push<number>(before);
  while (!reader.isAtEnd) all = push(all, int32(reader.varint()));
  return all;
}
