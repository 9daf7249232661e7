// The reasons why an engine refuses the wasm.

// The build replaces inline.js by another module for some conditions of package.json.
import { moduleOf } from '../../wasm/inline.js';
import type { Part } from '../../wasm/part.js';
import { TamisError } from '../errors.js';
import { errorOf } from '../statuses.js';

/** A module with one function that returns v128: the smallest test for SIMD. */
export const simdProbe = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15,
  11,
];

/** Advice for runtimes without a page, and so without its header: they take wasm only by static imports. */
const noBytes =
  'this runtime compiles no WebAssembly; bundle for `workerd` or `edge-light`, ' +
  'or import `tamis/core.wasm` for `init({ module })`';

/** The error for an engine that refused to compile or to instantiate the core. */
export function explainRefusal(cause: unknown): TamisError {
  let why: string | undefined;
  if (typeof WebAssembly !== 'object') {
    why = 'no WebAssembly here (Lockdown Mode, Tor Browser, React Native): use tamis/read';
  } else if (!WebAssembly.validate(Uint8Array.from(simdProbe))) {
    why = 'tamis needs WebAssembly SIMD: Chrome 91, Firefox 89, Safari 16.4, Node 20.19, or later';
  } else if (cause instanceof RangeError) {
    // Before Chrome 114 a page could compile synchronously only 4 kB outside a worker.
    why = 'this engine compiles tamis only in workers';
  } else {
    const advice = typeof location === 'undefined' ? noBytes : undefined;
    return errorOf('ERR_TAMIS_WASM_BLOCKED', advice, { cause });
  }
  return new TamisError('ERR_TAMIS_UNSUPPORTED', why, { cause });
}

/** The error for a compiled module that did not become an instance. */
export function explainFailure(cause: unknown): TamisError {
  if (cause instanceof RangeError) {
    return errorOf('ERR_TAMIS_OUT_OF_MEMORY', undefined, { cause });
  }
  // If the policy forbids WebAssembly, WebKit still compiles modules, but refuses to instantiate them.
  if (cause instanceof WebAssembly.CompileError) return explainRefusal(cause);
  return new TamisError('ERR_TAMIS_INTERNAL', 'the module is not of this release', { cause });
}

/** The module of a part. Throws ERR_TAMIS_UNSUPPORTED and ERR_TAMIS_WASM_BLOCKED. */
export function compiled(part: Part): WebAssembly.Module {
  try {
    return moduleOf(part);
  } catch (cause) {
    throw explainRefusal(cause);
  }
}
