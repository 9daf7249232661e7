/**
 * A UrlChecker with files, killed before, during and after each of its steps on disk. The next start has one whole
 * list, and after the next update there is no other.
 */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { fileStorage, publishList, UrlChecker, type UrlList } from 'tamis/url';
import { isLong } from '../js/support/budget.js';
import { folder } from '../js/support/cli.js';
import { runHooked } from '../js/support/hooked.js';
import { random } from '../js/support/keys.js';
import { hex, listOf, newKeys } from '../js/support/url-publisher.js';

const program = fileURLToPath(new URL('../js/support/check-from-files.mjs', import.meta.url));
const path = (...names: string[]): string => join(folder, ...names);
const hosts = Array.from({ length: 2000 }, (_, i) => `h${i}.listed.example`);
const older: UrlList = listOf(['old.example', ...hosts]);
const newer: UrlList = listOf(['new.example', ...hosts]);
const keys = await newKeys();
const key = hex(new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey)));

const publish = (list: UrlList) =>
  publishList(list, { name: 'bad', storage: fileStorage(path('published')), signingKeys: keys });

/** Finds out which of the two lists the storage has, if any; with a network, after an update. */
async function standing(stored: string, isOnline: boolean): Promise<string> {
  const checker = await UrlChecker.open('https://lists.example/manifest.json', {
    name: 'bad',
    publicKeys: [key],
    storage: fileStorage(stored),
    confirm: null,
    whenMissing: 'unknown',
    whenUnconfirmed: 'unknown',
    updateEveryMs: 0,
    fetch: async (url) => {
      if (!isOnline) throw new TypeError('offline');
      return new Response(await fs.readFile(path('published', basename(url))));
    },
  });
  if (isOnline) await checker.update();
  const answers = checker.checkMany(['https://old.example/', 'https://new.example/']).join();
  checker.close();
  return answers;
}

const isOlder = 'maybe,safe';
const isNewer = 'safe,maybe';
const isNone = 'unknown,unknown';

test.each([
  ['nothing', [isNone, isNewer]],
  ['an image', [isOlder, isNewer]],
])('from %s', async (from, allowed) => {
  await publish(older);
  const run = (stored: string, hooked: Record<string, string>) =>
    runHooked([stored, path('published'), key], hooked, program);
  const before = path('before');
  if (from !== 'nothing') {
    expect(await run(before, {})).toBe(false);
  }
  let runs = 0;
  /** A new folder each time: the cleaning in this process may still be running. */
  const fresh = () => {
    const stored = path(`stored-${runs++}`);
    if (existsSync(before)) cpSync(before, stored, { recursive: true });
    return stored;
  };
  await publish(newer);
  const trace = path('trace');
  expect(await run(fresh(), { TAMIS_TRACE: trace })).toBe(false);
  const steps = readFileSync(trace, 'utf8').trimEnd().split('\n');
  expect(steps.filter((step) => /^rename\t.*\.img\./.test(step)).length).toBeGreaterThan(0);
  const next = random(31);
  const hows = ['before', 'half', 'after'] as const;
  const seen = new Set<string>();
  for (const at of steps.keys()) {
    for (const how of isLong || at === steps.length - 1 ? hows : [hows[next() % 3] as string]) {
      const stored = fresh();
      const hooked = { TAMIS_KILL_AT: `${at}`, TAMIS_KILL_HOW: how };
      expect([at, how, await run(stored, hooked)]).toEqual([at, how, true]);
      const found = await standing(stored, false);
      seen.add(found);
      expect([at, how, allowed.includes(found)]).toEqual([at, how, true]);
      expect([at, how, await standing(stored, true)]).toEqual([at, how, isNewer]);
      // The cleaning runs in the background.
      const left = () => readdirSync(stored).filter((name) => name.endsWith('.img'));
      do expect(await standing(stored, false)).toBe(isNewer);
      while (left().length > 1);
    }
  }
  expect(seen).toEqual(new Set(allowed));
});
