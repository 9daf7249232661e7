// Files that are written whole or not at all.

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
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
import { aboutFile, ignoreAbsence } from './errors.js';

/** What removes the files that are to be renamed or removed before the process ends. */
export const unfinished = new Set<() => void>();

/** Removes what a process that is killed now would leave behind. */
export function removeUnfinished(): void {
  for (const remove of unfinished) remove();
}

/**
 * Writes `bytes` to `path` so that it holds the old content or the new, never a part. It writes a new file in the
 * same folder, flushes it to the disk, then renames it. What is no regular file (a pipe, a device) is written to as
 * it is. An error leaves nothing behind, and its `path` is the file's. So it does where `last` throws, which is called right
 * before the rename.
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
    throw aboutFile(path, error);
  }
}

/** Removes what a run left that was killed while it wrote a file whose name begins so. */
export async function removeLeftovers(folder: string, beginning: string): Promise<void> {
  const names = await readdir(folder);
  const left = names.filter((name) => name.startsWith(beginning) && name.endsWith('.tmp'));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
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
