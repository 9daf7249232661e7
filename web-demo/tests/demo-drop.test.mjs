// A dropped list becomes a file that the package reads. All keys are in it, and its answers are those of the page.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import * as tamis from 'tamis';
import { figures, integer, openDemo, openSection, root, says, shareDemo } from './demo-page.mjs';

const keys = Array.from({ length: 3000 }, (_, i) => `user-${i}@mail.example`);
const text = `${keys.join('\r\n')}\r\n\r\n${keys[0]}\n`;

const shared = shareDemo();

async function open(t, options) {
  const { page } = await openDemo(t, shared, options);
  await openSection(page, 'drop');
  return page;
}

/** Waits for the note about a built filter, and returns the download. */
async function downloaded(page) {
  await page.waitForSelector('#drop-download[href]');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.click('#drop-download'),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

async function lookUp(page, key) {
  await page.fill('#drop-key', key);
  return page.textContent('#drop-answer');
}

/** Checks that the file contains all keys, and agrees with the page. */
async function holdsAll(page, { bytes }, type) {
  const filter = tamis.fromBytes(bytes);
  assert.equal(filter.type, type);
  assert.equal(filter.hasMany(keys).indexOf(0), -1);
  const absent = Array.from({ length: 100_000 }, (_, i) => `absent-${i}`);
  const hits = filter.hasMany(absent).reduce((sum, hit) => sum + hit, 0);
  const shown = await figures(page, 'drop-figures');
  assert.equal(shown.Keys, integer(keys.length));
  assert.equal(shown.Filter, `${integer(bytes.length)} bytes`);
  assert.equal(shown['False positives'], hits === 0 ? '0 %' : `${(hits / 1000).toPrecision(3)} %`);
  for (const key of [...keys.slice(0, 5), ...absent.slice(0, 20)]) {
    const words = filter.has(key) ? 'probably on the list.' : 'certainly not on the list.';
    assert.equal(await lookUp(page, key), `${key}: ${words}`);
  }
}

for (const [what, name, buffer] of [
  ['a text file', 'my list.txt', Buffer.from(text)],
  ['a gzipped file', 'my list.txt.gz', gzipSync(text)],
]) {
  test(`${what} that is chosen is built, downloaded and read back`, async (t) => {
    const page = await open(t);
    await page.setInputFiles('#drop-file', { name, mimeType: 'text/plain', buffer });
    const file = await downloaded(page);
    assert.equal(file.name, 'my-list.tamis');
    assert.match(await page.textContent('#drop-note'), /^3,000 keys: .* 0 missed, /);
    await holdsAll(page, file, 'ribbon');
    assert.deepEqual(
      new Uint8Array(file.bytes),
      tamis.RibbonFilter.from(keys, { fpr: 0.01 }).toBytes(),
    );

    await page.selectOption('#drop-fpr', '0.001');
    for (const type of ['binary-fuse', 'bloom', 'cuckoo', 'scalable-bloom']) {
      await page.selectOption('#drop-type', type);
      await holdsAll(page, await downloaded(page), type);
    }
  });
}

test('a file that is dropped is built, and a later one takes its place', async (t) => {
  const page = await open(t);
  const drop = async (name, content) => {
    const data = await page.evaluateHandle(
      ([name, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], name));
        return transfer;
      },
      [name, content],
    );
    await page.dispatchEvent('#drop-zone', 'drop', { dataTransfer: data });
  };
  await drop('first.txt', text);
  assert.equal((await downloaded(page)).name, 'first.tamis');
  await drop('empty.txt', '\n\n');
  await says(page, 'drop-note', 'Not built: the file has no lines');
  assert.equal(await page.getAttribute('#drop-download', 'href'), null);
  assert.equal(await page.textContent('#drop-answer'), 'There is no filter yet.');
  await drop('second', 'alice\nbob');
  const { name, bytes } = await downloaded(page);
  assert.equal(name, 'second.tamis');
  assert.equal(tamis.fromBytes(bytes).count, 2);
  assert.equal(await lookUp(page, 'alice'), 'alice: probably on the list.');
});

test("the server's program writes the file that was downloaded", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tamis-drop-'));
  t.after(() => rm(folder, { recursive: true }));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'dist'), join(folder, 'dist'));
  const page = await open(t);
  const buffer = Buffer.from(text);
  await page.setInputFiles('#drop-file', { name: 'list.txt', mimeType: 'text/plain', buffer });
  await writeFile(join(folder, 'list.txt'), text);
  for (const type of ['ribbon', 'bloom', 'cuckoo']) {
    await page.selectOption('#drop-type', type);
    const { bytes, name } = await downloaded(page);
    await writeFile(join(folder, 'program.mjs'), await page.textContent('#drop-server'));
    await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder });
    assert.deepEqual(await readFile(join(folder, name)), bytes);
    const client = await page.textContent('#drop-client');
    assert.match(client, /fetch\('\/list\.tamis'\)/);
    const body = client.replace(/^import \{ (.*) \} from 'tamis';$/m, 'const { $1 } = tamis;');
    const AsyncFunction = (async () => {}).constructor;
    const fetched = async () => new Response(bytes);
    await new AsyncFunction('tamis, fetch, key', body)(tamis, fetched, 'alice');
  }
});

test('without a file at hand, the phishing hosts are one', async (t) => {
  const page = await open(t);
  await page.click('#drop-sample');
  const { name, bytes } = await downloaded(page);
  assert.equal(name, 'phishing-hosts.tamis');
  const hosts = await (await fetch(`${shared.server.url}phishing-hosts.txt`)).text();
  const filter = tamis.fromBytes(bytes);
  assert.equal(filter.hasMany(hosts.trimEnd().split('\n')).indexOf(0), -1);
});

test('320 pixels have room for a file with a long name', async (t) => {
  const page = await open(t, { viewport: { width: 320, height: 640 } });
  const buffer = Buffer.from('long-'.repeat(60));
  const name = `${'name'.repeat(40)}.txt`;
  await page.setInputFiles('#drop-file', { name, mimeType: 'text/plain', buffer });
  await page.waitForSelector('#drop-download[href]');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
});
