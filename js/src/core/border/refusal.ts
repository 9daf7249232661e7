// Why the engine does not take the wasm.

// The build puts another module in the place of inline.js, where a condition of package.json asks for it.
import { moduleOf } from '../../wasm/inline.js';
import type { Part } from '../../wasm/part.js';
import { TamisError } from '../errors.js';
import { errorOf } from '../statuses.js';

/** A function that returns v128: the least that tells whether the engine has SIMD. */
export const simdProbe = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15,
  11,
];

/** What helps where no page is, and so no header: these runtimes take wasm from static imports alone. */
const noBytes = 'this runtime compiles no WebAssembly; bundle for `workerd` or `edge-light`';

/** Why the engine refused to compile or to instantiate the core; `more` is what else helps where no page is. */
export function explainRefusal(cause: unknown, more = ''): TamisError {
  let why: string | undefined;
  if (typeof WebAssembly !== 'object') {
    why = 'no WebAssembly here (Lockdown Mode, Tor Browser, React Native): use tamis/read';
  } else if (!WebAssembly.validate(Uint8Array.from(simdProbe))) {
    why = 'tamis needs WebAssembly SIMD: Chrome 91, Firefox 89, Safari 16.4, Node 20.19, or later';
  } else if (cause instanceof RangeError) {
    // Before Chrome 114 only 4 kB could be compiled at once outside a worker.
    why = 'this engine compiles tamis in workers alone';
  } else {
    const advice = typeof location === 'undefined' ? noBytes + more : undefined;
    return errorOf('ERR_TAMIS_WASM_BLOCKED', advice, { cause });
  }
  return new TamisError('ERR_TAMIS_UNSUPPORTED', why, { cause });
}

/** Why a module that was compiled did not become an instance. */
export function failureOf(cause: unknown): TamisError {
  if (cause instanceof RangeError) {
    return errorOf('ERR_TAMIS_OUT_OF_MEMORY', undefined, { cause });
  }
  // Under a policy without WebAssembly WebKit makes modules, and refuses to instantiate them.
  if (cause instanceof WebAssembly.CompileError) return explainRefusal(cause);
  return new TamisError('ERR_TAMIS_INTERNAL', 'the module is not of this release', { cause });
}

/** The module of a part; `more` as above. Throws UNSUPPORTED, WASM_BLOCKED. */
export function compiled(part: Part, more?: string): WebAssembly.Module {
  try {
    return moduleOf(part);
  } catch (cause) {
    throw explainRefusal(cause, more);
  }
}
