// Turns the text of a key into the bytes that another program hashes.

import { type Funnel, normalizeKey, type PackedKeys } from 'tamis';
import { encodings } from 'tamis/interop';
import { type Option, type Options, readOneOf, type ValuesOf } from '../frame/command.js';
import { CommandError, codeOf } from '../frame/errors.js';
import type { Terminal } from '../frame/terminal.js';
import { type List, showReading, textsOf } from './lists.js';

export interface KeyEncoding {
  readonly name: string;
  /** Describes valid text, in messages. */
  readonly expected: string;
  /** Encodes a key; undefined if the text is not valid. Without `encode`, a key is the bytes of its line. */
  readonly encode?: (text: string) => Uint8Array | undefined;
}

type Parse<T> = (text: string) => T | undefined;

/** Makes an encoding, still without a name. A text whose value `toKey` refuses is not valid either. */
const encoding = <T>(
  expected: string,
  parse: Parse<T>,
  toKey: Funnel<T>,
): Omit<KeyEncoding, 'name'> => ({
  expected,
  encode(text) {
    const value = parse(text);
    try {
      return value === undefined ? undefined : toKey(value);
    } catch (error) {
      if (codeOf(error) === 'ERR_TAMIS_INVALID_KEY') return undefined;
      throw error;
    }
  },
});

const whole: Parse<bigint> = (text) => (/^-?\d+$/.test(text) ? BigInt(text) : undefined);

const int32: Parse<number> = (text) => (whole(text) === undefined ? undefined : Number(text));

const number: Parse<number> = (text) =>
  /^(-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|-?Infinity|NaN)$/i.test(text) ? Number(text) : undefined;

const hex: Parse<Uint8Array> = (text) =>
  /^([\da-f]{2})*$/i.test(text) ? new Uint8Array(Buffer.from(text, 'hex')) : undefined;

const int64 = 'a whole number from -2^63 to 2^63 - 1';

/** The encodings, by their names in tamis/interop. */
const keyEncodings = {
  utf8: { expected: 'text' },
  utf16: encoding('text', (text) => text, encodings.utf16),
  bytes: encoding('hex digits, two for each byte', hex, encodings.bytes),
  int32: encoding('a whole number from -2^31 to 2^31 - 1', int32, encodings.int32),
  int64: encoding(int64, whole, encodings.int64),
  long: encoding(int64, whole, encodings.long),
  decimal: encoding('a whole number', whole, encodings.decimal),
  float: encoding('a number', number, encodings.float),
  double: encoding('a number', number, encodings.double),
} as const satisfies Readonly<Record<string, Omit<KeyEncoding, 'name'>>>;

const names = Object.keys(keyEncodings) as (keyof typeof keyEncodings)[];

/** The option --keys, for filters of other programs. */
export const keysOption = {
  value: 'ENCODING',
  help: `how a key becomes bytes, where bytes is hex digits, and numbers are little-endian: ${names.join(', ')}`,
  words: names,
  default: 'utf8',
  read(text: string, option: string): KeyEncoding {
    const name = readOneOf(names)(text, option);
    return { name, ...keyEncodings[name] };
  },
} as const satisfies Option;

/** The options that change the text of a key before it becomes bytes. */
export const spellingOptions = {
  'lower-case': {
    help: 'makes keys lower-case, without regard to a language; in a program, normalizeKey does the same',
  },
  nfkc: {
    help: 'maps variants of a character to one form, NFKC of Unicode: full-width letters, ligatures, accents',
  },
} as const satisfies Options;

/** The options that turn the text of a key into bytes. */
export const textOptions = { keys: keysOption, ...spellingOptions } as const satisfies Options;

/** The encoding that first changes the text as the options say, and then encodes it. */
export function encodingOf({
  keys,
  'lower-case': lowerCase,
  nfkc,
}: ValuesOf<typeof textOptions>): KeyEncoding {
  if (!lowerCase && !nfkc) return keys;
  const { name, encode = (text: string) => new Uint8Array(Buffer.from(text)) } = keys;
  return {
    ...keys,
    name: `${name}${lowerCase ? ' in lower case' : ''}${nfkc ? ' in NFKC' : ''}`,
    encode: (text) => encode(normalizeKey(text, { lowerCase, nfkc })),
  };
}

/** Encodes keys. `placeOf` names key i in messages, with its line. */
export function encodeKeys<B extends readonly string[] | PackedKeys>(
  batch: B,
  { name, encode, expected }: KeyEncoding,
  placeOf: (index: number) => string = () => 'key',
): B | PackedKeys {
  if (encode === undefined) return batch;
  const keys = textsOf(batch).map((text, i) => {
    const key = encode(text);
    if (key !== undefined) return key;
    const option = name === 'base64' ? '--input' : '--keys';
    throw new CommandError(`${placeOf(i)} ${text}: expected ${expected}, as ${option} requires`);
  });
  return packKeys(keys);
}

/** Yields the encoded keys of a list, and shows a progress line. */
export async function* encodeList(
  list: List,
  encoding: KeyEncoding,
  terminal: Terminal,
  label = 'reading',
): AsyncGenerator<PackedKeys> {
  for await (const batch of showReading(list, terminal, { label })) {
    yield encodeKeys(batch, encoding, (i) => list.placeOf(batch, i));
  }
}

function packKeys(keys: readonly Uint8Array[]): PackedKeys {
  const { length } = keys;
  const starts = new Uint32Array(length);
  const ends = new Uint32Array(length);
  let end = 0;
  for (const [i, key] of keys.entries()) {
    starts[i] = end;
    end += key.length;
    ends[i] = end;
  }
  return { bytes: new Uint8Array(Buffer.concat(keys)), starts, ends, length };
}
