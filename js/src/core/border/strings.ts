// Strings into the core's memory as UTF-8. There are several roads, and each engine takes its fastest.
//
// `encodeInto` costs 150 to 260 ns a call in browsers before it writes a byte, and 20 to 40 in Node and
// Bun. So short strings go by the helper (string-helper.wat) or by a loop, and many go joined.

import type { Handle, RawExports } from '../../wasm/core.js';
import { stringHelper } from '../../wasm/string-helper.js';
import { decode } from '../../wasm/text.js';
import { encodeUnits } from '../utf8.js';
import { mostHelped } from './constants.js';

/** What string-helper.wat exports. */
export interface StringHelper {
  /**
   * Writes the string's UTF-8 at the address, with up to 7 bytes of anything behind it. Its size, or
   * `loneSurrogate`.
   */
  write(text: string, address: number): number;
  /** What the core answers, or `loneSurrogate`. */
  has(handle: Handle, text: string): number;
  ask(operation: number, handle: Handle, text: string): number;
}

/** The helper for this memory; undefined where the engine has no js-string builtins, or makes no modules. */
export function makeHelper(
  memory: WebAssembly.Memory,
  scratch: number,
  core: Pick<RawExports, '_tamis_has' | '_tamis_ask'>,
): StringHelper | undefined {
  // JavaScriptCore's loop is faster than its builtins. Without an encoder the loop takes strings of every length.
  if (isWebKit || !hasEncoder) return undefined;
  try {
    // Without a prototype: nothing that a page put there is an option, or stands in for a builtin.
    const options = { __proto__: null, builtins: ['js-string'] };
    const Module = WebAssembly.Module as new (...of: unknown[]) => WebAssembly.Module;
    const module = new Module(decode(stringHelper), options);
    const imports = { __proto__: null, core: { __proto__: core, memory, scratch } };
    return new WebAssembly.Instance(module, imports as unknown as WebAssembly.Imports)
      .exports as unknown as StringHelper;
  } catch {
    return undefined;
  }
}

const versions = (globalThis as { process?: { versions?: Record<string, string> } }).process
  ?.versions;
/** JavaScriptCore: its errors alone have a line. */
const isWebKit = /* @__PURE__ */ 'line' in /* @__PURE__ */ new Error();

/**
 * Strings in a row that must be ASCII before strings are joined again, once one was not. A join costs a call of
 * `encodeInto`, and one that is done twice costs more.
 */
export const plainForJoin = versions?.node ? 1 : 512;

/** Neither jsdom nor an AudioWorklet has it. */
export const hasEncoder = typeof TextEncoder === 'function';

/** Whether the strings of a batch go one by one, and not joined. */
export const isOneByOne = !hasEncoder || (isWebKit && !versions?.bun);

/** The longest strings that each engine writes fastest by the helper, or by the loop where it has none. */
export function shortLimitOf(hasHelper: boolean): number {
  if (isOneByOne) return Infinity;
  if (versions?.bun) return 40;
  if (versions?.node) return hasHelper ? 32 : 24;
  return hasHelper ? mostHelped : 200;
}

/**
 * Writes a string by a loop, and answers its size. Negative, and nothing to be used was written: it has a
 * lone surrogate, or three bytes a unit have no room. A view that growth has detached has no room either,
 * where stores would vanish. `words` are the same memory as `bytes`, and `from` is a multiple of 4.
 */
export function writeUnits(
  text: string,
  bytes: Uint8Array,
  words: Int32Array,
  from: number,
): number {
  const { length } = text;
  if (length > bytes.length - from) return -1;
  let i = 0;
  // Four bytes at once: of single ones a processor would wait until they are stored before it reads a word.
  for (let at = from >> 2; i + 3 < length; i += 4) {
    const a = text.charCodeAt(i);
    const b = text.charCodeAt(i + 1);
    const c = text.charCodeAt(i + 2);
    const d = text.charCodeAt(i + 3);
    if ((a | b | c | d) > 127) break;
    words[at++] = a | (b << 8) | (c << 16) | (d << 24);
  }
  for (; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 127) break;
    bytes[from + i] = unit;
  }
  return i === length ? length : writeOthers(text, i, bytes, from);
}

/** The same of a text that is not ASCII, of which the first `i` units are and have been written. */
function writeOthers(text: string, i: number, bytes: Uint8Array, from: number): number {
  if (3 * text.length > bytes.length - from) return -1;
  const end = encodeUnits(text, i, bytes, from + i);
  return end < 0 ? -1 : end - from;
}
