/** Schemes by their names, as tests of every scheme want them. */
import type { BloomScheme, BloomSchemeName } from 'tamis';
import { digest, guava64, murmur2aFnv1a, seeds } from 'tamis/schemes';

/** What `fromBytes` needs to take a filter of every scheme. */
export const schemes: readonly BloomScheme[] = [seeds, digest, murmur2aFnv1a, guava64];

export const schemeNames: readonly BloomSchemeName[] = ['mcg', ...schemes.map(({ name }) => name)];

/** The option that makes a filter of the scheme; none for the default. */
export function schemeOption(name: BloomSchemeName): { scheme?: BloomScheme } {
  const scheme = schemes.find((one) => one.name === name);
  return scheme === undefined ? {} : { scheme };
}
