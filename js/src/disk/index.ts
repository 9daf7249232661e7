// What the command line and tamis/pages share on Node, in one copy: it knows what a signal must remove.

export { aboutFile, codeOf, FileError, ignoreAbsence, isError, onFile } from './errors.js';
export { removeLeftovers, removeUnfinished, writeAtomically } from './files.js';
export { type MustHold, runAlone, waitNote } from './locks.js';

/** 13752 -> `13,752`. */
export const formatCount = (value: number): string => value.toLocaleString('en-US');

/** `1 key`, `13,752 keys`. */
export const pluralize = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
