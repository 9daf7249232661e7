// Cloudflare's workerd gives a compiled module for a static import of wasm.

import wasm from './core.wasm';

export const module: WebAssembly.Module = wasm;
