// Runs `tamis redis` on a real server and a real cluster, with the clients of this folder or of others.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { BlockedBloomFilter } from 'tamis';
import { BlockedBloomFilter as Reader } from 'tamis/read';
import { root } from '../../js/scripts/run.mjs';
import { makeFolder } from '../folders.mjs';
import { startCluster, startServer } from './redis-servers.mjs';

const program = join(root, 'dist/cli.mjs');

const keys = Array.from({ length: 5000 }, (_, i) => `key ${i}`);

/** The packages in each folder. They are links, so they find their own dependencies. */
const folders = { 'node-redis': ['@redis/client'], ioredis: ['ioredis'], none: [] };

const home = makeFolder('redis');
for (const [name, packages] of Object.entries(folders)) {
  mkdirSync(join(home, name, 'node_modules/@redis'), { recursive: true });
  for (const one of packages) {
    symlinkSync(join(root, 'node_modules', one), join(home, name, 'node_modules', one));
  }
  writeFileSync(join(home, name, 'list'), `${keys.join('\n')}\n`);
}

/** Runs the command in one of the folders. */
function tamis(folder, ...args) {
  const { REDIS_URL: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: join(home, folder),
    encoding: 'utf8',
    env,
  });
  return { status, stdout, stderr };
}

for (const folder of ['node-redis', 'ioredis']) {
  for (const kind of ['a server', 'a cluster']) {
    describe(`${kind}, by ${folder}`, () => {
      const isCluster = kind === 'a cluster';
      let servers;
      let at;
      before(async () => {
        servers = isCluster ? await startCluster() : await startServer();
        const port = isCluster ? servers.ports[0] : servers.port;
        at = ['--redis', `redis://127.0.0.1:${port}`, ...(isCluster ? ['--cluster'] : [])];
      });
      after(() => servers?.stop());

      /** Runs a command that must not print errors. Returns its output. */
      const redis = (...args) => {
        const { status, stdout, stderr } = tamis(folder, 'redis', ...args, ...at);
        assert.deepEqual([status, stderr], [0, '']);
        return stdout;
      };
      const refuses = (message, ...args) => {
        const { status, stderr } = tamis(folder, 'redis', ...args, ...at);
        assert.equal(status, 2);
        assert.match(stderr, message);
      };

      test('load, check, pull and push', () => {
        const loaded = JSON.parse(redis('load', 'list', 'seen', '--capacity', '6000', '--json'));
        const { lines, isNew, capacity, shards } = loaded;
        assert.deepEqual({ lines, capacity, shards }, { lines: 5000, capacity: 6000, shards: 1 });
        assert.ok(isNew > 4900 && isNew <= 5000, `${isNew}`);

        assert.equal(redis('check', 'seen', 'key 7'), 'probably present  key 7\n');
        const absent = tamis(folder, 'redis', 'check', 'seen', 'no such key', ...at);
        assert.equal(absent.status, 1);

        const pulled = redis('pull', 'seen', '-o', 'seen.tamis');
        assert.match(pulled, /^seen\.tamis: seen in Redis\n/);
        const bytes = readFileSync(join(home, folder, 'seen.tamis'));
        assert.equal(Reader.fromBytes(bytes).hasMany(keys).indexOf(0), -1);
        const same = new BlockedBloomFilter({ capacity: 6000 });
        same.addMany(keys);
        assert.deepEqual(bytes.subarray(72), Buffer.from(same.toBytes().subarray(72)));

        redis('push', 'seen.tamis', 'copy');
        redis('pull', 'copy', '-o', 'copy.tamis');
        const copy = readFileSync(join(home, folder, 'copy.tamis'));
        assert.deepEqual(copy.subarray(72), bytes.subarray(72));
        redis('push', 'seen.tamis', 'seen');
      });

      test('a filter of several shards, with a key', () => {
        writeFileSync(join(home, folder, 'key'), '000102030405060708090a0b0c0d0e0f\n');
        const withKey = ['--secret-file', 'key'];
        redis('load', 'list', 'keyed', '--capacity', '5000', '--shards', '3', ...withKey);
        redis('check', 'keyed', 'key 0', ...withKey);
        refuses(/ERR_TAMIS_KEY_REQUIRED/, 'check', 'keyed', 'key 0');
        const pull = ['pull', 'keyed', '-o', 'shard', ...withKey];
        refuses(/3 shards/, ...pull);
        redis(...pull, '--shard', '2');
        redis('push', 'shard', 'keyed', '--shard', '2', ...withKey);
        redis('push', 'shard', 'other', ...withKey);
      });

      test('what is wrong is one line, and no answer', () => {
        const pull = ['pull', 'nothing', '-o', 'nothing.tamis'];
        for (const args of [['check', 'nothing', 'a'], pull, ['load', 'list', 'nothing']]) {
          assert.deepEqual(tamis(folder, 'redis', ...args, ...at), {
            status: 2,
            stdout: '',
            stderr:
              'tamis: nothing: Redis has no filter of this name; tamis redis load with --capacity makes one\n',
          });
        }
        const braces = /^tamis: RedisFilter\.open: name must be a text without/;
        refuses(braces, 'push', 'seen.tamis', '{seen}');
        refuses(/ERR_TAMIS_INCOMPATIBLE/, 'load', 'list', 'seen', '--capacity', '9');
      });
    });
  }

  test(`nobody listens: ${folder}`, () => {
    const url = 'redis://user:hunter2@127.0.0.1:1';
    const { status, stdout, stderr } = tamis(folder, 'redis', 'check', 'x', 'a', '--redis', url);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^tamis: 127\.0\.0\.1:1: .*no connection to Redis\n/);
    assert.doesNotMatch(stderr, /hunter2/);
  });
}

test('a folder without a client says what to install', () => {
  const { status, stderr } = tamis('none', 'redis', 'check', 'x', 'a');
  assert.equal(status, 2);
  assert.equal(
    stderr,
    'tamis: this folder has no Redis client: npm install redis, or npm install ioredis\n',
  );
});
