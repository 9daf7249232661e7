/** RemoteFilter and RemoteMap over a host in memory: their answers, and their cost. */

import { describe, expect, test } from '@jest/globals';
import { hashKeys } from 'tamis';
import { BinaryFuseFilter, BloomierMap, ExactFilter, RibbonFilter } from 'tamis/read';
import { RemoteFilter, RemoteMap, type RemoteOptions } from 'tamis/remote';

import { groupOf } from '../../js/src/remote/key-hashes.js';
import { rejection } from '../js/support/errors.js';
import { type FakeHost, pageOf, rankOf, type SetOptions } from '../js/support/pages.js';
import { hosted, KEYS, MANIFEST, publicKeys } from '../js/support/signed-pages.js';
import { until } from '../js/support/waiting.js';

const OTHERS = Array.from({ length: 2000 }, (_, i) => `other ${i}`);
const SECRET = Uint8Array.from({ length: 16 }, (_, i) => 3 * i);
const open = (host: FakeHost, options: Partial<RemoteOptions> = {}) =>
  RemoteFilter.open(MANIFEST, {
    name: 'list',
    publicKeys,
    fetch: host.fetch,
    ...options,
  });

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe.each<[string, SetOptions]>([
  ['ribbon', {}],
  ['one page', { pages: 1 }],
  ['three pages', { pages: 3 }],
  ['a page for every second key, so that some are empty', { pages: 1000 }],
  ['another seed', { seed: 2n ** 64n - 1n }],
  ['keyed', { secret: SECRET }],
  ['binary-fuse', { type: 'binary-fuse' }],
  ['exact', { type: 'exact' }],
  ['bloomier', { type: 'bloomier' }],
])('a filter: %s', (_, options) => {
  test('has its keys, and few others', async () => {
    const { host, set } = hosted(options);
    const key = options.secret === undefined ? {} : { secret: options.secret };
    const types = [RibbonFilter, BinaryFuseFilter, ExactFilter, BloomierMap];
    const filter = await open(host, { ...key, types, cachePages: 2000 });
    expect(await filter.has('key 7')).toBe(true);
    expect(await filter.has(bytesOf('key 7'))).toBe(true);
    expect(await filter.hasMany(KEYS)).toEqual(new Uint8Array(KEYS.length).fill(1));
    const false_ = (await filter.hasMany(OTHERS)).reduce((sum, one) => sum + one, 0);
    // 2^-8 of 2,000 are 8 on average; the probability of 50 is below 1e-15.
    expect(false_).toBeLessThan(50);
    expect(filter.status.manifest).toMatchObject(set.fields);
    filter.close();
  });
});

describe('requests', () => {
  test('of a look-up: one of a page, and none for the next key of the page', async () => {
    const { host, set } = hosted();
    const filter = await open(host);
    expect(host.asked).toMatchObject([{ name: 'manifest.json', range: undefined }]);
    expect(await filter.has('key 1')).toBe(true);
    const { stride } = set.fields;
    const page = set.pageOf('key 1');
    const range = `bytes=${page * stride}-${(page + 1) * stride - 1}`;
    expect(host.pagesAsked).toMatchObject([{ name: [...set.parts.keys()][0], range }]);
    const sibling = KEYS.slice(2).find((key) => set.pageOf(key) === page) as string;
    expect(await filter.has(sibling)).toBe(true);
    expect(host.asked).toHaveLength(2);
    expect(filter.status).toMatchObject({ cachedPages: 1, requests: 2 });
    expect(filter.status.receivedBytes).toBe(
      stride + (host.files.get('manifest.json') as string).length,
    );
    filter.close();
  });

  // A proxy may not know the length of the whole: RFC 9110, section 14.4.
  test('are answered by a range of which the host does not say how long the whole is', async () => {
    const { host } = hosted();
    host.fault = async ({ name, range }) => {
      if (range === undefined) return host.answer(name, range);
      const body = await host.answer(name, range).arrayBuffer();
      const said = `${range.replace('=', ' ')}/*`;
      return new Response(body, { status: 206, headers: { 'Content-Range': said } });
    };
    const filter = await open(host);
    expect(await filter.has('key 1')).toBe(true);
    expect((await filter.hasMany(KEYS)).every((one) => one === 1)).toBe(true);
    filter.close();
  });

  test('are grouped by page, and a page on its way is waited for', async () => {
    const { host } = hosted();
    const filter = await open(host);
    const answers = await Promise.all([
      filter.hasMany(KEYS),
      filter.hasMany(KEYS.slice(0, 500)),
      filter.has('key 3'),
      filter.prefetch(['key 4']),
    ]);
    expect(answers[0].every((one) => one === 1)).toBe(true);
    // All pages lie near each other.
    expect(host.pagesAsked).toHaveLength(1);
    filter.close();
  });

  test.each([[undefined], [1], [9]])('are at most six at a time, or %d', async (requests) => {
    const { host } = hosted({ pages: 40 });
    let running = 0;
    let most = 0;
    host.fault = (asked) => {
      if (asked.range === undefined) return undefined;
      most = Math.max(most, ++running);
      return new Promise((resolve) => {
        setTimeout(() => {
          running--;
          resolve(host.answer(asked.name, asked.range));
        });
      });
    };
    const filter = await open(host, requests === undefined ? {} : { requests });
    const asking = KEYS.map((key) => filter.has(key));
    expect((await Promise.all(asking)).every((one) => one)).toBe(true);
    expect(most).toBe(requests ?? 6);
    filter.close();
  });

  test('are few with prefetch, and many where the cache is small', async () => {
    const { host, set } = hosted();
    const filter = await open(host, { cachePages: 2 });
    const [a, b, c] = [0, 1, 2].map((page) => KEYS.find((key) => set.pageOf(key) === page)) as [
      string,
      string,
      string,
    ];
    await filter.prefetch([a, b]);
    expect(host.pagesAsked).toHaveLength(1);
    await filter.hasMany([a, b]);
    expect(host.pagesAsked).toHaveLength(1);
    await filter.has(a);
    // b is the least recently used page.
    await filter.has(c);
    expect(filter.status.cachedPages).toBe(2);
    await filter.has(a);
    expect(host.pagesAsked).toHaveLength(2);
    await filter.has(b);
    expect(host.pagesAsked).toHaveLength(3);
    // More pages than the cache keeps, at once.
    expect((await filter.hasMany(KEYS)).every((one) => one === 1)).toBe(true);
    expect(filter.status.cachedPages).toBe(2);
    filter.close();
  });

  test('are read from keys of every form, and the form of no keys is refused', async () => {
    const { host } = hosted();
    const filter = await open(host);
    const bytes = bytesOf('key 1');
    expect([...(await filter.hasMany([bytes, 'key 2']))]).toEqual([1, 1]);
    expect([...(await filter.hasMany(new Set(['key 1', 'key 2'])))]).toEqual([1, 1]);
    expect([...(await filter.hasMany([]))]).toEqual([]);
    for (const wrong of ['key 1', bytes, 5, undefined, null]) {
      const error = await rejection(filter.hasMany(wrong as never));
      expect(error.code).toBe('ERR_TAMIS_INVALID_KEY');
    }
    const error = await rejection(filter.hasMany(['a', 'b', '\ud800']));
    expect(error).toMatchObject({ code: 'ERR_TAMIS_INVALID_KEY', index: 2 });
    expect((await rejection(filter.has(7 as never))).code).toBe('ERR_TAMIS_INVALID_KEY');
    filter.close();
  });

  test('are of bytes that may change meanwhile', async () => {
    const { host } = hosted();
    const filter = await open(host);
    const key = bytesOf('key 9');
    const asking = filter.has(key);
    key.fill(0);
    expect(await asking).toBe(true);
    filter.close();
  });
});

describe('decoys', () => {
  /** Pages that are too far from each other for one request, unless they are neighbours. */
  const far = () => hosted({ pages: 64, strideBytes: 2 ** 16 + 64 });
  /** The pages of each request. */
  const pagesOf = (host: FakeHost, stride: number) =>
    host.pagesAsked.flatMap(({ range }) => {
      const [from, to] = (range as string).slice(6).split('-').map(Number) as [number, number];
      const first = from / stride;
      return Array.from({ length: (to + 1) / stride - first }, (_, i) => first + i);
    });

  /** Refuses the requests whose range of bytes `isRefused`. */
  const failing =
    (isRefused: (first: number, end: number) => boolean) =>
    ({ range }: { range?: string | undefined }) => {
      if (range === undefined) return undefined;
      const [first, last] = range.slice(6).split('-').map(Number) as [number, number];
      return isRefused(first, last + 1) ? new Response(null, { status: 403 }) : undefined;
    };

  test('are fetched beside each page that is wanted, and none beside one in memory', async () => {
    const { host, set } = far();
    const filter = await open(host, { decoys: 5 });
    expect(await filter.has('key 1')).toBe(true);
    await filter.prefetch([]);
    await until(() => filter.status.cachedPages >= 6);
    const pages = pagesOf(host, set.fields.stride);
    expect(pages).toEqual(groupOf(set.pageOf('key 1'), 64, 6));
    const before = host.asked.length;
    expect(await filter.has('key 1')).toBe(true);
    expect(host.asked).toHaveLength(before);
    filter.close();
  });

  test('are the same in a hundred look-ups, whatever is in memory, and for a decoy that is wanted', async () => {
    const { host, set } = hosted({ pages: 64 });
    const filter = await open(host, { decoys: 5, cachePages: 3 });
    const group = groupOf(set.pageOf('key 1'), 64, 6);
    // Look-ups of pages of another group move those of this one out of the memory, some of them or all.
    const others = KEYS.filter((key) => !group.includes(set.pageOf(key))).slice(0, 7);
    const members = KEYS.filter((key) => group.includes(set.pageOf(key))).slice(0, 20);
    const seen = new Set<string>();
    for (let i = 0; i < 100; i++) {
      host.asked.length = 0;
      expect(await filter.has(members[i % members.length] as string)).toBe(true);
      seen.add(String(host.pagesAsked.map(({ range }) => range)));
      expect(await filter.has(others[i % others.length] as string)).toBe(true);
    }
    seen.delete(''); // the page was in memory
    expect(seen.size).toBe(1);
    filter.close();
  });

  test('are there before the answer, so that the host does not see which page gave it', async () => {
    const { host, set } = far();
    const { stride } = set.fields;
    const page = set.pageOf('key 1');
    const filter = await open(host, { decoys: 5 });
    const waiting: (() => void)[] = [];
    host.fault = async ({ range }) => {
      if (range === undefined) return undefined;
      const [first, last] = range.slice(6).split('-').map(Number) as [number, number];
      const isWanted = first <= page * stride && page * stride < last;
      if (!isWanted) await new Promise<void>((resolve) => waiting.push(resolve));
      return undefined;
    };
    let isAnswered = false;
    const asking = filter.has('key 1').then((answer) => {
      isAnswered = true;
      return answer;
    });
    await until(() => filter.status.cachedPages > 0);
    for (const release of waiting) {
      expect(isAnswered).toBe(false);
      release();
    }
    expect(await asking).toBe(true);
    expect(filter.status.cachedPages).toBe(groupOf(page, 64, 6).length);
    filter.close();
  });

  test('are asked for again with a page whose request failed', async () => {
    const { host, set } = far();
    const { stride } = set.fields;
    const page = set.pageOf('key 1');
    const filter = await open(host, { decoys: 5, retries: 0 });
    host.fault = failing((first, end) => first <= page * stride && page * stride < end);
    expect((await rejection(filter.has('key 1'))).code).toBe('ERR_TAMIS_UNAVAILABLE');
    host.fault = undefined;
    host.asked.length = 0;
    expect(await filter.has('key 1')).toBe(true);
    expect(pagesOf(host, stride)).toEqual(groupOf(page, 64, 6));
    filter.close();
  });

  test('end with the filter, also those that are in memory', async () => {
    const { host, set } = far();
    const group = groupOf(set.pageOf('key 1'), 64, 6);
    const signals: AbortSignal[] = [];
    const fetch = (url: string, init: RequestInit) => {
      signals.push(init.signal as AbortSignal);
      return host.fetch(url, init);
    };
    const filter = await open(host, { decoys: 5, cachePages: 3, fetch });
    await filter.prefetch(['key 1']);
    await until(() => host.pagesAsked.length > 0 && filter.status.cachedPages === 3);
    signals.length = 0;
    host.fault = () => new Promise(() => {});
    const members = group.map((page) => KEYS.find((key) => set.pageOf(key) === page) as string);
    const asking = members.map((key) => filter.has(key).catch(({ code }) => code));
    await until(() => signals.length > 0);
    filter.close();
    expect(new Set(await Promise.all(asking))).toEqual(new Set([true, 'ERR_TAMIS_DISPOSED']));
    await until(() => signals.every(({ aborted }) => aborted));
  });

  test('that fail do no harm, also within the range of the page that is wanted', async () => {
    const { host, set } = hosted({ pages: 64 });
    const { stride } = set.fields;
    const page = set.pageOf('key 1');
    for (const file of set.parts.values()) {
      for (let other = 0; other < 64; other++)
        if (other !== page) file.fill(1, other * stride + 70, other * stride + 80);
    }
    const filter = await open(host, { decoys: 8, retries: 0 });
    expect(await filter.has('key 1')).toBe(true);
    expect(host.pagesAsked).toHaveLength(1);
    filter.close();
  });

  test('whose request fails do no harm', async () => {
    const { host, set } = far();
    const { stride } = set.fields;
    const page = set.pageOf('key 1');
    host.fault = failing((first, end) => !(first <= page * stride && page * stride < end));
    const filter = await open(host, { decoys: 8, retries: 0 });
    expect(await filter.has('key 1')).toBe(true);
    filter.close();
  });
});

describe('a map', () => {
  const openMap = (host: FakeHost, options: Partial<RemoteOptions> = {}) =>
    RemoteMap.open(MANIFEST, {
      name: 'list',
      publicKeys,
      fetch: host.fetch,
      ...options,
    });

  test.each<[string, SetOptions]>([
    ['fast', {}],
    ['keyed', { secret: SECRET }],
  ])('%s gives the values of its keys', async (_, options) => {
    const { host } = hosted({ type: 'bloomier', ...options });
    const map = await openMap(host, options.secret === undefined ? {} : { secret: options.secret });
    expect(await map.get('key 12')).toBe(rankOf('key 12'));
    expect(await map.get('nobody has this key')).toBeUndefined();
    expect(await map.has('key 12')).toBe(true);
    const { values, found } = await map.getMany([...KEYS, 'nobody has this key']);
    expect([...found.subarray(0, KEYS.length)].every((one) => one === 1)).toBe(true);
    expect([...values]).toEqual([...KEYS.map(rankOf), 0]);
    expect(found[KEYS.length]).toBe(0);
    map.close();
  });

  test('reads bytes that may change meanwhile', async () => {
    const { host } = hosted({ type: 'bloomier' });
    const map = await openMap(host);
    const bytes = bytesOf('key 1key 22');
    const asking = map.getMany([bytes.subarray(0, 5), bytes.subarray(5)]);
    const alone = map.get(bytes.subarray(0, 5));
    bytes.fill(0);
    expect([...(await asking).values]).toEqual([rankOf('key 1'), rankOf('key 22')]);
    expect(await alone).toBe(rankOf('key 1'));
    map.close();
  });

  test('takes no pages of filters', async () => {
    const { host } = hosted();
    expect((await rejection(openMap(host))).code).toBe('ERR_TAMIS_UNSUPPORTED');
  });
});

describe('close', () => {
  test('ends look-ups, and everything after it throws', async () => {
    const { host } = hosted();
    const filter = await open(host);
    await filter.has('key 1');
    host.fault = () => new Promise(() => {});
    const waiting = filter.hasMany(KEYS);
    const early = rejection(filter.hasMany(KEYS.slice(1)));
    await until(() => host.asked.length >= 3);
    filter.close();
    filter.close();
    expect((await early).code).toBe('ERR_TAMIS_DISPOSED');
    const all = [waiting, filter.has('key 1'), filter.prefetch([]), filter.update()];
    const codes = await Promise.all(all.map((asking) => rejection(asking)));
    expect(codes.map(({ code }) => code)).toEqual(all.map(() => 'ERR_TAMIS_DISPOSED'));
    expect(() => filter.status).toThrow(expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' }));
    expect(host.asked.slice(2).every(({ signal }) => signal.aborted)).toBe(true);
    expect(host.asked).toHaveLength(3);
  });

  test('is dispose', async () => {
    const { host } = hosted();
    const filter = await open(host);
    filter[Symbol.dispose]();
    expect((await rejection(filter.has('key 1'))).code).toBe('ERR_TAMIS_DISPOSED');
  });
});

test('the pages of keys are those that the writer of the tests works out', async () => {
  const { host, set } = hosted({ pages: 100 });
  const filter = await open(host);
  for (const key of KEYS.slice(0, 50)) {
    const [hash] = hashKeys([key]);
    const page = pageOf(hash as bigint, 7n, 100);
    host.asked.length = 0;
    const before = filter.status.cachedPages;
    await filter.has(key);
    if (filter.status.cachedPages === before) continue;
    expect(host.asked[0]?.range?.startsWith(`bytes=${page * set.fields.stride}-`)).toBe(true);
  }
  filter.close();
});
