// The formats of other programs, by the names that users type, and the options of these formats.

import { readFile } from 'node:fs/promises';
import type { Structure } from 'tamis';
import * as interop from 'tamis/interop';
import { allowSizeOf, beginsAsOurs, type Loaded, loadStructure } from '../files/files.js';
import { countOption, seedOption, wordOption } from '../frame/arguments.js';
import { type Option, readOneOf, type ValuesOf } from '../frame/command.js';
import {
  CommandError,
  codeOf,
  describe,
  prefixError,
  tellAbout,
  UsageError,
} from '../frame/errors.js';
import type { Foreign } from './figures.js';
import { schemeOption } from './filter-types.js';

export const OWN_FORMAT = 'tamis';

interface Codec {
  readonly name: string;
  decode(data: unknown, options: object): Structure;
  /** Writes the filter; absent if the codec only reads. */
  encode?(filter: Structure, options?: { readonly json: true }): unknown;
}

const codecs = new Map<string, Codec>();
for (const value of Object.values(interop)) {
  if ('decode' in value) codecs.set(value.name, value as Codec);
}

/** How a codec's data is stored in a file, if not as plain bytes. */
interface Storage {
  /** Turns a file's content into the input of `decode`. */
  read(file: Buffer, path: string): unknown;
  /** Makes a file's content; `asJson`: the file's name or an option asks for JSON. */
  write(codec: Required<Codec>, filter: Structure, asJson: boolean): Uint8Array | string;
}

/** Chunks for LOADCHUNK: joined bytes, or a JSON array of pairs [iterator, base64], one on each line. */
const chunked: Storage = {
  read: readChunks,
  write(codec, filter, asJson) {
    const chunks = codec.encode(filter) as readonly Chunk[];
    if (!asJson) return Buffer.concat(chunks.map(([, bytes]) => bytes));
    const pairs = chunks.map(([iterator, bytes]) =>
      JSON.stringify([iterator, Buffer.from(bytes).toString('base64')]),
    );
    return `[\n${pairs.join(',\n')}\n]\n`;
  },
};

const storages: Readonly<Record<string, Storage>> = {
  go: {
    // The binary form begins with the number of bits, big-endian, so its first byte is 0.
    read: (file) => (/^\s*\{/.test(file.toString('latin1', 0, 64)) ? file.toString() : file),
    write: (codec, filter, asJson) =>
      codec.encode(filter, asJson ? { json: true } : undefined) as Uint8Array | string,
  },
  redisbloom: chunked,
  'redis-cuckoo': chunked,
};

/** The formats whose files can contain JSON chunks. */
export const chunkedFormats = Object.keys(storages).filter((name) => storages[name] === chunked);

const formatNames = [OWN_FORMAT, ...codecs.keys()];
const writtenNames = formatNames.filter((name) => name === OWN_FORMAT || codecs.get(name)?.encode);

export const fromOption = {
  ...wordOption('FORMAT', formatNames, 'the format of the file'),
  default: OWN_FORMAT,
} as const satisfies Option;

export const toOption = {
  ...wordOption('FORMAT', writtenNames, 'the format to write'),
  default: OWN_FORMAT,
  read(text: string, option: string): string {
    if (codecs.has(text) && !writtenNames.includes(text)) {
      throw new UsageError(`${option} ${text}: tamis reads this format, but does not write it`);
    }
    return readOneOf(writtenNames)(text, option);
  },
} as const satisfies Option;

interface FormatOption extends Option {
  /** The format with this option, and the option's name in `decode`. */
  readonly of: readonly [format: string, member: string];
  /** The value that a flag passes to that option. */
  readonly flag?: unknown;
  /** True if the file cannot be read without the option. */
  readonly isNeeded?: true;
}

const widths = ['8', '16', '32'];

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
    ...seedOption('redis-bitmap: the seed of the scheme, decimal or 0x... (default 0)'),
    of: ['redis-bitmap', 'seed'],
  },
  layout: {
    ...wordOption(
      'LAYOUT',
      ['serialize', 'pack', 'xor8'],
      'binary-fuse: the function that wrote the file, where serialize also stands for Save of Go',
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
    help: 'binary-fuse: hashes keys with XXH64; without it, a key is a number of 8 bytes',
    of: ['binary-fuse', 'keys'],
    flag: 'xxh64',
  },
  since: {
    ...wordOption(
      'MONTH',
      ['2018-01', '2020-10'],
      'go-cuckoo: the month of the first version that hashes keys as in the file',
      ' (default 2020-10)',
    ),
    of: ['go-cuckoo', 'since'],
  },
  scalable: {
    help: 'go-cuckoo: a ScalableCuckooFilter wrote the file',
    of: ['go-cuckoo', 'scalable'],
  },
} as const satisfies Readonly<Record<string, FormatOption>>;

/** The passed options, for `decode`. Throws if the format lacks one of them, or if a required one is missing. */
function formatOptionsOf(
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
      throw new UsageError(`--${name} works only with --from ${owner}, not ${format}`);
    }
    if (isAbsent && option.isNeeded) missing.push(`--${name}`);
    // null means the default scheme.
    if (!isAbsent && value !== null) options[member] = option.flag ?? value;
  }
  if (missing.length > 0) {
    throw new UsageError(`--from ${format}: expected ${missing.join(' and ')} too`);
  }
  return options;
}

type SourceValues = ValuesOf<{ readonly from: typeof fromOption } & typeof formatOptions>;

export interface Source extends Loaded, Pick<Foreign, 'format' | 'isEstimate'> {
  readonly path: string;
}

/** The member `foreign` of a report; undefined if both the source and the written file are tamis files. */
export function foreignOf(source: Source, format = source.format): Foreign | undefined {
  const isByOther = source.format !== OWN_FORMAT;
  const { isEstimate } = source;
  return isByOther || format !== OWN_FORMAT ? { format, isByOther, isEstimate } : undefined;
}

/** Loads the structure in a file of any format. Throws a CommandError that names the file. */
export async function loadFrom(
  path: string,
  values: SourceValues,
  secret?: Uint8Array,
): Promise<Source> {
  const { from: format } = values;
  const options = formatOptionsOf(format, values);
  const codec = codecs.get(format);
  if (codec === undefined) {
    const loaded = await loadStructure(path, secret).catch(suggestFrom);
    return { ...loaded, path, format, isEstimate: false };
  }
  if (secret) throw new UsageError(`--secret-file: files of --from ${format} have no secret`);
  return tellAbout(path, async () => {
    const file = await readFile(path);
    if (beginsAsOurs(file)) {
      throw new CommandError(`${path}: tamis wrote this file: leave out --from ${format}`);
    }
    const data = storages[format]?.read(file, path) ?? file;
    const structure = codec.decode(data, { ...options, ...allowSizeOf(file) });
    // Among the formats of Bloom filters, only this one stores the number of keys.
    const isEstimate = !isForeign(structure) && format !== 'redisbloom';
    return { structure, fileBytes: file.length, path, format, isEstimate };
  });
}

/** If the error is about a file that is not of tamis, adds a hint: other programs' files cannot be recognized. */
function suggestFrom(error: unknown): never {
  const isOther = error instanceof CommandError && codeOf(error.cause) === 'ERR_TAMIS_NOT_TAMIS';
  if (!isOther) throw error;
  const { message, cause } = error;
  throw new CommandError(`${message}: --from FORMAT reads files of other programs`, { cause });
}

/** True for a ForeignFilter, which has no tamis type. */
const isForeign = (structure: Structure): boolean => 'format' in structure;

/** The content of a file in the format `to`. Throws a CommandError if the format cannot contain the structure. */
export function contentFor(
  { structure, path, format }: Source,
  to: string,
  asJson: boolean,
): Uint8Array {
  if (isForeign(structure) && to !== format) {
    const why = format === 'redisbloom' ? 'of several layers' : 'with a hash of its own';
    throw new CommandError(
      `${path}: a ${format} filter ${why} cannot be converted to ${to}; tamis check --from ${format} looks keys up in it`,
    );
  }
  const codec = codecs.get(to) as Required<Codec> | undefined;
  if (codec === undefined) return structure.toBytes();
  try {
    const write = storages[to]?.write;
    const content = write ? write(codec, structure, asJson) : codec.encode(structure);
    return typeof content === 'string' ? Buffer.from(content) : (content as Uint8Array);
  } catch (error) {
    if (codeOf(error) !== 'ERR_TAMIS_INCOMPATIBLE') throw prefixError(path, error);
    const what = 'a filter has no keys to hash again: add your keys to a new filter';
    throw new CommandError(`${path}: ${describe(error)}; ${what}`, { cause: error });
  }
}

// Reads files with the chunks of BF.SCANDUMP and CF.SCANDUMP: joined bytes, or JSON.

type Chunk = readonly [iterator: number | string, bytes: Uint8Array];

/** The chunks in a JSON file: an array of [iterator, base64], or one such pair per line. Else the file as bytes. */
function readChunks(file: Buffer, name: string): Buffer | Chunk[] {
  // A binary header begins with a count of 8 bytes, of which one is 0. JSON never contains a 0 byte.
  const text = file.subarray(0, 8).includes(0) ? '' : file.toString();
  if (!/^\s*\[/.test(text)) return file;
  return pairsOf(text).map((pair, i) => readChunk(pair, `${name}: chunk ${i + 1}`));
}

function pairsOf(text: string): unknown[] {
  const whole = tryParse(text);
  // If no member is an array, the array itself is the pair, in a file of one line.
  if (Array.isArray(whole)) return whole.every(Array.isArray) ? whole : [whole];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map(tryParse);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readChunk(pair: unknown, name: string): Chunk {
  const [iterator, base64] = Array.isArray(pair) ? pair : [];
  const isIterator =
    Number.isSafeInteger(iterator) || (typeof iterator === 'string' && /^\d+$/.test(iterator));
  const bytes = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
  // Node skips characters that are not base64, and would return fewer bytes.
  if (isIterator && bytes && bytes.toString('base64') === base64) {
    return [iterator, new Uint8Array(bytes)];
  }
  throw new CommandError(`${name} is not [iterator, "base64"]`);
}
