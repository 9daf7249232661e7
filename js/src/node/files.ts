import {
  type FileHandle,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fromBytes, type Structure } from 'tamis';
import { about, codeOf } from './errors.js';

/** A structure and the number of bytes that it came from. */
export interface Loaded {
  readonly structure: Structure;
  readonly fileBytes: number;
}

/** Loads whatever structure `path` holds. Throws a CommandError that names the file. */
export async function loadStructure(path: string, key: Uint8Array | undefined): Promise<Loaded> {
  try {
    const bytes = await readFile(path);
    // The bytes are in hand already, so the limit against strangers' sizes has nothing to guard.
    const maxBytes = Math.max(bytes.length, DEFAULT_MAX_BYTES);
    const structure = fromBytes(bytes, key ? { key, maxBytes } : { maxBytes });
    return { structure, fileBytes: bytes.length };
  } catch (error) {
    throw about(path, error);
  }
}

/** The package's own limit for a load: cpp/FORMAT.md. */
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/**
 * Writes `bytes` to `path` so that it holds the old content or the new, never a part: to a new file
 * in the same folder, flushed to the disk, then renamed. What is no regular file (a pipe, a device)
 * is written to as it is. Throws a CommandError that names the file, and leaves nothing behind.
 */
export async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const old = await stat(path).catch(absent);
    if (old?.isFile() === false) return await writeFile(path, bytes);
    // Through a symbolic link to the file itself: the link stays one.
    const target = old ? await realpath(path) : path;
    await replace(target, bytes, old?.mode);
  } catch (error) {
    throw about(path, error);
  }
}

function absent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

async function replace(target: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const folder = dirname(target);
  const temporary = join(folder, `.${basename(target)}.${process.pid}.tmp`);
  const file = await open(temporary, 'wx');
  try {
    try {
      if (mode !== undefined) await file.chmod(mode & 0o777);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
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
