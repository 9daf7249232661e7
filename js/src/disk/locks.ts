// A lock file: one process at a time can create it, and it names that process.

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
/** A running process renews its lock. If a lock was not renewed for so long, its process was killed or suspended. */
const LOCK_STALE_MS = 30_000;
const LOCK_PATIENCE_MS = 60_000;
/** The wait after which `onWait` is called. */
const LOCK_SILENCE_MS = 1000;

/** Throws ERR_TAMIS_LOST if another run took the lock. Call it right before a step that two runs must not both do. */
export type MustHold = () => void;

/** The message about a long wait. */
export const waitNote = (lock: string): string =>
  `${lock}: another process is at work, or was killed: waiting`;

interface LockOptions {
  /** If false, a live owner of the lock is an error at once. Default true: wait. */
  readonly waits?: boolean;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Called once if the wait is long. */
  readonly onWait?: ((lock: string) => void) | undefined;
}

/**
 * Runs `action` while this process holds the file `lock`. The lock of a dead process is taken over at once. If the
 * state of its process is unknown, it is taken over once it is stale. With `waits: false`, a live owner is an error at
 * once.
 *
 * A process that was suspended for long, for instance in a frozen container, loses its lock. Its `action` then ends
 * with ERR_TAMIS_LOST.
 */
export async function withLock<T>(
  lock: string,
  action: (mustHold: MustHold) => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const id = randomUUID();
  const release = () => {
    if (holds(lock, id)) rmSync(lock, { force: true });
  };
  await takeLock(lock, () => makeLock(lock, id, release), options);
  const mustHold = () => {
    if (!onFile(lock, () => holds(lock, id, { renews: true }))) throw takenError(lock);
  };
  let timer: NodeJS.Timeout | undefined;
  const isTaken = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      try {
        mustHold();
      } catch (error) {
        // After any other error a later renewal may succeed, and the action calls `mustHold` before critical steps.
        if (codeOf(error) === 'ERR_TAMIS_LOST') reject(error);
      }
    }, LOCK_STALE_MS / 6);
  });
  const runs = async () => {
    // Left by a process that was killed inside `takeAway`.
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

/** Waits until `make` creates the lock. Removes the lock of a dead process. Throws as `withLock`. */
async function takeLock(
  lock: string,
  make: () => boolean,
  { waits = true, signal, onWait }: LockOptions,
): Promise<void> {
  const startMs = performance.now();
  let isSilent = true;
  let firstMs: number | undefined;
  let clock: (() => number) | undefined;
  while (!make()) {
    const waitedMs = performance.now() - startMs;
    clock ??= clockBeside(lock);
    // Read before the lock, so that a pause between the two never makes the lock look old.
    const nowMs = clock();
    const other = await lookAt(lock);
    if (other !== undefined) {
      const { text, mtimeMs } = other;
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
}

const takenError = (lock: string): FileError =>
  new FileError(
    'ERR_TAMIS_LOST',
    `${lock}: another run took this lock while this run was suspended (ERR_TAMIS_LOST): check its result before you run this again`,
  );

/** Creates the lock file; false if it exists. Synchronous, so that no signal comes before the file is recorded. */
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

/** True if the lock still has this id. It renews the file that it read, never a replacement. */
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
    // A write stamps the file with the file system's clock, as others see it. `utimes` would use this machine's clock.
    if (renews) writeSync(file, text, 0);
    return true;
  } finally {
    closeSync(file);
  }
}

/**
 * Gives a function that tells the file system's time, in ms. The clock of this machine may be wrong, or may be changed.
 */
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

/** The text of a lock, and the time of its last renewal; undefined if the lock is gone. */
async function lookAt(lock: string): Promise<{ text: string; mtimeMs: number } | undefined> {
  try {
    // Both from one open file: a network file system asks its server again at each open.
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

/** Removes the lock of a dead process. Another process may do so too, and then create its own. */
function takeAway(lock: string, text: string): void {
  const aside = `${lock}.${randomUUID()}.tmp`;
  try {
    // Most of those that were created in the meantime.
    if (readFileSync(lock, 'utf8') !== text) return;
    renameSync(lock, aside);
    // Put back a lock that was created in the meantime.
    if (readFileSync(aside, 'utf8') === text) rmSync(aside, { force: true });
    else renameSync(aside, lock);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw aboutFile(lock, error);
  }
}

/**
 * Identifies the set of processes that share our process ids. A container has its own ids, which mean other processes
 * outside. Empty if the set is unknown.
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

/** Computed at the first lock, so that an import makes no system call. */
let machine: string | undefined;
function machineOf(): string {
  machine ??= findMachine();
  return machine;
}

/**
 * The start time of a process, which tells it from a later process with the same id; undefined if the system does not
 * say.
 */
function startOf(pid: number): { readonly hasEnded: boolean; readonly start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name precedes these fields, and may contain blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { hasEnded: /[ZX]/.test(fields[0] ?? ''), start: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** The part of a lock's text that names this process. The lock's own id follows it. */
const ownerOf = () => `${machineOf()} ${process.pid} ${startOf(process.pid)?.start ?? ''}`;

/** True if the process that created a lock is alive; undefined if that is unknown. */
function isOwnerAlive(text: string): boolean | undefined {
  const [where, pid, start] = text.trimEnd().split(' ');
  if (where === undefined || where === '' || where !== machineOf()) return undefined;
  const owner = startOf(Number(pid));
  if (owner !== undefined) return owner.start === start && !owner.hasEnded;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  return undefined;
}
