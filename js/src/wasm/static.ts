// Replaces inline.ts if bytes may not be compiled at run time. A condition of package.json's exports chooses the
// entries with it, and a condition of its imports the modules.

import type * as inline from './inline.js';

/** The compiled module of a part. */
export const moduleOf: typeof inline.moduleOf = ({ code }) => code as unknown as WebAssembly.Module;

/** Throws as the engine would. */
export const compile: typeof inline.compile = async () => {
  throw new WebAssembly.CompileError('no WebAssembly is compiled at run time');
};
