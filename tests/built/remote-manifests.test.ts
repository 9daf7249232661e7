/** Faults of a manifest, and the way from one manifest to the next. */

import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { RemoteFilter } from 'tamis/remote';
import { memoryStorage } from 'tamis/url';

import { type Code, rejection } from '../js/support/errors.js';
import { FakeHost, makePages, signPages } from '../js/support/pages.js';
import {
  expectRejection,
  HOUR,
  hosted,
  KEYS,
  MANIFEST,
  open,
  publicKeys,
  rawOf,
  signing,
} from '../js/support/signed-pages.js';
import { hang, holdTimers, until } from '../js/support/waiting.js';

holdTimers();

describe('a manifest', () => {
  test.each<[string, Code, (text: string) => string]>([
    ['that is none', 'CORRUPT', () => '<html>'],
    ['without a signature', 'CORRUPT', (text) => text.replace(/,"sig":"[0-9a-f]*"/, '')],
    [
      'with another signature',
      'BAD_SIGNATURE',
      (text) => text.replace(/"sig":"..../, '"sig":"0000'),
    ],
    ['with another number of keys', 'BAD_SIGNATURE', (text) => text.replace('1000', '1001')],
    ['with another seed', 'BAD_SIGNATURE', (text) => text.replace('"seed":"7"', '"seed":"8"')],
    ['of 3 MB', 'TOO_LARGE', () => ' '.repeat(3e6)],
  ])('%s is refused', async (_, code, change) => {
    const { host } = hosted();
    host.files.set('manifest.json', change(host.files.get('manifest.json') as string));
    await expectRejection(open(host), code);
  });

  test('that is not there, and one that another key signed', async () => {
    const { host, set } = hosted();
    const stranger = generateKeyPairSync('ed25519');
    await expectRejection(open(host, { publicKeys: [rawOf(stranger)] }), 'BAD_SIGNATURE');
    host.publish(set, signPages(set.fields, stranger));
    await expectRejection(open(host), 'BAD_SIGNATURE');
    const filter = await open(host, { publicKeys: [...publicKeys, rawOf(stranger)] });
    filter.close();
    host.files.delete('manifest.json');
    await expectRejection(open(host), 'UNAVAILABLE', /404/);
  });

  test('is believed without a signature by those alone who say so', async () => {
    const set = makePages(KEYS);
    const host = new FakeHost().publish(set);
    await expectRejection(open(host), 'CORRUPT');
    const filter = await open(host, { publicKeys: null });
    expect(await filter.has('key 1')).toBe(true);
    filter.close();
    await expectRejection(
      RemoteFilter.open(MANIFEST, { name: 'list', fetch: host.fetch } as never),
      'INVALID_OPTION',
    );
  });

  test('that is over is refused, when it comes and when its time comes', async () => {
    let nowMs = Date.now();
    const now = () => nowMs;
    const { host } = hosted({ created: nowMs - 8 * 24 * HOUR });
    await expectRejection(open(host), 'EXPIRED');
    const later = hosted({ created: nowMs, notAfter: nowMs + HOUR });
    const filter = await open(later.host, { now });
    expect(await filter.has('key 1')).toBe(true);
    nowMs += HOUR;
    // The page is in memory, but useless without a valid manifest. The client fetches a newer one once a minute.
    await expectRejection(filter.has('key 1'), 'EXPIRED');
    await expectRejection(filter.has('key 1'), 'EXPIRED');
    expect(later.host.asked).toHaveLength(3);
    const next = makePages(KEYS, { seq: 2, created: nowMs });
    later.host.publish(next, signPages(next.fields, signing));
    await expectRejection(filter.has('key 1'), 'EXPIRED');
    nowMs += 60_000;
    expect(await filter.has('key 1')).toBe(true);
    expect(filter.status.manifest.seq).toBe(2);
    // The same pages are still in memory.
    expect(later.host.pagesAsked).toHaveLength(1);
    filter.close();
  });

  test.each([
    ['an hour', {}],
    ['the longest time', { maxAgeMs: 168 * HOUR }],
    ['no time, so that only update asks', { maxAgeMs: 0 }],
  ])('that is over is fetched again at once, whatever maxAgeMs is: %s', async (_, options) => {
    let nowMs = Date.now();
    const { host } = hosted({ created: nowMs, notAfter: nowMs + HOUR / 2 });
    const filter = await open(host, { now: () => nowMs, ...options });
    expect(await filter.has('key 1')).toBe(true);
    const next = makePages(KEYS, { seq: 2, created: nowMs });
    host.publish(next, signPages(next.fields, signing));
    nowMs += HOUR / 2 - 1;
    expect(await filter.has('key 1')).toBe(true);
    expect(filter.status.manifest.seq).toBe(1);
    nowMs += 1;
    expect(await filter.has('key 1')).toBe(true);
    expect(filter.status.manifest.seq).toBe(2);
    expect(host.asked).toHaveLength(3);
    filter.close();
  });

  test('that is over is asked for once a minute, also where only update asks', async () => {
    let nowMs = Date.now();
    const { host } = hosted({ created: nowMs, notAfter: nowMs + HOUR });
    const filter = await open(host, { now: () => nowMs, maxAgeMs: 0 });
    nowMs += HOUR;
    for (const asked of [2, 2, 2, 3, 3, 3]) {
      await expectRejection(filter.has('key 1'), 'EXPIRED');
      expect(host.asked).toHaveLength(asked);
      nowMs += 20_000;
    }
    filter.close();
  });

  test('that is older than the one in hand is refused', async () => {
    const { host } = hosted({ seq: 5 });
    const filter = await open(host);
    for (const seq of [4, 5]) {
      const older = makePages(KEYS.slice(1), { seq });
      host.publish(older, signPages(older.fields, signing));
      await expectRejection(filter.update(), 'ROLLBACK');
    }
    expect(await filter.has('key 1')).toBe(true);
    expect(filter.status.manifest.seq).toBe(5);
    expect(filter.status.error?.code).toBe('ERR_TAMIS_ROLLBACK');
    const other = makePages(KEYS, { seq: 6, name: 'other' });
    host.publish(other, signPages(other.fields, signing));
    await expectRejection(filter.update(), 'INCOMPATIBLE');
    filter.close();
  });

  test('that is older than the one that was stored is refused after a restart', async () => {
    const storage = memoryStorage();
    const { host } = hosted({ seq: 5 });
    (await open(host, { storage })).close();
    const older = hosted({ seq: 4 });
    await expectRejection(open(older.host, { storage }), 'ROLLBACK');
    (await open(older.host)).close();
    (await open(host, { storage })).close();
    // Foreign bytes in the storage count as absent.
    const broken = { get: () => new Uint8Array([1, 2]), set: () => {} };
    (await open(older.host, { storage: broken })).close();
  });

  test('is refused where another client stored a newer one, which stays', async () => {
    const storage = memoryStorage();
    const { host, set } = hosted({ seq: 10 });
    const serve = (seq: number) => host.publish(set, signPages({ ...set.fields, seq }, signing));
    const filter = await open(host, { storage });
    serve(12);
    const other = await open(host, { storage });
    serve(11);
    for (const one of [filter, other]) await expectRejection(one.update(), 'ROLLBACK');
    expect(filter.status).toMatchObject({
      manifest: { seq: 10 },
      error: { code: 'ERR_TAMIS_ROLLBACK' },
    });
    await expectRejection(open(host, { storage }), 'ROLLBACK');
    serve(12);
    await filter.update();
    expect(filter.status).toMatchObject({ manifest: { seq: 12 }, error: undefined });
    filter.close();
    other.close();
  });

  test('is used, and not stored, while the storage cannot be read', async () => {
    const { host, set } = hosted({ seq: 10 });
    const storage = memoryStorage();
    let isDown = false;
    const get = (key: string) => {
      if (isDown) throw new Error('busy');
      return storage.get(key);
    };
    const filter = await open(host, { storage: { get, set: storage.set } });
    const publish = (seq: number) => {
      const fields = { ...set.fields, seq };
      return host.publish(set, signPages(fields, signing));
    };
    (await open(publish(12), { storage })).close();
    isDown = true;
    publish(11);
    await filter.update();
    expect(filter.status).toMatchObject({
      manifest: { seq: 11 },
      error: { code: 'ERR_TAMIS_UNAVAILABLE' },
    });
    await expectRejection(open(host, { storage }), 'ROLLBACK');
    isDown = false;
    await expectRejection(filter.update(), 'ROLLBACK');
    filter.close();
  });

  test('is not fetched where the storage cannot be read, and used where it cannot be written', async () => {
    const { host } = hosted();
    const denied = new Error('denied');
    const deny = () => Promise.reject(denied);
    const throwing = () => {
      throw denied;
    };
    for (const get of [deny, throwing]) {
      const error = await rejection(open(host, { storage: { get, set: deny } }));
      expect(error).toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE', cause: denied });
    }
    expect(host.asked).toHaveLength(0);
    const filter = await open(host, { storage: { get: () => undefined, set: deny } });
    expect(await filter.has('key 1')).toBe(true);
    expect(filter.status.error?.code).toBe('ERR_TAMIS_UNAVAILABLE');
    filter.close();
  });

  test('is taken where a storage hangs that should write it, and not where it should read', async () => {
    const { host } = hosted();
    const unread = open(host, { storage: { get: hang, set: hang } });
    await expectRejection(unread, 'UNAVAILABLE', /storage/);
    expect(host.asked).toHaveLength(0);
    let set = hang;
    const filter = await open(host, { storage: { get: () => null, set: () => set() } });
    expect(filter.status.error?.code).toBe('ERR_TAMIS_UNAVAILABLE');
    expect(await filter.has('key 1')).toBe(true);
    let isStoring = false;
    set = () => {
      isStoring = true;
      return new Promise(() => {});
    };
    const updating = rejection(filter.update());
    await until(() => isStoring);
    expect(host.asked).toHaveLength(3);
    filter.close();
    expect((await updating).code).toBe('ERR_TAMIS_DISPOSED');
  });

  test('is stored by a later update where the storage failed, and once', async () => {
    const { host } = hosted();
    const stored: (Uint8Array | undefined)[] = [];
    let attempts = 0;
    const set = (_: string, bytes: Uint8Array | undefined) => {
      if (++attempts < 3) throw new Error('busy');
      stored.push(bytes);
    };
    const filter = await open(host, { storage: { get: () => stored[0], set } });
    expect(filter.status.error?.code).toBe('ERR_TAMIS_UNAVAILABLE');
    expect(await filter.update()).toBe(false);
    expect(filter.status.error?.code).toBe('ERR_TAMIS_UNAVAILABLE');
    expect(attempts).toBe(2);
    expect(await filter.update()).toBe(false);
    expect(filter.status.error).toBeUndefined();
    await filter.update();
    expect(attempts).toBe(3);
    expect(stored).toEqual([new TextEncoder().encode(host.files.get('manifest.json') as string)]);
    filter.close();
  });
});

describe('a newer manifest', () => {
  test('is taken when a part of the older one is gone', async () => {
    const { host, set } = hosted();
    const filter = await open(host);
    await filter.has('key 1');
    const next = makePages([...KEYS, 'a new key'], { seq: 2 });
    for (const name of set.parts.keys()) host.files.delete(name);
    host.publish(next, signPages(next.fields, signing));
    expect((await filter.hasMany([...KEYS, 'a new key'])).every((one) => one === 1)).toBe(true);
    expect(filter.status).toMatchObject({ manifest: { seq: 2, keys: 1001 }, cachedPages: 8 });
    filter.close();
  });

  test('is looked for beside a look-up when the one in hand is old', async () => {
    let nowMs = Date.now();
    const { host } = hosted();
    const filter = await open(host, { now: () => nowMs, maxAgeMs: 1000 });
    const next = makePages(['a new key'], { seq: 2 });
    host.publish(next, signPages(next.fields, signing));
    expect(await filter.has('key 1')).toBe(true);
    expect(filter.status.manifest.seq).toBe(1);
    nowMs += 1000;
    // From the current pages.
    expect(await filter.has('key 1')).toBe(true);
    await until(() => filter.status.manifest.seq > 1);
    expect(await filter.has('a new key')).toBe(true);
    filter.close();
  });

  test.each([0, 6 * 24 * HOUR])(
    'is looked for after the clock was %d ms ahead',
    async (aheadMs) => {
      const rightMs = Date.now();
      let nowMs = rightMs + aheadMs;
      const { host } = hosted();
      const filter = await open(host, { now: () => nowMs, maxAgeMs: HOUR });
      nowMs = rightMs - 1;
      const next = makePages(['a new key'], { seq: 2 });
      host.publish(next, signPages(next.fields, signing));
      await filter.has('key 1');
      await until(() => filter.status.manifest.seq > 1);
      const asked = host.asked.length;
      await filter.has('a new key');
      expect(host.asked.slice(asked).map(({ name }) => name)).not.toContain('manifest.json');
      filter.close();
    },
  );

  test('of another seed has other pages, whatever is in memory', async () => {
    const { host } = hosted();
    const filter = await open(host);
    expect((await filter.hasMany(KEYS)).every((one) => one === 1)).toBe(true);
    const next = makePages(KEYS, { seq: 2, seed: 8n });
    host.publish(next, signPages(next.fields, signing));
    expect(await filter.update()).toBe(true);
    expect((await filter.hasMany(KEYS)).every((one) => one === 1)).toBe(true);
    expect(await filter.update()).toBe(false);
    filter.close();
  });
});
