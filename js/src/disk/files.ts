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

/** Callbacks that remove the temporary files and locks of this process. */
export const unfinished = new Set<() => void>();

/** Removes what a kill of this process would leave behind. */
export function removeUnfinished(): void {
  for (const remove of unfinished) remove();
}

/**
 * Writes `bytes` to `path` atomically: readers see the old content or the new, never a part. It writes a temporary file
 * in the same folder, flushes it to the disk, and renames it. A pipe or a device is written directly.
 *
 * If anything fails, or `last` throws, the old content stays and the temporary file is removed. `last` runs right
 * before the rename. A system error carries the `path`.
 */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  last?: () => void,
): Promise<void> {
  try {
    const old = await stat(path).catch(ignoreAbsence);
    if (old?.isFile() === false) return await writeFile(path, bytes);
    // Write to the target of a symbolic link, so that the link stays a link.
    const target = old ? await realpath(path) : path;
    await replace(target, bytes, old?.mode, last);
  } catch (error) {
    throw aboutFile(path, error);
  }
}

/** Removes the temporary files of a killed run. Their names start with `beginning`. */
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
  // Recorded before the file exists, so that a signal always finds it. The name is unique.
  const remove = () => rmSync(temporary, { force: true });
  unfinished.add(remove);
  const permissions = mode === undefined ? undefined : mode & 0o777;
  try {
    // The umask may remove permissions; chmod restores them.
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

/** Flushes the folder, so that the rename survives a power cut. Not every system can do that. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch {
    // Windows and some network file systems refuse. The rename is done anyway.
  } finally {
    await handle?.close();
  }
}
