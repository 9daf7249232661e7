// In the place of inline.ts where no bytes may be compiled at run time. A condition of package.json's exports
// chooses the entries that have it, and one of its imports the modules.

import type * as inline from './inline.js';

/** The compiled part. */
export const moduleOf: typeof inline.moduleOf = ({ code }) => code as unknown as WebAssembly.Module;

/** Refuses as the engine would. */
export const compile: typeof inline.compile = async () => {
  throw new WebAssembly.CompileError('no WebAssembly is compiled at run time');
};
