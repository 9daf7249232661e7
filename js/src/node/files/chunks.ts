// Files with the chunks of BF.SCANDUMP and CF.SCANDUMP: joined bytes, or JSON.

import { CommandError } from '../frame/errors.js';

/** A chunk for LOADCHUNK: an iterator, and bytes. */
export type Chunk = readonly [iterator: number | string, bytes: Uint8Array];

/** True for JSON. A binary header begins with a count whose 8 bytes contain a 0, which JSON never does. */
const isText = (file: Uint8Array): boolean => !file.subarray(0, 8).includes(0);

/**
 * The chunks of a JSON file, which has one array of [iterator, base64] or one such pair per line; otherwise the file's
 * bytes. `name` is for messages.
 */
export function readChunks(file: Uint8Array, name: string): Uint8Array | Chunk[] {
  const text = isText(file) ? Buffer.from(file).toString() : '';
  if (!/^\s*\[/.test(text)) return file;
  return pairsOf(text).map((pair, i) => readChunk(pair, `${name}: chunk ${i + 1}`));
}

function pairsOf(text: string): unknown[] {
  const whole = parse(text);
  if (Array.isArray(whole)) return whole.every(Array.isArray) ? whole : [whole];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => parse(line));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readChunk(pair: unknown, name: string): Chunk {
  const [iterator, base64] = Array.isArray(pair) ? pair : [];
  const isIterator =
    Number.isSafeInteger(iterator) || (typeof iterator === 'string' && /^\d+$/.test(iterator));
  const bytes = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
  // Node skips characters that are not base64, and would return fewer bytes.
  if (isIterator && bytes && bytes.toString('base64') === base64) {
    return [iterator, new Uint8Array(bytes)];
  }
  throw new CommandError(`${name} is not [iterator, "base64"]`);
}

/** Writes one array of [iterator, base64], with a pair per line. */
export function showChunks(chunks: readonly Chunk[]): string {
  const pairs = chunks.map(([iterator, bytes]) =>
    JSON.stringify([iterator, Buffer.from(bytes).toString('base64')]),
  );
  return `[\n${pairs.join(',\n')}\n]\n`;
}

/** Joins the bytes of chunks: the header, and the bodies behind it. */
export const joinChunks = (chunks: readonly Chunk[]): Uint8Array =>
  new Uint8Array(Buffer.concat(chunks.map(([, bytes]) => bytes)));
