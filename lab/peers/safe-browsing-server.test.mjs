// The Safe Browsing server in Python. A second reader proves that it sends the messages it should. Run by
// `npm run test:peers`.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  additionsOf,
  apply,
  removalsOf,
  sha256,
  startReader,
  vectorsOf,
} from './safe-browsing-messages.mjs';
import { skip, startSafeBrowsing } from './safe-browsing-server.mjs';

describe('the Safe Browsing server in Python', { skip }, () => {
  let server;
  let reader;
  before(async () => {
    server = await startSafeBrowsing();
    reader = startReader();
  });
  beforeEach(() => server.control({ reset: true }));
  after(async () => {
    reader.stop();
    await server.stop();
  });

  const get = (path, words, headers = { 'X-Goog-Api-Key': 'key' }) =>
    fetch(`${server.url}/v5/${path}?${new URLSearchParams(words)}`, { headers });

  async function lists(names, versions = [], more = {}) {
    const given = versions.map((version) => [
      'version',
      Buffer.from(version, 'hex').toString('base64url'),
    ]);
    const words = [...names.map((name) => ['names', name]), ...given, ...Object.entries(more)];
    const response = await get('hashLists:batchGet', words);
    assert.equal(response.status, 200, await response.clone().text());
    assert.equal(response.headers.get('content-type'), 'application/x-protobuf');
    const bytes = Buffer.from(await response.arrayBuffer());
    return (await reader.read('B', bytes.toString('hex'))).hash_lists ?? [];
  }

  const hosts = (from, to) =>
    Array.from({ length: to - from }, (_, i) => `host-${from + i}.example`);
  const prefixes = (names, width) =>
    [...new Set(names.map((name) => sha256(`${name}/`).slice(0, 2 * width)))].sort();

  for (const width of [4, 8, 16, 32]) {
    test(`sends full and partial updates of ${width} bytes`, async () => {
      const name = `test-${width}b`;
      await server.control({ lists: { [name]: { versions: [{ hosts: hosts(0, 500) }] } } });
      const [first] = await lists([name]);
      let [list, version] = [apply([], first, width), first.version];
      assert.deepEqual(list, prefixes(hosts(0, 500), width));
      assert.equal(first.partial_update, undefined);
      assert.deepEqual(first.minimum_wait_duration, { seconds: '1800' });
      for (let step = 1; step <= 5; step++) {
        const change = {
          add: hosts(480 + 20 * step, 500 + 20 * step),
          remove: hosts(7 * step, 7 * step + 5),
        };
        const { lists: all } = await server.control({ push: { [name]: change } });
        const [next] = await lists([name], [version]);
        assert.equal(next.partial_update, true);
        [list, version] = [apply(list, next, width), next.version];
        assert.equal(sha256(Buffer.from(list.join(''), 'hex')), all[name].sha256);
        assert.equal(version, all[name].version);
      }
      const [same] = await lists([name], [version]);
      assert.deepEqual(Object.keys(same).sort(), [
        'minimum_wait_duration',
        'name',
        'partial_update',
        'version',
      ]);
      assert.equal(same.version, version);
    });
  }

  test('sends one entry alone without a parameter', async () => {
    const [versions, change] = [
      [{ hosts: ['a.example'] }],
      { add: ['b.example'], remove: ['a.example'] },
    ];
    await server.control({ lists: { 'se-4b': { versions } } });
    const [{ version }] = await lists(['se-4b']);
    await server.control({ push: { 'se-4b': change } });
    const [message] = await lists(['se-4b'], [version]);
    const first = Number(`0x${sha256('b.example/').slice(0, 8)}`);
    assert.deepEqual(message.additions_four_bytes, { first_value: first });
    assert.deepEqual(message.compressed_removals, {});
    assert.deepEqual(apply(prefixes(['a.example'], 4), message), prefixes(['b.example'], 4));
  });

  test('makes the updates of the vectors', async () => {
    const vectors = vectorsOf('updates.txt').filter(([, , , result]) => result !== 'corrupt');
    for (const [old, removals, additions, result, checksum] of vectors) {
      const versions = [old, result].map((hex) => ({ prefixes: [hex] }));
      await server.control({ lists: { 'se-4b': { versions } }, current: { 'se-4b': 0 } });
      const [{ version }] = await lists(['se-4b']);
      await server.control({ current: { 'se-4b': 1 } });
      const [message] = await lists(['se-4b'], old === '' ? [] : [version]);
      assert.equal(additionsOf(message).join(''), additions);
      const places = removalsOf(message).map((place) => place.toString(16).padStart(8, '0'));
      assert.equal(places.join(''), removals);
      if (old !== result) assert.equal(message.sha256_checksum, checksum);
    }
  });

  test('splits an update by the constraint of the client', async () => {
    const versions = [{ hosts: hosts(0, 5000) }, { hosts: hosts(2500, 7000) }];
    await server.control({ lists: { 'mw-4b': { versions } }, current: { 'mw-4b': 0 } });
    const more = { 'sizeConstraints.maxUpdateEntries': 1024 };
    let list = [];
    const known = [];
    const catchUp = async () => {
      for (let requests = 1; ; requests++) {
        const [message] = await lists(['mw-4b'], known, more);
        list = apply(list, message, 4);
        known[0] = message.version;
        if (message.minimum_wait_duration !== undefined) return requests;
      }
    };
    assert.equal(await catchUp(), 5);
    assert.deepEqual(list, prefixes(hosts(0, 5000), 4));
    await server.control({ current: { 'mw-4b': 1 } });
    assert.equal(await catchUp(), 5);
    assert.deepEqual(list, prefixes(hosts(2500, 7000), 4));
    const [few] = await lists(['mw-4b'], [], { 'sizeConstraints.maxDatabaseEntries': 100 });
    assert.equal(apply([], few, 4).length, 100);
  });

  test('refuses what Google refuses', async () => {
    await server.control({
      lists: { 'se-4b': { versions: [{ hosts: ['a.example'] }, { hosts: [] }] } },
      key: 'right',
    });
    const [status, right] = [
      async (...args) => (await get(...args)).status,
      { 'X-Goog-Api-Key': 'right' },
    ];
    const batch = (words, headers = right) => status('hashLists:batchGet', words, headers);
    assert.equal(await batch([['names', 'se-4b']]), 200);
    assert.equal(
      await batch(
        [
          ['names', 'se-4b'],
          ['key', 'right'],
        ],
        {},
      ),
      200,
    );
    assert.equal(await batch([['names', 'se-4b']], {}), 403);
    assert.equal(await batch([['names', 'se-4b']], { 'X-Goog-Api-Key': 'wrong' }), 400);
    assert.equal(
      await batch([
        ['names', 'se-4b'],
        ['alt', 'json'],
      ]),
      400,
    );
    assert.equal(
      await batch([
        ['names', 'se-4b'],
        ['names', 'se-4b'],
      ]),
      400,
    );
    assert.equal(await batch([['names', 'no-4b']]), 400);
    assert.equal(await batch([]), 400);
    assert.equal(
      await batch([
        ['names', 'se-4b'],
        ['sizeConstraints.maxUpdateEntries', '1023'],
      ]),
      400,
    );
    const base64 = ['--__-w==', '--__-w', '++//+w==', '++//+w'];
    for (const version of base64)
      assert.equal(
        await batch([
          ['names', 'se-4b'],
          ['version', version],
        ]),
        200,
      );
    for (const version of ['-', 'a b=', '\u20ac']) {
      assert.equal(
        await batch([
          ['names', 'se-4b'],
          ['version', version],
        ]),
        400,
      );
    }
    const search = (prefixes) =>
      status(
        'hashes:search',
        prefixes.map((hex) => ['hashPrefixes', hex]),
        right,
      );
    assert.equal(await search(['AAAAAA==']), 200);
    for (const bad of [[], ['AAAA'], ['AAAAAAA='], Array(1001).fill('AAAAAA==')]) {
      assert.equal(await search(bad), 400);
    }
    const asked = await server.log();
    assert.deepEqual(asked[1].query, [
      ['names', 'se-4b'],
      ['key', 'right'],
    ]);
    assert.equal(asked[0].headers['x-goog-api-key'], 'right');
  });

  test('spoils a list as it is told, for as many answers', async () => {
    const versions = [{ hosts: hosts(0, 50) }, { hosts: hosts(5, 60) }];
    await server.control({
      lists: { 'se-4b': { versions }, 'mw-4b': { versions } },
      current: { 'se-4b': 0 },
    });
    const [{ version }] = await lists(['se-4b']);
    const old = prefixes(hosts(0, 50), 4);
    await server.control({ current: { 'se-4b': 1 } });
    const [good] = await lists(['se-4b'], [version]);
    const spoilt = async (fault) => {
      await server.control({ faults: { lists: { 'se-4b': { ...fault, times: 1 } } } });
      const [message] = await lists(['se-4b'], [version]);
      assert.deepEqual(await lists(['se-4b'], [version]), [good]);
      return message;
    };
    assert.equal((await spoilt({ full: true })).partial_update, undefined);
    assert.equal((await spoilt({ checksum: 'missing' })).sha256_checksum, undefined);
    assert.notEqual((await spoilt({ checksum: 'wrong' })).sha256_checksum, good.sha256_checksum);
    assert.equal((await spoilt({ checksum: 'short' })).sha256_checksum.length, 62);
    assert.deepEqual(removalsOf(await spoilt({ removals: 'out-of-range' })), [
      ...removalsOf(good),
      old.length,
    ]);
    assert.deepEqual(removalsOf(await spoilt({ removals: [3, 2 ** 32 - 1] })), [3, 2 ** 32 - 1]);
    const existing = additionsOf(await spoilt({ additions: 'existing' }));
    assert.equal(existing.filter((entry) => old.includes(entry)).length, 1);
    const both = await spoilt({ additions: 'removed' });
    const again = additionsOf(both).find((entry) => old.includes(entry));
    assert(removalsOf(both).includes(old.indexOf(again)));
    assert.equal(
      new Set(additionsOf(await spoilt({ additions: 'twice' }))).size,
      additionsOf(good).length,
    );
    assert.equal(
      (await spoilt({ rice: { rice_parameter: 31 } })).additions_four_bytes.rice_parameter,
      31,
    );
    assert.equal(
      (await spoilt({ rice: { entries_count: -1 } })).additions_four_bytes.entries_count,
      -1,
    );
    assert.equal(typeof (await spoilt({ width: 8 })).additions_eight_bytes, 'object');
    assert.deepEqual((await spoilt({ wait: -5 })).minimum_wait_duration, { seconds: '-5' });
    assert.deepEqual((await spoilt({ wait: 0 })).minimum_wait_duration, {});
    assert.equal((await spoilt({ wait: null })).minimum_wait_duration, undefined);
    assert.equal((await spoilt({ unchanged: true })).version, version);
    assert.equal(await spoilt({ missing: true }), undefined);
    await server.control({ faults: { batchGet: { reversed: true, times: 1 } } });
    assert.deepEqual(
      (await lists(['se-4b', 'mw-4b'])).map(({ name }) => name),
      ['mw-4b', 'se-4b'],
    );
  });

  test('spoils an answer as it is told', async () => {
    await server.control({ lists: { 'se-4b': { versions: [{ hosts: hosts(0, 50) }] } } });
    const ask = async (fault) => {
      await server.control({ faults: { batchGet: fault } });
      return get('hashLists:batchGet', [['names', 'se-4b']]);
    };
    const bodyOf = async (fault) => Buffer.from(await (await ask(fault)).arrayBuffer());
    const good = await bodyOf({});
    assert.deepEqual(await bodyOf({ cut: 9 }), good.subarray(0, 9));
    const flipped = await bodyOf({ flip: [3, 255] });
    assert.deepEqual([flipped.length, flipped[3]], [good.length, good[3] ^ 255]);
    assert.deepEqual(await bodyOf({ chunked: true }), good);
    assert.deepEqual(await bodyOf({ body: '' }), Buffer.alloc(0));
    const padded = await bodyOf({ pad: 1e6 });
    assert.equal(padded.length, good.length + 1e6 + 5);
    const read = (bytes) => reader.read('B', bytes.toString('hex'));
    assert.deepEqual(await read(padded), await read(good));
    await assert.rejects(bodyOf({ broken: 9 }));
    const json = await ask({ json: true });
    assert.match(json.headers.get('content-type'), /json/);
    assert.equal((await json.json()).hashLists[0].name, 'se-4b');
    const busy = await ask({ status: 503, headers: { 'Retry-After': '120' } });
    assert.deepEqual([busy.status, busy.headers.get('retry-after')], [503, '120']);
    assert.equal((await busy.json()).error.status, 'UNAVAILABLE');
    for (const fault of [{ hang: 9 }, { silent: true }]) {
      await server.control({ faults: { batchGet: fault } });
      const signal = AbortSignal.timeout(200);
      const url = `${server.url}/v5/hashLists:batchGet?names=se-4b&key=key`;
      await assert.rejects(
        fetch(url, { signal }).then((response) => response.arrayBuffer()),
        { name: 'TimeoutError' },
      );
    }
  });

  test('searches hashes, and tells what it is told of each', async () => {
    const phish = sha256('evil.example/');
    const threats = [
      { type: 'SOCIAL_ENGINEERING', attributes: ['CANARY', 'FRAME_ONLY'] },
      { type: 99, attributes: [77] },
    ];
    const hashes = [{ expression: 'evil.example/', threats }];
    const extra = [{ hash: '00'.repeat(31), threats: [] }];
    const search = async (order) => {
      await server.control({ search: order });
      const words = ['evil.example/', 'good.example/'].map((expression) => [
        'hashPrefixes',
        Buffer.from(sha256(expression).slice(0, 8), 'hex').toString('base64url'),
      ]);
      const response = await get('hashes:search', words);
      const hex = Buffer.from(await response.arrayBuffer()).toString('hex');
      return reader.read('S', hex);
    };
    const details = [
      { threat_type: 2, attributes: [1, 2] },
      { threat_type: 99, attributes: [77] },
    ];
    const found = [{ full_hash: phish, full_hash_details: details }];
    assert.deepEqual(await search({ hashes, cacheDuration: { seconds: 5, nanos: 7 } }), {
      full_hashes: found,
      cache_duration: { seconds: '5', nanos: 7 },
    });
    assert.deepEqual(await search({ hashes, extra, cacheDuration: null }), {
      full_hashes: [...found, { full_hash: '00'.repeat(31) }],
    });
    assert.deepEqual(await search({}), { cache_duration: { seconds: '300' } });
  });
});
