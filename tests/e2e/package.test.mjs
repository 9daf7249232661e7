// The packed package in the engines of TAMIS_ENGINES: in pages, in workers, bundled and not.
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
import { serveBundle, servePage } from './bundle.mjs';
import { chosenEngines, describeEngines, openFor, outcomeOf } from './engines/index.mjs';
import { asPage, blockOf, claims } from './readme.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const page = `
import { BloomFilter, fromBytes, RibbonFilter } from 'tamis';

const keys = Array.from({ length: 5000 }, (_, i) => 'key-' + i);
const absentKeys = Array.from({ length: 5000 }, (_, i) => 'stranger-' + i);
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
worker.postMessage({ bytes: moved, keys, absentKeys }, [moved.buffer]);

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
    falsePositives: sum(listed.hasMany(absentKeys)),    bytes: [...shipped],
  },
  bytes: [...bytes],
  same: again.toBytes().every((byte, i) => byte === bytes[i]),
  found: sum(again.hasMany(keys)),
  falsePositives: sum(again.hasMany(absentKeys)),
  emptied: moved.byteLength,
  refused: [structuredClone, (value) => worker.postMessage([value])].map((send) => {
    try {
      return send(filter);
    } catch ({ name }) {
      return name;
    }
  }),
  worker: await fromWorker,
};
`;

const worker = `
import { BloomFilter, fromBytes } from 'tamis';

const sum = (answers) => answers.reduce((total, answer) => total + answer, 0);
onmessage = ({ data: { bytes, keys, absentKeys } }) => {
  const filter = fromBytes(bytes);
  const { buffer } = filter.toBytes();
  postMessage(
    {
      bloom: filter instanceof BloomFilter,
      found: sum(filter.hasMany(keys)),
      falsePositives: sum(filter.hasMany(absentKeys)),
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

/** A checker keeps its list in IndexedDB, and without a network has it again. */
const stored = `
import { memoryStorage, publishList, UrlChecker, UrlListBuilder } from 'tamis/url';

const list = new UrlListBuilder().addHosts(['evil.example']).build();
const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
const folder = memoryStorage();
await publishList(list, { name: 'phish', storage: folder, signingKeys: keys });
const online = async (url) => new Response(await folder.get(url.split('/').at(-1)));
const offline = async () => { throw new TypeError('no network'); };
const told = [];
for (const fetch of [online, offline]) {
  const checker = await UrlChecker.open('https://lists.example/manifest.json', {
    name: 'phish',
    publicKeys: [keys.publicKey],
    storage: 'indexeddb',
    confirm: 'https://lists.example/confirm',
    whenMissing: 'unknown',
    whenUnconfirmed: 'unknown',
    updateEveryMs: 0,
    fetch,
  });
  told.push(checker.check('https://a.evil.example/b'), checker.check('https://good.example/'));
  checker.close();
}
globalThis.outcome = told;
`;

/** Two guards, as two tabs have them, share overrides by IndexedDB, a Web Lock and a channel. */
const overridden = `
import { memoryStorage, publishList, UrlGuard, UrlListBuilder } from 'tamis/url';

const list = new UrlListBuilder({ prefixBytes: 8 }).addHosts(['evil.example']).build();
const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
const folder = memoryStorage();
await publishList(list, { name: 'phish', storage: folder, signingKeys: keys });
const open = () => UrlGuard.open({
  lists: {
    one: {
      manifest: 'https://lists.example/manifest.json',
      name: 'phish',
      publicKeys: [keys.publicKey],
      confirm: null,
      action: 'block',
    },
  },
  storage: 'indexeddb',
  whenMissing: 'unknown',
  whenUnconfirmed: 'unknown',
  updateEveryMs: 0,
  fetch: async (url) => new Response(await folder.get(url.split('/').at(-1))),
});
const url = 'https://a.evil.example/b';
const [one, two] = [await open(), await open()];
const told = [two.check(url).answer, (await two.verify(url)).action];
const heard = new Promise((resolve) => two.overrides.onChange(resolve));
const given = { scope: 'site', verdict: 'allow', forMs: 86_400_000 };
// At once, so that each waits for the lock of the other.
await Promise.all([
  one.overrides.add({ url: 'https://evil.example/', ...given }),
  two.overrides.add({ url: 'https://other.example/', ...given }),
]);
await heard;
while (two.check(url).answer !== 'safe') await new Promise((resolve) => setTimeout(resolve, 20));
told.push(two.check(url).answer, two.overrides.list().length);
one.close();
two.close();
const next = await open();
told.push(next.check(url).answer, next.overrides.list().length, next.overrides.error === undefined);
globalThis.outcome = told;
`;

/** Both entries as files, by a relative path: nothing resolves a name, and no import map does. */
const unbundled = `
import { BloomFilter, fromBytes, TamisError } from './tamis/dist/index.js';
import { UrlListBuilder } from './tamis/dist/url/index.js';

const filter = BloomFilter.from(['a'], { fpr: 0.001 });
const list = new UrlListBuilder().addHosts(['evil.example']).build();
let refusal;
try {
  fromBytes(list.toBytes());
} catch (error) {
  refusal = [error instanceof TamisError, error.code];
}
globalThis.outcome = [filter.has('a'), filter.has('b'), list.check('http://evil.example/'), refusal];
`;

/** A page may be the confirm server of a service worker; Firefox has no Request.prototype.body. */
const confirming = `
import { createConfirmHandler, hashExpression, UrlListBuilder } from 'tamis/url';

const { fullHashes } = new UrlListBuilder().addHosts(['evil.example']);
const confirm = createConfirmHandler(fullHashes, { cacheSeconds: 300, negativeSeconds: 1800 });
const ask = async (body) => {
  const answer = await confirm(new Request('https://api.example/', { method: 'POST', body }));
  return [answer.status, (await answer.arrayBuffer()).byteLength];
};
const prefix = hashExpression('evil.example/').slice(0, 4);
globalThis.outcome = [await ask(prefix), await ask(new Uint8Array(3)), await ask(new Uint8Array(4096))];
`;

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
  const tarball = join(consumer, Object.values(JSON.parse(stdout))[0].filename);
  await run('tar', ['-xzf', tarball, '-C', packed, '--strip-components=1']);
});

after(() => consumer && rm(consumer, { recursive: true }));

describeEngines(chosenEngines, (engine) => {
  /** The outcome of a page with these scripts, which must not complain. */
  async function outcome(t, sources) {
    const server = await serveBundle({ sources, resolveDir: consumer, csp: CSP });
    t.after(() => server.close());
    const page = await openFor(t, engine(), server.url);
    const left = await outcomeOf(page);
    assert.deepEqual(await page.complaints(), []);
    return left;
  }

  for (const [document, needle] of [
    ['README.md', "from 'tamis'"],
    ['docs/guide/urls.md', 'publishList'],
  ]) {
    test(`${document}: the block with ${needle}`, async (t) => {
      const block = blockOf(document, needle);
      const pairs = await outcome(t, { 'page.js': asPage(block) });
      assert.equal(pairs.length, claims(block), JSON.stringify(pairs));
      for (const [got, said] of pairs) assert.deepEqual(got, said);
    });
  }

  test('a page and module workers', async (t) => {
    const sources = { 'page.js': page, 'worker.js': worker, 'builder.js': builder };
    const keys = Array.from({ length: 5000 }, (_, i) => `key-${i}`);
    const absentKeys = Array.from({ length: 5000 }, (_, i) => `stranger-${i}`);
    const mine = BloomFilter.from(keys, { fpr: 0.01 });
    const bytes = [...mine.toBytes()];
    const falsePositives = mine.hasMany(absentKeys).reduce((sum, hit) => sum + hit, 0);
    const list = RibbonFilter.from(keys, { fpr: 2 ** -10 });
    assert.deepEqual(await outcome(t, sources), {
      listed: {
        ribbon: true,
        leftThere: 0,
        found: keys.length,
        falsePositives: list.hasMany(absentKeys).reduce((sum, hit) => sum + hit, 0),
        bytes: [...list.toBytes()],
      },
      bytes,
      same: true,
      found: keys.length,
      falsePositives,
      emptied: 0,
      refused: ['DataCloneError', 'DataCloneError'],
      worker: { bloom: true, found: keys.length, falsePositives, bytes },
    });
  });

  test('a list in IndexedDB is there again without a network', async (t) => {
    const told = await outcome(t, { 'page.js': stored });
    assert.deepEqual(told, ['maybe', 'safe', 'maybe', 'safe']);
  });

  test('overrides are there for another guard, and for the next', async (t) => {
    const told = await outcome(t, { 'page.js': overridden });
    assert.deepEqual(told, ['maybe', 'block', 'safe', 2, 'safe', 2, true]);
  });

  test('createConfirmHandler reads the question of a Request', async (t) => {
    const answers = [
      [200, 1024],
      [400, 0],
      [413, 0],
    ];
    assert.deepEqual(await outcome(t, { 'page.js': confirming }), answers);
  });

  test('a page without a bundler', async (t) => {
    const packed = join(consumer, 'node_modules', 'tamis');
    const server = await servePage({
      sources: { 'page.js': unbundled },
      folder: packed,
      csp: CSP,
    });
    t.after(() => server.close());
    const page = await openFor(t, engine(), server.url);
    const refusal = [true, 'ERR_TAMIS_WRONG_TYPE'];
    assert.deepEqual(await outcomeOf(page), [true, false, 'maybe', refusal]);
    assert.deepEqual(await page.complaints(), []);
  });
});
