/** Late commands, and commands of others, on the bits of a string: no key of it is ever reported absent. */
import { describe, expect, test } from '@jest/globals';
import { RedisFilter, type RedisFilterOptions } from 'tamis/redis';
import { FakeRedis, skipRests } from '../js/support/fake-redis.js';
import { gate, turn } from '../js/support/waiting.js';

skipRests();

const capacity = 1000;
const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const lost = { code: 'ERR_TAMIS_LOST' };
type Words = readonly (string | Uint8Array)[];

const open = (client: Pick<FakeRedis, 'call'>, options: RedisFilterOptions = { capacity }) =>
  RedisFilter.open(client, 'seen', options);

/** The filter's answers for the keys: the number of each answer. */
async function answersOf(filter: RedisFilter): Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  for (const answer of await Promise.all(
    keys.map((key) => filter.has(key).catch((error) => error.code)),
  )) {
    answers[String(answer)] = (answers[String(answer)] ?? 0) + 1;
  }
  return answers;
}

test('a string whose bits are all set has every key: no field is too large for a client', async () => {
  const redis = new FakeRedis();
  const seen = await open(redis);
  redis.bytes('seen:{0}')?.fill(255, 0, -7);
  expect(await answersOf(seen)).toEqual({ true: keys.length });
});

describe('a maker that comes late', () => {
  test.each([
    [{ capacity: 500 }, { capacity }],
    [{ capacity: 2000 }, { capacity }],
    [{ capacity, shards: 2 }, { capacity }],
    [{ capacity }, { capacity, shards: 2 }],
  ])('with the shape %p clears no bit of %p', async (late, made) => {
    for (let stop = 0; ; stop++) {
      const redis = new FakeRedis();
      const awake = gate();
      let commands = 0;
      let isAsleep = false;
      const call = async (words: Words) => {
        if (words[0] === 'BITFIELD' && commands++ === stop) {
          isAsleep = true;
          await awake.opened;
        }
        return redis.call(words);
      };
      let isOver = false;
      const opening = open({ call }, late).catch((error) => error.code);
      opening.finally(() => {
        isOver = true;
      });
      while (!isAsleep && !isOver) await turn();
      if (isOver) return;
      redis.entries.clear();
      const filter = await open(redis, made);
      await filter.addMany(keys);
      awake.open();
      const another = await opening;
      for (const one of [filter, another, await open(redis, made)]) {
        // A client that does not name a number of shards takes the existing ones.
        if (one instanceof RedisFilter) expect(await answersOf(one)).not.toHaveProperty('false');
        else expect(one).toBe('ERR_TAMIS_INCOMPATIBLE');
      }
    }
  });
});

test('no command but DEL clears a bit, whatever the string is', async () => {
  const redis = new FakeRedis();
  const two = { capacity, shards: 2 };
  const seen = await open(redis, two);
  await seen.addMany(keys);
  await seen.hasMany(keys);
  await seen.merge(await seen.toFilter(1), 1);
  await seen.clear();
  redis.entries.delete('seen:meta');
  await open(redis, two);
  const sent = redis.sent.filter(([command, ...words]) => {
    return command !== 'DEL' && words.some((word) => /^seen:\{\d\}$/.test(word));
  });
  expect(new Set(sent.map(([command]) => command)).size).toBeGreaterThan(5);
  const full = new Uint8Array(10_000).fill(255);
  for (const words of sent) {
    const key = words.find((word) => /^seen:\{\d\}$/.test(word)) as string;
    redis.entries.set(key, { bytes: full.slice(), untilMs: Infinity });
    await redis.call(words);
    expect(redis.bytes(key)).toEqual(full);
  }
});

describe('a string', () => {
  test('that is one byte shorter is LOST, whatever its tag was', async () => {
    for (let i = 0; i < 40; i++) {
      const redis = new FakeRedis();
      const seen = await open(redis);
      const entry = redis.entries.get('seen:{0}');
      expect(entry?.bytes).toHaveLength(32 * seen.figures.blocks + 7);
      if (entry) entry.bytes = entry.bytes.slice(0, -1);
      await expect(seen.has('ant')).rejects.toMatchObject(lost);
    }
  });

  test('that took the place of another shard is LOST', async () => {
    const redis = new FakeRedis();
    const seen = await open(redis, { capacity, shards: 2 });
    await seen.addMany(keys);
    const [first, second] = ['seen:{0}', 'seen:{1}'].map((key) => redis.entries.get(key));
    if (first && second) redis.entries.set('seen:{0}', second).set('seen:{1}', first);
    for (const one of [seen, await open(redis)]) {
      expect(await answersOf(one)).toEqual({ ERR_TAMIS_LOST: keys.length });
    }
  });

  test('that had no keys when its meta was lost has none that come while it is taken away', async () => {
    for (let commands = 0; ; commands++) {
      const redis = new FakeRedis();
      const old = await open(redis);
      redis.entries.delete('seen:meta');
      let left = commands;
      let isAdded: boolean | undefined;
      const call = async (words: Words) => {
        if (left-- === 0) isAdded = await old.add('ant').catch(() => undefined);
        return redis.call(words);
      };
      const made = await open({ call }).catch((error) => error.code);
      // A key whose add did not reject is never removed, nor reported absent.
      if (isAdded) {
        if (made instanceof RedisFilter) expect(await made.has('ant')).toBe(true);
        else expect(made).toBe('ERR_TAMIS_LOST');
      }
      if (left >= 0) break;
    }
  });
});
