// Sends GET requests to the server, with the API key in a header. The answers are protobuf.

import { TamisError } from '../core/errors.js';
import { readBody, send } from '../core/requests.js';
import { corrupt, readReason } from './messages.js';
import { isGoogles, type SafeBrowsingConfig } from './options.js';

/** The server answered with a status other than 200. */
class StatusError extends TamisError {
  readonly status: number;

  constructor(status: number, message: string) {
    super('ERR_TAMIS_UNAVAILABLE', message);
    this.status = status;
  }
}

/** True if the server refused the request with a status from 400 to 499 that is not one of `others`. */
export const isRefusal = (error: unknown, ...others: readonly number[]): boolean =>
  error instanceof StatusError &&
  error.status >= 400 &&
  error.status < 500 &&
  !others.includes(error.status);

const maxReasonBytes = 16_384;
const maxReasonLength = 200;

/** Returns the reason in the body of a refusal: one line without the API key, or '' if there is no reason. */
async function reasonIn(
  response: Response,
  apiKey: string | null,
  signal: AbortSignal,
): Promise<string> {
  const body = await readBody(response, maxReasonBytes, signal).catch(() => new Uint8Array());
  // Control characters could change a terminal or a log.
  const line = readReason(body)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  const all = apiKey === null ? line : line.replaceAll(apiKey, '[API key]');
  return Array.from(all).slice(0, maxReasonLength).join('');
}

/** Encodes bytes in base64 for URLs. */
export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_');

/** Resolves to the answer's body. Rejects with ERR_TAMIS_UNAVAILABLE, _TOO_LARGE, _CORRUPT or the signal's reason. */
export async function askServer(
  { endpoint, apiKey, fetch }: Pick<SafeBrowsingConfig, 'endpoint' | 'apiKey' | 'fetch'>,
  method: string,
  query: URLSearchParams,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = `${endpoint.replace(/\/?$/, '/')}v5/${method}`;
  const init: RequestInit = {
    headers: apiKey === null ? {} : { 'X-Goog-Api-Key': apiKey },
    cache: 'no-store',
    // A redirect would send the API key elsewhere. Its status is not 200, so it is no answer.
    redirect: 'manual',
    signal,
    // Google checks in the referrer whether this site may use the API key. Other servers do not get the referrer.
    ...(isGoogles(endpoint) && { referrerPolicy: 'strict-origin' }),
  };
  const response = await send(fetch, `${url}?${query}&alt=proto`, init);
  const { status, headers } = response;
  if (status !== 200) {
    const reason = await reasonIn(response, apiKey, signal);
    const message = `${url}: the server answered ${status}${reason && `: ${reason}`}`;
    throw new StatusError(status, message);
  }
  const type = headers.get('Content-Type') ?? 'application/x-protobuf';
  if (!/protobuf|octet-stream/i.test(type)) {
    throw corrupt(`it must be application/x-protobuf, got ${type.slice(0, 80)}`);
  }
  return readBody(response, maxBytes, signal);
}
