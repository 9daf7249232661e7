/** Jumps: one delta from the current list to the manifest's. Whatever the server sends instead, the list is right. */
import { describe, expect, test } from '@jest/globals';
import {
  type ManifestFields,
  signManifest,
  type UrlChecker,
  UrlListBuilder,
  verifyManifest,
} from 'tamis/url';

import { rejection } from './support/errors.js';
import {
  BASE,
  first,
  hex,
  listOf,
  offline,
  openFor,
  Publisher,
  START,
  second,
  someHosts,
  versionOf,
} from './support/url-publisher.js';
import { hang, holdTimers } from './support/waiting.js';

holdTimers();

const jumps = 'jump-';
const third = [...second, 'third.example'];

const jumpBytes = (from: readonly string[], to: readonly string[]): Uint8Array =>
  listOf(to).diff(listOf(from)).toBytes();
const identityOf = (hosts: readonly string[]): string => hex(listOf(hosts).identity);
const jumpName = (from: readonly string[], to: readonly string[], prefix = jumps): string =>
  `${prefix}${identityOf(from).slice(0, 16)}-${identityOf(to).slice(0, 16)}.tamis`;

/** A client of the first list, and a second list with a jump. */
async function between(more: Partial<ManifestFields> = {}) {
  const publisher = await Publisher.with(first);
  const checker = await openFor(publisher);
  await publisher.publish(second, { jumps, ...more });
  const name = jumpName(first, second);
  const bytes = jumpBytes(first, second);
  publisher.files.set(name, bytes);
  publisher.drain();
  return { publisher, checker, name, bytes };
}

describe('a jump', () => {
  test('is one request, and as many bytes as it has', async () => {
    const publisher = await Publisher.with(first);
    const checkers = [];
    const versions = [first, ...[1, 2, 3].map((i) => [...first, ...someHosts(i, 1000)])];
    for (const hosts of versions.slice(1)) {
      checkers.push(await openFor(publisher));
      await publisher.publish(hosts);
    }
    checkers.push(await openFor(publisher));
    await publisher.publish(second, { jumps });
    for (const [i, checker] of checkers.entries()) {
      const bytes = jumpBytes(versions[i] as string[], second);
      publisher.files.set(jumpName(versions[i] as string[], second), bytes);
      publisher.drain();
      const expected = { changed: true, receivedBytes: bytes.length, by: 'jump', to: 'v5' };
      expect(await checker.update()).toMatchObject(expected);
      expect(publisher.drain()).toEqual(['manifest.json', 'jump']);
      expect(versionOf(checker)).toBe('second');
      expect(checker.status).toMatchObject({ count: second.length, error: undefined });
      expect(await checker.update()).toMatchObject({ changed: false, by: 'none' });
      expect(publisher.drain()).toEqual(['manifest.json']);
    }
  });

  test('is not asked for without a list, or for another kind of list', async () => {
    const publisher = await Publisher.with(first);
    const checker = await openFor(publisher);
    const wide = new UrlListBuilder({ prefixBytes: 8 }).addHosts(second).build();
    await publisher.publish(second, {
      jumps,
      prefixBytes: 8,
      sha256: hex(wide.identity),
      snapshot: publisher.put('snap', wide.toBytes()),
      deltas: [],
    });
    publisher.drain();
    expect(await checker.update()).toMatchObject({ by: 'snapshot' });
    await openFor(publisher);
    expect(publisher.drain()).toEqual(['manifest.json', 'snap', 'manifest.json', 'snap']);
  });

  test('may lie elsewhere', async () => {
    for (const prefix of ['../other/j', 'https://cdn.example/phish/', 'j'.repeat(512), 'j?x=']) {
      const publisher = await Publisher.with(first);
      const checker = await openFor(publisher);
      await publisher.publish(second, { jumps: prefix });
      const { href } = new URL(jumpName(first, second, prefix), `${BASE}manifest.json`);
      const bytes = jumpBytes(first, second);
      publisher.instead.set(href.replace(BASE, ''), () => new Response(bytes as never));
      expect(await checker.update()).toMatchObject({ by: 'jump' });
      expect(versionOf(checker)).toBe('second');
    }
  });

  test.each([
    7,
    null,
    '',
    [],
    {},
    true,
    ['jump-'],
    'j'.repeat(513),
    'a b',
    'a\n',
    '\u00e9',
    ' jump-',
  ])('%j is none', async (value) => {
    const { publisher, checker } = await between({ jumps: value as never });
    expect(await checker.update()).toMatchObject({ by: 'deltas' });
    expect(publisher.drain()).toEqual(['manifest.json', 'delta']);
    expect(versionOf(checker)).toBe('second');
  });
});

test('a manifest with jumps has the form that it always had', async () => {
  const { publisher } = await between();
  const bytes = publisher.files.get('manifest.json') as Uint8Array;
  const options = { publicKeys: [publisher.keys.publicKey], name: 'phish', nowMs: START };
  expect(await verifyManifest(bytes, options)).toMatchObject({ jumps, seq: 2 });
});

/** Wrong answers to the request for the jump from the first list to the second. */
const wrong: [string, (bytes: Uint8Array) => Response | Promise<Response>][] = [
  ['nothing', () => new Response(null, { status: 404 })],
  ['nothing any more', () => new Response(null, { status: 410 })],
  ['an error', () => new Response('x', { status: 500 })],
  ['no answer', offline],
  ['an answer that never ends', hang],
  ['an empty file', () => new Response(null)],
  ['HTML with status 200', () => new Response('<!doctype html><title>Not found</title>')],
  ['half a file', (bytes) => new Response(bytes.slice(0, bytes.length / 2) as never)],
  ['one byte more', (bytes) => new Response(Uint8Array.from([...bytes, 0]))],
  ['a jump from another list', () => new Response(jumpBytes(third, second) as never)],
  ['a jump to another list', () => new Response(jumpBytes(first, third) as never)],
  ['the way back', () => new Response(jumpBytes(second, first) as never)],
  ['a list', () => new Response(listOf(second).toBytes() as never)],
];

describe.each(wrong)('%s in its place', (_, answer) => {
  test('the chain follows, and without one the snapshot', async () => {
    for (const [by, more] of [['deltas'], ['snapshot', { deltas: [] }]] as const) {
      const { publisher, checker, name, bytes } = await between(more);
      publisher.instead.set(name, () => answer(bytes));
      expect(await checker.update()).toMatchObject({ changed: true, by });
      const last = by === 'deltas' ? 'delta' : 'snap';
      expect(publisher.drain()).toEqual(['manifest.json', 'jump', last]);
      expect(versionOf(checker)).toBe('second');
      expect(checker.status.error).toBeUndefined();
    }
  });
});

test('one byte of a jump is wrong, at any place: the list is right', async () => {
  const { publisher, name, bytes } = await between();
  const manifest = publisher.files.get('manifest.json') as Uint8Array;
  const before = await Publisher.with(first);
  for (let at = 0; at < bytes.length; at++) {
    const damaged = bytes.map((byte, i) => (i === at ? byte ^ (1 << (at % 8)) : byte));
    publisher.instead.set(name, () => new Response(damaged as never));
    // A client with the first list.
    publisher.files.set('manifest.json', before.files.get('manifest.json') as Uint8Array);
    const publicKeys = [before.keys.publicKey, publisher.keys.publicKey];
    const checker = await openFor(publisher, { publicKeys });
    publisher.files.set('manifest.json', manifest);
    const { by } = await checker.update();
    expect([at, by]).toEqual([at, 'deltas']);
    expect(versionOf(checker)).toBe('second');
    checker.close();
  }
});

test('a jump larger than the snapshot is not read to its end', async () => {
  const { publisher, checker, name } = await between();
  const { bytes } = publisher.fields(second).snapshot;
  let sent = 0;
  let isEnded = false;
  const body = () =>
    new ReadableStream({
      pull(controller) {
        sent += 100;
        controller.enqueue(new Uint8Array(100));
      },
      cancel() {
        isEnded = true;
      },
    });
  publisher.instead.set(name, () => new Response(body()));
  expect(await checker.update()).toMatchObject({ by: 'deltas' });
  expect(isEnded).toBe(true);
  expect(sent).toBeLessThanOrEqual(bytes + 400);
  expect(versionOf(checker)).toBe('second');
});

describe('what a jump leads to is what was signed', () => {
  /** The update fails, and the old list stays in use. */
  async function stays(checker: UrlChecker): Promise<void> {
    expect((await rejection(checker.update())).code).toBe('ERR_TAMIS_CORRUPT');
    expect(versionOf(checker)).toBe('first');
  }

  test('in each of its 32 bytes, its rule, its width and its number', async () => {
    const { publisher, checker } = await between();
    const identity = identityOf(second);
    // With these endings a file of the right name also passes the delta's own checks.
    for (const at of [16, 40, 63]) {
      const other = identity[at] === '0' ? '1' : '0';
      const sha256 = identity.slice(0, at) + other + identity.slice(at + 1);
      await publisher.publish(second, { jumps, sha256, deltas: [] });
      await stays(checker);
      expect(publisher.drain()).toEqual(['manifest.json', 'jump', 'snap']);
    }
    await publisher.publish(second, { jumps, n: 300, deltas: [] });
    await stays(checker);
    expect(publisher.drain()).toEqual(['manifest.json', 'jump', 'snap']);
    await publisher.publish(second, { jumps, deltas: [] });
    expect(await checker.update()).toMatchObject({ by: 'jump' });
  });

  test('and bytes count that were of no use', async () => {
    const { publisher, checker, name, bytes } = await between();
    const html = '<!doctype html><title>Not found</title>';
    publisher.instead.set(name, () => new Response(html));
    const { receivedBytes } = await checker.update();
    expect(receivedBytes).toBe(html.length + bytes.length);
  });
});

describe('a jump that is missing', () => {
  const down = () => new Response(null, { status: 503 });

  test.each([403, 404, 410])(
    'is asked for once, until there is another manifest: %d',
    async (status) => {
      const { publisher, checker, name, bytes } = await between({ deltas: [] });
      publisher.instead.set('snap', down).set(name, () => new Response(null, { status }));
      expect((await rejection(checker.update())).code).toBe('ERR_TAMIS_UNAVAILABLE');
      expect(publisher.drain()).toEqual(['manifest.json', 'jump', 'snap']);
      expect((await rejection(checker.update())).code).toBe('ERR_TAMIS_UNAVAILABLE');
      expect(publisher.drain()).toEqual(['manifest.json', 'snap']);
      publisher.instead.set(name, () => new Response(bytes as never));
      await publisher.publish(second, { jumps, deltas: [] });
      expect(await checker.update()).toMatchObject({ by: 'jump' });
      expect(publisher.drain()).toEqual(['manifest.json', 'jump']);
      expect(versionOf(checker)).toBe('second');
    },
  );

  test('is not one whose server was down', async () => {
    const { publisher, checker } = await between({ deltas: [] });
    publisher.instead.set('snap', down).set('jump', down);
    expect((await rejection(checker.update())).code).toBe('ERR_TAMIS_UNAVAILABLE');
    publisher.instead.clear();
    publisher.drain();
    expect(await checker.update()).toMatchObject({ by: 'jump' });
    expect(publisher.drain()).toEqual(['manifest.json', 'jump']);
  });
});

test('a client that is closed in the middle of a jump stays closed', async () => {
  const { publisher, checker, name } = await between();
  publisher.instead.set(name, async () => {
    checker.close();
    return new Response(jumpBytes(first, second) as never);
  });
  expect((await rejection(checker.update())).code).toBe('ERR_TAMIS_DISPOSED');
  expect(publisher.drain()).toEqual(['manifest.json', 'jump']);
});

test('a manifest that is signed with jumps is refused without them', async () => {
  const { publisher, checker } = await between();
  const { jumps: _, ...fields } = publisher.fields(second, { jumps });
  const { sig } = await signManifest({ ...fields, jumps }, publisher.keys);
  publisher.serve({ ...(await signManifest(fields, publisher.keys)), sig });
  expect((await rejection(checker.update())).code).toBe('ERR_TAMIS_BAD_SIGNATURE');
  expect(versionOf(checker)).toBe('first');
});
