// Writes files whole or not at all, and makes errors that name their file or folder.

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { types } from 'node:util';
import { TamisError } from '../core/errors.js';
import { type FileWriter, replaceFile } from '../core/replace-file.js';

/** An error whose message already names the file or folder. */
export class FileError extends TamisError {}

/** True for any error, also for one from another realm, where `instanceof` gives false. */
export const isError = (error: unknown): error is Error =>
  types.isNativeError(error) || error instanceof Error;

/** The `code` of an error that Node or this package threw. */
export function codeOf(error: unknown): string | undefined {
  if (!isError(error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Ties an error to a file. A system error gets the `path`; an error without a code becomes ERR_TAMIS_CORRUPT. */
export function aboutFile(path: string, error: unknown): unknown {
  if (isError(error) && 'syscall' in error) return Object.assign(error, { path });
  if (codeOf(error) !== undefined) return error;
  const what = isError(error) ? error.message : String(error);
  return new FileError('ERR_TAMIS_CORRUPT', `${path}: ${what}`, { cause: error });
}

/** Runs `action`, whose errors then name the file (see `aboutFile`). */
export function onFile<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw aboutFile(path, error);
  }
}

/** For `catch`: returns undefined if the file is absent, and throws other errors again. */
export function ignoreAbsence(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

/** Callbacks that remove the temporary files and locks of this process. */
export const unfinished = new Set<() => void>();

/** Removes the temporary files and locks of this process. A signal handler calls it. */
export function removeUnfinished(): void {
  for (const remove of unfinished) remove();
}

/** The content of a file; undefined if it is absent. Errors name `known` instead of a `path` that users do not know. */
export const readIfThere = (path: string, known = path): Promise<Buffer | undefined> =>
  fs.readFile(path).catch((error) => ignoreAbsence(aboutFile(known, error)));

/**
 * Writes `bytes` to `path` atomically: readers see the old content or the new content, never a mixture. It writes a
 * temporary file in the same folder, flushes it to the disk, calls `beforeRename`, and renames it. If a step fails or
 * `beforeRename` throws, the old content stays and the temporary file is removed. A pipe or a device is written
 * directly, without calling `beforeRename`. A system error carries the `path`.
 */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  beforeRename?: () => void,
): Promise<void> {
  try {
    const old = await fs.stat(path).catch(ignoreAbsence);
    if (old?.isFile() === false) return await fs.writeFile(path, bytes);
    const mode = old && old.mode & 0o777; // the old file's permissions, which the new file gets too
    // Writes to the target of a symbolic link, so that the link stays a link.
    const target = old ? await fs.realpath(path) : path;
    const folder = dirname(target);
    const temporary = join(folder, `.${basename(target)}.${randomUUID()}.tmp`);
    const writer: FileWriter = {
      ...fs,
      writeFile: (file, content, options) => fs.writeFile(file, content, { ...options, mode }),
      async rename(from, to) {
        // The umask may have removed permissions from the new file.
        if (mode !== undefined) await fs.chmod(from, mode);
        beforeRename?.();
        await fs.rename(from, to);
      },
    };
    // Recorded before the file exists, so that a signal handler always removes the file.
    const remove = () => rmSync(temporary, { force: true });
    unfinished.add(remove);
    try {
      await replaceFile(writer, folder, target, temporary, bytes);
    } finally {
      unfinished.delete(remove);
    }
  } catch (error) {
    throw aboutFile(path, error);
  }
}

/** Removes temporary files that a killed run left. Their names start with `beginning`. */
export async function removeLeftovers(folder: string, beginning: string): Promise<void> {
  const names = await fs.readdir(folder);
  const left = names.filter((name) => name.startsWith(beginning) && name.endsWith('.tmp'));
  await Promise.all(left.map((name) => fs.rm(join(folder, name), { force: true })));
}
