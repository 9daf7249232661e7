// Sends requests to a static host, and checks its answers.

import { TamisError } from '../core/errors.js';
import { readBody, retryAfterMs, send, withTimeout } from '../core/requests.js';
import { hexOf } from '../core/signed/bytes.js';
import { maxManifestBytes } from '../core/signed/manifest.js';
import { leafBytesOf, pagesInPart, partName, rootOf } from '../pages/layout.js';
import type { PagesManifest } from '../pages/manifest.js';
import type { RemoteConfig } from './options.js';

/** The shortest pause before the second attempt. It doubles with each further attempt. */
const firstBackOffMs = 250;
/** If the host asks for a longer pause (Retry-After), no further attempt is made. */
const longestWaitMs = 30_000;
/** A request may take `timeoutMs` for each MiB of its answer, rounded up. */
const bytesInTime = 2 ** 20;

/** The end of the message if the host sent the whole file instead of the requested range. */
const noRanges =
  ": it must support range requests; else pass fullResponses: 'use', or publish with files: 'page'";

type Take = (page: number, leaf: Uint8Array) => void;

/** Sends a request once. Resolves if the status is in `accepted`, before the body is read. */
type Ask = (init: RequestInit, accepted: readonly number[]) => Promise<Response>;

/** The host lacks a file that the manifest names. A newer manifest may name another file. */
export class MissingFileError extends TamisError {}

export class Host {
  readonly config: RemoteConfig;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #knowsRanges = false;
  /**
   * The last request for each part, until the host answers with a range. The next request for that part waits for it.
   * The promise resolves to the whole part, if the host sent it. Only the newest whole part stays in memory.
   */
  readonly parts = new Map<string, Promise<Uint8Array | undefined>>();
  /** The URL of the whole part that is kept. */
  #keptUrl = '';
  /** The number of requests sent, and of bytes received in their bodies. */
  requests = 0;
  bytes = 0;

  constructor(config: RemoteConfig) {
    this.config = config;
  }

  manifest(signal: AbortSignal): Promise<Uint8Array> {
    // Nearly all manifests are small, so one `timeoutMs` is enough.
    return this.#get(this.config.url, bytesInTime, signal, async (ask, signal) =>
      this.#read(await ask({ cache: 'no-cache' }, [200]), maxManifestBytes, signal),
    );
  }

  /**
   * Fetches pages of one part in one request. Calls `take` for each page whose proof leads to the manifest's root.
   * `wanted` has the pages in ascending order. `take` must remove its page from `wanted`, because a further attempt
   * requests the pages that remain.
   */
  async pages(
    manifest: PagesManifest,
    wanted: ReadonlyMap<number, unknown>,
    signal: AbortSignal,
    take: Take,
  ): Promise<void> {
    const { stride, pagesPerPart } = manifest;
    const [lowest = 0] = wanted.keys();
    const part = Math.floor(lowest / pagesPerPart);
    const start = part * pagesPerPart;
    const size = pagesInPart(part, manifest) * stride; // the size of the part
    const url = new URL(partName(manifest, part), this.config.url).href;
    const mayGetWhole = size > stride && !this.#knowsRanges && this.config.fullResponses === 'use';
    const takeFrom = takerOf(manifest, wanted, take);
    /** Requests the pages that are still wanted, once. Resolves to the whole part if the host sends that. */
    const attempt = async (ask: Ask, attemptSignal: AbortSignal) => {
      const [first, end] = spanOf(wanted);
      const [from, to] = [(first - start) * stride, (end - start) * stride];
      const response =
        size > stride ? await this.#askRange(ask, url, from, to, size) : await ask({}, [200]);
      const isWhole = response.status === 200;
      const expected = isWhole ? size : to - from;
      const bytes = await this.#read(response, expected, attemptSignal);
      if (bytes.length < expected) {
        const message = `${url}: got ${bytes.length} of ${expected} bytes`;
        throw new TamisError('ERR_TAMIS_TRUNCATED', message);
      }
      if (await takeFrom(bytes, isWhole ? start : first)) return isWhole ? bytes : undefined;
      throw new TamisError('ERR_TAMIS_CORRUPT', `${url}: a page is not the signed one`);
    };
    /** Finds the pages in the part that `before` resolves to, or fetches them. Resolves to the whole part, if any. */
    const load = async (before?: Promise<Uint8Array | undefined>) => {
      const whole = await before;
      if (whole && (await takeFrom(whole, start))) return whole;
      const [first, end] = spanOf(wanted);
      return this.#get(url, mayGetWhole ? size : (end - first) * stride, signal, attempt);
    };
    if (!mayGetWhole) {
      await load();
      return;
    }
    const loading = load(this.parts.get(url));
    const settling = loading.catch(() => undefined); // the next request waits for this one, but does not fail with it
    this.parts.set(url, settling);
    if ((await loading) && this.#keptUrl !== url) {
      this.parts.delete(this.#keptUrl); // only the newest whole part stays
      this.#keptUrl = url;
    }
  }

  /** Requests the bytes from `from` up to `end`, and checks the answer's headers. The answer may be the whole file. */
  async #askRange(
    ask: Ask,
    url: string,
    from: number,
    end: number,
    size: number,
  ): Promise<Response> {
    const range = `${from}-${end - 1}`;
    const init: RequestInit = { headers: { Range: `bytes=${range}` } };
    // With caching, Chromium sends range requests for one URL one after another.
    if (this.#running > 1) init.cache = 'no-store';
    const accepted = this.config.fullResponses === 'use' ? [200, 206] : [206];
    const response = await ask(init, accepted);
    const { status, headers } = response;
    this.#knowsRanges = status === 206;
    // Browsers can hide these headers from a script of another origin. The host can leave out the size.
    const expected = `bytes ${range}/${size}`;
    const answer = headers.get('Content-Range')?.replace('/*', `/${size}`) ?? expected;
    const coding = headers.get('Content-Encoding') ?? 'identity';
    if (status === 200 || (answer === expected && coding === 'identity')) return response;
    const message = `${url}: expected ${expected}, got ${answer} (${coding})`;
    throw new TamisError('ERR_TAMIS_CORRUPT', message);
  }

  async #read(response: Response, most: number, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await readBody(response, most, signal);
    this.bytes += bytes.length;
    return bytes;
  }

  /** Calls `act` until it succeeds or no attempts are left. `mostBytes`, the longest answer, sets the time limit. */
  async #get<T>(
    url: string,
    mostBytes: number,
    signal: AbortSignal,
    act: (ask: Ask, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs, retries, requests, fetch, now, random } = this.config;
    for (let attempt = 0; ; attempt++) {
      // Each request that ends lets one waiting request start.
      while (this.#running >= requests) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      this.#running++;
      let waitMs = firstBackOffMs * 2 ** attempt * (1 + random());
      let isFinal = false; // true if further attempts are useless
      try {
        const limitMs = timeoutMs * Math.ceil(mostBytes / bytesInTime);
        return await withTimeout(limitMs, signal, (signal) =>
          act(async (init, accepted) => {
            this.requests++;
            // The browser's cache may contain the bad answer.
            const retryInit = attempt > 0 && ({ cache: 'reload' } as const);
            const response = await send(fetch, url, { ...init, ...retryInit, signal });
            const { status } = response;
            if (accepted.includes(status)) return response;
            waitMs = Math.max(waitMs, retryAfterMs(response, now()));
            isFinal = status < 500 && status !== 408 && status !== 429;
            const AnswerError = status === 404 ? MissingFileError : TamisError;
            const message = `${url}: the host answered ${status}${status === 200 ? noRanges : ''}`;
            throw new AnswerError('ERR_TAMIS_UNAVAILABLE', message);
          }, signal),
        );
      } catch (error) {
        signal.throwIfAborted();
        isFinal ||= error instanceof TamisError && error.code === 'ERR_TAMIS_TOO_LARGE';
        if (isFinal || attempt >= retries || waitMs > longestWaitMs) throw error;
      } finally {
        this.#running--;
        this.#waiting.shift()?.();
      }
      // Pauses: only the time limit or the signal ends this wait.
      await withTimeout(waitMs, signal, () => new Promise(() => {})).catch(() => {});
    }
  }
}

/** The first page and the end of the last page, for pages in ascending order. */
function spanOf(pages: ReadonlyMap<number, unknown>): readonly [first: number, end: number] {
  const all = [...pages.keys()];
  return [all[0] ?? 0, (all.at(-1) ?? 0) + 1];
}

/** Makes a function for bytes from page `first` on. It calls `take` for each proved page; true if all are proved. */
function takerOf(manifest: PagesManifest, wanted: ReadonlyMap<number, unknown>, take: Take) {
  const { stride, root } = manifest;
  const leafBytes = leafBytesOf(manifest);
  const known = {}; // tree nodes that several proofs share
  return async (bytes: Uint8Array, first: number): Promise<boolean> => {
    const proving = [...wanted.keys()].map(async (page) => {
      const at = (page - first) * stride;
      // A copy, so that the memory of the other pages can be freed.
      const leaf = bytes.slice(at, at + leafBytes);
      const proof = bytes.subarray(at + leafBytes, at + stride);
      const isProved = hexOf(await rootOf(page, leaf, proof, known)) === root;
      if (isProved) take(page, leaf);
      return isProved;
    });
    return (await Promise.all(proving)).every(Boolean);
  };
}
