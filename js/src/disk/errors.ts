// Errors of files. Each names its file or folder.

import { types } from 'node:util';
import { TamisError } from '../core/errors.js';

/** An error whose message already names the file or folder. */
export class FileError extends TamisError {}

/** True for any error, also one from another realm, for which `instanceof` is false. */
export const isError = (error: unknown): error is Error =>
  types.isNativeError(error) || error instanceof Error;

/** The `code` of an error of Node or of this package. */
export function codeOf(error: unknown): string | undefined {
  if (!isError(error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Ties an error to a file: a system error gets the `path`. An error without a code becomes ERR_TAMIS_CORRUPT. */
export function aboutFile(path: string, error: unknown): unknown {
  if (isError(error) && 'syscall' in error) return Object.assign(error, { path });
  if (codeOf(error) !== undefined) return error;
  const what = isError(error) ? error.message : String(error);
  return new FileError('ERR_TAMIS_CORRUPT', `${path}: ${what}`, { cause: error });
}

/** Runs `action` on a file. Its errors go through `aboutFile`. */
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
