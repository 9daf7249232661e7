/** The stored list of a UrlChecker: whole at any moment, with any other writers, and harmless if damaged. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import {
  filler,
  first,
  NEW,
  newKeys,
  offline,
  openFor,
  Publisher,
  second,
  TestStorage,
  versionOf,
} from './support/url-publisher.js';
import { gate, hang, holdTimers, turn, until } from './support/waiting.js';

holdTimers();

describe('what is stored', () => {
  test('keeps the way back closed, also when the list itself is damaged', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    const old = publisher.files.get('manifest.json') as Uint8Array;
    await publisher.publish(second);
    await openFor(publisher, { storage });
    const [blob] = [...storage.files.keys()].filter((key) => key.endsWith('.img'));
    publisher.files.set('manifest.json', old);
    storage.files.set(blob as string, new Uint8Array(100));
    const checker = await openFor(publisher, { storage });
    expect(checker.status).toMatchObject({ source: 'none', error: { code: 'ERR_TAMIS_ROLLBACK' } });
    expect(checker.check(NEW)).toBe('unknown');
  });

  test('every damaged byte is told, and the network mends it', async () => {
    const publisher = await Publisher.with(first);
    const storage = new TestStorage();
    await openFor(publisher, { storage });
    for (const [key, bytes] of [...storage.files]) {
      for (let at = 0; at < bytes.length; at += 31) {
        storage.files.set(
          key,
          bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)),
        );
        const checker = await openFor(publisher, { storage });
        expect(versionOf(checker)).toBe('first');
        checker.close();
      }
      storage.files.set(key, bytes);
    }
    expect(storage.files.size).toBe(2);
  });

  test('an ETag that no header may hold is forgotten', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    await openFor(publisher, { storage });
    const [key] = [...storage.files.keys()].filter((name) => name.endsWith('.json'));
    const pointer = JSON.parse(Buffer.from(storage.files.get(key as string) as never).toString());
    for (const etag of ['"a\nb"', '"\u20ac"', 7, null, '']) {
      storage.files.set(key as string, Buffer.from(JSON.stringify({ ...pointer, etag })));
      const checker = await openFor(publisher, { storage });
      expect(checker.status.source).toBe('storage');
      expect(await checker.update()).toMatchObject({ changed: false });
    }
  });

  test('only one list, after many updates', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    const checker = await openFor(publisher, { storage });
    for (const hosts of [second, first, filler, second]) {
      await publisher.publish(hosts);
      await checker.update();
      expect(storage.files.size).toBe(2);
    }
  });

  test('is not taken for another rule, list or key', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    await openFor(publisher, { storage });
    publisher.instead.set('manifest.json', () => new Response(null, { status: 500 }));
    const rule = { name: 'psl', registrableDomain: () => null };
    const { publicKey } = await newKeys();
    for (const more of [{ rule }, { name: 'other' }, { publicKeys: [publicKey] }]) {
      expect((await openFor(publisher, { storage, ...more })).status.source).toBe('none');
    }
    expect((await openFor(publisher, { storage })).status.source).toBe('storage');
  });

  test('keeps the way back closed when the rule changes', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first, second);
    await openFor(publisher, { storage });
    const rule = { name: 'psl', registrableDomain: () => null };
    await publisher.publish(first, { seq: 1, rule: 'psl' });
    const checker = await openFor(publisher, { storage, rule });
    expect(checker.status).toMatchObject({ source: 'none', error: { code: 'ERR_TAMIS_ROLLBACK' } });
  });

  test('another list takes its place, whatever its number', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first, second);
    await openFor(publisher, { storage });
    await publisher.publish(first, { seq: 1, list: 'other' });
    for (const source of ['network', 'storage']) {
      const checker = await openFor(publisher, { storage, name: 'other' });
      expect(checker.status.source).toBe(source);
      expect(versionOf(checker)).toBe('first');
    }
    expect(storage.files.size).toBe(2);
  });

  test('what is no array of bytes is as good as nothing', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    await openFor(publisher, { storage });
    for (const key of [...storage.files.keys()]) {
      storage.files.set(key, 'text' as never);
      const checker = await openFor(publisher, { storage });
      expect(checker.status).toMatchObject({ source: 'network', error: undefined });
      expect((await openFor(publisher, { storage })).status.source).toBe('storage');
    }
  });

  test('a storage that is full, throws or hangs costs no list', async () => {
    const publisher = await Publisher.with(first);
    const full = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
    const breaks: [string, (operation: string, key: string) => unknown][] = [
      ['full', (operation) => (operation === 'set' ? full() : undefined)],
      ['no pointer', (operation, key) => (operation === 'set' && /json$/.test(key) ? full() : 0)],
      ['broken', full],
      ['hangs', hang],
    ];
    for (const [name, before] of breaks) {
      const storage = new TestStorage();
      storage.before = before;
      const checker = await openFor(publisher, { storage });
      expect([name, checker.status.source]).toEqual([name, 'network']);
      expect(checker.status.error).toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
      expect(versionOf(checker)).toBe('first');
      expect(storage.files.size).toBe(0);
      // The next update tries again.
      storage.before = () => undefined;
      expect(await checker.update()).toMatchObject({ changed: false });
      expect(checker.status.error).toBeUndefined();
      expect((await openFor(publisher, { storage })).status.source).toBe('storage');
    }
    for (const bad of [
      { get: () => 7, set: () => {} },
      { get: () => [1], set: () => {} },
    ]) {
      const checker = await openFor(publisher, { storage: bad as never });
      expect(versionOf(checker)).toBe('first');
    }
  });
});

test('killed at any step of an update, the next start has one whole list', async () => {
  const publisher = await Publisher.with(first);
  const stored = new TestStorage();
  await openFor(publisher, { storage: stored });
  await publisher.publish(second);
  const found = new Set<string>();
  let steps = 0;
  for (let isKilled = true; isKilled; steps++) {
    // The process ends before step number `steps`, inside or outside the storage.
    const storage = new TestStorage(stored.files);
    const checker = await openFor(publisher, { storage });
    let step = 0;
    isKilled = false;
    const killed = gate();
    const count = () => {
      if (step++ < steps) return undefined;
      isKilled = true;
      killed.open();
      return new Promise<never>(() => {});
    };
    storage.before = count;
    for (const kind of ['manifest.json', 'delta', 'snap']) {
      publisher.instead.set(kind, async (request) => {
        await count();
        const kinds = [...publisher.instead];
        publisher.instead.clear();
        try {
          return await publisher.fetch(request.url, { headers: request.headers });
        } finally {
          for (const [name, answer] of kinds) publisher.instead.set(name, answer);
        }
      });
    }
    const update = checker.update().catch(() => {});
    await Promise.race([update, killed.opened]);
    checker.close();
    publisher.instead.clear();
    publisher.instead.set('manifest.json', offline);
    storage.before = () => undefined;
    const next = await openFor(publisher, { storage });
    expect(next.status).toMatchObject({ source: 'storage', stale: false });
    found.add(versionOf(next));
    publisher.instead.clear();
  }
  expect(steps).toBeGreaterThan(5);
  expect(found).toEqual(new Set(['first', 'second']));
});

describe('two at once', () => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  const give = (locks?: { request: LockManager['request'] }) =>
    Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });
  // Newer Nodes have Web Locks of their own.
  beforeEach(() => {
    give();
  });
  afterEach(() => {
    if (before) Object.defineProperty(globalThis, 'navigator', before);
    else delete (globalThis as { navigator?: unknown }).navigator;
  });

  /** Both reach the storage, and continue in every order. */
  async function race(order: (waiting: (() => void)[]) => number, hosts: string[][]) {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    const one = await openFor(publisher, { storage });
    const other = await openFor(publisher, { storage });
    const waiting: (() => void)[] = [];
    storage.before = () => new Promise<void>((resolve) => waiting.push(resolve));
    const updates: Promise<unknown>[] = [];
    for (const [i, checker] of [one, other].entries()) {
      await publisher.publish(hosts[i] as string[]);
      const before = waiting.length;
      updates.push(checker.update());
      await until(() => waiting.length > before);
    }
    let isDone = false;
    const done = Promise.all(updates).then(() => {
      isDone = true;
    });
    while (!isDone) {
      if (waiting.length > 0) waiting.splice(order(waiting), 1)[0]?.();
      await turn();
    }
    await done;
    storage.before = () => undefined;
    publisher.instead.set('manifest.json', offline);
    const next = await openFor(publisher, { storage });
    return { one, other, next, storage };
  }

  const orders: [string, () => (waiting: (() => void)[]) => number][] = [
    ['the first before the second', () => () => 0],
    ['the second before the first', () => (waiting) => waiting.length - 1],
    [
      'by turns',
      () => {
        let turn = 0;
        return (waiting) => turn++ % waiting.length;
      },
    ],
    ...Array.from({ length: 20 }, (_, seed): [string, () => (waiting: unknown[]) => number] => [
      `at random, ${seed}`,
      () => {
        let state = seed + 1;
        return (waiting) => {
          state = (48271 * state) % 2147483647;
          return state % waiting.length;
        };
      },
    ]),
  ];
  test.each(orders)('%s', async (_, order) => {
    const { one, other, next } = await race(order(), [[...filler, 'between.example'], second]);
    expect(one.status).toMatchObject({ version: 'v2', error: undefined });
    expect(other.status).toMatchObject({ version: 'v3', error: undefined });
    expect(next.status).toMatchObject({ source: 'storage', stale: false });
    expect(['v2', 'v3']).toContain(next.status.version);
  });

  test.each(orders)('to the same version: %s', async (_, order) => {
    const { next, storage } = await race(order(), [second, second]);
    expect(next.status).toMatchObject({ source: 'storage', stale: false });
    expect(versionOf(next)).toBe('second');
    expect(storage.files.size).toBe(2);
  });

  test('one that comes late does not put an older list in the place of a newer', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    const late = await openFor(publisher, { storage });
    await publisher.publish([...filler, 'between.example']);
    const between = publisher.files.get('manifest.json') as Uint8Array;
    await publisher.publish(second);
    await (await openFor(publisher, { storage })).update();
    publisher.files.set('manifest.json', between);
    await late.update();
    expect(late.status.version).toBe('v2');
    publisher.instead.set('manifest.json', offline);
    const next = await openFor(publisher, { storage });
    expect(next.status).toMatchObject({ source: 'storage', version: 'v3' });
    expect(storage.files.size).toBe(2);
  });

  test('one that starts while the other switches', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    const other = await openFor(publisher, { storage });
    await publisher.publish(second);
    let isFirst = true;
    storage.before = async (operation, key) => {
      if (!isFirst || operation !== 'get' || !key.endsWith('.img')) return;
      isFirst = false;
      await other.update();
      publisher.instead.set('manifest.json', () => new Response(null, { status: 500 }));
    };
    const starting = await openFor(publisher, { storage });
    expect(starting.status).toMatchObject({ source: 'storage', version: 'v2' });
  });

  describe('with Web Locks', () => {
    /** Fake locks, and the names that were requested. */
    function someLocks() {
      const held: string[] = [];
      let last: Promise<unknown> = Promise.resolve();
      const request = (name: string, _: LockOptions, action: () => Promise<unknown>) => {
        held.push(name);
        last = last.then(action, action);
        return last;
      };
      return { held, locks: { request: request as never }, last: () => last };
    }

    test('the storage is one checker at a time', async () => {
      const { held, locks } = someLocks();
      give(locks);
      const storage = new TestStorage();
      const publisher = await Publisher.with(first);
      // Stores wait until both have read; otherwise one may find the other's list.
      let requests = 2;
      const asked = () => publisher.asked.filter((path) => path === 'manifest.json').length;
      storage.before = async (operation) => {
        if (operation === 'set') await until(() => asked() >= requests);
      };
      const checkers = await Promise.all([0, 1].map(() => openFor(publisher, { storage })));
      await publisher.publish(second);
      requests = 4;
      await Promise.all(checkers.map((checker) => checker.update()));
      expect(held.length).toBe(4);
      expect(new Set(held).size).toBe(1);
      expect(storage.files.size).toBe(2);
    });

    test('a storage that hangs holds no lock for longer than a download may take', async () => {
      const { locks, last } = someLocks();
      give(locks);
      const storage = new TestStorage();
      storage.before = (operation) => operation === 'set' && hang();
      const publisher = await Publisher.with(first);
      const checker = await openFor(publisher, { storage });
      expect(versionOf(checker)).toBe('first');
      await expect(last()).rejects.toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
      storage.before = () => undefined;
      const other = await openFor(publisher, { storage });
      expect(other.status.error).toBeUndefined();
    });

    test('where none can be had, as in a sandbox, the list is stored all the same', async () => {
      for (const refuse of [
        () => Promise.reject(new DOMException('no', 'SecurityError')),
        () => {
          throw new DOMException('no', 'SecurityError');
        },
      ]) {
        give({ request: refuse as never });
        const storage = new TestStorage();
        const publisher = await Publisher.with(first);
        expect((await openFor(publisher, { storage })).status.error).toBeUndefined();
        expect((await openFor(publisher, { storage })).status.source).toBe('storage');
      }
    });
  });
});
