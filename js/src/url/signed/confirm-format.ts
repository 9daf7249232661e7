// The encoding of questions to a confirm server, and of its answers: cpp/FORMAT.md, section 8.

import { TamisError } from '../../core/errors.js';
import { hexOf } from '../../core/signed/bytes.js';

export const askedBytes = 4;
export const hashBytes = 32;
export const maxAsked = 30;
/** The longest time for which clients cache an answer, whatever the answer says. */
export const maxCacheSeconds = 86_400;
/** Answers are padded to a multiple of this, so that their size reveals little. */
const bucketBytes = 1024;
const headBytes = 12;
/** Enough for far more hashes than 30 prefixes have, even in a list of 2^32 entries. */
export const maxAnswerBytes = 65_536;

export interface ConfirmAnswer {
  /** Listed hashes, in lower-case hexadecimal. */
  readonly hashes: readonly string[];
  readonly cacheSeconds: number;
  readonly negativeSeconds: number;
}

/** Encodes a question. Each of `prefixes` is 8 hexadecimal digits, and becomes 4 bytes, big-endian. */
export function encodeQuestion(prefixes: Iterable<string>): Uint8Array<ArrayBuffer> {
  // Sorted, so that their order does not reveal the decoys.
  const sorted = [...new Set(prefixes)].sort();
  const bytes = new Uint8Array(askedBytes * sorted.length);
  const view = new DataView(bytes.buffer);
  for (const [i, prefix] of sorted.entries()) {
    view.setUint32(askedBytes * i, Number.parseInt(prefix, 16));
  }
  return bytes;
}

/** Decodes a question into prefixes, as big-endian numbers; undefined if it is invalid. */
export function decodeQuestion(bytes: Uint8Array): number[] | undefined {
  const count = bytes.length / askedBytes;
  if (!Number.isInteger(count) || count < 1 || count > maxAsked) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const prefixes = Array.from({ length: count }, (_, i) => view.getUint32(askedBytes * i));
  const isSorted = prefixes.every((prefix, i) => i === 0 || prefix > (prefixes[i - 1] as number));
  return isSorted ? prefixes : undefined;
}

/** Encodes an answer: three little-endian numbers, the hashes, and zeros as padding. */
export function encodeAnswer(
  hashes: readonly Uint8Array[],
  cacheSeconds: number,
  negativeSeconds: number,
): Uint8Array<ArrayBuffer> {
  const size = headBytes + hashBytes * hashes.length;
  const bytes = new Uint8Array(Math.ceil(size / bucketBytes) * bucketBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, cacheSeconds, true);
  view.setUint32(4, negativeSeconds, true);
  view.setUint32(8, hashes.length, true);
  for (const [i, hash] of hashes.entries()) bytes.set(hash, headBytes + hashBytes * i);
  return bytes;
}

/** Decodes the answer to a question about the prefixes `asked`. Throws ERR_TAMIS_CORRUPT if it is invalid. */
export function decodeAnswer(bytes: Uint8Array, asked: ReadonlySet<string>): ConfirmAnswer {
  const damaged = (what: string) =>
    new TamisError('ERR_TAMIS_CORRUPT', `the confirm server's answer is damaged: ${what}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // If the head is incomplete, the size is wrong for any count.
  const count = bytes.length < headBytes ? 0 : view.getUint32(8, true);
  const end = headBytes + hashBytes * count;
  if (Math.ceil(end / bucketBytes) * bucketBytes !== bytes.length) {
    throw damaged(`${count} hashes in ${bytes.length} bytes`);
  }
  if (bytes.subarray(end).some((byte) => byte !== 0)) throw damaged('the padding is not zero');
  const hashes = Array.from({ length: count }, (_, i) => {
    const at = headBytes + hashBytes * i;
    return hexOf(bytes.subarray(at, at + hashBytes));
  });
  hashes.forEach((hash, i) => {
    if (!asked.has(hash.slice(0, 2 * askedBytes))) throw damaged('a hash was not requested');
    if (i > 0 && hash <= (hashes[i - 1] as string)) throw damaged('the hashes are out of order');
  });
  return {
    hashes,
    cacheSeconds: view.getUint32(0, true),
    negativeSeconds: view.getUint32(4, true),
  };
}
