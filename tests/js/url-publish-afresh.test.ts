/** Publishing into an empty storage, as a CI job does: clients of an earlier version still update. */
import { describe, expect, test } from '@jest/globals';
import { memoryStorage, publishList, signManifest } from 'tamis/url';

import { rejection } from './support/errors.js';
import {
  contentIn,
  expectWhole,
  filesOf,
  jumpsIn,
  keys,
  manifestIn,
  place,
} from './support/url-place.js';
import {
  DAY,
  first,
  listOf,
  NEW,
  newKeys,
  openFor,
  type Publisher,
  START,
  second,
  someHosts,
  TestStorage,
  versionOf,
} from './support/url-publisher.js';

const third = [...second, ...someHosts(3, 2000)];

/** Makes the host serve that place, as when a new job's folder replaces the old one. */
function serve(host: Publisher, files: ReadonlyMap<string, Uint8Array>): void {
  host.files.clear();
  for (const [name, bytes] of files) host.files.set(name, bytes);
}

describe('two empty places', () => {
  test('two seconds apart: the client takes the second', async () => {
    const [one, two] = [place(), place()];
    two.clock.ms = START + 2000;
    expect((await one.publish(first)).seq).toBe(START / 1000);
    const storage = new TestStorage();
    const checker = await openFor(one.host, { storage });
    expect((await two.publish(second)).seq).toBe(START / 1000 + 2);
    serve(one.host, two.files);
    expect(await checker.update()).toMatchObject({ changed: true, by: 'snapshot' });
    expect(versionOf(checker)).toBe('second');
    expect(versionOf(await openFor(one.host, { storage }))).toBe('second');
  });

  test.each([
    ['within one second', START + 999],
    ['by a clock that was put back', START - 5000],
  ])('%s: the client keeps the first until the time is over', async (_, ms) => {
    const [one, two] = [place(), place()];
    await one.publish(first);
    const checker = await openFor(one.host);
    two.clock.ms = ms;
    await two.publish(second);
    serve(one.host, two.files);
    expect((await rejection(checker.update())).code).toBe('ERR_TAMIS_ROLLBACK');
    expect(versionOf(checker)).toBe('first');
    two.clock.ms = START + 1000;
    await two.publish(second);
    serve(one.host, two.files);
    await checker.update();
    expect(versionOf(checker)).toBe('second');
  });
});

test('a number is at least the one after the version before', async () => {
  const { clock, publish } = place();
  const seqs = [];
  for (const ms of [START, START, START + 999, START + 2500, START - DAY]) {
    clock.ms = ms;
    seqs.push((await publish(first)).seq - START / 1000);
  }
  expect(seqs).toEqual([0, 1, 2, 3, 4]);
  const old = place();
  for (const [seq, ms] of [999, 0.5, 0].entries()) {
    old.clock.ms = ms;
    expect((await old.publish(first)).seq).toBe(seq + 1);
  }
});

describe('a clock that was put back', () => {
  const lifetimeMs = 4 * DAY;

  test('by less than the lifetime: the version is trusted until its own time', async () => {
    const { clock, host, publish } = place();
    await publish(first, { lifetimeMs });
    const checker = await openFor(host);
    clock.ms = START - 2 * DAY;
    const { notAfter } = await publish(second, { lifetimeMs });
    expect(Date.parse(notAfter)).toBe(START + 2 * DAY);
    await checker.update();
    expect(versionOf(checker)).toBe('second');
    const other = place();
    await other.publish(first, { lifetimeMs });
    other.clock.ms = START - lifetimeMs + 1;
    const least = await other.publish(second, { lifetimeMs });
    expect(Date.parse(least.notAfter)).toBe(START + 1);
  });

  test.each([0, 30 * DAY])('by the lifetime and %i ms: nothing is published', async (more) => {
    const one = place();
    const { created } = await one.publish(first, { lifetimeMs });
    const before = contentIn(one.files);
    const two = place();
    const ms = START - lifetimeMs - more;
    for (const { clock, publish } of [one, two]) {
      clock.ms = ms;
      const error = await rejection(publish(second, { lifetimeMs, previous: one.storage }));
      expect(error).toBeInstanceOf(RangeError);
      expect(error.code).toBe('ERR_TAMIS_INVALID_OPTION');
      expect(error.message).toContain(new Date(ms).toISOString());
      expect(error.message).toContain(created);
    }
    expect(contentIn(one.files)).toEqual(before);
    expect((await manifestIn(one.files)).created).toBe(created);
    expect(two.files.size).toBe(0);
  });
});

describe('previous', () => {
  test('is what the delta begins at, and its files are there for a day', async () => {
    const [one, two] = [place(), place()];
    await one.publish(first);
    const oldest = await openFor(one.host);
    const standing = await one.publish(second);
    const named = filesOf(standing).map(({ url }) => url);
    const old = await openFor(one.host);
    const before = contentIn(one.files);
    // With any clock.
    for (const ms of [START, START - DAY, START + DAY / 2]) {
      const three = place();
      three.clock.ms = ms;
      const made = await three.publish(third, { previous: one.storage });
      expect(made.seq).toBe(Math.max(START / 1000 + 2, Math.floor(ms / 1000)));
      expect(made.deltas).toHaveLength(2);
      expectWhole(made, three.files);
      expect(contentIn(three.files)).toEqual(expect.arrayContaining(named));
    }
    const made = await two.publish(third, { previous: one.storage });
    expect(contentIn(one.files)).toEqual(before);
    serve(one.host, two.files);
    // Jumps begin at the version before. An older client follows two deltas.
    for (const [checker, by] of [
      [oldest, 'deltas'],
      [old, 'jump'],
    ] as const) {
      expect(await checker.update()).toMatchObject({ by });
      expect(checker.check(NEW)).toBe('maybe');
      expect(checker.check('https://h2002.listed.example/')).toBe('maybe');
    }
    two.clock.ms += DAY;
    const renewed = await two.publish(third);
    expect(renewed.deltas).toEqual(made.deltas);
    two.clock.ms += DAY;
    await two.publish(third);
    // The list at which jumps begin stays.
    const kept = [...filesOf(made), standing.snapshot].map(({ url }) => url);
    expect(jumpsIn(two.files)).toHaveLength(1);
    expect(contentIn(two.files)).toEqual([...kept, ...jumpsIn(two.files)].sort());
  });

  test('renews the same list', async () => {
    const [one, two] = [place(), place()];
    await one.publish(first);
    const made = await one.publish(second);
    two.clock.ms = START + DAY;
    const renewed = await two.publish(second, { previous: one.storage });
    expect([renewed.snapshot, renewed.deltas]).toEqual([made.snapshot, made.deltas]);
    expectWhole(renewed, two.files);
  });

  test('what it lost is left out', async () => {
    const one = place();
    await one.publish(first);
    await one.publish(second);
    const made = await one.publish(third);
    one.files.delete(made.deltas[0]?.url as string);
    const two = place();
    const cut = await two.publish(first, { previous: one.storage });
    expect(cut.deltas.slice(0, -1)).toEqual(made.deltas.slice(1));
    expectWhole(cut, two.files);
    // Damaged, so no delta can be made.
    one.files.set(made.snapshot.url, new Uint8Array(100));
    const three = place();
    const whole = await three.publish(first, { previous: one.storage });
    expect([whole.seq, whole.deltas]).toEqual([made.seq + 1, []]);
    expect(contentIn(three.files)).not.toContain(made.snapshot.url);
  });

  test('the version of the higher number counts, there or here', async () => {
    const [one, two] = [place(), place()];
    await one.publish(first);
    const shared = new TestStorage();
    for (const [name, bytes] of one.files) shared.files.set(name, bytes);
    await one.publish(second);
    // The version here is older. Its files stay for its clients.
    const here = place(shared);
    const made = await here.publish(third, { previous: one.storage });
    expect([made.seq, made.deltas.length]).toEqual([START / 1000 + 2, 2]);
    expectWhole(made, shared.files);
    // The version here is newer.
    const next = await here.publish(second, { previous: one.storage });
    expect([next.seq, next.deltas.length]).toEqual([START / 1000 + 3, 3]);
    expectWhole(next, shared.files);
    // Different versions with the same number: no client is locked out.
    await two.publish(third);
    const checker = await openFor(two.host);
    const other = place();
    await other.publish(first);
    await other.publish(second, { previous: two.storage });
    serve(two.host, other.files);
    await checker.update();
    expect(versionOf(checker)).toBe('second');
  });

  test('is verified, and nothing is written where it is wrong', async () => {
    const one = place();
    await one.publish(first);
    const rule = { name: 'psl', registrableDomain: () => null };
    const two = place();
    const cases: [string, () => Promise<unknown>][] = [
      ['UNAVAILABLE', () => two.publish(second, { previous: memoryStorage() })],
      ['CORRUPT', () => two.publish(second, { previous: { get: () => new Uint8Array(9) } })],
      ['CORRUPT', () => two.publish(second, { previous: { get: () => 'text' as never } })],
      ['INCOMPATIBLE', () => two.publish(second, { previous: one.storage, name: 'spam' })],
      [
        'INCOMPATIBLE',
        () =>
          publishList(listOf(second, rule), {
            name: 'phish',
            storage: two.storage,
            signingKeys: keys,
            previous: one.storage,
          }),
      ],
    ];
    for (const [code, publishing] of cases) {
      expect((await rejection(publishing())).code).toBe(`ERR_TAMIS_${code}`);
    }
    const others = await newKeys();
    const changed = { previous: one.storage, signingKeys: others };
    expect((await rejection(two.publish(second, changed))).code).toBe('ERR_TAMIS_BAD_SIGNATURE');
    for (const previous of [null, 'x', {}, { set: () => {} }]) {
      const error = await rejection(two.publish(second, { previous } as never));
      expect(error.code).toBe('ERR_TAMIS_INVALID_OPTION');
      expect(error.message).toContain('previous');
    }
    expect(two.files.size).toBe(0);
    const publicKeys = [keys.publicKey];
    expect(await two.publish(second, { ...changed, publicKeys })).toMatchObject({ deltas: [{}] });
  });

  test('files of other names are not brought: nobody knows where they would be served', async () => {
    const one = place();
    const { keyId: _, sig: __, ...fields } = await one.publish(first);
    const snapshot = { ...fields.snapshot, url: '../elsewhere.bin' };
    one.files.set(snapshot.url, one.files.get(fields.snapshot.url) as Uint8Array);
    const standing = await signManifest({ ...fields, snapshot }, keys);
    one.files.set('manifest.json', new TextEncoder().encode(JSON.stringify(standing)));
    const two = place();
    const made = await two.publish(second, { previous: one.storage });
    expect([made.seq, made.deltas]).toEqual([START / 1000 + 1, []]);
    expect(contentIn(two.files)).toEqual([made.snapshot.url]);
    expect(await manifestIn(two.files)).toEqual(made);
  });

  test('killed at any step, the place has no manifest or the new one, with all its files', async () => {
    const one = place();
    await one.publish(first);
    for (let steps = 0, isDone = false; !isDone; steps++) {
      const two = place();
      let step = 0;
      two.storage.before = () => {
        if (step++ >= steps) throw new Error('killed');
      };
      isDone = await two.publish(second, { previous: one.storage }).then(
        () => true,
        () => false,
      );
      two.storage.before = () => undefined;
      expect(two.files.has('manifest.json')).toBe(isDone);
      const made = await two.publish(second, { previous: one.storage });
      expect(made.deltas).toHaveLength(1);
      expectWhole(made, two.files);
    }
  });
});
