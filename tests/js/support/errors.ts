import { expect } from '@jest/globals';
import { TamisError } from 'tamis';

/** Every code that an error of the package can have, without the prefix. */
export const CODES = [
  'INVALID_OPTION',
  'INVALID_KEY',
  'TOO_LARGE',
  'OUT_OF_MEMORY',
  'FULL',
  'TOMBSTONED',
  'NOT_DELETABLE',
  'CONFLICT',
  'INCOMPATIBLE',
  'UNSUPPORTED',
  'DISPOSED',
  'NOT_TAMIS',
  'UNSUPPORTED_VERSION',
  'UNKNOWN_TYPE',
  'WRONG_TYPE',
  'TRUNCATED',
  'CORRUPT',
  'KEY_REQUIRED',
  'WRONG_KEY',
  'BUILD_FAILED',
  'WASM_BLOCKED',
  'INTERNAL',
  'INVALID_URL',
  'REFUSED',
  'BAD_SIGNATURE',
  'ROLLBACK',
  'EXPIRED',
  'UNAVAILABLE',
  'LOST',
] as const;
export type Code = (typeof CODES)[number];

const documented = new Set<unknown>(CODES.map((code) => `ERR_TAMIS_${code}`));

export interface CodedError extends Error {
  readonly code: string;
  readonly index?: number;
  readonly count?: number;
}

/** True if the documentation describes `error`: its class and its code belong together. */
export function isDocumented(error: unknown): error is CodedError {
  if (!(error instanceof Error) || !documented.has((error as CodedError).code)) return false;
  if (error.message.length < 10 || (error as CodedError).code === 'ERR_TAMIS_INTERNAL')
    return false;
  if (error instanceof TamisError) return true;
  return (
    (error instanceof TypeError || error instanceof RangeError) &&
    /^ERR_TAMIS_INVALID_(OPTION|KEY)$/.test((error as CodedError).code)
  );
}

/** Runs `action`, and returns the error that it throws. Fails if it throws none. */
export function thrownBy(action: () => unknown): CodedError {
  try {
    action();
  } catch (error) {
    return check(error);
  }
  throw new Error('nothing was thrown');
}

/** Returns the error with which `promise` rejects. Fails if it does not reject. */
export async function rejection(promise: Promise<unknown>): Promise<CodedError> {
  try {
    await promise;
  } catch (error) {
    return check(error);
  }
  throw new Error('the promise was fulfilled');
}

function check(error: unknown): CodedError {
  if (!isDocumented(error)) {
    throw new Error(`not an error of the package: ${String(error)}`, { cause: error });
  }
  return error;
}

/** Expects `action` to throw with the code `ERR_TAMIS_<code>`, and returns the error. */
export function expectCode(action: () => unknown, code: Code): CodedError {
  const error = thrownBy(action);
  // expect() is called only on a mismatch, because so many calls would take seconds.
  if (error.code !== `ERR_TAMIS_${code}`) expect(error.code).toBe(`ERR_TAMIS_${code}`);
  return error;
}

/** Expects a TypeError (or RangeError) with the code of a bad option. */
export function expectOption(
  action: () => unknown,
  kind: typeof TypeError | typeof RangeError,
): CodedError {
  const error = expectCode(action, 'INVALID_OPTION');
  expect(error).toBeInstanceOf(kind);
  return error;
}
