// A lock file. One thread at a time can create it, and the file names that thread and its process.

import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  aboutFile,
  codeOf,
  FileError,
  ignoreAbsence,
  onFile,
  removeLeftovers,
  unfinished,
} from './files.js';

const LOCK_POLL_MS = 50;
/** A running thread keeps renewing its lock. If a lock gets older than this, its thread ended or was suspended. */
const LOCK_STALE_MS = 30_000;
const LOCK_PATIENCE_MS = 60_000;
/** The waiting time after which `onWait` is called. */
const LOCK_SILENCE_MS = 1000;

/** Throws ERR_TAMIS_LOST if another run took the lock. Call it right before a step that only one run may do. */
export type MustHold = () => void;

export const waitNote = (lock: string): string =>
  `${lock}: waiting: another process is at work, or was killed`;

interface LockOptions {
  /** If false, `withLock` throws at once when a live process owns the lock. Default true: it waits. */
  readonly waits?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called once if the wait takes longer than a second. */
  readonly onWait?: ((lock: string) => void) | undefined;
}

/**
 * Runs `action` while this thread owns the lock file `lock`. If another owner is dead, takes the lock over: at once on
 * systems that show whether the owner lives, such as Linux, and otherwise after LOCK_STALE_MS without a renewal.
 *
 * A process that was suspended for long, such as in a frozen container, loses its lock. Then its `withLock` and its
 * `mustHold` throw ERR_TAMIS_LOST.
 */
export async function withLock<T>(
  lock: string,
  action: (mustHold: MustHold) => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const id = randomUUID();
  const release = () => {
    if (holds(lock, id)) fs.rmSync(lock, { force: true });
  };
  await takeLock(lock, () => makeLock(lock, id, release), options);
  const mustHold = () => {
    if (onFile(lock, () => renew(lock, id))) return;
    const what = 'another run took this lock while this run was suspended (ERR_TAMIS_LOST)';
    const message = `${lock}: ${what}: check its result before you run this again`;
    throw new FileError('ERR_TAMIS_LOST', message);
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    // A process that was killed in `takeAway` or `clockBeside` leaves temporary files, named after the lock.
    await removeLeftovers(dirname(lock), `${basename(lock)}.`);
    const lockLost = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        try {
          mustHold();
        } catch (error) {
          // After other errors, a later renewal may succeed. The action itself calls `mustHold` before critical steps.
          if (codeOf(error) === 'ERR_TAMIS_LOST') reject(error);
        }
      }, LOCK_STALE_MS / 6); // so that several renewals can fail before the lock is stale
    });
    return await Promise.race([action(mustHold), lockLost]);
  } finally {
    clearInterval(timer);
    unfinished.delete(release);
    release();
  }
}

/** Waits until `make` creates the lock, and removes the lock of a dead thread. Throws after LOCK_PATIENCE_MS. */
async function takeLock(
  lock: string,
  make: () => boolean,
  { waits = true, signal, onWait }: LockOptions,
): Promise<void> {
  const startMs = performance.now();
  let isSilent = true;
  let firstMtimeMs: number | undefined; // when the lock was last renewed before the first look
  let clock: (() => number) | undefined; // the time of the lock's file system
  while (!make()) {
    const waitedMs = performance.now() - startMs;
    clock ??= clockBeside(lock);
    // The clock is read before the lock, so that a pause between the two never makes the lock look old.
    const nowMs = clock();
    const other = onFile(lock, () =>
      // Time and text are of one open file: a network file system asks its server at each open. Undefined: no lock.
      inFile(lock, 'r', (file) => ({
        mtimeMs: fs.fstatSync(file).mtimeMs,
        text: fs.readFileSync(file, 'utf8'),
      })),
    );
    if (other !== undefined) {
      const { text, mtimeMs } = other;
      firstMtimeMs ??= mtimeMs;
      let owner = stateOfOwner(text);
      // A live thread renews its lock. If its state is unknown, a renewal since the first look shows that it is alive.
      if (nowMs - mtimeMs > LOCK_STALE_MS) owner = 'dead';
      if (owner === 'unknown' && mtimeMs > firstMtimeMs) owner = 'alive';
      if (owner === 'dead') {
        takeAway(lock, text);
        continue;
      }
      if (waitedMs > LOCK_PATIENCE_MS || (owner === 'alive' && !waits)) {
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

/** Creates the lock file; false if it exists. Synchronous, so that no signal arrives before the file is recorded. */
function makeLock(path: string, id: string, release: () => void): boolean {
  let file: number;
  try {
    file = fs.openSync(path, 'wx');
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw aboutFile(path, error);
    return false;
  }
  unfinished.add(release);
  try {
    fs.writeSync(file, `${ownerOf()} ${id}\n`);
  } catch (error) {
    fs.rmSync(path, { force: true });
    unfinished.delete(release);
    throw aboutFile(path, error);
  } finally {
    fs.closeSync(file);
  }
  return true;
}

/** Calls `action` with an open file, which a rename cannot replace. Returns undefined if the file is absent. */
function inFile<T>(path: string, flags: string, action: (file: number) => T): T | undefined {
  let file: number;
  try {
    file = fs.openSync(path, flags);
  } catch (error) {
    return ignoreAbsence(error);
  }
  try {
    return action(file);
  } finally {
    fs.closeSync(file);
  }
}

/** True if the lock still has this id, false if it has another; undefined if it is gone. */
const holds = (lock: string, id: string): boolean | undefined =>
  inFile(lock, 'r', (file) => fs.readFileSync(file, 'utf8').endsWith(` ${id}\n`));

/** Renews a lock; false or undefined if it has another id or is gone. It writes only to the file that it read. */
const renew = (lock: string, id: string): boolean | undefined =>
  inFile(lock, 'r+', (file) => {
    const text = fs.readFileSync(file, 'utf8');
    if (!text.endsWith(` ${id}\n`)) return false;
    // A write sets the file system's time, which other machines see too. `utimes` would set this machine's time.
    fs.writeSync(file, text, 0);
    return true;
  });

/** Makes a clock with the file system's time in ms, from a new file. This machine's clock may be wrong or change. */
function clockBeside(lock: string): () => number {
  const probe = `${lock}.${randomUUID()}.tmp`;
  return onFile(probe, () => {
    try {
      fs.writeFileSync(probe, '', { flag: 'wx' });
      const { mtimeMs } = fs.statSync(probe);
      const thenMs = performance.now();
      return () => mtimeMs + performance.now() - thenMs;
    } finally {
      fs.rmSync(probe, { force: true });
    }
  });
}

/** Removes a dead thread's lock, which has this text. Another process may remove it first, and create a new lock. */
function takeAway(lock: string, text: string): void {
  const aside = `${lock}.${randomUUID()}.tmp`;
  try {
    // Another process may have replaced the lock. This check spares the new lock, unless it appears later.
    if (fs.readFileSync(lock, 'utf8') !== text) return;
    fs.renameSync(lock, aside);
    // If a new lock appeared after the check, that lock was renamed, and is put back here.
    if (fs.readFileSync(aside, 'utf8') === text) fs.rmSync(aside, { force: true });
    else fs.renameSync(aside, lock);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw aboutFile(lock, error);
  }
}

/** Identifies the machine or container whose process ids this process shares. Empty if that is unknown. */
function machineOf(): string {
  let name = hostname();
  if (process.platform === 'linux') {
    try {
      const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
      name = `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`;
    } catch {
      return '';
    }
  }
  return createHash('sha256').update(name).digest('hex').slice(0, 16);
}

/**
 * The id of this thread, such as `4242/task/4250`, which begins with the process id. On systems that do not show
 * threads, only the process id.
 */
function ownThread(): string {
  const own = String(process.pid);
  try {
    const thread = fs.readlinkSync('/proc/thread-self');
    return thread.startsWith(`${own}/`) ? thread : own;
  } catch {
    return own;
  }
}

/**
 * The start time of a thread, which differs from that of a later thread with the same id; 'ended' if it has ended but
 * still has its id. Undefined if there is no such thread, or if the system does not show it.
 */
function startOf(thread: string): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${thread}/stat`, 'utf8');
    // The process name comes before these fields, and may contain blanks and brackets. The first is the state, which is
    // Z or X for an ended thread; field 19 is the start time (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /[ZX]/.test(fields[0] ?? '') ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}

/** The part of a lock's text that names this thread. The lock's own id follows. */
function ownerOf(): string {
  const thread = ownThread();
  return `${machineOf()} ${thread} ${startOf(thread) ?? ''}`;
}

/** The state of the thread that owns a lock; 'unknown' on another machine, or where the system does not show it. */
function stateOfOwner(text: string): 'alive' | 'dead' | 'unknown' {
  const [machine, thread = '', start] = text.trimEnd().split(' ');
  if (machine === undefined || machine === '' || machine !== machineOf()) return 'unknown';
  const startNow = startOf(thread);
  if (startNow !== undefined) return startNow === start ? 'alive' : 'dead';
  try {
    // Signal 0 only checks whether a process has this id, and that may be a later process.
    process.kill(Number.parseInt(thread, 10), 0);
    // A process that may signal another one can also see the other's threads.
    if (thread.includes('/') && !fs.existsSync(`/proc/${thread}`)) return 'dead';
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return 'dead';
  }
  return 'unknown';
}
