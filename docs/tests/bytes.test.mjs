// The part of the format's page that looks into a file, by keyboard alone.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BloomFilter, CuckooFilter, fromBytes } from 'tamis';
import { parquet, redisBloom } from 'tamis/interop';
import { complaintsOf } from '../../tests/e2e/browser.mjs';
import { shareSite } from './site.mjs';

const shared = shareSite();
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tamis-'));
});

after(async () => {
  await rm(folder, { recursive: true });
});

/** The format's page; it is closed, and its console looked at, when the test ends. */
async function open(t) {
  const page = await shared.browser.newPage();
  const complaints = complaintsOf(page);
  t.after(async () => {
    await page.close();
    assert.deepEqual(complaints, []);
  });
  await page.goto(`${shared.site.url}format.html`);
  await page.waitForSelector('[data-sample]');
  return page;
}

/** Gives the focus to an element, and presses Enter there. */
async function press(page, selector) {
  await page.focus(selector);
  await page.keyboard.press('Enter');
}

let chosen = 0;

async function choose(page, bytes) {
  const file = join(folder, `${chosen++}.tamis`);
  await writeFile(file, bytes);
  await page.setInputFiles('tamis-bytes input[type=file]', file);
}

const verdict = (page, state) => page.textContent(`.bytes-verdict.is-${state}`);

/** The header's table: for each field its offset, bytes, value and meaning. */
const fields = async (page) =>
  Object.fromEntries(
    await page.$$eval('tamis-bytes tbody tr', (rows) =>
      rows.map(({ cells }) => {
        const [name, ...rest] = [...cells].map(({ textContent }) => textContent);
        return [name, rest];
      }),
    ),
  );

const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
const flip = (bytes, at, bit) => {
  const copy = Uint8Array.from(bytes);
  copy[at] ^= 1 << bit;
  return copy;
};
function messageOf(bytes) {
  try {
    fromBytes(bytes);
  } catch (error) {
    return `${error.code}: ${error.message}.`;
  }
  throw new Error('the bytes are no damaged filter');
}

test('a sample shows its header and its bytes', async (t) => {
  const page = await open(t);
  await press(page, '[data-sample=bloom]');
  assert.match(await verdict(page, 'whole'), /loads it as bloom/);
  const shown = await fields(page);
  assert.equal(shown['type id'][3], 'bloom');
  assert.equal(shown.count[2], '8');
  assert.match(shown['header CRC'][3], /it is right/);
  assert.match(shown['payload CRC'][3], /it is right/);
  const target = await page.getAttribute('tamis-bytes td a', 'href');
  assert.match(await page.textContent(`[id="${target.slice(1)}"]`), /5\.1 bloom/);
});

test('a file shows the figures that the package gives of it', async (t) => {
  const page = await open(t);
  const filter = CuckooFilter.from(['alice', 'bob'], { fpr: 0.001, seed: 7n });
  const bytes = filter.toBytes();
  await choose(page, bytes);
  assert.match(await verdict(page, 'whole'), /loads it as cuckoo/);
  const shown = await fields(page);
  assert.deepEqual(shown.capacity.slice(0, 3), [
    '32',
    hexOf(bytes.subarray(32, 40)),
    filter.capacity.toLocaleString('en-US'),
  ]);
  assert.equal(shown.count[2], `${filter.count}`);
  assert.equal(shown.seed[2], `${filter.seed}`);
  assert.equal(
    Object.values(shown)
      .map(([, hex]) => hex)
      .join(' '),
    hexOf(bytes.subarray(0, 64)),
  );
  await page.waitForSelector(`.bytes-hex pre:has-text("${hexOf(bytes.subarray(0, 8))}")`);
  const lines = (await page.textContent('.bytes-hex pre')).trim().split('\n');
  assert.equal(lines.map((line) => line.slice(10)).join(' '), hexOf(bytes.subarray(0, 256)));
});

test('a filter that another library made has the name of its hash', async (t) => {
  const page = await open(t);
  for (const [codec, id, name] of [
    [redisBloom, 12, 'redisbloom'],
    [parquet, 16, 'parquet'],
  ]) {
    const filter = codec.create({ capacity: 100, fpr: 0.01 });
    filter.add('alice');
    await choose(page, filter.toBytes());
    await page.waitForSelector(`.is-whole:has-text("loads it as ${filter.type}")`);
    assert.deepEqual((await fields(page))['hash id'].slice(2), [`${id}`, name]);
  }
});

test('a damaged file is said to be damaged, and where', async (t) => {
  const page = await open(t);
  const bytes = BloomFilter.from(['alice', 'bob']).toBytes();
  // In the magic, a type id, a count, each checksum, and the payload.
  for (const [at, bit] of [
    [0, 1],
    [10, 6],
    [40, 0],
    [57, 7],
    [63, 2],
    [64, 3],
    [bytes.length - 1, 5],
  ]) {
    const damaged = flip(bytes, at, bit);
    await choose(page, damaged);
    const place = `Bit ${bit} of byte ${at} was flipped`;
    await page.waitForSelector(`.is-damaged:has-text("${place}")`);
    const said = await verdict(page, 'damaged');
    assert.ok(said.includes(messageOf(damaged)), said);
    // The bytes are shown after the verdict.
    await page.waitForSelector(`.bytes-hex mark:text-is("${hexOf([damaged[at]])}")`);
  }
  const cut = bytes.subarray(0, 70);
  await choose(page, cut);
  await page.waitForSelector(`.is-damaged:has-text("It ends at byte 70")`);
  assert.ok((await verdict(page, 'damaged')).includes(messageOf(cut)));
  const torn = flip(flip(bytes, 66, 0), 67, 1);
  await choose(page, torn);
  await page.waitForSelector('.is-damaged:has-text("The damage is in the payload")');
});

test('a file of another kind is not said to be damaged', async (t) => {
  const page = await open(t);
  await choose(
    page,
    new TextEncoder().encode('<!doctype html><title>a page of more than 64 bytes</title><p>'),
  );
  assert.match(await verdict(page, 'other'), /ERR_TAMIS_NOT_TAMIS/);
  const keyed = BloomFilter.from(['alice'], { secret: new Uint8Array(16) });
  await choose(page, keyed.toBytes());
  await page.waitForSelector('.is-other:has-text("ERR_TAMIS_KEY_REQUIRED")');
});

test('the pages of a large file turn by keyboard, and keep the focus', async (t) => {
  const page = await open(t);
  await press(page, '[data-sample=ribbon]');
  assert.match(await verdict(page, 'whole'), /ribbon/);
  const range = () => page.textContent('.bytes-range');
  const shows = (text) => page.waitForSelector(`.bytes-range:has-text("${text}")`);
  await shows('Bytes 0 to 255 of ');
  const size = Number(/of ([\d,]+)/.exec(await range())[1].replaceAll(',', ''));
  await press(page, '.bytes-hex button:text-is("Next")');
  await shows('Bytes 256 to 511');
  await page.keyboard.press('Enter');
  await shows('Bytes 512 to 767');
  await press(page, '.bytes-hex button:text-is("Last")');
  await shows(`to ${(size - 1).toLocaleString('en-US')} of`);
  const focused = await page.evaluate(() => document.activeElement.textContent);
  assert.equal(focused, 'Last');
  await page.focus('.bytes-hex input');
  await page.keyboard.type('1000');
  await page.keyboard.press('Enter');
  await shows('Bytes 768 to 1,023');
});
