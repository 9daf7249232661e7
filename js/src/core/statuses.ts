// Turns statuses of the core into errors, and has a message for each code.

import type { Codes } from '../wasm/registry.js';
import { rangeError, TamisError, type TamisErrorCode } from './errors.js';

type InOrder<All extends readonly string[]> = {
  readonly [Place in keyof All]: readonly [code: All[Place], message?: string];
};

/** The codes that the core can return: all but the last six, which only JavaScript throws. */
type CoreCodes = Codes extends readonly [...infer Core, ...LastSix] ? Core : never;
type LastSix = [string, string, string, string, string, string];

/**
 * The code of each status, and its message. The compiler checks that the order is that of status.def. A code without a
 * message here gets its messages where it is thrown, so that other bundles do not contain them.
 */
const statuses: InOrder<CoreCodes> = [
  ['ERR_TAMIS_INVALID_OPTION', 'an argument is outside its range'],
  ['ERR_TAMIS_INVALID_KEY', 'the structure cannot hold this key'],
  ['ERR_TAMIS_TOO_LARGE', 'the limit is 512 MiB; use fewer keys, a higher fpr, or tamis/pages'],
  [
    'ERR_TAMIS_OUT_OF_MEMORY',
    'no memory; load files once, dispose of structures (`using`), or use `tamis/read`',
  ],
  ['ERR_TAMIS_FULL'],
  ['ERR_TAMIS_TOMBSTONED'],
  ['ERR_TAMIS_NOT_DELETABLE'],
  ['ERR_TAMIS_CONFLICT'],
  ['ERR_TAMIS_INCOMPATIBLE'],
  ['ERR_TAMIS_UNSUPPORTED', 'this structure cannot do that; call a method of its own class'],
  ['ERR_TAMIS_DISPOSED', 'the structure was disposed of; load it again'],
  ['ERR_TAMIS_NOT_TAMIS'],
  ['ERR_TAMIS_UNSUPPORTED_VERSION'],
  ['ERR_TAMIS_UNKNOWN_TYPE'],
  ['ERR_TAMIS_WRONG_TYPE'],
  ['ERR_TAMIS_TRUNCATED'],
  ['ERR_TAMIS_CORRUPT', 'the bytes are damaged; fetch them again'],
  ['ERR_TAMIS_KEY_REQUIRED'],
  ['ERR_TAMIS_WRONG_KEY'],
  ['ERR_TAMIS_BUILD_FAILED'],
  [
    'ERR_TAMIS_WASM_BLOCKED',
    'the page does not allow WebAssembly; send ' +
      "`Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval'`",
  ],
  ['ERR_TAMIS_INTERNAL', 'a fault inside tamis; report it'],
  ['ERR_TAMIS_INVALID_URL', 'the URL has no host or no `//`, or is over 2 MiB'],
];

/** The number of structures that were not disposed of, and the memory they are in. Modules in border/ set both. */
export const memoryUse: { live: number; memory?: WebAssembly.Memory } = { live: 0 };

function messageOf(code: TamisErrorCode): string {
  const message = statuses.find(([name]) => name === code)?.[1] ?? code;
  if (code !== 'ERR_TAMIS_OUT_OF_MEMORY') return message;
  return `${message}: ${memoryUse.live} structures are left, in ${memoryUse.memory?.buffer.byteLength} bytes`;
}

/** Makes an error of a code. The default message is the code's own. */
export const errorOf = (
  code: TamisErrorCode,
  message = messageOf(code),
  options?: ErrorOptions,
): TamisError => new TamisError(code, message, options);

/** Returns the error code of a negative status from the core, and ERR_TAMIS_INTERNAL for any other number. */
export function statusCode(status: number): TamisErrorCode {
  return statuses[-status - 1]?.[0] ?? 'ERR_TAMIS_INTERNAL';
}

/** Messages that replace those of the table above, by code. */
export type Messages = { readonly [Code in TamisErrorCode]?: string };

export function statusError(status: number, messages?: Messages): TamisError {
  const code = statusCode(status);
  return errorOf(code, messages?.[code]);
}

/** Runs `act`. If the core refuses an argument, throws a RangeError with the text `refusal`. */
export function orRefuse<T>(refusal: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const isRefused = error instanceof TamisError && error.code === 'ERR_TAMIS_INVALID_OPTION';
    throw isRefused ? rangeError(refusal) : error;
  }
}

/** Returns `answer` unless it is negative. A negative answer is a status, and is thrown as an error. */
export function check(answer: number): number {
  if (answer < 0) throw statusError(answer);
  return answer;
}
