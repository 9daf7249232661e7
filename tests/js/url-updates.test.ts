/** UrlChecker.update: by the fewest bytes, whatever the server and the storage do, from any moment on. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { type ManifestFields, signManifest, type UrlChecker } from 'tamis/url';

import { rejection } from './support/errors.js';
import {
  closeAll,
  hex,
  listOf,
  newKeys,
  openFor,
  optionsFor,
  Publisher,
  someHosts,
  TestStorage,
} from './support/url-publisher.js';

afterEach(closeAll);

const filler = someHosts(300);
const OLD = 'https://old.example/';
const NEW = 'https://new.example/';
const first = ['old.example', ...filler];
const second = ['new.example', ...filler];

/** The checker answers by exactly one of the two lists; which. */
function versionOf(checker: UrlChecker): 'first' | 'second' {
  const answers = checker.checkMany([OLD, NEW]).join();
  if (answers === 'maybe,safe') return 'first';
  expect(answers).toBe('safe,maybe');
  return 'second';
}

describe('the way with the fewest bytes', () => {
  test('nothing, if nothing is new', async () => {
    const publisher = await Publisher.with(first);
    const checker = await openFor(publisher);
    publisher.drain();
    const none = { changed: false, bytes: 0, from: 'v1', to: 'v1', by: 'none' };
    expect(await checker.update()).toEqual(none);
    expect(publisher.drain()).toEqual(['manifest.json']);
    // Neither where the server knows no ETag.
    publisher.instead.set('manifest.json', () => {
      return new Response(publisher.files.get('manifest.json') as never);
    });
    expect(await checker.update()).toEqual(none);
  });

  test('the deltas of all versions between', async () => {
    const publisher = await Publisher.with(first);
    const checker = await openFor(publisher);
    await publisher.publish([...filler, 'between.example']);
    await publisher.publish(second);
    publisher.drain();
    const result = await checker.update();
    expect(result).toMatchObject({ changed: true, from: 'v1', to: 'v3', by: 'deltas' });
    expect(publisher.drain()).toEqual(['manifest.json', 'delta', 'delta']);
    const { deltas } = publisher.fields(second);
    expect(result.bytes).toBe(deltas.slice(0, 2).reduce((sum, { bytes }) => sum + bytes, 0));
    expect(versionOf(checker)).toBe('second');
    expect(checker.status).toMatchObject({ count: 301, source: 'network', version: 'v3' });
  });

  test('the snapshot, where it is smaller or no delta fits', async () => {
    const publisher = await Publisher.with(first);
    const checker = await openFor(publisher);
    await publisher.publish(['new.example']);
    publisher.drain();
    expect(await checker.update()).toMatchObject({ changed: true, by: 'snapshot' });
    await publisher.publish(second, { deltas: [] });
    expect(await checker.update()).toMatchObject({ changed: true, by: 'snapshot' });
    expect(publisher.drain().filter((path) => path === 'delta')).toEqual([]);
  });

  test('a list that had the same content twice', async () => {
    const publisher = await Publisher.with(first, second, first);
    const checker = await openFor(publisher);
    await publisher.publish(second);
    publisher.drain();
    expect(await checker.update()).toMatchObject({ by: 'deltas', to: 'v4' });
    expect(publisher.drain()).toEqual(['manifest.json', 'delta']);
    expect(versionOf(checker)).toBe('second');
  });

  test('two calls at once are one', async () => {
    const publisher = await Publisher.with(first);
    const checker = await openFor(publisher);
    await publisher.publish(second);
    publisher.drain();
    const [one, other] = await Promise.all([checker.update(), checker.update()]);
    expect(one).toBe(other);
    expect(publisher.drain()).toEqual(['manifest.json', 'delta']);
  });
});

describe('what a server may do', () => {
  async function between() {
    const publisher = await Publisher.with(first);
    const checker = await openFor(publisher, { downloadTimeoutMs: 200 });
    const old = publisher.files.get('manifest.json') as Uint8Array;
    await publisher.publish(second);
    return { publisher, checker, old };
  }

  /** The update fails, and the old list is as good as before. */
  async function stays(checker: UrlChecker, code: string) {
    expect((await rejection(checker.update())).code).toBe(`ERR_TAMIS_${code}`);
    expect(checker.status.error).toMatchObject({ code: `ERR_TAMIS_${code}` });
    expect(checker.status.version).toBe('v1');
    expect(versionOf(checker)).toBe('first');
  }

  const damaged = (bytes: Uint8Array, at: number) =>
    bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));

  test.each(['hangs', 'fails', 'sends too little', 'sends too much', 'changes one byte'])(
    'deltas: it %s, and the snapshot is taken',
    async (fault) => {
      const { publisher, checker } = await between();
      const [name] = [...publisher.files.keys()].filter((path) => path.startsWith('delta'));
      const bytes = publisher.files.get(name as string) as Uint8Array;
      publisher.instead.set('delta', () => {
        if (fault === 'hangs') return new Promise(() => {});
        if (fault === 'fails') return new Response(null, { status: 404 });
        const sent = { 'sends too little': bytes.slice(1), 'sends too much': [...bytes, 0] };
        const body = sent[fault as keyof typeof sent] ?? damaged(bytes, 40);
        return new Response(Uint8Array.from(body));
      });
      publisher.drain();
      expect(await checker.update()).toMatchObject({ changed: true, by: 'snapshot' });
      expect(publisher.drain()).toEqual(['manifest.json', 'delta', 'snap']);
      expect(versionOf(checker)).toBe('second');
    },
  );

  test('a delta that was signed and leads elsewhere', async () => {
    const { publisher, checker } = await between();
    const wrong = listOf([...second, 'more.example'])
      .diff(listOf(first))
      .toBytes();
    const fields = publisher.fields(second);
    const deltas = [{ ...publisher.put('delta', wrong), from: hex(listOf(first).sha256) }];
    publisher.serve(await signManifest({ ...fields, deltas }, publisher.keys));
    expect(await checker.update()).toMatchObject({ by: 'snapshot' });
    expect(versionOf(checker)).toBe('second');
  });

  test('a snapshot with one wrong byte, at any place', async () => {
    const { publisher, checker } = await between();
    publisher.instead.set('delta', () => new Response(null, { status: 404 }));
    const { snapshot } = publisher.fields(second);
    const bytes = publisher.files.get(snapshot.url) as Uint8Array;
    for (let at = 0; at < bytes.length; at += 97) {
      publisher.instead.set('snap', () => new Response(damaged(bytes, at) as never));
      await stays(checker, 'CORRUPT');
    }
    publisher.instead.set('snap', () => new Response(bytes.slice(0, -1) as never));
    await stays(checker, 'TRUNCATED');
    publisher.instead.set('snap', () => new Response(Uint8Array.from([...bytes, 0])));
    await stays(checker, 'TOO_LARGE');
    publisher.instead.set('snap', () => new Promise(() => {}));
    await stays(checker, 'UNAVAILABLE');
    publisher.instead.clear();
    await checker.update();
    expect(versionOf(checker)).toBe('second');
  });

  test('a snapshot that was signed and is another list, or none', async () => {
    const { publisher, checker } = await between();
    const wrong: [Partial<ManifestFields>, string][] = [
      [{ snapshot: publisher.put('snap', listOf(['x.example']).toBytes()) }, 'CORRUPT'],
      [{ n: 300 }, 'CORRUPT'],
      [{ sha256: 'a'.repeat(64) }, 'CORRUPT'],
      [{ prefixBytes: 8 }, 'CORRUPT'],
    ];
    for (const [more, code] of wrong) {
      await publisher.publish(second, { deltas: [], ...more });
      await stays(checker, code);
    }
    await publisher.publish(second, {
      deltas: [],
      snapshot: publisher.put('snap', Uint8Array.of(7)),
    });
    await expect(checker.update()).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_TAMIS/),
    });
    expect(versionOf(checker)).toBe('first');
  });

  test('a manifest that is damaged, foreign, old or late', async () => {
    const { publisher, checker, old } = await between();
    const text = publisher.files.get('manifest.json') as Uint8Array;
    publisher.files.set('manifest.json', text.slice(0, -9));
    await stays(checker, 'CORRUPT');
    publisher.serve(await signManifest(publisher.fields(second), await newKeys()));
    await stays(checker, 'BAD_SIGNATURE');
    publisher.serve('<html>');
    await stays(checker, 'CORRUPT');
    await publisher.publish(second, { rule: 'psl-icann@2026-11' });
    await stays(checker, 'INCOMPATIBLE');
    await publisher.publish(second, { list: 'other' });
    await stays(checker, 'INCOMPATIBLE');
    await publisher.publish(second, {
      created: '2026-11-20T00:00:00.000Z',
      notAfter: '2026-11-21T00:00:00.000Z',
    });
    await stays(checker, 'EXPIRED');
    await publisher.publish(second, { seq: 1 });
    await stays(checker, 'ROLLBACK');
    publisher.files.set('manifest.json', new Uint8Array(2 ** 21 + 1).fill(32));
    await stays(checker, 'TOO_LARGE');
    for (const answer of [
      () => new Promise<Response>(() => {}),
      () => Promise.reject(new TypeError('offline')),
      () => new Response(null, { status: 503 }),
    ]) {
      publisher.instead.set('manifest.json', answer);
      await stays(checker, 'UNAVAILABLE');
    }
    publisher.instead.clear();
    publisher.files.set('manifest.json', text);
    await checker.update();
    expect(versionOf(checker)).toBe('second');
    publisher.files.set('manifest.json', old);
    expect((await rejection(checker.update())).code).toBe('ERR_TAMIS_ROLLBACK');
    expect(versionOf(checker)).toBe('second');
  });

  test('a snapshot that is larger than wanted', async () => {
    const publisher = await Publisher.with(first);
    const checker = await openFor(publisher, { maxBytes: 64 });
    expect(checker.status).toMatchObject({
      source: 'none',
      error: { code: 'ERR_TAMIS_TOO_LARGE' },
    });
    expect(publisher.drain()).toEqual(['manifest.json']);
  });
});

describe('what is stored', () => {
  test('keeps the way back closed, also when the list itself is damaged', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    const old = publisher.files.get('manifest.json') as Uint8Array;
    await publisher.publish(second);
    await openFor(publisher, { storage });
    const [blob] = [...storage.files.keys()].filter((key) => key.endsWith('.bin'));
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
    for (const more of [{ rule }, { list: 'other' }, { publicKeys: [publicKey] }]) {
      expect((await openFor(publisher, { storage, ...more })).status.source).toBe('none');
    }
    expect((await openFor(publisher, { storage })).status.source).toBe('storage');
  });

  test('a storage that is full, throws or hangs costs no list', async () => {
    const publisher = await Publisher.with(first);
    const full = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
    const breaks: [string, (operation: string, key: string) => unknown][] = [
      ['full', (operation) => (operation === 'set' ? full() : undefined)],
      ['no pointer', (operation, key) => (operation === 'set' && /json$/.test(key) ? full() : 0)],
      ['broken', full],
      ['hangs', () => new Promise(() => {})],
    ];
    for (const [name, before] of breaks) {
      const storage = new TestStorage();
      storage.before = before;
      const checker = await openFor(publisher, { storage, downloadTimeoutMs: 50 });
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
  const offline = () => Promise.reject(new TypeError('offline'));
  const found = new Set<string>();
  let steps = 0;
  for (let isKilled = true; isKilled; steps++) {
    // The process ends before its step number `steps`, in or out of the storage: no more is done.
    const storage = new TestStorage();
    for (const [key, bytes] of stored.files) storage.files.set(key, bytes);
    const checker = await openFor(publisher, { storage });
    let step = 0;
    isKilled = false;
    const count = () => {
      if (step++ < steps) return undefined;
      isKilled = true;
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
    await Promise.race([update, new Promise((resolve) => setTimeout(resolve, 30))]);
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
  /** Both get as far as the storage, and go on in every order. */
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
      while (waiting.length === before) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    let isDone = false;
    const done = Promise.all(updates).then(() => {
      isDone = true;
    });
    while (!isDone) {
      if (waiting.length > 0) waiting.splice(order(waiting), 1)[0]?.();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await done;
    storage.before = () => undefined;
    publisher.instead.set('manifest.json', () => Promise.reject(new TypeError('offline')));
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
    publisher.instead.set('manifest.json', () => Promise.reject(new TypeError('offline')));
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
      if (!isFirst || operation !== 'get' || !key.endsWith('.bin')) return;
      isFirst = false;
      await other.update();
      publisher.instead.set('manifest.json', () => new Response(null, { status: 500 }));
    };
    const starting = await openFor(publisher, { storage });
    expect(starting.status).toMatchObject({ source: 'storage', version: 'v2' });
  });

  test('with Web Locks the storage is one checker at a time', async () => {
    const held: string[] = [];
    let last: Promise<unknown> = Promise.resolve();
    const locks = {
      request(name: string, action: () => Promise<unknown>) {
        held.push(name);
        last = last.then(action, action);
        return last;
      },
    };
    const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });
    try {
      const storage = new TestStorage();
      const publisher = await Publisher.with(first);
      const checkers = await Promise.all([0, 1].map(() => openFor(publisher, { storage })));
      await publisher.publish(second);
      await Promise.all(checkers.map((checker) => checker.update()));
      expect(held.length).toBe(4);
      expect(new Set(held).size).toBe(1);
      expect(storage.files.size).toBe(2);
    } finally {
      if (before) Object.defineProperty(globalThis, 'navigator', before);
      else delete (globalThis as { navigator?: unknown }).navigator;
    }
  });
});

test('an update in the background follows a start from the storage', async () => {
  const storage = new TestStorage();
  const publisher = await Publisher.with(first);
  await openFor(publisher, { storage });
  await publisher.publish(second);
  const { updateEveryMs: _, ...options } = optionsFor(publisher, { storage });
  const { UrlChecker } = await import('tamis/url');
  const checker = await UrlChecker.open(options);
  expect(versionOf(checker)).toBe('first');
  await new Promise((resolve) => checker.onUpdate(resolve));
  expect(versionOf(checker)).toBe('second');
  checker.close();
});
