// Storage in a folder, for Node, Deno and Bun: takes the file system as an argument, so that no bundle
// for browsers has to know of it.

import type { UrlStorage } from './storage.js';

/** What is needed of `node:fs/promises`. */
export interface FileSystem {
  readFile(path: string): Promise<Uint8Array>;
  writeFile(path: string, bytes: Uint8Array, options: { flush: boolean }): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: boolean }): Promise<void>;
  mkdir(path: string, options: { recursive: boolean }): Promise<unknown>;
}

/**
 * Storage in a folder, which is made where there is none. A file is whole or not there: it is written
 * under another name, flushed to the disk and renamed. Several processes may share a folder; where three
 * write at the same moment, the list may be missing at the next start, and is then fetched.
 *
 * @example
 * import * as fs from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { fileStorage } from 'tamis/url';
 * const storage = fileStorage(fs, `${tmpdir()}/lists`); // for `UrlChecker.open`
 */
export function fileStorage(fs: FileSystem, folder: string): UrlStorage {
  const path = (key: string) => `${folder}/${encodeURIComponent(key)}`;
  return {
    async get(key) {
      try {
        return await fs.readFile(path(key));
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async set(key, bytes) {
      if (bytes === undefined) {
        await fs.rm(path(key), { force: true });
        return;
      }
      await fs.mkdir(folder, { recursive: true });
      const temporary = `${path(key)}.${crypto.randomUUID()}.tmp`;
      try {
        await fs.writeFile(temporary, bytes, { flush: true });
        await fs.rename(temporary, path(key));
      } catch (error) {
        await fs.rm(temporary, { force: true }).catch(() => {});
        throw error;
      }
    },
  };
}
