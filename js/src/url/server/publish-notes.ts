// What a publisher notes for itself, in files.json: when each file was last of use, and the history of its list. So it
// knows which files go (cpp/FORMAT.md, section 7.1), and from which versions there are jumps.

import { jsonBytes, jsonIn } from '../../core/signed/bytes.js';
import { jumpDigits, type Manifest } from '../signed/manifest-fields.js';
import { readBytes, type UrlStorage } from '../signed/storage.js';
import { type History, namesIn, readHistory } from './list-history.js';
import { filesOf, ownJump, ownName } from './published-files.js';

const notesName = 'files.json';
const hour = 3600 * 1000;
/** How long a file stays that the manifest names no more. */
const graceMs = 24 * hour;
/** A client asks for a jump right after the manifest, and does well without it. */
const jumpGraceMs = hour;

/** What files.json says. */
interface Notes {
  /** When each file was last of use to a manifest, in milliseconds since 1970. */
  readonly uses: ReadonlyMap<string, number>;
  readonly history: History;
}

/** The notes; none where they are damaged. They are not signed: at worst they cost room, and jumps are fewer. */
export async function readNotes(storage: UrlStorage): Promise<Notes> {
  const { history, ...noted } = jsonIn(await readBytes(storage, notesName));
  const uses = new Map<string, number>();
  // Files that nobody knows of any more stay.
  for (const [name, lastMs] of Object.entries(noted)) {
    if ((ownName.test(name) || ownJump.test(name)) && typeof lastMs === 'number') {
      uses.set(name, lastMs);
    }
  }
  return { uses, history: readHistory(history) };
}

/** What a new version needs of the files. */
interface Needed {
  /** The manifests that stand, and the one to come. */
  readonly manifests: readonly (Manifest | undefined)[];
  /** Other names of files that are of use now, also of those not yet written. */
  readonly names: readonly string[];
  readonly history: History;
}

/** Notes what is of use now, removes what long was not, and stores the history. */
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
    // Not from the future, where a clock went wrong.
    uses.set(name, end && ends.includes(end) ? nowMs : Math.min(lastMs, nowMs));
    const unusedMs = nowMs - (uses.get(name) as number);
    if (kept.has(name) || unusedMs < (end ? jumpGraceMs : graceMs)) continue;
    try {
      await storage.set(name, undefined);
      uses.delete(name);
    } catch {
      // Nothing depends on it, and the next version tries again.
    }
  }
  await storage.set(notesName, jsonBytes({ ...Object.fromEntries(uses), history }));
}
