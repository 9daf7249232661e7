/** A process that makes or clears a filter may be slow, die or be cut off. No later key is lost by that. */
import { describe, expect, test } from '@jest/globals';
import { RedisFilter, type RedisFilterOptions } from 'tamis/redis';
import { isLong } from '../js/support/budget.js';
import { FakeRedis, skipRests } from '../js/support/fake-redis.js';
import { gate, turn } from '../js/support/waiting.js';

const rests = skipRests();

const capacity = 1000;
const code = (name: string) => ({ code: `ERR_TAMIS_${name}` });
const three: RedisFilterOptions = { capacity, shards: 3 };
const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const sumOf = (answers: Uint8Array): number => answers.reduce((sum, one) => sum + one, 0);

async function opened(options: RedisFilterOptions = { capacity }) {
  const redis = new FakeRedis();
  return { redis, seen: await RedisFilter.open(redis, 'seen', options) };
}

function cut(): never {
  throw new Error('the connection was cut');
}

describe('a meta that is lost', () => {
  /** The filter as another process sees it: ERR_TAMIS_LOST if the meta disappeared after all was made. */
  const nextOf = (redis: FakeRedis): Promise<RedisFilter | 'ERR_TAMIS_LOST'> =>
    RedisFilter.open(redis, 'seen', three).catch((error) => {
      expect(redis.entries.has('seen:{0}')).toBe(true);
      expect(error).toMatchObject(code('LOST'));
      return error.code;
    });

  test('does not end clear() in the middle', async () => {
    for (let commands = 1; ; commands++) {
      const { redis, seen } = await opened({ capacity, shards: 3 });
      await seen.addMany(Array.from({ length: 30 }, (_, i) => `key ${i}`));
      let left = commands;
      redis.before = () => {
        if (left-- === 0) redis.entries.delete('seen:meta');
      };
      await seen.clear();
      const isOver = left >= 0;
      redis.before = () => {};
      // Keys that are added afterwards stay, for any next process.
      await seen.add('after');
      const next = await nextOf(redis);
      for (const filter of next === 'ERR_TAMIS_LOST' ? [seen] : [seen, next]) {
        expect(await filter.has('after')).toBe(true);
        expect(await filter.has('key 7')).toBe(false);
      }
      if (isOver) break;
    }
  });

  test('does not end the making in the middle', async () => {
    for (let commands = 1; ; commands++) {
      const redis = new FakeRedis();
      let left = commands;
      redis.before = () => {
        if (left-- === 0) redis.entries.delete('seen:meta');
      };
      const seen = await RedisFilter.open(redis, 'seen', { capacity, shards: 3 });
      const isOver = left >= 0;
      redis.before = () => {};
      await seen.add('ant');
      const next = await nextOf(redis);
      for (const filter of next === 'ERR_TAMIS_LOST' ? [seen] : [seen, next]) {
        expect([await filter.has('ant'), await filter.has('bee')]).toEqual([true, false]);
      }
      if (isOver) break;
    }
  });

  test('to another that clears: what comes after it stays, though the first goes on', async () => {
    const { redis, seen } = await opened(three);
    await seen.addMany(keys);
    // A command that arrives after another process took over.
    for (const late of ['DEL', 'BITFIELD']) {
      const held = gate();
      let isFirst = true;
      const slow = {
        call: async (words: readonly (string | Uint8Array)[]) => {
          if (words[0] === late && words[1] === 'seen:{0}' && isFirst) {
            isFirst = false;
            await held.opened;
          }
          return redis.call(words);
        },
      };
      const slowFilter = await RedisFilter.open(slow, 'seen', three);
      const clearing = slowFilter.clear().then(
        () => 'cleared',
        (error) => error.code,
      );
      while (isFirst) await turn();
      const next = await RedisFilter.open(redis, 'seen', three);
      expect(await next.addMany(keys)).toBe(keys.length);
      held.open();
      expect(await clearing).toBe('ERR_TAMIS_LOST');
      for (const key of keys) {
        const answer = await seen.has(key).catch((error) => error.code);
        expect(answer).toBe(seen.shardOf(key) === 0 ? 'ERR_TAMIS_LOST' : true);
      }
      await seen.clear();
      expect(sumOf(await seen.hasMany(keys))).toBe(0);
    }
  });
});

describe('a connection', () => {
  test('that is cut in the making leaves the rest to the next, at any command', async () => {
    for (let commands = 1; ; commands++) {
      const redis = new FakeRedis();
      let left = commands;
      redis.before = () => {
        if (left-- <= 0) cut();
      };
      const made = await RedisFilter.open(redis, 'seen', { capacity, shards: 3 }).catch(() => {});
      redis.before = () => {};
      const seen = await RedisFilter.open(redis, 'seen', { capacity, shards: 3 });
      await seen.add('ant');
      expect(await seen.has('ant')).toBe(true);
      expect(await seen.has('bee')).toBe(false);
      if (made !== undefined) break;
      expect(commands).toBeLessThan(100);
    }
  });

  test('that is cut in clear() leaves the rest to the next', async () => {
    for (let commands = 1; ; commands++) {
      const { redis, seen } = await opened({ capacity, shards: 3 });
      const keys = Array.from({ length: 30 }, (_, i) => `key ${i}`);
      await seen.addMany(keys);
      let left = commands;
      redis.before = () => {
        if (left-- <= 0) cut();
      };
      const isCleared = await seen.clear().then(
        () => true,
        () => false,
      );
      redis.before = () => {};
      const again = await RedisFilter.open(redis, 'seen', { capacity, shards: 3 });
      const found = (await again.hasMany(keys)).reduce((sum, one) => sum + one, 0);
      // Before the meta is written nothing is cleared; afterwards everything is.
      expect([0, 30]).toContain(found);
      if (isCleared) {
        expect(found).toBe(0);
        break;
      }
    }
  });

  test('that is cut in clear() takes no key out that is added to a string of after it', async () => {
    for (let commands = 1; ; commands += isLong ? 1 : 3) {
      const { redis, seen } = await opened(three);
      await seen.addMany(keys);
      let left = commands;
      let isEmptied = false;
      redis.before = ([command]) => {
        if (left-- <= 0) cut();
        // Once the first string is made, all old ones are gone.
        isEmptied ||= command === 'BITFIELD';
      };
      const isCleared = await seen.clear().then(
        () => true,
        () => false,
      );
      redis.before = () => {};
      // A string that is not made yet is ERR_TAMIS_LOST.
      const added: string[] = [];
      for (const key of keys) {
        if (await seen.add(key).catch(() => false)) added.push(key);
      }
      const next = await RedisFilter.open(redis, 'seen', three);
      if (isEmptied) {
        for (const filter of [seen, next])
          expect(sumOf(await filter.hasMany(added))).toBe(added.length);
      }
      if (isCleared) {
        expect(added.length).toBe(keys.length);
        break;
      }
    }
  });
});

describe('making', () => {
  /** A client whose commands that make a string are held back until `let` is called. */
  function stuck(redis: FakeRedis) {
    const client = {
      let: () => {},
      isStuck: false,
      call: async (words: readonly (string | Uint8Array)[]) => {
        if (words[0] === 'BITFIELD') {
          client.isStuck = true;
          await new Promise<void>((resolve) => {
            client.let = resolve;
          });
        }
        return redis.call(words);
      },
    };
    return client;
  }

  test('is waited for while another makes it, and taken over from one that died', async () => {
    const redis = new FakeRedis();
    const slow = stuck(redis);
    const made = RedisFilter.open(slow, 'seen', three);
    while (!slow.isStuck) await turn();
    let isOpen = false;
    rests.length = 0;
    const waiting = RedisFilter.open(redis, 'seen', three).finally(() => {
      isOpen = true;
    });
    // While it makes progress it has time: 9 seconds for each string.
    for (let shard = 0; shard < 2; shard++) {
      const until = rests.length + 180;
      while (rests.length < until) await new Promise((resolve) => setImmediate(resolve));
      expect(isOpen).toBe(false);
      slow.isStuck = false;
      slow.let();
      while (!slow.isStuck) await new Promise((resolve) => setImmediate(resolve));
    }
    // Then it makes no more progress.
    const from = rests.length;
    const seen = await waiting;
    expect(rests.length - from).toBeGreaterThanOrEqual(150);
    expect(rests.length - from).toBeLessThanOrEqual(210);
    expect(new Set(rests)).toEqual(new Set([50]));
    expect(await seen.addMany(keys)).toBe(keys.length);
    slow.let();
    // It is late for the last string, which is lost. It takes the filter that the other process made.
    const late = await made;
    for (const filter of [seen, late]) {
      for (const key of keys) {
        const answer = await filter.has(key).catch((error) => error.code);
        expect(answer).toBe(filter.shardOf(key) === 2 ? 'ERR_TAMIS_LOST' : true);
      }
    }
  });

  test('that ends with an error is waited for by nobody', async () => {
    const redis = new FakeRedis();
    await redis.call(['SET', 'seen:{1}', 'somebody else']);
    for (let i = 0; i < 2; i++) {
      const opening = RedisFilter.open(redis, 'seen', three);
      await expect(opening).rejects.toMatchObject(code('LOST'));
    }
    await redis.call(['DEL', 'seen:{1}']);
    await RedisFilter.open(redis, 'seen', three);
    expect(rests).toEqual([]);
  });

  test('by many at once is done once', async () => {
    const redis = new FakeRedis();
    const all = await Promise.all(
      Array.from({ length: 8 }, () => RedisFilter.open(redis, 'seen', { capacity, shards: 4 })),
    );
    expect(redis.sent.filter(([command]) => command === 'BITFIELD')).toHaveLength(4);
    const answers = await Promise.all(all.map((seen) => seen.add('ant')));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  test('does not make a string again that was lost with the meta, where another has keys', async () => {
    const { redis, seen } = await opened(three);
    await seen.addMany(keys);
    redis.entries.delete('seen:meta');
    redis.entries.delete('seen:{0}');
    const ofFirst = keys.filter((key) => seen.shardOf(key) === 0);
    for (let i = 0; i < 2; i++) {
      await expect(RedisFilter.open(redis, 'seen', three)).rejects.toMatchObject(code('LOST'));
      await expect(seen.hasMany(ofFirst)).rejects.toMatchObject(code('LOST'));
    }
    await seen.clear();
    expect(sumOf(await seen.hasMany(keys))).toBe(0);
  });

  test('in another shape is no filter of those who had the old one: their clear() refuses', async () => {
    const { redis, seen } = await opened(three);
    for (const name of [...redis.entries.keys()]) redis.entries.delete(name);
    const other = await RedisFilter.open(redis, 'seen', { capacity: 5 * capacity });
    await other.add('ant');
    await expect(seen.clear()).rejects.toMatchObject(code('INCOMPATIBLE'));
    expect(await other.has('ant')).toBe(true);
  });
});
