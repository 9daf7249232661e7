// Files that are written whole or not at all.

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type FileWriter, replaceFile } from '../core/replace-file.js';
import { aboutFile, ignoreAbsence } from './errors.js';

/** Callbacks that remove the temporary files and locks of this process. */
export const unfinished = new Set<() => void>();

/** Removes what a kill of this process would leave behind. */
export function removeUnfinished(): void {
  for (const remove of unfinished) remove();
}

/** The content of a file; undefined if it is absent. Other errors are about `path`, or a path that users know. */
export const readIfThere = (path: string, known = path): Promise<Buffer | undefined> =>
  fs.readFile(path).catch((error) => ignoreAbsence(aboutFile(known, error)));

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
    const old = await fs.stat(path).catch(ignoreAbsence);
    if (old?.isFile() === false) return await fs.writeFile(path, bytes);
    // Write to the target of a symbolic link, so that the link stays a link.
    const target = old ? await fs.realpath(path) : path;
    await replace(target, bytes, old && old.mode & 0o777, last);
  } catch (error) {
    throw aboutFile(path, error);
  }
}

async function replace(
  target: string,
  bytes: Uint8Array,
  mode: number | undefined,
  last: (() => void) | undefined,
): Promise<void> {
  const folder = dirname(target);
  const temporary = join(folder, `.${basename(target)}.${randomUUID()}.tmp`);
  const writer: FileWriter = {
    ...fs,
    writeFile: (file, content, options) => fs.writeFile(file, content, { ...options, mode }),
    async rename(from, to) {
      // The umask may have removed permissions.
      if (mode !== undefined) await fs.chmod(from, mode);
      last?.();
      await fs.rename(from, to);
    },
  };
  // Recorded before the file exists, so that a signal always finds it. The name is unique.
  const remove = () => rmSync(temporary, { force: true });
  unfinished.add(remove);
  try {
    await replaceFile(writer, folder, target, temporary, bytes);
  } finally {
    unfinished.delete(remove);
  }
}

/** Removes the temporary files of a killed run. Their names start with `beginning`. */
export async function removeLeftovers(folder: string, beginning: string): Promise<void> {
  const names = await fs.readdir(folder);
  const left = names.filter((name) => name.startsWith(beginning) && name.endsWith('.tmp'));
  await Promise.all(left.map((name) => fs.rm(join(folder, name), { force: true })));
}
