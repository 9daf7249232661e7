/** The storage of a UrlChecker holds one list, wherever a process crashed before. */
import { expect, test } from '@jest/globals';

import {
  filler,
  first,
  offline,
  openFor,
  Publisher,
  second,
  TestStorage,
  versionOf,
} from './support/url-publisher.js';
import { turn, until } from './support/waiting.js';

const blobs = (storage: TestStorage) =>
  [...storage.files.keys()].filter((key) => key.endsWith('.img'));

/** The storage of a process that crashed before operation number `steps` of an update. */
async function leftAt(steps: number, publisher: Publisher, files: Map<string, Uint8Array>) {
  const storage = new TestStorage(files);
  publisher.instead.set('manifest.json', offline);
  const checker = await openFor(publisher, { storage });
  publisher.instead.clear();
  let step = 0;
  let kill = (_: boolean) => {};
  const isKilled = new Promise<boolean>((resolve) => {
    kill = resolve;
  });
  storage.before = () => {
    if (step++ < steps) return undefined;
    kill(true);
    return new Promise(() => {});
  };
  const wasKilled = await Promise.race([checker.update().then(() => false), isKilled]);
  checker.close();
  return { left: new TestStorage(storage.files), wasKilled };
}

test('one that was replaced goes at the next load', async () => {
  const publisher = await Publisher.with(first);
  const stored = new TestStorage();
  await openFor(publisher, { storage: stored });
  await publisher.publish(second);
  const found: number[] = [];
  for (let steps = 0; ; steps++) {
    const { left, wasKilled } = await leftAt(steps, publisher, stored.files);
    if (!wasKilled) break;
    const pointer = [...left.files].find(([key]) => key.endsWith('.json'))?.[1] as Uint8Array;
    const { manifest } = JSON.parse(Buffer.from(pointer).toString());
    if (manifest.version !== 'v2') continue;
    found.push(blobs(left).length);
    publisher.instead.set('manifest.json', offline);
    await openFor(publisher, { storage: left });
    await until(() => blobs(left).length === 1);
    expect(blobs(left)).toEqual([expect.stringContaining(manifest.sha256)]);
    expect(versionOf(await openFor(publisher, { storage: left }))).toBe('second');
    publisher.instead.clear();
  }
  // Crashed before deleting the image.
  expect(found).toEqual([2]);
});

test('whatever was there, a list later there is one', async () => {
  const publisher = await Publisher.with(first);
  const none = new TestStorage();
  const one = new TestStorage();
  await openFor(publisher, { storage: one });
  await publisher.publish(second);
  const lefts: TestStorage[] = [];
  for (const { files } of [none, one]) {
    for (let steps = 0; ; steps++) {
      const { left, wasKilled } = await leftAt(steps, publisher, files);
      if (!wasKilled) break;
      lefts.push(left);
    }
  }
  expect(new Set(lefts.map((left) => blobs(left).length))).toEqual(new Set([0, 1, 2]));
  await publisher.publish([...filler, 'third.example']);
  for (const left of lefts) {
    const checker = await openFor(publisher, { storage: left });
    await checker.update();
    await openFor(publisher, { storage: left });
    await until(() => blobs(left).length === 1);
    expect((await openFor(publisher, { storage: left })).check('https://third.example/')).toBe(
      'maybe',
    );
  }
});

test('one of a list that is no longer believed goes too', async () => {
  const storage = new TestStorage();
  await openFor(await Publisher.with(first), { storage });
  const other = await Publisher.with(second);
  await openFor(other, { storage });
  await openFor(other, { storage });
  expect(blobs(storage).length).toBe(1);
});

test('a list that comes back is not taken for one that was replaced', async () => {
  const storage = new TestStorage();
  const publisher = await Publisher.with(first, second);
  const checker = await openFor(publisher, { storage });
  for (const hosts of [first, second, first]) {
    await publisher.publish(hosts);
    await checker.update();
    const next = await openFor(publisher, { storage });
    expect(next.status.source).toBe('storage');
    await until(() => blobs(storage).length === 1);
    await turn();
    expect(blobs(storage).length).toBe(1);
  }
});

test('names that somebody made up cost nothing', async () => {
  const storage = new TestStorage();
  const publisher = await Publisher.with(first);
  await openFor(publisher, { storage });
  const key = [...storage.files.keys()].find((name) => name.endsWith('.json')) as string;
  const pointer = JSON.parse(Buffer.from(storage.files.get(key) as never).toString());
  const { sha256 } = pointer.manifest;
  const many = Array.from({ length: 1000 }, (_, i) => i.toString(16).padStart(64, '0'));
  for (const names of ['a'.repeat(64), 7, null, {}, [7, '../x', 'a', null], [sha256], many]) {
    const told = { ...pointer, replaced: names, next: names };
    storage.files.set(key, Buffer.from(JSON.stringify(told)));
    let drops = 0;
    storage.before = (operation) => {
      if (operation === 'set') drops++;
    };
    expect((await openFor(publisher, { storage })).status.source).toBe('storage');
    await turn();
    expect(drops).toBe(0);
    storage.before = () => undefined;
    expect(storage.files.size).toBe(2);
  }
});

test('a storage that drops nothing has a pointer that does not grow for ever', async () => {
  const storage = new TestStorage();
  const publisher = await Publisher.with(first);
  const checker = await openFor(publisher, { storage });
  storage.set = async (key, bytes) => {
    if (bytes === undefined) throw new Error('read only');
    storage.files.set(key, bytes.slice());
  };
  for (let i = 0; i < 70; i++) {
    await publisher.publish([`h${i}.example`]);
    await checker.update();
  }
  const key = [...storage.files.keys()].find((name) => name.endsWith('.json')) as string;
  const { replaced } = JSON.parse(Buffer.from(storage.files.get(key) as never).toString());
  expect(replaced.length).toBeLessThan(70);
});
