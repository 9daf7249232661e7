/** UrlChecker.update: the fewest bytes, with any faults of the server and the storage, at any moment. */
import { describe, expect, test } from '@jest/globals';
import { type ManifestFields, signManifest, type UrlChecker } from 'tamis/url';

import { rejection } from './support/errors.js';
import {
  Clock,
  DAY,
  filler,
  first,
  hex,
  listOf,
  MANIFEST_URL,
  newKeys,
  offline,
  openFor,
  optionsFor,
  Publisher,
  second,
  TestStorage,
  versionOf,
} from './support/url-publisher.js';
import { hang, holdTimers } from './support/waiting.js';

holdTimers();

describe('the way with the fewest bytes', () => {
  test('nothing, if nothing is new', async () => {
    const publisher = await Publisher.with(first);
    const checker = await openFor(publisher);
    publisher.drain();
    const none = { changed: false, receivedBytes: 0, from: 'v1', to: 'v1', by: 'none' };
    expect(await checker.update()).toEqual(none);
    expect(publisher.drain()).toEqual(['manifest.json']);
    // The same if the server sends no ETag.
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
    expect(result.receivedBytes).toBe(
      deltas.slice(0, 2).reduce((sum, { bytes }) => sum + bytes, 0),
    );
    expect(versionOf(checker)).toBe('second');
    expect(checker.status).toMatchObject({
      count: second.length,
      source: 'network',
      version: 'v3',
    });
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
    const checker = await openFor(publisher);
    const old = publisher.files.get('manifest.json') as Uint8Array;
    await publisher.publish(second);
    return { publisher, checker, old };
  }

  /** The update fails, and the old list stays in use. */
  async function stays(checker: UrlChecker, code: string, version = 'v1') {
    expect((await rejection(checker.update())).code).toBe(`ERR_TAMIS_${code}`);
    expect(checker.status.error).toMatchObject({ code: `ERR_TAMIS_${code}` });
    expect(checker.status.version).toBe(version);
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
        if (fault === 'hangs') return hang();
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
    const deltas = [{ ...publisher.put('delta', wrong), from: hex(listOf(first).identity) }];
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
    publisher.instead.set('snap', hang);
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
    for (const answer of [hang, offline, () => new Response(null, { status: 503 })]) {
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

  test('deltas to a list that is larger than wanted', async () => {
    const publisher = await Publisher.with(first);
    const { bytes } = publisher.fields(first).snapshot;
    await publisher.publish(first);
    const checker = await openFor(publisher, { maxBytes: bytes });
    await publisher.publish([...first, 'more.example', 'and-more.example']);
    publisher.drain();
    await stays(checker, 'TOO_LARGE', 'v3');
    expect(publisher.drain()).toEqual(['manifest.json']);
  });

  test('a copy that lies damaged between them is passed by after a failure', async () => {
    const { publisher, checker } = await between();
    const caches: string[] = [];
    for (const kind of ['delta', 'snap']) {
      publisher.instead.set(kind, (request) => {
        caches.push(request.cache);
        if (request.cache !== 'reload') return new Response('damaged');
        const bytes = publisher.files.get(new URL(request.url).pathname.slice('/phish/'.length));
        return new Response(bytes as never);
      });
    }
    await stays(checker, 'TRUNCATED');
    expect(await checker.update()).toMatchObject({ by: 'deltas' });
    expect(caches).toEqual(['default', 'default', 'reload']);
  });

  test('a 304 for a list that is past its time is not asked for', async () => {
    const publisher = await Publisher.with(first);
    const clock = new Clock();
    const checker = await openFor(publisher, { now: clock.now });
    clock.ms += 7 * DAY;
    const notAfter = new Date(clock.ms + DAY).toISOString();
    await publisher.publish(second, { notAfter });
    publisher.instead.set('manifest.json', (request) =>
      request.headers.has('If-None-Match')
        ? new Response(null, { status: 304 })
        : new Response(publisher.files.get('manifest.json') as never),
    );
    await checker.update();
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

test('an update in the background follows a start from the storage', async () => {
  const storage = new TestStorage();
  const publisher = await Publisher.with(first);
  await openFor(publisher, { storage });
  await publisher.publish(second);
  const { updateEveryMs: _, ...options } = optionsFor(publisher, { storage });
  const { UrlChecker } = await import('tamis/url');
  const checker = await UrlChecker.open(MANIFEST_URL, options);
  expect(versionOf(checker)).toBe('first');
  await new Promise((resolve) => checker.onUpdate(resolve));
  expect(versionOf(checker)).toBe('second');
  checker.close();
});
