// The Safe Browsing server in Python, as tests use it. programs/safe_browsing_server.py describes its commands.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startServer } from '../servers.mjs';
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
  const { match, stop } = await startServer(/^(\d+)\n/, ...commandOf('safe_browsing_server'));
  const url = `http://127.0.0.1:${match[1]}`;
  const ask = async (path, options) => {
    const response = await fetch(`${url}${path}`, options);
    assert.equal(response.status, 200, await response.clone().text());
    return response.json();
  };
  return {
    url,
    control: (order) => ask('/control', { method: 'POST', body: JSON.stringify(order) }),
    log: () => ask('/log'),
    stop,
  };
}
