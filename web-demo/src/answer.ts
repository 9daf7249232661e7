import type { BloomFilter } from 'tamis';

/** What the filter said of a host, and the bits it looked at to say so. */
export interface Answer {
  readonly host: string;
  readonly probable: boolean;
  readonly asked: readonly AskedBit[];
}

export interface AskedBit {
  readonly position: number;
  readonly set: boolean;
}

/** Throws what `has` throws, such as for text that is not well-formed Unicode. */
export function ask(filter: BloomFilter, host: string): Answer {
  const probable = filter.has(host);
  const asked = filter
    .positions(host)
    .map((position) => ({ position, set: filter.bitAt(position) }));
  return { host, probable, asked };
}
