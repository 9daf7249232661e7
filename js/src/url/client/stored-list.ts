// One list in a storage: a blob (the list's image), a pointer file with the blob's name, and the time of the next
// update (cpp/FORMAT.md, section 7.6). The pointer file names every blob that may exist, so that none is left behind.

import { isBytes, pin } from '../../core/key-types.js';
import { copyOwn } from '../../core/options.js';
import { rejectOnAbort, unavailableError, withTimeout } from '../../core/requests.js';
import { hexOf, jsonBytes, jsonIn, sha256Hex } from '../../core/signed/bytes.js';
import type { Manifest } from '../signed/manifest.js';
import { hasMember, type UrlStorage } from '../signed/storage.js';

/** Checks a manifest's signature and fields. Rejects unless both are valid. */
type Opener = (manifest: object) => Promise<Manifest>;

/** The content of a pointer file. It is not trusted. */
interface Pointer {
  readonly manifest: unknown;
  readonly etag: string | undefined;
  /** The manifest's `sha256`, which is the name of its list's blob. */
  readonly current: string | undefined;
  /** Blobs that are being written, or that a crashed process was writing. */
  readonly next: readonly string[];
  /** Blobs that were replaced. They still exist if the process crashed before deleting them. */
  readonly replaced: readonly string[];
}

export interface StoredVersion {
  readonly manifest: Manifest;
  readonly etag: string | undefined;
  /** The list's image, not checked yet; undefined if there is none. */
  readonly image: Uint8Array | undefined;
}

/** The number of attempts to find or store bytes, because another page may replace them in the meantime. */
const attempts = 3;
/** Limits the size of the pointer file in case the storage never deletes. */
const mostNames = 64;
const longestSweepMs = 60_000;

const isDigest = (name: unknown): name is string =>
  typeof name === 'string' && /^[0-9a-f]{64}$/.test(name);

/** True for 1 to 30 prefixes of 4 bytes in hexadecimal, as many as one request may send. */
const isGroup = (text: unknown): text is string =>
  typeof text === 'string' && /^(?:[0-9a-f]{8}){1,30}$/.test(text);

const digestsIn = (names: unknown): string[] =>
  Array.isArray(names) ? names.slice(-mostNames).filter(isDigest) : [];

/** Runs `action` under a Web Lock, if the engine has them. An abort releases the lock, even if `action` hangs. */
async function runLocked<T>(
  name: string,
  signal: AbortSignal,
  action: () => Promise<T>,
): Promise<T> {
  const { locks }: Partial<Navigator> = globalThis.navigator ?? {};
  if (locks === undefined) return action();
  let isRunning = false;
  try {
    return await locks.request(name, { signal }, () => {
      isRunning = true;
      return Promise.race([action(), rejectOnAbort(signal)]);
    });
  } catch (error) {
    // In a sandbox, locks exist but every request fails.
    if (isRunning || signal.aborted) throw error;
    return action();
  }
}

/**
 * Replaces the bytes named `key` by the result of `change`. Web Locks keep other pages out, and the storage's `modify`
 * other processes, if they exist. Rejects with the errors of `change`, storage and `signal`, once no write is running.
 */
export async function replaceBytes(
  storage: UrlStorage,
  key: string,
  change: (bytes: unknown) => Promise<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  if (hasMember(storage, 'modify')) {
    await storage.modify?.(key, change, signal);
    return;
  }
  let writing: unknown;
  const replacing = runLocked(key, signal, async () => {
    for (let i = 0; i < attempts; i++) {
      const bytes = await change(await storage.get(key));
      signal.throwIfAborted();
      writing = storage.set(key, bytes);
      await writing;
      // The storage has confirmed the write, so a failed read does not mean that the write failed.
      const stored = await (async () => storage.get(key))().catch(() => bytes);
      signal.throwIfAborted();
      if (isBytes(stored) && hexOf(pin(stored, 'storage')) === hexOf(bytes)) return;
      // Another process has overwritten them: start again with its bytes.
    }
    throw unavailableError('the storage does not keep stored bytes');
  });
  await Promise.race([replacing, rejectOnAbort(signal)]).finally(() => writing);
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

  /** Returns the place in `storage` of the list whose manifest has this URL. */
  static async at(storage: UrlStorage, manifestUrl: string, open: Opener): Promise<StoredList> {
    // The name is a digest, because it must be valid as a file name.
    const digest = await sha256Hex(new TextEncoder().encode(manifestUrl));
    return new StoredList(storage, `tamis-${digest.slice(0, 16)}`, open);
  }

  /** Reads the file of this list with that suffix. Anything but bytes counts as missing. */
  async #read(suffix: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#storage.get(this.#name + suffix);
    return isBytes(bytes) ? pin(bytes, 'storage') : undefined;
  }

  /** Stores the file of this list with that suffix; undefined deletes it. */
  async #write(suffix: string, bytes: Uint8Array | undefined): Promise<void> {
    await this.#storage.set(this.#name + suffix, bytes);
  }

  #writePointer(pointer: Partial<Pointer>): Promise<void> {
    return this.#write('.json', jsonBytes(pointer));
  }

  async #readPointer(): Promise<Pointer> {
    const { manifest, etag, next, replaced } = jsonIn(await this.#read('.json'));
    const { sha256 } = copyOwn(Object(manifest));
    // An ETag that no header may contain would make every request fail.
    const isEtag = typeof etag === 'string' && /^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag);
    return {
      manifest,
      etag: isEtag ? etag : undefined,
      current: isDigest(sha256) ? sha256 : undefined,
      next: digestsIn(next),
      replaced: digestsIn(replaced),
    };
  }

  /** Returns the pointer's manifest; undefined if it is damaged, or signed with an unknown key. */
  async #openManifest(pointer: Pointer): Promise<Manifest | undefined> {
    try {
      return await this.#open(Object(pointer.manifest));
    } catch (error) {
      // Without Ed25519 the engine cannot verify the manifest, which may be valid.
      if (Object(error).code === 'ERR_TAMIS_UNSUPPORTED') throw error;
      return undefined;
    }
  }

  /** Loads the stored list; undefined if there is none. Rejects with the storage's errors. */
  async load(): Promise<StoredVersion | undefined> {
    let latest: StoredVersion | undefined;
    for (let i = 0; i < attempts && latest?.image === undefined; i++) {
      const pointer = await this.#readPointer();
      const manifest = await this.#openManifest(pointer);
      if (manifest === undefined) return undefined;
      const image = await this.#read(`-${manifest.sha256}.img`);
      latest = { manifest, etag: pointer.etag, image };
      // The sweep is not awaited, because replaced blobs only take space.
      if (image && pointer.replaced.length > 0) this.#sweep().catch(() => {});
    }
    return latest;
  }

  /** Deletes replaced blobs that a crashed process left. */
  async #sweep(): Promise<void> {
    await withTimeout(longestSweepMs, undefined, (signal) =>
      runLocked(this.#name, signal, async () => {
        const { current, next, replaced } = await this.#readPointer();
        const inUse = [current, ...next];
        for (const name of replaced) if (!inUse.includes(name)) await this.#drop(name);
      }),
    );
  }

  /** True if the pointer's manifest is for the same list, and has a higher `seq`. */
  async #isNewer(pointer: Pointer, { list, seq }: Manifest): Promise<boolean> {
    const stored = await this.#openManifest(pointer);
    return stored !== undefined && stored.list === list && stored.seq > seq;
  }

  /** Stores a list's image, unless the stored list is newer. After a failure or an abort, the old list stays. */
  async save(
    manifest: Manifest,
    etag: string | undefined,
    image: Uint8Array,
    signal: AbortSignal,
  ): Promise<void> {
    const { sha256 } = manifest;
    await runLocked(this.#name, signal, async () => {
      const before = await this.#readPointer();
      if (await this.#isNewer(before, manifest)) return;
      // The blob's name goes into `next` before the blob exists, so that a crash leaves no blob without a name.
      // `current` is not written to the file, because it comes from the manifest.
      const { current, next, ...rest } = before;
      if (current !== sha256) await this.#writePointer({ ...rest, next: [...next, sha256] });
      try {
        await this.#write(`-${sha256}.img`, image);
        await this.#pointTo(manifest, etag, next);
      } catch (error) {
        // The new blob stays if it is the current blob, or if the pointer is unreadable.
        const latest = await this.#readPointer().catch(() => undefined);
        if (latest && latest.current !== sha256) await this.#drop(sha256);
        throw error;
      }
    });
  }

  /** Makes the pointer name the new blob, and deletes older blobs. `crashed` are blobs that crashed processes left. */
  async #pointTo(
    manifest: Manifest,
    etag: string | undefined,
    crashed: readonly string[],
  ): Promise<void> {
    const { sha256 } = manifest;
    // Read again as late as possible: without locks, another page may be writing too.
    const latest = await this.#readPointer();
    // If the content is unchanged, its blob is in use already.
    const isCurrent = latest.current === sha256;
    if (await this.#isNewer(latest, manifest)) {
      if (!isCurrent) await this.#drop(sha256);
      return;
    }
    // All other blobs that may exist. If the list returns to earlier content, `replaced` names the new blob too.
    const leftovers = new Set([...crashed, ...latest.next]);
    if (latest.current !== undefined) leftovers.add(latest.current);
    for (const name of latest.replaced) {
      if (name !== sha256 && !(await this.#drop(name))) leftovers.add(name);
    }
    leftovers.delete(sha256);
    await this.#writePointer({ manifest, etag, replaced: [...leftovers] });
    if (!isCurrent && latest.current !== undefined) await this.#drop(latest.current);
  }

  /** Deletes a list's blob. Resolves to false if that fails. A blob that stays only takes space. */
  async #drop(sha256: string): Promise<boolean> {
    try {
      await this.#write(`-${sha256}.img`, undefined);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Passes the stored groups (a prefix and its decoys) to `change`, and stores the groups that it returns. A damaged
   * file counts as empty. Rejects with the storage's errors, and the reason of `signal`.
   */
  async changeGroups(
    change: (groups: readonly (readonly string[])[]) => readonly (readonly string[])[],
    signal: AbortSignal,
  ): Promise<void> {
    const name = `${this.#name}-decoys.json`;
    const next = async (bytes: unknown) => {
      const { groups } = jsonIn(isBytes(bytes) ? pin(bytes, 'storage') : undefined);
      const texts = Array.isArray(groups) ? groups.filter(isGroup) : [];
      signal.throwIfAborted();
      const all = change(texts.map((text) => text.match(/.{8}/g) as string[]));
      return jsonBytes({ groups: all.map((one) => one.join('')) });
    };
    await replaceBytes(this.#storage, name, next, signal);
  }

  /** Reads the record that saveDue stored. It is not trusted. Rejects with the storage's errors. */
  async due(): Promise<Record<string, unknown>> {
    return jsonIn(await this.#read('-due.json'));
  }

  /** Stores the record of the next update. Rejects with the storage's errors. */
  saveDue(due: object): Promise<void> {
    return this.#write('-due.json', jsonBytes(due));
  }
}
