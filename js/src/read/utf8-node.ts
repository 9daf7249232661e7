// Replaces utf8.ts in Node, whose TextEncoder is faster than a loop unless a string is short.

import { isWellFormed } from '../core/key-types.js';
import { encodeToMemory as encodeByUnits } from './utf8.js';
import { keyStart, memory } from './xxh3.js';

/** Undefined in jsdom, which can be used with the condition `node`. */
const encoder = typeof TextEncoder === 'function' ? /* @__PURE__ */ new TextEncoder() : undefined;
const room = /* @__PURE__ */ memory.subarray(keyStart);

/** Writes a string as the function in utf8.ts does. */
export function encodeToMemory(text: string): number {
  if (text.length < 32 || encoder === undefined) return encodeByUnits(text);
  const { written } = encoder.encodeInto(text, room);
  // ASCII has as many bytes as units. Other text is checked, because the encoder silently replaces lone surrogates.
  return written === text.length || isWellFormed(text) ? keyStart + written : -1;
}
