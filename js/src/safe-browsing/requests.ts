// Requests to the server: GET, the key in a header, answers in protobuf.

import { type Fetch, readBody, send, unavailableError } from '../core/requests.js';
import type { SafeBrowsingConfig } from './options.js';
import { corrupt } from './protobuf.js';

/** Query parameters. A name may occur more than once. */
export type Query = readonly (readonly [name: string, value: string])[];

/** Base64 for URLs. */
export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_');

/**
 * Sends a request, and resolves to the body of the answer. Rejects with ERR_TAMIS_UNAVAILABLE, ERR_TAMIS_TOO_LARGE,
 * ERR_TAMIS_CORRUPT, and the signal's reason.
 */
export async function askServer(
  { endpoint, key }: Pick<SafeBrowsingConfig, 'endpoint' | 'key'>,
  fetch: Fetch,
  method: string,
  query: Query,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const base = endpoint.replace(/\/?$/, '/');
  const search = new URLSearchParams([...query, ['alt', 'proto']].map((pair) => [...pair]));
  const url = `${base}v5/${method}?${search}`;
  const init: RequestInit = {
    headers: key === null ? {} : { 'X-Goog-Api-Key': key },
    cache: 'no-store',
    // A redirect would send the key elsewhere. Its status is not 200, so it is no answer.
    redirect: 'manual',
    signal,
  };
  const response = await send(fetch, url, init);
  const { status, headers } = response;
  if (status !== 200) throw unavailableError(`${base}v5/${method}: the server answered ${status}`);
  const type = headers.get('Content-Type') ?? 'application/x-protobuf';
  if (!/protobuf|octet-stream/i.test(type)) {
    throw corrupt(`it must be application/x-protobuf, got ${type.slice(0, 80)}`);
  }
  return readBody(response, maxBytes, signal);
}
