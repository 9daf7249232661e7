// Storage in a folder, for Node, Deno and Bun. It imports nothing of Node, so that bundles for browsers can have it.

import { TamisError } from '../../core/errors.js';
import { text } from '../../core/options.js';
import { replaceFile } from '../../core/replace-file.js';
import type { UrlStorage } from './storage.js';

interface FileSystem {
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

/** The engine's own `node:fs/promises`. Throws ERR_TAMIS_UNSUPPORTED if it has none. */
function nodeFiles(): FileSystem {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs/promises');
  if (fs !== undefined) return fs;
  const message = "fileStorage needs the files of Node, Deno or Bun; in a browser use 'indexeddb'";
  throw new TamisError('ERR_TAMIS_UNSUPPORTED', message);
}

/**
 * Storage in a folder, which is created if missing, for Node, Deno and Bun.
 *
 * A file is complete or absent: it is written under another name, flushed to the disk and renamed. Then the folder is
 * flushed too. Several processes may share a folder. If three write at once, the list may be
 * missing at the next start, which then fetches it. Files of a crashed process are deleted by the next write, after
 * one hour. Throws ERR_TAMIS_UNSUPPORTED without `node:fs/promises`.
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
