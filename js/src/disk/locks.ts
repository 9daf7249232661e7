// A lock file: one thread at a time can create it, and it names that thread and its process.

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
/** A running thread renews its lock. If a lock was not renewed for so long, its thread was ended or suspended. */
const LOCK_STALE_MS = 30_000;
const LOCK_PATIENCE_MS = 60_000;
/** The wait after which `onWait` is called. */
const LOCK_SILENCE_MS = 1000;

/** Throws ERR_TAMIS_LOST if another run took the lock. Call it right before a step that two runs must not both do. */
export type MustHold = () => void;

export const waitNote = (lock: string): string =>
  `${lock}: another process is at work, or was killed: waiting`;

interface LockOptions {
  /** If false, a live owner of the lock is an error at once. Default true: wait. */
  readonly waits?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called once if the wait is long. */
  readonly onWait?: ((lock: string) => void) | undefined;
}

/**
 * Runs `action` while this thread holds the file `lock`. The lock of a dead thread is taken over at once where the
 * system tells, as on Linux, and any other once it is stale.
 *
 * A process that was suspended for long, for instance in a frozen container, loses its lock. Then its `withLock` and
 * its `mustHold` throw ERR_TAMIS_LOST.
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
    // Left by a process that was killed inside `takeAway`.
    await removeLeftovers(dirname(lock), `${basename(lock)}.`);
    const lockLost = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        try {
          mustHold();
        } catch (error) {
          // After any other error a later renewal may succeed, and the action calls `mustHold` before critical steps.
          if (codeOf(error) === 'ERR_TAMIS_LOST') reject(error);
        }
      }, LOCK_STALE_MS / 6); // so several renewals may fail before the lock is stale
    });
    return await Promise.race([action(mustHold), lockLost]);
  } finally {
    clearInterval(timer);
    unfinished.delete(release);
    release();
  }
}

/** Waits until `make` creates the lock, and removes that of a dead thread. Throws after LOCK_PATIENCE_MS. */
async function takeLock(
  lock: string,
  make: () => boolean,
  { waits = true, signal, onWait }: LockOptions,
): Promise<void> {
  const startMs = performance.now();
  let isSilent = true;
  let firstMtimeMs: number | undefined; // of the lock when it was first read
  let clock: (() => number) | undefined; // of the lock's file system
  while (!make()) {
    const waitedMs = performance.now() - startMs;
    clock ??= clockBeside(lock);
    // Read before the lock, so that a pause between the two never makes the lock look old.
    const nowMs = clock();
    const other = onFile(lock, () =>
      // Both from one open file: a network file system asks its server again at each open. Undefined if no lock is left.
      inFile(lock, 'r', (file) => ({
        mtimeMs: fs.fstatSync(file).mtimeMs,
        text: fs.readFileSync(file, 'utf8'),
      })),
    );
    if (other !== undefined) {
      const { text, mtimeMs } = other;
      firstMtimeMs ??= mtimeMs;
      let owner = stateOfOwner(text);
      // A thread that lives renews its lock. If its state is unknown, a renewal since the lock was first read tells.
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

/** Creates the lock file; false if it exists. Synchronous, so that no signal comes before the file is recorded. */
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

/** The result of `action` on an open file, which a rename cannot exchange; undefined if the file is absent. */
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

/** True if the lock still has this id; undefined if there is no lock. */
const holds = (lock: string, id: string): boolean | undefined =>
  inFile(lock, 'r', (file) => fs.readFileSync(file, 'utf8').endsWith(` ${id}\n`));

/** Renews a lock; not true if it is gone or has another id. It writes to the file that it read, never a replacement. */
const renew = (lock: string, id: string): boolean | undefined =>
  inFile(lock, 'r+', (file) => {
    const text = fs.readFileSync(file, 'utf8');
    if (!text.endsWith(` ${id}\n`)) return false;
    // A write stamps the file with the file system's clock, as others see it. `utimes` would use this machine's clock.
    fs.writeSync(file, text, 0);
    return true;
  });

/** Makes a clock of the file system, in ms, by the time of a new file. This machine's clock may be wrong or change. */
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

/** Removes the lock with this text, of a dead thread. Another process may do so too, and then create a new lock. */
function takeAway(lock: string, text: string): void {
  const aside = `${lock}.${randomUUID()}.tmp`;
  try {
    // Another process may have replaced the lock. This test spares a new one, unless it comes right after the test.
    if (fs.readFileSync(lock, 'utf8') !== text) return;
    fs.renameSync(lock, aside);
    // In that case the new lock was renamed, and is put back.
    if (fs.readFileSync(aside, 'utf8') === text) fs.rmSync(aside, { force: true });
    else fs.renameSync(aside, lock);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw aboutFile(lock, error);
  }
}

/** Identifies the processes that share our process ids: a container has its own. Empty if that is unknown. */
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
 * The id of this thread, such as `4242/task/4250`, which begins with that of its process. Where the system does not say,
 * only that of the process.
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
 * The start time of a thread, which tells it from a later thread with the same id; 'ended' for one that has ended and
 * still has its id. Undefined if there is no such thread, or if the system does not say.
 */
function startOf(thread: string): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${thread}/stat`, 'utf8');
    // The process name precedes these fields, and may contain blanks and brackets. The first is the state, and Z and X
    // are those of an ended thread; field 19 is the start time (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /[ZX]/.test(fields[0] ?? '') ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}

/** The part of a lock's text that names this thread. The lock's own id follows it. */
function ownerOf(): string {
  const thread = ownThread();
  return `${machineOf()} ${thread} ${startOf(thread) ?? ''}`;
}

/** The state of the process that created a lock; unknown on another machine, or where the system does not say. */
function stateOfOwner(text: string): 'alive' | 'dead' | 'unknown' {
  const [machine, thread = '', start] = text.trimEnd().split(' ');
  if (machine === undefined || machine === '' || machine !== machineOf()) return 'unknown';
  const startNow = startOf(thread);
  if (startNow !== undefined) return startNow === start ? 'alive' : 'dead';
  try {
    // Signal 0 only tests if there is a process of this id, which may be a later one.
    process.kill(Number.parseInt(thread, 10), 0);
    // The system shows the threads of a process that may be signalled.
    if (thread.includes('/') && !fs.existsSync(`/proc/${thread}`)) return 'dead';
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return 'dead';
  }
  return 'unknown';
}
