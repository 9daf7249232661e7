// Sends answers that no honest server gives: huge ones, or with millions of tiny fields. Each must be refused with a
// code, and in bounded memory. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { hostsOf, START_MS, skip, startForTests, WAIT_MS } from './safe-browsing-clients.mjs';

const MIB = 2 ** 20;
const OLD = 'https://host-3.example/';
const NEW = 'https://host-1003.example/';

/** A field with a number below 16, whose length is encoded in five bytes. */
function sized(number, content) {
  const length = [0, 7, 14, 21].map((shift) => ((content.length >> shift) & 127) | 128);
  return Buffer.concat([Buffer.from([8 * number + 2, ...length, 0]), content]);
}

/** `length` bytes that repeat those in `hex`. */
const repeated = (hex, length) => Buffer.alloc(length, hex, 'hex');

describe('answers of no honest server', { skip }, () => {
  const server = startForTests();
  before(async () => {
    const full_hash_details = [{ threat_type: 'MALWARE' }];
    await server.control({
      lists: { 'se-4b': [{ hosts: hostsOf(0, 1000) }, { hosts: hostsOf(500, 1500) }] },
      search: { hashes: [{ expression: 'host-3.example/', full_hash_details }] },
    });
  });

  /** A client with the first version. `change` changes the next answers; null leaves them unchanged. */
  async function outdated(more = {}) {
    await server.control({ current: { 'se-4b': 0 } });
    server.clock.ms = START_MS;
    const to = { change: null };
    const client = await server.open({
      ...more,
      async fetch(url, init) {
        const response = await fetch(url, init);
        if (to.change === null) return response;
        const body = to.change(Buffer.from(await response.arrayBuffer()));
        return new Response(body, { headers: response.headers });
      },
    });
    await server.control({ current: { 'se-4b': 1 } });
    server.clock.ms += WAIT_MS;
    return { client, to };
  }

  async function assertRefused(client, code) {
    await assert.rejects(client.update(), { code });
    assert.deepEqual(client.checkMany([OLD, NEW]), ['maybe', 'safe']);
  }

  test('a list within its bounds is taken, whatever else is in the answer', async () => {
    const { client, to } = await outdated();
    to.change = (body) => Buffer.concat([repeated('7801', 20_000), body, sized(15, body)]);
    await client.update();
    assert.deepEqual(client.checkMany([OLD, NEW]), ['safe', 'maybe']);
  });

  test('64 MiB of anything take no more than some times as much memory', async () => {
    const { client, to } = await outdated();
    const startKiB = process.resourceUsage().maxRSS;
    for (const fault of [{ pad: 64 * MIB }, { pad: 64 * MIB, chunked: true }]) {
      await server.control({ faults: { batchGet: fault } });
      await assertRefused(client, 'ERR_TAMIS_TOO_LARGE');
    }
    await server.control({ faults: { search: { pad: 64 * MIB } } });
    const searching = await server.open({ mode: 'no-storage', whenSearchFails: 'throw' });
    await assert.rejects(searching.verify(OLD), { code: 'ERR_TAMIS_UNAVAILABLE' });
    const most = 64 * MIB - 16;
    const bodies = [
      // Empty lists of 2 bytes each.
      () => repeated('0a00', most),
      // One list whose name fills the message.
      () => sized(1, sized(1, repeated('61', most - 16))),
      // One list filled with versions, and one filled with additions.
      () => sized(1, repeated('1200', 16 * MIB)),
      () => sized(1, repeated('2200', 16 * MIB)),
      () => sized(1, repeated('1801', 16 * MIB)),
      // The threats of a list, in one field.
      () => sized(1, sized(8, sized(1, repeated('01', most - 32)))),
      // Rice data that does not end.
      ...['ff', '00'].map((hex) => (body) => {
        const endless = sized(4, sized(4, repeated(hex, most - 4096)));
        return sized(1, Buffer.concat([body.subarray(3), endless]));
      }),
      // More entries than a list can have.
      (body) => sized(1, Buffer.concat([body.subarray(3), Buffer.from('220618ffffffff07', 'hex')])),
    ];
    for (const change of bodies) {
      to.change = change;
      await assertRefused(client, 'ERR_TAMIS_CORRUPT');
    }
    for (const hex of ['0a00', '7801', '0a021200']) {
      const { client: asking, to: given } = await outdated({ mode: 'no-storage' });
      given.change = () => repeated(hex, MIB);
      assert.equal((await asking.verify(OLD)).verdict, 'unknown');
    }
    const grownMiB = (process.resourceUsage().maxRSS - startKiB) / 1024;
    // The bound includes the answers that the test itself makes. Millions of objects would take several GiB.
    assert(grownMiB < 1024, `${grownMiB} MiB more`);
    to.change = null;
    await client.update();
    assert.deepEqual(client.checkMany([OLD, NEW]), ['safe', 'maybe']);
  });
});
