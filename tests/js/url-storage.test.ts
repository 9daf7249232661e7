/** Storages: each keeps bytes by name, and reports failures. */
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { IDBFactory } from 'fake-indexeddb';
import {
  cacheStorage,
  fileStorage,
  indexedDbStorage,
  memoryStorage,
  type UrlStorage,
} from 'tamis/url';

import { rejection } from './support/errors.js';
import { openFor, Publisher, someHosts } from './support/url-publisher.js';
import { until } from './support/waiting.js';

const globals = globalThis as { indexedDB?: unknown; caches?: unknown };
const folders: string[] = [];

async function newFolder(): Promise<string> {
  const folder = await fs.mkdtemp(join(tmpdir(), 'tamis-url-'));
  folders.push(folder);
  return folder;
}

afterEach(async () => {
  delete globals.indexedDB;
  delete globals.caches;
  for (const folder of folders.splice(0)) await fs.rm(folder, { recursive: true, force: true });
});

/** fileStorage on another file system, by its internal argument. */
const storageOn: (folder: string, fs: object) => UrlStorage = fileStorage as never;

/** The part of the Cache API that is used. */
class FakeCaches {
  readonly caches = new Map<string, Map<string, Response>>();

  async open(name: string) {
    const entries = this.caches.get(name) ?? new Map<string, Response>();
    this.caches.set(name, entries);
    return {
      match: async (url: string) => entries.get(new URL(url).href)?.clone(),
      put: async (url: string, response: Response) => void entries.set(new URL(url).href, response),
      delete: async (url: string) => entries.delete(new URL(url).href),
    };
  }
}

const kinds: [string, () => Promise<UrlStorage> | UrlStorage][] = [
  ['memory', () => memoryStorage()],
  [
    'indexeddb',
    () => {
      globals.indexedDB = new IDBFactory();
      return indexedDbStorage();
    },
  ],
  [
    'cache',
    () => {
      globals.caches = new FakeCaches();
      return cacheStorage();
    },
  ],
  ['files', async () => fileStorage(join(await newFolder(), 'not', 'there'))],
];

describe.each(kinds)('%s', (_, make) => {
  test('gives what was stored last, and nothing once removed', async () => {
    const storage = await make();
    expect(await storage.get('tamis-1.json')).toBeFalsy();
    const bytes = Uint8Array.of(1, 2, 3);
    await storage.set('tamis-1.json', bytes);
    bytes[0] = 9;
    expect([...((await storage.get('tamis-1.json')) as Uint8Array)]).toEqual([1, 2, 3]);
    await storage.set('tamis-1.json', new Uint8Array(100_000).fill(7));
    await storage.set('other', new Uint8Array(0));
    expect((await storage.get('tamis-1.json'))?.length).toBe(100_000);
    expect((await storage.get('other'))?.length).toBe(0);
    // A copy, even of Node's Buffer, and a new one each time.
    const mine = Buffer.from('mine');
    await storage.set('other', mine);
    mine.fill(0);
    (await storage.get('other'))?.fill(0);
    expect(Buffer.from((await storage.get('other')) as Uint8Array).toString()).toBe('mine');
    await storage.set('tamis-1.json', undefined);
    await storage.set('tamis-1.json', undefined);
    expect(await storage.get('tamis-1.json')).toBeFalsy();
    expect(await storage.get('other')).toBeTruthy();
  });

  test('keeps a list from one checker to the next, which needs no network', async () => {
    const storage = await make();
    const publisher = await Publisher.with(['evil.example', ...someHosts(50)]);
    const first = await openFor(publisher, { storage });
    expect(first.status).toMatchObject({ source: 'network', error: undefined });
    await publisher.publish(['bad.example', ...someHosts(50)]);
    await first.update();
    publisher.drain();
    const second = await openFor(publisher, { storage });
    expect(publisher.drain()).toEqual([]);
    expect(second.status).toMatchObject({ source: 'storage', version: 'v2', stale: false });
    expect(second.check('https://bad.example/x')).toBe('maybe');
    expect(second.check('https://evil.example/x')).toBe('safe');
  });
});

test('a word chooses a storage that the engine has', async () => {
  const publisher = await Publisher.with(['evil.example']);
  for (const storage of ['indexeddb', 'cache'] as const) {
    const without = await openFor(publisher, { storage });
    expect(without.check('https://evil.example/')).toBe('maybe');
    expect(without.status.error).toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
  }
  globals.indexedDB = new IDBFactory();
  globals.caches = new FakeCaches();
  for (const storage of ['indexeddb', 'cache'] as const) {
    await openFor(publisher, { storage });
    expect((await openFor(publisher, { storage })).status.source).toBe('storage');
  }
});

test('IndexedDB: a database that was closed or deleted is opened anew', async () => {
  const factory = new IDBFactory();
  globals.indexedDB = factory;
  const storage = indexedDbStorage('lists');
  await storage.set('a', Uint8Array.of(1));
  await new Promise((resolve, reject) => {
    const request = factory.deleteDatabase('lists');
    request.onsuccess = resolve;
    request.onerror = reject;
    request.onblocked = reject;
  });
  expect(await storage.get('a')).toBeUndefined();
  await storage.set('a', Uint8Array.of(2));
  expect(await storage.get('a')).toEqual(Uint8Array.of(2));
});

test('IndexedDB: an engine that refuses to open is asked again', async () => {
  const storage = indexedDbStorage();
  expect((await rejection(Promise.resolve(storage.get('a')))).code).toBe('ERR_TAMIS_UNSUPPORTED');
  globals.indexedDB = new IDBFactory();
  expect(await storage.get('a')).toBeUndefined();
});

test('files: a write that fails leaves the old file and no other', async () => {
  const folder = await newFolder();
  await fileStorage(folder).set('a', Uint8Array.of(1));
  for (const broken of ['writeFile', 'rename'] as const) {
    const failing = {
      ...fs,
      [broken]: async () => {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      },
    };
    await expect(storageOn(folder, failing).set('a', Uint8Array.of(2))).rejects.toThrow('full');
    expect(await fs.readdir(folder)).toEqual(['a']);
    expect([...((await fileStorage(folder).get('a')) as Uint8Array)]).toEqual([1]);
  }
});

test('files: what a process left that ended while it wrote is removed, an hour later', async () => {
  const folder = await newFolder();
  const writing = { ...fs, rename: () => new Promise<never>(() => {}) };
  const storage = fileStorage(folder);
  // This process ends before the rename: one now, one two hours ago.
  storageOn(folder, writing).set('a', Uint8Array.of(1));
  let left: string[] = [];
  while (left.length === 0) left = await fs.readdir(folder);
  const [name] = left as [string];
  const before = name.replace(/\.\d+\./, `.${Date.now() - 7_200_000}.`);
  expect(before).not.toBe(name);
  for (const other of [before, 'a.tmp', `${name}.txt`])
    await fs.writeFile(join(folder, other), 'x');
  await storage.set('b', Uint8Array.of(2));
  expect(new Set(await fs.readdir(folder))).toEqual(new Set([name, 'a.tmp', `${name}.txt`, 'b']));
  const failing = { ...fs, readdir: () => Promise.reject(new Error('no')) };
  await storageOn(folder, failing).set('b', Uint8Array.of(4));
  expect([...((await storage.get('b')) as Uint8Array)]).toEqual([4]);
});

describe('files: modify', () => {
  const { signal } = new AbortController();
  type Modifiable = Required<UrlStorage>;
  const filesIn = (folder: string) => fileStorage(folder) as Modifiable;
  /** Adds a byte to a file. */
  const append = (byte: number) => async (bytes: Uint8Array | null | undefined) =>
    Uint8Array.of(...(bytes ?? []), byte);

  test('makes a new file of the old one, one after another', async () => {
    const folder = join(await newFolder(), 'not there');
    const adding = [1, 2, 3, 4].map((byte) => filesIn(folder).modify('a', append(byte), signal));
    await Promise.all(adding);
    expect(new Set(await filesIn(folder).get('a'))).toEqual(new Set([1, 2, 3, 4]));
    expect(await fs.readdir(folder)).toEqual(['a']);
  });

  test('leaves the file and no lock if it fails, or is aborted while it waits or writes', async () => {
    const folder = await newFolder();
    const storage = filesIn(folder);
    await storage.modify('a', append(1), signal);
    const failing = () => Promise.reject(new Error('mine'));
    await expect(storage.modify('a', failing, signal)).rejects.toThrow('mine');
    const ending = new AbortController();
    const abort = async () => {
      ending.abort(new Error('ended'));
      return Uint8Array.of(9);
    };
    await expect(storage.modify('a', abort, ending.signal)).rejects.toThrow('ended');
    await storage.modify(
      'a',
      async (bytes) => {
        const waiting = filesIn(folder).modify('a', append(3), ending.signal);
        await expect(waiting).rejects.toThrow('ended');
        return append(2)(bytes);
      },
      signal,
    );
    expect([...((await storage.get('a')) as Uint8Array)]).toEqual([1, 2]);
    expect(await fs.readdir(folder)).toEqual(['a']);
  });

  test('begins again if another process took the lock meanwhile, and loses nothing of it', async () => {
    const folder = await newFolder();
    const seen: number[][] = [];
    const change = async (bytes: Uint8Array | null | undefined) => {
      seen.push([...(bytes ?? [])]);
      // This process stands still, and another one takes its lock away.
      if (seen.length === 1) {
        await fs.rename(join(folder, 'a.lock'), join(folder, 'aside'));
        await filesIn(folder).modify('a', append(1), signal);
      }
      return append(2)(bytes);
    };
    await filesIn(folder).modify('a', change, signal);
    expect(seen).toEqual([[], [1]]);
    expect([...((await filesIn(folder).get('a')) as Uint8Array)]).toEqual([1, 2]);
    expect(new Set(await fs.readdir(folder))).toEqual(new Set(['a', 'aside']));
  });

  test('takes the lock of a process that was killed', async () => {
    const folder = await newFolder();
    await fs.mkdir(join(folder, 'a.lock'));
    await fs.writeFile(join(folder, 'a.lock', 'killed'), '');
    await filesIn(folder).modify('a', append(1), signal);
    expect(await fs.readdir(folder)).toEqual(['a']);
  });

  test('tells an error that is no lock of another process', async () => {
    const folder = await newFolder();
    const failing = { ...fs, rename: () => Promise.reject(new Error('no')) };
    const storage = storageOn(folder, failing) as Modifiable;
    await expect(storage.modify('a', append(1), signal)).rejects.toThrow('no');
    expect(await fs.readdir(folder)).toEqual([]);
  });

  test('is seen by those who watch the file, until they end that', async () => {
    const folder = await newFolder();
    let [heard, ended] = [0, 0];
    filesIn(folder).watch('a', () => ended++)();
    const end = filesIn(folder).watch('a', () => heard++);
    await until(() => heard === 1);
    await filesIn(folder).modify('a', append(1), signal);
    await until(() => heard === 2);
    end();
    expect(ended).toBe(0);
  });
});

test.each(['modify', 'watch'])('a storage whose %s is no function is refused', async (name) => {
  const publisher = await Publisher.with(['evil.example']);
  const storage = { ...memoryStorage(), [name]: 5 } as never;
  await expect(openFor(publisher, { storage })).rejects.toMatchObject({
    code: 'ERR_TAMIS_INVALID_OPTION',
    message: `UrlChecker.open: storage.${name} must be a function, got 5`,
  });
});

test('files: an error that is not absence is told', async () => {
  const folder = await newFolder();
  await fs.mkdir(join(folder, 'a'));
  await expect(fileStorage(folder).get('a')).rejects.toMatchObject({ code: 'EISDIR' });
});

test('files: a folder is a path, and an engine without files says so', () => {
  const wrong = expect.objectContaining({
    code: 'ERR_TAMIS_INVALID_OPTION',
    message: 'fileStorage: folder must be a string, got Module',
  });
  expect(() => fileStorage(fs as never)).toThrow(wrong);
  const { process } = globalThis;
  for (const other of [undefined, {}, { getBuiltinModule: () => undefined }]) {
    Object.defineProperty(globalThis, 'process', { value: other, configurable: true });
    try {
      expect(() => fileStorage('lists')).toThrow(
        expect.objectContaining({
          code: 'ERR_TAMIS_UNSUPPORTED',
          message: expect.stringMatching(/needs Node, Deno or Bun/),
        }),
      );
    } finally {
      Object.defineProperty(globalThis, 'process', { value: process, configurable: true });
    }
  }
});
