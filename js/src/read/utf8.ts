// Encodes strings as UTF-8, in a loop. In browsers each call of TextEncoder takes 200 ns, as long as 200 units here.

import { encodeUnits } from '../core/utf8.js';
import { keyStart, memory, memoryWords } from './xxh3.js';

/**
 * Writes the UTF-8 of a string of at most `longestText` units into `memory`, from keyStart on. Returns the offset of
 * its end, or -1 for a lone surrogate. It writes all units as ASCII, and encodes the text again if one is not.
 */
export function encodeToMemory(text: string): number {
  const { length } = text;
  let all = 0; // the OR of all units, below 0x80 if all are ASCII
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const first = text.charCodeAt(i);
    const second = text.charCodeAt(i + 1);
    const third = text.charCodeAt(i + 2);
    const fourth = text.charCodeAt(i + 3);
    all |= first | second | third | fourth;
    memoryWords[(keyStart + i) >> 2] = first | (second << 8) | (third << 16) | (fourth << 24);
  }
  for (; i < length; i++) {
    const code = text.charCodeAt(i);
    all |= code;
    memory[keyStart + i] = code;
  }
  return all < 0x80 ? keyStart + length : encodeUnits(text, 0, memory, keyStart);
}
