// Requests that end: in time, and within the bytes that were promised.

import { TamisError } from './errors.js';
import { GrowingBytes } from './growing-bytes.js';
import { pin } from './key-types.js';
import { isBytes } from './tags.js';

/** As the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** UNAVAILABLE: no answer, or none that is of use. */
export function unavailableError(message: string, cause?: unknown): TamisError {
  return new TamisError('ERR_TAMIS_UNAVAILABLE', message, { cause });
}

/**
 * What `action` gives, or UNAVAILABLE after `timeoutMs`, with a TimeoutError as its cause; undefined is no limit. Rejects
 * with the reason of `signal` as soon as that aborts. It does not wait for an `action` that does not heed its signal. That
 * aborts too where `action` fails: nobody reads the rest of an answer that is of no use.
 */
export async function withTimeout<T>(
  timeoutMs: number | undefined,
  signal: AbortSignal | undefined,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stopped = rejectOnAbort(controller.signal);
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  const onTimeout = () => {
    const message = `no answer within ${timeoutMs} ms`;
    controller.abort(unavailableError(message, new DOMException(message, 'TimeoutError')));
  };
  const timer = timeoutMs && setTimeout(onTimeout, timeoutMs);
  try {
    return await Promise.race([action(controller.signal), stopped]);
  } catch (error) {
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Rejects when the signal aborts, with its reason. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** The longest that a server may ask to be left alone for. */
export const longestWaitMs = 24 * 3600 * 1000;

/** For how long the answer asks to be left alone (Retry-After, in seconds or as a date); 0: it does not. */
export function retryAfterMs({ status, headers }: Response, nowMs: number): number {
  const said = status < 400 ? null : headers.get('Retry-After');
  if (said === null) return 0;
  // HTTP's dates begin with the day of the week; engines take '-7200' for a year.
  const untilMs = /^[A-Z]/.test(said) ? Date.parse(said) : Number.NaN;
  const ms = /^\d+$/.test(said) ? 1000 * Number(said) : untilMs - nowMs;
  return ms > 0 ? Math.min(ms, longestWaitMs) : 0;
}

const cacheModes = new Map<RequestCache, RequestCache | undefined>();

/**
 * The mode where the engine takes it. Workers refuse most of them, and in their early days all; 'no-store'
 * passes by whatever the others would pass by or ask.
 */
function cacheMode(wanted: RequestCache): RequestCache | undefined {
  const isTaken = (cache: RequestCache): boolean => {
    try {
      return new Request('https://tamis.invalid/', { cache }) !== undefined;
    } catch {
      return false;
    }
  };
  if (!cacheModes.has(wanted)) {
    cacheModes.set(wanted, [wanted, 'no-store' as const].find(isTaken));
  }
  return cacheModes.get(wanted);
}

/** Sends a request; UNAVAILABLE where nothing answers. No cookies, and no word of where it comes from. */
export async function send(
  fetch: Fetch,
  url: string,
  { cache: wanted, ...init }: RequestInit,
): Promise<Response> {
  const cache = wanted && cacheMode(wanted);
  try {
    return await fetch(url, {
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      ...(cache && { cache }),
      ...init,
    });
  } catch (cause) {
    init.signal?.throwIfAborted();
    throw unavailableError(`${url}: the request failed`, cause);
  }
}

/** After so many pieces others get their turn: a source that never waits lets no timer run. */
const piecesAtOnce = 1024;

/**
 * The body of a request or response, of at most `maxBytes`: more is TOO_LARGE, a broken one UNAVAILABLE.
 * Ends the body when the signal aborts, and rejects with its reason.
 */
export async function readBody(
  message: Request | Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const received = new GrowingBytes();
  const add = (bytes: unknown) => {
    if (!isBytes(bytes)) throw unavailableError('the body gave no Uint8Array');
    const piece = pin(bytes, 'the body');
    if (received.length + piece.length > maxBytes) {
      throw new TamisError('ERR_TAMIS_TOO_LARGE', `expected at most ${maxBytes} bytes, got more`);
    }
    received.add(piece, maxBytes);
  };
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const cancel = (reason: unknown) => reader?.cancel(reason).catch(() => {});
  const onAbort = () => cancel(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    signal.throwIfAborted();
    // Firefox has no body of a Request, which is in memory there.
    if (message.body === undefined) add(new Uint8Array(await message.arrayBuffer()));
    reader = message.body?.getReader();
    for (let pieces = 1; reader !== undefined; pieces++) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      add(value);
      if (pieces % piecesAtOnce === 0) await new Promise((resolve) => setTimeout(resolve));
    }
  } catch (cause) {
    cancel(cause);
    signal.throwIfAborted();
    throw cause instanceof TamisError ? cause : unavailableError('the download broke off', cause);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  return received.take();
}
