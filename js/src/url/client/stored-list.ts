// One list in a storage: a blob, a pointer that names it, and when to ask for the next (cpp/FORMAT.md, section
// 7.6). The pointer names every blob that may be there, so that none is forgotten.

import type { TamisError } from '../../core/errors.js';
import { pin } from '../../core/key-types.js';
import { rejectOnAbort, withTimeout } from '../../core/requests.js';
import { jsonBytes, jsonIn, sha256Hex } from '../../core/signed/bytes.js';
import { isBytes } from '../../core/tags.js';
import type { Manifest } from '../signed/manifest-fields.js';
import type { UrlStorage } from '../signed/storage.js';

/** Checks a manifest's signature and fields; rejects for one that is not to be believed. */
type Opener = (manifest: object) => Promise<Manifest>;

/** What a pointer says, whoever wrote it. */
interface Pointer {
  readonly manifest: unknown;
  readonly etag: string | undefined;
  /** The blob of its list. */
  readonly blob: string | undefined;
  /** Those that are being written, or were when a process ended. */
  readonly next: readonly string[];
  /** Those that were replaced; there if the process ended before it dropped them. */
  readonly replaced: readonly string[];
}

/** What a storage has of a list. */
export interface Stored {
  readonly manifest: Manifest;
  readonly etag: string | undefined;
  /** The list's image, not yet looked into; undefined where there is none. */
  readonly image: Uint8Array | undefined;
}

/** What a list is stored as: its image, or its bytes, as older versions of this library do. Blobs' names end so. */
type Form = 'img' | 'bin';

/** How often a blob is looked for that another page replaced meanwhile. */
const attempts = 3;
/** In a storage that drops nothing the pointer must not grow for ever. */
const mostNames = 64;
const longestSweepMs = 60_000;

const isDigest = (name: unknown): name is string =>
  typeof name === 'string' && /^[0-9a-f]{64}$/.test(name);

const digestsIn = (names: unknown): string[] =>
  Array.isArray(names) ? names.slice(-mostNames).filter(isDigest) : [];

/**
 * Runs `action` while no other page or worker of the origin does, where the engine has Web Locks. Lets go of
 * the lock when the signal aborts, also where `action` hangs.
 */
export async function runAlone<T>(
  name: string,
  signal: AbortSignal,
  action: () => Promise<T>,
): Promise<T> {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  if (locks === undefined) return action();
  let isRunning = false;
  try {
    return await locks.request(name, { signal }, () => {
      isRunning = true;
      return Promise.race([action(), rejectOnAbort(signal)]);
    });
  } catch (error) {
    // In a sandbox there are locks, and none can be had.
    if (isRunning || signal.aborted) throw error;
    return action();
  }
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

  get #dueKey(): string {
    return `${this.#name}-due.json`;
  }

  #blobKey(sha256: string, form: Form): string {
    return `${this.#name}-${sha256}.${form}`;
  }

  /** What somebody else put there is as good as nothing. */
  async #read(key: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#storage.get(key);
    return isBytes(bytes) ? pin(bytes, 'storage') : undefined;
  }

  /** A JSON object; what is none is as good as an empty one. */
  async #readJson(key: string): Promise<Record<string, unknown>> {
    return jsonIn(await this.#read(key));
  }

  async #writeJson(key: string, value: object): Promise<void> {
    await this.#storage.set(key, jsonBytes(value));
  }

  async #pointer(): Promise<Pointer> {
    const { manifest, etag, next, replaced } = await this.#readJson(this.#pointerKey);
    const { sha256 } = Object(manifest);
    return {
      manifest,
      // What no header may hold would fail every request.
      etag: /^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag as string) ? (etag as string) : undefined,
      blob: isDigest(sha256) ? sha256 : undefined,
      next: digestsIn(next),
      replaced: digestsIn(replaced),
    };
  }

  /** The pointer's manifest; undefined where it is damaged, or signed by nobody we know. */
  async #manifest(pointer: Pointer): Promise<Manifest | undefined> {
    try {
      return await this.#open(Object(pointer.manifest));
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
      const manifest = await this.#manifest(pointer);
      if (manifest === undefined) return undefined;
      const image = await this.blob(manifest, 'img');
      found = { manifest, etag: pointer.etag, image };
      if (image === undefined) continue;
      // Nobody waits for it.
      if (pointer.replaced.length > 0) this.#sweep().catch(() => {});
      break;
    }
    return found;
  }

  /** The manifest's list in that form, or undefined. Rejects as the storage does. */
  blob({ sha256 }: Manifest, form: Form): Promise<Uint8Array | undefined> {
    return this.#read(this.#blobKey(sha256, form));
  }

  /** Drops what was replaced by a process that ended before it did. */
  async #sweep(): Promise<void> {
    await withTimeout(longestSweepMs, undefined, (signal) =>
      runAlone(this.#name, signal, async () => {
        const { blob, next, replaced } = await this.#pointer();
        const named = [blob, ...next];
        for (const name of replaced) if (!named.includes(name)) await this.#drop(name);
      }),
    );
  }

  /**
   * Stores a list's image, unless there is a newer list. Rejects as the storage does, which then has what it had, and
   * with the reason of `signal` when that aborts.
   */
  async save(
    manifest: Manifest,
    etag: string | undefined,
    image: Uint8Array,
    signal: AbortSignal,
  ): Promise<void> {
    const { sha256 } = manifest;
    const hasNewer = async (pointer: Pointer): Promise<boolean> => {
      const stored = await this.#manifest(pointer);
      return stored !== undefined && stored.list === manifest.list && stored.seq > manifest.seq;
    };
    await runAlone(this.#name, signal, async () => {
      const before = await this.#pointer();
      if (await hasNewer(before)) return;
      // Named before it is there.
      const { blob, next, ...rest } = before;
      if (blob !== sha256) {
        await this.#writeJson(this.#pointerKey, { ...rest, next: [...next, sha256] });
      }
      try {
        await this.#storage.set(this.#blobKey(sha256, 'img'), image);
        // Read after the blob is written, as late as can be: without locks another page may be as far.
        const stored = await this.#pointer();
        if (await hasNewer(stored)) {
          if (stored.blob !== sha256) await this.#drop(sha256);
          return;
        }
        const others = new Set([...next, ...stored.next, stored.blob]);
        for (const name of stored.replaced) {
          if (name !== sha256 && !(await this.#drop(name))) others.add(name);
        }
        const replaced = [...others].filter((name) => name !== undefined && name !== sha256);
        await this.#writeJson(this.#pointerKey, { manifest, etag, replaced });
        if (stored.blob === sha256) await this.#drop(sha256, ['bin']);
        else if (stored.blob !== undefined) await this.#drop(stored.blob);
      } catch (error) {
        await this.#dropUnnamed(sha256);
        throw error;
      }
    });
  }

  /** Gives the room of a list back; whether that went well. One that stays does no other harm. */
  async #drop(sha256: string, forms: readonly Form[] = ['img', 'bin']): Promise<boolean> {
    try {
      for (const form of forms) await this.#storage.set(this.#blobKey(sha256, form), undefined);
      return true;
    } catch {
      return false;
    }
  }

  /** After a failure: removes the new blob, if the pointer is known to lead to another. */
  async #dropUnnamed(sha256: string): Promise<void> {
    try {
      if ((await this.#pointer()).blob !== sha256) await this.#drop(sha256);
    } catch {
      // Not known: the blob stays.
    }
  }

  /** What saveDue stored, or what somebody else put there. Rejects as the storage does. */
  async due(): Promise<Record<string, unknown>> {
    return this.#readJson(this.#dueKey);
  }

  /** Stores when the next update is due. Rejects as the storage does. */
  async saveDue(due: object): Promise<void> {
    await this.#writeJson(this.#dueKey, due);
  }
}
