import { codeOf, FileError, isError } from '../../disk/index.js';

export { codeOf, isError };

/** An error that the user can correct. It is printed in one line, with exit code 2. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** Lines to print below the message, if the error is about several lines or files. */
  readonly details: readonly string[];

  constructor(message: string, options: ErrorOptions & { details?: readonly string[] } = {}) {
    super(message, options);
    this.details = options.details ?? [];
  }
}

/** An error in the arguments: it is printed with a pointer to the help. */
export class UsageError extends CommandError {}

const knownErrors: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EEXIST: 'a file of this name exists',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'a part of the path is not a folder',
  ENOTEMPTY: 'the folder is not empty',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is too large',
  EIO: 'the device failed',
  EROFS: 'the file system is read-only',
  Z_BUF_ERROR: 'the gzip data is cut short',
  Z_DATA_ERROR: 'the gzip data is damaged',
};

/** Describes an error in one sentence, with the package's error code if there is one. */
export function describe(error: unknown): string {
  if (!isError(error)) return String(error);
  const code = codeOf(error);
  if (code === undefined) return error.message;
  if (!code.startsWith('ERR_TAMIS_')) return knownErrors[code] ?? error.message;
  if (error instanceof FileError || error.message.includes(code)) return error.message;
  return `${error.message} (${code})`;
}

/** An error about a file: `hosts.txt: no such file or folder`. A CommandError or FileError already names the file. */
export function prefixError(name: string, error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const message = error instanceof FileError ? error.message : `${name}: ${describe(error)}`;
  return new CommandError(message, { cause: error });
}

/** Runs `action`. The message of an error then begins with `name`, which is usually a file. */
export async function tellAbout<T>(name: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw prefixError(name, error);
  }
}

/** Turns the package's error about an option into a UsageError; any other error stays as it is. */
export function toUsageError(error: unknown): unknown {
  if (codeOf(error) !== 'ERR_TAMIS_INVALID_OPTION') return error;
  return new UsageError(describe(error), { cause: error });
}

/** Runs `action`, and throws a UsageError if the package refuses an option. */
export function orUsageError<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toUsageError(error);
  }
}

/** True for errors of commands, files and the package, whose stack would not help. */
export function isExpected(error: unknown): boolean {
  if (error instanceof CommandError) return true;
  const code = codeOf(error);
  if (code === undefined) return false;
  return (code.startsWith('ERR_TAMIS_') && code !== 'ERR_TAMIS_INTERNAL') || code in knownErrors;
}
