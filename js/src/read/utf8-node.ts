// utf8.ts for Node, whose TextEncoder is quicker than a loop where a text is not short.

import { isWellFormed } from '../core/key-types.js';
import { encodeShort as encodeByUnits } from './utf8.js';
import { keyStart, memory } from './xxh3.js';

/** Undefined in jsdom, which some have with Node's condition. */
const encoder = typeof TextEncoder === 'function' ? /* @__PURE__ */ new TextEncoder() : undefined;
const room = /* @__PURE__ */ memory.subarray(keyStart);

/** As in utf8.ts. */
export function encodeShort(text: string): number {
  if (text.length < 32 || encoder === undefined) return encodeByUnits(text);
  const { written } = encoder.encodeInto(text, room);
  // Of a lone surrogate it makes another character, of three bytes.
  return written === text.length || isWellFormed(text) ? keyStart + written : -1;
}
