// Writes a file whole or not at all, with any file system that has the functions of `node:fs/promises`.

/** The functions that write a file. */
export interface FileWriter {
  writeFile(path: string, bytes: Uint8Array, options: { flush: boolean }): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: boolean }): Promise<void>;
  /** Opens a folder, so that it can be flushed. Without this function, a power cut may undo a rename. */
  open?(folder: string): Promise<{ sync(): Promise<void>; close(): Promise<void> }>;
}

/**
 * Replaces a file in a folder, so that readers see the old content or the new, never a part. Writes the bytes to the
 * file `temporary`, flushes that file to the disk, and renames it to `path`. If anything fails, the old content stays
 * and the temporary file is removed.
 */
export async function replaceFile(
  fs: FileWriter,
  folder: string,
  path: string,
  temporary: string,
  bytes: Uint8Array,
): Promise<void> {
  try {
    await fs.writeFile(temporary, bytes, { flush: true });
    await fs.rename(temporary, path);
  } finally {
    // After the rename there is no temporary file, and this removes nothing.
    await fs.rm(temporary, { force: true }).catch(() => {});
  }
  // Windows and some network file systems cannot flush a folder. The rename is done anyway.
  const handle = await fs.open?.(folder).catch(() => {});
  await handle?.sync().catch(() => {});
  await handle?.close();
}
