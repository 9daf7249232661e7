// Sends requests with a time limit, and reads bodies with a limit on their bytes.

import { TamisError } from './errors.js';
import { GrowingBytes } from './growing-bytes.js';
import { isBytes, pin } from './key-types.js';

/** A function with the parameters of the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The error for a request without a usable answer. */
export function unavailableError(message: string, cause?: unknown): TamisError {
  return new TamisError('ERR_TAMIS_UNAVAILABLE', message, { cause });
}

/** The longest time that a timer accepts. With a longer time it would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs `action` with a time limit, and resolves to its result. After `timeoutMs` (undefined: no limit) it rejects with
 * ERR_TAMIS_UNAVAILABLE, whose cause is a TimeoutError. If `signal` aborts, it rejects at once with the reason, even
 * if `action` ignores its own signal. If `action` fails, its own signal aborts, which stops a running download.
 */
export async function withTimeout<T>(
  timeoutMs: number | undefined,
  signal: AbortSignal | undefined,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const aborted = rejectOnAbort(controller.signal);
  const ignoreAbort = signal && onAbort(signal, () => controller.abort(signal.reason));
  const onTimeout = () => {
    const message = `no answer within ${timeoutMs} ms`;
    controller.abort(unavailableError(message, new DOMException(message, 'TimeoutError')));
  };
  const timer = timeoutMs && setTimeout(onTimeout, Math.min(timeoutMs, longestTimerMs));
  try {
    return await Promise.race([action(controller.signal), aborted]);
  } catch (error) {
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    ignoreAbort?.();
  }
}

/** The actions to run when a signal aborts. A signal gets one listener for them all: Node warns from the 11th on. */
const abortActions = new WeakMap<AbortSignal, Set<() => unknown>>();

/** Calls `action`, which must not throw, when the signal aborts. Returns a function that cancels this. */
export function onAbort(signal: AbortSignal, action: () => unknown): () => void {
  let actions = abortActions.get(signal);
  if (actions === undefined) {
    const all = new Set<() => unknown>();
    const act = () => {
      for (const one of all) one();
    };
    signal.addEventListener('abort', act);
    actions = all;
    abortActions.set(signal, all);
  }
  actions.add(action);
  return () => actions.delete(action);
}

/** Rejects when the signal aborts, with its reason. If the signal has aborted before, the promise stays pending. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    onAbort(signal, () => reject(signal.reason));
  });
  // Node ends the process at a rejection that nobody handles, or that is handled only later.
  aborted.catch(() => {});
  return aborted;
}

/** The longest wait that a server may demand. */
export const longestWaitMs = 24 * 3600 * 1000;

/** The wait in milliseconds that an error response demands (Retry-After, in seconds or as a date); 0 if none. */
export function retryAfterMs({ status, headers }: Response, nowMs: number): number {
  const header = status < 400 ? null : headers.get('Retry-After');
  if (header === null) return 0;
  let waitMs = 0;
  if (/^\d+$/.test(header)) waitMs = 1000 * Number(header);
  // HTTP's dates begin with the day of the week. Without this check, engines read '-7200' as a year.
  else if (/^[A-Z]/.test(header)) waitMs = Date.parse(header) - nowMs; // NaN for a wrong date
  return waitMs > 0 ? Math.min(waitMs, longestWaitMs) : 0;
}

/**
 * Returns the wanted cache mode if the engine accepts it, else 'no-store' if it accepts that, else undefined.
 * Cloudflare Workers refuse most modes, and old ones all. 'no-store' can replace any mode: it never uses the cache.
 */
function cacheMode(wanted: RequestCache): RequestCache | undefined {
  return [wanted, 'no-store' as const].find((cache) => {
    try {
      new Request('https://tamis.invalid/', { cache });
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Sends a request without cookies, and without a referrer unless `init` wants one. Rejects with ERR_TAMIS_UNAVAILABLE
 * if no answer comes.
 */
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

/** The number of pieces between two pauses. Without pauses, a source that never waits would let no timer run. */
const piecesAtOnce = 1024;

/**
 * Reads the body of a request or response. Rejects with ERR_TAMIS_TOO_LARGE for more than `maxBytes`, and with
 * ERR_TAMIS_UNAVAILABLE if the body breaks off. If the signal aborts, it cancels the body and rejects with that reason.
 */
export async function readBody(
  message: Request | Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const received = new GrowingBytes();
  const add = (bytes: unknown) => {
    if (!isBytes(bytes)) throw unavailableError('a chunk of the body is not a Uint8Array');
    const piece = pin(bytes, 'the body');
    if (received.length + piece.length > maxBytes) {
      throw new TamisError('ERR_TAMIS_TOO_LARGE', `expected at most ${maxBytes} bytes, got more`);
    }
    received.add(piece, maxBytes);
  };
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const cancel = (reason: unknown) => reader?.cancel(reason).catch(() => {});
  const ignoreAbort = onAbort(signal, () => cancel(signal.reason));
  try {
    signal.throwIfAborted();
    // In Firefox a Request has no `body`, but its bytes are in memory.
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
    ignoreAbort();
  }
  return received.take();
}
