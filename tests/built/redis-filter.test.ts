/** RedisFilter on a fake Redis: the content of its strings, and its answers. */
import { describe, expect, test } from '@jest/globals';
import { BlockedBloomFilter } from 'tamis';
import { RedisFilter, type RedisFilterOptions } from 'tamis/redis';
import { FakeRedis } from '../js/support/fake-redis.js';

const keysOf = (count: number, word = 'key') =>
  Array.from({ length: count }, (_, i) => `${word} ${i}`);

/** The bytes of the tag in the meta. */
function tagIn(redis: FakeRedis): Buffer {
  const [, tag] = / 1 (\d+)$/.exec(redis.values('seen:meta').at(-1) ?? '') ?? [];
  return Buffer.from(`${Number(tag).toString(16).padStart(13, '0')}0`, 'hex');
}

const blocksIn = (redis: FakeRedis) => redis.bytes('seen:{0}')?.subarray(0, -7);

const sipKey = Uint8Array.from({ length: 16 }, (_, i) => i);

describe('the strings', () => {
  const shapes = [
    { capacity: 1000 },
    { capacity: 1000, fpr: 0.0001, seed: 2n ** 64n - 1n },
    { capacity: 500, secret: sipKey, seed: 7n },
  ] as const;
  test.each(shapes)('are those of BlockedBloomFilter, then the tag: %p', async (options) => {
    const redis = new FakeRedis();
    const seen = await RedisFilter.open(redis, 'seen', options);
    const keys = keysOf(400);
    const same = new BlockedBloomFilter(options);
    expect(await seen.addMany(keys)).toBe(same.addMany(keys));
    const blocks = same.toBytes().subarray(72);
    expect(redis.bytes('seen:{0}')).toEqual(Uint8Array.from([...blocks, ...tagIn(redis)]));
    expect(await seen.hasMany(keysOf(3000))).toEqual(same.hasMany(keysOf(3000)));

    const filter = await seen.toFilter();
    expect(filter.toBytes().subarray(72)).toEqual(blocks);
    expect(filter.hasMany(keysOf(3000))).toEqual(same.hasMany(keysOf(3000)));
    expect({ ...filter.toJSON(), count: 0, bitsPerKey: 0 }).toEqual({
      ...same.toJSON(),
      count: 0,
      bitsPerKey: 0,
    });
    expect(Math.abs(filter.count - 400)).toBeLessThan(20);
    filter.validate();
  });

  test('of many shards have every key in one', async () => {
    const redis = new FakeRedis();
    const seen = await RedisFilter.open(redis, 'seen', { capacity: 2000, shards: 5 });
    const keys = keysOf(2000);
    await seen.addMany(keys);
    expect((await seen.hasMany(keys)).indexOf(0)).toBe(-1);
    const filters = await Promise.all([0, 1, 2, 3, 4].map((shard) => seen.toFilter(shard)));
    for (const key of keys) expect(filters[seen.shardOf(key)]?.has(key)).toBe(true);
    const { blocks, sizeBytes } = seen.figures;
    expect(sizeBytes).toBe(5 * (32 * blocks + 7));
    for (let i = 0; i < 5; i++) expect(redis.bytes(`seen:{${i}}`)).toHaveLength(32 * blocks + 7);
    await expect(seen.toFilter()).rejects.toThrow(/has 5 shards/);
    await expect(seen.toFilter(5)).rejects.toThrow(/from 0 to 4/);
  });

  test('are as many as shardBytes wants', async () => {
    const seen = await RedisFilter.open(new FakeRedis(), 'seen', {
      capacity: 10_000,
      shardBytes: 3200,
    });
    const { shards, blocks } = seen.figures;
    const one = new BlockedBloomFilter({ capacity: 10_000 }).sizeBytes / 32;
    expect(shards).toBe(Math.ceil(one / 100));
    expect(blocks).toBe(Math.ceil(one / shards));
  });

  test('of a billion keys are 40 and their meta says so', async () => {
    const redis = new FakeRedis();
    redis.before = ([command]) => {
      if (command === 'STRLEN') throw new Error('enough');
    };
    const opened = RedisFilter.open(redis, 'huge', { capacity: 1e9 });
    await expect(opened).rejects.toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
    const [text = '', step, ...more] = redis.values('huge:meta');
    const meta = JSON.parse(text);
    expect(meta).toMatchObject({ format: 'tamis-redis-1', shards: 40, capacity: 1e9, fpr: 0.01 });
    // No process is at work.
    expect(step).toBe(`${meta.id} 2 0 0`);
    expect(more).toEqual([]);
    const { shards, blocks } = meta;
    const bits = (256 * shards * blocks) / 1e9;
    expect(bits).toBeGreaterThan(10.4);
    expect(bits).toBeLessThan(10.6);
  });
});

describe('commands', () => {
  test('add and has are one each', async () => {
    const redis = new FakeRedis();
    const seen = await RedisFilter.open(redis, 'seen', { capacity: 100 });
    redis.sent.length = 0;
    expect(await seen.add('ant')).toBe(true);
    expect(redis.sent.map(([command]) => command)).toEqual(['BITFIELD']);
    redis.sent.length = 0;
    expect(await seen.has('ant')).toBe(true);
    expect(await seen.has('bee')).toBe(false);
    expect(redis.sent.map(([command]) => command)).toEqual(['BITFIELD_RO', 'BITFIELD_RO']);
    expect(await seen.add('ant')).toBe(false);
  });

  test('has reads nothing that lies outside the blocks, but the tag', async () => {
    const redis = new FakeRedis();
    const seen = await RedisFilter.open(redis, 'seen', { capacity: 100 });
    const { blocks } = seen.figures;
    redis.sent.length = 0;
    await seen.hasMany(keysOf(500));
    for (const [, , ...words] of redis.sent) {
      expect(words.slice(0, 3)).toEqual(['GET', 'u52', `${256 * blocks}`]);
      for (let i = 3; i < words.length; i += 3) {
        const first = Number(words[i + 2]);
        const last = first + Number(words[i + 1]?.slice(1)) - 1;
        // A field beyond its block could be beyond the string.
        expect(Math.floor(first / 256)).toBe(Math.floor(last / 256));
        expect(last).toBeLessThan(256 * blocks);
      }
    }
  });

  test('an old server without BITFIELD_RO is told once', async () => {
    const redis = new FakeRedis();
    redis.before = ([command]) => {
      if (command === 'BITFIELD_RO') throw new Error("ERR unknown command 'BITFIELD_RO'");
    };
    const seen = await RedisFilter.open(redis, 'seen', { capacity: 100 });
    await seen.add('ant');
    redis.sent.length = 0;
    expect([await seen.has('ant'), await seen.has('bee')]).toEqual([true, false]);
    expect(redis.sent.map(([command]) => command)).toEqual(['BITFIELD_RO', 'BITFIELD', 'BITFIELD']);
  });

  test('take packed keys and bytes, and refuse what is no key', async () => {
    const seen = await RedisFilter.open(new FakeRedis(), 'seen', { capacity: 100 });
    expect(await seen.addMany([Uint8Array.of(97), 'b', 'a'])).toBe(2);
    await expect(seen.add(7 as never)).rejects.toMatchObject({ code: 'ERR_TAMIS_INVALID_KEY' });
    await expect(seen.addMany('abc')).rejects.toMatchObject({ code: 'ERR_TAMIS_INVALID_KEY' });
  });
});

describe('merge', () => {
  test('adds what a filter has, and keeps what was there', async () => {
    const redis = new FakeRedis();
    const seen = await RedisFilter.open(redis, 'seen', { capacity: 1000, seed: 5n });
    await seen.addMany(keysOf(300, 'old'));
    const more = new BlockedBloomFilter({ capacity: 1000, seed: 5n });
    more.addMany(keysOf(300, 'new'));
    await seen.merge(more);
    expect((await seen.hasMany([...keysOf(300, 'old'), ...keysOf(300, 'new')])).indexOf(0)).toBe(
      -1,
    );
    const united = more.clone();
    united.addMany(keysOf(300, 'old'));
    expect(blocksIn(redis)).toEqual(united.toBytes().subarray(72));
    expect([...redis.entries.keys()].sort()).toEqual(['seen:meta', 'seen:{0}']);
  });

  test('adds all keys where a command arrives once more, at any later time', async () => {
    const more = new BlockedBloomFilter({ capacity: 1000 });
    more.addMany(keysOf(300));
    const commands = ['SET', 'SETRANGE', 'BITOP'];
    for (const [i, late] of commands.entries()) {
      for (const before of [...commands.slice(i + 1), 'PTTL', 'DEL', 'BITFIELD_RO']) {
        const redis = new FakeRedis();
        let first: Parameters<FakeRedis['call']>[0] | undefined;
        const call: FakeRedis['call'] = async (words) => {
          if (words[0] === before && first !== undefined) await redis.call(first);
          if (words[0] === late) first = words;
          return redis.call(words);
        };
        const seen = await RedisFilter.open({ call }, 'seen', { capacity: 1000 });
        await seen.merge(more);
        expect([late, before, (await seen.hasMany(keysOf(300))).indexOf(0)]).toEqual([
          late,
          before,
          -1,
        ]);
      }
    }
  });

  test('refuses a filter that was made otherwise', async () => {
    const seen = await RedisFilter.open(new FakeRedis(), 'seen', { capacity: 1000 });
    const others = [
      new BlockedBloomFilter({ capacity: 2000 }),
      new BlockedBloomFilter({ capacity: 1000, seed: 1n }),
      new BlockedBloomFilter({ capacity: 1000, secret: sipKey }),
    ];
    for (const other of others) {
      const merged = seen.merge(other);
      await expect(merged).rejects.toMatchObject({ code: 'ERR_TAMIS_INCOMPATIBLE' });
    }
  });
});

test('clear empties every shard for every process', async () => {
  const redis = new FakeRedis();
  const options = { capacity: 1000, shards: 3 };
  const [one, other] = await Promise.all([
    RedisFilter.open(redis, 'seen', options),
    RedisFilter.open(redis, 'seen', options),
  ]);
  await one.addMany(keysOf(500));
  await other.clear();
  expect((await one.hasMany(keysOf(500))).indexOf(1)).toBe(-1);
  expect(await one.add('ant')).toBe(true);
  expect(await other.has('ant')).toBe(true);
  expect([...redis.entries.keys()].sort()).toEqual([
    'seen:meta',
    ...['seen:{0}', 'seen:{1}', 'seen:{2}'],
  ]);
});

describe('calls of one turn', () => {
  const bitfields = ({ sent }: FakeRedis) =>
    sent.filter(([command]) => /^BITFIELD/.test(command ?? ''));
  const open = async (options: RedisFilterOptions) => {
    const redis = new FakeRedis();
    const seen = await RedisFilter.open(redis, 'seen', options);
    redis.sent.length = 0;
    return { redis, seen };
  };
  const outcomes = async (calls: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).map((one) =>
      one.status === 'fulfilled' ? one.value : (one.reason as { code: string }).code,
    );

  test('share a command, and those of the next turn have another', async () => {
    const { redis, seen } = await open({ capacity: 1000 });
    const keys = keysOf(20);
    const added = await Promise.all(keys.map((key) => seen.add(key)));
    expect(added).toEqual(keys.map(() => true));
    expect(bitfields(redis)).toHaveLength(1);
    const found = await Promise.all([...keys, 'absent'].map((key) => seen.has(key)));
    expect(found).toEqual([...keys.map(() => true), false]);
    expect(bitfields(redis).map(([command]) => command)).toEqual(['BITFIELD', 'BITFIELD_RO']);
    // Together they set the bits that each alone would set.
    const { redis: other, seen: same } = await open({ capacity: 1000 });
    for (const key of keys) await same.add(key);
    expect(bitfields(other)).toHaveLength(20);
    expect(blocksIn(redis)).toEqual(blocksIn(other));
  });

  test('are 32 to a command, and a command has one shard', async () => {
    const { redis, seen } = await open({ capacity: 1000, shards: 3 });
    const keys = keysOf(300);
    const added = await Promise.all(keys.map((key) => seen.add(key)));
    expect(added.filter(Boolean).length).toBeGreaterThan(290);
    const shares = [0, 0, 0];
    for (const key of keys) (shares[seen.shardOf(key)] as number)++;
    const expected = shares.reduce((sum, share) => sum + Math.ceil(share / 32), 0);
    expect(bitfields(redis)).toHaveLength(expected);
    for (const [, , , , offset = '', ...fields] of bitfields(redis)) {
      expect(Number(offset)).toBe(256 * seen.figures.blocks);
      expect(fields.length).toBeLessThanOrEqual(32 * 8 * 4);
    }
    expect(await Promise.all(keys.map((key) => seen.has(key)))).toEqual(keys.map(() => true));
  });

  test('are answered in their order, whatever they are', async () => {
    const { redis, seen } = await open({ capacity: 1000 });
    const answers = await Promise.all([
      ...[seen.has('ant'), seen.add('ant'), seen.add('ant'), seen.has('ant')],
      ...[seen.has('bee'), seen.add('bee'), seen.has('bee')],
    ]);
    expect(answers).toEqual([false, true, false, true, false, true, true]);
    const kinds = ['BITFIELD_RO', 'BITFIELD'];
    const expected = [...kinds, ...kinds, 'BITFIELD_RO'];
    expect(bitfields(redis).map(([command]) => command)).toEqual(expected);
  });

  test('with the same key call it new once, over several commands too', async () => {
    const { redis, seen } = await open({ capacity: 1000 });
    const added = await Promise.all(Array.from({ length: 100 }, () => seen.add('ant')));
    expect(added).toEqual([true, ...Array(99).fill(false)]);
    expect(bitfields(redis)).toHaveLength(4);
  });

  test('take the bytes of a key when they are called', async () => {
    const { seen } = await open({ capacity: 1000 });
    const key = new TextEncoder().encode('ant');
    const adding = seen.add(key);
    key.fill(0);
    await adding;
    expect([await seen.has('ant'), await seen.has(key)]).toEqual([true, false]);
  });

  test('reject one by one where a key is none', async () => {
    const { redis, seen } = await open({ capacity: 1000 });
    const keys = ['ant', 7, '\ud800', undefined, 'bee'] as string[];
    const none = 'ERR_TAMIS_INVALID_KEY';
    const calls = keys.map((key) => seen.add(key));
    expect(await outcomes(calls)).toEqual([true, none, none, none, true]);
    expect(bitfields(redis)).toHaveLength(1);
    expect([...(await seen.hasMany(['ant', 'bee']))]).toEqual([1, 1]);
  });

  test('reject with their command, and no others', async () => {
    const { redis, seen } = await open({ capacity: 1000, shards: 2 });
    const keys = keysOf(200);
    await seen.addMany(keys);
    redis.entries.delete('seen:{1}');
    const found = await outcomes(keys.map((key) => seen.has(key)));
    const expected = keys.map((key) => (seen.shardOf(key) === 1 ? 'ERR_TAMIS_LOST' : true));
    expect(found).toEqual(expected);
    expect(new Set(found).size).toBe(2);
  });

  test('reject in groups where one command of a shard failed', async () => {
    const { redis, seen } = await open({ capacity: 1000 });
    let commands = 0;
    redis.before = () => {
      if (++commands === 2) throw new Error('Socket closed unexpectedly');
    };
    const keys = keysOf(100);
    const added = await outcomes(keys.map((key) => seen.add(key)));
    const failed = added.flatMap((answer, i) => (answer === 'ERR_TAMIS_UNAVAILABLE' ? [i] : []));
    expect(failed).toEqual(Array.from({ length: 32 }, (_, i) => 32 + i));
    // Acknowledged keys are present, and the others are new.
    const others = keys.filter((_, i) => i < 32 || i >= 64);
    expect((await seen.hasMany(others)).indexOf(0)).toBe(-1);
    expect(await seen.addMany(keys.slice(32, 64))).toBeGreaterThan(30);
  });

  test('reject where there is no memory to find their bits, whoever sends them', async () => {
    const { seen } = await open({ capacity: 1000 });
    const { from } = BigUint64Array;
    const calls: Promise<unknown>[] = [];
    try {
      BigUint64Array.from = () => {
        throw new RangeError('Array buffer allocation failed');
      };
      calls.push(seen.add('ant'), seen.has('ant'), seen.add('bee'));
      calls.push(seen.hasMany(['cat']), seen.add('dog'));
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes.map(({ status }) => status)).toEqual([
        ...['rejected', 'rejected', 'rejected', 'fulfilled', 'rejected'],
      ]);
    } finally {
      BigUint64Array.from = from;
    }
    expect(await seen.has('ant')).toBe(false);
  });

  test('come before what is called after them: toFilter, merge, clear and many keys', async () => {
    const { seen } = await open({ capacity: 1000 });
    const ant = seen.add('ant');
    const filter = await seen.toFilter();
    expect([await ant, filter.has('ant')]).toEqual([true, true]);

    const bee = seen.has('bee');
    const more = filter.emptyCopy();
    more.add('bee');
    await seen.merge(more);
    expect([await bee, await seen.has('bee')]).toEqual([false, true]);

    const cat = seen.add('cat');
    expect(await seen.addMany(['cat', 'dog'])).toBe(1);
    expect(await cat).toBe(true);
    const eel = seen.add('eel');
    expect([...(await seen.hasMany(['eel', 'fox']))]).toEqual([1, 0]);
    expect(await eel).toBe(true);

    const gnu = seen.add('gnu');
    await seen.clear();
    expect([await gnu, await seen.has('gnu')]).toEqual([true, false]);
  });
});
