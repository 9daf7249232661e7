import { type BigIntStats, createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { BitArray, fromBytes, fromBytesOf, InvertibleBloomTable, type Structure } from 'tamis';
import * as schemes from 'tamis/schemes';
import { UrlDelta, UrlList } from 'tamis/url';
import { writeAtomically } from '../../disk/index.js';
import { codeOf, tellAbout, UsageError } from '../frame/errors.js';
import type { Terminal } from '../frame/terminal.js';
import { fileOf, STANDARD_INPUT } from './lists.js';

export interface Loaded {
  readonly structure: Structure;
  readonly fileBytes: number;
}

const MAGIC = '\x89TMS\r\n\x1a\n';

export const beginsAsOurs = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') === MAGIC;

/** Reads the whole of a tamis file. Of any other file, which may be endless, it reads only the first bytes. */
export async function readOwn(path: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let isOurs = false;
  for await (const chunk of createReadStream(path)) {
    chunks.push(chunk);
    if (isOurs) continue;
    const head = Buffer.concat(chunks);
    isOurs = beginsAsOurs(head);
    if (!isOurs && head.length >= MAGIC.length) break;
  }
  return Buffer.concat(chunks);
}

/** Loads the structure in a file. Throws a CommandError that names the file. */
export function loadStructure(path: string, secret: Uint8Array | undefined): Promise<Loaded> {
  return tellAbout(path, async () => {
    const bytes = await readOwn(path);
    return { structure: load(bytes, secret), fileBytes: bytes.length };
  });
}

/** Loads a structure of any type: after ERR_TAMIS_WRONG_TYPE the next reader is tried. URL lists have no secret. */
function load(bytes: Uint8Array, secret: Uint8Array | undefined): Structure {
  const limit = allowSizeOf(bytes);
  const options = { schemes: Object.values(schemes), ...limit, ...(secret && { secret }) };
  for (const read of [
    () => fromBytes(bytes, options),
    () => fromBytesOf([BitArray, InvertibleBloomTable], bytes, options),
    () => UrlDelta.fromBytes(bytes, limit),
  ]) {
    try {
      return read();
    } catch (error) {
      if (codeOf(error) !== 'ERR_TAMIS_WRONG_TYPE') throw error;
    }
  }
  return UrlList.fromBytes(bytes, limit);
}

/** The option `maxBytes` of a load: the package's default (cpp/FORMAT.md), or the file's length if that is larger. */
export const allowSizeOf = (bytes: Uint8Array): { maxBytes: number } => ({
  maxBytes: Math.max(bytes.length, 256 * 1024 * 1024),
});

/** Throws if an output is also an input, under any name, since that input would be lost. Pipes may be both. */
export async function refuseToOverwrite(
  option: string,
  output: string | undefined,
  inputs: readonly (string | undefined)[],
  { stdin }: Terminal,
): Promise<void> {
  const outputId = output === undefined ? undefined : await identityOf(output);
  if (outputId === undefined) return;
  for (const input of inputs) {
    if (input === undefined) continue;
    const inputId = input === STANDARD_INPUT ? identify(fileOf(stdin)) : await identityOf(input);
    if (inputId !== outputId) continue;
    const name = input === STANDARD_INPUT ? 'standard input' : input;
    const what = name === output ? 'it is also an input' : `it is the same file as ${name}`;
    throw new UsageError(`${option} ${output}: ${what}, and would be lost`);
  }
}

/** The identity of a regular file, which all its names share; undefined for other files and missing ones. */
const identityOf = (path: string): Promise<string | undefined> =>
  stat(path, { bigint: true }).then(identify, () => undefined);

const identify = (file: BigIntStats | undefined): string | undefined =>
  file?.isFile() ? `${file.dev}:${file.ino}` : undefined;

/** Writes a file whole or not at all. Throws a CommandError that names the file. */
export const writeOutput = (path: string, bytes: Uint8Array): Promise<void> =>
  tellAbout(path, () => writeAtomically(path, bytes));
