// Clients of the Safe Browsing server in Python, with a clock and a storage of their own.
import { after, afterEach, before } from 'node:test';
import { SafeBrowsing } from 'tamis/safe-browsing';
import { memoryStorage } from 'tamis/url';
import { PATIENCE_MS } from '../../tests/e2e/patience.mjs';
import { startSafeBrowsing } from './safe-browsing-server.mjs';

/** Half an hour, the wait that the server asks for after an answer. */
export const WAIT_MS = 1_800_000;
export const START_MS = Date.parse('2026-11-22T00:00:00.000Z');

/** Hosts with the numbers from `from` up to `to`. */
export const hostsOf = (from, to, word = 'host') =>
  Array.from({ length: to - from }, (_, i) => `${word}-${from + i}.example`);

/**
 * A server for the tests of a `describe`, and its clients, which are closed after each test. `clock.ms` is the time of
 * all clients.
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
        key: 'the-key',
        mode: 'local-lists',
        lists: ['se-4b'],
        storage: memoryStorage(),
        onSearchError: 'unknown',
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
