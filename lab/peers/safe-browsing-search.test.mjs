// Searches of the client at the Safe Browsing server in Python, over HTTP and in the three modes. Run by
// `npm run test:peers`.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { clientsOf, codeOf, hostsOf, START_MS, WAIT_MS } from './safe-browsing-clients.mjs';
import { sha256 } from './safe-browsing-messages.mjs';
import { skip, startSafeBrowsing } from './safe-browsing-server.mjs';

const EVIL = 'https://login.evil.example/a/b?c';
const HALF = 'https://half.example/';
const FRESH = 'https://fresh.example/';
const GOOD = 'https://good.example/';
const prefixOf = (expression) => sha256(expression).slice(0, 8);
const evil = (...threats) => ({ expression: 'evil.example/', threats });

describe('searches', { skip }, () => {
  let server;
  let clients;
  before(async () => {
    server = await startSafeBrowsing();
    clients = clientsOf(server);
  });
  beforeEach(async () => {
    clients.clock.ms = START_MS;
    const good = { versions: [{ hosts: ['good.example', ...hostsOf(0, 50)] }] };
    const listed = { versions: [{ hosts: ['evil.example', 'half.example', ...hostsOf(50, 100)] }] };
    await server.control({
      reset: true,
      lists: { 'se-4b': listed, 'gc-32b': good },
      key: 'the-key',
    });
    await says(evil({ type: 'SOCIAL_ENGINEERING' }));
  });
  afterEach(() => clients.closeAll());
  after(() => server?.stop());

  /** Sets the answer of the server to searches from now on. */
  const says = (...hashes) => server.control({ search: { hashes } });

  /** The prefixes of each search, in hexadecimal. */
  async function searches() {
    const log = await server.log();
    return log
      .filter(({ path }) => path === '/v5/hashes:search')
      .map(({ query }) =>
        query
          .filter(([name]) => name === 'hashPrefixes')
          .map(([, value]) => Buffer.from(value, 'base64url').toString('hex')),
      );
  }

  const told = async (client, url = EVIL, options = {}) => {
    const { verdict, from, threats } = await client.verify(url, options);
    return [verdict, from, ...threats];
  };

  const modes = {
    'local-lists': [
      [EVIL, 'maybe', 'unsafe', 1],
      [HALF, 'maybe', 'safe', 1],
      [FRESH, 'safe', 'safe', 0],
      [GOOD, 'safe', 'safe', 0],
    ],
    'real-time': [
      [EVIL, 'maybe', 'unsafe', 8],
      [HALF, 'maybe', 'safe', 1],
      [FRESH, 'maybe', 'unsafe', 1],
      [GOOD, 'safe', 'safe', 0],
    ],
    'no-storage': [
      [EVIL, 'maybe', 'unsafe', 8],
      [HALF, 'maybe', 'safe', 1],
      [FRESH, 'maybe', 'unsafe', 1],
      [GOOD, 'maybe', 'safe', 1],
    ],
  };
  for (const [mode, rows] of Object.entries(modes)) {
    test(`'${mode}' asks for what it must, and tells what is found`, async () => {
      const client = await clients.open({ mode });
      const threats = [{ type: 'MALWARE' }];
      await says(evil({ type: 'SOCIAL_ENGINEERING' }), { expression: 'fresh.example/', threats });
      for (const [url, checked, verdict, prefixes] of rows) {
        const { length } = await searches();
        assert.equal(client.check(url), checked, url);
        assert.equal((await client.verify(url)).verdict, verdict, url);
        const sent = (await searches()).slice(length).flat();
        assert.equal(sent.length, prefixes, url);
        assert.equal(new Set(sent).size, sent.length);
        assert(sent.every((one) => /^[\da-f]{8}$/.test(one)));
        // The client does not ask again about hashes that it remembers.
        assert.equal((await client.verify(url)).verdict, verdict, url);
        assert.equal((await searches()).length, length + (prefixes > 0 ? 1 : 0));
      }
      const log = await server.log();
      assert.equal(
        log.some(({ path }) => path === '/v5/hashLists:batchGet'),
        mode !== 'no-storage',
      );
      for (const { path, query, headers, status } of log) {
        assert.equal(status, 200);
        assert.equal(headers['x-goog-api-key'], 'the-key');
        assert(!JSON.stringify([path, query, headers.referer]).includes('the-key'));
        assert(!query.some(([name]) => name === 'key') && headers.cookie === undefined);
      }
    });
  }

  test('a key that is wrong, and one that a proxy does not add, make nothing safe', async () => {
    for (const key of ['another-key', null]) {
      for (const mode of Object.keys(modes)) {
        const client = await clients.open({ mode, key });
        for (const url of [EVIL, GOOD]) {
          assert.notEqual(client.check(url), 'safe');
          assert.equal((await client.verify(url)).verdict, 'unknown');
        }
        assert.equal(
          client.status.error?.code,
          mode === 'no-storage' ? undefined : 'ERR_TAMIS_UNAVAILABLE',
        );
      }
    }
  });

  const frame = { isFrame: true };
  const [malware, canary, frameOnly] = [
    { type: 'MALWARE' },
    { type: 'MALWARE', attributes: ['CANARY'] },
    { type: 'UNWANTED_SOFTWARE', attributes: ['FRAME_ONLY'] },
  ];
  const threatCases = [
    ['malware', [malware], ['unsafe', 'server', 'malware']],
    [
      'social engineering',
      [{ type: 'SOCIAL_ENGINEERING' }],
      ['unsafe', 'server', 'social-engineering'],
    ],
    [
      'unwanted software',
      [{ type: 'UNWANTED_SOFTWARE' }],
      ['unsafe', 'server', 'unwanted-software'],
    ],
    [
      'a harmful application',
      [{ type: 4 }],
      ['unsafe', 'server', 'potentially-harmful-application'],
    ],
    [
      'two',
      [{ type: 4 }, malware, malware],
      ['unsafe', 'server', 'potentially-harmful-application', 'malware'],
    ],
    ['no threat at all', [], ['safe', 'server']],
    [
      'threats without a number, and of others',
      [{ type: 0 }, { type: 5 }, { type: 6 }, { type: 99 }, { type: -1 }],
      ['safe', 'server'],
    ],
    ['one of others and one of these', [{ type: 99 }, malware], ['unsafe', 'server', 'malware']],
    [
      'unknown attributes',
      [
        { type: 1, attributes: [3] },
        { type: 2, attributes: [2, 0] },
        { type: 3, attributes: [-1] },
      ],
      ['safe', 'server'],
    ],
    ['a canary', [canary], ['safe', 'server']],
    ['a canary in a frame', [canary], ['safe', 'server'], frame],
    ['a canary and no canary', [canary, malware], ['unsafe', 'server', 'malware']],
    ['one for frames', [frameOnly], ['safe', 'server']],
    ['one for frames in a frame', [frameOnly], ['unsafe', 'server', 'unwanted-software'], frame],
    [
      'one for frames that is a canary',
      [{ type: 3, attributes: [2, 1] }],
      ['safe', 'server'],
      frame,
    ],
  ];
  for (const [what, threats, expected, options] of threatCases) {
    test(`${what}: what counts is told`, async () => {
      const client = await clients.open({ mode: 'no-storage' });
      await says(evil(...threats));
      assert.deepEqual(await told(client, EVIL, options), expected);
      const isForFrames = threats.length === 1 && threats[0] === frameOnly && options === undefined;
      assert.equal((await client.verify(EVIL, options)).frameOnly, isForFrames);
    });
  }

  test('an answer holds as long as it says, at most a day', async () => {
    const client = await clients.open({ mode: 'no-storage' });
    const hashes = [evil(malware)];
    for (const [cacheDuration, ms] of [
      [300, 300_000],
      [{ seconds: 1, nanos: 500_000_000 }, 1500],
      [{ nanos: 2_000_000 }, 2],
      [10 * 24 * 3600, 24 * 3600 * 1000],
      [2 ** 53, 24 * 3600 * 1000],
    ]) {
      for (const [url, verdict] of [
        [EVIL, 'unsafe'],
        [HALF, 'safe'],
      ]) {
        await server.control({ search: { hashes, cacheDuration } });
        assert.deepEqual((await told(client, url)).slice(0, 2), [verdict, 'server']);
        clients.clock.ms += ms - 1;
        assert.deepEqual((await told(client, url)).slice(0, 2), [verdict, 'cache']);
        clients.clock.ms += 1;
        assert.deepEqual((await told(client, url)).slice(0, 2), [verdict, 'server']);
        clients.clock.ms += ms;
      }
    }
    await server.control({ search: { hashes, cacheDuration: 0 } });
    for (let i = 0; i < 2; i++)
      assert.deepEqual(await told(client), ['unsafe', 'server', 'malware']);
  });

  test('a hash that was not asked for is neither told nor remembered', async () => {
    const client = await clients.open({ mode: 'no-storage' });
    const threats = [malware];
    const extra = [{ expression: 'fresh.example/', threats }];
    await server.control({ search: { extra } });
    assert.deepEqual(await told(client, GOOD), ['safe', 'server']);
    await server.control({ search: {} });
    assert.deepEqual(await told(client, FRESH), ['safe', 'server']);
    await server.control({ search: { hashes: [evil(malware)], extra } });
    assert.deepEqual(await told(client), ['unsafe', 'server', 'malware']);
  });

  test('other hashes that begin alike are not the one', async () => {
    const client = await clients.open();
    const begin = prefixOf('evil.example/');
    const alike = Array.from({ length: 50 }, (_, i) => ({
      hash: begin + sha256(String(i)).slice(8),
      threats: [malware],
    }));
    await says(...alike);
    assert.deepEqual(await told(client), ['safe', 'server']);
    clients.clock.ms += 300_000;
    await says(...alike, evil({ type: 'SOCIAL_ENGINEERING' }));
    assert.deepEqual(await told(client), ['unsafe', 'server', 'social-engineering']);
    await server.control({ faults: { search: { reversed: true } } });
    clients.clock.ms += 300_000;
    assert.deepEqual(await told(client), ['unsafe', 'server', 'social-engineering']);
  });

  const noDuration = { search: { hashes: [], cacheDuration: null } };
  const faults = {
    'no duration': noDuration,
    'a negative duration': { search: { cacheDuration: -1 } },
    'a negative part of a duration': {
      search: { cacheDuration: { seconds: 1, nanos: -2_000_000_000 } },
    },
    'a hash of 31 bytes': { search: { extra: [{ hash: '00'.repeat(31), threats: [] }] } },
    'an empty hash': { search: { extra: [{ hash: '', threats: [] }] } },
    'an empty answer': { faults: { search: { body: '' } } },
    JSON: { faults: { search: { json: true } } },
    HTML: { faults: { search: { headers: { 'Content-Type': 'text/html' } } } },
    'more than a MiB': { faults: { search: { pad: 2 ** 20 } } },
    'a broken connection': { faults: { search: { broken: 5 } } },
    'a hanging body': { faults: { search: { hang: 5 } } },
    silence: { faults: { search: { silent: true } } },
    'a redirect': { faults: { search: { status: 302, headers: { Location: '/log' } } } },
  };
  for (const status of [204, 400, 403, 404, 429, 500, 503, 504]) {
    faults[`status ${status}`] = { faults: { search: { status, errorBody: 'proto' } } };
  }
  for (const [what, order] of Object.entries(faults)) {
    test(`${what} is no answer, and makes nothing safe`, async () => {
      const isSlow = order.faults?.search.hang || order.faults?.search.silent;
      const more = { searchTimeoutMs: isSlow ? 200 : 5000 };
      const client = await clients.open({ mode: 'no-storage', ...more });
      const strict = await clients.open({ mode: 'no-storage', onSearchError: 'throw', ...more });
      await server.control(order);
      assert.deepEqual(await told(client), ['unknown', 'server']);
      assert.equal(await codeOf(strict.verify(EVIL)), 'ERR_TAMIS_UNAVAILABLE');
      assert.equal((await searches()).length, 2);
      await server.control({ search: { hashes: [evil(malware)] }, faults: {} });
      for (const one of [client, strict]) {
        assert.deepEqual(await told(one), ['unsafe', 'server', 'malware']);
      }
    });
  }

  test("without an answer 'real-time' goes by its lists, and a hit stays unknown", async () => {
    const client = await clients.open({ mode: 'real-time' });
    await server.control({ faults: { search: { status: 503 } } });
    assert.deepEqual(await told(client, FRESH), ['safe', 'list']);
    assert.deepEqual(await told(client, EVIL), ['unknown', 'server']);
  });

  test('Retry-After is heeded, and what is remembered is told meanwhile', async () => {
    const client = await clients.open();
    assert.deepEqual(await told(client), ['unsafe', 'server', 'social-engineering']);
    const headers = { 'Retry-After': '120' };
    await server.control({ faults: { search: { status: 429, headers, times: 1 } } });
    assert.equal((await told(client, HALF))[0], 'unknown');
    clients.clock.ms += 119_999;
    assert.equal((await told(client, HALF))[0], 'unknown');
    assert.deepEqual(await told(client), ['unsafe', 'cache', 'social-engineering']);
    assert.equal((await searches()).length, 2);
    clients.clock.ms += 1;
    assert.deepEqual(await told(client, HALF), ['safe', 'server']);
  });

  test('what was found stays found while it holds, also where the list has it no more', async () => {
    await server.control({ search: { hashes: [evil(malware)], cacheDuration: 7200 } });
    const client = await clients.open();
    await client.verify(EVIL);
    await server.control({ push: { 'se-4b': { remove: ['evil.example'] } } });
    clients.clock.ms += WAIT_MS;
    await client.update();
    assert.equal(client.check(EVIL), 'maybe');
    assert.deepEqual(await told(client), ['unsafe', 'cache', 'malware']);
    clients.clock.ms += 7_200_000;
    assert.equal(client.check(EVIL), 'safe');
  });
});
