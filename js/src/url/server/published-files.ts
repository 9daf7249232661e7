// The files that publishList writes beside a manifest, under its own names. The publisher's own files.json notes the
// time of each file's last use, and the earlier versions, and so decides which files are deleted (cpp/FORMAT.md,
// section 7.1), and which versions get jumps. That file is not trusted: jumps are computed from verified lists.

import { copyOwn } from '../../core/options.js';
import { hexOf, jsonBytes, jsonIn, sha256Hex } from '../../core/signed/bytes.js';
import { hexadecimal, readRecord } from '../../core/signed/fields.js';
import { UrlDelta, withDelta } from '../list/url-delta.js';
import { UrlList } from '../list/url-list.js';
import { jumpDigits, jumpUrl, type Manifest, type ManifestFile } from '../signed/manifest.js';
import { readBytes, type UrlStorage } from '../signed/storage.js';

/** A place to read the files of a version from. */
export type Place = Pick<UrlStorage, 'get'>;

/** A file that the manifest or the publisher's history will name. */
export interface NewFile {
  readonly file: ManifestFile;
  readonly content: Uint8Array;
}

/** The start of each jump's file name; also the manifest's `jumps`. */
export const jumpPrefix = 'jump-';

/** Matches the names that publishList gives to files. No other file of a manifest is copied or deleted. */
const ownName = /^(snapshot|delta)-([0-9a-f]{64})\.tamis$/;
const ownJump = /^jump-[0-9a-f]{16}-([0-9a-f]{16})\.tamis$/;

const fileNameOf = (kind: 'snapshot' | 'delta', sha256: string): string =>
  `${kind}-${sha256}.tamis`;

export async function makeFile(kind: 'snapshot' | 'delta', content: Uint8Array): Promise<NewFile> {
  const sha256 = await sha256Hex(content);
  return { file: { url: fileNameOf(kind, sha256), bytes: content.length, sha256 }, content };
}

/** Returns the bytes of a file; undefined if it is missing, or has another digest or (if passed) another size. */
export async function find(
  place: Place,
  { url, sha256, bytes: size }: Pick<ManifestFile, 'url' | 'sha256'> & Partial<ManifestFile>,
): Promise<Uint8Array | undefined> {
  const bytes = await readBytes(place, url);
  if (bytes === undefined || (size !== undefined && bytes.length !== size)) return undefined;
  return (await sha256Hex(bytes)) === sha256 ? bytes : undefined;
}

/** True if at least one of the files exists. */
export async function hasAny(place: Place, names: readonly string[]): Promise<boolean> {
  for (const name of names) if ((await readBytes(place, name)) !== undefined) return true;
  return false;
}

/** Runs `make`. Returns undefined if its input is damaged, or in the format of another release. */
export function tryToRead<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (Object(error).code === 'ERR_TAMIS_OUT_OF_MEMORY') throw error;
    return undefined;
  }
}

const filesOf = (manifest: Manifest | undefined): readonly ManifestFile[] =>
  manifest ? [manifest.snapshot, ...manifest.deltas] : [];

/** Returns the files of a version that exist, by name. */
export async function findAll(
  place: Place,
  manifest: Manifest | undefined,
): Promise<ReadonlyMap<string, NewFile>> {
  const files = new Map<string, NewFile>();
  for (const file of filesOf(manifest)) {
    const content = ownName.test(file.url) ? await find(place, file) : undefined;
    if (content !== undefined) files.set(file.url, { file, content });
  }
  return files;
}

/** A version of the list, and the delta to the next version. */
interface Step {
  /** The version's identity. */
  readonly from: string;
  /** The SHA-256 of the delta to the next version. */
  readonly delta: string;
  /** The SHA-256 of the version's snapshot, if the snapshot is kept. */
  readonly snapshot?: string | undefined;
}

/** The record of earlier versions. */
export interface History {
  /** The identity of the version after the last step. */
  readonly to: string;
  /** Oldest first. */
  readonly steps: readonly Step[];
}

/** The largest value of the option `jumps`. */
export const mostJumps = 1024;

const digest = hexadecimal(64);
const readStep = readRecord<Step>({
  from: digest,
  delta: digest,
  snapshot: (value, name) => (value === undefined ? undefined : digest(value, name)),
});

/** Reads an untrusted history. If it is damaged, the result has no steps. */
function readHistory(value: unknown): History {
  const { to, steps }: Partial<History> = copyOwn(Object(value));
  const history = tryToRead(() => {
    // The number of steps is limited here, because without snapshots continueHistory drops none.
    const read = (steps ?? []).slice(-2 * mostJumps).map((step) => readStep(step, 'step'));
    return { to: digest(to, 'to'), steps: read };
  });
  return history ?? { to: '', steps: [] };
}

/** Returns the steps that lead to a version, if any. A publication that was killed may have added later steps. */
function findSteps({ to, steps }: History, identity: string): readonly Step[] | undefined {
  const end = to === identity ? steps.length : steps.map(({ from }) => from).lastIndexOf(identity);
  return end < 0 ? undefined : steps.slice(0, end);
}

/** Returns the steps that lead to a manifest's version. If the history is older, the manifest's deltas continue it. */
function stepsTo(history: History, { sha256, deltas }: Manifest): readonly Step[] {
  const more: Step[] = [];
  let known = findSteps(history, sha256);
  // Goes back along the deltas until it finds a version in the history.
  for (const { from, sha256: delta } of [...deltas].reverse()) {
    if (known) break;
    more.unshift({ from, delta });
    known = findSteps(history, from);
  }
  return known ? [...known, ...more] : [];
}

/** Returns the history of the version after `last`. If the delta between them is missing, the history starts anew. */
export function continueHistory(
  history: History,
  last: Manifest | undefined,
  to: string,
  delta: string | undefined,
  most: number,
): History {
  if (last === undefined || most === 0) return { to, steps: [] };
  const before = stepsTo(history, last);
  if (last.sha256 === to) return { to, steps: before };
  if (delta === undefined) return { to, steps: [] };
  // Jumps are computed from a snapshot onwards, so one step in `interval` keeps its snapshot.
  const interval = Math.ceil(most / 4);
  const isRecent = (i: number) => before.length - i < interval;
  const isDue = !before.some((step, i) => step.snapshot && isRecent(i));
  // publishList stores and keeps snapshots only under its own names.
  const isOwn = ownName.exec(last.snapshot.url)?.[2] === last.snapshot.sha256;
  const snapshot = isDue && isOwn ? { snapshot: last.snapshot.sha256 } : {};
  const steps = [...before, { from: last.sha256, delta, ...snapshot }];
  // The history starts at the last snapshot that leaves enough steps; earlier steps are dropped.
  const canStart = ({ snapshot }: Step, i: number) => Boolean(snapshot) && steps.length - i >= most;
  const start = steps.map(canStart).lastIndexOf(true);
  return { to, steps: steps.slice(Math.max(start, 0)) };
}

/** Makes the next version with the delta of this digest; undefined if the delta is missing, or does not fit. */
async function stepOn(list: UrlList, digest: string, place: Place): Promise<UrlList | undefined> {
  const bytes = await find(place, { url: fileNameOf('delta', digest), sha256: digest });
  if (bytes === undefined) return undefined;
  return tryToRead(() => withDelta(UrlDelta.fromBytes(bytes), (delta) => list.apply(delta)));
}

/** Writes the jumps from the newest `most` versions, if smaller than the snapshot. Resolves to the number of jumps. */
export async function writeJumps(
  list: UrlList,
  { to, steps }: History,
  snapshotBytes: number,
  place: Place,
  storage: UrlStorage,
  most: number,
): Promise<number> {
  const names = new Set(jumpNames({ to, steps }, most));
  let count = 0;
  for await (const older of replay(steps, place)) {
    // Skips a version that needs no jump, or whose jump was written for an earlier version with the same content.
    const name = jumpUrl(jumpPrefix, hexOf(older.identity), to);
    if (!names.delete(name)) continue;
    const bytes = tryToRead(() => withDelta(list.diff(older), (delta) => delta.toBytes()));
    if (bytes === undefined || bytes.length >= snapshotBytes) continue;
    await storage.set(name, bytes);
    count++;
  }
  return count;
}

/** The names of all possible jumps from the newest `most` versions. */
export const jumpNames = ({ to, steps }: History, most: number): string[] =>
  steps
    .slice(-most)
    .filter(({ from }) => from !== to)
    .map(({ from }) => jumpUrl(jumpPrefix, from, to));

/** Yields readable versions, oldest first, and disposes of them. After a missing file, goes on at the next snapshot. */
async function* replay(
  steps: readonly Step[],
  place: Place,
): AsyncGenerator<UrlList, void, undefined> {
  let list: UrlList | undefined;
  /** The digest of the delta from the previous step's version to this step's version. */
  let delta = '';
  try {
    for (const step of steps) {
      const before = list;
      list = before && (await stepOn(before, delta, place));
      before?.dispose();
      if (list === undefined && step.snapshot) {
        const url = fileNameOf('snapshot', step.snapshot);
        const bytes = await find(place, { url, sha256: step.snapshot });
        list = bytes && tryToRead(() => UrlList.fromBytes(bytes));
      }
      if (list && hexOf(list.identity) !== step.from) {
        list.dispose();
        list = undefined;
      }
      if (list) yield list;
      delta = step.delta;
    }
  } finally {
    list?.dispose();
  }
}

const notesName = 'files.json';
const hour = 3600 * 1000;
/** How long a file stays after the last manifest that names it. */
const graceMs = 24 * hour;
/** How long an old jump stays. Clients fetch a jump right after the manifest, and can do without it. */
const jumpGraceMs = hour;

/** The content of files.json. */
interface Notes {
  /** The last time at which a manifest used each file, in milliseconds since 1970. */
  readonly uses: ReadonlyMap<string, number>;
  readonly history: History;
}

/** Reads files.json; returns no notes if it is damaged. It is not signed: wrong notes only cost space, or jumps. */
export async function readNotes(storage: UrlStorage): Promise<Notes> {
  const { history, ...times } = jsonIn(await readBytes(storage, notesName));
  const uses = new Map<string, number>();
  // Files without a note are never deleted.
  for (const [name, lastMs] of Object.entries(times)) {
    if ((ownName.test(name) || ownJump.test(name)) && typeof lastMs === 'number') {
      uses.set(name, lastMs);
    }
  }
  return { uses, history: readHistory(history) };
}

/** Updates files.json, and deletes files that were unused for long. Files in `manifests` and `names` are in use. */
export async function tidy(
  storage: UrlStorage,
  notes: Notes,
  manifests: readonly (Manifest | undefined)[],
  names: readonly string[],
  history: History,
  nowMs: number,
): Promise<void> {
  const uses = new Map(notes.uses);
  for (const { url } of manifests.flatMap(filesOf)) uses.set(url, nowMs);
  for (const name of names) uses.set(name, nowMs);
  // A jump's name ends with the start of its target's identity.
  const targets = manifests.map((manifest) => manifest?.sha256.slice(0, jumpDigits));
  const needed = new Set<string>();
  for (const { delta, snapshot } of history.steps) {
    needed.add(fileNameOf('delta', delta));
    if (snapshot) needed.add(fileNameOf('snapshot', snapshot));
  }
  for (const [name, lastMs] of uses) {
    const [, target] = ownJump.exec(name) ?? [];
    // A jump to a current version is in use. A time in the future comes from a wrong clock.
    const usedMs = target && targets.includes(target) ? nowMs : Math.min(lastMs, nowMs);
    uses.set(name, usedMs);
    const keepMs = target ? jumpGraceMs : graceMs;
    if (needed.has(name) || nowMs - usedMs < keepMs) continue;
    try {
      await storage.set(name, undefined);
      uses.delete(name);
    } catch {
      // A leftover file does no harm, and the next version tries again to delete it.
    }
  }
  await storage.set(notesName, jsonBytes({ ...Object.fromEntries(uses), history }));
}
