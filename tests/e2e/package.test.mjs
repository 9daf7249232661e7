import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BloomFilter, RibbonFilter } from 'tamis';
import { CSP } from '../../web-demo/serve.mjs';
import { complaintsOf, launchBrowser } from './browser.mjs';
import { serveBundle } from './bundle.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const page = `
import { BloomFilter, fromBytes, RibbonFilter } from 'tamis';

const keys = Array.from({ length: 5000 }, (_, i) => 'key-' + i);
const strangers = Array.from({ length: 5000 }, (_, i) => 'stranger-' + i);
const filter = new BloomFilter({ capacity: keys.length, fpr: 0.01 });
filter.addMany(keys);
const bytes = filter.toBytes();
const again = BloomFilter.fromBytes(bytes);
const sum = (answers) => answers.reduce((total, answer) => total + answer, 0);

const worker = new Worker('worker.js', { type: 'module' });
const fromWorker = new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
});
const moved = bytes.slice();
worker.postMessage({ bytes: moved, keys, strangers }, [moved.buffer]);

const builder = new Worker('builder.js', { type: 'module' });
const built = new Promise((resolve, reject) => {
  const messages = [];
  builder.onmessage = ({ data }) => {
    if (messages.push(data) === 2) resolve(messages);
  };
  builder.onerror = ({ message }) => reject(new Error(message));
});
builder.postMessage(keys);
const [shipped, leftThere] = await built;
const listed = fromBytes(shipped);
globalThis.outcome = {
  listed: {
    ribbon: listed instanceof RibbonFilter,    leftThere,
    found: sum(listed.hasMany(keys)),
    falsePositives: sum(listed.hasMany(strangers)),    bytes: [...shipped],
  },
  bytes: [...bytes],
  same: again.toBytes().every((byte, i) => byte === bytes[i]),
  found: sum(again.hasMany(keys)),
  falsePositives: sum(again.hasMany(strangers)),
  emptied: moved.byteLength,
  worker: await fromWorker,
};
`;

const worker = `
import { BloomFilter, fromBytes } from 'tamis';

const sum = (answers) => answers.reduce((total, answer) => total + answer, 0);
onmessage = ({ data: { bytes, keys, strangers } }) => {
  const filter = fromBytes(bytes);
  const { buffer } = filter.toBytes();
  postMessage(
    {
      bloom: filter instanceof BloomFilter,
      found: sum(filter.hasMany(keys)),
      falsePositives: sum(filter.hasMany(strangers)),
      bytes: [...new Uint8Array(buffer)],
    },
  );
};
`;

const builder = `
import { RibbonFilter } from 'tamis';

onmessage = async ({ data: keys }) => {
  async function* source() {
    yield* keys;
  }
  const filter = await RibbonFilter.fromAsync(source(), { fpr: 2 ** -10 });  const bytes = filter.toBytes();
  postMessage(bytes, [bytes.buffer]);
  postMessage(bytes.byteLength);
};
`;

let browser;
let consumer;

before(async () => {
  consumer = await mkdtemp(join(tmpdir(), 'tamis-consumer-'));
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', consumer],
    { cwd: root },
  );
  const packed = join(consumer, 'node_modules', 'tamis');
  await mkdir(packed, { recursive: true });
  const tarball = join(consumer, JSON.parse(stdout)[0].filename);
  await run('tar', ['-xzf', tarball, '-C', packed, '--strip-components=1']);
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  if (consumer) await rm(consumer, { recursive: true });
});

test('the packed package works in a page and in a module worker', async (t) => {
  const sources = { 'page.js': page, 'worker.js': worker, 'builder.js': builder };
  const server = await serveBundle({ sources, resolveDir: consumer, csp: CSP });
  t.after(() => server.close());
  const tab = await browser.newPage();
  t.after(() => tab.close());
  const complaints = complaintsOf(tab);
  await tab.goto(server.url);
  await tab.waitForFunction(() => globalThis.outcome !== undefined);
  const outcome = await tab.evaluate(() => globalThis.outcome);

  const keys = Array.from({ length: 5000 }, (_, i) => `key-${i}`);
  const strangers = Array.from({ length: 5000 }, (_, i) => `stranger-${i}`);
  const mine = BloomFilter.from(keys, { fpr: 0.01 });
  const bytes = [...mine.toBytes()];
  const falsePositives = mine.hasMany(strangers).reduce((sum, hit) => sum + hit, 0);
  const list = RibbonFilter.from(keys, { fpr: 2 ** -10 });
  assert.deepEqual(outcome, {
    listed: {
      ribbon: true,
      leftThere: 0,
      found: keys.length,
      falsePositives: list.hasMany(strangers).reduce((sum, hit) => sum + hit, 0),
      bytes: [...list.toBytes()],
    },
    bytes,
    same: true,
    found: keys.length,
    falsePositives,
    emptied: 0,
    worker: { bloom: true, found: keys.length, falsePositives, bytes },
  });
  assert.deepEqual(complaints, []);
});
