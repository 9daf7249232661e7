// Numbers that several modules share. This module contains nothing else, so that bundlers inline each number.

/** The result of the string helper (string-helper.wat) for a lone surrogate. It is below every status. */
export const loneSurrogate = -1000;

/** The longest string that the string helper accepts, in UTF-16 units. */
export const mostHelped = 1000;

/** The number of keys that one call sends. All values from 64 to 1,024 were equally fast. */
export const chunkKeys = 256;

/** The size of a file's header, and the offsets in it of the type's id and of the hash's id. */
export const headerBytes = 64;
export const typeAt = 10;
export const hashAt = 11;
