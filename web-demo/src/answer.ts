import type { BloomFilter } from 'tamis';

/** What the filter said of a host, and the bits that it read to say so. */
export interface Answer {
  readonly host: string;
  readonly probable: boolean;
  readonly bits: readonly ReadBit[];
}

export interface ReadBit {
  readonly position: number;
  readonly set: boolean;
}

/** Throws what `has` throws, such as for text that is not well-formed Unicode. */
export function lookUp(filter: BloomFilter, host: string): Answer {
  const probable = filter.has(host);
  const bits = filter
    .positions(host)
    .map((position) => ({ position, set: filter.bitAt(position) }));
  return { host, probable, bits };
}
