// Storage in a folder, for Node, Deno and Bun. The file system is an argument, so that bundles for browsers lack it.

import { replaceFile } from '../../core/replace-file.js';
import type { UrlStorage } from './storage.js';

/** The functions of `node:fs/promises` that fileStorage needs. */
export interface FileSystem {
  readFile(path: string): Promise<Uint8Array>;
  writeFile(path: string, bytes: Uint8Array, options: { flush: boolean }): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: boolean }): Promise<void>;
  mkdir(path: string, options: { recursive: boolean }): Promise<unknown>;
  /** The names in a folder. Without it, files of crashed processes are never deleted. */
  readdir?(path: string): Promise<string[]>;
}

/** Longer than any write takes. */
const abandonedMs = 3_600_000;

/**
 * Storage in a folder, which is created if missing.
 *
 * A file is complete or absent: it is written under another name, flushed to the disk and renamed. Then the folder is
 * flushed too, if `fs` has `open`. Several processes may share a folder. If three write at once, the list may be
 * missing at the next start, which then fetches it. Files of a crashed process are deleted by the next write, after
 * one hour.
 *
 * @example
 * import * as fs from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { fileStorage } from 'tamis/url';
 * const storage = fileStorage(fs, `${tmpdir()}/lists`); // for `UrlChecker.open`
 */
export function fileStorage(fs: FileSystem, folder: string): UrlStorage {
  const path = (key: string) => `${folder}/${encodeURIComponent(key)}`;

  async function removeAbandoned(): Promise<void> {
    for (const name of (await fs.readdir?.(folder)) ?? []) {
      const [, startedMs] = /\.(\d+)\.[0-9a-f-]{36}\.tmp$/.exec(name) ?? [];
      if (startedMs === undefined || Date.now() - Number(startedMs) < abandonedMs) continue;
      await fs.rm(`${folder}/${name}`, { force: true });
    }
  }

  return {
    get: async (key) =>
      fs.readFile(path(key)).catch((error) => {
        if (error?.code !== 'ENOENT') throw error;
        return undefined;
      }),
    async set(key, bytes) {
      if (bytes === undefined) {
        await fs.rm(path(key), { force: true });
        return;
      }
      await fs.mkdir(folder, { recursive: true });
      // A leftover only takes space.
      await removeAbandoned().catch(() => {});
      const temporary = `${path(key)}.${Date.now()}.${crypto.randomUUID()}.tmp`;
      await replaceFile(fs, folder, path(key), temporary, bytes);
    },
  };
}
