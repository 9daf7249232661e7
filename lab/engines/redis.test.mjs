// Tests RedisFilter on a real server and on a cluster of three, with both clients. Run by `npm run test:engines`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectSocket, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BlockedBloomFilter } from 'tamis';
import { RedisFilter } from 'tamis/redis';
import { atLeast } from '../../js/examples/binomial.mjs';
import { clients, connect, disconnect, startCluster, startServer } from './redis-servers.mjs';

const program = fileURLToPath(new URL('redis-writer.mjs', import.meta.url));

const keysOf = (count, word = 'key') => Array.from({ length: count }, (_, i) => `${word} ${i}`);

/** Starts a process that adds keys. The promise has the process as `child`. */
const startWriter = (orders) =>
  promisify(execFile)(process.execPath, [program, JSON.stringify(orders)]);

/** The last line that a writer prints, parsed. */
const answerOf = async (writer) => JSON.parse((await writer).stdout.trim().split('\n').at(-1));

const hasCode = (name) => ({ code: `ERR_TAMIS_${name}` });

/** How often a server has run a command. */
async function callsOf(server, command) {
  const stats = await server.call('INFO', 'commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

for (const kind of clients) {
  describe(`one server, ${kind}`, () => {
    let server;
    let client;
    before(async () => {
      server = await startServer();
      client = await connect(kind, [server.port]);
    });
    after(async () => {
      disconnect(client);
      await server.stop();
    });

    test("its string is the filter's blocks, then the tag of the meta", async () => {
      const options = { capacity: 100_000, seed: 3n };
      const seen = await RedisFilter.open(client, 'same', options);
      const same = new BlockedBloomFilter(options);
      const keys = keysOf(100_000);
      assert.equal(await seen.addMany(keys), same.addMany(keys));
      const texts = await server.call('HVALS', 'same:meta');
      const [, tag] = / 1 (\d+)$/m.exec(texts.join('\n'));
      const tail = Buffer.from(`${Number(tag).toString(16).padStart(13, '0')}0`, 'hex');
      const expected = Buffer.concat([same.toBytes().subarray(72), tail]);
      assert.ok(expected.equals(await server.binary('GET', 'same:{0}')));
      const filter = await seen.toFilter();
      assert.ok(filter instanceof BlockedBloomFilter);
      assert.deepEqual(filter.toBytes().subarray(72), same.toBytes().subarray(72));
      const probes = keysOf(200_000);
      assert.deepEqual(await seen.hasMany(probes), same.hasMany(probes));
    });

    test('a string whose bits are all set has every key: the client reads each field as it is', async () => {
      const options = { capacity: 1000 };
      const made = new BlockedBloomFilter(options);
      made.addMany(keysOf(100_000));
      const full = await RedisFilter.open(client, 'full', options);
      await full.merge(made);
      const bytes = await server.binary('GET', 'full:{0}');
      assert.ok(bytes.subarray(0, -7).every((byte) => byte === 255));
      assert.equal((await full.hasMany(keysOf(10_000, 'other'))).indexOf(0), -1);
    });

    if (kind === 'ioredis') {
      test('automatic pipelines give bytes too', async () => {
        const own = client.duplicate({ enableAutoPipelining: true });
        const seen = await RedisFilter.open(own, 'piped', { capacity: 1000 });
        await seen.add('ant');
        const filter = await seen.toFilter();
        await seen.merge(filter);
        assert.deepEqual([filter.has('ant'), await seen.has('ant')], [true, true]);
        disconnect(own);
      });
    }

    test('add and has are one command each', async () => {
      const seen = await RedisFilter.open(client, 'counted', { capacity: 1000 });
      await server.call('CONFIG', 'RESETSTAT');
      await seen.add('ant');
      assert.equal(await seen.has('ant'), true);
      assert.equal(await seen.has('bee'), false);
      const stats = await server.call('INFO', 'commandstats');
      const all = [...stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)];
      const own = all.filter(([, command]) => !/^(info|config|client|hello|ping)/.test(command));
      assert.deepEqual(Object.fromEntries(own.map(([, command, calls]) => [command, calls])), {
        bitfield: '1',
        bitfield_ro: '2',
      });
    });

    test('calls of one turn share commands, in their order', async () => {
      const seen = await RedisFilter.open(client, 'turn', { capacity: 10_000, shards: 2 });
      const keys = keysOf(1000);
      await server.call('CONFIG', 'RESETSTAT');
      const added = await Promise.all(keys.map((key) => seen.add(key)));
      const found = await Promise.all(keys.map((key) => seen.has(key)));
      assert.ok(added.filter(Boolean).length > 980, `${added.filter(Boolean).length}`);
      assert.ok(found.every((one) => one === true));
      const ofFirst = keys.filter((key) => seen.shardOf(key) === 0).length;
      const commands = Math.ceil(ofFirst / 32) + Math.ceil((1000 - ofFirst) / 32);
      assert.equal(await callsOf(server, 'bitfield'), commands);
      assert.equal(await callsOf(server, 'bitfield_ro'), commands);

      const mixed = await Promise.all([
        ...[seen.has('ant'), seen.add('ant'), seen.add('ant'), seen.has('ant')],
        ...Array.from({ length: 100 }, () => seen.add('bee')),
      ]);
      assert.deepEqual(mixed.slice(0, 4), [false, true, false, true]);
      assert.deepEqual(mixed.slice(4), [true, ...Array(99).fill(false)]);

      // If a command fails, its own keys are lost, and no others.
      await server.call('DEL', 'turn:{1}');
      const answers = await Promise.allSettled(keys.map((key) => seen.has(key)));
      for (const [i, { value, reason }] of answers.entries()) {
        const isLost = seen.shardOf(keys[i]) === 1;
        assert.equal(isLost ? reason?.code : value, isLost ? 'ERR_TAMIS_LOST' : true);
      }
    });

    test('a file goes up and comes down, of many megabytes', async () => {
      const made = new BlockedBloomFilter({ capacity: 10_000_000 });
      made.addMany(keysOf(1000));
      const seen = await RedisFilter.open(client, 'large', { capacity: 10_000_000 });
      await seen.add('before');
      await seen.merge(made);
      const down = await seen.toFilter();
      made.add('before');
      assert.ok(Buffer.from(down.toBytes()).subarray(72).equals(made.toBytes().subarray(72)));
      assert.equal(await seen.add('after'), true);
      const left = await server.call('KEYS', 'large*');
      assert.deepEqual([...left].sort(), ['large:meta', 'large:{0}']);
      for (const filter of [made, down]) filter.dispose();
      await server.call('DEL', 'large:meta', 'large:{0}');
    });

    test('WRONGTYPE is INCOMPATIBLE', async () => {
      await server.call('LPUSH', 'list:meta', 'x');
      const opened = RedisFilter.open(client, 'list', { capacity: 10 });
      await assert.rejects(opened, hasCode('INCOMPATIBLE'));
      const seen = await RedisFilter.open(client, 'other', { capacity: 10 });
      await server.call('DEL', 'other:{0}');
      await server.call('LPUSH', 'other:{0}', 'x');
      for (const what of ['add', 'has']) {
        await assert.rejects(seen[what]('ant'), hasCode('INCOMPATIBLE'));
      }
      await assert.rejects(seen.toFilter(), hasCode('INCOMPATIBLE'));
    });

    test('another shape under the name is INCOMPATIBLE', async () => {
      await RedisFilter.open(client, 'shape', { capacity: 10, shards: 2 });
      for (const other of [{ capacity: 11 }, { capacity: 10, fpr: 0.1 }]) {
        await assert.rejects(RedisFilter.open(client, 'shape', other), hasCode('INCOMPATIBLE'));
      }
    });

    test('a string that is gone, and that another process added to, is LOST until clear', async () => {
      const options = { capacity: 1000, shards: 2 };
      const seen = await RedisFilter.open(client, 'gone', options);
      const keys = keysOf(100);
      await seen.addMany(keys);
      await server.call('DEL', 'gone:{1}');
      const old = keys.find((key) => seen.shardOf(key) === 1);
      await assert.rejects(seen.has(old), hasCode('LOST'));
      const orders = { kind, ports: [server.port], name: 'gone', seed: 1, own: 100, shared: 0 };
      await assert.rejects(startWriter(orders), { stderr: /ERR_TAMIS_LOST/ });
      assert.equal(Number(await server.call('EXISTS', 'gone:{1}')), 1);
      await assert.rejects(seen.has(old), hasCode('LOST'));
      await assert.rejects(seen.hasMany(keys), hasCode('LOST'));
      await seen.clear();
      assert.equal(await seen.add(old), true);
      assert.equal(await seen.has(old), true);
    });

    test('a filter that is deleted and made anew is LOST to who has the old one', async () => {
      const options = { capacity: 1000, shards: 2 };
      const old = await RedisFilter.open(client, 'anew', options);
      const keys = keysOf(100);
      await old.addMany(keys);
      await server.call('DEL', 'anew:meta', 'anew:{0}', 'anew:{1}');
      const made = await RedisFilter.open(client, 'anew', options);
      for (const what of ['has', 'add']) {
        const answers = await Promise.allSettled(keys.map((key) => old[what](key)));
        assert.ok(answers.every(({ reason }) => reason?.code === 'ERR_TAMIS_LOST'));
      }
      await assert.rejects(old.toFilter(0), hasCode('LOST'));
      await made.addMany(keys);
      assert.equal((await made.hasMany(keys)).indexOf(0), -1);
      // For a client with the same filter open, a clear() by another client is not a loss.
      const other = await RedisFilter.open(client, 'anew');
      await made.clear();
      assert.equal(await other.add(keys[0]), true);
      assert.deepEqual([...(await other.hasMany(keys.slice(0, 2)))], [1, 0]);
      await assert.rejects(old.has(keys[0]), hasCode('LOST'));
    });

    test('what a full server evicts is LOST, and no key is called absent', async () => {
      await server.call('FLUSHALL');
      const seen = await RedisFilter.open(client, 'evicted', { capacity: 400_000, shards: 40 });
      const keys = keysOf(20_000);
      await seen.addMany(keys);
      const used = Number(/used_memory:(\d+)/.exec(await server.call('INFO', 'memory'))[1]);
      await server.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random');
      await server.call('CONFIG', 'SET', 'maxmemory', used - 250_000);
      const answers = await Promise.allSettled(keys.map((key) => seen.has(key)));
      const lost = answers.filter(({ reason }) => reason?.code === 'ERR_TAMIS_LOST').length;
      const present = answers.filter(({ value }) => value === true).length;
      assert.ok(lost > 0, 'something was evicted');
      assert.equal(lost + present, keys.length);
      const added = await Promise.allSettled(keys.map((key) => seen.add(`${key} more`)));
      assert.ok(added.some(({ reason }) => reason?.code === 'ERR_TAMIS_LOST'));
      const again = await Promise.allSettled(keys.map((key) => seen.has(key)));
      assert.equal(again.filter(({ value }) => value === false).length, 0);
      await server.call('CONFIG', 'SET', 'maxmemory', 0);
    });
  });

  describe(`a connection that is cut, ${kind}`, () => {
    let server;
    let proxy;
    const sockets = new Set();
    before(async () => {
      server = await startServer();
      proxy = createServer((socket) => {
        const onward = connectSocket(server.port, '127.0.0.1');
        for (const one of [socket, onward]) sockets.add(one.on('error', () => {}));
        socket.pipe(onward).pipe(socket);
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
    });
    after(async () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await server.stop();
    });

    test('loses no key that was acknowledged, and calls none absent', async () => {
      const client = await connect(kind, [proxy.address().port]);
      const seen = await RedisFilter.open(client, 'cut', { capacity: 100_000 });
      const keys = keysOf(20_000);
      const known = [];
      const failures = [];
      for (let at = 0; at < keys.length; at += 100) {
        const part = keys.slice(at, at + 100);
        const answers = Promise.allSettled(part.map((key) => seen.add(key)));
        // Now and then the connection ends in the middle of the replies.
        if (at % 2000 === 1000) {
          setImmediate(() => {
            for (const socket of sockets) socket.destroy();
            sockets.clear();
          });
        }
        for (const [i, { status, reason }] of (await answers).entries()) {
          if (status === 'fulfilled') known.push(part[i]);
          else failures.push(reason);
        }
      }
      for (const failure of failures) assert.equal(failure.code, 'ERR_TAMIS_UNAVAILABLE');
      if (kind === 'node-redis') assert.ok(failures.length > 0, 'it sends no command again');
      assert.ok(known.length > 10_000, `${known.length}`);
      assert.equal((await seen.hasMany(known)).indexOf(0), -1);

      const asked = Promise.allSettled(known.map((key) => seen.has(key)));
      for (const socket of sockets) socket.destroy();
      for (const { value, reason } of await asked) {
        assert.ok(value === true || reason?.code === 'ERR_TAMIS_UNAVAILABLE', `${value} ${reason}`);
      }
      disconnect(client);
    });
  });
}

describe('a cluster of three', () => {
  let cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster?.stop());

  test('eight processes add a quarter of a million keys: all are there, and none was new twice', async () => {
    const [own, shared] = [30_000, 10_000];
    const options = { capacity: 250_000, shards: 16 };
    const { ports } = cluster;
    const writers = Array.from({ length: 8 }, (_, seed) =>
      startWriter({ kind: clients[seed % 2], ports, name: 'seen', options, own, shared, seed }),
    );
    const answers = await Promise.all(writers.map(answerOf));

    const times = new Uint8Array(shared);
    for (const { newShared } of answers) for (const i of newShared) times[i]++;
    assert.ok(Math.max(...times) <= 1, 'a key is new for one process at most');
    const falseOfShared = times.filter((count) => count === 0).length;
    const falseOfOwn = answers.reduce((sum, { newOwn, added }) => sum + added - newOwn, 0);
    const all = 8 * own + shared;
    const notNew = falseOfShared + falseOfOwn;
    assert.ok(atLeast(falseOfShared, shared, 0.01) > 1e-9, `${falseOfShared} of ${shared}`);
    assert.ok(atLeast(notNew, all, 0.01) > 1e-9, `${notNew} of ${all}`);

    for (const [kind, count] of [
      ['node-redis', own],
      ['ioredis', 10_000],
    ]) {
      const client = await connect(kind, ports);
      const seen = await RedisFilter.open(client, 'seen', options);
      for (let seed = 0; seed < 8; seed++) {
        assert.equal((await seen.hasMany(keysOf(count, `own ${seed}`))).indexOf(0), -1);
      }
      assert.equal((await seen.hasMany(keysOf(shared, 'shared'))).indexOf(0), -1);
      const probes = 100_000;
      const found = (await seen.hasMany(keysOf(probes, 'absent'))).reduce((sum, one) => sum + one);
      assert.ok(atLeast(found, probes, 0.01) > 1e-9, `${found} of ${probes}`);
      disconnect(client);
    }
    const held = await Promise.all(cluster.nodes.map(({ call }) => call('DBSIZE')));
    assert.ok(
      held.every((count) => Number(count) > 0),
      `${held}: each node has strings`,
    );
  });

  test('each shard comes down as the filter of its keys', async () => {
    for (const kind of clients) {
      const client = await connect(kind, cluster.ports);
      const seen = await RedisFilter.open(client, `down ${kind}`, { capacity: 30_000, shards: 3 });
      const keys = keysOf(30_000);
      await seen.addMany(keys);
      for (const shard of [0, 1, 2]) {
        const filter = await seen.toFilter(shard);
        const own = keys.filter((key) => seen.shardOf(key) === shard);
        assert.equal(filter.hasMany(own).indexOf(0), -1);
        await seen.merge(filter, shard);
      }
      disconnect(client);
    }
  });

  for (const kind of clients) {
    test(`a slot that moves while ${kind} writes loses nothing`, async () => {
      const { nodes, ports } = cluster;
      const name = `moved ${kind}`;
      const options = { capacity: 1_000_000, shards: 2 };
      const writer = startWriter({
        ...{ kind, ports, name, options, seed: 1, own: 0, shared: 0 },
        stopsWhenTold: true,
      });
      await once(writer.child.stdout, 'data');
      const key = `${name}:{0}`;
      const slot = await nodes[0].call('CLUSTER', 'KEYSLOT', key);
      const ids = await Promise.all(nodes.map(({ call }) => call('CLUSTER', 'MYID')));
      const ranges = await nodes[0].call('CLUSTER', 'SLOTS');
      const [, , [, , owner]] = ranges.find(([from, to]) => from <= slot && slot <= to);
      const from = ids.indexOf(owner);
      const to = (from + 1) % 3;
      for (const { call } of nodes) await call('CONFIG', 'RESETSTAT');

      await nodes[to].call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[from]);
      await nodes[from].call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[to]);
      const calls = () => callsOf(nodes[to], 'bitfield');
      /** Waits until the new node has run 500 commands more. */
      const waitForCalls = async () => {
        const before = await calls();
        while ((await calls()) < before + 500) await sleep(20);
      };
      const moveKeys = async () => {
        const keys = await nodes[from].call('CLUSTER', 'GETKEYSINSLOT', slot, 100);
        for (const one of keys) {
          await nodes[from].call('MIGRATE', '127.0.0.1', ports[to], one, 0, 600_000);
        }
      };
      await moveKeys();
      // The slot still belongs to the old node, which answers with ASK.
      await waitForCalls();
      const errors = await nodes[from].call('INFO', 'errorstats');
      assert.match(errors, /errorstat_ASK:count=[1-9]/);
      for (const i of [to, from, 3 - to - from]) {
        await nodes[i].call('CLUSTER', 'SETSLOT', slot, 'NODE', ids[to]);
      }
      await waitForCalls();
      assert.match(await nodes[from].call('INFO', 'errorstats'), /errorstat_MOVED:count=[1-9]/);

      writer.child.stdin.end('stop\n');
      const { added } = await answerOf(writer);
      assert.ok(added > 1000, `${added}`);
      const client = await connect(kind, ports);
      const seen = await RedisFilter.open(client, name);
      assert.equal((await seen.hasMany(keysOf(added, 'own 1'))).indexOf(0), -1);
      disconnect(client);
    });
  }
});
