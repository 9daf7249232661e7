// The confirm server: it answers which full hashes of a list begin with the prefixes that hit (cpp/FORMAT.md,
// section 8).

import { mustBe, rangeError, type TamisError } from '../../core/errors.js';
import { pin } from '../../core/key-types.js';
import { between, integer, need, readOptions } from '../../core/options.js';
import { readBody, withTimeout } from '../../core/requests.js';
import { joinBytes, sortOnce } from '../../core/signed/bytes.js';
import { matchText } from '../../core/signed/fields.js';
import { isBytes } from '../../core/tags.js';
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
  /** How long a client may hold that a hash is listed, in seconds; at most a day. */
  readonly cacheSeconds: number;
  /** How long a client may hold that nothing else with a prefix is listed, in seconds; at most a day. */
  readonly negativeSeconds: number;
  /** The value of Access-Control-Allow-Origin; default '*': any page may ask. */
  readonly allowOrigin?: string;
  /** How long the body of a question may take, at most an hour; default 10,000. */
  readonly timeoutMs?: number;
}

const headerValue = matchText(/^[\x21-\x7e]+$/, 'printable ASCII');

/** What finds the hashes that begin with 4 bytes, which are read as a number: distinct, and increasing. */
function finderIn(all: Uint8Array): (prefix: number) => Uint8Array[] {
  const view = new DataView(all.buffer);
  // Prefix and place of each: whole hashes are sorted where several begin alike, which few do.
  const order = new BigUint64Array(all.length / hashBytes)
    .map((_, i) => (BigInt(view.getUint32(hashBytes * i)) << 32n) | BigInt(i))
    .sort();
  const prefixAt = (i: number) => Number((order[i] as bigint) >> 32n);
  return (prefix) => {
    let at = 0;
    for (let end = order.length; at < end; ) {
      const middle = (at + end) >>> 1;
      if (prefixAt(middle) < prefix) at = middle + 1;
      else end = middle;
    }
    const found: Uint8Array[] = [];
    for (; at < order.length && prefixAt(at) === prefix; at++) {
      const start = hashBytes * Number((order[at] as bigint) & 0xffffffffn);
      found.push(all.subarray(start, start + hashBytes));
    }
    return sortOnce(found);
  };
}

/** One array of all hashes, copied. */
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
    // A copy: whose it is may use it again for the next.
    const bytes = new Uint8Array(pin(hash, name));
    if (bytes.length === hashBytes) return bytes;
    throw rangeError(`${name} must have 32 bytes, got ${bytes.length}`);
  });
  return joinBytes(hashes);
}

/**
 * A server's side of `UrlChecker.verify`, for whatever speaks `(Request) => Promise<Response>`. It takes
 * a POST of prefixes and answers the full hashes that begin with them. cpp/FORMAT.md, section 8, has the
 * bytes, the headers and the status codes. Any page may ask (CORS), no cookie is read or set, nothing is
 * kept of a question. What is refused is not read to its end.
 *
 * Throws TypeError and RangeError for arguments that are wrong.
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
    allowOrigin: headerValue,
    timeoutMs: between(1, 3_600_000),
  };
  const what = 'createConfirmHandler';
  const given = readOptions(options, readers, what);
  need(given, what, 'cacheSeconds', 'negativeSeconds');
  const { cacheSeconds, negativeSeconds, allowOrigin = '*', timeoutMs = 10_000 } = given;
  const find = finderIn(joinHashes(fullHashes));
  const headers = { 'Access-Control-Allow-Origin': allowOrigin, 'Cache-Control': 'no-store' };
  const refuse = (status: number, more: Record<string, string> = {}) =>
    new Response(null, { status, headers: { ...headers, ...more } });

  return async (request) => {
    if (request.method === 'OPTIONS') {
      return refuse(204, {
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': 'Content-Type',
        'Access-Control-Max-Age': String(maxCacheSeconds),
      });
    }
    if (request.method !== 'POST') return refuse(405, { Allow: 'POST, OPTIONS' });
    let question: Uint8Array;
    try {
      question = await withTimeout(timeoutMs, undefined, (signal) =>
        readBody(request, maxAsked * askedBytes, signal),
      );
    } catch (error) {
      const { code, cause } = error as TamisError;
      const isLate = (cause as DOMException | undefined)?.name === 'TimeoutError';
      return refuse(code === 'ERR_TAMIS_TOO_LARGE' ? 413 : isLate ? 408 : 400);
    }
    const prefixes = decodeQuestion(question);
    if (prefixes === undefined) return refuse(400);
    const hashes = prefixes.flatMap(find);
    return new Response(encodeAnswer(hashes, cacheSeconds, negativeSeconds), {
      headers: { ...headers, 'Content-Type': 'application/octet-stream' },
    });
  };
}
