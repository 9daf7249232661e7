// The wasm inside the JavaScript, for every environment that may compile bytes.

import type { Part } from './part.js';
import { decode } from './text.js';

/** The compiled part. Throws what the engine throws where it refuses. */
export function moduleOf({ code }: Part): WebAssembly.Module {
  return new WebAssembly.Module(decode(code));
}

/** The module of other bytes than the package's own. */
export function compile(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  return WebAssembly.compile(bytes);
}
