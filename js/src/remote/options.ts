// The options of RemoteFilter and RemoteMap, and their checks before the first request.

import { mustBe, typeError } from '../core/errors.js';
import {
  callable,
  integer,
  oneOf,
  type Reader,
  readManifestUrl,
  readOptions,
  sixteenBytes,
} from '../core/options.js';
import type { Fetch } from '../core/requests.js';
import { type PublicKey, publicKeysReader, trustKeys } from '../core/signed/keys.js';
import { setNameReader } from '../pages/manifest.js';
import type { Filter, ReaderClass } from '../read/filter.js';

/** Stores one small file: `indexedDbStorage()` or `fileStorage()` of `tamis/url`, or your own object. */
export interface RemoteStorage {
  get(key: string): Promise<Uint8Array | null | undefined> | Uint8Array | null | undefined;
  set(key: string, bytes: Uint8Array | undefined): Promise<unknown> | unknown;
}

/** Options of `RemoteFilter.open` and `RemoteMap.open`. */
export interface RemoteOptions {
  /**
   * The set's name, from the publisher's `tamis shard --name`. The signature proves who published the pages, and the
   * name proves which set they are. Without the name, the host could serve another set of the same publisher, which
   * answers `false` for your members.
   */
  readonly name: string;
  /** 1 to 16 public keys; one of them must have signed. null: you trust the host, and no signature is checked. */
  readonly publicKeys: readonly PublicKey[] | null;
  /** The 16 secret bytes of keyed pages. */
  readonly secret?: Uint8Array;
  /**
   * The classes of `tamis/read` that read the pages; default: RibbonFilter, and BloomierMap for RemoteMap. Pages of
   * another type are refused with ERR_TAMIS_UNSUPPORTED.
   */
  readonly types?: readonly ReaderClass<Filter>[];
  /**
   * The maximum number of pages to keep in memory, 1 to 2^20; default 256. A look-up of many keys keeps all pages that
   * it needs until it ends.
   */
  readonly cachePages?: number;
  /**
   * The number of decoys: pages fetched together with each wanted page, to hide it; 0 to 64, default 0. A page always
   * has the same decoys, so many look-ups tell the host no more than one look-up. A look-up waits for its decoys. If
   * the set has few pages, there can be up to twice as many decoys.
   */
  readonly decoys?: number;
  /**
   * What to do if the host ignores ranges and sends the whole part (status 200). 'error', the default, rejects before
   * the body is read. 'use' downloads the part, up to 16 MiB, and finds the pages in it. The newest such part stays in
   * memory, and look-ups share a running download.
   */
  readonly fullResponses?: 'error' | 'use';
  /** The maximum number of requests at one time, 1 to 64; default 6, as browsers allow per host with HTTP/1.1. */
  readonly requests?: number;
  /**
   * The time limit in ms for one request or one call of `storage`; default 10,000. A request for several pages or a
   * whole part has this time for each MiB.
   */
  readonly timeoutMs?: number;
  /** The number of further attempts after a failure; default 2. A refusal (404) or too large an answer is final. */
  readonly retries?: number;
  /**
   * The manifest's age in ms at which a look-up fetches it again in the background; default one hour. 0: until it has
   * expired, only `update` fetches it. If the manifest has expired, a look-up waits for a new one. After a failed
   * update, the next attempt comes within a minute.
   */
  readonly maxAgeMs?: number;
  /**
   * Remembers the newest manifest, so that an older one is refused after a restart, too. If the storage cannot be read,
   * `open` rejects. Later failures appear in `status.error` until an update succeeds. Clients can share a storage: if
   * another client stored a newer manifest, an update to an older one rejects with ERR_TAMIS_ROLLBACK.
   */
  readonly storage?: RemoteStorage;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
  /** Replaces `Date.now`. @internal */
  readonly now?: () => number;
  /** Replaces `Math.random`. @internal */
  readonly random?: () => number;
}

/** Options of a look-up. */
export interface LookUpOptions {
  readonly signal?: AbortSignal;
}

const hourMs = 3_600_000;

const storageReader: Reader<RemoteStorage> = (value, name) => {
  const { get, set } = Object(value);
  if (typeof get === 'function' && typeof set === 'function') return value as RemoteStorage;
  throw mustBe('an object with get and set', name, value);
};

const typesReader: Reader<readonly ReaderClass<Filter>[]> = (value, name) => {
  const isClass = (one: unknown) => typeof Object(one).fromBytes === 'function';
  if (Array.isArray(value) && value.every(isClass)) return [...value];
  throw mustBe("a list of classes of 'tamis/read'", name, value);
};

const defaults = {
  cachePages: 256,
  decoys: 0,
  fullResponses: 'error',
  requests: 6,
  timeoutMs: 10_000,
  retries: 2,
  maxAgeMs: hourMs,
  // Wrapped in functions, because a browser's fetch refuses to be called as a method of this object.
  fetch: (url: string, init: RequestInit) => globalThis.fetch(url, init),
  now: () => Date.now(),
  random: () => Math.random(),
} as const;

/** The options with their defaults, and the manifest's `url`. */
export type RemoteConfig = Awaited<ReturnType<typeof readRemoteOptions>>;

export async function readRemoteOptions(
  manifestUrl: string | URL,
  options: RemoteOptions,
  what: string,
  types: readonly ReaderClass<Filter>[],
) {
  const url = readManifestUrl(manifestUrl, what);
  const { name, publicKeys, secret, storage, ...others } = readOptions(
    options,
    {
      name: setNameReader,
      publicKeys: (value, name) => (value === null ? null : publicKeysReader(value, name)),
      secret: sixteenBytes,
      types: typesReader,
      cachePages: integer(1, 2 ** 20),
      decoys: integer(0, 64),
      fullResponses: oneOf(['error', 'use'] as const),
      requests: integer(1, 64),
      timeoutMs: integer(1, hourMs),
      retries: integer(0, 10),
      maxAgeMs: integer(0, 7 * 24 * hourMs),
      storage: storageReader,
      fetch: callable<Fetch>(),
      now: callable<() => number>(),
      random: callable<() => number>(),
    },
    what,
  );
  if (name === undefined || publicKeys === undefined) {
    throw typeError(`${what}: expected the options name and publicKeys`);
  }
  const keys = publicKeys && (await trustKeys(publicKeys));
  return { ...defaults, types, ...others, url, name, keys, secret, storage };
}
