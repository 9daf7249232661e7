/** What docs/guide/publishing.md says of clients of pages and of lists: a new signing key, and a stolen one. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { RemoteFilter, type RemoteStorage } from 'tamis/remote';
import { memoryStorage, UrlChecker, UrlListBuilder } from 'tamis/url';
import { folder, output, put, refused } from './support/cli.js';

const nowMs = Date.now();
const badSignature = 'ERR_TAMIS_BAD_SIGNATURE';

afterEach(() => {
  jest.restoreAllMocks();
});

const createKey = async (name: string): Promise<string> =>
  (await output(['url', 'key', name, '--create'])).trim();

/** The files of the folder `out`, as a static host has them. */
const fetchFile = async (url: string): Promise<Response> => {
  const path = join(folder, 'out', url.split('/').at(-1) as string);
  return fs.existsSync(path)
    ? new Response(fs.readFileSync(path))
    : new Response(null, { status: 404 });
};

/** The answer of a client of pages with these public keys, or the code of its error. */
async function askPages(publicKeys: string[], storage?: RemoteStorage): Promise<unknown> {
  try {
    const filter = await RemoteFilter.open('https://pages.example/manifest.json', {
      ...{ name: 'list', publicKeys, fetch: fetchFile, fullResponses: 'use' },
      ...(storage && { storage }),
    });
    const has = await filter.has('alice');
    filter.close();
    return has;
  } catch (error) {
    return Object(error).code;
  }
}

test('pages: clients follow a new key if they have it, and only its loss ends a theft', async () => {
  const [old, young] = [await createKey('old.pem'), await createKey('new.pem')];
  put('keys', 'alice\n');
  put('others', 'bob\n');
  const shard = (list: string, key: string, ...more: string[]) => {
    return ['shard', list, '-o', 'out', '--name', 'list', '--sign', key, '-q', ...more];
  };
  const files = new Map<string, Uint8Array>();
  const storage = {
    get: (name: string) => files.get(name),
    set: (name: string, bytes: Uint8Array) => void files.set(name, bytes),
  };
  await output(shard('keys', 'old.pem'));
  expect(await askPages([old])).toBe(true);
  expect(await askPages([old, young], storage)).toBe(true);
  expect(await askPages([young])).toBe(badSignature);

  expect(await refused(shard('keys', 'new.pem'))).toMatch(/ERR_TAMIS_BAD_SIGNATURE.*--old-key HEX/);
  await output(shard('keys', 'new.pem', '--old-key', old));
  expect(await askPages([old])).toBe(badSignature);
  expect(await askPages([old, young], storage)).toBe(true);
  expect(await askPages([young])).toBe(true);
  await output(shard('keys', 'new.pem'));

  // The clock of the thief is ahead, which gives a high number.
  const clock = jest.spyOn(Date, 'now').mockReturnValue(nowMs + 86_400_000);
  await output(shard('others', 'old.pem', '--old-key', young));
  clock.mockReturnValue(nowMs);
  expect(await askPages([old, young], storage)).toBe(false);
  fs.rmSync(join(folder, 'out'), { recursive: true });
  await output(shard('keys', 'new.pem'));
  expect(await askPages([old, young], storage)).toBe('ERR_TAMIS_ROLLBACK');
  expect(await askPages([young], storage)).toBe(true);
});

/** Publishes a list of this host with this key. */
function publishList(host: string, key: string, ...more: string[]): Promise<string> {
  const list = new UrlListBuilder({ prefixBytes: 8 }).addHosts([host]).build();
  put('bad.tamis', list.toBytes());
  const to = ['--to', 'out', '--name', 'bad', '--allow-first', '-q'];
  return output(['url', 'publish', 'bad.tamis', '--sign', key, ...to, ...more]);
}

/** A client with these public keys, and what it answers after an update. */
async function askList(publicKeys: string[], storage = memoryStorage()) {
  const checker = await UrlChecker.open('https://lists.example/manifest.json', {
    ...{ name: 'bad', publicKeys, storage, confirm: null, fetch: fetchFile },
    ...{ whenMissing: 'unknown', whenUnconfirmed: 'unknown', updateEveryMs: 0 },
  });
  await checker.update().catch(() => {});
  const answer = [checker.check('https://evil.example/'), checker.status.error?.code];
  checker.close();
  return answer;
}

test('a list: a client without the new key keeps its list until it expires', async () => {
  const [old, young] = [await createKey('old.pem'), await createKey('new.pem')];
  const clock = jest.spyOn(Date, 'now').mockReturnValue(nowMs);
  const stored = memoryStorage();
  await publishList('evil.example', 'old.pem');
  expect(await askList([old], stored)).toEqual(['maybe', undefined]);
  expect(await askList([young])).toEqual(['unknown', badSignature]);
  await publishList('evil.example', 'new.pem', '--old-key', old);
  expect(await askList([old], stored)).toEqual(['maybe', badSignature]);
  expect(await askList([old])).toEqual(['unknown', badSignature]);
  expect(await askList([old, young])).toEqual(['maybe', undefined]);
  // A new client does not load what the old key signed.
  expect(await askList([young], stored)).toEqual(['maybe', undefined]);
  clock.mockReturnValue(nowMs + 8 * 86_400_000);
  const late = memoryStorage();
  await publishList('evil.example', 'new.pem');
  expect(await askList([young], late)).toEqual(['maybe', undefined]);
  fs.rmSync(join(folder, 'out'), { recursive: true });
  expect((await askList([old], late))[0]).toBe('unknown');
  expect((await askList([young], late))[0]).toBe('maybe');
  clock.mockReturnValue(nowMs + 16 * 86_400_000);
  expect((await askList([young], late))[0]).toBe('unknown');
});

test('a list: only a client without the stolen key ends a theft', async () => {
  const [old, young] = [await createKey('old.pem'), await createKey('new.pem')];
  const stored = memoryStorage();
  await publishList('evil.example', 'new.pem');
  expect(await askList([old, young], stored)).toEqual(['maybe', undefined]);
  // The clock of the thief is ahead, which gives a high number.
  const clock = jest.spyOn(Date, 'now').mockReturnValue(nowMs + 86_400_000);
  await publishList('other.example', 'old.pem', '--old-key', young);
  clock.mockReturnValue(nowMs);
  expect(await askList([old, young], stored)).toEqual(['safe', undefined]);
  fs.rmSync(join(folder, 'out'), { recursive: true });
  await publishList('evil.example', 'new.pem');
  expect(await askList([old, young], stored)).toEqual(['safe', 'ERR_TAMIS_ROLLBACK']);
  expect(await askList([young], stored)).toEqual(['maybe', undefined]);
});

test('a list: an older one that is published again is a new version', async () => {
  const key = await createKey('k.pem');
  const stored = memoryStorage();
  jest.spyOn(Date, 'now').mockReturnValue(nowMs);
  await publishList('evil.example', 'k.pem');
  expect(await askList([key], stored)).toEqual(['maybe', undefined]);
  await publishList('other.example', 'k.pem');
  expect(await askList([key], stored)).toEqual(['safe', undefined]);
  const bad = fs.readFileSync(join(folder, 'out/manifest.json'));
  await publishList('evil.example', 'k.pem');
  expect(await askList([key], stored)).toEqual(['maybe', undefined]);
  fs.writeFileSync(join(folder, 'out/manifest.json'), bad);
  expect(await askList([key], stored)).toEqual(['maybe', 'ERR_TAMIS_ROLLBACK']);
});
