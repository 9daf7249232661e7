// Exit codes, as grep has them.

/** Something is probably present, or the command did its work. */
export const SUCCESS = 0;
export const NOTHING_FOUND = 1;
/** Nothing is known: never to be taken for "nothing present". */
export const ERROR = 2;
