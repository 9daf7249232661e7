// What the command line and tamis/pages share on Node, in one copy: it knows what a signal must remove.

export { aboutFile, codeOf, FileError, ignoreAbsence, isError, onFile } from './errors.js';
export { removeLeftovers, removeUnfinished, writeAtomically } from './files.js';
export { type MustHold, runAlone, waitNote } from './locks.js';
export { formatCount, pluralize } from './words.js';
