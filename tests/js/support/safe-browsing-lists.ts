/** Two versions of lists on a server that replaces `fetch`, and the lists of its clients. */
import type { SafeBrowsing } from 'tamis/safe-browsing';

import { FakeGoogle, openClient, prefixesOf } from './safe-browsing.js';
import { Clock, TestStorage } from './url-publisher.js';

export const EVERY = 1800 * 1000;
export const names = (from: number, count = 40) =>
  Array.from({ length: count }, (_, i) => `host-${from + i}.example/`);
export const first = names(0);
export const second = [...names(20), 'evil.example/'];
export const EVIL = 'https://login.evil.example/x';
export const OLD = 'https://host-3.example/';

/** A server with two lists, and a clock for its clients. */
export function served() {
  const google = new FakeGoogle();
  google.serve('se-4b', prefixesOf(first));
  google.serve('mw-4b', prefixesOf(names(100)));
  const clock = new Clock();
  const storage = new TestStorage();
  const options = { lists: ['se-4b', 'mw-4b'], now: clock.now, storage };
  const open = (more = {}) => openClient(google, { ...options, ...more });
  return { google, clock, storage, open };
}

export const told = (google: FakeGoogle) =>
  google.updates.map(({ query }) => [query.getAll('names').join(), query.getAll('version').length]);

export async function codeOf(update: Promise<unknown>): Promise<string> {
  return update.then(
    () => 'none',
    ({ code }) => code,
  );
}

export const contentOf = (client: SafeBrowsing) =>
  [EVIL, OLD, 'https://host-130.example/'].map((url) => client.check(url)).join();
