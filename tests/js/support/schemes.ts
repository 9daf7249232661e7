/** All schemes by name, for tests of every scheme. */
import type { BloomScheme, BloomSchemeName } from 'tamis';
import * as values from 'tamis/schemes';

/** The schemes that let `fromBytes` open every BloomFilter. Only BlockedBloomFilter uses parquet. */
export const schemes: readonly BloomScheme[] = Object.values(values).filter(
  ({ name }) => name !== 'parquet',
);

/** The schemes that let `fromBytes` open any file. */
export const everyScheme: readonly BloomScheme[] = Object.values(values);

export const schemeNames: readonly BloomSchemeName[] = ['mcg', ...schemes.map(({ name }) => name)];

/** The option that makes a filter with this scheme; no option for the default scheme. */
export function schemeOption(name: BloomSchemeName): { scheme?: BloomScheme } {
  const scheme = schemes.find((one) => one.name === name);
  return scheme === undefined ? {} : { scheme };
}
