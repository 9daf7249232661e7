// Numbers that several modules know. A module of nothing else, so that a bundler puts each in the place of its name.

/** What the helper of strings answers for a lone surrogate; below every status. */
export const loneSurrogate = -1000;

/** The longest string that the helper takes. */
export const mostHelped = 1000;

/** Keys that are put and sent at once; from 64 to 1,024 no difference could be measured. */
export const chunkKeys = 256;

/** The size of the header of all bytes, and where in it the ids of the type and of the hash stand. */
export const headerBytes = 64;
export const typeAt = 10;
export const hashAt = 11;
