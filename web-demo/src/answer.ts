import type { BloomFilter } from 'tamis';

/** The filter's answer for a host, and the bits that it read for it. */
export interface Answer {
  readonly host: string;
  readonly probable: boolean;
  readonly bits: readonly ReadBit[];
}

export interface ReadBit {
  readonly position: number;
  readonly set: boolean;
}

/** Throws the errors of `has`, such as the one for text that is not well-formed Unicode. */
export function lookUp(filter: BloomFilter, host: string): Answer {
  const probable = filter.has(host);
  const bits = filter
    .positions(host)
    .map((position) => ({ position, set: filter.bitAt(position) }));
  return { host, probable, bits };
}
