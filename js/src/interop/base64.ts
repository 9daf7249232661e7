// Base64 in both alphabets.

import { asciiOf } from '../core/border/memory.js';

/**
 * Decodes base64 with padding and without spaces; undefined if the text is invalid. It is invalid too if its last
 * character has unused bits that are not 0.
 */
export function bytesOfBase64(text: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== 'string' || text.length % 4 !== 0) return undefined;
  if (!/^(?:[\w-]*|[A-Za-z0-9+/]*)={0,2}$/.test(text)) return undefined;
  const plain = text.replaceAll('-', '+').replaceAll('_', '/');
  const binary = atob(plain);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  const last = bytes.subarray(bytes.length - (bytes.length % 3 || 3));
  return plain.endsWith(textOfBase64(last, false)) ? bytes : undefined;
}

/** Encodes bytes as base64 with padding. */
export function textOfBase64(bytes: Uint8Array, isUrl: boolean): string {
  const text = btoa(asciiOf(bytes));
  return isUrl ? text.replaceAll('+', '-').replaceAll('/', '_') : text;
}
