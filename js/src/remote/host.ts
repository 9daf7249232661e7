// What a static host is asked, and which of its answers are taken.

import { TamisError } from '../core/errors.js';
import { readBody, retryAfterMs, send, unavailableError, withTimeout } from '../core/requests.js';
import { hexOf } from '../core/signed/bytes.js';
import { maxManifestBytes } from '../core/signed/manifest.js';
import { fileInLeaf, leafBytesOf, pagesInPart, partName, placeOf } from '../pages/layout.js';
import type { PagesManifest } from '../pages/manifest.js';
import { rootOf } from '../pages/merkle.js';
import type { RemoteConfig } from './options.js';

/** Requests at once: what browsers have of one host by HTTP/1.1. */
const mostAtOnce = 6;
const firstBackOffMs = 250;
/** A host that wants to be left alone for longer gets no further attempt. */
const longestWaitMs = 30_000;

/** The errors of files that a manifest names and the host has not: there may be a newer manifest. */
export const missing = /* @__PURE__ */ new WeakSet<object>();

export class Host {
  readonly #config: RemoteConfig;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Requests that were sent, and bytes of bodies that came. */
  requests = 0;
  bytes = 0;

  constructor(config: RemoteConfig) {
    this.#config = config;
  }

  /** The text of the manifest. */
  manifest(signal: AbortSignal): Promise<Uint8Array> {
    const { url } = this.#config;
    return this.#get(url, { cache: 'no-cache' }, [200], signal, (response, signal) =>
      this.#read(response, maxManifestBytes, signal),
    );
  }

  /** The tamis file of a page, which the manifest's root proves. */
  page(manifest: PagesManifest, page: number, signal: AbortSignal): Promise<Uint8Array> {
    const { stride, name, root } = manifest;
    const { part, offset } = placeOf(page, manifest);
    const url = new URL(partName(name, root, part), this.#config.url).href;
    const whole = stride * pagesInPart(part, manifest);
    const range = `bytes=${offset}-${offset + stride - 1}`;
    const taken = this.#config.onFullResponse === 'use' ? [200, 206] : [206];
    const init = { headers: { Range: range } };
    return this.#get(url, init, taken, signal, async (response, signal) => {
      const { status, headers } = response;
      const isWhole = status === 200;
      // Elsewhere than at its own origin a page sees neither header.
      const expected = `${range.replace('=', ' ')}/${whole}`;
      const found = headers.get('Content-Range') ?? expected;
      const coding = headers.get('Content-Encoding') ?? 'identity';
      if (!isWhole && (found !== expected || coding !== 'identity')) {
        throw new TamisError('ERR_TAMIS_CORRUPT', `${url}: got ${found}, ${coding}`);
      }
      const size = isWhole ? whole : stride;
      const all = await this.#read(response, size, signal);
      if (all.length < size) {
        throw new TamisError('ERR_TAMIS_TRUNCATED', `${url}: got ${all.length} of ${size} bytes`);
      }
      const bytes = all.subarray(isWhole ? offset : 0);
      const leafBytes = leafBytesOf(manifest);
      const leaf = bytes.subarray(0, leafBytes);
      if (hexOf(await rootOf(page, leaf, bytes.subarray(leafBytes, stride))) !== root) {
        throw new TamisError('ERR_TAMIS_CORRUPT', `${url}: not the signed page`);
      }
      return fileInLeaf(leaf);
    });
  }

  async #read(response: Response, most: number, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await readBody(response, most, signal);
    this.bytes += bytes.length;
    return bytes;
  }

  /**
   * What `take` makes of an answer of a status that is taken, after as many attempts as it takes and the options
   * allow.
   */
  async #get<T>(
    url: string,
    init: RequestInit,
    taken: readonly number[],
    signal: AbortSignal,
    take: (response: Response, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs, retries, fetch, now, random } = this.#config;
    for (let attempt = 0; ; attempt++) {
      while (this.#running >= mostAtOnce) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      this.#running++;
      let waitMs = firstBackOffMs * 2 ** attempt * (1 + random());
      let isFinal = false;
      try {
        return await withTimeout(timeoutMs, signal, async (signal) => {
          this.requests++;
          // What failed may lie in the browser's cache.
          const again = attempt === 0 ? init : ({ ...init, cache: 'reload' } as const);
          const response = await send(fetch, url, { ...again, signal });
          const { status } = response;
          if (taken.includes(status)) return await take(response, signal);
          // Its body is not read.
          waitMs = Math.max(waitMs, retryAfterMs(response, now()));
          isFinal = status < 500 && status !== 408 && status !== 429;
          const error = unavailableError(`${url}: the host answered ${status}`);
          if (status === 404) missing.add(error);
          throw error;
        });
      } catch (error) {
        signal.throwIfAborted();
        isFinal ||= (error as TamisError).code === 'ERR_TAMIS_TOO_LARGE';
        if (isFinal || attempt >= retries || waitMs > longestWaitMs) throw error;
      } finally {
        this.#running--;
        this.#waiting.shift()?.();
      }
      // A wait ends as a request that nobody answers does.
      await withTimeout(waitMs, signal, () => new Promise(() => {})).catch(() => {});
    }
  }
}
