import type { BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { fromBytes, type LoadOptions, type Structure } from 'tamis';
import * as schemes from 'tamis/schemes';
import { UrlDelta, UrlList } from 'tamis/url';
import * as disk from '../../disk/index.js';
import { codeOf, tellAbout, UsageError } from '../frame/errors.js';
import type { Terminal } from '../frame/terminal.js';
import { fileOf, STANDARD_INPUT } from './lists.js';

/** A structure and the number of bytes that it came from. */
export interface Loaded {
  readonly structure: Structure;
  readonly fileBytes: number;
}

const MAGIC = '\x89TMS\r\n\x1a\n';

/** Whether bytes begin as the files of this package do. */
export const beginsAsOurs = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') === MAGIC;

const HEADER_BYTES = 64;

/** The bytes of a file of this package; of another one its first alone, which say so: it may have no end. */
export async function readOwn(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    // What is read at an offset is read again below; a pipe knows no offsets.
    const isFile = (await file.stat()).isFile();
    const head = Buffer.alloc(HEADER_BYTES);
    let size = 0;
    while (size < HEADER_BYTES) {
      const at = isFile ? size : null;
      const { bytesRead } = await file.read(head, size, HEADER_BYTES - size, at);
      if (bytesRead === 0) break;
      size += bytesRead;
    }
    if (!beginsAsOurs(head)) return head.subarray(0, size);
    const rest = await file.readFile();
    return isFile ? rest : Buffer.concat([head.subarray(0, size), rest]);
  } finally {
    await file.close();
  }
}

/** Loads whatever structure `path` holds. Throws a CommandError that names the file. */
export function loadStructure(path: string, sipKey: Uint8Array | undefined): Promise<Loaded> {
  return tellAbout(path, async () => {
    const bytes = await readOwn(path);
    const options = { schemes: Object.values(schemes), ...allowSizeOf(bytes) };
    const structure = load(bytes, { ...options, ...(sipKey && { key: sipKey }) });
    return { structure, fileBytes: bytes.length };
  });
}

/** Of any type: also those of tamis/url, which have no key. */
function load(bytes: Uint8Array, options: LoadOptions): Structure {
  const limit = allowSizeOf(bytes);
  for (const read of [() => fromBytes(bytes, options), () => UrlDelta.fromBytes(bytes, limit)]) {
    try {
      return read();
    } catch (error) {
      if (codeOf(error) !== 'ERR_TAMIS_WRONG_TYPE') throw error;
    }
  }
  return UrlList.fromBytes(bytes, limit);
}

/** The limit against sizes that others claim has nothing to guard where the bytes are in hand already. */
export function allowSizeOf(bytes: Uint8Array): { maxBytes: number } {
  return { maxBytes: Math.max(bytes.length, DEFAULT_MAX_BYTES) };
}

/** The package's own limit for a load: cpp/FORMAT.md. */
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/**
 * Throws where the file of an option that is written to is one of those that are read, by whatever name. What was
 * read would be lost. What is no regular file (a pipe, a device) loses nothing.
 */
export async function refuseToOverwrite(
  option: string,
  output: string,
  inputs: readonly (string | undefined)[],
  { stdin }: Terminal,
): Promise<void> {
  const written = await identityOf(output);
  if (written === undefined) return;
  for (const input of inputs) {
    if (input === undefined) continue;
    const read = input === STANDARD_INPUT ? identify(fileOf(stdin)) : await identityOf(input);
    if (read !== written) continue;
    const name = input === STANDARD_INPUT ? 'standard input' : input;
    const what = name === output ? 'it is read, too' : `it is the same file as ${name}`;
    throw new UsageError(`${option} ${output}: ${what}, and would be lost`);
  }
}

/** What two names of one file have in common; undefined for what is no regular file, or not there. */
async function identityOf(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(identify, () => undefined);
}

const identify = (file: BigIntStats | undefined): string | undefined =>
  file?.isFile() ? `${file.dev}:${file.ino}` : undefined;

/** Writes a file whole or not at all. Throws a CommandError that names it, and leaves nothing behind. */
export function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  return tellAbout(path, () => disk.writeAtomically(path, bytes));
}
