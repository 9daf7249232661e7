// Starts the Safe Browsing server in Python, and clients with their own clock and storage.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { SafeBrowsing } from 'tamis/safe-browsing';
import { memoryStorage } from 'tamis/url';
import { PATIENCE_MS } from '../../tests/e2e/patience.mjs';
import { startServer } from '../servers.mjs';
import { startOf } from './peer.mjs';

const { command, skip } = startOf('safe-browsing');
const programs = join(import.meta.dirname, 'programs');

/** The reason to skip the tests of this peer; false if the peer is available. */
export { skip };

/** A program of this peer as a command: the executable, and its arguments. */
export function commandOf(name, ...args) {
  return [command[0], [...command.slice(1), join(programs, `${name}.py`), ...args.map(String)]];
}

/**
 * Starts the server on a free port of 127.0.0.1. `log` returns what was sent since the last reset. The server ends with
 * this process at the latest.
 */
async function startSafeBrowsing() {
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

/** Half an hour, the time that the server asks clients to wait after an answer. */
export const WAIT_MS = 1_800_000;
export const START_MS = Date.parse('2026-11-22T00:00:00.000Z');

/** Hosts with the numbers from `from` to `to` - 1. */
export const hostsOf = (from, to, word = 'host') =>
  Array.from({ length: to - from }, (_, i) => `${word}-${from + i}.example`);

/**
 * A server for the tests in a `describe`, and its clients, which are closed after each test. All clients use the time
 * `clock.ms`.
 */
export function startForTests() {
  const opened = [];
  const clock = { ms: START_MS };
  let server;
  before(async () => {
    server = await startSafeBrowsing();
  });
  const closeAll = () => {
    for (const client of opened.splice(0)) client.close();
  };
  afterEach(closeAll);
  after(() => server?.stop());
  return {
    control: (order) => server.control(order),
    log: () => server.log(),
    clock,
    closeAll,
    async open(more = {}) {
      const client = await SafeBrowsing.open({
        apiKey: 'the-key',
        mode: 'local-lists',
        lists: ['se-4b'],
        storage: memoryStorage(),
        whenSearchFails: 'unknown',
        endpoint: server.url,
        downloadTimeoutMs: PATIENCE_MS,
        searchTimeoutMs: PATIENCE_MS,
        autoUpdate: false,
        now: () => clock.ms,
        random: () => 0.5,
        ...more,
      });
      opened.push(client);
      return client;
    },
  };
}
