/** Publishing: clients update from each version to the next, and bad lists are refused. */
import { describe, expect, test } from '@jest/globals';
import {
  type PublishOptions,
  publishList,
  signManifest,
  UrlList,
  UrlListBuilder,
  verifyManifest,
} from 'tamis/url';

import { expectCode, expectOption, rejection } from './support/errors.js';
import { type Seams, seams } from './support/seams.js';
import { expectWhole, keys, manifestIn, place } from './support/url-place.js';
import {
  DAY,
  filler,
  first,
  hex,
  listOf,
  newKeys,
  openFor,
  START,
  second,
  sha256,
  someHosts,
  TestStorage,
  versionOf,
} from './support/url-publisher.js';

describe('publishList', () => {
  test('writes a list that a UrlChecker opens', async () => {
    const { files, publish, host } = place();
    const made = await publish(first);
    const list = listOf(first);
    const digest = sha256(list.toBytes());
    const snapshot = `snapshot-${digest}.tamis`;
    expect(made).toMatchObject({
      list: 'phish',
      seq: START / 1000,
      version: '2026-11-22T00:00:00.000Z',
      n: first.length,
      hash: 'sha256',
      rule: 'parents',
      prefixBytes: 4,
      created: '2026-11-22T00:00:00.000Z',
      notAfter: '2026-11-29T00:00:00.000Z',
      sha256: hex(list.identity),
      snapshot: { url: snapshot, bytes: list.toBytes().length, sha256: digest },
      deltas: [],
    });
    expect(await manifestIn(files)).toEqual(made);
    expect([...files.keys()].sort()).toEqual(['files.json', 'manifest.json', snapshot]);
    const checker = await openFor(host);
    expect(versionOf(checker)).toBe('first');
  });

  test('a client follows the deltas from any version that is kept', async () => {
    const { clock, publish, host } = place();
    const checkers = [];
    for (let i = 0; i < 4; i++) {
      await publish([...first, ...someHosts(3 * i, 1000)], { jumps: 0 });
      checkers.push(await openFor(host));
      clock.ms += 1000;
    }
    const { deltas, snapshot } = await publish(second, { jumps: 0 });
    expect(deltas).toHaveLength(4);
    for (const [i, checker] of checkers.entries()) {
      host.drain();
      const { by, receivedBytes, to } = await checker.update();
      const chain = deltas.slice(i);
      const sum = chain.reduce((total, delta) => total + delta.bytes, 0);
      expect({ by, receivedBytes, to }).toEqual({
        by: 'deltas',
        receivedBytes: sum,
        to: '2026-11-22T00:00:04.000Z',
      });
      expect(receivedBytes).toBeLessThan(snapshot.bytes);
      expect(host.drain()).toEqual(['manifest.json', ...chain.map(() => 'delta')]);
      expect(versionOf(checker)).toBe('second');
    }
  });

  test('the same list renews the manifest alone', async () => {
    const { storage, files, clock, publish, host } = place();
    await publish(first);
    const before = await publish(second);
    const checker = await openFor(host);
    const written: string[] = [];
    storage.before = (operation, key) => operation === 'set' && written.push(key);
    clock.ms += DAY / 2;
    const after = await publish(second, { version: 'renewed', lifetimeMs: 2 * DAY });
    expect(written).toEqual(['files.json', 'manifest.json']);
    expect(after).toEqual({
      ...before,
      seq: (START + DAY / 2) / 1000,
      version: 'renewed',
      created: '2026-11-22T12:00:00.000Z',
      notAfter: '2026-11-24T12:00:00.000Z',
      sig: after.sig,
    });
    expectWhole(after, files);
    expect(await checker.update()).toMatchObject({ changed: true, receivedBytes: 0, by: 'none' });
  });

  test('also after the one before has expired', async () => {
    const { clock, publish } = place();
    await publish(first);
    clock.ms += 30 * DAY;
    expect(await publish(second)).toMatchObject({
      seq: (START + 30 * DAY) / 1000,
      deltas: [{}],
    });
  });

  test('deltas that together are no less than the list go from the old end', async () => {
    const { publish } = place();
    let made = await publish(filler);
    let dropped = 0;
    for (let i = 1; i < 30; i++) {
      const before = made.deltas;
      made = await publish([...filler, ...someHosts(20 * i, 1000)], { maxDeltas: 64 });
      const sizes = made.deltas.map(({ bytes }) => bytes);
      expect(sizes.reduce((a, b) => a + b)).toBeLessThan(made.snapshot.bytes);
      // As many deltas as fit: one more would exceed the size of the list.
      const gone = before.length + 1 - made.deltas.length;
      expect(made.deltas.slice(0, -1)).toEqual(before.slice(gone));
      if (gone === 0) continue;
      dropped += gone;
      const more = sizes.reduce((a, b) => a + b) + (before[gone - 1]?.bytes as number);
      expect(more).toBeGreaterThanOrEqual(made.snapshot.bytes);
    }
    expect(dropped).toBeGreaterThan(3);
    // A list that shares nothing with the one before is no larger than its delta.
    expect((await publish(someHosts(300, 5000))).deltas).toEqual([]);
  });

  test.each([0, 1, 3])('keeps at most %d deltas', async (maxDeltas) => {
    const { files, publish } = place();
    for (let i = 0; i < 5; i++) await publish([...filler, ...someHosts(i, 1000)], { maxDeltas });
    const made = await manifestIn(files);
    expect(made.deltas).toHaveLength(maxDeltas);
    expectWhole(made, files);
    const { deltas } = await publish([...filler, ...someHosts(4, 1000)], { maxDeltas: 1 });
    expect(deltas).toEqual(made.deltas.slice(-1));
  });

  test.each([
    [8, {}],
    [8, { jumps: 1 }],
    [64, { jumps: 0 }],
  ])('keeps %d deltas unless it is told otherwise: %j', async (most, options) => {
    const { publish } = place();
    const hostsAt = (i: number) => [...someHosts(1800), ...someHosts(i, 20_000)];
    let made = await publish(hostsAt(0), options);
    for (let i = 1; i <= most + 1; i++) made = await publish(hostsAt(i), options);
    expect(made.deltas).toHaveLength(most);
  });

  test('a list with other prefixes starts a new chain', async () => {
    const { storage, publish, host } = place();
    await publish(first);
    const checker = await openFor(host);
    const wide = new UrlListBuilder({ prefixBytes: 8 }).addHosts(second).build();
    const made = await publishList(wide, {
      name: 'phish',
      storage,
      signingKeys: keys,
      ...seams({ now: () => START }),
    });
    expect(made).toMatchObject({ seq: START / 1000 + 1, prefixBytes: 8, deltas: [] });
    expect(await checker.update()).toMatchObject({ by: 'snapshot' });
    expect(versionOf(checker)).toBe('second');
  });

  test('mends what was lost', async () => {
    const { files, publish } = place();
    for (let i = 0; i < 4; i++) await publish([...filler, ...someHosts(i, 1000)]);
    const { deltas, snapshot } = await manifestIn(files);
    files.delete(deltas[1]?.url as string);
    const cut = await publish([...filler, ...someHosts(4, 1000)]);
    expect(cut.deltas.slice(0, -1)).toEqual(deltas.slice(2));
    expectWhole(cut, files);
    // The list itself is damaged, so no delta can be made.
    files.set(cut.snapshot.url, files.get(snapshot.url) as Uint8Array);
    const anew = await publish(first);
    expect(anew.deltas).toEqual([]);
    files.delete(anew.snapshot.url);
    const same = await publish(first);
    expect(same.snapshot).toEqual(anew.snapshot);
    expectWhole(same, files);
  });
});

test('a list that another release wrote has no delta', async () => {
  const { files, publish } = place();
  const { keyId: _, sig: __, ...fields } = await publish(first);
  const bytes = new Uint8Array(files.get(fields.snapshot.url) as Uint8Array);
  // The version of the format.
  bytes[8] = 2;
  const digest = sha256(bytes);
  const snapshot = { url: `snapshot-${digest}.tamis`, bytes: bytes.length, sha256: digest };
  files.set(snapshot.url, bytes);
  const standing = await signManifest({ ...fields, snapshot }, keys);
  files.set('manifest.json', new TextEncoder().encode(JSON.stringify(standing)));
  expectCode(() => UrlList.fromBytes(bytes), 'UNSUPPORTED_VERSION');
  const made = await publish(second);
  expect({ seq: made.seq, deltas: made.deltas }).toEqual({ seq: START / 1000 + 1, deltas: [] });
  expectWhole(made, files);
});

test('the keys can be changed', async () => {
  const { files, publish, host } = place();
  await publish(first);
  const next = await newKeys();
  const both = [keys.publicKey, next.publicKey];
  const checker = await openFor(host, { publicKeys: both });
  await publish(second, { signingKeys: next, publicKeys: [keys.publicKey] });
  expect(await checker.update()).toMatchObject({ by: 'jump' });
  expect((await rejection(publish(first))).code).toBe('ERR_TAMIS_BAD_SIGNATURE');
  await publish(first, { signingKeys: next });
  const options = { publicKeys: [next.publicKey], nowMs: START };
  const found = await verifyManifest(files.get('manifest.json') as Uint8Array, options);
  expect(found.seq).toBe(START / 1000 + 2);
});

describe('refuses', () => {
  /** Expects this code, and an unchanged storage. */
  async function expectRefused(
    files: Map<string, Uint8Array>,
    publishing: () => Promise<unknown>,
    code: string,
  ): Promise<string> {
    const before = [...files];
    const error = await rejection(publishing());
    expect(error.code).toBe(`ERR_TAMIS_${code}`);
    expect([...files]).toEqual(before);
    return error.message;
  }

  test('a manifest that is not its own', async () => {
    const { storage, files, publish } = place();
    await publish(first);
    const good = files.get('manifest.json') as Uint8Array;
    const others = await newKeys();
    await expectRefused(files, () => publish(second, { signingKeys: others }), 'BAD_SIGNATURE');
    const other = await expectRefused(
      files,
      () => publish(second, { name: 'spam' }),
      'INCOMPATIBLE',
    );
    expect(other).toContain("'phish'");
    const rule = { name: 'psl', registrableDomain: () => null };
    const ruled = listOf(second, rule);
    const options = { name: 'phish', storage, signingKeys: keys };
    const message = await expectRefused(files, () => publishList(ruled, options), 'INCOMPATIBLE');
    const was = "'phish' is published with the rule 'parents', and this list has 'psl'";
    expect(message).toContain(`${was}: build it with the published rule, or publish it under`);
    for (const bytes of [good.slice(1), good.slice(0, -1), new Uint8Array(0)]) {
      files.set('manifest.json', bytes);
      await expectRefused(files, () => publish(second), 'CORRUPT');
    }
    files.set('manifest.json', new Uint8Array(2 ** 21 + 1));
    await expectRefused(files, () => publish(second), 'TOO_LARGE');
    files.set('manifest.json', 'text' as never);
    await expectRefused(files, () => publish(second), 'CORRUPT');
  });

  test('options that are wrong, before anything is written', async () => {
    const { files, publish } = place();
    const wrong: Partial<Record<keyof (PublishOptions & Seams), unknown[]>> = {
      name: [undefined, '', 7, '\u00e9', 'x'.repeat(65)],
      storage: [undefined, null, 'memory', {}, { get: () => undefined }],
      signingKeys: [undefined, null, {}, { ...keys, publicKey: 'x' }, { ...keys, privateKey: 'x' }],
      publicKeys: [[], 'x', ['x']],
      version: ['', 7, 'x'.repeat(65)],
      lifetimeMs: [0, -1, 0.5, '7d', 1e15, Number.NaN],
      maxDeltas: [-1, 4097, 0.5, '3'],
      jumps: [-1, 1025, 0.5, '3', null],
      now: [7, () => Number.NaN, () => 'x', () => 1e16],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        const error = await rejection(publish(first, { [name]: value }));
        expectOption(
          () => {
            throw error;
          },
          error instanceof RangeError ? RangeError : TypeError,
        );
        expect(error.message).toContain(name === 'signingKeys' && value ? 'Key' : name);
      }
    }
    const extra = {
      name: 'phish',
      storage: new TestStorage(),
      signingKeys: keys,
      seq: 7,
    } as PublishOptions;
    expect((await rejection(publishList(listOf(first), extra))).message).toContain('seq');
    expect((await rejection(publishList({} as never, extra))).message).toContain('UrlList');
    expect(files.size).toBe(0);
  });

  test('a list that was disposed', async () => {
    const list = listOf(first);
    list.dispose();
    const storage = new TestStorage();
    const error = await rejection(publishList(list, { name: 'phish', storage, signingKeys: keys }));
    expect(error.code).toBe('ERR_TAMIS_DISPOSED');
    expect(storage.files.size).toBe(0);
  });
});
