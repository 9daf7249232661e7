// The Safe Browsing server in Python, as tests use it. programs/safe_browsing_server.py describes its commands.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startOf } from './peer.mjs';

const { command, skip } = startOf('safe-browsing');
const programs = join(import.meta.dirname, 'programs');

/** The reason to skip the tests of this peer: false if the peer is there. */
export { skip };

/** A program of this peer as a command: the program to call, and its arguments. */
export function commandOf(name, ...args) {
  return [command[0], [...command.slice(1), join(programs, `${name}.py`), ...args.map(String)]];
}

/**
 * Starts the server on a free port of 127.0.0.1. `log` returns what was sent since the last reset. The server also ends when
 * this process ends.
 */
export async function startSafeBrowsing() {
  const child = spawn(...commandOf('safe_browsing_server'), { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => assert.fail(`the server ended with ${code}`)),
  ]);
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path, options) => {
    const response = await fetch(`${url}${path}`, options);
    assert.equal(response.status, 200, await response.clone().text());
    return response.json();
  };
  return {
    url,
    control: (order) => ask('/control', { method: 'POST', body: JSON.stringify(order) }),
    log: () => ask('/log'),
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}
