// The options of RemoteFilter and RemoteMap: each is checked before anything is fetched.

import { mustBe, rangeError, show, typeError } from '../core/errors.js';
import {
  callable,
  integer,
  oneOf,
  type Reader,
  readOptions,
  sixteenBytes,
} from '../core/options.js';
import type { Fetch } from '../core/requests.js';
import {
  type PublicKey,
  publicKeysReader,
  type TrustedKey,
  trustKeys,
} from '../core/signed/keys.js';
import { setName } from '../pages/manifest.js';
import type { Filter, ReaderClass } from '../read/filter.js';

/** A place for one small file, as `tamis/url` makes them: `indexedDbStorage()`, `fileStorage()`, or your own. */
export interface RemoteStorage {
  get(key: string): Promise<Uint8Array | null | undefined> | Uint8Array | null | undefined;
  set(key: string, bytes: Uint8Array | undefined): Promise<unknown> | unknown;
}

/** Options of `RemoteFilter.open` and `RemoteMap.open`. */
export interface RemoteOptions {
  /**
   * The set's name, which its publisher gave it: `tamis shard --name`. A signature says who published, and the name says
   * what. Without it the host could serve another set of the same key, which answers `false` for members of yours.
   */
  readonly name: string;
  /** 1 to 16 keys, any of which may have signed. null: whatever the host says is believed. */
  readonly publicKeys: readonly PublicKey[] | null;
  /** The 16 secret bytes, where the pages are keyed. */
  readonly key?: Uint8Array;
  /**
   * The classes of `tamis/read` whose pages can be asked; default RibbonFilter, and of RemoteMap BloomierMap. Pages of
   * other types throw UNSUPPORTED.
   */
  readonly types?: readonly ReaderClass<Filter>[];
  /**
   * Pages that stay in memory, 1 to 2^20; default 256. A look-up of many keys keeps all of its own until it is
   * answered.
   */
  readonly cachePages?: number;
  /** Pages picked at random that are fetched beside each page that is wanted; 0 to 64, default 0. */
  readonly decoys?: number;
  /**
   * What to do with a host that sends a whole part (status 200) where a range of it was wanted. 'error', the
   * default, refuses it before its body is read. 'use' downloads the part, of up to 16 MiB, and takes the pages. The
   * last such part stays in memory. Nobody asks for a part that is on its way.
   */
  readonly onFullResponse?: 'error' | 'use';
  /** Requests at once, 1 to 64; default 6, which is what browsers have of one host by HTTP/1.1. */
  readonly requests?: number;
  /**
   * How long one request may take, and one call of `storage`; default 10,000. A request for several pages, of up to
   * 4 MiB, may take as long for each MiB, and so may a whole part.
   */
  readonly timeoutMs?: number;
  /**
   * Further attempts of a request that failed; default 2. None follows an answer that is too large, or a refusal such
   * as status 404.
   */
  readonly retries?: number;
  /**
   * After how long a look-up has the manifest fetched again, beside it; default an hour. 0: only by `update`. One that
   * expired is fetched again whatever this is, and the look-up waits for it. A failed update is tried again after a
   * minute at most.
   */
  readonly maxAgeMs?: number;
  /**
   * Remembers the newest manifest, so that an older one is refused also after a restart. `open` rejects where it cannot
   * be read. Where it cannot be read or written later, `status.error` says so until an update could. Clients may share
   * it: an update rejects with ROLLBACK where another one stored a newer manifest.
   */
  readonly storage?: RemoteStorage;
  /** In the place of the global `fetch`. */
  readonly fetch?: Fetch;
  /** In the place of `Date.now`. */
  readonly now?: () => number;
  /** In the place of `Math.random`. */
  readonly random?: () => number;
}

/** Options of a look-up. */
export interface LookUpOptions {
  readonly signal?: AbortSignal;
}

const longest = 3_600_000;
const week = 168 * longest;

const keysReader: Reader<readonly PublicKey[] | null> = (value, name) =>
  value === null ? null : publicKeysReader(value, name);

const storageReader: Reader<RemoteStorage> = (value, name) => {
  const { get, set } = Object(value);
  if (typeof get === 'function' && typeof set === 'function') return value as RemoteStorage;
  throw mustBe('a storage', name, value);
};

const typesReader: Reader<readonly ReaderClass<Filter>[]> = (value, name) => {
  const isClass = (one: unknown) =>
    typeof (one as ReaderClass | undefined)?.fromBytes === 'function';
  if (Array.isArray(value) && value.every(isClass)) return [...value];
  throw mustBe("a list of classes of 'tamis/read'", name, value);
};

const defaults = {
  cachePages: 256,
  decoys: 0,
  onFullResponse: 'error',
  requests: 6,
  timeoutMs: 10_000,
  retries: 2,
  maxAgeMs: longest,
  // Called as functions: as members they would get the options as `this`, which a browser's fetch refuses.
  fetch: (url: string, init: RequestInit) => globalThis.fetch(url, init),
  now: () => Date.now(),
  random: () => Math.random(),
} as const;

/** The options as they are used. */
export interface RemoteConfig
  extends Required<Omit<RemoteOptions, 'key' | 'storage' | 'publicKeys' | 'types'>> {
  /** The manifest's URL. */
  readonly url: string;
  readonly keys: readonly TrustedKey[] | null;
  readonly key: Uint8Array | undefined;
  readonly types: readonly ReaderClass<Filter>[];
  readonly storage: RemoteStorage | undefined;
}

function urlOf(url: unknown, what: string): string {
  const text = String(url);
  try {
    return new URL(text, globalThis.location?.href).href;
  } catch {
    throw rangeError(`${what}: expected an absolute URL, got ${show(text)}`);
  }
}

export async function readRemoteOptions(
  manifest: string | URL,
  options: RemoteOptions,
  what: string,
  types: readonly ReaderClass<Filter>[],
): Promise<RemoteConfig> {
  const url = urlOf(manifest, what);
  const { name, publicKeys, key, storage, ...given } = readOptions(
    options,
    {
      name: setName,
      publicKeys: keysReader,
      key: sixteenBytes,
      types: typesReader,
      cachePages: integer(1, 2 ** 20),
      decoys: integer(0, 64),
      onFullResponse: oneOf(['error', 'use'] as const),
      requests: integer(1, 64),
      timeoutMs: integer(1, longest),
      retries: integer(0, 10),
      maxAgeMs: integer(0, week),
      storage: storageReader,
      fetch: callable<Fetch>(),
      now: callable<() => number>(),
      random: callable<() => number>(),
    },
    what,
  );
  if (name === undefined || publicKeys === undefined) {
    throw typeError(`${what}: the options name and publicKeys are required`);
  }
  const keys = publicKeys && (await trustKeys(publicKeys));
  return { ...defaults, types, ...given, url, name, keys, key, storage };
}
