// The header of a container, field by field, as section 2 of the format defines it.

import { hashIds, typeIds } from '../../../../js/src/wasm/registry.js';
import { crc32c } from './crc.js';

export const HEADER = 64;

export interface Field {
  readonly offset: number;
  readonly name: string;
  /** The bytes of the field in hexadecimal, without missing ones. */
  readonly hex: string;
  readonly value: string;
  readonly meaning: string;
  readonly isWrong: boolean;
  /** The type id, if the field is the type id. */
  readonly type?: number;
}

/** The value of a field, and its meaning. */
interface Reading {
  readonly value: string;
  readonly meaning: string;
  readonly isWrong?: boolean;
  readonly type?: number;
}

export const integer = (value: number | bigint): string => value.toLocaleString('en-US');
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
const hexNumber = (value: number | bigint, digits: number): string =>
  `0x${value.toString(16).padStart(digits, '0')}`;

const MAGIC = [0x89, 0x54, 0x4d, 0x53, 0x0d, 0x0a, 0x1a, 0x0a];
const MOST_KEYS = 2n ** 53n - 1n;

const nameIn = (ids: Readonly<Record<string, number>>, id: number): string | undefined =>
  Object.keys(ids).find((name) => ids[name] === id);

const typeNameOf = (id: number): string | undefined => nameIn(typeIds, id);

function hasMagic(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

function readMagic(view: DataView): Reading {
  const isWrong = !hasMagic(new Uint8Array(view.buffer, view.byteOffset, 8));
  return {
    value: isWrong ? 'another' : '\\x89 T M S CR LF ^Z LF',
    meaning: isWrong ? 'not a .tamis file' : 'a .tamis file',
    isWrong,
  };
}

function readVersion(view: DataView): Reading {
  const version = view.getUint16(8, true);
  const isWrong = version !== 1;
  return {
    value: `${version}`,
    meaning: isWrong ? 'not a version that this release knows' : 'the version on this page',
    isWrong,
  };
}

function readType(view: DataView): Reading {
  const type = view.getUint8(10);
  const name = typeNameOf(type);
  if (name === undefined)
    return { value: `${type}`, meaning: 'not a type that this release knows', isWrong: true };
  return { value: `${type}`, meaning: name, type };
}

function readHash(view: DataView): Reading {
  const id = view.getUint8(11);
  const name = nameIn(hashIds, id);
  return {
    value: `${id}`,
    meaning: name ?? 'not a hash that this release knows',
    isWrong: name === undefined,
  };
}

function readReserved(view: DataView): Reading {
  const value = view.getUint32(12, true);
  const isWrong = value !== 0;
  return { value: `${value}`, meaning: isWrong ? 'it must be 0' : 'always 0', isWrong };
}

function readSeed(view: DataView): Reading {
  const seed = view.getBigUint64(16, true);
  return { value: `${seed}`, meaning: 'tells filters apart; it is not secret' };
}

function readKeyId(view: DataView): Reading {
  const id = view.getBigUint64(24, true);
  return id === 0n
    ? { value: '0', meaning: 'no secret key' }
    : { value: hexNumber(id, 16), meaning: 'says which secret key it needs, and not the key' };
}

const readKeys = (offset: number, meaning: string) => (view: DataView) => {
  const keys = view.getBigUint64(offset, true);
  const isWrong = keys > MOST_KEYS;
  return { value: integer(keys), meaning: isWrong ? 'more than 2^53 - 1' : meaning, isWrong };
};

/** The end of the file, by its header. */
export const endOf = (view: DataView): bigint => BigInt(HEADER) + view.getBigUint64(48, true);

function readLength(view: DataView, { size }: Measured): Reading {
  const end = endOf(view);
  const off = BigInt(size) - end;
  const whole = `the file has ${integer(end)} bytes`;
  const found = `it has ${integer(size)}`;
  return {
    value: integer(view.getBigUint64(48, true)),
    meaning: off === 0n ? whole : `${whole.replace('has', 'should have')}; ${found}`,
    isWrong: off !== 0n,
  };
}

function compare(stored: number, computed: number | undefined, what: string): Reading {
  const value = hexNumber(stored, 8);
  if (computed === undefined) return { value, meaning: `checksum of ${what}; not computed` };
  if (stored === computed) return { value, meaning: `checksum of ${what}; it is right` };
  const meaning = `checksum of ${what}, which have ${hexNumber(computed, 8)}`;
  return { value, meaning, isWrong: true };
}

export interface Measured {
  /** The size of the whole file. */
  readonly size: number;
  /** The checksum of all bytes after the header, if it was computed. */
  readonly payloadCrc: number | undefined;
}

type Read = (view: DataView, measured: Measured) => Reading;

const layout: readonly (readonly [offset: number, size: number, name: string, read: Read])[] = [
  [0, 8, 'magic', readMagic],
  [8, 2, 'format version', readVersion],
  [10, 1, 'type id', readType],
  [11, 1, 'hash id', readHash],
  [12, 4, 'reserved', readReserved],
  [16, 8, 'seed', readSeed],
  [24, 8, 'key id', readKeyId],
  [32, 8, 'capacity', readKeys(32, 'keys that it was made for')],
  [40, 8, 'count', readKeys(40, 'keys that it counted')],
  [48, 8, 'payload length', readLength],
  [
    56,
    4,
    'payload CRC',
    (view, { payloadCrc }) =>
      compare(view.getUint32(56, true), payloadCrc, 'the bytes from 64 to the end'),
  ],
  [
    60,
    4,
    'header CRC',
    (view) =>
      compare(
        view.getUint32(60, true),
        crc32c(new Uint8Array(view.buffer, view.byteOffset, 60)),
        'bytes 0 to 59',
      ),
  ],
];

/** All fields of a header, from its first `head.length` bytes. */
export function readFields(head: Uint8Array, measured: Measured): Field[] {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  return layout.map(([offset, size, name, read]) => {
    const hex = hexOf(head.subarray(offset, offset + size));
    if (head.length < offset + size)
      return { offset, name, hex, value: 'missing', meaning: 'the file ends', isWrong: true };
    return { offset, name, hex, isWrong: false, ...read(view, measured) };
  });
}
