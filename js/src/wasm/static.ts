// Replaces inline.ts where bytes cannot be compiled at run time. A condition in package.json's exports chooses entries
// that use this file, and a condition in its imports chooses compiled modules.

import type * as inline from './inline.js';

/** The compiled module of a part. */
export const moduleOf: typeof inline.moduleOf = ({ code }) => code as unknown as WebAssembly.Module;

/** Rejects as the engine would. */
export const compile: typeof inline.compile = async () => {
  throw new WebAssembly.CompileError('no WebAssembly is compiled at run time');
};
