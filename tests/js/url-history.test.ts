/**
 * The history of a list, for clients that come and crash at any time. 180 steps of a real list are a long test
 * (TAMIS_LONG=1). Their data are not part of the project; without them it is skipped.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { publishList, type UrlChecker } from 'tamis/url';
import { budget, isLong } from './support/budget.js';
import { random } from './support/keys.js';
import { keys, place } from './support/url-place.js';
import { DAY, listOf, openFor, Publisher, TestStorage } from './support/url-publisher.js';

const data = new URL('../../../shared/data/phishing-history.json.gz', import.meta.url);

interface History {
  readonly start: string[];
  readonly steps: { readonly add: string[]; readonly remove: string[] }[];
}

/** This many steps are published at once. */
const stride = 3;

test('versions skipped at random: each client has the list of the full build', async () => {
  const next = random(5);
  const name = () => `h${next() % 2000}.listed.example`;
  const hosts = new Set(Array.from({ length: 800 }, name));
  const publisher = await Publisher.with([...hosts]);
  const clients = await Promise.all(
    [0, 1, 2, 3].map(() => openFor(publisher, { storage: new TestStorage() })),
  );
  const ways = { none: 0, jump: 0, deltas: 0, snapshot: 0 };
  const steps = budget(60, 30);
  for (let step = 0; step < steps; step++) {
    for (const host of [...hosts]) if (next() % 100 === 0) hosts.delete(host);
    for (let i = next() % 20; i > 0; i--) hosts.add(name());
    // Sometimes everything is new, or a version is published again.
    if (step % 20 === 19) for (let i = 0; i < 2000; i++) hosts.add(`h${i}.${step}.example`);
    if (step % 20 === 0) for (const host of hosts) if (!/listed/.test(host)) hosts.delete(host);
    const fields = step % 7 === 6 ? { deltas: [] } : {};
    await publisher.publish([...hosts], fields);
    const { list } = publisher.versions.at(-1) as (typeof publisher.versions)[number];
    const urls = [...hosts, ...Array.from({ length: 500 }, name)].map((host) => `http://${host}`);
    const expected = list.checkMany(urls);
    expect(expected.slice(0, hosts.size)).toEqual(Array(hosts.size).fill('maybe'));
    for (const [i, checker] of clients.entries()) {
      if (next() % (4 * i + 1) !== 0) continue;
      const { by } = await checker.update();
      ways[by]++;
      expect(checker.checkMany(urls)).toEqual(expected);
      expect(checker.status).toMatchObject({ count: list.count, version: `v${publisher.seq}` });
    }
  }
  expect(ways.deltas).toBeGreaterThan(steps / 3);
  expect(ways.snapshot).toBeGreaterThan(steps / 12);
});

// Skipped without TAMIS_LONG, because it takes minutes, and without the data of the real history.
(isLong && existsSync(data) ? test : test.skip)(
  'after each update the list is that of a full build',
  async () => {
    const history = JSON.parse(gunzipSync(readFileSync(data)).toString()) as History;
    const hosts = new Set(history.start);
    const { storage: published, host: publisher, files, clock } = place();
    const options = {
      name: 'phish',
      storage: published,
      signingKeys: keys,
      now: () => clock.ms,
      jumps: 40,
    };
    await publishList(listOf([...hosts]), options);
    const next = random(20261122);
    const storages = [1, 3, 9, 90].map(() => new TestStorage());
    const clients: UrlChecker[] = [];
    for (const storage of storages) clients.push(await openFor(publisher, { storage }));
    const ways = { none: 0, jump: 0, deltas: 0, snapshot: 0 };
    let kills = 0;
    for (let at = 0; at < history.steps.length; at += stride) {
      const steps = history.steps.slice(at, at + stride);
      const touched = steps.flatMap(({ add, remove }) => [...add, ...remove]);
      for (const { add, remove } of steps) {
        for (const host of remove) hosts.delete(host);
        for (const host of add) hosts.add(host);
      }
      const list = listOf([...hosts]);
      clock.ms += DAY / 6;
      await publishList(list, options);
      // The history with its lists, the lists of the day before, and the jumps to this version and the one before.
      expect(files.size).toBeLessThanOrEqual(2 + 50 + 6 + 7 + 2 * 40);
      for (const [i, every] of [1, 3, 9, 90].entries()) {
        if (next() % every !== 0) continue;
        const storage = storages[i] as TestStorage;
        // Sometimes the process crashes at some step, and restarts without a network.
        if (next() % 2 === 0) {
          let left = next() % 6;
          const dying = clients[i] as UrlChecker;
          await new Promise<unknown>((resolve) => {
            storage.before = () => (left-- > 0 ? undefined : new Promise(() => resolve(0)));
            dying.update().then(resolve, resolve);
          });
          dying.close();
          storage.before = () => undefined;
          publisher.instead.set('manifest.json', () => new Response(null, { status: 500 }));
          clients[i] = await openFor(publisher, { storage });
          expect(clients[i]?.status).toMatchObject({ source: 'storage', stale: false });
          publisher.instead.clear();
          kills++;
        }
        const checker = clients[i] as UrlChecker;
        const { by } = await checker.update();
        ways[by]++;
        // update() has compared the list's SHA-256 with the full build's.
        const urls = touched.map((host) => `https://${host}/`);
        const answers = checker.checkMany(urls);
        expect(answers).toEqual(list.checkMany(urls));
        touched.forEach((host, j) => {
          if (hosts.has(host)) expect([host, answers[j]]).toEqual([host, 'maybe']);
        });
      }
      list.dispose();
    }
    expect(ways.jump).toBeGreaterThan(60);
    expect(kills).toBeGreaterThan(20);
  },
);
