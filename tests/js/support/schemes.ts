/** Schemes by their names, as tests of every scheme want them. */
import type { BloomScheme, BloomSchemeName } from 'tamis';
import * as values from 'tamis/schemes';

/** The schemes with which `fromBytes` takes every BloomFilter. Only BlockedBloomFilter has parquet. */
export const schemes: readonly BloomScheme[] = Object.values(values).filter(
  ({ name }) => name !== 'parquet',
);

/** The schemes with which `fromBytes` takes any file. */
export const everyScheme: readonly BloomScheme[] = Object.values(values);

export const schemeNames: readonly BloomSchemeName[] = ['mcg', ...schemes.map(({ name }) => name)];

/** The option that makes a filter of the scheme; none for the default. */
export function schemeOption(name: BloomSchemeName): { scheme?: BloomScheme } {
  const scheme = schemes.find((one) => one.name === name);
  return scheme === undefined ? {} : { scheme };
}
