import { randomUUID } from 'node:crypto';
import { type BigIntStats, fstatSync, rmSync } from 'node:fs';
import {
  chmod,
  type FileHandle,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fromBytes, type LoadOptions, type Structure } from 'tamis';
import * as schemes from 'tamis/schemes';
import { UrlDelta, UrlList } from 'tamis/url';
import { codeOf, prefixError, UsageError } from '../frame/errors.js';
import type { Terminal } from '../frame/terminal.js';
import { STANDARD_INPUT } from './lists.js';

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
export async function loadStructure(path: string, sipKey: Uint8Array | undefined): Promise<Loaded> {
  try {
    const bytes = await readOwn(path);
    const options = { schemes: Object.values(schemes), ...allowSizeOf(bytes) };
    const structure = load(bytes, { ...options, ...(sipKey && { key: sipKey }) });
    return { structure, fileBytes: bytes.length };
  } catch (error) {
    throw prefixError(path, error);
  }
}

/** Of any type: also those of tamis/url, which have no key. */
function load(bytes: Uint8Array, options: LoadOptions): Structure {
  try {
    return fromBytes(bytes, options);
  } catch (error) {
    if (codeOf(error) !== 'ERR_TAMIS_WRONG_TYPE') throw error;
  }
  try {
    return UrlDelta.fromBytes(bytes, allowSizeOf(bytes));
  } catch (error) {
    if (codeOf(error) !== 'ERR_TAMIS_WRONG_TYPE') throw error;
  }
  return UrlList.fromBytes(bytes, allowSizeOf(bytes));
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
    const read = input === STANDARD_INPUT ? identityOfStream(stdin) : await identityOf(input);
    if (read !== written) continue;
    const name = input === STANDARD_INPUT ? 'standard input' : input;
    const what = name === output ? 'it is read, too' : `it is the same file as ${name}`;
    throw new UsageError(`${option} ${output}: ${what}, and would be lost`);
  }
}

/** What two names of one file have in common; undefined for what is no regular file, or not there. */
async function identityOf(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(identity, () => undefined);
}

function identityOfStream(stream: object): string | undefined {
  const isOfFile = 'fd' in stream && typeof stream.fd === 'number';
  return isOfFile ? identity(fstatSync(stream.fd as number, { bigint: true })) : undefined;
}

const identity = (file: BigIntStats): string | undefined =>
  file.isFile() ? `${file.dev}:${file.ino}` : undefined;

/** What removes the files that are to be renamed or removed before the command ends. */
export const unfinished = new Set<() => void>();

/** Removes what a command that is killed now would leave behind. */
export function removeUnfinished(): void {
  for (const remove of unfinished) remove();
}

/**
 * Writes `bytes` to `path` so that it holds the old content or the new, never a part. It writes a new file in the
 * same folder, flushes it to the disk, then renames it. What is no regular file (a pipe, a device) is written to as
 * it is. Throws a CommandError that names the file, and leaves nothing behind. So it does where `last` throws, which is
 * called right before the rename.
 */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  last?: () => void,
): Promise<void> {
  try {
    const old = await stat(path).catch(ignoreAbsence);
    if (old?.isFile() === false) return await writeFile(path, bytes);
    // Through a symbolic link to the file itself: the link stays one.
    const target = old ? await realpath(path) : path;
    await replace(target, bytes, old?.mode, last);
  } catch (error) {
    throw prefixError(path, error);
  }
}

/** Removes what a run left that was killed while it wrote a file whose name begins so. */
export async function removeLeftovers(folder: string, beginning: string): Promise<void> {
  const names = await readdir(folder);
  const left = names.filter((name) => name.startsWith(beginning) && name.endsWith('.tmp'));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}

export function ignoreAbsence(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

async function replace(
  target: string,
  bytes: Uint8Array,
  mode: number | undefined,
  last: (() => void) | undefined,
): Promise<void> {
  const folder = dirname(target);
  const temporary = join(folder, `.${basename(target)}.${randomUUID()}.tmp`);
  // Before it is there, so that no signal finds it unrecorded. Nobody else's has this name.
  const remove = () => rmSync(temporary, { force: true });
  unfinished.add(remove);
  const permissions = mode === undefined ? undefined : mode & 0o777;
  try {
    // The process's mask may take some away, which chmod gives back.
    await writeFile(temporary, bytes, { flag: 'wx', flush: true, mode: permissions });
    if (permissions !== undefined) await chmod(temporary, permissions);
    last?.();
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    unfinished.delete(remove);
  }
  await syncFolder(folder);
}

/** Makes the rename itself last through a power cut, where the system lets a folder be flushed. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch {
    // Windows and some network file systems refuse; the rename has been done all the same.
  } finally {
    await handle?.close();
  }
}
