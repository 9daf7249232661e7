// The publisher's own file files.json: the time of each file's last use, and the list's history. They decide which
// files are deleted (cpp/FORMAT.md, section 7.1), and from which versions there are jumps.

import { jsonBytes, jsonIn } from '../../core/signed/bytes.js';
import { jumpDigits, type Manifest } from '../signed/manifest-fields.js';
import { readBytes, type UrlStorage } from '../signed/storage.js';
import { type History, namesIn, readHistory } from './list-history.js';
import { filesOf, ownJump, ownName } from './published-files.js';

const notesName = 'files.json';
const hour = 3600 * 1000;
/** The time for which a file stays after the last manifest that names it. */
const graceMs = 24 * hour;
/** Clients fetch a jump right after the manifest, and can do without it. */
const jumpGraceMs = hour;

/** The content of files.json. */
interface Notes {
  /** The last time at which a manifest used each file, in milliseconds since 1970. */
  readonly uses: ReadonlyMap<string, number>;
  readonly history: History;
}

/** Reads the notes; empty if they are damaged. They are not signed: wrong notes only cost space, or jumps. */
export async function readNotes(storage: UrlStorage): Promise<Notes> {
  const { history, ...noted } = jsonIn(await readBytes(storage, notesName));
  const uses = new Map<string, number>();
  // Files without a note are never deleted.
  for (const [name, lastMs] of Object.entries(noted)) {
    if ((ownName.test(name) || ownJump.test(name)) && typeof lastMs === 'number') {
      uses.set(name, lastMs);
    }
  }
  return { uses, history: readHistory(history) };
}

/** The files that a new version needs. */
interface Needed {
  /** The current manifests and the new one. */
  readonly manifests: readonly (Manifest | undefined)[];
  /** Names of further files in use, including those not written yet. */
  readonly names: readonly string[];
  readonly history: History;
}

/** Updates the notes, deletes files that were unused for long, and stores the history. */
export async function tidy(
  storage: UrlStorage,
  notes: Notes,
  { manifests, names, history }: Needed,
  nowMs: number,
): Promise<void> {
  const uses = new Map(notes.uses);
  for (const { url } of manifests.flatMap(filesOf)) uses.set(url, nowMs);
  for (const name of names) uses.set(name, nowMs);
  const ends = manifests.map((manifest) => manifest?.sha256.slice(0, jumpDigits));
  const kept = new Set(namesIn(history));
  for (const [name, lastMs] of uses) {
    const [, end] = ownJump.exec(name) ?? [];
    // A time in the future comes from a wrong clock.
    const usedMs = end && ends.includes(end) ? nowMs : Math.min(lastMs, nowMs);
    uses.set(name, usedMs);
    if (kept.has(name) || nowMs - usedMs < (end ? jumpGraceMs : graceMs)) continue;
    try {
      await storage.set(name, undefined);
      uses.delete(name);
    } catch {
      // A leftover does no harm, and the next version tries again.
    }
  }
  await storage.set(notesName, jsonBytes({ ...Object.fromEntries(uses), history }));
}
