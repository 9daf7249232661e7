// Requests to the server: GET, the API key in a header, answers in protobuf.

import { readBody, send, unavailableError } from '../core/requests.js';
import { corrupt } from './messages.js';
import type { SafeBrowsingConfig } from './options.js';

/** Base64 for URLs. */
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
  };
  const response = await send(fetch, `${url}?${query}&alt=proto`, init);
  const { status, headers } = response;
  if (status !== 200) throw unavailableError(`${url}: the server answered ${status}`);
  const type = headers.get('Content-Type') ?? 'application/x-protobuf';
  if (!/protobuf|octet-stream/i.test(type)) {
    throw corrupt(`it must be application/x-protobuf, got ${type.slice(0, 80)}`);
  }
  return readBody(response, maxBytes, signal);
}
