// Storage in a folder, for Node, Deno and Bun. It takes the file system as an argument: so no bundle for browsers
// needs to know of it.

import type { UrlStorage } from './storage.js';

/** What is needed of `node:fs/promises`. */
export interface FileSystem {
  readFile(path: string): Promise<Uint8Array>;
  writeFile(path: string, bytes: Uint8Array, options: { flush: boolean }): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: boolean }): Promise<void>;
  mkdir(path: string, options: { recursive: boolean }): Promise<unknown>;
  /** Names in a folder; without it, what a process left that ended while it wrote stays there. */
  readdir?(path: string): Promise<string[]>;
}

/** Nobody writes a file for as long. */
const abandonedMs = 3_600_000;

/**
 * Storage in a folder, which is made where there is none. A file is whole or not there: it is written under another
 * name, flushed to the disk and renamed. Several processes may share a folder. Where three write at the same
 * moment, the list may be missing at the next start, and is then fetched. What a process left that ended while it
 * wrote is removed an hour later, by the next that writes.
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
      // What stays takes room, and does no other harm.
      await removeAbandoned().catch(() => {});
      const temporary = `${path(key)}.${Date.now()}.${crypto.randomUUID()}.tmp`;
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
