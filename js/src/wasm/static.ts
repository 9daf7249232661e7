// In the place of inline.ts where no bytes may be compiled at run time: a condition of package.json's
// exports chooses the entries that have it, and one of its imports the module.

import { module } from '#wasm';
import type * as inline from './inline.js';

/** The compiled core. */
export const loadModule: typeof inline.loadModule = () => module;

/** Refuses as the engine would. */
export const compile: typeof inline.compile = async () => {
  throw new WebAssembly.CompileError('no WebAssembly is compiled at run time');
};
