// Numbers that several modules share. This module holds nothing else, so that bundlers inline each number.

/** The string helper's result for a lone surrogate; below every status. */
export const loneSurrogate = -1000;

/** The most UTF-16 units of a string that the string helper takes. */
export const mostHelped = 1000;

/** The keys that one call sends. From 64 to 1,024 no difference could be measured. */
export const chunkKeys = 256;

/** The size of a file's header, and the offsets in it of the type's id and of the hash's id. */
export const headerBytes = 64;
export const typeAt = 10;
export const hashAt = 11;
