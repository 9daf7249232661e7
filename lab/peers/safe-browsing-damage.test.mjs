// Damages the answers of the Safe Browsing server in Python: changes and cuts at each byte (`npm run test:peers`).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { memoryStorage } from 'tamis/url';
import { bytesOf, prefixesOf, sha256 } from '../lists.mjs';
import { hostsOf, START_MS, skip, startForTests, WAIT_MS } from './safe-browsing-clients.mjs';
import { apply, startReader } from './safe-browsing-messages.mjs';

/** The hosts of a list, and of its next version. */
const [older, newer] = [hostsOf(0, 40), hostsOf(10, 50)];
const hosts = hostsOf(0, 60);
const urls = hosts.map((host) => `https://${host}/`);
const answersOf = (listed) => hosts.map((host) => (listed.includes(host) ? 'maybe' : 'safe'));
const versionOf = (listed) => `se-4b ${sha256(bytesOf(prefixesOf(listed))).slice(0, 8)}`;

const masks = [1, 2, 4, 8, 16, 32, 64, 128, 255];

/** All damaged forms of some bytes: each mask on each byte, and a cut at each length. */
function* damagesOf(bytes) {
  for (let i = 0; i < bytes.length; i++) {
    yield { what: `cut at byte ${i}`, damaged: bytes.subarray(0, i) };
    for (const mask of masks) {
      const damaged = Buffer.from(bytes);
      damaged[i] ^= mask;
      yield { what: `byte ${i} ^ ${mask}`, damaged };
    }
  }
}

const protobuf = (bytes) =>
  new Response(bytes, { headers: { 'Content-Type': 'application/x-protobuf' } });

function copyOf(stored) {
  const storage = memoryStorage();
  for (const [key, file] of stored) storage.set(key, file);
  return storage;
}

/** A fetch that returns these bytes once, and then only unusable answers. */
function once(bytes) {
  const answers = [protobuf(bytes)];
  return async () => answers.pop() ?? new Response('', { status: 503 });
}

describe('damaged answers', { skip }, () => {
  const server = startForTests();
  let reader;
  before(() => {
    reader = startReader();
  });
  after(() => reader?.stop());

  /** Calls `act` with a fetch function, and returns the body of the answer that it receives. */
  async function bodyOf(act) {
    let body;
    await act(async (url, init) => {
      const response = await fetch(url, init);
      body = Buffer.from(await response.arrayBuffer());
      return protobuf(body);
    });
    return body;
  }

  /** A client's storage with the old list, and the answer that brings the new one. */
  async function updateWith(full) {
    const lists = { 'se-4b': [{ hosts: older }, { hosts: newer }] };
    await server.control({ reset: true, lists, current: { 'se-4b': 0 } });
    server.clock.ms = START_MS;
    const stored = new Map();
    const storage = { get: (key) => stored.get(key), set: (key, file) => stored.set(key, file) };
    (await server.open({ storage })).close();
    await server.control({ current: { 'se-4b': 1 }, full });
    server.clock.ms += WAIT_MS;
    const next = copyOf(stored);
    const body = await bodyOf(async (keeping) => {
      const client = await server.open({ storage: next, fetch: keeping });
      await client.update();
      assert.equal(client.status.version, versionOf(newer));
    });
    return { stored, body };
  }

  /** The fields that define the list. The checksum covers only these, and clients ignore unknown fields. */
  function contentOf({ hash_lists: [list] }) {
    const { version, minimum_wait_duration, metadata, ...content } = list;
    return content;
  }

  /** Fails unless, for each damage, the client refuses and answers as before, or still gets exactly that list. */
  async function damageLists(body, stored, known) {
    const whole = contentOf((await reader.read('B', body.toString('hex'))).fields);
    const before = known.length > 0 ? answersOf(known) : hosts.map(() => 'unknown');
    const old = prefixesOf(known);
    let [accepted, refused] = [0, 0];
    for (const { what, damaged } of damagesOf(body)) {
      const storage = copyOf(stored);
      // If there is no list in the storage, the client asks when it opens.
      const client = await server.open({ storage, fetch: once(damaged) });
      if (stored.size > 0) await client.update().catch(() => {});
      const { version, error } = client.status;
      if (version === versionOf(newer)) {
        const { fields } = await reader.read('B', damaged.toString('hex'));
        assert.deepEqual(contentOf(fields), whole, what);
        assert.deepEqual(apply(old, fields.hash_lists[0]), prefixesOf(newer), what);
        // The server may send the first list in several answers. In that case the client does not have all of it yet.
        const answers = client.status.stale ? before : answersOf(newer);
        assert.equal(client.status.stale && known.length > 0, false, what);
        assert.deepEqual(client.checkMany(urls), answers, what);
        accepted++;
      } else {
        assert.equal(version, known.length > 0 ? versionOf(known) : undefined, what);
        assert.match(error.code, /^ERR_TAMIS_(CORRUPT|UNAVAILABLE)$/, what);
        assert.deepEqual(client.checkMany(urls), before, what);
        refused++;
      }
      server.closeAll();
    }
    assert.equal(accepted + refused, (masks.length + 1) * body.length);
    // The version and the wait are about 20 bytes.
    assert(accepted < 10 * 25, `${accepted} were accepted`);
    assert(refused > 0.7 * masks.length * body.length, `${refused} were refused`);
  }

  test('a partial update', async () => {
    const { stored, body } = await updateWith([]);
    await damageLists(body, stored, older);
  });

  test('a whole list in the place of another', async () => {
    const { stored, body } = await updateWith(['se-4b']);
    await damageLists(body, stored, older);
  });

  test('a first list', async () => {
    const { body } = await updateWith(['se-4b']);
    await damageLists(body, new Map(), []);
  });

  /** The correct verdict for the hash, from the same bytes. No checksum covers the answer to a search. */
  function judge({ hasGroup, fields }, hash) {
    const { full_hashes = [], cache_duration } = fields ?? {};
    const { seconds = '0', nanos = 0 } = cache_duration ?? {};
    const holdsMs = 1000 * Number(seconds) + nanos / 1e6;
    const isRead = fields !== null && !hasGroup && cache_duration !== undefined && holdsMs >= 0;
    if (!isRead || full_hashes.some(({ full_hash = '' }) => full_hash.length !== 64)) {
      return { verdict: 'unknown', threats: [], frameOnly: false };
    }
    const details = full_hashes
      .filter(({ full_hash }) => full_hash === hash)
      .flatMap(({ full_hash_details = [] }) => full_hash_details)
      .filter(({ threat_type = 0 }) => threat_type >= 1 && threat_type <= 4)
      .filter(({ attributes = [] }) => attributes.every((one) => one === 2));
    const counting = details.filter(({ attributes = [] }) => attributes.length === 0);
    const names = ['malware', 'social-engineering', 'unwanted-software'];
    const threats = counting.map(
      ({ threat_type }) => names[threat_type - 1] ?? 'potentially-harmful-application',
    );
    return {
      verdict: threats.length > 0 ? 'unsafe' : 'safe',
      threats: [...new Set(threats)],
      frameOnly: threats.length === 0 && details.length > 0,
    };
  }

  test('the answer to a search is refused, or read as google.protobuf reads it', async () => {
    const full_hash_details = [
      { threat_type: 'SOCIAL_ENGINEERING' },
      { threat_type: 'MALWARE', attributes: ['FRAME_ONLY'] },
    ];
    const hashes = [{ expression: 'evil.example/', full_hash_details }];
    const cache_duration = { seconds: 300, nanos: 5 };
    await server.control({ reset: true, search: { hashes, cache_duration } });
    const [url, mode] = ['https://evil.example/', 'no-storage'];
    const body = await bodyOf(async (keeping) => {
      const client = await server.open({ mode, fetch: keeping });
      assert.equal((await client.verify(url)).verdict, 'unsafe');
    });
    const counts = { unsafe: 0, safe: 0, unknown: 0 };
    for (const { what, damaged } of damagesOf(body)) {
      const client = await server.open({ mode, fetch: once(damaged) });
      const { verdict, threats: named, frameOnly } = await client.verify(url);
      const expected = judge(
        await reader.read('S', damaged.toString('hex')),
        sha256('evil.example/'),
      );
      assert.deepEqual({ verdict, threats: named, frameOnly }, expected, what);
      counts[verdict]++;
      assert(verdict !== 'safe' || damaged.length === body.length, what);
      server.closeAll();
    }
    assert(counts.unknown > 150 && counts.unsafe > 40, JSON.stringify(counts));
    // A changed hash or threat is another valid answer, because nothing in it shows the change.
    assert(counts.safe > 32 * masks.length, JSON.stringify(counts));
  });
});
