// Readers of option values, and options that several commands share.

import { readFile } from 'node:fs/promises';
import type { Option, Options } from './command.js';
import { CommandError, tellAbout, UsageError } from './errors.js';

/** Makes a reader of an option's text, which throws a UsageError with `expected` if `read` returns undefined. */
const reader =
  <T>(expected: string, read: (text: string) => T | undefined) =>
  (text: string, option: string): T => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new UsageError(`${option} ${text}: expected ${expected}`);
  };

const decimal = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const numberOf = (text: string): number | undefined =>
  decimal.test(text) ? Number(text) : undefined;

/** Reads a rate: `0.01`, `1e-6` or `2^-16`. The filter checks the range. */
export const readRate = reader('a rate such as 0.01 or 2^-16', (text) => {
  const power = /^2\^-(\d{1,4})$/.exec(text);
  return power ? 2 ** -Number(power[1]) : numberOf(text);
});

/** Reads a decimal number that is not negative. */
export const readDecimal = reader('a number such as 0.85', numberOf);

const readPercent = reader('a share such as 10 or 2.5%', (text) =>
  numberOf(text.replace(/ ?%$/, '')),
);

/** An option for a share in per cent, with or without a % sign. */
export const percentOption = (help: string) =>
  ({ value: 'PERCENT', help, read: readPercent }) as const satisfies Option;

/** An option for public keys of 64 hex digits each. It may be repeated. */
export const publicKeysOption = (help: string) =>
  ({
    value: 'HEX',
    help: `${help}; can be repeated`,
    multiple: true,
    read: reader('64 hex digits, as tamis url publish prints them', (text) =>
      /^[\da-f]{64}$/i.test(text) ? text.toLowerCase() : undefined,
    ),
  }) as const satisfies Option;

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const longestMs = 36_525 * 86_400_000;

/** Reads a time of at most 100 years, such as `90m`, `36h` or `7d`, as milliseconds. NaN (no match) is refused. */
export const readDuration = reader('minutes, hours or days, such as 90m, 36h or 7d', (text) => {
  const [, count, unit = ''] = /^(\d{1,9})([mhd])$/.exec(text) ?? [];
  const timeMs = Number(count) * (unitMs[unit] ?? 0);
  return timeMs > 0 && timeMs <= longestMs ? timeMs : undefined;
});

export const countReader = (expected: string, least: number, most = Number.MAX_SAFE_INTEGER) =>
  reader(expected, (text) => {
    const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return count >= least && count <= most ? count : undefined;
  });

const readCount = countReader('a whole number, at most 2^53 - 1', 0);

const unitBytes: Readonly<Record<string, number>> = {
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** Reads a number of bytes, at least a million, such as `200MB`. NaN (no match) is refused. */
export const readSize = reader('at least 1MB, such as 200MB or 1GiB', (text) => {
  const [, count, unit = ''] = /^(\d{1,9})([kKMG]i?B)$/.exec(text) ?? [];
  const size = Number(count) * (unitBytes[unit] ?? 0);
  return size >= 1e6 ? size : undefined;
});

export const countOption = (help: string) =>
  ({ value: 'N', help, read: readCount }) as const satisfies Option;

export const rateOption = (help: string) =>
  ({ value: 'RATE', help, read: readRate }) as const satisfies Option;

/** An option that accepts one of `words`. Its help lists the words before `more`. */
export const wordOption = <const W extends string>(
  value: string,
  words: readonly W[],
  help: string,
  more = '',
) => {
  const wholeHelp = `${help}: ${words.join(', ')}${more}`;
  return { value, help: wholeHelp, words } as const satisfies Option;
};

export interface TypeOption extends Option {
  readonly types: readonly string[];
}

/** Throws if `values` has an option that only other types have. */
export function checkTypeOptions(
  options: Readonly<Record<string, TypeOption>>,
  type: string,
  values: Readonly<Record<string, unknown>>,
): void {
  for (const [name, { types }] of Object.entries(options)) {
    if (values[name] === undefined || types.includes(type)) continue;
    throw new UsageError(`--${name} works only with --type ${types.join(', ')}, not ${type}`);
  }
}

const readSeed = reader('a whole number, such as 7 or 0xfeed', (text) =>
  /^(\d+|0x[\da-f]+)$/i.test(text) ? BigInt(text) : undefined,
);

/** An option for a seed, in decimal or as 0x digits. The filter checks that the seed has at most 64 bits. */
export const seedOption = (help: string) =>
  ({ value: 'N', help, read: readSeed }) as const satisfies Option;

/** Reads a range `FROM:TO` within 0..`length`, which does not include TO. Either end may be left out. */
export function parseRange(
  text: string,
  length: number,
  option: string,
  noun: string,
): { from: number; to: number } {
  const match = /^(\d*):(\d*)$/.exec(text);
  if (!match) throw new UsageError(`${option} ${text}: expected FROM:TO, such as 0:64`);
  const from = match[1] ? Number(match[1]) : 0;
  const to = match[2] ? Number(match[2]) : length;
  if (from <= to && to <= length) return { from, to };
  throw new UsageError(
    `${option} ${text}: expected FROM <= TO <= ${length}, the number of ${noun}s`,
  );
}

export const outputOption = {
  short: 'o',
  value: 'FILE',
  help: 'the file to write, whole or not at all',
  required: true,
  read: reader('a file, since standard output is for people or --json', (path) =>
    path === '-' ? undefined : path,
  ),
} as const satisfies Option;

export const figuresAsJson = {
  help: 'prints the figures as one line of JSON',
} as const satisfies Option;

export const secretOption = {
  value: 'FILE',
  help: 'the file with the secret that the filter was built with',
} as const satisfies Option;

/** The options that change the hashes of keys. */
export const hashingOptions = {
  seed: seedOption(
    'the seed of the hash, decimal or 0x..., up to 64 bits (default 0); it is not a secret',
  ),
  'secret-file': {
    value: 'FILE',
    help: 'hashes with the secret in FILE, which is 16 bytes or 32 hex digits',
  },
} as const satisfies Options;

/** Reads the secret of `--secret-file`, if the option is passed: 16 bytes, or 32 hex digits and a line end. */
export async function readSecret(path: string | undefined): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined;
  const content = await tellAbout(path, () => readFile(path));
  if (content.length === 16) return new Uint8Array(content);
  const hex = content.toString('latin1').trim();
  if (/^[\da-f]{32}$/i.test(hex)) return new Uint8Array(Buffer.from(hex, 'hex'));
  throw new CommandError(
    `${path}: a secret is 16 bytes or 32 hex digits, got ${content.length} bytes`,
  );
}
