/** Runs processes with override-files.mjs, which share a folder. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('override-files.mjs', import.meta.url));

const running = new Set<ChildProcess>();

/** Ends processes that a failed test left running. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts a process. `ended` resolves to its code or signal; `onLine` gets each of its lines. */
export function start(
  args: readonly string[],
  onLine: (line: string, child: ChildProcess) => void,
) {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  running.add(child);
  child.on('close', () => running.delete(child));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => onLine(line, child));
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
  return { child, ended };
}

/**
 * Adds overrides in several processes at once, each a share of them. After every `killEvery` lines a process is killed,
 * and a new one continues after its last line. Resolves to the numbers of the stored overrides.
 */
export async function addInProcesses(
  folder: string,
  {
    processes,
    each,
    killEvery = Number.POSITIVE_INFINITY,
  }: { processes: number; each: number; killEvery?: number },
): Promise<number[]> {
  const stored: number[] = [];
  const addShare = async (index: number): Promise<void> => {
    let next = index * each;
    const end = next + each;
    while (next < end) {
      let lines = 0;
      const { ended } = start([folder, 'add', `${next}`, `${end - next}`], (line, child) => {
        stored.push(Number(line));
        next = Number(line) + 1;
        if (++lines === killEvery && next < end) {
          child.kill('SIGKILL');
        }
      });
      const how = await ended;
      if (how !== 0 && how !== 'SIGKILL') throw new Error(`a process ended with ${how}`);
    }
  };
  await Promise.all(Array.from({ length: processes }, (_, index) => addShare(index)));
  return stored;
}
