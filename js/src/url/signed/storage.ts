// Storage for a client's list: IndexedDB, the Cache API, memory, or the caller's object. file-storage.ts is for Node.

import { mustBe, TamisError } from '../../core/errors.js';
import { isBytes, pin } from '../../core/key-types.js';
import { callable, type Reader } from '../../core/options.js';

/**
 * Storage for a few small files, under names of lower-case letters, digits, '-' and '.'. Each `set` must be atomic,
 * even if the process ends during the call. Several calls must take effect in their order.
 */
export interface UrlStorage {
  /** Returns the bytes named `key`; undefined or null if there are none. */
  get(key: string): Promise<Uint8Array | null | undefined> | Uint8Array | null | undefined;
  /** Stores the bytes; undefined deletes them. Rejects or throws if it fails. */
  set(key: string, bytes: Uint8Array | undefined): Promise<unknown> | unknown;
  /**
   * Replaces the bytes named `key` by the result of `change`, and rejects with the errors of `change`. Processes that
   * share the storage without Web Locks, as in Node, need this method. It must keep others from storing these bytes
   * between its read and its write. It may call `change` again. It must store nothing once `signal` has aborted.
   */
  modify?(
    key: string,
    change: (bytes: Uint8Array | null | undefined) => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<unknown>;
  /** Calls `listener` when another process has changed the bytes named `key`. Returns a function that removes it. */
  watch?(key: string, listener: () => void): () => void;
}

/** Memory storage, whose bytes a Response accepts. */
interface MemoryStorage extends UrlStorage {
  get(key: string): Uint8Array<ArrayBuffer> | undefined;
}

/** A built-in kind of storage, or the caller's own. */
export type StorageChoice = 'indexeddb' | 'cache' | 'memory' | UrlStorage;

const defaultName = 'tamis-url';
const objectStore = 'files';

/**
 * Storage in memory: it lasts as long as the page.
 *
 * @example
 * import { memoryStorage } from 'tamis/url';
 * const storage = memoryStorage();
 * await storage.set('a', Uint8Array.of(7));
 * await storage.get('a'); // => Uint8Array.of(7)
 */
export function memoryStorage(): MemoryStorage {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    get: (key) => files.get(key)?.slice(),
    // Not slice(), because the slice of a Node Buffer is not a copy.
    set: (key, bytes) => (bytes ? files.set(key, new Uint8Array(bytes)) : files.delete(key)),
  };
}

function requireApi<T>(api: T | undefined, name: string): T {
  if (api !== undefined) return api;
  const message = `this engine has no ${name}; choose another storage`;
  throw new TamisError('ERR_TAMIS_UNSUPPORTED', message);
}

/**
 * Storage in an IndexedDB database, for pages, workers, service workers and extensions. Its calls reject with
 * IndexedDB's errors, and with ERR_TAMIS_UNSUPPORTED if the engine has no IndexedDB.
 *
 * @example
 * import { indexedDbStorage } from 'tamis/url';
 * const storage = indexedDbStorage('my-lists'); // for `UrlChecker.open`
 */
export function indexedDbStorage(name: string = defaultName): UrlStorage {
  let opening: Promise<IDBDatabase> | undefined;

  const open = () =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const request = requireApi(globalThis.indexedDB, 'IndexedDB').open(name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(objectStore);
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const database = request.result;
        // The browser closed the database, or another page wants to delete it. The next call opens it again.
        const forget = () => {
          database.close();
          opening = undefined;
        };
        database.onclose = forget;
        database.onversionchange = forget;
        resolve(database);
      };
    });

  async function run<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>) {
    opening ??= open();
    const database = await opening.catch((error) => {
      opening = undefined;
      throw error;
    });
    return new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(objectStore, mode);
      const request = ask(transaction.objectStore(objectStore));
      // Waits for the commit, not for the request's success: a full disk shows only at the commit.
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? request.error);
    });
  }

  return {
    get: (key) => run('readonly', (store) => store.get(key)),
    set: (key, bytes) =>
      run('readwrite', (store): IDBRequest => {
        return bytes === undefined ? store.delete(key) : store.put(bytes, key);
      }),
  };
}

/**
 * Storage in a cache of the Cache API, where a service worker may keep the rest of the page. Its calls reject with the
 * Cache API's errors, and with ERR_TAMIS_UNSUPPORTED if the engine has no Cache API.
 *
 * @example
 * import { cacheStorage } from 'tamis/url';
 * const storage = cacheStorage('my-lists'); // for `UrlChecker.open`
 */
export function cacheStorage(name: string = defaultName): UrlStorage {
  const open = () => requireApi(globalThis.caches, 'Cache API').open(name);
  // A cache's keys are requests. Nobody can own a name under .invalid (RFC 6761).
  const address = (key: string) => `https://tamis.invalid/${encodeURIComponent(key)}`;
  return {
    async get(key) {
      const response = await (await open()).match(address(key));
      return response && new Uint8Array(await response.arrayBuffer());
    },
    async set(key, bytes) {
      const cache = await open();
      if (bytes === undefined) await cache.delete(address(key));
      else await cache.put(address(key), new Response(bytes as Uint8Array<ArrayBuffer>));
    },
  };
}

const kinds = { indexeddb: indexedDbStorage, cache: cacheStorage, memory: memoryStorage };

/** True if a storage has this member. A member of a polluted Object.prototype does not count. */
export const hasMember = (storage: UrlStorage, name: 'modify' | 'watch'): boolean => {
  const inherited = Reflect.get(Object.prototype, name);
  return (storage[name] ?? inherited) !== inherited;
};

export const storageReader: Reader<UrlStorage> = (value, name) => {
  if (typeof value === 'string' && Object.hasOwn(kinds, value)) {
    return kinds[value as keyof typeof kinds]();
  }
  const storage: UrlStorage = Object(value);
  if (typeof storage.get === 'function' && typeof storage.set === 'function') {
    for (const member of ['modify', 'watch'] as const) {
      if (hasMember(storage, member)) callable()(storage[member], `${name}.${member}`);
    }
    return storage;
  }
  throw mustBe("'indexeddb', 'cache', 'memory' or an object with get and set", name, value);
};

/** Promises for the end of the last action on each storage. */
const turns = new WeakMap<UrlStorage, Promise<unknown>>();

/** Runs an action after all earlier actions on this storage have ended. Unlike Web Locks, it works in every engine. */
export function inTurn<T>(storage: UrlStorage, action: () => Promise<T>): Promise<T> {
  const running = (turns.get(storage) ?? Promise.resolve()).then(action);
  const ended = running.catch(() => {});
  turns.set(storage, ended);
  return running;
}

/** Reads the bytes named `key`. Rejects with the storage's errors, and ERR_TAMIS_CORRUPT if the value is not bytes. */
export async function readBytes(
  storage: Pick<UrlStorage, 'get'>,
  key: string,
): Promise<Uint8Array | undefined> {
  const bytes = await storage.get(key);
  if (bytes === undefined || bytes === null) return undefined;
  if (!isBytes(bytes)) throw new TamisError('ERR_TAMIS_CORRUPT', 'storage.get gave no Uint8Array');
  return pin(bytes, 'storage');
}
