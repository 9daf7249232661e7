// The client against the Safe Browsing server in Python, over HTTP: faults of lists, faults of answers, and searches in
// the three modes. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { memoryStorage } from 'tamis/url';
import {
  clientsOf,
  codeOf,
  hostsOf,
  prefixesOf,
  START_MS,
  WAIT_MS,
} from './safe-browsing-clients.mjs';
import { sha256 } from './safe-browsing-messages.mjs';
import { skip, startSafeBrowsing } from './safe-browsing-server.mjs';

let server;
let clients;
if (!skip) {
  before(async () => {
    server = await startSafeBrowsing();
    clients = clientsOf(server);
  });
  beforeEach(async () => {
    await server.control({ reset: true });
    clients.clock.ms = START_MS;
  });
  afterEach(() => clients.closeAll());
  after(() => server.stop());
}

const OLD = 'https://host-3.example/';
const NEW = 'https://www.host-1003.example/x';
const OTHER = 'https://other-3.example/';
const urls = [OLD, NEW, OTHER];

/** A client with 'se-4b' and 'mw-4b', when it is time for their next versions. */
async function outdated(more = {}) {
  const versions = [
    { hosts: hostsOf(0, 1000) },
    { hosts: [...hostsOf(500, 1000), ...hostsOf(1000, 1500)] },
  ];
  const others = [{ hosts: hostsOf(500, 1000, 'other') }, { hosts: hostsOf(0, 1000, 'other') }];
  const wanted = { 'se-4b': 0, 'mw-4b': 0 };
  await server.control({
    lists: { 'se-4b': { versions }, 'mw-4b': { versions: others } },
    current: wanted,
  });
  const client = await clients.open({ lists: ['se-4b', 'mw-4b'], ...more });
  assert.deepEqual(client.checkMany(urls), ['maybe', 'safe', 'safe']);
  const { lists } = await server.control({ current: { 'se-4b': 1, 'mw-4b': 1 } });
  clients.clock.ms += WAIT_MS;
  return { client, lists };
}

/** The requests from one on: the names of lists, the number of versions, and 'part' or 'whole' for each answer. */
async function asked(from = 1) {
  const log = await server.log();
  return log.slice(from).map(({ query, answered }) => {
    const of = (word) => query.filter(([name]) => name === word).map(([, value]) => value);
    const partial = answered.map(({ isPartial }) => (isPartial ? 'part' : 'whole'));
    return [of('names').join(), of('version').length, partial.join()];
  });
}

const isNew = (client, { 'se-4b': se, 'mw-4b': mw }) => {
  assert.deepEqual(client.checkMany(urls), ['safe', 'maybe', 'maybe']);
  const [first, second] = [se, mw].map((list) => list.sha256.slice(0, 8));
  const { version, count, stale, error } = client.status;
  assert.equal(version, `se-4b ${first}, mw-4b ${second}`);
  assert.deepEqual([count, stale, error], [se.count + mw.count, false, undefined]);
};

describe('a list that does not fit', { skip }, () => {
  const faults = {
    'another checksum': { checksum: 'wrong' },
    'no checksum': { checksum: 'missing' },
    'a short checksum': { checksum: 'short' },
    'an addition that is there': { additions: 'existing' },
    'an addition that it removes': { additions: 'removed' },
    'an addition twice': { additions: 'twice' },
    'a removal past the end': { removals: 'out-of-range' },
    'removals far past the end': { removals: [3, 2 ** 32 - 1] },
    'removals of others': { removals: [0, 1, 2] },
    'a removal twice': { removals: 'twice' },
    'another name': { name: 'uws-4b' },
    'no name': { name: '' },
    'another width': { width: 8 },
    'a negative wait': { wait: -5 },
    'a whole list with removals': { partial: false },
    'fewer entries than data': { rice: { entries_count: 3 } },
    'more entries than data': { rice: { entries_count: 2 ** 31 - 1 } },
    'a negative number of entries': { rice: { entries_count: -1 } },
    'a negative parameter': { removalsRice: { rice_parameter: -3 } },
    'a parameter that is too small': { rice: { rice_parameter: 2 } },
    'a parameter that is too large': { rice: { rice_parameter: 31 } },
    'another parameter': { rice: { rice_parameter: 20 } },
    'no data': { rice: { encoded_data: '' } },
    'data that are all ones': { removalsRice: { encoded_data: 'ff'.repeat(100) } },
    'data past the end': { rice: { encoded_data: '00'.repeat(4000) } },
  };
  for (const [what, fault] of Object.entries(faults)) {
    test(`${what}: it comes whole at once, and the other one is new`, async () => {
      const { client, lists } = await outdated();
      await server.control({ faults: { lists: { 'se-4b': { ...fault, times: 1 } } } });
      const { changed, by } = await client.update();
      assert.deepEqual([changed, by], [true, 'snapshot']);
      assert.deepEqual(await asked(), [
        ['se-4b,mw-4b', 2, `${fault.partial === false ? 'whole' : 'part'},part`],
        ['se-4b', 0, 'whole'],
      ]);
      isNew(client, lists);
    });
  }

  test('again and again: the old one stays in use, and the other one is new', async () => {
    for (const fault of [{ checksum: 'wrong' }, { rice: { entries_count: -1 } }]) {
      await server.control({ reset: true });
      const { client, lists } = await outdated();
      await server.control({ faults: { lists: { 'se-4b': fault } } });
      for (let i = 0; i < 3; i++) {
        assert.equal(await codeOf(client.update()), 'ERR_TAMIS_CORRUPT');
        assert.deepEqual(client.checkMany(urls), ['maybe', 'safe', 'maybe']);
        assert.equal(client.status.error.code, 'ERR_TAMIS_CORRUPT');
        clients.clock.ms += WAIT_MS;
      }
      await server.control({ faults: {} });
      await client.update();
      isNew(client, lists);
    }
  });
});

describe('a list that fits', { skip }, () => {
  const faults = {
    'whole where a part was asked': [{ full: true }, 'snapshot'],
    'with another version': [{ version: 'aabbcc' }, 'deltas'],
    'without a version': [{ version: '' }, 'deltas'],
  };
  for (const [what, [fault, expected]] of Object.entries(faults)) {
    test(`${what}, is taken`, async () => {
      const { client, lists } = await outdated();
      await server.control({ faults: { lists: { 'se-4b': { ...fault, times: 1 } } } });
      const { by } = await client.update();
      assert.equal(by, expected);
      assert.equal((await asked()).length, 1);
      isNew(client, lists);
      await server.control({ push: { 'se-4b': { add: ['host-3.example'] } } });
      clients.clock.ms += WAIT_MS;
      await client.update();
      assert.deepEqual(client.checkMany(urls), ['maybe', 'maybe', 'maybe']);
    });
  }

  test('that is told to be unchanged stays as it is', async () => {
    const { client, lists } = await outdated();
    await server.control({ faults: { lists: { 'se-4b': { unchanged: true, times: 1 } } } });
    await client.update();
    assert.deepEqual(client.checkMany(urls), ['maybe', 'safe', 'maybe']);
    clients.clock.ms += WAIT_MS;
    await client.update();
    isNew(client, lists);
  });

  test('without a wait is asked again at once, until there is no more', async () => {
    for (const wait of [0, null]) {
      await server.control({ reset: true });
      const { client, lists } = await outdated();
      await server.control({ faults: { lists: { 'se-4b': { wait, times: 2 } } } });
      await client.update();
      assert.deepEqual(
        (await asked()).map(([names, versions]) => [names, versions]),
        [
          ['se-4b,mw-4b', 2],
          ['se-4b', 1],
          ['se-4b', 1],
        ],
      );
      isNew(client, lists);
    }
  });

  test('is split by a bound on what comes at once', async () => {
    const versions = [{ hosts: hostsOf(0, 5000) }, { hosts: hostsOf(2500, 7000) }];
    await server.control({ lists: { 'se-4b': { versions } }, current: { 'se-4b': 0 } });
    const client = await clients.open({ maxUpdateEntries: 1024 });
    assert.equal((await asked(0)).length, 5);
    assert.deepEqual([client.status.count, client.check(OLD)], [5000, 'maybe']);
    await server.control({ current: { 'se-4b': 1 } });
    clients.clock.ms += WAIT_MS;
    assert.equal((await client.update()).by, 'deltas');
    assert.equal((await asked(0)).length, 10);
    assert.deepEqual([client.status.count, client.check(OLD)], [4500, 'safe']);
  });

  test('becomes empty, and is filled again', async () => {
    const versions = [
      { hosts: ['host-3.example'] },
      { hosts: [] },
      { hosts: ['host-1003.example'] },
    ];
    await server.control({ lists: { 'se-4b': { versions } }, current: { 'se-4b': 0 } });
    const client = await clients.open();
    for (const [index, answers] of [
      [0, ['maybe', 'safe']],
      [1, ['safe', 'safe']],
      [2, ['safe', 'maybe']],
      [1, ['safe', 'safe']],
    ]) {
      await server.control({ current: { 'se-4b': index } });
      clients.clock.ms += WAIT_MS;
      await client.update();
      assert.deepEqual(client.checkMany([OLD, NEW]), answers);
    }
    const late = await clients.open();
    assert.deepEqual([late.check(OLD), late.status.count], ['safe', 0]);
  });

  test('has prefixes of 8, 16 and 32 bytes, too', async () => {
    const names = ['a-8b', 'b-16b', 'c-32b'];
    const versions = [{ hosts: hostsOf(0, 300) }, { hosts: hostsOf(100, 400) }];
    const lists = Object.fromEntries(names.map((name) => [name, { versions }]));
    const current = (index) => Object.fromEntries(names.map((name) => [name, index]));
    await server.control({ lists, current: current(0) });
    const client = await clients.open({ lists: names });
    assert.deepEqual(client.checkMany([OLD, 'https://host-399.example/']), ['maybe', 'safe']);
    await server.control({ current: current(1) });
    clients.clock.ms += WAIT_MS;
    assert.equal((await client.update()).by, 'deltas');
    assert.deepEqual(client.checkMany([OLD, 'https://host-399.example/']), ['safe', 'maybe']);
    const expected = names.map((name) => {
      const bytes = Buffer.from(
        prefixesOf(hostsOf(100, 400), Number.parseInt(name.slice(2), 10)).join(''),
        'hex',
      );
      return `${name} ${sha256(bytes).slice(0, 8)}`;
    });
    assert.equal(client.status.version, expected.join(', '));
  });
});

describe('an answer that does not fit', { skip }, () => {
  const faults = {
    'an empty one': [{ body: '' }, 'CORRUPT'],
    'one that is cut': [{ cut: 700 }, 'CORRUPT'],
    JSON: [{ json: true }, 'CORRUPT'],
    'JSON that says it is protobuf': [
      { body: Buffer.from('{"hashLists":[]}').toString('hex') },
      'CORRUPT',
    ],
    HTML: [{ headers: { 'Content-Type': 'text/html' } }, 'CORRUPT'],
    'one of more than 64 MiB': [{ pad: 2 ** 26 }, 'TOO_LARGE'],
    'one of more than 64 MiB in pieces': [{ pad: 2 ** 26, chunked: true }, 'TOO_LARGE'],
    'one that breaks off': [{ broken: 500 }, 'UNAVAILABLE'],
    'one that breaks off at once': [{ broken: 0 }, 'UNAVAILABLE'],
    'one that hangs': [{ hang: 500 }, 'UNAVAILABLE'],
    silence: [{ silent: true }, 'UNAVAILABLE'],
    'a redirect': [
      { status: 302, headers: { Location: '/v5/hashLists:batchGet?names=se-4b' } },
      'UNAVAILABLE',
    ],
    'a redirect to somewhere else': [
      { status: 307, headers: { Location: 'http://127.0.0.1:1/' } },
      'UNAVAILABLE',
    ],
    'no content': [{ status: 204 }, 'UNAVAILABLE'],
    'a part': [{ status: 206 }, 'UNAVAILABLE'],
  };
  for (const status of [400, 403, 404, 429, 500, 503, 504]) {
    for (const errorBody of ['json', 'proto', 'html']) {
      faults[`${status} with ${errorBody}`] = [{ status, errorBody }, 'UNAVAILABLE'];
    }
  }
  for (const [what, [fault, code]] of Object.entries(faults)) {
    test(`${what}: the lists stay, and the next one is taken`, async () => {
      const isSlow = fault.hang !== undefined || fault.silent;
      const storage = memoryStorage();
      const { client, lists } = await outdated({
        storage,
        downloadTimeoutMs: isSlow ? 300 : 60_000,
      });
      await server.control({ faults: { batchGet: { ...fault, times: 1 } } });
      assert.equal(await codeOf(client.update()), `ERR_TAMIS_${code}`);
      assert.equal(client.status.error.code, `ERR_TAMIS_${code}`);
      assert.deepEqual(client.checkMany(urls), ['maybe', 'safe', 'safe']);
      // The client sends no other request, and does not follow a redirect.
      assert.equal((await server.log()).length, 2);
      const other = await clients.open({ lists: ['se-4b', 'mw-4b'], storage });
      assert.deepEqual(other.checkMany(urls), ['maybe', 'safe', 'safe']);
      await client.update();
      isNew(client, lists);
      assert.deepEqual((await asked()).at(-1), ['se-4b,mw-4b', 2, 'part,part']);
    });
  }

  test('lists in another order: each comes whole, and none is taken where that is so again', async () => {
    const { client, lists } = await outdated();
    await server.control({ faults: { batchGet: { reversed: true, times: 2 } } });
    assert.equal(await codeOf(client.update()), 'ERR_TAMIS_CORRUPT');
    assert.deepEqual(client.checkMany(urls), ['maybe', 'safe', 'safe']);
    await client.update();
    isNew(client, lists);
    assert.deepEqual(await asked(), [
      ['se-4b,mw-4b', 2, 'part,part'],
      ['se-4b,mw-4b', 0, 'whole,whole'],
      ['se-4b,mw-4b', 0, 'whole,whole'],
    ]);
  });

  test('a list that is left out: none is taken', async () => {
    const { client, lists } = await outdated();
    await server.control({ faults: { lists: { 'mw-4b': { missing: true, times: 1 } } } });
    assert.equal(await codeOf(client.update()), 'ERR_TAMIS_CORRUPT');
    assert.deepEqual(client.checkMany(urls), ['maybe', 'safe', 'safe']);
    await client.update();
    isNew(client, lists);
  });

  test('unknown fields, pieces, and an answer of almost 64 MiB are none of these', async () => {
    for (const fault of [{ chunked: true }, { pad: 2 ** 26 - 2 ** 16 }]) {
      await server.control({ reset: true });
      const { client, lists } = await outdated();
      await server.control({ faults: { batchGet: fault } });
      await client.update();
      isNew(client, lists);
    }
  });

  test('Retry-After puts the next update off, and is kept for the next page', async () => {
    const { client } = await outdated({ autoUpdate: true });
    for (const [status, said, waitMs] of [
      [503, '7200', 7_200_000],
      [429, new Date(START_MS + WAIT_MS + 36_000_000).toUTCString(), 36_000_000],
      [500, '1', 900_000],
      [500, 'soon', 900_000],
    ]) {
      const storage = memoryStorage();
      const headers = { 'Retry-After': said };
      await server.control({ faults: { batchGet: { status, headers } } });
      const waiting = await clients.open({ lists: ['se-4b', 'mw-4b'], storage, autoUpdate: true });
      const leftMs = waiting.status.nextUpdateMs - clients.clock.ms;
      assert(leftMs >= waitMs && leftMs <= 1.5 * waitMs, `${said}: ${leftMs}`);
      assert.equal(waiting.check(OLD), 'unknown');
      const { length } = await server.log();
      const next = await clients.open({ lists: ['se-4b', 'mw-4b'], storage, autoUpdate: true });
      assert.equal((await server.log()).length, length);
      assert.equal(next.status.nextUpdateMs, waiting.status.nextUpdateMs);
    }
    assert.equal(client.check(OLD), 'maybe');
  });
});
