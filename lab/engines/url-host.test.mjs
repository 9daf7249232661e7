// URL lists on nginx as a static host: verdicts without a confirm server, and jumps.
import assert from 'node:assert/strict';
import { chmodSync, promises, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileStorage, publishList, UrlChecker, UrlGuard, UrlListBuilder } from 'tamis/url';
import { makeFolder } from '../folders.mjs';
import { inMemory, makeKeys } from '../lists.mjs';
import { startNginx } from './nginx.mjs';

const versions = 40;
const hostsOf = (version) =>
  Array.from({ length: 2000 + 3 * version }, (_, i) => `host-${i + version}.example`);

const files = makeFolder('lists');
// If the tests run as root, nginx's workers run as another user.
chmodSync(files, 0o755);
writeFileSync(join(files, 'index.html'), '<!doctype html><title>not found</title>');
const keys = await makeKeys();
const nginx = await startNginx(files);
after(nginx.stop);

async function publish(version) {
  const list = new UrlListBuilder({ prefixBytes: 8 }).addHosts(hostsOf(version)).build();
  const storage = fileStorage(files);
  await publishList(list, { name: 'bad', storage, signingKeys: keys, jumps: 128 });
  // nginx makes an ETag from a file's time in seconds and its size, which the versions in this test have in common.
  await promises.utimes(join(files, 'manifest.json'), version, version);
}

const manifestAt = (place) => `${nginx.url}${place}manifest.json`;
const source = () => ({ name: 'bad', publicKeys: [keys.publicKey], confirm: null });
const open = (place = '') => UrlChecker.open(manifestAt(place), { ...source(), ...inMemory });

/** Waits for at least `least` next answers. Returns the status and file of each. */
async function nextAsked(least) {
  const next = await nginx.nextAsked(least);
  return next.map(({ status, path }) => `${status} ${path.replace(/^.*[/]([a-z]+)[^/]*$/, '$1')}`);
}

async function checkVersion(checker, version) {
  const last = 2000 + 4 * version - 1;
  const listed = [version, last].map((i) => `https://www.host-${i}.example/login`);
  const others = [version - 1, last + 1].map((i) => `https://www.host-${i}.example/login`);
  assert.equal(checker.status.count, 2000 + 3 * version);
  for (const url of listed) {
    assert.deepEqual(await checker.verify(url), { verdict: 'unsafe', from: 'list' });
  }
  for (const url of others) assert.equal(checker.check(url), 'safe');
}

describe('a client of the first version', () => {
  const clients = [];
  before(async () => {
    await publish(0);
    clients.push(await open(), await open('zipping/'), await open('pages/'));
    for (const client of clients) await checkVersion(client, 0);
    for (let version = 1; version <= versions; version++) await publish(version);
    await nextAsked(6);
  });
  after(() => {
    for (const client of clients) client.close();
  });

  test('is one request behind the manifest, also of a host that compresses', async () => {
    for (const client of clients) {
      assert.equal((await client.update()).by, 'jump');
      assert.deepEqual(await nextAsked(2), ['200 manifest', '200 jump']);
      await checkVersion(client, versions);
      assert.equal(client.status.error, undefined);
    }
  });

  test('goes by the chain or the snapshot where no jump is there, or a page of HTML stands for it', async () => {
    const [plain, , pages] = clients;
    await publish(versions + 1);
    const jumps = readdirSync(files).filter((name) => name.startsWith('jump-'));
    for (const name of jumps) rmSync(join(files, name));
    for (const client of [plain, pages]) {
      const { changed, by } = await client.update();
      assert.equal(changed, true);
      assert.notEqual(by, 'jump');
      await checkVersion(client, versions + 1);
    }
    const asked = await nextAsked(6);
    assert.ok(asked.includes('404 jump') && asked.includes('200 jump'), asked.join());
  });

  test('keeps its list where the manifest is a page of HTML, or not there', async () => {
    const manifest = join(files, 'manifest.json');
    const saved = await promises.readFile(manifest);
    rmSync(manifest);
    const [plain, , pages] = clients;
    for (const [client, code] of [
      [plain, 'ERR_TAMIS_UNAVAILABLE'],
      [pages, 'ERR_TAMIS_CORRUPT'],
    ]) {
      await assert.rejects(client.update(), { code });
      await checkVersion(client, versions + 1);
    }
    writeFileSync(manifest, saved);
  });
});

test('two hosts of lists are one answer', async () => {
  const guard = await UrlGuard.open({
    lists: {
      ours: { ...source(), manifest: manifestAt(''), action: 'block' },
      same: { ...source(), manifest: manifestAt('zipping/'), action: 'warn' },
    },
    ...inMemory,
  });
  const url = `https://login.host-${versions + 5}.example/`;
  assert.deepEqual(guard.check(url).lists, ['ours', 'same']);
  assert.equal((await guard.verify(url)).action, 'block');
  assert.equal(guard.check('https://good.example/').answer, 'safe');
  guard.close();
});
