/** The jumps of publishList: each leads from and to the lists in its name, and they reach back as far as allowed. */
import { describe, expect, test } from '@jest/globals';
import { type Manifest, publishList, UrlDelta, type UrlList, UrlListBuilder } from 'tamis/url';

import { budget, isLong } from './support/budget.js';
import { random } from './support/keys.js';
import { contentIn, expectWhole, jumpsIn, keys, manifestIn, place } from './support/url-place.js';
import {
  DAY,
  filler,
  first,
  hex,
  listOf,
  openFor,
  second,
  someHosts,
  TestStorage,
} from './support/url-publisher.js';

const HOUR = DAY / 24;
const digitsOf = (sha256: string): string => sha256.slice(0, 16);
const built = new Map<string, UrlList>();
/** The list of these hosts, built only once. */
function listFor(hosts: readonly string[]): UrlList {
  const list = built.get(hosts.join()) ?? listOf(hosts);
  built.set(hosts.join(), list);
  return list;
}
const digits = (hosts: readonly string[]): string => digitsOf(hex(listFor(hosts).identity));
const nameOf = (from: readonly string[], to: readonly string[]): string =>
  `jump-${digits(from)}-${digits(to)}.tamis`;
/** Versions that differ by one host each. */
const hostsAt = (i: number): string[] => [...filler, ...someHosts(1, 1000 + i)];

/** Expects that each jump in the storage turns its first list into its second. */
function expectRight(files: ReadonlyMap<string, Uint8Array>, versions: readonly string[][]): void {
  const lists = new Map(versions.map((hosts) => [digits(hosts), listFor(hosts)]));
  for (const name of jumpsIn(files)) {
    const [, from = '', to = ''] = /^jump-(\w{16})-(\w{16})\.tamis$/.exec(name) ?? [];
    const bytes = files.get(name) as Uint8Array;
    const made = (lists.get(from) as UrlList).apply(UrlDelta.fromBytes(bytes));
    expect([name, hex(made.identity)]).toEqual([name, hex((lists.get(to) as UrlList).identity)]);
  }
}

/** The versions with a jump to the manifest's list. */
function startsIn(
  files: ReadonlyMap<string, Uint8Array>,
  { sha256 }: Manifest,
  versions: readonly string[][],
): number[] {
  const names = jumpsIn(files);
  const has = (hosts: string[]) =>
    names.includes(`jump-${digits(hosts)}-${digitsOf(sha256)}.tamis`);
  return versions.flatMap((hosts, i) => (has(hosts) ? [i] : []));
}

const historyIn = (files: ReadonlyMap<string, Uint8Array>) =>
  JSON.parse(Buffer.from(files.get('files.json') as Uint8Array).toString()).history as {
    to: string;
    steps: { from: string; delta: string; snapshot?: string }[];
  };

test('a client is one request behind, however many versions', async () => {
  const next = random(7);
  const name = () => `h${next() % 100_000}.listed.example`;
  const hosts = new Set(Array.from({ length: 2500 }, name));
  const { files, clock, host, publish } = place();
  const jumps = budget(48, 9);
  const clients = [];
  const sizes: number[] = [];
  let made = await publish([...hosts], { jumps });
  for (let i = 0; i < jumps + 12; i++) {
    clients.push(await openFor(host));
    for (const one of hosts) if (next() % 800 === 0) hosts.delete(one);
    for (let j = 1 + (next() % 7); j > 0; j--) hosts.add(name());
    clock.ms += HOUR / 2;
    made = await publish([...hosts], { jumps });
    sizes.push(made.deltas.at(-1)?.bytes as number);
  }
  expect(made.deltas).toHaveLength(8);
  expect(files.get('manifest.json')?.length).toBeLessThan(3000);
  const list = listOf([...hosts]);
  const urls = [...hosts, ...Array.from({ length: 500 }, name)].map((one) => `http://${one}`);
  const expected = list.checkMany(urls);
  for (const [i, checker] of clients.entries()) {
    host.drain();
    const behind = clients.length - i;
    const { by, receivedBytes } = await checker.update();
    const isFar = behind > jumps;
    expect([behind, by]).toEqual([behind, isFar ? 'snapshot' : 'jump']);
    expect(host.drain()).toEqual(['manifest.json', 'jump', ...(isFar ? ['snapshot'] : [])]);
    expect(receivedBytes).toBeLessThanOrEqual(made.snapshot.bytes);
    const chain = sizes.slice(i).reduce((a, b) => a + b);
    if (!isFar) expect(receivedBytes).toBeLessThanOrEqual(behind < 8 ? chain : 0.6 * chain);
    expect(checker.checkMany(urls)).toEqual(expected);
    expect(checker.status).toMatchObject({ count: list.count, version: made.version });
  }
});

describe('jumps', () => {
  test.each([1, 4, 9])('are from the newest %d versions', async (jumps) => {
    const { files, clock, publish } = place();
    const versions: string[][] = [];
    for (let i = 0; i < budget(25, 14); i++) {
      clock.ms += DAY;
      versions.push(hostsAt(i));
      const made = await publish(hostsAt(i), { jumps, maxDeltas: 0, lifetimeMs: 99 * DAY });
      expect(made.jumps).toBe(i === 0 ? undefined : 'jump-');
      const wanted = versions.map((_, at) => at).slice(Math.max(0, i - jumps), i);
      expect(startsIn(files, made, versions)).toEqual(wanted);
      expectRight(files, versions);
      // A day later only useful files remain.
      const { to, steps } = historyIn(files);
      expect(to).toBe(made.sha256);
      expect(steps.length).toBeLessThanOrEqual(jumps + Math.ceil(jumps / 4));
      const lists = steps.flatMap(({ snapshot }) => (snapshot ? [snapshot] : []));
      expect(lists.length).toBeLessThanOrEqual(6);
      const now = new Set([
        ...lists.map((digest) => `snapshot-${digest}.tamis`),
        ...steps.map(({ delta }) => `delta-${delta}.tamis`),
        made.snapshot.url,
        ...jumpsIn(files),
      ]);
      const before = contentIn(files).filter((name) => !now.has(name));
      // The list before, which the manifest named until now.
      expect(before.length).toBeLessThanOrEqual(1);
    }
  });

  test('to an older list go after an hour', async () => {
    const { files, clock, publish } = place();
    for (let i = 0; i < 3; i++) await publish(hostsAt(i));
    const [old, older] = [nameOf(hostsAt(0), hostsAt(2)), nameOf(hostsAt(0), hostsAt(1))];
    clock.ms += HOUR - 1;
    await publish(hostsAt(3));
    expect(jumpsIn(files)).toEqual(expect.arrayContaining([old, older]));
    clock.ms += 1;
    await publish(hostsAt(4));
    expect(jumpsIn(files)).toContain(old);
    expect(jumpsIn(files)).not.toContain(older);
    clock.ms += HOUR;
    await publish(hostsAt(5));
    expect(jumpsIn(files)).not.toContain(old);
  });

  test('stay as long as their list is renewed, and that writes the manifest alone', async () => {
    const { files, storage, clock, host, publish } = place();
    await publish(first);
    const checker = await openFor(host);
    const { jumps } = await publish(second);
    expect(jumps).toBe('jump-');
    const written: string[] = [];
    storage.before = (operation, key) => operation === 'set' && written.push(key);
    for (let i = 0; i < 5; i++) {
      clock.ms += 2 * DAY;
      expect((await publish(second, { lifetimeMs: 99 * DAY })).jumps).toBe('jump-');
    }
    expect(written.filter((key) => files.has(key))).toEqual(
      Array(5).fill(['files.json', 'manifest.json']).flat(),
    );
    expect(jumpsIn(files)).toEqual([nameOf(first, second)]);
    expect(await checker.update()).toMatchObject({ by: 'jump' });
    // New jumps start from there.
    const made = await publish(filler);
    expect(startsIn(files, made, [first, second])).toEqual([0, 1]);
  });

  test('of an unchanged list are written again where all were lost', async () => {
    const { files, publish } = place();
    for (const i of [0, 1, 2]) await publish(hostsAt(i));
    for (const name of jumpsIn(files)) files.delete(name);
    const made = await publish(hostsAt(2));
    expect(made.jumps).toBe('jump-');
    expect(startsIn(files, made, [hostsAt(0), hostsAt(1)])).toEqual([0, 1]);
    // Without their sources, the manifest names no jumps.
    for (const name of [...jumpsIn(files), 'files.json']) files.delete(name);
    expect((await publish(hostsAt(2))).jumps).toBeUndefined();
  });

  test('are never as large as the list', async () => {
    const { files, host, publish } = place();
    const others = someHosts(filler.length, 5000);
    await publish(first);
    const checker = await openFor(host);
    const none = await publish(others);
    expect([none.jumps, none.deltas, jumpsIn(files)]).toEqual([undefined, [], []]);
    expect(await checker.update()).toMatchObject({ by: 'snapshot' });
    // One bad version: clients that missed it jump over it.
    const made = await publish(second);
    expect(startsIn(files, made, [first, others])).toEqual([0]);
    expectRight(files, [first, others, second]);
    for (const name of jumpsIn(files)) {
      expect(files.get(name)?.length).toBeLessThan(made.snapshot.bytes);
    }
  });

  test('of a list that had the same content twice', async () => {
    const { files, publish } = place();
    const versions = [first, second, first, second, filler];
    for (const hosts of [first, second, first, second]) await publish(hosts);
    const again = await publish(first);
    expect(startsIn(files, again, [first, second])).toEqual([1]);
    const made = await publish(filler);
    expect(startsIn(files, made, versions)).toEqual([0, 1, 2, 3]);
    expectRight(files, versions);
  });

  test('0: there are none, and with another number they begin anew', async () => {
    const { files, clock, publish } = place();
    for (let i = 0; i < 3; i++) await publish(hostsAt(i));
    clock.ms += DAY;
    const made = await publish(hostsAt(3), { jumps: 0 });
    expect(made.jumps).toBeUndefined();
    expect(startsIn(files, made, [0, 1, 2].map(hostsAt))).toEqual([]);
    const renewed = await publish(hostsAt(3), { jumps: 9 });
    expect(renewed.jumps).toBeUndefined();
    const last = await publish(hostsAt(4), { jumps: 9 });
    expect(startsIn(files, last, [0, 1, 2, 3].map(hostsAt))).toEqual([3]);
  });

  test('of other prefixes begin anew', async () => {
    const { files, storage, publish, clock } = place();
    await publish(first);
    await publish(second);
    const wide = new UrlListBuilder({ prefixBytes: 8 }).addHosts(second).build();
    const options = { name: 'phish', storage, signingKeys: keys, now: () => clock.ms };
    const made = await publishList(wide, options);
    expect([made.jumps, historyIn(files).steps]).toEqual([undefined, []]);
  });
});

describe('whatever the folder has, no jump is wrong', () => {
  const versions = [0, 1, 2, 3, 4, 5].map(hostsAt);
  const options = { jumps: 8 };

  /** A folder with the first five versions. */
  async function prepare() {
    const it = place();
    for (const hosts of versions.slice(0, 5)) await it.publish(hosts, options);
    return it;
  }

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['no JSON', '{'],
    ['no object', '[[]]'],
    ['of an older release', '{}'],
    ['with a history of another form', '{"history":7}'],
    ['with steps of another form', '{"history":{"to":"x","steps":[null]}}'],
    ['with endless steps', JSON.stringify({ history: { to: 'a', steps: Array(1e5).fill(7) } })],
  ])('files.json is %s: the jumps begin anew', async (_, text) => {
    const { files, publish } = await prepare();
    if (text === undefined) files.delete('files.json');
    else files.set('files.json', new TextEncoder().encode(text));
    const made = await publish(versions[5] as string[], options);
    expectWhole(made, files);
    expect(made.jumps).toBe('jump-');
    expect(startsIn(files, made, versions)).toEqual([4]);
    expectRight(files, versions);
  });

  test('its steps are of another order, of other lists, or lead nowhere', async () => {
    const other = place();
    for (const i of [20, 21, 22]) await other.publish(hostsAt(i), options);
    const all = [...versions, ...[20, 21, 22].map(hostsAt)];
    for (const change of [
      (steps: unknown[]) => steps.reverse(),
      (steps: unknown[]) => [...steps.slice(1), steps[0]],
      (steps: unknown[]) => [...historyIn(other.files).steps, ...steps],
      (steps: object[]) => steps.map((step) => ({ ...step, from: 'a'.repeat(64) })),
      (steps: object[]) => steps.map((step) => ({ ...step, delta: 'b'.repeat(64) })),
      (steps: object[]) => steps.map((step) => ({ ...step, snapshot: 'c'.repeat(64) })),
      (steps: { from: string }[]) => steps.map((step, i) => ({ ...step, ...steps[i + 1] })),
    ]) {
      const { files, publish } = await prepare();
      for (const [name, bytes] of other.files) if (!files.has(name)) files.set(name, bytes);
      const { history, ...uses } = JSON.parse(
        Buffer.from(files.get('files.json') as Uint8Array).toString(),
      );
      const changed = { ...uses, history: { ...history, steps: change(history.steps) } };
      files.set('files.json', new TextEncoder().encode(JSON.stringify(changed)));
      const made = await publish(versions[5] as string[], options);
      expectWhole(made, files);
      expectRight(files, all);
    }
  });

  test('each file is missing or damaged: later versions have their jumps', async () => {
    const { files: whole } = await prepare();
    const damages = [undefined, new Uint8Array(80)];
    for (const [i, name] of contentIn(whole).entries()) {
      // npm test has one of both for each file.
      for (const damage of isLong ? damages : [damages[i % 2]]) {
        const { files, publish } = await prepare();
        if (damage) files.set(name, damage);
        else files.delete(name);
        const made = await publish(versions[5] as string[], options);
        expectWhole(made, files);
        for (const jump of jumpsIn(files)) if (jump === name) files.delete(jump);
        expectRight(files, versions);
        const starts = startsIn(files, made, versions);
        expect(made.jumps).toBe(starts.length > 0 ? 'jump-' : undefined);
        // Every second list is stored, so a lost file costs at most two jumps.
        const isOfNext = name === (await manifestIn(whole)).snapshot.url;
        expect([name, starts.length >= 3]).toEqual([name, !isOfNext]);
      }
    }
  });

  test('two publishers, one after the other and at once', async () => {
    const { storage, files, publish } = await prepare();
    const { publish: elsewhere } = place(Object.assign(new TestStorage(), { files }));
    await elsewhere(hostsAt(6), options);
    let isDone = false;
    storage.before = async (operation, key) => {
      if (isDone || operation !== 'set' || !key.startsWith('jump')) return;
      isDone = true;
      await elsewhere(hostsAt(7), options);
    };
    const made = await publish(versions[5] as string[], options);
    const all = [...versions, hostsAt(6), hostsAt(7)];
    expectWhole(made, files);
    expectRight(files, all);
    expect(startsIn(files, made, all)).toEqual([0, 1, 2, 3, 4, 6, 7]);
  });

  test('killed at any step: the manifest that stands is whole, and no history is lost', async () => {
    for (let steps = 0, isDone = false; !isDone; steps += isLong ? 1 : 3) {
      const { storage, files, host, publish } = await prepare();
      const before = await manifestIn(files);
      let step = 0;
      storage.before = () => {
        if (step++ >= steps) throw new Error('killed');
      };
      const made = await publish(hostsAt(9), options).catch(() => undefined);
      isDone = made !== undefined;
      storage.before = () => undefined;
      const left = await manifestIn(files);
      expect(left).toEqual(made ?? before);
      expectWhole(left, files);
      const all = [...versions, hostsAt(9)];
      expectRight(files, all);
      expect(startsIn(files, left, all)).toEqual(made ? [0, 1, 2, 3, 4] : [0, 1, 2, 3]);
      const checker = await openFor(host);
      const last = await publish(versions[5] as string[], options);
      expect(startsIn(files, last, all)).toEqual([0, 1, 2, 3, 4, ...(made ? [6] : [])]);
      expect(await checker.update()).toMatchObject({ by: 'jump' });
      checker.close();
    }
  });
});

describe('previous', () => {
  test('in an empty folder is where the jumps begin', async () => {
    const one = place();
    for (const i of [0, 1, 2]) await one.publish(hostsAt(i));
    const two = place();
    const made = await two.publish(hostsAt(3), { previous: one.storage });
    expect(startsIn(two.files, made, [0, 1, 2].map(hostsAt))).toEqual([2]);
    // The same list: there is no jump to it yet.
    const three = place();
    const same = await three.publish(hostsAt(2), { previous: one.storage });
    expect([same.jumps, jumpsIn(three.files)]).toEqual([undefined, []]);
    const next = await three.publish(hostsAt(3));
    expect(startsIn(three.files, next, [0, 1, 2].map(hostsAt))).toEqual([2]);
  });

  test('beyond a folder that is some versions older: the jumps go back as far as there', async () => {
    const [one, two] = [place(), place()];
    for (let i = 0; i < 7; i++) {
      await one.publish(hostsAt(i));
      if (i === 2) for (const [name, bytes] of one.files) two.files.set(name, bytes);
    }
    const made = await two.publish(hostsAt(7), { previous: one.storage });
    const versions = [0, 1, 2, 3, 4, 5, 6, 7].map(hostsAt);
    expect(startsIn(two.files, made, versions)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expectRight(two.files, versions);
    expectWhole(made, two.files);
  });

  test('with the files that the guide names they go further back', async () => {
    const one = place();
    for (const i of [0, 1, 2]) await one.publish(hostsAt(i));
    const two = place();
    for (const [name, bytes] of one.files) {
      if (!name.startsWith('jump-')) two.files.set(name, bytes);
    }
    const made = await two.publish(hostsAt(3));
    expect(startsIn(two.files, made, [0, 1, 2].map(hostsAt))).toEqual([0, 1, 2]);
  });
});
