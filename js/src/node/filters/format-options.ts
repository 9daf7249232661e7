// The options of some formats of other programs.

import { countOption, readOneOf, readSeed, wordOption } from '../frame/arguments.js';
import type { Option } from '../frame/command.js';
import { UsageError } from '../frame/errors.js';
import { schemeOption } from './filter-types.js';

interface FormatOption extends Option {
  /** The format that has it, and the member of the options of `decode`. */
  readonly of: readonly [format: string, member: string];
  /** A flag's value in that member. */
  readonly flag?: unknown;
  /** True if the file cannot be read without it. */
  readonly isNeeded?: true;
}

const widths = ['8', '16', '32'];

/** The options, by their names on the command line. */
export const formatOptions = {
  'bitmap-bits': {
    heading: 'Options of some formats:',
    ...countOption('redis-bitmap: the number of bits; needed'),
    isNeeded: true,
    of: ['redis-bitmap', 'bits'],
  },
  hashes: {
    ...countOption('redis-bitmap: the number of bits that a key sets; needed'),
    isNeeded: true,
    of: ['redis-bitmap', 'hashes'],
  },
  scheme: {
    ...schemeOption('redis-bitmap: the scheme that chooses bits'),
    of: ['redis-bitmap', 'scheme'],
  },
  seed: {
    value: 'N',
    help: 'redis-bitmap: the seed of the scheme, decimal or 0x... (default 0)',
    read: readSeed,
    of: ['redis-bitmap', 'seed'],
  },
  layout: {
    ...wordOption(
      'LAYOUT',
      ['serialize', 'pack', 'xor8'],
      'binary-fuse: what wrote the file, where serialize is that of C and Save of Go',
      ' (default serialize)',
    ),
    of: ['binary-fuse', 'layout'],
  },
  'fingerprint-bits': {
    ...wordOption(
      'N',
      widths,
      'binary-fuse: the bits of a fingerprint',
      ' (default: what fits the size of the file)',
    ),
    read: (text: string, option: string) => Number(readOneOf(widths)(text, option)),
    of: ['binary-fuse', 'bits'],
  },
  xxh64: {
    help: 'binary-fuse: looks up the XXH64 of a key, in place of its 8 bytes',
    of: ['binary-fuse', 'keys'],
    flag: 'xxh64',
  },
  since: {
    ...wordOption(
      'MONTH',
      ['2018-01', '2020-10'],
      'go-cuckoo: the version that wrote the file, by when its hashes came',
      ' (default 2020-10)',
    ),
    of: ['go-cuckoo', 'since'],
  },
  scalable: {
    help: 'go-cuckoo: the file is of a ScalableCuckooFilter',
    of: ['go-cuckoo', 'scalable'],
  },
} as const satisfies Readonly<Record<string, FormatOption>>;

/** The given options, for `decode`. Throws if the format lacks one, or if a required one is missing. */
export function formatOptionsOf(
  format: string,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const [name, option] of Object.entries<FormatOption>(formatOptions)) {
    const value = values[name];
    const isAbsent = value === undefined || value === false;
    const [owner, member] = option.of;
    if (owner !== format) {
      if (isAbsent) continue;
      throw new UsageError(`--${name}: an option of --from ${owner}, not of ${format}`);
    }
    if (isAbsent && option.isNeeded) missing.push(`--${name}`);
    // null is the default scheme.
    if (!isAbsent && value !== null) options[member] = option.flag ?? value;
  }
  if (missing.length > 0) {
    throw new UsageError(`--from ${format}: expected ${missing.join(' and ')} too`);
  }
  return options;
}
