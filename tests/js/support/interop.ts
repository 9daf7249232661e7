/** Reads files of other libraries, and the answers that those libraries gave. */
import { readFileSync } from 'node:fs';

const folder = new URL('../../vectors/interop/', import.meta.url);

export const textOf = (path: string): string => readFileSync(new URL(path, folder), 'utf8');

/** A file of tests/vectors/interop. */
export const bytesOf = (path: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(path, folder)));

/** The answers of a file: 1 or 0 for each probe. */
export const answersOf = (path: string): Uint8Array =>
  Uint8Array.from(textOf(path).trim(), (digit) => Number(digit));

export * as strings from './interop-keys.mjs';
export { numbers } from './interop-keys.mjs';

/** A copy of the bytes with a change. */
export function changed(
  bytes: Uint8Array,
  change: (view: DataView, copy: Uint8Array<ArrayBuffer>) => void,
): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  change(new DataView(copy.buffer), copy);
  return copy;
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}
