// Cloudflare's workerd compiles no bytes at run time: it takes a module from a static import.

import module from './core.wasm';

/** The compiled core. */
export function loadModule(): WebAssembly.Module {
  return module;
}
