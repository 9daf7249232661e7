/** Loads pages one after another that share a storage, to test the schedule of UrlChecker. */
import { expect } from '@jest/globals';
import type { UrlChecker, UrlCheckerOptions } from 'tamis/url';

import { Clock, closeAll, first, openFor, Publisher, TestStorage } from './url-publisher.js';
import { turn, until } from './waiting.js';

export const MINUTE = 60_000;
export const EVERY = 30 * MINUTE;
/** The wait if `random` returns 0.5. */
export const NEXT = 1.05 * EVERY;
export const unavailable = { code: 'ERR_TAMIS_UNAVAILABLE' };

export let publisher: Publisher;
export let clock: Clock;
export let storage: TestStorage;

/** Call it before each test. */
export async function begin(): Promise<void> {
  publisher = await Publisher.with(first);
  clock = new Clock();
  storage = new TestStorage();
}

/** Loads the page again. Returns its checker, and the requests until the next update was planned. */
export async function load(more: Partial<UrlCheckerOptions> = {}) {
  closeAll();
  publisher.drain();
  const options = { updateEveryMs: EVERY, now: clock.now, storage, ...more };
  const checker = await openFor(publisher, options);
  const isOwn = options.updateEveryMs === 0;
  await until(() => isOwn || checker.status.nextUpdateMs !== undefined);
  // It takes a few turns to store the plan.
  await turn();
  return { checker, asked: publisher.drain() };
}

export const dueKey = () =>
  [...storage.files.keys()].find((key) => key.endsWith('-due.json')) as string;
export const due = () => JSON.parse(Buffer.from(storage.files.get(dueKey()) as never).toString());
export const setDue = (value: unknown) =>
  storage.files.set(dueKey(), new TextEncoder().encode(JSON.stringify(value)));

export const answer = (status: number, headers: Record<string, string> = {}) => {
  publisher.instead.set('manifest.json', () => new Response(null, { status, headers }));
};

/** The planned wait after a failed update. */
export async function waitOf(checker: UrlChecker): Promise<number> {
  await expect(checker.update()).rejects.toMatchObject(unavailable);
  return (checker.status.nextUpdateMs as number) - clock.ms;
}
