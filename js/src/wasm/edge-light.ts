// Vercel's edge runtime gives a compiled module for a static import of wasm with this query.

import wasm from './core.wasm?module';

export const module: WebAssembly.Module = wasm;
