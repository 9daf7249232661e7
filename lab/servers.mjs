// Starts server programs, each in its own process, for as long as a test needs them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort } from '../tests/e2e/free-port.mjs';

/**
 * Starts a program, and waits until it prints something that `ready` matches. If it ends before, rejects with
 * everything that it printed. `match` is the match, `printed` returns what was printed so far, and `stop` returns exit
 * code and signal.
 */
export async function startServer(ready, program, args, options) {
  const child = spawn(program, args, options);
  let printed = '';
  const match = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        printed += text;
        const found = ready.exec(printed);
        if (found) resolve(found);
      });
    }
    child.on('error', reject);
    child.on('close', () => reject(new Error(`${program} ended:\n${printed}`)));
  });
  return {
    match,
    printed: () => printed,
    async stop() {
      const ended = child.exitCode === null && child.signalCode === null && once(child, 'close');
      child.kill();
      return (await ended) || [child.exitCode, child.signalCode];
    },
  };
}

/** Calls `start` with a free port, and returns its result. If another program takes the port first, it tries again. */
export async function onFreePort(start) {
  for (;;) {
    try {
      return await start(await findFreePort());
    } catch (error) {
      // For a UDP port, BIND does not say why it failed.
      if (!/address (already )?in use|unable to listen/i.test(error.message)) throw error;
    }
  }
}
