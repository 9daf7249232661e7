// One list in a storage: a blob, named by its content, and a pointer that names it. The blob is written
// first, so a process that ends between any two steps leaves the old list or the new one, never a half.

import { TamisError } from '../core/errors.js';
import { fixed, isBytes } from '../core/key-types.js';
import { sha256Hex } from './bytes.js';
import type { Manifest } from './manifest-fields.js';
import type { UrlStorage } from './storage.js';

/** Checks a manifest's signature and fields; rejects for one that is not to be believed. */
type Opener = (manifest: object) => Promise<Manifest>;

interface Pointer {
  readonly manifest: Manifest;
  readonly etag: string | undefined;
}

/** What a storage has of a list. */
export interface Stored extends Pointer {
  /** The list's bytes, not yet looked into; undefined where they are gone. */
  readonly bytes: Uint8Array | undefined;
}

/** How often a blob is looked for that another page has just replaced. */
const attempts = 3;

/** Runs `action` while no other page or worker of the origin does, where the engine has Web Locks. */
async function alone<T>(name: string, action: () => Promise<T>): Promise<T> {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  return locks === undefined ? action() : locks.request(name, action);
}

/** What the storage has of that name. CORRUPT for what is no Uint8Array; rejects as the storage does. */
export async function readBytes(storage: UrlStorage, key: string): Promise<Uint8Array | undefined> {
  const bytes = await storage.get(key);
  if (bytes === undefined || bytes === null) return undefined;
  if (!isBytes(bytes)) throw new TamisError('ERR_TAMIS_CORRUPT', 'the storage gave no Uint8Array');
  return fixed(bytes, 'storage');
}

export class StoredList {
  readonly #storage: UrlStorage;
  readonly #name: string;
  readonly #open: Opener;

  private constructor(storage: UrlStorage, name: string, open: Opener) {
    this.#storage = storage;
    this.#name = name;
    this.#open = open;
  }

  /** The place in `storage` of the list whose manifest is at that URL. */
  static async at(storage: UrlStorage, manifestUrl: string, open: Opener): Promise<StoredList> {
    // A digest: names of any length and character make file names.
    const digest = await sha256Hex(new TextEncoder().encode(manifestUrl));
    return new StoredList(storage, `tamis-${digest.slice(0, 16)}`, open);
  }

  get #pointerKey(): string {
    return `${this.#name}.json`;
  }

  #blobKey(sha256: string): string {
    return `${this.#name}-${sha256}.bin`;
  }

  /** What somebody else put there is as good as nothing. */
  async #read(key: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#storage.get(key);
    return isBytes(bytes) ? fixed(bytes, 'storage') : undefined;
  }

  /** A pointer that is damaged, or signed by nobody we know, is as good as none. */
  async #pointer(): Promise<Pointer | undefined> {
    const bytes = await this.#read(this.#pointerKey);
    if (bytes === undefined) return undefined;
    try {
      const { manifest, etag } = JSON.parse(new TextDecoder().decode(bytes));
      return {
        manifest: await this.#open(manifest),
        // What no header may hold would fail every request.
        etag: /^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag) ? etag : undefined,
      };
    } catch (error) {
      // The engine's fault, not the pointer's.
      if ((error as TamisError).code === 'ERR_TAMIS_UNSUPPORTED') throw error;
      return undefined;
    }
  }

  /** What is stored, or undefined. Rejects as the storage does. */
  async load(): Promise<Stored | undefined> {
    let found: Stored | undefined;
    for (let i = 0; i < attempts; i++) {
      const pointer = await this.#pointer();
      if (pointer === undefined) return undefined;
      const bytes = await this.#read(this.#blobKey(pointer.manifest.sha256));
      found = { ...pointer, bytes };
      if (bytes !== undefined) return found;
    }
    return found;
  }

  /**
   * Stores a list, unless there is a newer one. Rejects as the storage does, which then has what it had.
   */
  async save(manifest: Manifest, etag: string | undefined, bytes: Uint8Array): Promise<void> {
    const blobKey = this.#blobKey(manifest.sha256);
    await alone(this.#name, async () => {
      try {
        await this.#storage.set(blobKey, bytes);
        // Read after the blob is written, as late as can be: without locks another page may be as far.
        const stored = (await this.#pointer())?.manifest;
        if (stored !== undefined && stored.list === manifest.list && stored.seq > manifest.seq) {
          if (stored.sha256 !== manifest.sha256) await this.#drop(blobKey);
          return;
        }
        const text = JSON.stringify({ manifest, etag });
        await this.#storage.set(this.#pointerKey, new TextEncoder().encode(text));
        if (stored !== undefined && stored.sha256 !== manifest.sha256) {
          await this.#drop(this.#blobKey(stored.sha256));
        }
      } catch (error) {
        await this.#dropUnnamed(manifest.sha256);
        throw error;
      }
    });
  }

  /** Gives the room of a blob back; one that stays takes room and does no other harm. */
  async #drop(key: string): Promise<void> {
    try {
      await this.#storage.set(key, undefined);
    } catch {
      // Nothing depends on it.
    }
  }

  /** After a failure: removes the new blob, if the pointer is known to name another. */
  async #dropUnnamed(sha256: string): Promise<void> {
    try {
      const stored = await this.#pointer();
      if (stored?.manifest.sha256 !== sha256) await this.#drop(this.#blobKey(sha256));
    } catch {
      // Not known: the blob stays.
    }
  }
}
