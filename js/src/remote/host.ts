// Requests to a static host, and the checks of its answers.

import { TamisError } from '../core/errors.js';
import { readBody, retryAfterMs, send, unavailableError, withTimeout } from '../core/requests.js';
import { hexOf } from '../core/signed/bytes.js';
import { maxManifestBytes } from '../core/signed/manifest.js';
import { leafBytesOf, pagesInPart, partName } from '../pages/layout.js';
import type { PagesManifest } from '../pages/manifest.js';
import { rootOf } from '../pages/merkle.js';
import type { RemoteConfig } from './options.js';

const firstBackOffMs = 250;
/** A longer Retry-After ends the attempts. */
const longestWaitMs = 30_000;
/** `timeoutMs` applies to each piece of this many bytes. */
const bytesInTime = 2 ** 20;

/** Sends a request once. Resolves if the status is in `taken`; the body is still unread. */
type Ask = (init: RequestInit, taken: readonly number[]) => Promise<Response>;

/** Errors of files that the manifest names and the host lacks. They mean that there may be a newer manifest. */
export const missing = /* @__PURE__ */ new WeakSet<object>();

export class Host {
  readonly #config: RemoteConfig;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #knowsRanges = false;
  /**
   * The last request for each part, kept while the host may not support ranges: the next request waits for it. It
   * resolves to the whole part, if the host sent that. Only the newest whole part stays here.
   */
  readonly parts = new Map<string, Promise<Uint8Array | undefined>>();
  /** The URL of the whole part that stays. */
  #kept = '';
  /** The number of requests sent, and of bytes received in bodies. */
  requests = 0;
  bytes = 0;

  constructor(config: RemoteConfig) {
    this.#config = config;
  }

  /** Fetches the text of the manifest. */
  manifest(signal: AbortSignal): Promise<Uint8Array> {
    return this.#get(this.#config.url, 1, signal, async (ask, signal) =>
      this.#read(await ask({ cache: 'no-cache' }, [200]), maxManifestBytes, signal),
    );
  }

  /**
   * Fetches pages of one part by one request. Calls `take` for each page that the manifest's root proves. `wanted` has
   * the pages in ascending order. `take` must remove its page from `wanted`, because a further attempt asks for the
   * rest.
   */
  async pages(
    manifest: PagesManifest,
    wanted: ReadonlyMap<number, unknown>,
    signal: AbortSignal,
    take: (page: number, leaf: Uint8Array) => void,
  ): Promise<void> {
    const { stride, root, pagesPerPart } = manifest;
    const leafBytes = leafBytesOf(manifest);
    const pages = () => [...wanted.keys()] as [number, ...number[]];
    const [least] = pages();
    const part = Math.floor(least / pagesPerPart);
    const start = part * pagesPerPart;
    const inPart = pagesInPart(part, manifest);
    const url = new URL(partName(manifest, part), this.#config.url).href;
    const mayBeWhole = inPart > 1 && this.#config.onFullResponse === 'use';
    const isProbe = mayBeWhole && !this.#knowsRanges;
    const known = {};

    /** Verifies the wanted pages in `bytes`, which begin with the page `first`. */
    const prove = async (bytes: Uint8Array, first: number) => {
      const proving = pages().map(async (page) => {
        const at = (page - first) * stride;
        // A copy, so that the bytes beside it can be freed.
        const leaf = bytes.slice(at, at + leafBytes);
        const proof = bytes.subarray(at + leafBytes, at + stride);
        const isProved = hexOf(await rootOf(page, leaf, proof, known)) === root;
        if (isProved) take(page, leaf);
        return isProved;
      });
      return (await Promise.all(proving)).every(Boolean);
    };

    /**
     * Waits for the request `before`, then loads the wanted pages. Resolves to the whole part, if the host sent that.
     */
    const load = async (before?: Promise<Uint8Array | undefined>) => {
      const held = await before;
      if (held && (await prove(held, start))) return held;
      const most = isProbe ? inPart : (pages().at(-1) as number) + 1 - least;
      return this.#get(url, most * stride, signal, async (ask, signal) => {
        let [first] = pages();
        const from = (first - start) * stride;
        const end = ((pages().at(-1) as number) + 1 - start) * stride;
        const range = `bytes=${from}-${end - 1}`;
        const taken = inPart === 1 ? [200] : mayBeWhole ? [200, 206] : [206];
        const init: RequestInit = inPart === 1 ? {} : { headers: { Range: range } };
        // Chromium runs ranges of one URL one after another if each goes into its cache.
        if (inPart > 1 && this.#running > 1) init.cache = 'no-store';
        const response = await ask(init, taken);
        const { status, headers } = response;
        // A request for a part of one page asks for no range.
        if (inPart > 1) this.#knowsRanges = status === 206;
        let size = inPart * stride;
        if (status === 206) {
          // A page of another origin cannot read these headers. The host may leave out the length.
          const expected = `${range.replace('=', ' ')}/${size}`;
          const found = headers.get('Content-Range')?.replace('/*', `/${size}`) ?? expected;
          const coding = headers.get('Content-Encoding') ?? 'identity';
          if (found !== expected || coding !== 'identity') {
            throw new TamisError(
              'ERR_TAMIS_CORRUPT',
              `${url}: expected ${expected}, got ${found} (${coding})`,
            );
          }
          size = end - from;
        } else {
          first = start;
        }
        const bytes = await this.#read(response, size, signal);
        if (bytes.length < size)
          throw new TamisError(
            'ERR_TAMIS_TRUNCATED',
            `${url}: got ${bytes.length} of ${size} bytes`,
          );
        if (await prove(bytes, first)) return status === 206 ? undefined : bytes;
        throw new TamisError('ERR_TAMIS_CORRUPT', `${url}: not the signed page`);
      });
    };

    if (!isProbe) {
      await load();
      return;
    }
    const loading = load(this.parts.get(url));
    this.parts.set(
      url,
      loading.catch(() => undefined),
    );
    if ((await loading) && this.#kept !== url) {
      this.parts.delete(this.#kept);
      this.#kept = url;
    }
  }

  async #read(response: Response, most: number, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await readBody(response, most, signal);
    this.bytes += bytes.length;
    return bytes;
  }

  /** Runs `act` until it succeeds or the attempts are used up. `bytes` is the most that one attempt downloads. */
  async #get<T>(
    url: string,
    bytes: number,
    signal: AbortSignal,
    act: (ask: Ask, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs, retries, requests, fetch, now, random } = this.#config;
    for (let attempt = 0; ; attempt++) {
      while (this.#running >= requests) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      this.#running++;
      let waitMs = firstBackOffMs * 2 ** attempt * (1 + random());
      let isFinal = false;
      try {
        const limitMs = timeoutMs * Math.ceil(bytes / bytesInTime);
        return await withTimeout(limitMs, signal, (signal) =>
          act(async (init, taken) => {
            this.requests++;
            // The browser's cache may hold the bad answer.
            const again = attempt === 0 ? init : ({ ...init, cache: 'reload' } as const);
            const response = await send(fetch, url, { ...again, signal });
            const { status } = response;
            if (taken.includes(status)) return response;
            // The body stays unread.
            waitMs = Math.max(waitMs, retryAfterMs(response, now()));
            isFinal = status < 500 && status !== 408 && status !== 429;
            const error = unavailableError(`${url}: the host answered ${status}`);
            if (status === 404) missing.add(error);
            throw error;
          }, signal),
        );
      } catch (error) {
        signal.throwIfAborted();
        isFinal ||= (error as TamisError).code === 'ERR_TAMIS_TOO_LARGE';
        if (isFinal || attempt >= retries || waitMs > longestWaitMs) throw error;
      } finally {
        this.#running--;
        this.#waiting.shift()?.();
      }
      // Waits. It ends early if the signal aborts.
      await withTimeout(waitMs, signal, () => new Promise(() => {})).catch(() => {});
    }
  }
}
