// Writes strings into the core's memory as UTF-8. There are several ways, and each engine uses its fastest.
//
// A call of `encodeInto` costs 150 to 260 ns in browsers before it writes a byte, and 20 to 40 ns in Node and Bun. So
// the helper (string-helper.wat) or a loop writes short strings, and many strings are joined first.

import type { Handle, RawExports } from '../../wasm/core.js';
import { stringHelper } from '../../wasm/string-helper.js';
import { decode } from '../../wasm/text.js';
import { encodeUnits } from '../utf8.js';
import { mostHelped } from './constants.js';

/** The exports of string-helper.wat. */
export interface StringHelper {
  /** Writes UTF-8 to the address, and returns its size or `loneSurrogate`. It may change up to 7 bytes more. */
  write(text: string, address: number): number;
  /** Returns the core's answer, or `loneSurrogate`. */
  has(handle: Handle, text: string): number;
  ask(operation: number, handle: Handle, text: string): number;
}

/** Makes the helper for a memory. Returns undefined if the engine cannot compile it, or is faster without it. */
export function makeHelper(
  memory: WebAssembly.Memory,
  scratch: number,
  core: Pick<RawExports, '_tamis_has' | '_tamis_ask'>,
): StringHelper | undefined {
  // In JavaScriptCore the loop of writeUnits is faster. Without an encoder that loop writes all strings.
  if (isWebKit || !hasEncoder) return undefined;
  try {
    // Without a prototype, properties that a page added to Object.prototype are neither options nor builtins.
    const options = { __proto__: null, builtins: ['js-string'] };
    const Module = WebAssembly.Module as new (...of: unknown[]) => WebAssembly.Module;
    const module = new Module(decode(stringHelper), options);
    const imports = { __proto__: null, core: { __proto__: core, memory, scratch } };
    return new WebAssembly.Instance(module, imports as unknown as WebAssembly.Imports)
      .exports as unknown as StringHelper;
  } catch {
    return undefined; // The engine has no js-string builtins, or refuses to compile modules.
  }
}

const versions = (globalThis as { process?: { versions?: Record<string, string> } }).process
  ?.versions;
/** True in JavaScriptCore, because only its errors have a `line`. */
const isWebKit = /* @__PURE__ */ 'line' in /* @__PURE__ */ new Error();

/**
 * After a string that is not ASCII, strings are written one by one until this number of ASCII strings has come in a
 * row. Then strings are joined again. A join costs a call of `encodeInto`, and a failed join costs more.
 */
export const plainForJoin = versions?.node ? 1 : 512;

/** False in jsdom and in an AudioWorklet. */
export const hasEncoder = typeof TextEncoder === 'function';

/** True if strings are never joined: without an encoder, and in Safari, where the loop is always the fastest. */
export const isOneByOne = !hasEncoder || (isWebKit && !versions?.bun);

/**
 * The length up to which a string is short, in UTF-16 units. The helper, or the loop if there is no helper, writes a
 * short string faster than `encodeInto`, whose call costs the same for every length. That call is slow in browsers, so
 * the limit is high there. At each limit both ways take about equal time; the helper accepts no more than `mostHelped`.
 */
export function shortLimitOf(hasHelper: boolean): number {
  if (isOneByOne) return Infinity;
  if (versions?.bun) return 40;
  if (versions?.node) return hasHelper ? 32 : 24;
  return hasHelper ? mostHelped : 200;
}

/**
 * Writes a string to `bytes`, from offset `from` on, and returns its size in bytes. Returns a negative number if the
 * string has a lone surrogate or lacks room; the bytes written are then of no use. ASCII needs room for one byte per
 * unit, other text for three. A detached view has no room. `words` is the memory of `bytes`; `from` is a multiple of 4.
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
  // Four bytes are stored at once, because a processor stalls when it reads a word that was stored in single bytes.
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
  if (i === length) return length;
  if (3 * length > bytes.length - from) return -1;
  const end = encodeUnits(text, i, bytes, from + i);
  return end < 0 ? -1 : end - from;
}
