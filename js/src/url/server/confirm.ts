// The confirm server: for prefixes that hit, it returns the full hashes of a list (cpp/FORMAT.md, section 8).

import { mustBe, rangeError, type TamisError } from '../../core/errors.js';
import { isBytes, pin } from '../../core/key-types.js';
import { between, integer, need, readOptions } from '../../core/options.js';
import { readBody, withTimeout } from '../../core/requests.js';
import { joinBytes, sortOnce } from '../../core/signed/bytes.js';
import { matchText } from '../../core/signed/fields.js';
import {
  askedBytes,
  decodeQuestion,
  encodeAnswer,
  hashBytes,
  maxAsked,
  maxCacheSeconds,
} from '../signed/confirm-format.js';

/** Options of createConfirmHandler. */
export interface ConfirmOptions {
  /** How long a client may remember that a hash is listed, in seconds; at most a day. */
  readonly cacheSeconds: number;
  /** How long a client may remember that no other hash with the same prefix is listed, in seconds; at most a day. */
  readonly negativeSeconds: number;
  /** The value of Access-Control-Allow-Origin; default '*', which allows any page. */
  readonly allowOrigin?: string;
  /** The time limit for the body of a request, in ms, at most an hour; default 10,000. */
  readonly timeoutMs?: number;
}

/** Makes a function that finds all hashes with a 4-byte prefix, which is passed as a number: each once, in order. */
function finderIn(all: Uint8Array): (prefix: number) => Uint8Array[] {
  const view = new DataView(all.buffer);
  // Sorts one number per hash: its prefix (high bits) and its index (low bits). An answer sorts its few full hashes.
  const order = new BigUint64Array(all.length / hashBytes)
    .map((_, i) => (BigInt(view.getUint32(hashBytes * i)) << 32n) | BigInt(i))
    .sort();
  const prefixAt = (i: number) => Number((order[i] as bigint) >> 32n);
  return (prefix) => {
    // Binary search for the first index with this prefix.
    let at = 0;
    for (let end = order.length; at < end; ) {
      const middle = (at + end) >>> 1;
      if (prefixAt(middle) < prefix) at = middle + 1;
      else end = middle;
    }
    const hashes: Uint8Array[] = [];
    for (; at < order.length && prefixAt(at) === prefix; at++) {
      const start = hashBytes * Number((order[at] as bigint) & 0xffffffffn);
      hashes.push(all.subarray(start, start + hashBytes));
    }
    return sortOnce(hashes);
  };
}

/** Copies all hashes into one array. */
function joinHashes(fullHashes: Iterable<Uint8Array> | Uint8Array): Uint8Array {
  const what = 'createConfirmHandler: fullHashes';
  if (isBytes(fullHashes)) {
    const all = pin(fullHashes, what);
    if (all.length % hashBytes === 0) return new Uint8Array(all);
    throw rangeError(`${what} must have 32 bytes for each hash, got ${all.length}`);
  }
  if (typeof Object(fullHashes)[Symbol.iterator] !== 'function') {
    throw mustBe('hashes of 32 bytes', what, fullHashes);
  }
  const hashes = Array.from(fullHashes, (hash, i) => {
    const name = `${what}[${i}]`;
    if (!isBytes(hash)) throw mustBe('a Uint8Array', name, hash);
    // The hash is copied, because the iterable may reuse its array.
    const bytes = new Uint8Array(pin(hash, name));
    if (bytes.length === hashBytes) return bytes;
    throw rangeError(`${name} must have 32 bytes, got ${bytes.length}`);
  });
  return joinBytes(hashes);
}

/**
 * The server side of `UrlChecker.verify`, for any server with handlers `(Request) => Promise<Response>`.
 *
 * The handler receives prefixes in a POST request, and answers with the listed hashes that begin with them.
 * cpp/FORMAT.md, section 8, defines the bytes, headers and status codes. By default any page may send requests (CORS).
 * The handler uses no cookies, and stores nothing of a request. It stops reading a body that is too large.
 *
 * Throws TypeError and RangeError for wrong arguments.
 *
 * @example
 * import { createConfirmHandler, hashExpression, UrlListBuilder } from 'tamis/url';
 * const { fullHashes } = new UrlListBuilder().addHosts(['evil.example']);
 * const handle = createConfirmHandler(fullHashes, { cacheSeconds: 300, negativeSeconds: 1800 });
 * const body = hashExpression('evil.example/').slice(0, 4);
 * const request = new Request('https://api.example/confirm', { method: 'POST', body });
 * const answer = await (await handle(request)).arrayBuffer();
 * answer.byteLength; // => 1024
 */
export function createConfirmHandler(
  fullHashes: Iterable<Uint8Array> | Uint8Array,
  options: ConfirmOptions,
): (request: Request) => Promise<Response> {
  const seconds = integer(0, maxCacheSeconds);
  const readers = {
    cacheSeconds: seconds,
    negativeSeconds: seconds,
    allowOrigin: matchText(/^[\x21-\x7e]+$/, 'printable ASCII'),
    timeoutMs: between(1, 3_600_000),
  };
  const what = 'createConfirmHandler';
  const values = readOptions(options, readers, what);
  need(values, what, 'cacheSeconds', 'negativeSeconds');
  const { cacheSeconds, negativeSeconds, allowOrigin = '*', timeoutMs = 10_000 } = values;
  const find = finderIn(joinHashes(fullHashes));
  const headers = { 'Access-Control-Allow-Origin': allowOrigin, 'Cache-Control': 'no-store' };
  const noBody = (status: number, more: Record<string, string> = {}) =>
    new Response(null, { status, headers: { ...headers, ...more } });

  return async (request) => {
    if (typeof Object(request).method !== 'string') {
      throw mustBe('a Request', 'createConfirmHandler: request', request);
    }
    if (request.method === 'OPTIONS') {
      return noBody(204, {
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': 'Content-Type',
        'Access-Control-Max-Age': String(maxCacheSeconds),
      });
    }
    if (request.method !== 'POST') return noBody(405, { Allow: 'POST, OPTIONS' });
    let question: Uint8Array;
    try {
      question = await withTimeout(timeoutMs, undefined, (signal) =>
        readBody(request, maxAsked * askedBytes, signal),
      );
    } catch (error) {
      const { code, cause } = error as TamisError;
      if (code === 'ERR_TAMIS_TOO_LARGE') return noBody(413);
      const isLate = (cause as DOMException | undefined)?.name === 'TimeoutError';
      return noBody(isLate ? 408 : 400);
    }
    const prefixes = decodeQuestion(question);
    if (prefixes === undefined) return noBody(400);
    const hashes = prefixes.flatMap(find);
    return new Response(encodeAnswer(hashes, cacheSeconds, negativeSeconds), {
      headers: { ...headers, 'Content-Type': 'application/octet-stream' },
    });
  };
}
