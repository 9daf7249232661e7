/** buildPages: the files of tamis shard, from any source of keys. */
import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { hashKeys } from 'tamis';
import type { PagesProgress, PagesSource } from 'tamis/pages';
import { BinaryFuseFilter, ExactFilter } from 'tamis/read';
import { RemoteFilter, RemoteMap } from 'tamis/remote';
import {
  build,
  bytesOf,
  client,
  filesOf,
  keys,
  later,
  name,
  pack,
  path,
} from './support/build-pages.js';
import { KEY, put, run, textOf } from './support/cli.js';
import { rejection } from './support/errors.js';
import { checkFolder, sumsOf } from './support/page-folders.js';
import { gate } from './support/waiting.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('sources', () => {
  const [first, second] = [keys.slice(0, 6345), keys.slice(6000)];
  const sources: [string, () => PagesSource][] = [
    ['an array', () => keys],
    ['a set', () => new Set(keys)],
    ['a generator of bytes, each of which it writes over', reuse],
    ['an async generator', () => later(keys)],
    ['a stream', () => Readable.toWeb(Readable.from(keys)) as ReadableStream<string>],
    ['a stream of Node', () => Readable.from(keys)],
    ['packed keys', () => pack(keys)],
    [
      'batches of packed keys, with keys between',
      () => [pack(first), ...second.slice(0, 9), pack(second)],
    ],
    ['hashes', () => later([{ hashes: hashKeys(first) }, 'key-0', { hashes: hashKeys(second) }])],
    ['keys backwards, with repeats', () => [...keys.toReversed(), ...first]],
  ];
  function* reuse(): Generator<Uint8Array> {
    const room = new Uint8Array(16);
    for (const bytes of bytesOf(keys)) {
      room.set(bytes);
      yield room.subarray(0, bytes.length);
    }
  }

  let ofShard: ReturnType<typeof sumsOf> | undefined;

  test.each(sources)('%s: the files of tamis shard', async (_, source) => {
    if (ofShard === undefined) {
      put('keys', textOf(keys));
      await run(['shard', 'keys', '-o', 'shard', '--name', name]);
      ofShard = sumsOf('shard');
    }
    const { manifestPath, manifest, parts, bytes } = await build(source(), { memoryBytes: 1e6 });
    expect(sumsOf('out')).toEqual(ofShard);
    expect(manifest).toEqual(checkFolder('out'));
    expect(manifest).toMatchObject({ name, keys: keys.length, pages: 2, type: 'ribbon' });
    expect(manifestPath).toBe(path('out', 'manifest.json'));
    expect([manifestPath, ...parts].sort()).toEqual(
      readdirSync(path('out'))
        .map((one) => path('out', one))
        .sort(),
    );
    expect(bytes).toBe(parts.reduce((sum, part) => sum + statSync(part).size, 0));
  });

  test('of a key that is none: the index, and no page', async () => {
    for (const bad of [5, '\ud800', null, ['a', 1], { hashes: [1n] }]) {
      for (const source of [[...keys.slice(0, 5000), bad], later([pack(keys), 'x', bad])]) {
        const error = await rejection(build(source as never));
        expect([error.code, error instanceof TypeError]).toEqual(['ERR_TAMIS_INVALID_KEY', true]);
        expect(error.index).toBe(Array.isArray(source) ? 5000 : keys.length + 1);
      }
    }
    expect(readdirSync(path('out'))).toEqual([]);
  });

  test('that are none are refused before there is a folder', async () => {
    const bytes = new Blob(['a\n']).stream();
    const wrong = [
      undefined,
      null,
      'key',
      5,
      new Uint8Array(3),
      {},
      bytes,
      Readable.from('a', { objectMode: false }),
    ];
    for (const source of wrong) {
      expect(await rejection(build(source as never))).toBeInstanceOf(TypeError);
    }
    for (const source of [[], later([]), [pack([])]]) {
      const error = await rejection(build(source));
      expect([error.code, error instanceof RangeError]).toEqual(['ERR_TAMIS_INVALID_OPTION', true]);
      expect(readdirSync(path('out'))).toEqual([]);
    }
  });
});

describe('types', () => {
  test('binary-fuse, keyed, a file for each page', async () => {
    const options = {
      type: 'binary-fuse',
      arity: 4,
      fingerprintBits: 12,
      secret: KEY,
      seed: 7n,
    } as const;
    const { manifest, parts } = await build(keys, { ...options, files: 'page' });
    expect(parts).toHaveLength(manifest.pages);
    expect(manifest).toMatchObject({
      type: 'binary-fuse',
      hash: 'keyed',
      seed: '7',
      pagesPerPart: 1,
    });
    const { url, options: how } = client();
    const filter = await RemoteFilter.open(url, { ...how, secret: KEY, types: [BinaryFuseFilter] });
    expect(await filter.hasMany(keys)).toEqual(new Uint8Array(keys.length).fill(1));
    filter.close();
    // Hashes need the same key, and then are the same.
    await build(
      [{ hashes: hashKeys(keys, { secret: KEY }) }],
      { ...options, files: 'page' },
      'hashed',
    );
    expect(sumsOf('hashed')).toEqual(sumsOf('out'));
  });

  test('exact: no error on either list', async () => {
    const others = keys.map((key) => `other-${key}`);
    await build(keys, { type: 'exact', exclude: later(others), fpr: 0.01 });
    const { url, options } = client();
    const filter = await RemoteFilter.open(url, { ...options, types: [ExactFilter] });
    expect(await filter.hasMany([...keys, ...others])).toEqual(
      Uint8Array.from([...keys, ...others], (_, i) => Number(i < keys.length)),
    );
    filter.close();
    const both = build(keys, { type: 'exact', exclude: ['key-3', 'x', 'key-9'], pages: 1 }, 'both');
    expect(await rejection(both)).toMatchObject({ code: 'ERR_TAMIS_CONFLICT', count: 2 });
    expect(readdirSync(path('both'))).toEqual([]);
  });

  test('bloomier: entries, and hashes with values', async () => {
    const entries = keys.map((key, i) => [key, i % 8] as const);
    const options = { type: 'bloomier', valueBits: 3 } as const;
    await build(entries, options);
    const { url, options: how } = client();
    const map = await RemoteMap.open(url, how);
    const { values, found } = await map.getMany(keys);
    expect([values, found.every(Boolean)]).toEqual([Uint32Array.from(keys, (_, i) => i % 8), true]);
    map.close();
    const hashed = { hashes: hashKeys(keys), values: Uint32Array.from(keys, (_, i) => i % 8) };
    await build(later([hashed]), options, 'hashed');
    expect(sumsOf('hashed')).toEqual(sumsOf('out'));

    const wrong: [PagesSource, RegExp][] = [
      [['a'], /expected an entry/],
      [[['a', 8]], /0 to 7, got 8/],
      [pack(['a']), /expected \[key, value\] pairs/],
      [[{ hashes: hashKeys(['a', 'b']), values: new Uint32Array(1) }], /a value beside each hash/],
      [
        [{ hashes: hashKeys(['a']), values: new Uint32Array([8]) }],
        /page 0: a value must be at most 7/,
      ],
      [
        [
          ['a', 1],
          ['a', 2],
        ],
        /page 0: 1 key with two values/,
      ],
    ];
    for (const [source, message] of wrong) {
      expect((await rejection(build(source, options, 'wrong'))).message).toMatch(message);
      expect(readdirSync(path('wrong'))).toEqual([]);
    }
    const values2 = { hashes: hashKeys(['a']), values: new Uint32Array(1) };
    expect((await rejection(build([values2]))).message).toMatch(/hashes without values/);
  });
});

describe('what is in the folder', () => {
  const pair = () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url');
    const der = new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' }));
    const signing = webcrypto.subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign']);
    return signing.then((key) => ({ privateKey: key, publicKey: raw.toString('hex') }));
  };

  test('a signed manifest has a next one of its key, or of another that knows it', async () => {
    const [one, other] = [await pair(), await pair()];
    const first = await build(keys, { signingKeys: one });
    const { url, options } = client();
    const opening = RemoteFilter.open(url, { ...options, publicKeys: [one.publicKey] });
    expect(await (await opening).has('key-1')).toBe(true);
    const before = filesOf('out');
    for (const sign of [other, undefined]) {
      const again = await rejection(build(keys, sign && { signingKeys: sign }));
      expect(again.code).toBe('ERR_TAMIS_BAD_SIGNATURE');
      expect(filesOf('out')).toEqual(before);
    }
    rmSync(path('out', 'manifest.json'));
    await build(keys);
    expect((await rejection(build(keys, { signingKeys: one }))).message).toMatch(
      /it is not signed/,
    );
    rmSync(path('out', 'manifest.json'));
    await build(keys, { signingKeys: one });
    const { manifest } = await build(keys, { signingKeys: other, publicKeys: [one.publicKey] });
    expect(manifest.seq).toBeGreaterThan(first.manifest.seq);
    expect((await rejection(build(keys, { signingKeys: one }))).message).toMatch(
      /not signed with `signingKeys`.*pass `publicKeys`/,
    );
  });

  test('keys that are no pair are refused before there is a folder', async () => {
    const signingKeys = { ...(await pair()), publicKey: (await pair()).publicKey };
    expect((await rejection(build(keys, { signingKeys }))).message).toMatch(
      /must belong to privateKey/,
    );
    expect(existsSync(path('out'))).toBe(false);
  });

  test('another set, one of a later clock, and what is no manifest are refused', async () => {
    const { manifest } = await build(keys, { lifetimeMs: 60_000 });
    expect(Date.parse(manifest.notAfter) - Date.parse(manifest.created)).toBe(60_000);
    const before = filesOf('out');
    expect((await rejection(build(keys, { name: 'other' }))).code).toBe('ERR_TAMIS_INCOMPATIBLE');
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse(manifest.created) - 60_000);
    const early = await rejection(build(keys, { lifetimeMs: 60_000 }));
    expect(early.code).toBe('ERR_TAMIS_ROLLBACK');
    expect(early.message).toMatch(/pass a longer `lifetimeMs`/);
    expect(filesOf('out')).toEqual(before);
    put('out/manifest.json', '{}');
    expect((await rejection(build(keys))).code).toBe('ERR_TAMIS_CORRUPT');
  });

  test('parts that are there are not written again, and those of an older set stay', async () => {
    const first = await build(keys);
    const inodes = first.parts.map((part) => statSync(part).ino);
    const again = await build(keys.toReversed());
    expect(again.parts).toEqual(first.parts);
    expect(again.parts.map((part) => statSync(part).ino)).toEqual(inodes);
    expect(again.manifest.seq).toBeGreaterThan(first.manifest.seq);
    const next = await build([...keys, 'one more']);
    expect(readdirSync(path('out')).sort()).toEqual(
      [...first.parts, ...next.parts, next.manifestPath].map((one) => one.split('/').at(-1)).sort(),
    );
  });

  test('one call at a time', async () => {
    const [wait, reading] = [gate(), gate()];
    async function* slow(): AsyncGenerator<string> {
      yield* keys;
      await wait.opened;
    }
    const first = build(slow(), { onProgress: reading.open });
    await reading.opened;
    expect(await rejection(build(keys))).toMatchObject({
      code: 'ERR_TAMIS_UNAVAILABLE',
      message: expect.stringMatching(/\.spill\.lock: another process is at work$/),
    });
    wait.open();
    expect((await first).manifest.keys).toBe(keys.length);
    checkFolder('out');
  });

  test('errors of the file system are those of Node', async () => {
    put('file', '');
    await expect(build(keys, {}, 'file')).rejects.toMatchObject({
      code: expect.stringMatching(/^E(NOTDIR|EXIST)$/),
    });
    const { parts } = await build(keys);
    const [part] = parts as [string];
    rmSync(part);
    mkdirSync(part);
    await expect(build(keys)).rejects.toMatchObject({ code: 'EISDIR', path: part });
    expect(readdirSync(path('out')).filter((one) => one.startsWith('.'))).toEqual([]);
  });
});

test('progress goes up to its total, step by step', async () => {
  const told: PagesProgress[] = [];
  const { bytes } = await build(keys, { onProgress: (progress) => told.push(progress) });
  const steps = [...new Set(told.map(({ step }) => step))];
  expect(steps).toEqual(['reading', 'counting', 'building', 'writing']);
  for (const step of steps) {
    const own = told.filter((one) => one.step === step);
    const done = own.map((one) => one.done);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(new Set(own.map(({ total }) => total)).size).toBe(1);
    expect(
      own.every(({ total = Number.POSITIVE_INFINITY }) => total >= (done.at(-1) as number)),
    ).toBe(true);
  }
  const last = told.at(-1);
  expect(last).toEqual({ step: 'writing', done: 2 * bytes, total: 2 * bytes });
});
