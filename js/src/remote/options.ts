// The options of RemoteFilter and RemoteMap. Each is checked before the first request.

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

/** Storage for one small file: `indexedDbStorage()` or `fileStorage()` of `tamis/url`, or your own. */
export interface RemoteStorage {
  get(key: string): Promise<Uint8Array | null | undefined> | Uint8Array | null | undefined;
  set(key: string, bytes: Uint8Array | undefined): Promise<unknown> | unknown;
}

/** Options of `RemoteFilter.open` and `RemoteMap.open`. */
export interface RemoteOptions {
  /**
   * The set's name, from the publisher's `tamis shard --name`. The signature proves the publisher, the name proves the
   * set. Without the name the host could serve another set of the same publisher, which answers `false` for your
   * members.
   */
  readonly name: string;
  /** 1 to 16 public keys, any of which may have signed. null: the host is trusted, and no signature is checked. */
  readonly publicKeys: readonly PublicKey[] | null;
  /** The 16 secret bytes of keyed pages. */
  readonly secret?: Uint8Array;
  /**
   * The classes of `tamis/read` that read the pages. Default: RibbonFilter; for RemoteMap, BloomierMap. Pages of
   * another type throw ERR_TAMIS_UNSUPPORTED.
   */
  readonly types?: readonly ReaderClass<Filter>[];
  /**
   * The most pages to keep in memory, 1 to 2^20; default 256. A look-up of many keys keeps all of its pages until it is
   * answered.
   */
  readonly cachePages?: number;
  /**
   * The number of pages that are fetched with each wanted page, to hide it; 0 to 64, default 0. A page has the same
   * decoys in each look-up, which waits for them, so that many look-ups tell the host no more than one. In a set of few
   * pages they may be up to twice as many.
   */
  readonly decoys?: number;
  /**
   * Handles a host that ignores ranges and sends the whole part (status 200). 'error', the default, rejects before the
   * body is read. 'use' downloads the part, up to 16 MiB, and takes the pages from it. The last such part stays in
   * memory, and look-ups share a running download.
   */
  readonly fullResponses?: 'error' | 'use';
  /** The most requests at once, 1 to 64; default 6, the browsers' limit per host with HTTP/1.1. */
  readonly requests?: number;
  /**
   * The time limit of one request or one call of `storage`, in ms; default 10,000. A request for several pages or a
   * whole part has this time for each MiB.
   */
  readonly timeoutMs?: number;
  /** The number of further attempts after a failure; default 2. A refusal (404) or an answer too large gets none. */
  readonly retries?: number;
  /**
   * The age at which a look-up fetches the manifest again in the background, in ms; default one hour. 0: only `update`
   * does. If the manifest has expired, a look-up fetches a new one, and waits. After a failed update, look-ups wait a
   * minute at most before they try again.
   */
  readonly maxAgeMs?: number;
  /**
   * Remembers the newest manifest, so that an older one is refused after a restart too. If it cannot be read, `open`
   * rejects. Later failures appear in `status.error` until an update succeeds. Clients may share it: if another client
   * stored a newer manifest, an update rejects with ERR_TAMIS_ROLLBACK.
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
  // Functions, because a browser's fetch refuses to be called as a method of this object.
  fetch: (url: string, init: RequestInit) => globalThis.fetch(url, init),
  now: () => Date.now(),
  random: () => Math.random(),
} as const;

/** The complete options, and the manifest's `url`. */
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
