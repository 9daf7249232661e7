// What a static host is asked, and which of its answers are taken.

import { TamisError } from '../core/errors.js';
import { readBody, retryAfterMs, send, unavailableError, withTimeout } from '../core/requests.js';
import { hexOf } from '../core/signed/bytes.js';
import { maxManifestBytes } from '../core/signed/manifest.js';
import { leafBytesOf, pagesInPart, partName } from '../pages/layout.js';
import type { PagesManifest } from '../pages/manifest.js';
import { rootOf } from '../pages/merkle.js';
import type { RemoteConfig } from './options.js';

const firstBackOffMs = 250;
/** A host that wants to be left alone for longer gets no further attempt. */
const longestWaitMs = 30_000;
/** So many bytes may take `timeoutMs`, and so may each further piece of this size. */
const bytesInTime = 2 ** 20;

/** Sends a request once. Its answer has a status that is taken, and its body was not read. */
type Ask = (init: RequestInit, taken: readonly number[]) => Promise<Response>;

/** The errors of files that a manifest names and the host has not: there may be a newer manifest. */
export const missing = /* @__PURE__ */ new WeakSet<object>();

export class Host {
  readonly #config: RemoteConfig;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #knowsRanges = false;
  /**
   * The last request for each part, where the host may know no ranges: the next one follows it. It gives the whole
   * part, if that came. One such part stays here.
   */
  readonly parts = new Map<string, Promise<Uint8Array | undefined>>();
  /** The URL of the whole part that stays. */
  #kept = '';
  /** Requests that were sent, and bytes of bodies that came. */
  requests = 0;
  bytes = 0;

  constructor(config: RemoteConfig) {
    this.#config = config;
  }

  /** The text of the manifest. */
  manifest(signal: AbortSignal): Promise<Uint8Array> {
    return this.#get(this.#config.url, 1, signal, async (ask, signal) =>
      this.#read(await ask({ cache: 'no-cache' }, [200]), maxManifestBytes, signal),
    );
  }

  /**
   * Brings pages of one part by one request, and tells `take` of each that the manifest's root proves. `wanted` has
   * them in ascending order. Another attempt asks for those that are still in it: `take` has them removed.
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

    /** Of bytes that begin with the page `first`. */
    const prove = async (bytes: Uint8Array, first: number) => {
      const proving = pages().map(async (page) => {
        const at = (page - first) * stride;
        // A copy, which does not keep the bytes beside it in memory.
        const leaf = bytes.slice(at, at + leafBytes);
        const proof = bytes.subarray(at + leafBytes, at + stride);
        const isProved = hexOf(await rootOf(page, leaf, proof, known)) === root;
        if (isProved) take(page, leaf);
        return isProved;
      });
      return (await Promise.all(proving)).every(Boolean);
    };

    /** The whole part, if it came, after another request for it. */
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
        // Chromium lets the ranges of an address wait for one another, if each is to go into its cache.
        if (inPart > 1 && this.#running > 1) init.cache = 'no-store';
        const response = await ask(init, taken);
        const { status, headers } = response;
        // A part of one page tells nothing of ranges.
        if (inPart > 1) this.#knowsRanges = status === 206;
        let size = inPart * stride;
        if (status === 206) {
          // Elsewhere than at its own origin a page sees neither header. A host need not know the length.
          const expected = `${range.replace('=', ' ')}/${size}`;
          const found = headers.get('Content-Range')?.replace('/*', `/${size}`) ?? expected;
          const coding = headers.get('Content-Encoding') ?? 'identity';
          if (found !== expected || coding !== 'identity') {
            throw new TamisError('ERR_TAMIS_CORRUPT', `${url}: got ${found}, ${coding}`);
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

  /** What `act` gives, after as many attempts as it takes and the options allow. Each may bring so many bytes. */
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
            // What failed may lie in the browser's cache.
            const again = attempt === 0 ? init : ({ ...init, cache: 'reload' } as const);
            const response = await send(fetch, url, { ...again, signal });
            const { status } = response;
            if (taken.includes(status)) return response;
            // Its body is not read.
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
      // A wait ends as a request that nobody answers does.
      await withTimeout(waitMs, signal, () => new Promise(() => {})).catch(() => {});
    }
  }
}
