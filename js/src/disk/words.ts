// Numbers as messages have them.

/** 13752 -> `13,752`. */
export const formatCount = (value: number): string => value.toLocaleString('en-US');

/** `1 key`, `13,752 keys`. */
export const pluralize = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
