// File code that the command line and tamis/pages share on Node. Both must load the same copy, because it records which
// files a signal handler has to remove.

export * from './files.js';
export * from './locks.js';

/** Formats 13752 as `13,752`. */
export const formatCount = (value: number): string => value.toLocaleString('en-US');

/** Formats a count with its noun: `1 key`, `13,752 keys`. */
export const pluralize = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
