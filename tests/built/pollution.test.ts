/** A polluted Object.prototype: no reader of options takes its members for options. Frozen intrinsics change nothing. */
import { expect, test } from '@jest/globals';

import { runModule } from '../js/support/child.js';

/** Every name that some option has, with what would change an answer or be an error. */
const dirt = `
  const dirt = {
    action: 'note', additions: 5, adopt: 5, allow: new Set(), apiKey: 'dirt', autoUpdate: 5, allowOrigin: 'dirt', arity: 3, batch: 0, bits: 64, bucketSize: 8, bytes: 5,
    cacheSeconds: -1, capacity: 7, checkBits: 1, complete: 5, confirmTimeoutMs: 0, count: 5, counterBits: 9,
    decoys: 99, deletes: true, deletions: 1, downloadTimeoutMs: 0, endpoint: 5, excluded: 3, fetch: 5, fingerprintBits: 3,
    fpr: 0.5, gate: { minEntries: 99 }, generations: 9, growth: 9, grows: true, hashes: 1,
    include: 5, exclude: 5, expression: 'dirt', isFrame: true, jumps: 'dirt', key: 'dirt', secret: new Uint8Array(16), lifetimeMs: 1, lists: 5, name: 'dirt', malware: 'note', maxAddedPct: 0, maxAgeMs: 1, maxBytes: 1, maxEntries: 5,
    requests: 99, maxDeltas: 0, maxRemovedPct: 0, minEntries: 99, mustNotMatch: ['evil.example'], newest: 5, now: () => 0, whenSearchFails: 5,
    nowMs: 8e15, onProgress: 5, otherReaders: { dirt: 5 }, part: 5, periodMs: 9, prefixBytes: 32, previous: 5,
    protocol: 'v4-integers', publicKeys: 5, publicSuffixes: () => true, random: 5, refusal: 'dirt', regions: 3, removals: 5, rule: 'dirt',
    scheme: 'guava64', schemes: 5, searchTimeoutMs: 0, seed: 9n, separator: 44, sha256: 5, signal: {}, signingKeys: 5, source: 5, static: true, threats: ['dirt'], tightening: 0.1, universe: 9,
    updateEveryMs: 1, valueBits: 3, values: 8, version: 'dirt',
  };
  for (const [name, value] of Object.entries(dirt)) {
    Object.defineProperty(Object.prototype, name,
      { value, enumerable: true, configurable: true, writable: true });
  }`;

/** Freezes all that the language has, as hardened environments do, before the package is loaded. */
const freezing = `
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name) && name !== 'WebAssembly');
  for (const name of names) {
    const one = globalThis[name];
    Object.freeze(Object(one).prototype);
    Object.freeze(one);
  }
  for (const one of [async () => {}, function* () {}, async function* () {}]) {
    Object.freeze(Object.getPrototypeOf(one));
    Object.freeze(one.prototype && Object.getPrototypeOf(one.prototype));
  }
  Object.freeze(Object.getPrototypeOf(Uint8Array.prototype));`;
const frozen = ['--import', `data:text/javascript,${encodeURIComponent(freezing)}`];

const imports = `
  import * as tamis from 'tamis';
  import * as url from 'tamis/url';
  import { SafeBrowsing } from 'tamis/safe-browsing';`;

/** Keys that are the same in every run. */
const prepare = `
  const privateKey = await crypto.subtle.importKey('jwk', {
    kty: 'OKP', crv: 'Ed25519', d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  }, 'Ed25519', true, ['sign']);
  const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
  const signing = { privateKey, publicKey };`;

const answers = `
  const { BloomFilter, CuckooFilter, RibbonFilter, BloomierMap, ExactFilter, InvertibleBloomTable } = tamis;
  // Before anything else starts the core.
  const early = await tamis.init({}).then(() => 'started', ({ message }) => message);
  const hex = (bytes) => Buffer.from(bytes).toString('hex');
  const keys = ['a', 'b', 'c'];
  async function* given(values) { yield* values; }
  const storage = url.memoryStorage();
  const list = new url.UrlListBuilder().addHosts(['evil.example', 'bad.example']).build({});
  const publish = { name: 'phish', storage, signingKeys: signing };
  const tries = {
    init: () => early,
    new: () => hex(new BloomFilter({ capacity: 9 }).toBytes()),
    sizes: () => Object.values(tamis)
      .filter((one) => typeof one.sizeFor === 'function' && one !== tamis.BitArray)
      .map((one) => { try { return one.sizeFor({ capacity: 1000 }); } catch (error) { return error.message; } }),
    from: () => [CuckooFilter, RibbonFilter].map((one) => hex(one.from(keys, {}).toBytes())),
    map: () => hex(BloomierMap.from([['a', 1]], { valueBits: 4 }).toBytes()),
    exact: () => hex(ExactFilter.from({ include: ['a'], exclude: ['b'] }, {}).toBytes()),
    table: () => hex(new InvertibleBloomTable({ differences: 5, keyBytes: 4 }).toBytes()),
    fromAsync: async () => hex((await RibbonFilter.fromAsync(given(keys), {})).toBytes()),
    addFrom: async () => new BloomFilter({ capacity: 9 }).addFrom(given(keys), {}),
    funnel: async () => tamis.withFunnel(new BloomFilter({ capacity: 9 }), tamis.key.utf16).addFrom(given(keys), {}),
    fromBytes: () => tamis.fromBytes(new BloomFilter({ capacity: 9 }).toBytes(), {}).capacity,
    fromStream: async () => (await tamis.fromStream(given([new BloomFilter({ capacity: 9 }).toBytes()]), {})).capacity,
    hash: () => [tamis.hashKey('a', {}), tamis.hashKeys(keys, {})].join(),
    lines: () => tamis.keysFromLines(Buffer.from('a,b\\nc'), {}).length,
    keyBatchesFrom: async () => { for await (const { length } of tamis.keyBatchesFrom(given([Buffer.from('a,b\\nc')]), {})) return length; },
    sizing: () => tamis.bloomSizing({ capacity: 100 }),
    suggest: () => [10, 5000].map((capacity) => tamis.suggestFilter({ capacity })),
    missing: () => tamis.missingFrom(BloomFilter.from(keys), ['a', 'z']),
    expressions: () => url.expressions('http://a.evil.example/x', {}),
    rice: () => hex(url.riceDecode(url.riceEncode(Uint32Array.of(1, 9)), {})),
    list: () => { const one = url.UrlList.fromBytes(list.toBytes(), {}); return [one.rule, one.check('http://evil.example/')]; },
    listStream: async () => (await url.UrlList.fromStream(given([list.toBytes()]), {})).rule,
    delta: () => url.UrlDelta.fromBytes(list.diff(list).toBytes(), {}).additions,
    publish: async () => {
      const { created, notAfter, deltas, prefixBytes } = await url.publishList(list, publish);
      const isOld = Date.parse(created) < 1e12;
      return [isOld, Date.parse(notAfter) - Date.parse(created), deltas.length, prefixBytes];
    },
    renew: async () => (await url.publishList(list, publish)).seq > 1e9,
    verify: async () => (await url.verifyManifest(await storage.get('manifest.json'), { publicKeys: [publicKey] })).list,
    checker: async () => url.UrlChecker.open('https://a.example/', {}),
    prefixes: () => {
      const hash = url.hashExpression('evil.example/');
      return hex(url.UrlList.fromPrefixes(hash.subarray(0, 4), { prefixBytes: 4 }).update({}).toBytes());
    },
    guard: async () => url.UrlGuard.open({ lists: { one: {} }, storage, whenMissing: 'throw', whenUnconfirmed: 'throw' }),
    google: async () => {
      // Every listener of Node reads this one.
      delete Object.prototype.signal;
      // A hash that is listed for frames alone.
      const hash = [10, 41, 10, 32, ...url.hashExpression('evil.example/'), 18, 5, 8, 1, 18, 1, 2];
      const body = Uint8Array.from([...hash, 18, 3, 8, 172, 2]);
      const fetch = async () => new Response(body);
      const one = await SafeBrowsing.open({ apiKey: 'k', mode: 'no-storage', whenSearchFails: 'throw', fetch });
      const said = await one.verify('https://evil.example/', {});
      one.close();
      return said;
    },
    source: async () => {
      const body = [10, 38, 10, 32, ...url.hashExpression('evil.example/'), 18, 2, 8, 1, 18, 3, 8, 172, 2];
      const fetch = async () => new Response(Uint8Array.from(body));
      const source = await SafeBrowsing.open({ apiKey: 'k', mode: 'no-storage', whenSearchFails: 'throw', fetch });
      const lists = { google: { source, action: 'block' } };
      const guard = await url.UrlGuard.open({ lists, storage, whenMissing: 'throw', whenUnconfirmed: 'throw' });
      const said = await guard.verify('https://evil.example/');
      guard.close();
      return said;
    },
  };
  const lines = [];
  for (const [name, act] of Object.entries(tries)) {
    let told;
    try {
      told = JSON.stringify(await act());
    } catch ({ name, code, message }) {
      told = [name, code, message].join();
    }
    lines.push(name + ' ' + told);
  }
  // Node itself reads some of the names from its own options.
  for (const name of Object.keys(Object.prototype)) delete Object.prototype[name];
  console.log(lines.join('\\n'));
  process.exit();`;

/** The codes of errors, of each class, and of `close`, which aborts with one. */
const errors = `
  const codeOf = async (act) => { try { return await act(); } catch (error) { return [error.name, error.code]; } };
  const checker = await url.UrlChecker.open('https://lists.example/manifest.json', {
    name: 'l', publicKeys: [publicKey], storage: 'memory', confirm: null,
    whenMissing: 'throw', whenUnconfirmed: 'throw', fetch: async () => new Response(null, { status: 503 }),
  });
  const updating = codeOf(() => checker.update());
  checker.close();
  const filter = new tamis.BloomFilter({ capacity: 9 });
  const bytes = filter.toBytes();
  console.log(JSON.stringify([
    await updating,
    await codeOf(() => checker.check('https://a.example/')),
    await codeOf(() => tamis.fromBytes(bytes.subarray(1))),
    await codeOf(() => new tamis.BloomFilter({ capacity: 0 })),
    await codeOf(() => filter.add(Symbol())),
    await codeOf(() => filter.addMany(['a', null])),
    await codeOf(() => filter.addMany({ *[Symbol.iterator]() { throw new Error('own'); } })),
    await codeOf(() => url.canonicalize('')),
  ]));`;

test('the answers and errors are the same if all intrinsics are frozen', async () => {
  const all = `${imports}${prepare}${errors}${answers}`;
  const [thawed, hardened] = await Promise.all([runModule(all), runModule(all, frozen)]);
  expect(thawed).toContain(
    '["TamisError","ERR_TAMIS_DISPOSED"],["TamisError","ERR_TAMIS_DISPOSED"]',
  );
  expect(hardened.split('\n')).toEqual(thawed.split('\n'));
});

test('the answers are the same, member for member', async () => {
  const [clean, dirty] = await Promise.all([
    runModule(`${imports}${prepare}${answers}`),
    runModule(`${imports}${prepare}${dirt}${answers}`),
  ]);
  const lines = clean.trim().split('\n');
  expect(lines.length).toBe(31);
  // Classes that need options throw without them; all others are made.
  const refused = lines.filter((line) => /ERR_TAMIS/.test(line) && !line.startsWith('sizes'));
  expect(refused.map((line) => line.split(' ')[0])).toEqual(['checker', 'guard']);
  expect(dirty.trim().split('\n')).toEqual(lines);
});
