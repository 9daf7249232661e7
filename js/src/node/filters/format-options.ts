// The options of some formats of other programs.

import type { BloomScheme } from 'tamis';
import { countOption, readSeed, wordOption } from '../frame/arguments.js';
import type { Option } from '../frame/command.js';
import { UsageError } from '../frame/errors.js';
import { schemeOption } from './filter-types.js';

interface FormatOption extends Option {
  /** Reads the value for `decode` of the format; null for the default. */
  readonly decode: { readonly [format: string]: (value: never) => object | null };
  /** True if the file cannot be read without it. */
  readonly isNeeded?: true;
}

const layouts = ['serialize', 'pack', 'xor8'] as const;

/** The options, by their names on the command line. */
export const formatOptions = {
  'bitmap-bits': {
    heading: 'Options of some formats:',
    ...countOption('redis-bitmap: the number of bits; needed'),
    isNeeded: true,
    decode: { 'redis-bitmap': (bits: number) => ({ bits }) },
  },
  hashes: {
    ...countOption('redis-bitmap: the number of bits that a key sets; needed'),
    isNeeded: true,
    decode: { 'redis-bitmap': (hashes: number) => ({ hashes }) },
  },
  scheme: {
    ...schemeOption('redis-bitmap: the scheme that chooses bits'),
    decode: { 'redis-bitmap': (scheme: BloomScheme | null) => scheme && { scheme } },
  },
  seed: {
    value: 'N',
    help: 'redis-bitmap: the seed of the scheme, decimal or 0x... (default 0)',
    read: readSeed,
    decode: { 'redis-bitmap': (seed: bigint) => ({ seed }) },
  },
  layout: {
    ...wordOption(
      'LAYOUT',
      layouts,
      'binary-fuse: what wrote the file, where serialize is that of C and Save of Go',
      ' (default serialize)',
    ),
    decode: { 'binary-fuse': (layout: (typeof layouts)[number]) => ({ layout }) },
  },
  'fingerprint-bits': {
    ...wordOption(
      'N',
      ['8', '16', '32'],
      'binary-fuse: the bits of a fingerprint',
      ' (default: what fits the size of the file)',
    ),
    decode: { 'binary-fuse': (bits: string) => ({ bits: Number(bits) }) },
  },
  xxh64: {
    help: 'binary-fuse: looks up the XXH64 of a key, in place of its 8 bytes',
    decode: { 'binary-fuse': () => ({ keys: 'xxh64' }) },
  },
  since: {
    ...wordOption(
      'MONTH',
      ['2018-01', '2020-10'],
      'go-cuckoo: the version that wrote the file, by when its hashes came',
      ' (default 2020-10)',
    ),
    decode: { 'go-cuckoo': (since: string) => ({ since }) },
  },
  scalable: {
    help: 'go-cuckoo: the file is of a ScalableCuckooFilter',
    decode: { 'go-cuckoo': () => ({ scalable: true }) },
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
    const isGiven = values[name] !== undefined && values[name] !== false;
    const decode = option.decode[format];
    if (isGiven && decode === undefined) {
      const formats = Object.keys(option.decode).join(', ');
      throw new UsageError(`--${name}: an option of --from ${formats}, not of ${format}`);
    }
    if (isGiven) Object.assign(options, decode?.(values[name] as never));
    else if (decode && option.isNeeded) missing.push(`--${name}`);
  }
  if (missing.length > 0) {
    throw new UsageError(`--from ${format}: expected ${missing.join(' and ')} too`);
  }
  return options;
}
