/** The files of publishing: a whole list at every moment, even if it is killed, and no useless files. */
import { describe, expect, test } from '@jest/globals';
import type { Manifest } from 'tamis/url';

import { contentIn, expectWhole, filesOf, manifestIn, place } from './support/url-place.js';
import {
  DAY,
  filler,
  first,
  NEW,
  OLD,
  openFor,
  START,
  second,
  someHosts,
  TestStorage,
  versionOf,
} from './support/url-publisher.js';

describe('old files', () => {
  test('stay for a day, and no longer', async () => {
    const { files, clock, publish } = place();
    const published: { made: Manifest; untilMs: number }[] = [];
    for (let i = 0; i < 40; i++) {
      const before = published.at(-1);
      // Sometimes the same list again, or an earlier one.
      const made = await publish([...filler, ...someHosts([0, 1, 1, 2][i % 4] as number, 1000)], {
        maxDeltas: 3,
        jumps: 0,
      });
      if (before !== undefined) before.untilMs = clock.ms;
      published.push({ made, untilMs: Number.POSITIVE_INFINITY });
      const recent = published.filter(({ untilMs }) => clock.ms - untilMs < DAY);
      for (const { made: kept } of recent) expectWhole(kept, files);
      const named = recent.flatMap(({ made: kept }) => filesOf(kept).map(({ url }) => url));
      expect(contentIn(files)).toEqual([...new Set(named)].sort());
      clock.ms += (i % 5) * (DAY / 6);
    }
  });

  test('are known also where the clock went back, or files.json is damaged', async () => {
    const { files, clock, publish } = place();
    clock.ms = START + 1000 * DAY;
    await publish(first, { jumps: 0 });
    clock.ms = START;
    // By less than this lifetime.
    await publish(second, { lifetimeMs: 2000 * DAY, jumps: 0 });
    await publish(filler, { jumps: 0 });
    expect(contentIn(files)).toHaveLength(5);
    clock.ms += DAY;
    const { snapshot, deltas } = await publish(filler, { jumps: 0 });
    expect(contentIn(files)).toEqual([snapshot, ...deltas].map(({ url }) => url).sort());

    for (const text of ['', '[', 'null', '7', '{"manifest.json":0,"../x":0,"a":"b"}', '[[]]']) {
      files.set('files.json', new TextEncoder().encode(text));
      expectWhole(await publish(first), files);
      expectWhole(await publish(second), files);
      expectWhole(await manifestIn(files), files);
    }
  });

  test('one that cannot be removed stops nothing, and is tried again', async () => {
    const { storage, files, clock, publish } = place();
    const jumps = 0;
    const old = await publish(first, { jumps });
    await publish(second, { jumps });
    clock.ms += DAY;
    const { set } = storage;
    storage.set = async (key, bytes) => {
      if (bytes === undefined) throw new Error('busy');
      await set.call(storage, key, bytes);
    };
    await publish(second, { jumps });
    expect(contentIn(files)).toContain(old.snapshot.url);
    storage.set = set;
    await publish(second, { jumps });
    expect(contentIn(files)).not.toContain(old.snapshot.url);
  });
});

describe('a publisher that is killed', () => {
  const steps = ['files.json', 'snapshot', 'delta', 'jump', 'manifest.json'];

  test.each([...steps.keys()])('at write %d leaves a whole list', async (at) => {
    const { storage, files, clock, publish, host } = place();
    const before = await publish(first);
    let writes = 0;
    storage.before = (operation, key) => {
      if (operation !== 'set' && writes <= at) return;
      if (writes++ < at) return;
      expect(key.startsWith(steps[at] as string)).toBe(true);
      throw new Error('killed');
    };
    await expect(publish(second)).rejects.toThrow('killed');
    storage.before = () => undefined;
    const left = await manifestIn(files);
    expect(left).toEqual(before);
    expectWhole(left, files);
    expect(versionOf(await openFor(host))).toBe('first');

    // Another list is published next. The killed run's files are deleted after a day.
    const third = await publish(['third.example', ...first]);
    expect(third).toMatchObject({ seq: before.seq + 1, deltas: [{}] });
    clock.ms += DAY;
    const last = await publish(['third.example', ...first]);
    // The list at which jumps begin stays.
    const jump = `jump-${before.sha256.slice(0, 16)}-${last.sha256.slice(0, 16)}.tamis`;
    const kept = [...filesOf(last), before.snapshot].map(({ url }) => url);
    expect(contentIn(files)).toEqual([...kept, jump].sort());
    clock.ms += 1;
    await publish(second);
    expect(versionOf(await openFor(host))).toBe('second');
  });

  test('at any write of a long history', async () => {
    const { storage, files, clock, publish, host } = place();
    const hostsAt = (i: number) => [i % 2 ? 'old.example' : 'new.example', ...someHosts(300 + i)];
    let writes = 0;
    let killed = 0;
    storage.before = (operation) => {
      if (operation === 'set' && ++writes % 6 === 0) throw new Error('killed');
    };
    for (let i = 0; i < 60; i++) {
      clock.ms += DAY / 5;
      const before = files.has('manifest.json') ? await manifestIn(files) : undefined;
      const made = await publish(hostsAt(i), { maxDeltas: 4, lifetimeMs: 99 * DAY }).catch(
        () => {},
      );
      if (made === undefined) killed++;
      const left = await manifestIn(files);
      expect(left).toEqual(made ?? before);
      expectWhole(left, files);
      const checker = await openFor(host);
      expect(checker.status.version).toBe(left.version);
      if (made) expect(checker.checkMany([OLD, NEW])[i % 2]).toBe('safe');
    }
    expect(killed).toBeGreaterThan(20);
    storage.before = () => undefined;
    clock.ms += DAY;
    const none = { maxDeltas: 0, jumps: 0 };
    const last = await publish(hostsAt(60), none);
    clock.ms += DAY;
    expect(await publish(hostsAt(60), none)).toMatchObject({ snapshot: last.snapshot });
    expect(contentIn(files)).toEqual([last.snapshot.url]);
  });
});

describe('publishers at once', () => {
  test('calls for one storage follow one another, also after a failure', async () => {
    const { storage, files, publish } = place();
    const lists = [first, second, filler, first, second];
    let isBroken = false;
    storage.before = (operation, key) => {
      if (isBroken || operation !== 'set' || key !== 'manifest.json') return;
      isBroken = true;
      throw new Error('once');
    };
    const failed = expect(publish(first)).rejects.toThrow('once');
    const all = await Promise.all(lists.map((hosts) => publish(hosts)));
    await failed;
    expect(all.map(({ seq }) => seq - START / 1000)).toEqual([0, 1, 2, 3, 4]);
    expectWhole(all[4] as Manifest, files);
  });

  test('another process that was faster is built upon', async () => {
    const { storage, files, publish, host } = place();
    await publish(filler);
    const checker = await openFor(host);
    // Another storage object on the same files, as in another process.
    const { publish: elsewhere } = place(Object.assign(new TestStorage(), { files }));
    let others = 0;
    storage.before = async (operation, key) => {
      const isLast = operation === 'set' && key.startsWith('snapshot') && others < 3;
      if (isLast) await elsewhere([...filler, ...someHosts(++others, 1000)]);
    };
    const made = await publish(second);
    expect(others).toBe(1);
    expect(made).toMatchObject({ seq: START / 1000 + 2, deltas: [{}, {}] });
    expectWhole(made, files);
    expect(await checker.update()).toMatchObject({ by: 'jump' });
    expect(versionOf(checker)).toBe('second');
  });
});
