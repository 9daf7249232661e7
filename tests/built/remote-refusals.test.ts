/** Faults of a host: each is an error, and none becomes `false`. */

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter } from 'tamis';
import { RemoteFilter, RemoteMap } from 'tamis/remote';

import type { Code } from '../js/support/errors.js';
import { type FakeHost, rankOf } from '../js/support/pages.js';
import {
  expectRejection,
  hosted,
  KEYS,
  MANIFEST,
  open,
  publicKeys,
} from '../js/support/signed-pages.js';
import { hang, holdTimers } from '../js/support/waiting.js';

holdTimers();

/** The bytes of the requested range. */
const bytesOf = async (host: FakeHost, name: string, range: string | undefined) =>
  new Uint8Array(await host.answer(name, range).arrayBuffer()) as Uint8Array<ArrayBuffer>;

const partial = (bytes: Uint8Array<ArrayBuffer>, headers = {}) =>
  new Response(bytes, { status: 206, headers });

/** Faults of pages, with a correct manifest. */
const faults: [string, Code, (host: FakeHost, name: string, range: string) => Promise<Response>][] =
  [
    ['nothing but 503', 'UNAVAILABLE', async () => new Response(null, { status: 503 })],
    ['404: a part is missing', 'UNAVAILABLE', async () => new Response(null, { status: 404 })],
    ['403', 'UNAVAILABLE', async () => new Response('denied', { status: 403 })],
    ['no connection', 'UNAVAILABLE', () => Promise.reject(new TypeError('fetch failed'))],
    [
      'the whole part with 200',
      'UNAVAILABLE',
      async (host, name) => new Response((await bytesOf(host, name, undefined)).buffer),
    ],
    [
      'a page with 200',
      'UNAVAILABLE',
      async (host, name, range) => new Response(await bytesOf(host, name, range)),
    ],
    [
      'a byte fewer',
      'TRUNCATED',
      async (host, name, range) => partial((await bytesOf(host, name, range)).slice(1)),
    ],
    ['no byte', 'TRUNCATED', async () => partial(new Uint8Array())],
    [
      'a byte more',
      'TOO_LARGE',
      async (host, name, range) =>
        partial(Uint8Array.from([...(await bytesOf(host, name, range)), 0])),
    ],
    [
      'other bytes of the right length',
      'CORRUPT',
      async (host, name, range) => partial((await bytesOf(host, name, range)).fill(0)),
    ],
    ...[0, 64, 300, -33, -1].map(
      (at) =>
        [
          `one bit changed, of the byte ${at}`,
          'CORRUPT',
          async (host: FakeHost, name: string, range: string) => {
            const bytes = await bytesOf(host, name, range);
            const place = (at + bytes.length) % bytes.length;
            bytes[place] = (bytes[place] as number) ^ 1;
            return partial(bytes);
          },
        ] as (typeof faults)[number],
    ),
    [
      'the page beside it, with its own proof',
      'CORRUPT',
      async (host, name, range) => {
        const [from, to] = range.slice(6).split('-').map(Number) as [number, number];
        const whole = await bytesOf(host, name, undefined);
        const moved = new Uint8Array([...whole.subarray(whole.length / 8), ...whole]);
        return partial(moved.slice(from, to + 1));
      },
    ],
    [
      'the right bytes of another range, as it says',
      'CORRUPT',
      async (host, name, range) => {
        const bytes = await bytesOf(host, name, range);
        return partial(bytes, { 'Content-Range': `bytes 0-${bytes.length}/${2 * bytes.length}` });
      },
    ],
    ...['bytes 0-63/*', 'bytes */*', '*', 'bytes 0-63/64'].map(
      (said) =>
        [
          `another range, as it says: ${said}`,
          'CORRUPT',
          async (host: FakeHost, name: string, range: string) =>
            partial(await bytesOf(host, name, range), { 'Content-Range': said }),
        ] as (typeof faults)[number],
    ),
    [
      'gzip, said and done',
      'CORRUPT',
      async (host, name, range) => {
        const zipped = new Uint8Array(gzipSync(await bytesOf(host, name, range)));
        return partial(zipped, { 'Content-Encoding': 'gzip' });
      },
    ],
    [
      'gzip that the engine undid: a range of the zipped part',
      'TRUNCATED',
      async (host, name, range) => partial((await bytesOf(host, name, range)).slice(0, 99)),
    ],
    [
      'a connection that breaks in the middle',
      'UNAVAILABLE',
      async (host, name, range) => {
        const bytes = await bytesOf(host, name, range);
        const body = new ReadableStream({
          pull(controller) {
            if (bytes.length === 0) controller.close();
            else controller.enqueue(bytes.slice(0, 500));
            controller.error(new TypeError('terminated'));
          },
        });
        return new Response(body, { status: 206 });
      },
    ],
    ['no answer in time', 'UNAVAILABLE', hang],
    [
      'a body that never ends',
      'UNAVAILABLE',
      async () =>
        new Response(new ReadableStream({ pull: hang }, { highWaterMark: 0 }), { status: 206 }),
    ],
  ];

describe.each(faults)('a host that answers %s', (_, code, answer) => {
  const faulty = () => {
    const { set, host } = hosted();
    const page = set.pageOf('key 1');
    const from = `bytes=${page * set.fields.stride}-`;
    host.fault = ({ name, range }) =>
      range?.startsWith(from) ? answer(host, name, range) : undefined;
    return { set, host };
  };

  test('fails a look-up, and the next look-up asks again', async () => {
    const { host } = faulty();
    const filter = await open(host);
    await expectRejection(filter.has('key 1'), code);
    await expectRejection(filter.prefetch(['key 1']), code);
    await expectRejection(filter.has('key 1'), code);
    expect(host.pagesAsked).toHaveLength(3);
    expect(filter.status.cachedPages).toBe(0);
    host.fault = undefined;
    expect(await filter.has('key 1')).toBe(true);
    filter.close();
  });

  test('fails the whole of hasMany', async () => {
    const { set, host } = faulty();
    const filter = await open(host);
    // Their range begins with the page of the fault.
    const keys = KEYS.filter((key) => set.pageOf(key) >= set.pageOf('key 1'));
    await expectRejection(filter.hasMany(keys), code);
    host.fault = undefined;
    expect((await filter.hasMany(KEYS)).every((one) => one === 1)).toBe(true);
    filter.close();
  });
});

test.each(faults)(
  'a map on a host that answers %s: no value, and none of many',
  async (_, code, answer) => {
    const { set, host } = hosted({ type: 'bloomier' });
    const options = { name: 'list', publicKeys, fetch: host.fetch, retries: 0 };
    const map = await RemoteMap.open(MANIFEST, options);
    const from = `bytes=${set.pageOf('key 1') * set.fields.stride}-`;
    host.fault = ({ name, range }) =>
      range?.startsWith(from) ? answer(host, name, range) : undefined;
    await expectRejection(map.get('key 1'), code);
    const keys = KEYS.filter((key) => set.pageOf(key) >= set.pageOf('key 1'));
    await expectRejection(map.getMany(keys), code);
    host.fault = undefined;
    expect(await map.get('key 1')).toBe(rankOf('key 1'));
    map.close();
  },
);

describe('a publisher that signs', () => {
  const other = BloomFilter.from(['key 1']).toBytes();
  const asOther = (leaf: Uint8Array) => leaf.fill(0).set(other);
  test.each<[string, Code, (leaf: Uint8Array) => void]>([
    ['a file that is longer than its page', 'CORRUPT', (leaf) => leaf.fill(255, 50, 52)],
    ['something behind the file', 'CORRUPT', (leaf) => leaf.fill(1, -1)],
    ['no file', 'NOT_TAMIS', (leaf) => leaf.fill(0)],
    ['a file of another version', 'UNSUPPORTED_VERSION', (leaf) => leaf.fill(9, 8, 9)],
    ['a file of another type', 'WRONG_TYPE', asOther],
    ['a damaged file', 'CORRUPT', (leaf) => leaf.fill(7, 80, 90)],
  ])('%s is an error, and no answer', async (_, code, change) => {
    const { host } = hosted({ change });
    const filter = await open(host);
    await expectRejection(filter.has('key 1'), code);
    await expectRejection(filter.hasMany(KEYS), code);
    filter.close();
  });
});

describe('a whole part', () => {
  test('is refused before its body is read', async () => {
    const { host } = hosted();
    let isRead = false;
    const body = () =>
      new ReadableStream(
        {
          pull(controller) {
            isRead = true;
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
    host.fault = ({ range }) => (range === undefined ? undefined : new Response(body()));
    const filter = await open(host, { retries: 5 });
    const message = /answered 200: it must support range requests; else pass fullResponses: 'use'/;
    await expectRejection(filter.has('key 1'), 'UNAVAILABLE', message);
    expect(isRead).toBe(false);
    // The rest is not read, and there is no further attempt.
    expect(host.pagesAsked).toHaveLength(1);
    expect(host.pagesAsked[0]?.signal.aborted).toBe(true);
    filter.close();
  });

  test('is used where that is wanted, and proved as a range is', async () => {
    const { host, set } = hosted();
    host.fault = ({ name, range }) => (range === undefined ? undefined : host.answer(name));
    const filter = await open(host, { fullResponses: 'use' });
    expect((await filter.hasMany(KEYS)).every((one) => one === 1)).toBe(true);
    const [[name, part]] = [...set.parts] as [[string, Uint8Array]];
    const other = part.slice();
    other.fill(1, set.pageOf('key 1') * set.fields.stride + 70);
    host.files.set(name, other);
    const fresh = await open(host, { fullResponses: 'use' });
    await expectRejection(fresh.has('key 1'), 'CORRUPT');
    host.files.set(name, part.slice(1));
    await expectRejection(fresh.has('key 1'), 'TRUNCATED');
    host.files.set(name, new Uint8Array(part.length + 1));
    await expectRejection(fresh.has('key 1'), 'TOO_LARGE');
    filter.close();
    fresh.close();
  });
});

describe('a secret key', () => {
  const key = new Uint8Array(16).fill(9);

  test('that lacks, is another or is too much', async () => {
    const { host } = hosted({ secret: key });
    await expectRejection(open(host), 'KEY_REQUIRED');
    await expectRejection(open(host, { secret: new Uint8Array(16) }), 'WRONG_KEY');
    await expectRejection(open(hosted().host, { secret: key }), 'WRONG_KEY');
    await expectRejection(open(host, { secret: key.subarray(1) }), 'INVALID_OPTION');
  });

  test('is copied', async () => {
    const { host } = hosted({ secret: key });
    const own = key.slice();
    const filter = await open(host, { secret: own });
    own.fill(0);
    expect(await filter.has('key 1')).toBe(true);
    filter.close();
  });
});

test.each<[string, object]>([
  ['publicKeys of no key', { publicKeys: [] }],
  ['publicKeys that is a key', { publicKeys: publicKeys[0] }],
  ['no page in memory', { cachePages: 0 }],
  ['half a page', { cachePages: 1.5 }],
  ['too many decoys', { decoys: 65 }],
  ['no request at once', { requests: 0 }],
  ['too many requests at once', { requests: 65 }],
  ['another word', { fullResponses: 'maybe' }],
  ['no time', { timeoutMs: 0 }],
  ['too many attempts', { retries: 11 }],
  ['a storage without set', { storage: { get: () => {} } }],
  ['an unknown option', { cache: 5 }],
  ['a fetch that is none', { fetch: 'https://host.example/' }],
])('an option that is wrong: %s', async (_, options) => {
  const { host } = hosted();
  await expectRejection(open(host, options), 'INVALID_OPTION');
  expect(host.asked).toHaveLength(0);
});

test('an address that is none', async () => {
  const opening = RemoteFilter.open('manifest.json', { name: 'list', publicKeys });
  await expectRejection(opening, 'INVALID_OPTION', /^RemoteFilter\.open: manifestUrl must be an/);
  // The options come second, also for a caller who puts the address into them.
  const given = { manifest: 'https://host.example/manifest.json', name: 'list', publicKeys };
  const call =
    /^RemoteMap\.open must be called as RemoteMap\.open\(manifestUrl, \{ name, publicKeys, /;
  await expectRejection(RemoteMap.open(given as never, given), 'INVALID_OPTION', call);
});

test('an option of a look-up that is wrong', async () => {
  const { host } = hosted();
  const filter = await open(host);
  for (const options of [{ signal: 1 }, { signals: null }, 5]) {
    await expectRejection(filter.has('key 1', options as never), 'INVALID_OPTION');
    await expectRejection(filter.prefetch(['key 1'], options as never), 'INVALID_OPTION');
  }
  expect(host.pagesAsked).toHaveLength(0);
  filter.close();
});
