import { readFile } from 'node:fs/promises';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CommandError, prefixError, UsageError } from './errors.js';
import { guessName } from './suggestions.js';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<T extends Options> = ReturnType<
  typeof parseArgs<{ options: T; allowPositionals: true; strict: true }>
>;

/** parseArgs in its strict form, in words of our own: what is wrong is a UsageError. */
export function parse<const T extends Options>(args: readonly string[], options: T): Parsed<T> {
  const parsed = parseArgs({
    args: [...args],
    options: options as Options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of parsed.tokens) {
    if (token.kind === 'option') checkOption(token, options);
  }
  return parsed as unknown as Parsed<T>;
}

/** An option as it was given: `rawName` with its hyphens, `inlineValue` where an = stands between. */
interface GivenOption {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** What to say of an option that is none of `names`; it has its hyphens. */
export function unknownOptionError(given: string, names: readonly string[]): UsageError {
  const near = given.startsWith('--') ? guessName(given.slice(2), names) : undefined;
  return new UsageError(`unknown option ${given}${near ? `: did you mean --${near}?` : ''}`);
}

function checkOption({ name, rawName, value, inlineValue }: GivenOption, options: Options): void {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) {
    throw unknownOptionError(rawName, Object.keys(options));
  }
  if (option.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value, got ${value}`);
  } else if (value === undefined) {
    throw new UsageError(`${rawName}: expected a value`);
  } else if (!inlineValue && /^-./.test(value)) {
    const inline = `${rawName.startsWith('--') ? `${rawName}=` : rawName}${value}`;
    throw new UsageError(`${rawName}: expected a value; if that is ${value}, write ${inline}`);
  }
}

const decimal = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** `0.01`, `1e-6` or `2^-16`. Whether the rate is one that a filter can have, the filter says. */
export function parseRate(text: string): number {
  const power = /^2\^-(\d{1,4})$/.exec(text);
  if (power) return 2 ** -Number(power[1]);
  if (decimal.test(text)) return Number(text);
  throw new UsageError(`--fpr ${text}: expected a rate such as 0.01 or 2^-16`);
}

/** A decimal number that is not negative. */
export function parseNumber(option: string, text: string): number {
  if (decimal.test(text)) return Number(text);
  throw new UsageError(`${option} ${text}: expected a number such as 0.85`);
}

/** 64 hex digits: a public key. */
export function parsePublicKey(option: string, text: string): string {
  if (/^[\da-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new UsageError(
    `${option} ${text}: expected 64 hex digits, as tamis url publish prints them`,
  );
}

/** A share in per cent, with its sign or without. */
export const parsePercent = (option: string, text: string): number =>
  parseNumber(option, text.replace(/ ?%$/, ''));

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90m`, `36h` or `7d`: milliseconds. */
export function parseDuration(option: string, text: string): number {
  const match = /^(\d{1,9})([mhd])$/.exec(text);
  if (match) return Number(match[1]) * (unitMs[match[2] as string] as number);
  throw new UsageError(
    `${option} ${text}: expected minutes, hours or days, such as 90m, 36h or 7d`,
  );
}

/** Decimal digits, up to 2^53 - 1. */
export function parseCount(option: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new UsageError(`${option} ${text}: expected a whole number, at most 2^53 - 1`);
}

/** The file of `-o`: standard output is for people, or for --json. */
export function requireOutput(command: string, output: string | undefined): string {
  if (output && output !== '-') return output;
  throw new UsageError(`${command}: expected -o FILE, where to write to`);
}

/** Decimal or 0x digits. Whether it fits 64 bits, the filter says. */
export function parseSeed(text: string): bigint {
  if (/^(\d+|0x[\da-f]+)$/i.test(text)) return BigInt(text);
  throw new UsageError(`--seed ${text}: expected a whole number, such as 7 or 0xfeed`);
}

/** More would not fit a string of some engines, let alone a terminal. */
const MAX_BITS_SHOWN = 2 ** 24;

/** `FROM:TO`, either of which may be left out: the half-open range that it names in 0..`length`. */
export function parseRange(text: string, length: number): { from: number; to: number } {
  const match = /^(\d*):(\d*)$/.exec(text);
  if (!match) throw new UsageError(`--bits ${text}: expected FROM:TO, such as 0:64`);
  const from = match[1] ? Number(match[1]) : 0;
  const to = match[2] ? Number(match[2]) : length;
  if (from > to || to > length) {
    throw new UsageError(`--bits ${text}: expected FROM <= TO <= ${length}, the number of bits`);
  }
  if (to - from > MAX_BITS_SHOWN) {
    throw new UsageError(`--bits ${text}: expected at most ${MAX_BITS_SHOWN} bits at a time`);
  }
  return { from, to };
}

const KEY_BYTES = 16;

/** The key of `--key-file`, where that was given. */
export async function readKeyOption(path: string | undefined): Promise<Uint8Array | undefined> {
  return path === undefined ? undefined : await readKeyFile(path);
}

/** The secret key in a file: its 16 bytes, or 32 hex digits (a line end after them is ignored). */
async function readKeyFile(path: string): Promise<Uint8Array> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw prefixError(path, error);
  }
  if (bytes.length === KEY_BYTES) return new Uint8Array(bytes);
  const hex = bytes.toString('latin1').trim();
  if (/^[\da-f]{32}$/i.test(hex)) return new Uint8Array(Buffer.from(hex, 'hex'));
  throw new CommandError(`${path}: a key is 16 bytes or 32 hex digits, got ${bytes.length} bytes`);
}
