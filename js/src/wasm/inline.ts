// Compiles the wasm that the JavaScript contains, in environments that can compile bytes.

import type { Part } from './part.js';
import { decode } from './text.js';

/** Compiles a part. Throws the engine's error if it refuses. */
export function moduleOf({ code }: Part): WebAssembly.Module {
  return new WebAssembly.Module(decode(code));
}

/** Compiles bytes other than the package's own. */
export function compile(bytes: BufferSource): Promise<WebAssembly.Module> {
  return WebAssembly.compile(bytes);
}
