/** Schemes by their names, as tests of every scheme want them. */
import type { BloomScheme, BloomSchemeName } from 'tamis';
import * as values from 'tamis/schemes';

/** What `fromBytes` needs to take a BloomFilter of every scheme; parquet is BlockedBloomFilter's. */
export const schemes: readonly BloomScheme[] = Object.values(values).filter(
  ({ name }) => name !== 'parquet',
);

/** What `fromBytes` needs to take a file of every scheme. */
export const everyScheme: readonly BloomScheme[] = Object.values(values);

export const schemeNames: readonly BloomSchemeName[] = ['mcg', ...schemes.map(({ name }) => name)];

/** The option that makes a filter of the scheme; none for the default. */
export function schemeOption(name: BloomSchemeName): { scheme?: BloomScheme } {
  const scheme = schemes.find((one) => one.name === name);
  return scheme === undefined ? {} : { scheme };
}
