/** Every fault in Redis throws: none becomes `false`. */
import { describe, expect, test } from '@jest/globals';
import { RedisFilter, type RedisFilterOptions } from 'tamis/redis';
import { FakeRedis } from '../js/support/fake-redis.js';

const sipKey = Uint8Array.from({ length: 16 }, (_, i) => i);
const capacity = 1000;
const code = (name: string) => ({ code: `ERR_TAMIS_${name}` });

async function opened(options: RedisFilterOptions = { capacity }) {
  const redis = new FakeRedis();
  return { redis, seen: await RedisFilter.open(redis, 'seen', options) };
}

describe('a string that Redis evicted', () => {
  test('is LOST to has, add, toFilter and merge', async () => {
    const { redis, seen } = await opened();
    await seen.add('old');
    const filter = await seen.toFilter();
    redis.entries.delete('seen:{0}');
    await expect(seen.has('old')).rejects.toMatchObject(code('LOST'));
    await expect(seen.toFilter()).rejects.toMatchObject(code('LOST'));
    await expect(seen.merge(filter)).rejects.toMatchObject(code('LOST'));
    await expect(seen.add('new')).rejects.toMatchObject(code('LOST'));
  });

  test('is LOST after another process added to it, to every process, until clear', async () => {
    const { redis, seen } = await opened();
    await seen.add('old');
    redis.entries.delete('seen:{0}');
    const other = await RedisFilter.open(redis, 'seen', { capacity });
    await expect(other.add('new')).rejects.toMatchObject(code('LOST'));
    expect(redis.bytes('seen:{0}')).toBeDefined();
    for (const filter of [seen, other]) {
      await expect(filter.has('old')).rejects.toMatchObject(code('LOST'));
      await expect(filter.has('new')).rejects.toMatchObject(code('LOST'));
      await expect(filter.hasMany(['old'])).rejects.toMatchObject(code('LOST'));
    }
    await other.clear();
    expect(await seen.has('old')).toBe(false);
    expect(await seen.add('old')).toBe(true);
  });

  test('stays LOST for one that fills it up with other bits', async () => {
    const { redis, seen } = await opened();
    redis.entries.delete('seen:{0}');
    const keys = Array.from({ length: 2000 }, (_, i) => `key ${i}`);
    await expect(seen.addMany(keys)).rejects.toMatchObject({ ...code('LOST'), index: 0 });
    for (const key of keys.slice(0, 50)) {
      await expect(seen.has(key)).rejects.toMatchObject(code('LOST'));
    }
  });

  test('of one shard leaves the others in use', async () => {
    const { redis, seen } = await opened({ capacity, shards: 2 });
    const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`);
    await seen.addMany(keys);
    redis.entries.delete('seen:{1}');
    const first = keys.findIndex((key) => seen.shardOf(key) === 1);
    await expect(seen.hasMany(keys)).rejects.toMatchObject({ ...code('LOST'), index: first });
    for (const key of keys.filter((key) => seen.shardOf(key) === 0)) {
      expect(await seen.has(key)).toBe(true);
    }
  });

  test('is LOST where it was cut short', async () => {
    const { redis, seen } = await opened();
    await seen.add('old');
    const entry = redis.entries.get('seen:{0}');
    if (entry) entry.bytes = entry.bytes.slice(0, -7);
    await expect(seen.has('old')).rejects.toMatchObject(code('LOST'));
    await expect(seen.toFilter()).rejects.toMatchObject(code('LOST'));
  });

  test('while it is read is LOST, whatever was read before', async () => {
    const { redis, seen } = await opened();
    await seen.add('old');
    let isRead = false;
    redis.before = ([command]) => {
      if (isRead) redis.entries.delete('seen:{0}');
      isRead = command === 'GETRANGE';
    };
    await expect(seen.toFilter()).rejects.toMatchObject(code('LOST'));
  });

  test('and made anew by clear() while it is read is LOST: the two halves are of no filter', async () => {
    const { redis, seen } = await opened();
    await seen.add('old');
    const call = async (words: (string | Uint8Array)[]) => {
      const reply = await redis.call(words);
      if (words[0] === 'GETRANGE') await seen.clear();
      return reply;
    };
    const other = await RedisFilter.open({ call }, 'seen');
    await expect(other.toFilter()).rejects.toMatchObject(code('LOST'));
  });

  test('that was an upload is LOST, and what is there stays', async () => {
    const { redis, seen } = await opened();
    await seen.add('old');
    const filter = await seen.toFilter();
    redis.before = ([command, key = '']) => {
      if (command === 'SETRANGE') redis.entries.delete(key);
    };
    await expect(seen.merge(filter)).rejects.toMatchObject(code('LOST'));
    redis.before = () => {};
    expect(await seen.has('old')).toBe(true);
  });

  test('that was the meta is LOST to the next open, and not made anew over the keys', async () => {
    const { redis, seen } = await opened();
    await seen.add('old');
    redis.entries.delete('seen:meta');
    const again = RedisFilter.open(redis, 'seen', { capacity });
    await expect(again).rejects.toMatchObject(code('LOST'));
    await expect(RedisFilter.open(redis, 'seen', { capacity })).rejects.toMatchObject(code('LOST'));
    expect(await seen.has('old')).toBe(true);
  });
});

describe('a name of something else', () => {
  test.each(['seen:meta', 'seen:{0}'])('is INCOMPATIBLE: a list at %s', async (key) => {
    const redis = new FakeRedis();
    redis.lists.add(key);
    const made = RedisFilter.open(redis, 'seen', { capacity });
    await expect(made).rejects.toMatchObject(code('INCOMPATIBLE'));
  });

  test('is INCOMPATIBLE: a list in the place of a string that was there', async () => {
    const { redis, seen } = await opened();
    redis.entries.delete('seen:{0}');
    redis.lists.add('seen:{0}');
    await expect(seen.has('a')).rejects.toMatchObject(code('INCOMPATIBLE'));
    await expect(seen.add('a')).rejects.toMatchObject(code('INCOMPATIBLE'));
    await expect(seen.toFilter()).rejects.toMatchObject(code('INCOMPATIBLE'));
  });

  test('is LOST, and stays: a string of another length', async () => {
    const redis = new FakeRedis();
    await redis.call(['SET', 'seen:{0}', 'somebody else']);
    const made = RedisFilter.open(redis, 'seen', { capacity });
    await expect(made).rejects.toMatchObject(code('LOST'));
    expect(await redis.call(['GET', 'seen:{0}'])).toBe('somebody else');
  });

  const members = {
    ...{ format: 'tamis-redis-1', id: 5, shards: 1, blocks: 4, seed: '0', hash: 'fast' },
    ...{ capacity, fpr: 0.01 },
  };
  const [shape, step] = [JSON.stringify(members), '5 2 1 9'];
  const write = async (redis: FakeRedis, values: readonly string[]) => {
    for (const [i, text] of values.entries()) {
      await redis.call(['HSETNX', 'seen:meta', `${i}`, text]);
    }
  };
  test.each([
    ['no JSON'],
    ['7'],
    ['null'],
    ['{}'],
    ['{"format":"tamis-redis-2"}'],
    [shape, shape],
    [shape, step, '[]'],
    ...['x 2 1 9', '5 x 1 9', '5 2 x 9', '5 2 1 x'].map((text) => [shape, text]),
    ...Object.keys(members).map((member) => [
      JSON.stringify({ ...members, [member]: member === 'seed' ? '-1' : 'x' }),
      step,
    ]),
  ])('is INCOMPATIBLE: the meta %s %s', async (...texts) => {
    const values = texts.filter((text) => typeof text === 'string');
    const redis = new FakeRedis();
    await write(redis, values);
    const made = RedisFilter.open(redis, 'seen', { capacity });
    await expect(made).rejects.toMatchObject(code('INCOMPATIBLE'));
    expect(redis.sent.filter(([command]) => command !== 'HVALS')).toHaveLength(values.length);
  });

  test('is no filter of another id: its last step counts, and no other', async () => {
    const redis = new FakeRedis();
    await redis.call(['BITFIELD', 'seen:{0}', 'SET', 'u52', `${256 * 4}`, '9']);
    await write(redis, ['5 1 2 3', shape, step, '4 7 2 9']);
    const seen = await RedisFilter.open(redis, 'seen');
    expect([await seen.has('ant'), await seen.add('ant')]).toEqual([false, true]);
  });

  test('is LOST where its tag is 0, which a string has that is not there', async () => {
    const redis = new FakeRedis();
    await write(redis, [shape, '5 2 1 0']);
    const seen = await RedisFilter.open(redis, 'seen');
    await expect(seen.has('ant')).rejects.toMatchObject(code('LOST'));
  });

  test('is INCOMPATIBLE: a string in the place of the meta', async () => {
    const redis = new FakeRedis();
    await redis.call(['SET', 'seen:meta', shape]);
    const made = RedisFilter.open(redis, 'seen', { capacity });
    await expect(made).rejects.toMatchObject(code('INCOMPATIBLE'));
    expect(await redis.call(['GET', 'seen:meta'])).toBe(shape);
  });
});

describe('another shape under the name', () => {
  test.each<[RedisFilterOptions, string]>([
    [{ capacity: 2000 }, 'INCOMPATIBLE'],
    [{ capacity, fpr: 0.001 }, 'INCOMPATIBLE'],
    [{ capacity, seed: 1n }, 'INCOMPATIBLE'],
    [{ capacity, shards: 2 }, 'INCOMPATIBLE'],
    [{ capacity, shardBytes: 64 }, 'INCOMPATIBLE'],
    [{ capacity, secret: sipKey }, 'WRONG_KEY'],
  ])('%p is refused', async (options, why) => {
    const { redis } = await opened();
    await expect(RedisFilter.open(redis, 'seen', options)).rejects.toMatchObject(code(why));
  });

  test('of a keyed filter needs its key', async () => {
    const { redis, seen } = await opened({ capacity, secret: sipKey });
    expect(seen.figures.hash).toBe('keyed');
    const open = (options: RedisFilterOptions) => RedisFilter.open(redis, 'seen', options);
    await expect(open({ capacity })).rejects.toMatchObject(code('KEY_REQUIRED'));
    const wrong = open({ capacity, secret: new Uint8Array(16) });
    await expect(wrong).rejects.toMatchObject(code('WRONG_KEY'));
    await seen.add('ant');
    expect(await (await open({ secret: sipKey })).has('ant')).toBe(true);
    const meta = redis.values('seen:meta').join();
    expect(meta).not.toContain(Buffer.from(sipKey).toString('hex'));
  });

  test('is what it is to an open without a capacity', async () => {
    const { redis, seen } = await opened({ capacity, fpr: 0.001, seed: 9n, shards: 3 });
    const same = await RedisFilter.open(redis, 'seen');
    expect(same.figures).toEqual(seen.figures);
    const none = RedisFilter.open(redis, 'other');
    await expect(none).rejects.toMatchObject(code('INVALID_OPTION'));
    expect(redis.entries.has('other:meta')).toBe(false);
  });
});

describe('a connection', () => {
  const cut = () => {
    throw new Error('Socket closed unexpectedly');
  };

  test('that is cut throws UNAVAILABLE, with the cause', async () => {
    const { redis, seen } = await opened();
    await seen.add('ant');
    redis.before = cut;
    const failure = {
      ...code('UNAVAILABLE'),
      cause: expect.objectContaining({ message: 'Socket closed unexpectedly' }),
    };
    await expect(seen.has('ant')).rejects.toMatchObject(failure);
    await expect(seen.add('ant')).rejects.toMatchObject(failure);
    await expect(seen.toFilter()).rejects.toMatchObject(failure);
    await expect(seen.clear()).rejects.toMatchObject(failure);
    await expect(RedisFilter.open(redis, 'seen')).rejects.toMatchObject(failure);
  });

  test('that is cut between the commands of addMany names the first key that is not in', async () => {
    const { redis, seen } = await opened();
    let left = 5;
    redis.before = () => {
      if (left-- <= 0) cut();
    };
    // A command takes 32 keys.
    const keys = Array.from({ length: 7 * 32 }, (_, i) => `key ${i}`);
    const added = seen.addMany(keys);
    await expect(added).rejects.toMatchObject({ ...code('UNAVAILABLE'), index: 160 });
    redis.before = () => {};
    const found = await seen.hasMany(keys);
    expect(found.subarray(0, 160).indexOf(0)).toBe(-1);
    expect(found.subarray(160).indexOf(0)).not.toBe(-1);
  });
});

describe('a client', () => {
  test.each([undefined, null, 7, {}, 'redis://'])('%p is a TypeError', async (client) => {
    const made = RedisFilter.open(client as never, 'seen', { capacity });
    await expect(made).rejects.toMatchObject({ ...code('INVALID_OPTION'), name: 'TypeError' });
  });

  test('that reads from replicas is a TypeError', async () => {
    const client = {
      getrangeBuffer: async () => 1,
      call: async () => 1,
      options: { scaleReads: 'slave' },
    };
    const made = RedisFilter.open(client as never, 'seen', { capacity });
    await expect(made).rejects.toMatchObject(code('INVALID_OPTION'));
    const sentinel = { sendCommand: async () => 1, getSentinelNode: () => 1 };
    const other = RedisFilter.open(sentinel as never, 'seen', { capacity });
    await expect(other).rejects.toMatchObject(code('INVALID_OPTION'));
  });

  test.each([[null], ['OK'], [[1, 1]], [['a', 1, 1, 1, 1, 1]], [[1, 2 ** 60, 0, 0, 0, 0]]])(
    'that answers %p throws, and nothing is absent',
    async (reply) => {
      const { redis } = await opened();
      const seen = await RedisFilter.open(
        {
          call: async (words) =>
            String(words[0]).startsWith('BITFIELD') ? reply : redis.call(words),
        },
        'seen',
      );
      await expect(seen.has('ant')).rejects.toMatchObject(code('UNSUPPORTED'));
    },
  );

  test('that makes texts of bytes cannot give a filter', async () => {
    const { redis } = await opened();
    const call = async (words: (string | Uint8Array)[]) => {
      const reply = await redis.call(words);
      return reply instanceof Uint8Array ? new TextDecoder().decode(reply) : reply;
    };
    const seen = await RedisFilter.open({ call }, 'seen');
    await expect(seen.toFilter()).rejects.toMatchObject(code('UNSUPPORTED'));
  });
});

test.each<[string, RedisFilterOptions]>([
  ['', { capacity }],
  ['a{b}', { capacity }],
  ['\ud800', { capacity }],
  ['seen', { capacity: 0 }],
  ['seen', { capacity, fpr: 1 }],
  ['seen', { capacity, fpr: 2 ** -25 }],
  ['seen', { capacity, shards: 0 }],
  ['seen', { capacity, shards: 2, shardBytes: 64 }],
  ['seen', { capacity, shardBytes: 31 }],
  ['seen', { capacity, secret: new Uint8Array(15) }],
  ['seen', { capacity, seed: 0.5 }],
])('the name %p and the options %p are refused before a command', async (name, options) => {
  const redis = new FakeRedis();
  await expect(RedisFilter.open(redis, name, options)).rejects.toMatchObject(
    code('INVALID_OPTION'),
  );
  expect([...redis.entries.keys()]).toEqual([]);
});

test('what is too large for strings of Redis is TOO_LARGE', async () => {
  const made = RedisFilter.open(new FakeRedis(), 'seen', { capacity: 1e9, shards: 1 });
  await expect(made).rejects.toMatchObject(code('TOO_LARGE'));
});
