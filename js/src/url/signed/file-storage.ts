// Storage in a folder, for Node, Deno and Bun. It imports no Node module, so that bundles for browsers can include it.

import { TamisError } from '../../core/errors.js';
import { text } from '../../core/options.js';
import { replaceFile } from '../../core/replace-file.js';
import type { UrlStorage } from './storage.js';

interface FileSystem {
  readFile(path: string): Promise<Uint8Array>;
  writeFile(
    path: string,
    bytes: Uint8Array,
    options: { flush: boolean; flag?: string },
  ): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: boolean; recursive?: boolean }): Promise<void>;
  rmdir(path: string): Promise<void>;
  mkdir(path: string, options: { recursive: boolean }): Promise<unknown>;
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<{ ino: number; mtimeMs: number; size: number }>;
}

/** Temporary files of this age are deleted. No write takes this long. */
const abandonedMs = 3_600_000;
/** How long a process may keep a lock: longer than most changes take. A slower process loses the lock, and retries. */
const firstPatienceMs = 2000;
const lockPollMs = 10;
const watchEveryMs = 1000;
/** True for the errors of a rename whose target is a folder that contains a file: in POSIX, and in Windows. */
const isTaken = (error: unknown): boolean =>
  /^(ENOTEMPTY|EEXIST|EPERM|EACCES|EBUSY)$/.test(Object(error).code);

/** Returns the engine's own `node:fs/promises`. Throws ERR_TAMIS_UNSUPPORTED if the engine has none. */
function nodeFiles(): FileSystem {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs/promises');
  if (fs !== undefined) return fs;
  const message = "fileStorage needs Node, Deno or Bun; in a browser use 'indexeddb'";
  throw new TamisError('ERR_TAMIS_UNSUPPORTED', message);
}

/**
 * Storage in a folder, which is created if missing, for Node, Deno and Bun.
 *
 * A file is complete or absent: it is written under another name, flushed to the disk and renamed; then the folder is
 * flushed. Several processes may share a folder. No stored override is lost, and each process reads a changed override
 * within about a second. A process that is killed while it stores an override delays the next one by two seconds. If
 * three processes store a list at once, the list may be missing at the next start, which then fetches it. Files of a
 * crashed process are deleted by the next write after one hour. Throws ERR_TAMIS_UNSUPPORTED without
 * `node:fs/promises`.
 *
 * @example
 * import { tmpdir } from 'node:os';
 * import { fileStorage } from 'tamis/url';
 * const storage = fileStorage(`${tmpdir()}/lists`); // for `UrlChecker.open`
 */
export function fileStorage(folder: string): UrlStorage;
/** @internal For the command line, which watches its lock, and for tests of faults. */
export function fileStorage(folder: string, fs: FileSystem): UrlStorage;
export function fileStorage(folder: string, fs: FileSystem = nodeFiles()): UrlStorage {
  text(folder, 'fileStorage: folder');
  const path = (key: string) => `${folder}/${encodeURIComponent(key)}`;

  async function removeAbandoned(): Promise<void> {
    for (const name of await fs.readdir(folder)) {
      const [, startedMs] = /\.(\d+)\.[0-9a-f-]{36}\.tmp$/.exec(name) ?? [];
      if (startedMs === undefined || Date.now() - Number(startedMs) < abandonedMs) continue;
      await fs.rm(`${folder}/${name}`, { force: true, recursive: true });
    }
  }

  /** Creates the folder, and removes files that crashed processes left. */
  async function prepare(): Promise<void> {
    await fs.mkdir(folder, { recursive: true });
    // A leftover file only takes space.
    await removeAbandoned().catch(() => {});
  }

  /** Returns a new name for a temporary file beside `file`. `removeAbandoned` recognizes it. */
  const temporaryOf = (file: string) => `${file}.${Date.now()}.${crypto.randomUUID()}.tmp`;

  const get = async (key: string): Promise<Uint8Array | undefined> =>
    fs.readFile(path(key)).catch((error) => {
      if (error?.code !== 'ENOENT') throw error;
      return undefined;
    });

  /** Renames the folder `own` to `lock` once `lock` is free. Removes a lock that one owner keeps for `patienceMs`. */
  async function takeLock(
    own: string,
    lock: string,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    let owner = '';
    let sinceMs = performance.now();
    for (;;) {
      signal.throwIfAborted();
      try {
        return await fs.rename(own, lock);
      } catch (error) {
        if (!isTaken(error)) throw error;
      }
      const ownerNow = String(await fs.readdir(lock).catch(() => ''));
      const nowMs = performance.now();
      if (ownerNow !== owner) sinceMs = nowMs;
      owner = ownerNow;
      if (nowMs - sinceMs > patienceMs) {
        const aside = temporaryOf(lock);
        // If the rename fails, the lock is free already, or Windows keeps it while its owner writes.
        await fs.rename(lock, aside).catch(() => {});
        await fs.rm(aside, { force: true, recursive: true });
      }
      await new Promise((resolve) => setTimeout(resolve, lockPollMs));
    }
  }

  return {
    get,
    async modify(key, change, signal) {
      const file = path(key);
      const lock = `${file}.lock`;
      // New content is written into the lock. A process that loses the lock loses this file too, and cannot rename it.
      const inLock = {
        ...fs,
        writeFile: (to: string, bytes: Uint8Array) =>
          fs.writeFile(to, bytes, { flush: true, flag: 'r+' }),
        rename(from: string, to: string) {
          signal.throwIfAborted();
          return fs.rename(from, to);
        },
      };
      for (let patienceMs = firstPatienceMs; ; patienceMs *= 2) {
        await prepare();
        const own = temporaryOf(lock);
        const name = crypto.randomUUID();
        const content = `${lock}/${name}`;
        try {
          await fs.mkdir(own, { recursive: true });
          await fs.writeFile(`${own}/${name}`, new Uint8Array(), { flush: false });
          await takeLock(own, lock, patienceMs, signal);
          const bytes = await change(await get(key));
          try {
            await replaceFile(inLock, folder, file, content, bytes);
            return;
          } catch (error) {
            if (Object(error).code !== 'ENOENT') throw error;
          }
        } finally {
          await fs.rm(own, { force: true, recursive: true });
          await fs.rm(content, { force: true });
          // This fails if another process owns the lock, because then the folder contains that process's file.
          await fs.rmdir(lock).catch(() => {});
        }
      }
    },
    watch(key, listener) {
      let last = '';
      const look = async () => {
        const { ino, mtimeMs, size } = Object(await fs.stat(path(key)).catch(() => {}));
        const state = [ino, mtimeMs, size].join();
        if (state !== last) listener();
        last = state;
      };
      const timer = setInterval(look, watchEveryMs);
      // In Node, the timer must not keep the process alive.
      (timer as { unref?: () => void }).unref?.();
      return () => clearInterval(timer);
    },
    async set(key, bytes) {
      if (bytes === undefined) {
        await fs.rm(path(key), { force: true });
        return;
      }
      await prepare();
      await replaceFile(fs, folder, path(key), temporaryOf(path(key)), bytes);
    },
  };
}
