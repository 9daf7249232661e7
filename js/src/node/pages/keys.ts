// Reads lists of keys as hashes, with the values of a map.

import { hashKeys, type PackedKeys } from 'tamis';
import type { HashedKeys } from 'tamis/pages';
import {
  encodeKeys,
  encodingOf,
  type KeyEncoding,
  keysOption,
  spellingOptions,
} from '../files/key-encodings.js';
import { type LineRules, listOptions, openList, showProgress } from '../files/lists.js';
import { wordOption } from '../frame/arguments.js';
import type { Options, ValuesOf } from '../frame/command.js';
import { CommandError, prefixError, UsageError } from '../frame/errors.js';
import type { Terminal } from '../frame/terminal.js';

/** The encoding of --input base64, for keys that may contain line ends: `encode` decodes a line to the key's bytes. */
const base64: KeyEncoding = {
  name: 'base64',
  expected: 'base64',
  encode: (text) =>
    /^([\w+/-]{4})*([\w+/-]{2}(==)?|[\w+/-]{3}=?)?$/.test(text)
      ? new Uint8Array(Buffer.from(text, 'base64'))
      : undefined,
};

const { default: standard, ...keys } = keysOption;

/** The options that turn lines into keys. --keys has no default here: keyRulesOf must see whether it was passed. */
export const keyOptions = {
  keys: { ...keys, help: `${keys.help} (default ${standard})` },
  input: {
    ...wordOption(
      'FORM',
      ['text', 'base64'],
      'how a line encodes a key, where base64 is for keys of any bytes',
    ),
    default: 'text',
  },
  ...spellingOptions,
  ...listOptions,
} as const satisfies Options;

export interface KeyRules extends LineRules {
  readonly encoding: KeyEncoding;
}

/** Reads the rules from the options. Throws a UsageError if an option for text is passed with base64. */
export function keyRulesOf({ keys, input, ...rules }: ValuesOf<typeof keyOptions>): KeyRules {
  if (input === 'text') {
    const encoding = encodingOf({ ...rules, keys: keys ?? keysOption.read(standard, '--keys') });
    return { ...rules, encoding };
  }
  const ofText = { '--keys': keys, '--lower-case': rules['lower-case'], '--nfkc': rules.nfkc };
  for (const [option, value] of Object.entries(ofText)) {
    if (value) throw new UsageError(`${option} works only with --input text`);
  }
  return { ...rules, encoding: base64 };
}

const TAB = 9;
const ZERO = 0x30;

/** Splits lines `key TAB value` at the last tab. Throws a CommandError if a value is not a number below 2^32. */
function splitValues(
  batch: PackedKeys,
  placeOf: (index: number) => string,
): { keys: PackedKeys; values: Uint32Array<ArrayBuffer> } {
  const { bytes, starts, ends, length } = batch;
  const keyEnds = new Uint32Array(length);
  const values = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    const start = starts[i] as number;
    const end = ends[i] as number;
    let tab = end - 1;
    while (tab >= start && bytes[tab] !== TAB) tab--;
    let value = 0; // NaN once a byte is not a digit
    for (let at = tab + 1; at < end; at++) {
      const digit = (bytes[at] as number) - ZERO;
      value = digit >= 0 && digit <= 9 ? 10 * value + digit : Number.NaN;
    }
    const isSplit = tab >= start && tab < end - 1; // there is a tab, and something after it
    if (!isSplit || !(value < 2 ** 32)) {
      throw new CommandError(`${placeOf(i)}: expected a key, a tab and a value below 2^32`);
    }
    keyEnds[i] = tab;
    values[i] = value;
  }
  return { keys: { bytes, starts, ends: keyEnds, length }, values };
}

/** Yields the hashes of all keys in a list, and shows a progress line. */
export async function* hashList(
  path: string,
  rules: KeyRules,
  { isMap, secret }: { readonly isMap: boolean; readonly secret: Uint8Array | undefined },
  terminal: Terminal,
): AsyncGenerator<HashedKeys> {
  const list = await openList(path, rules, terminal);
  const options = secret === undefined ? {} : { secret };
  try {
    for await (const batch of showProgress(list.batches, list.stored, 'reading', terminal)) {
      const placeOf = (i: number) => list.placeOf(batch, i);
      const split = isMap ? splitValues(batch, placeOf) : undefined;
      const keys = encodeKeys(split?.keys ?? batch, rules.encoding, placeOf);
      yield { hashes: hashKeys(keys, options), values: split?.values };
    }
  } catch (error) {
    throw prefixError(list.name, error);
  }
  list.warn(terminal);
}
