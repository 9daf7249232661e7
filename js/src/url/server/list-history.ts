// The versions of a list from which there are jumps: each delta to the next one, and the snapshots of a few. Whatever the
// history says, a jump is made from a list that was read. So it is right, or it is not there.

import { hexOf } from '../../core/signed/bytes.js';
import { hexadecimal, readRecord } from '../../core/signed/fields.js';
import { UrlDelta } from '../list/url-delta.js';
import { UrlList } from '../list/url-list.js';
import { jumpUrl, type Manifest } from '../signed/manifest-fields.js';
import type { UrlStorage } from '../signed/storage.js';
import {
  findByName,
  jumpPrefix,
  nameOf,
  ownName,
  type Place,
  tryToRead,
} from './published-files.js';

/** One version, and the way to the next. */
interface Step {
  /** The version's identity. */
  readonly from: string;
  /** SHA-256 of the delta to the next version. */
  readonly delta: string;
  /** SHA-256 of the version's snapshot, where that is kept. */
  readonly snapshot?: string | undefined;
}

/** What is kept of the versions before the one that stands. */
export interface History {
  /** The identity of the version that the last step leads to. */
  readonly to: string;
  /** Oldest first. */
  readonly steps: readonly Step[];
}

/** A publisher keeps at most so many versions. */
export const mostJumps = 1024;
/** And with the first snapshot of them so many steps more, as a part of those from which there are jumps. */
const spare = 1 / 4;

const digest = hexadecimal(64);
const readStep = readRecord<Step>({
  from: digest,
  delta: digest,
  snapshot: (value, name) => (value === undefined ? undefined : digest(value, name)),
});

/** The history in what somebody else may have written; one without steps where it is damaged. */
export function readHistory(value: unknown): History {
  const { to, steps } = Object(value) as Partial<History>;
  const history = tryToRead(() => {
    const read = (steps ?? []).slice(-2 * mostJumps).map((step) => readStep(step, 'step'));
    return { to: digest(to, 'to'), steps: read };
  });
  return history ?? { to: '', steps: [] };
}

/** The steps that lead to that version, if any; those of a publication that was killed lead on from it. */
function findSteps({ to, steps }: History, identity: string): readonly Step[] | undefined {
  const end = to === identity ? steps.length : steps.map(({ from }) => from).lastIndexOf(identity);
  return end < 0 ? undefined : steps.slice(0, end);
}

/** The steps that lead to the version of a manifest. Where the history is older, they go on with the manifest's deltas. */
export function stepsTo(history: History, { sha256, deltas }: Manifest): readonly Step[] {
  const more: Step[] = [];
  let known = findSteps(history, sha256);
  for (const { from, sha256: delta } of [...deltas].reverse()) {
    if (known) break;
    more.unshift({ from, delta });
    known = findSteps(history, from);
  }
  return known ? [...known, ...more] : [];
}

/** The history with one version more, which the delta of that digest makes of `last`. Jumps are from `most` versions. */
export function extendHistory(
  history: History,
  last: Manifest,
  to: string,
  delta: string,
  most: number,
): History {
  const before = stepsTo(history, last);
  // Of one version in a while the snapshot is kept, so that nothing need be written when the oldest ones go.
  const every = Math.ceil(most * spare);
  const recent = before.slice(Math.max(0, before.length - every + 1));
  const isDue = recent.every((step) => !step.snapshot);
  const isOwn = ownName.exec(last.snapshot.url)?.[2] === last.snapshot.sha256;
  const snapshot = isDue && isOwn ? { snapshot: last.snapshot.sha256 } : {};
  const steps = [...before, { from: last.sha256, delta, ...snapshot }];
  const isEnough = (step: Step, i: number) => step.snapshot && steps.length - i >= most;
  const start = steps.map((step, i) => Boolean(isEnough(step, i))).lastIndexOf(true);
  return { to, steps: steps.slice(Math.max(start, 0)) };
}

/** The files that a history needs. */
export const namesIn = ({ steps }: History): string[] =>
  steps.flatMap(({ delta, snapshot }) => [
    nameOf('delta', delta),
    ...(snapshot ? [nameOf('snapshot', snapshot)] : []),
  ]);

/** The next version, of the delta of that digest; undefined where that is gone, or is for another list. */
async function stepOn(list: UrlList, digest: string, place: Place): Promise<UrlList | undefined> {
  const bytes = await findByName(place, nameOf('delta', digest));
  const delta = bytes && tryToRead(() => UrlDelta.fromBytes(bytes));
  const next = delta && tryToRead(() => list.apply(delta));
  delta?.dispose();
  return next;
}

/**
 * Writes the jumps from the newest `most` versions to the list, but those that are no less than its snapshot. How many
 * there are.
 */
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
    // A list may have had the same content twice.
    const name = jumpUrl(jumpPrefix, hexOf(older.identity), to);
    if (!names.delete(name)) continue;
    const delta = tryToRead(() => list.diff(older));
    const bytes = delta?.toBytes();
    delta?.dispose();
    if (bytes === undefined || bytes.length >= snapshotBytes) continue;
    await storage.set(name, bytes);
    count++;
  }
  return count;
}

/** The names of the jumps that there may be. */
export const jumpNames = ({ to, steps }: History, most: number): string[] =>
  steps
    .slice(-most)
    .filter(({ from }) => from !== to)
    .map(({ from }) => jumpUrl(jumpPrefix, from, to));

/**
 * The versions that can be read, oldest first, each with the identity that its step says. After what is lost they go on
 * at the next snapshot. The next one ends the life of a list.
 */
async function* replay(
  steps: readonly Step[],
  place: Place,
): AsyncGenerator<UrlList, void, undefined> {
  let list: UrlList | undefined;
  let delta = '';
  try {
    for (const step of steps) {
      const before = list;
      list = before && (await stepOn(before, delta, place));
      before?.dispose();
      if (list === undefined && step.snapshot) {
        const bytes = await findByName(place, nameOf('snapshot', step.snapshot));
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
