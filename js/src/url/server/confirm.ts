// The confirm server: it answers which full hashes of a list begin with the prefixes that hit (cpp/FORMAT.md,
// section 8).

import { mustBe, rangeError, type TamisError, typeError } from '../../core/errors.js';
import { keep, pin } from '../../core/keys/key-types.js';
import { between, integer, type Reader, readOptions, text } from '../../core/options.js';
import { readBody, withTimeout } from '../../core/requests.js';
import { compareBytes } from '../../core/signed/bytes.js';
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

const headerValue: Reader<string> = (value, name) => {
  const header = text(value, name);
  if (!/^[\x21-\x7e]+$/.test(header)) throw rangeError(`${name} must be printable ASCII`);
  return header;
};

/** Hashes by their first 4 bytes: what has the same prefix is a chain. */
class HashTable {
  readonly #hashes: Uint8Array;
  readonly #first = new Map<number, number>();
  readonly #next: Int32Array;

  constructor(hashes: Uint8Array) {
    this.#hashes = hashes;
    const count = hashes.length / hashBytes;
    this.#next = new Int32Array(count).fill(-1);
    const view = new DataView(hashes.buffer, hashes.byteOffset, hashes.length);
    for (let i = 0; i < count; i++) {
      const prefix = view.getUint32(hashBytes * i);
      this.#next[i] = this.#first.get(prefix) ?? -1;
      this.#first.set(prefix, i);
    }
  }

  /** The distinct hashes with that prefix, increasing. */
  find(prefix: number): Uint8Array[] {
    const found: Uint8Array[] = [];
    for (let i = this.#first.get(prefix) ?? -1; i >= 0; i = this.#next[i] as number) {
      found.push(this.#hashes.subarray(hashBytes * i, hashBytes * (i + 1)));
    }
    found.sort(compareBytes);
    return found.filter(
      (hash, i) => i === 0 || compareBytes(hash, found[i - 1] as Uint8Array) !== 0,
    );
  }
}

/** One array of all hashes, copied. */
function joinHashes(fullHashes: Iterable<Uint8Array> | Uint8Array): Uint8Array {
  const what = 'createConfirmHandler: fullHashes';
  if (isBytes(fullHashes)) {
    const all = pin(fullHashes, what);
    if (all.length % hashBytes === 0) return new Uint8Array(all);
    throw rangeError(`${what} must have 32 bytes for each hash, got ${all.length} bytes`);
  }
  if (typeof Object(fullHashes)[Symbol.iterator] !== 'function') {
    throw mustBe('hashes of 32 bytes', what, fullHashes);
  }
  const hashes = Array.from(fullHashes, keep);
  const bytes = new Uint8Array(hashBytes * hashes.length);
  hashes.forEach((hash, i) => {
    if (!isBytes(hash)) throw mustBe('a Uint8Array', `${what}[${i}]`, hash);
    const { length } = pin(hash, `${what}[${i}]`);
    if (length !== hashBytes) {
      throw rangeError(`${what}[${i}] must have ${hashBytes} bytes, got ${length}`);
    }
    bytes.set(hash, hashBytes * i);
  });
  return bytes;
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
  const read = readOptions(options, readers, 'createConfirmHandler');
  const { cacheSeconds, negativeSeconds, allowOrigin = '*', timeoutMs = 10_000 } = read;
  if (cacheSeconds === undefined || negativeSeconds === undefined) {
    throw typeError('createConfirmHandler: cacheSeconds and negativeSeconds are required');
  }
  const table = new HashTable(joinHashes(fullHashes));
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
    const hashes = prefixes.flatMap((prefix) => table.find(prefix));
    return new Response(encodeAnswer(hashes, cacheSeconds, negativeSeconds), {
      headers: { ...headers, 'Content-Type': 'application/octet-stream' },
    });
  };
}
