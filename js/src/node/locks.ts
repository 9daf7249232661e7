// A file that one process at a time can make, and that says which one did.

import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { readFile, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, codeOf, prefixError } from './errors.js';
import { removeLeftovers, unfinished } from './files.js';
import type { Terminal } from './terminal.js';

const LOCK_POLL_MS = 50;
/** A lock is renewed while its process lives: one that is this old is of a process that was killed. */
const LOCK_STALE_MS = 30_000;
const LOCK_PATIENCE_MS = 60_000;
/** From then on somebody may wonder. */
const LOCK_SILENCE_MS = 1000;

/**
 * Runs `action` while the file `lock` is there, which one process at a time can make. Without `waits` another process
 * that lives is an error at once. A process that was killed is not waited for where it can be seen from here.
 */
export async function runAlone<T>(
  lock: string,
  terminal: Terminal,
  action: () => Promise<T>,
  { waits = true } = {},
): Promise<T> {
  const startMs = Date.now();
  let isSilent = true;
  let firstMs: number | undefined;
  while (!makeLock(lock)) {
    const found = await lookAt(lock);
    const waitedMs = Date.now() - startMs;
    if (found !== undefined) {
      const { text, mtimeMs } = found;
      firstMs ??= mtimeMs;
      const isOld = Date.now() - mtimeMs > LOCK_STALE_MS;
      const isAlive = isOwnerAlive(text);
      if (!(isAlive ?? !isOld)) {
        takeAway(lock, text);
        continue;
      }
      const isAtWork = isAlive === true || mtimeMs > firstMs;
      if (waitedMs > LOCK_PATIENCE_MS || (isAtWork && !waits)) {
        throw new CommandError(`${lock}: another process is at work`);
      }
    }
    if (isSilent && waitedMs > LOCK_SILENCE_MS) {
      isSilent = false;
      terminal.note(`${lock}: another process is at work, or was killed: waiting`);
    }
    await sleep(LOCK_POLL_MS);
  }
  const renew = () => utimes(lock, new Date(), new Date()).catch(() => {});
  const timer = setInterval(renew, LOCK_STALE_MS / 6);
  try {
    // Of a process that was killed in `takeAway`.
    await removeLeftovers(dirname(lock), `${basename(lock)}.`);
    return await action();
  } finally {
    clearInterval(timer);
    // In one step: after it the lock may be another's.
    rmSync(lock, { force: true });
    unfinished.delete(lock);
  }
}

/** Makes the file of a lock; false where there is one. At once, so that no signal finds it unrecorded. */
function makeLock(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw prefixError(path, error);
    return false;
  }
  unfinished.add(path);
  try {
    writeSync(file, ownerText);
  } catch (error) {
    rmSync(path, { force: true });
    unfinished.delete(path);
    throw prefixError(path, error);
  } finally {
    closeSync(file);
  }
  return true;
}

/** What a lock says, and when it was renewed; undefined where it is gone. */
async function lookAt(lock: string): Promise<{ text: string; mtimeMs: number } | undefined> {
  try {
    const text = await readFile(lock, 'utf8');
    const { mtimeMs } = await stat(lock);
    return { text, mtimeMs };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw prefixError(lock, error);
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
    if (codeOf(error) !== 'ENOENT') throw prefixError(lock, error);
  }
}

/**
 * What stands for the processes that are seen from here by their numbers. A container has numbers of its own, which
 * mean other processes outside. Empty where that is not known.
 */
const machine = ((): string => {
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
})();

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

/** What a lock of this process says. */
const ownerText = `${machine} ${process.pid} ${startOf(process.pid)?.start ?? ''}\n`;

/** Whether the process that made a lock lives; undefined where that cannot be seen from here. */
function isOwnerAlive(text: string): boolean | undefined {
  const [where, pid, start] = text.trimEnd().split(' ');
  if (where === undefined || where === '' || where !== machine) return undefined;
  const found = startOf(Number(pid));
  if (found !== undefined) return found.start === start && !found.hasEnded;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  return undefined;
}
