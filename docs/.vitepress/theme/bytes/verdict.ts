// The verdict of the package on a file, and the place of a damage.

import { BitArray, fromBytes, fromBytesOf, InvertibleBloomTable, TamisError } from 'tamis';
import * as schemes from 'tamis/schemes';
import { UrlDelta, UrlList } from 'tamis/url';
import { crc32c, findFlippedBit } from './crc.js';
import { endOf, HEADER, integer } from './fields.js';

/** The most bytes that are searched for one flipped bit: half a second's work. */
const MOST_SEARCHED = 2 ** 23;

export interface Verdict {
  readonly state: 'whole' | 'damaged' | 'other';
  /** The message of the package, and the place of the damage. */
  readonly sentences: readonly string[];
  /** The offset of the damage, if it is in one byte. */
  readonly at?: number | undefined;
}

/** Loads the bytes as any program does. Returns the type of their structure. */
function load(bytes: Uint8Array): string {
  const isFilter = (bytes[10] ?? 0) < 14;
  const loaded = isFilter
    ? fromBytes(bytes, { schemes: Object.values(schemes) })
    : fromBytesOf([BitArray, InvertibleBloomTable, UrlDelta, UrlList], bytes);
  const name = loaded.type;
  loaded.dispose();
  return name;
}

interface Place {
  readonly sentence: string;
  readonly at?: number;
}

/** A part of the file, the place of its checksum, and the difference from the checksum of the actual bytes. */
interface Part {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly crcAt: number;
  readonly difference: number;
}

function readParts(bytes: Uint8Array): readonly [header: Part, payload: Part] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const part = (name: string, from: number, to: number, crcAt: number): Part => {
    const computed = crc32c(bytes.subarray(from, to));
    return { name, from, to, crcAt, difference: (computed ^ view.getUint32(crcAt, true)) >>> 0 };
  };
  return [part('header', 0, 60, 60), part('payload', HEADER, bytes.length, 56)];
}

/** The one bit that differs from the written file, in the part or in its checksum; undefined if more bits differ. */
function findBit({ difference, from, to, crcAt }: Part): Place | undefined {
  if (difference === 0 || to - from > MOST_SEARCHED) return undefined;
  const place = (byte: number, bit: number): Place => ({
    sentence: `Bit ${bit} of byte ${integer(byte)} was flipped, and nothing else.`,
    at: byte,
  });
  const crcBit = 31 - Math.clz32(difference);
  if (difference === (1 << crcBit) >>> 0) return place(crcAt + (crcBit >> 3), crcBit & 7);
  const found = findFlippedBit(difference, to - from);
  return found && place(from + found.byte, found.bit);
}

function describe({ name, from, to }: Part): Place {
  const range = `bytes ${integer(from)} to ${integer(to - 1)}`;
  return { sentence: `The damage is in the ${name}, ${range}, or in its checksum.` };
}

/** The first damaged place of the bytes, by the order of the checks in section 2.1. */
function findPlace(bytes: Uint8Array): Place {
  const size = integer(bytes.length);
  if (bytes.length < HEADER) return { sentence: `It ends in the header, after ${size} bytes.` };
  const [header, payload] = readParts(bytes);
  if (header.difference !== 0) return findBit(header) ?? describe(header);
  const end = endOf(new DataView(bytes.buffer, bytes.byteOffset, HEADER));
  if (BigInt(bytes.length) < end)
    return { sentence: `It ends at byte ${size}, and should go on to ${integer(end)}.` };
  if (BigInt(bytes.length) > end)
    return { sentence: `It should end at byte ${integer(end)}, and goes on to ${size}.` };
  if (payload.difference !== 0) return findBit(payload) ?? describe(payload);
  return { sentence: 'Both checksums are right, so somebody wrote the payload like this.' };
}

/** True if one bit is flipped. In the magic, the version or an id it makes another kind of file, by all but checksums. */
function isOneFlip(bytes: Uint8Array): boolean {
  return bytes.length >= HEADER && findBit(readParts(bytes)[0]) !== undefined;
}

const damaged: readonly string[] = ['ERR_TAMIS_CORRUPT', 'ERR_TAMIS_TRUNCATED'];

/** The verdict of the package on the bytes. */
export function judge(bytes: Uint8Array): Verdict {
  try {
    const type = load(bytes);
    return {
      state: 'whole',
      sentences: [`Whole: every check passed, and the package loads it as ${type}.`],
    };
  } catch (error) {
    if (!(error instanceof TamisError)) throw error;
    const said = `${error.code}: ${error.message}.`;
    if (!damaged.includes(error.code) && !isOneFlip(bytes))
      return { state: 'other', sentences: ['The package does not load it.', said] };
    const { sentence, at } = findPlace(bytes);
    return { state: 'damaged', sentences: ['Damaged.', sentence, said], at };
  }
}

/** The checksum of all bytes after the header. */
export const payloadCrcOf = (bytes: Uint8Array): number => crc32c(bytes.subarray(HEADER));
