// Errors of files: each names the file or folder that it is about.

import { types } from 'node:util';
import { TamisError } from '../core/errors.js';

/** An error whose message names the file or folder, and needs no more. */
export class FileError extends TamisError {}

/** Also an error of another realm, where `instanceof` says no. */
export const isError = (error: unknown): error is Error =>
  types.isNativeError(error) || error instanceof Error;

/** The `code` that Node's and the package's errors carry. */
export function codeOf(error: unknown): string | undefined {
  if (!isError(error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** An error about a file: of the system's own it is the `path`, and what has no code found the file damaged. */
export function aboutFile(path: string, error: unknown): unknown {
  if (isError(error) && 'syscall' in error) return Object.assign(error, { path });
  if (codeOf(error) !== undefined) return error;
  const what = isError(error) ? error.message : String(error);
  return new FileError('ERR_TAMIS_CORRUPT', `${path}: ${what}`, { cause: error });
}

/** What `action` on a file gives; an error is told about the file. */
export function onFile<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw aboutFile(path, error);
  }
}

export function ignoreAbsence(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
