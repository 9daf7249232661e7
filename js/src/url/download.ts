// Requests that end: in time, and within the bytes that were promised.

import { TamisError } from '../core/errors.js';
import { fixed, isBytes } from '../core/key-types.js';
import { GrowingBytes } from '../core/streams.js';
import { sha256Hex } from './bytes.js';
import type { ManifestFile } from './manifest-fields.js';

/** As the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** UNAVAILABLE: no answer, or none that is of use. */
export function unavailable(message: string, cause?: unknown): TamisError {
  return new TamisError('ERR_TAMIS_UNAVAILABLE', message, { cause });
}

/**
 * What `action` gives, or UNAVAILABLE after `timeoutMs`; rejects with the reason of `signal` as soon as
 * that aborts. It does not wait for an `action` that does not heed its signal.
 */
export async function inTime<T>(
  timeoutMs: number,
  signal: AbortSignal,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(controller.signal.reason);
  });
  controller.signal.addEventListener('abort', stop);
  const onAbort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  const timer = setTimeout(() => {
    controller.abort(unavailable(`no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  try {
    return await Promise.race([action(controller.signal), stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    controller.signal.removeEventListener('abort', stop);
  }
}

/** Sends a request; UNAVAILABLE where nothing answers. No cookies, and no word of where it comes from. */
export async function send(fetch: Fetch, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer', ...init });
  } catch (cause) {
    init.signal?.throwIfAborted();
    throw unavailable(`${url}: the request failed`, cause);
  }
}

/** The body of a request or response, of at most `maxBytes`: more is TOO_LARGE, a broken one UNAVAILABLE. */
export async function bodyOf(message: Body, maxBytes: number): Promise<Uint8Array> {
  const received = new GrowingBytes();
  const reader = message.body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || !isBytes(value)) break;
      const piece = fixed(value, 'the body');
      if (received.length + piece.length > maxBytes) {
        throw new TamisError('ERR_TAMIS_TOO_LARGE', `expected at most ${maxBytes} bytes, got more`);
      }
      received.add(piece, maxBytes);
    }
  } catch (cause) {
    reader?.cancel(cause).catch(() => {});
    throw cause instanceof TamisError ? cause : unavailable('the download broke off', cause);
  }
  return received.take();
}

/** A file that a manifest names, each byte as it was signed. TRUNCATED, TOO_LARGE, CORRUPT, UNAVAILABLE. */
export async function fetchFile(
  fetch: Fetch,
  file: ManifestFile,
  base: string,
  init: RequestInit,
): Promise<Uint8Array> {
  const url = new URL(file.url, base).href;
  const response = await send(fetch, url, init);
  if (!response.ok) throw unavailable(`${url}: the server answered ${response.status}`);
  const bytes = await bodyOf(response, file.bytes);
  if (bytes.length < file.bytes) {
    const message = `${url}: expected ${file.bytes} bytes, got ${bytes.length}`;
    throw new TamisError('ERR_TAMIS_TRUNCATED', message);
  }
  if ((await sha256Hex(bytes)) !== file.sha256) {
    throw new TamisError('ERR_TAMIS_CORRUPT', `${url}: not the file that the manifest names`);
  }
  return bytes;
}
