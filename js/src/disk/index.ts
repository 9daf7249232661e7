// What the command line and tamis/pages have in common on Node: one copy of it, since a lock is known to the one that took it.

export { aboutFile, codeOf, FileError, ignoreAbsence, isError, onFile } from './errors.js';
export { removeLeftovers, removeUnfinished, writeAtomically } from './files.js';
export { type LockOptions, type MustHold, runAlone, waitNote } from './locks.js';
export { formatCount, pluralize } from './words.js';
