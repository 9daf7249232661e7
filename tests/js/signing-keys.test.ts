/** What docs/guide/signing-keys.md says of pages, and of clients that have a list: a new signing key, and a stolen one. */
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

test('a list: a client without the new key keeps its list until it expires', async () => {
  const [old, young] = [await createKey('old.pem'), await createKey('new.pem')];
  const list = new UrlListBuilder({ prefixBytes: 8 }).addHosts(['evil.example']).build();
  put('bad.tamis', list.toBytes());
  const publish = (key: string, ...more: string[]) => {
    const to = ['--to', 'out', '--name', 'bad', '--allow-first', '-q'];
    return output(['url', 'publish', 'bad.tamis', '--sign', key, ...to, ...more]);
  };
  /** A client, and what it answers after an update. */
  async function ask(publicKey: string, storage = memoryStorage()) {
    const checker = await UrlChecker.open('https://lists.example/manifest.json', {
      ...{ name: 'bad', publicKeys: [publicKey], storage, confirm: null, fetch: fetchFile },
      ...{ whenMissing: 'unknown', whenUnconfirmed: 'unknown', updateEveryMs: 0 },
    });
    await checker.update().catch(() => {});
    const answer = [checker.check('https://evil.example/'), checker.status.error?.code];
    checker.close();
    return answer;
  }
  const clock = jest.spyOn(Date, 'now').mockReturnValue(nowMs);
  const stored = memoryStorage();
  await publish('old.pem');
  expect(await ask(old, stored)).toEqual(['maybe', undefined]);
  await publish('new.pem', '--old-key', old);
  expect(await ask(old, stored)).toEqual(['maybe', badSignature]);
  expect(await ask(old)).toEqual(['unknown', badSignature]);
  // A new client does not load what the old key signed.
  expect(await ask(young, stored)).toEqual(['maybe', undefined]);
  clock.mockReturnValue(nowMs + 8 * 86_400_000);
  const late = memoryStorage();
  await publish('new.pem');
  expect(await ask(young, late)).toEqual(['maybe', undefined]);
  fs.rmSync(join(folder, 'out'), { recursive: true });
  expect((await ask(old, late))[0]).toBe('unknown');
  expect((await ask(young, late))[0]).toBe('maybe');
  clock.mockReturnValue(nowMs + 16 * 86_400_000);
  expect((await ask(young, late))[0]).toBe('unknown');
});
