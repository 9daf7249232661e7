// Converts bytes from and to text, and hashes them, for manifests and the files that manifests name.

import { TamisError } from '../errors.js';
import { GrowingBytes } from '../growing-bytes.js';
import { copyOwn } from '../options.js';

/** Returns bytes as lower-case hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the bytes of a string of lower-case hexadecimal, which the caller has checked. */
export function bytesOfHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}

/** Compares arrays of equal length by their first bytes that differ, for Array.sort; 0 if all are equal. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  for (let i = 0; i < one.length; i++) {
    const difference = (one[i] ?? 0) - (other[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Sorts arrays of equal length, and drops duplicates. */
export function sortOnce(arrays: readonly Uint8Array[]): Uint8Array[] {
  const isNew = (bytes: Uint8Array, i: number, all: readonly Uint8Array[]) =>
    i === 0 || compareBytes(bytes, all[i - 1] as Uint8Array) !== 0;
  return [...arrays].sort(compareBytes).filter(isNew);
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new GrowingBytes(parts.reduce((sum, { length }) => sum + length, 0));
  for (const part of parts) joined.add(part);
  return joined.take();
}

export const jsonBytes = (value: object): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(value));

/** Parses bytes as a JSON object, whose members are not checked; an empty object if they are not JSON. */
export function jsonIn(bytes: Uint8Array | undefined): Record<string, unknown> {
  try {
    return copyOwn(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return copyOwn({});
  }
}

/** WebCrypto, which browsers have only in pages from https and localhost. Throws ERR_TAMIS_UNSUPPORTED. */
export function webCrypto(): SubtleCrypto {
  const subtle = globalThis.crypto?.subtle;
  if (subtle !== undefined) return subtle;
  throw new TamisError(
    'ERR_TAMIS_UNSUPPORTED',
    'signed lists need crypto.subtle: use a page from https or localhost',
  );
}

export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await webCrypto().digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}

export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  return hexOf(await sha256(bytes));
}
