/**
 * A signature names the signer, and not the set. Here a host serves a set of the same publisher at another set's
 * address. No client may answer by that set, and no client may be locked out of its own set.
 */
import { describe, expect, test } from '@jest/globals';
import { RemoteFilter, RemoteMap, type RemoteOptions } from 'tamis/remote';
import { memoryStorage, UrlChecker } from 'tamis/url';

import { rejection } from './support/errors.js';
import { FakeHost, makePages, rankOf, type SetOptions, signPages } from './support/pages.js';
import { expectRejection, MANIFEST, publicKeys, signing } from './support/signed-pages.js';
import {
  MANIFEST_URL,
  NEW,
  OLD,
  openFor,
  optionsFor,
  Publisher,
  TestStorage,
} from './support/url-publisher.js';

const storages = [
  ['without storage', () => ({})],
  ['with storage', () => ({ storage: memoryStorage() })],
] as const;

describe.each([
  ['RemoteFilter', RemoteFilter, 'ribbon'],
  ['RemoteMap', RemoteMap, 'bloomier'],
] as const)('%s', (_, Class, type) => {
  const members = Array.from({ length: 300 }, (_, i) => `member ${i}`);
  const others = Array.from({ length: 300 }, (_, i) => `other ${i}`);
  const put = (host: FakeHost, keys: readonly string[], options: SetOptions) => {
    const set = makePages(keys, { type, ...options });
    return host.publish(set, signPages(set.fields, signing));
  };
  const hostOf = (keys: readonly string[], options: SetOptions) =>
    put(new FakeHost(), keys, options);
  const open = (host: FakeHost, options: Partial<RemoteOptions>) =>
    Class.open(MANIFEST, { publicKeys, fetch: host.fetch, retries: 0, ...options } as never);

  test.each([undefined, '', 7, null, 'a/b', '.a', 'x'.repeat(65)])(
    'opens nothing without a name: %p',
    async (name) => {
      const host = hostOf(others, { name: 'b' });
      const given = name === undefined ? {} : { name };
      const error = await rejection(open(host, given as never));
      expect(error.code).toBe('ERR_TAMIS_INVALID_OPTION');
      expect(error.message).toContain('name');
      expect(host.asked).toEqual([]);
    },
  );

  describe.each(storages)('%s', (_, more) => {
    test('has no answer of a set of another name', async () => {
      const host = hostOf(others, { name: 'b' });
      await expectRejection(open(host, { name: 'a', ...more() }), 'INCOMPATIBLE', /'b'.*'a'/);
      expect(host.pagesAsked).toEqual([]);
      // Nor does that of a set that nobody signed.
      await expectRejection(open(host, { name: 'a', publicKeys: null, ...more() }), 'INCOMPATIBLE');
    });

    test('tells the name before the order, the time and the key', async () => {
      const key = new Uint8Array(16);
      const host = hostOf(others, { name: 'b', seq: 1, created: 0, secret: key });
      const options = { name: 'a', ...more() };
      (await open(hostOf(members, { name: 'a', seq: 5 }), options)).close();
      await expectRejection(open(host, options), 'INCOMPATIBLE');
    });

    test('keeps the set in hand when an update brings one of another name', async () => {
      const options = { name: 'a', ...more() };
      const host = hostOf(members, { name: 'a', seq: 2 });
      const filter = await open(host, options);
      put(host, others, { name: 'b', seq: 9 });
      for (let i = 0; i < 2; i++) await expectRejection(filter.update(), 'INCOMPATIBLE');
      expect((await filter.hasMany(members)).every((has) => has === 1)).toBe(true);
      expect(filter.status).toMatchObject({
        manifest: { name: 'a' },
        error: { code: 'ERR_TAMIS_INCOMPATIBLE' },
      });
      filter.close();
      await expectRejection(open(host, options), 'INCOMPATIBLE');
      // The sequence number of the other set does not count for this set.
      put(host, members, { name: 'a', seq: 3 });
      const again = await open(host, options);
      expect((await again.hasMany(members)).every((has) => has === 1)).toBe(true);
      if (again instanceof RemoteMap) {
        expect(await again.get('member 7')).toBe(rankOf('member 7'));
      }
      again.close();
    });
  });

  test('a stored manifest of another name locks nobody out, and is replaced', async () => {
    const storage = memoryStorage();
    (await open(hostOf(others, { name: 'b', seq: 9 }), { name: 'b', storage })).close();
    const host = hostOf(members, { name: 'a', seq: 2 });
    const filter = await open(host, { name: 'a', storage });
    expect(await filter.has('member 1')).toBe(true);
    filter.close();
    await expectRejection(open(hostOf(members, { name: 'a' }), { name: 'a', storage }), 'ROLLBACK');
  });
});

describe('UrlChecker', () => {
  const listed = 'https://old.example/';
  const publisherOf = async (list: string, hosts: string[], seq = 1): Promise<Publisher> => {
    const publisher = await Publisher.with();
    await publisher.publish(hosts, { list, seq });
    return publisher;
  };

  test.each([undefined, '', 7, null, '\u00e9', 'x'.repeat(65)])(
    'opens nothing without a list: %p',
    async (name) => {
      const publisher = await publisherOf('b', ['new.example']);
      const options = { ...optionsFor(publisher), name };
      const error = await rejection(UrlChecker.open(MANIFEST_URL, options as never));
      expect(error.code).toBe('ERR_TAMIS_INVALID_OPTION');
      expect(error.message).toContain('name');
      expect(publisher.asked).toEqual([]);
    },
  );

  describe.each(storages)('%s', (_, more) => {
    test('calls nothing safe by a list of another name', async () => {
      const publisher = await publisherOf('b', ['new.example']);
      const checker = await openFor(publisher, { name: 'a', ...more() });
      expect(checker.check(listed)).toBe('unknown');
      expect(checker.status).toMatchObject({
        source: 'none',
        error: { code: 'ERR_TAMIS_INCOMPATIBLE' },
      });
      expect(publisher.drain()).toEqual(['manifest.json']);
    });

    test('keeps the list in hand when an update brings one of another name', async () => {
      const publisher = await publisherOf('a', ['old.example'], 2);
      const options = { name: 'a', ...more() };
      const checker = await openFor(publisher, options);
      await publisher.publish(['new.example'], { list: 'b', seq: 9 });
      for (let i = 0; i < 2; i++) {
        expect((await rejection(checker.update())).code).toBe('ERR_TAMIS_INCOMPATIBLE');
      }
      expect(checker.checkMany([OLD, NEW])).toEqual(['maybe', 'safe']);
      await publisher.publish(['old.example', 'new.example'], { list: 'a', seq: 3 });
      await checker.update();
      expect(checker.checkMany([OLD, NEW])).toEqual(['maybe', 'maybe']);
      expect((await openFor(publisher, options)).checkMany([OLD, NEW])).toEqual(['maybe', 'maybe']);
    });
  });

  test('a stored list of another name is not believed, and locks nobody out', async () => {
    const storage = new TestStorage();
    const publisher = await publisherOf('b', ['new.example'], 9);
    await openFor(publisher, { name: 'b', storage });
    publisher.instead.set('manifest.json', () => Response.error());
    const offline = await openFor(publisher, { name: 'a', storage });
    expect(offline.status.source).toBe('none');
    expect(offline.check(listed)).toBe('unknown');
    publisher.instead.clear();
    await publisher.publish(['old.example'], { list: 'a', seq: 2 });
    const checker = await openFor(publisher, { name: 'a', storage });
    expect(checker.checkMany([OLD, NEW])).toEqual(['maybe', 'safe']);
  });
});
