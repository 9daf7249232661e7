// Temporary folders, which are removed when this process ends.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = [];
process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A new folder, which is removed when the process ends. */
export function makeFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `tamis-${name}-`));
  made.push(folder);
  return folder;
}

/** Writes files into a folder; `files` has their contents by name. */
export function writeFiles(folder, files) {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}
