// A file that one process at a time can make, and that says which one did.

import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aboutFile, codeOf, FileError, onFile } from './errors.js';
import { removeLeftovers, unfinished } from './files.js';

const LOCK_POLL_MS = 50;
/** A lock is renewed while its process runs: one that is this old is of a process that was killed, or stands still. */
const LOCK_STALE_MS = 30_000;
const LOCK_PATIENCE_MS = 60_000;
/** From then on somebody may wonder. */
const LOCK_SILENCE_MS = 1000;

/** Throws LOST where another run took the lock: to be called right before what no two runs may do. */
export type MustHold = () => void;

/** What is said of a long wait. */
export const waitNote = (lock: string): string =>
  `${lock}: another process is at work, or was killed: waiting`;

interface LockOptions {
  /** Whether another process that lives is waited for; default true. */
  readonly waits?: boolean;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Told once of a wait that is long. */
  readonly onWait?: ((lock: string) => void) | undefined;
}

/**
 * Runs `action` while the file `lock` is there, which one process at a time can make. Without `waits` another process
 * that lives is an error at once. A process that was killed is not waited for where it can be seen from here.
 * One that stood still for long, such as in a frozen container, loses its lock, and stops when it notices.
 */
export async function runAlone<T>(
  lock: string,
  action: (mustHold: MustHold) => Promise<T>,
  { waits = true, signal, onWait }: LockOptions = {},
): Promise<T> {
  const startMs = performance.now();
  const id = randomUUID();
  const release = () => {
    if (holds(lock, id)) rmSync(lock, { force: true });
  };
  let isSilent = true;
  let firstMs: number | undefined;
  let clock: (() => number) | undefined;
  while (!makeLock(lock, id, release)) {
    const waitedMs = performance.now() - startMs;
    clock ??= clockBeside(lock);
    // Before the look: a pause between them makes no lock look old.
    const nowMs = clock();
    const found = await lookAt(lock);
    if (found !== undefined) {
      const { text, mtimeMs } = found;
      firstMs ??= mtimeMs;
      const isOld = nowMs - mtimeMs > LOCK_STALE_MS;
      const isAlive = isOwnerAlive(text);
      if (!(isAlive ?? !isOld)) {
        takeAway(lock, text);
        continue;
      }
      const isAtWork = isAlive === true || mtimeMs > firstMs;
      if (waitedMs > LOCK_PATIENCE_MS || (isAtWork && !waits)) {
        throw new FileError('ERR_TAMIS_UNAVAILABLE', `${lock}: another process is at work`);
      }
    }
    if (isSilent && waitedMs > LOCK_SILENCE_MS) {
      isSilent = false;
      onWait?.(lock);
    }
    signal?.throwIfAborted();
    await sleep(LOCK_POLL_MS);
  }
  const mustHold = () => {
    if (!onFile(lock, () => holds(lock, id, { renews: true }))) throw takenError(lock);
  };
  let timer: NodeJS.Timeout | undefined;
  const isTaken = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      try {
        if (!holds(lock, id, { renews: true })) reject(takenError(lock));
      } catch {
        // The next time may do, and what matters asks again.
      }
    }, LOCK_STALE_MS / 6);
  });
  const runs = async () => {
    // Of a process that was killed in `takeAway`.
    await removeLeftovers(dirname(lock), `${basename(lock)}.`);
    return action(mustHold);
  };
  try {
    return await Promise.race([runs(), isTaken]);
  } finally {
    clearInterval(timer);
    unfinished.delete(release);
    release();
  }
}

const takenError = (lock: string): FileError =>
  new FileError(
    'ERR_TAMIS_LOST',
    `${lock}: another run took over while this one stood still (ERR_TAMIS_LOST): see what it published before you run this again`,
  );

/** Makes the file of a lock; false where there is one. At once, so that no signal finds it unrecorded. */
function makeLock(path: string, id: string, release: () => void): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw aboutFile(path, error);
    return false;
  }
  unfinished.add(release);
  try {
    writeSync(file, `${ownerOf()} ${id}\n`);
  } catch (error) {
    rmSync(path, { force: true });
    unfinished.delete(release);
    throw aboutFile(path, error);
  } finally {
    closeSync(file);
  }
  return true;
}

/** Whether a lock is still of this id. What is renewed is the file that was read, and no other that took its place. */
function holds(lock: string, id: string, { renews = false } = {}): boolean {
  let file: number;
  try {
    file = openSync(lock, renews ? 'r+' : 'r');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return false;
  }
  try {
    const text = readFileSync(file, 'utf8');
    if (!text.endsWith(` ${id}\n`)) return false;
    // A write has the time of the file system, as others see it; `utimes` would have this machine's.
    if (renews) writeSync(file, text, 0);
    return true;
  } finally {
    closeSync(file);
  }
}

/** The time by which the file system dates a file, in ms: the clock of this machine may be wrong, or set meanwhile. */
function clockBeside(lock: string): () => number {
  const probe = `${lock}.${randomUUID()}.tmp`;
  return onFile(probe, () => {
    const file = openSync(probe, 'wx');
    try {
      const { mtimeMs } = fstatSync(file);
      const thenMs = performance.now();
      return () => mtimeMs + performance.now() - thenMs;
    } finally {
      closeSync(file);
      rmSync(probe, { force: true });
    }
  });
}

/** What a lock says, and when it was renewed; undefined where it is gone. */
async function lookAt(lock: string): Promise<{ text: string; mtimeMs: number } | undefined> {
  try {
    // Of one file: a network file system asks its server anew where a file is opened.
    const file = await open(lock);
    try {
      const { mtimeMs } = await file.stat();
      return { text: await file.readFile('utf8'), mtimeMs };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw aboutFile(lock, error);
  }
}

/** Removes a lock that nobody holds. Another process may do so too, and make its own. */
function takeAway(lock: string, text: string): void {
  const aside = `${lock}.${randomUUID()}.tmp`;
  try {
    renameSync(lock, aside);
    // One that was made since goes back.
    if (readFileSync(aside, 'utf8') === text) rmSync(aside, { force: true });
    else renameSync(aside, lock);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw aboutFile(lock, error);
  }
}

/**
 * What stands for the processes that are seen from here by their numbers. A container has numbers of its own, which
 * mean other processes outside. Empty where that is not known.
 */
function findMachine(): string {
  let name = hostname();
  if (process.platform === 'linux') {
    try {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
      name = `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
    } catch {
      return '';
    }
  }
  return createHash('sha256').update(name).digest('hex').slice(0, 16);
}

/** Found at the first lock: an import asks the system nothing. */
let machine: string | undefined;
const machineOf = (): string => {
  machine ??= findMachine();
  return machine;
};

/** When a process began, which tells it from a later one of its number; empty where the system does not say. */
function startOf(pid: number): { readonly hasEnded: boolean; readonly start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name comes before, and may hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { hasEnded: /[ZX]/.test(fields[0] as string), start: fields[19] as string };
  } catch {
    return undefined;
  }
}

/** What a lock says of this process; the id of the one lock stands behind. */
const ownerOf = () => `${machineOf()} ${process.pid} ${startOf(process.pid)?.start ?? ''}`;

/** Whether the process that made a lock lives; undefined where that cannot be seen from here. */
function isOwnerAlive(text: string): boolean | undefined {
  const [where, pid, start] = text.trimEnd().split(' ');
  if (where === undefined || where === '' || where !== machineOf()) return undefined;
  const found = startOf(Number(pid));
  if (found !== undefined) return found.start === start && !found.hasEnded;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  return undefined;
}
