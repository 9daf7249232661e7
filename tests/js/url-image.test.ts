/** The image of a list, which UrlChecker stores: it is exactly that list, or it is refused. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { BloomFilter, TamisError } from 'tamis';
import { UrlList, UrlListBuilder } from 'tamis/url';

import * as images from '../../js/src/url/list/list-image.js';
import { crc32c } from './support/crc32c.js';
import { rejection } from './support/errors.js';
import {
  first,
  hex,
  listOf,
  OLD,
  offline,
  openFor,
  Publisher,
  second,
  TestStorage,
  versionOf,
} from './support/url-publisher.js';

afterEach(() => {
  jest.restoreAllMocks();
});

// Here the sources replace the package, but TypeScript sees two classes.
const imageOf = (list: UrlList) => images.imageOf(list as never);
const openImage = async (image: Uint8Array, options: images.ImageOptions) =>
  (await images.openImage(image, options)) as unknown as UrlList;

const crcAt = 124;
const optionsOf = (list: UrlList) => {
  const { count, prefixBytes } = list;
  return { identity: hex(list.identity), count, prefixBytes };
};
const imagesIn = (storage: TestStorage) =>
  [...storage.files.keys()].filter((key) => key.endsWith('.img'));

/** Corrects the header's CRC. */
function repaired(image: Uint8Array): Uint8Array {
  new DataView(image.buffer).setUint32(crcAt, crc32c(image.subarray(0, crcAt)), true);
  return image;
}

function flipped(image: Uint8Array, bit: number): Uint8Array {
  const copy = image.slice();
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

describe('an image', () => {
  test.each([4, 8, 16, 32] as const)('of prefixes of %i bytes is the list', async (prefixBytes) => {
    for (const hosts of [[], ['evil.example'], first]) {
      const list = new UrlListBuilder({ prefixBytes }).addHosts(hosts).build();
      const image = imageOf(list);
      const opened = await openImage(image, optionsOf(list));
      expect(opened.toBytes()).toEqual(list.toBytes());
      expect(opened.sha256).toEqual(list.sha256);
      expect(imageOf(opened)).toEqual(image);
      expect(imageOf(opened.clone())).toEqual(image);
      for (const host of hosts) expect(opened.check(`https://${host}/`)).toBe('maybe');
      expect(opened.check('https://good.example/')).toBe('safe');
      opened.validate();
      const next = listOf(second);
      if (prefixBytes === 4) expect(opened.apply(next.diff(list)).sha256).toEqual(next.sha256);
    }
  });

  test.each([
    ['hosts', () => new UrlListBuilder({ prefixBytes: 4 }).addHosts(['a.example', 'b.example'])],
    ['pages', () => new UrlListBuilder({ prefixBytes: 8 }).addUrls(['https://a.example/b?c'])],
    ['nothing', () => new UrlListBuilder({ prefixBytes: 32 })],
  ])('of %s, with any bit flipped, is refused or the same list', async (_, build) => {
    const list = build().build();
    const image = imageOf(list);
    const options = optionsOf(list);
    let same = 0;
    for (let bit = 0; bit < 8 * image.length; bit++) {
      const changes = [flipped(image, bit)];
      // A deliberate change, with a correct CRC.
      if (bit < 8 * crcAt) changes.push(repaired(flipped(image, bit)));
      for (const changed of changes) {
        try {
          const opened = await openImage(changed, options);
          same++;
          expect(opened.toBytes()).toEqual(list.toBytes());
          opened.dispose();
        } catch (error) {
          expect([bit, error instanceof TamisError]).toEqual([bit, true]);
        }
      }
    }
    // The bytes after the rule's text have no meaning.
    expect(same).toBe(8 * (64 - 'labels5'.length));
  });

  test('is refused where it is cut or has more', async () => {
    const list = listOf(['a.example', 'b.example']);
    const image = imageOf(list);
    const longer = new Uint8Array(image.length + 1);
    longer.set(image);
    for (const bytes of [
      ...Array.from({ length: image.length }, (_, size) => image.slice(0, size)),
      longer,
      // No memory is taken for it.
      new Uint8Array(2 ** 20),
    ]) {
      expect((await rejection(openImage(bytes, optionsOf(list)))).code).toBe('ERR_TAMIS_CORRUPT');
    }
  });

  test('of another list, rule, shape, length or version is refused', async () => {
    const urls = ['https://a.example/', 'https://b.example/'];
    const list = listOf(['a.example', 'b.example']);
    const named = { name: 'psl', registrableDomain: () => null };
    const others = [
      listOf(['a.example', 'c.example']),
      listOf(['a.example', 'b.example'], named),
      new UrlListBuilder().addUrls([...urls, `${urls[0]}page`]).build(),
      new UrlListBuilder({ prefixBytes: 8 }).addHosts(['a.example', 'b.example']).build(),
      listOf([]),
    ];
    for (const other of others) {
      const image = imageOf(other);
      const rule = other.rule === 'psl' ? { rule: named } : {};
      await expect(openImage(image, { ...optionsOf(list), ...rule })).rejects.toThrow();
      // The identity alone is enough to refuse.
      const sizes = { ...optionsOf(other), identity: hex(list.identity), ...rule };
      expect((await rejection(openImage(image, sizes))).code).toBe('ERR_TAMIS_CORRUPT');
      (await openImage(image, { ...optionsOf(other), ...rule })).dispose();
    }
    const psl = others[1] as UrlList;
    expect(
      (await rejection(openImage(imageOf(psl), { ...optionsOf(psl), rule: 'labels5' }))).code,
    ).toBe('ERR_TAMIS_INCOMPATIBLE');
    const image = imageOf(list);
    for (const version of [0, 2, 256]) {
      const changed = image.slice();
      new DataView(changed.buffer).setUint32(8, version, true);
      const error = await rejection(openImage(repaired(changed), optionsOf(list)));
      expect(error.code).toBe('ERR_TAMIS_CORRUPT');
    }
  });

  test('with the entries of another list under its checksum is refused', async () => {
    const list = listOf(['a.example', 'b.example']);
    const image = imageOf(list);
    const mixed = imageOf(listOf(['a.example', 'c.example']));
    mixed.set(image.subarray(0, 128));
    expect((await rejection(openImage(mixed, optionsOf(list)))).code).toBe('ERR_TAMIS_CORRUPT');
    jest.spyOn(crypto.subtle, 'digest').mockRejectedValue(new Error('no'));
    await expect(openImage(image, optionsOf(list))).rejects.toThrow('no');
  });

  test('may change, and the memory grow, while its entries are hashed', async () => {
    const list = listOf(first);
    const image = imageOf(list);
    const digest = crypto.subtle.digest.bind(crypto.subtle);
    jest.spyOn(crypto.subtle, 'digest').mockImplementation(async (name, bytes) => {
      image.fill(0);
      const large = new BloomFilter({ capacity: 20_000_000 });
      const found = await digest(name, bytes);
      large.dispose();
      return found;
    });
    const opened = await openImage(image, optionsOf(list));
    expect(opened.toBytes()).toEqual(list.toBytes());
  });
});

describe('in a storage', () => {
  test('a list is stored as its image alone, and nothing is decoded to open it', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    await openFor(publisher, { storage });
    const [key, ...others] = imagesIn(storage);
    expect(others).toEqual([]);
    const image = storage.files.get(key as string);
    expect(image).toEqual(imageOf(publisher.versions[0]?.list as UrlList));
    publisher.instead.set('manifest.json', offline);
    const decode = jest.spyOn(UrlList, 'fromBytes');
    const checker = await openFor(publisher, { storage });
    expect(checker.status).toMatchObject({ source: 'storage', error: undefined });
    expect(versionOf(checker)).toBe('first');
    expect(decode).not.toHaveBeenCalled();
  });

  test('an image that is refused is as good as none, never another list', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    await openFor(publisher, { storage });
    const [key] = imagesIn(storage) as [string];
    const image = storage.files.get(key) as Uint8Array;
    const other = await openImage(image, optionsOf(publisher.versions[0]?.list as UrlList));
    publisher.instead.set('manifest.json', offline);
    for (const bad of [
      flipped(image, 8 * 300),
      new Uint8Array(0),
      new Uint8Array(2 ** 22),
      imageOf(listOf(second)),
      imageOf(new UrlListBuilder({ prefixBytes: 8 }).addHosts(first).build()),
      other.toBytes(),
    ]) {
      storage.files.set(key, bad);
      const checker = await openFor(publisher, { storage });
      expect(checker.status.source).toBe('none');
      expect(checker.check(OLD)).toBe('unknown');
      expect(checker.check('https://good.example/')).toBe('unknown');
    }
    publisher.instead.clear();
    expect(versionOf(await openFor(publisher, { storage }))).toBe('first');
    expect(storage.files.get(key)).toEqual(image);
  });

  test('a list over maxBytes is not taken from an image either', async () => {
    const storage = new TestStorage();
    const publisher = await Publisher.with(first);
    await openFor(publisher, { storage });
    const checker = await openFor(publisher, { storage, maxBytes: 200 });
    expect(checker.status).toMatchObject({
      source: 'none',
      error: { code: 'ERR_TAMIS_TOO_LARGE' },
    });
  });
});
