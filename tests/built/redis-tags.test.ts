/** A string that no longer holds its added keys is ERR_TAMIS_LOST: it never answers `false`. */
import { describe, expect, test } from '@jest/globals';
import { RedisFilter } from 'tamis/redis';
import { FakeRedis, skipRests } from '../js/support/fake-redis.js';
import { gate, turn } from '../js/support/waiting.js';

const capacity = 1000;
const keys = Array.from({ length: 24 }, (_, i) => `key ${i}`);
const two = { capacity, shards: 2 };

const rests = skipRests();

const open = (client: Pick<FakeRedis, 'call'>) => RedisFilter.open(client, 'seen', two);

type Outcome = true | false | string;
const outcomeOf = (asked: Promise<boolean>): Promise<Outcome> =>
  asked.catch((error) => error.code ?? String(error));
/** The distinct answers of a filter for the keys. */
async function outcomes(filter: RedisFilter, some: readonly string[]): Promise<Outcome[]> {
  const all = await Promise.all(some.map((key) => outcomeOf(filter.has(key))));
  return [...new Set(all)].sort();
}

/** The keys whose `add` did not reject. */
async function addAll(filter: RedisFilter): Promise<string[]> {
  const added = await Promise.allSettled(keys.map((key) => filter.add(key)));
  return keys.filter((_, i) => added[i]?.status === 'fulfilled');
}

/** A client that sleeps before the command of this number. `slept` tells if it got there. */
function sleeper(redis: FakeRedis, number: number) {
  const { opened, open: wake } = gate();
  let commands = 0;
  const client = {
    slept: false,
    wake,
    call: async (words: readonly (string | Uint8Array)[]) => {
      if (commands++ === number) {
        client.slept = true;
        await opened;
      }
      return redis.call(words);
    },
  };
  return client;
}

interface Scene {
  prepare(redis: FakeRedis): Promise<unknown>;
  /** The work of others while the process sleeps. */
  meanwhile(redis: FakeRedis): Promise<{ filter: RedisFilter; added: string[] }>;
}

/** Runs `open` in a process that sleeps at a command until another takes over. True if it sent that many commands. */
async function openAsleep(scene: Scene, number: number) {
  const redis = new FakeRedis();
  await scene.prepare(redis);
  const client = sleeper(redis, number);
  let isOver = false;
  const opening = open(client).catch((error) => error.code);
  opening.finally(() => {
    isOver = true;
  });
  while (!client.slept && !isOver) await turn();
  if (!client.slept) return false;
  const { filter, added } = await scene.meanwhile(redis);
  client.wake();
  const late = await opening;
  const another = await open(redis).catch((error) => error.code);
  for (const one of [filter, late, another]) {
    if (!(one instanceof RedisFilter)) continue;
    const all = await outcomes(one, added);
    if (all.includes(false)) throw new Error(`asleep before command ${number}: ${all}`);
  }
  return true;
}

/** Lets it sleep at each of its commands in turn. Resolves to the number of commands. */
async function openAsleepAnywhere(scene: Scene): Promise<number> {
  for (let number = 0; ; number += 8) {
    const some = Array.from({ length: 8 }, (_, i) => openAsleep(scene, number + i));
    const slept = await Promise.all(some);
    if (slept.includes(false)) return number + slept.indexOf(false);
  }
}

/** Another process opens the filter and adds keys; then Redis loses strings. */
const addAndLose =
  (isLost: (key: string) => boolean) =>
  async (redis: FakeRedis): ReturnType<Scene['meanwhile']> => {
    const filter = await open(redis);
    const added = await addAll(filter);
    expect(added).toEqual(keys);
    for (const key of [...redis.entries.keys()]) if (isLost(key)) redis.entries.delete(key);
    return { filter, added };
  };

/** Another process makes the filter, deletes it, and makes it anew. */
async function addAndRemake(redis: FakeRedis): ReturnType<Scene['meanwhile']> {
  await addAndLose(() => true)(redis);
  return addAndLose(() => false)(redis);
}

describe('a process that sleeps until another takes over', () => {
  const meanwhiles: [string, Scene['meanwhile']][] = [
    ['nothing is lost', addAndLose(() => false)],
    ['the first string is lost', addAndLose((key) => key === 'seen:{0}')],
    ['the second string is lost', addAndLose((key) => key === 'seen:{1}')],
    ['the filter is deleted and made anew', addAndRemake],
  ];

  test.each(meanwhiles)(
    'while it makes the filter calls no key absent that another added; %s',
    async (_, meanwhile) => {
      const commands = await openAsleepAnywhere({ prepare: async () => {}, meanwhile });
      expect(commands).toBeGreaterThan(10);
    },
  );

  test.each(meanwhiles)(
    'while it ends a clear() that broke off: nor then; %s',
    async (_, meanwhile) => {
      const prepare = async (redis: FakeRedis) => {
        const filter = await open(redis);
        redis.before = ([command, key]) => {
          if (command === 'DEL' && key === 'seen:{1}') throw new Error('the connection was cut');
        };
        await expect(filter.clear()).rejects.toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
        redis.before = () => {};
      };
      const commands = await openAsleepAnywhere({ prepare, meanwhile });
      expect(commands).toBeGreaterThan(10);
    },
  );

  test('and makes a string again that was evicted: it is LOST to all', async () => {
    const redis = new FakeRedis();
    const awake = gate();
    const client = {
      isAsleep: false,
      call: async (words: readonly (string | Uint8Array)[]) => {
        const isMaking = /^(SETBIT|BITFIELD)$/.test(String(words[0])) && words[1] === 'seen:{0}';
        if (isMaking && !client.isAsleep) {
          client.isAsleep = true;
          await awake.opened;
        }
        return redis.call(words);
      },
    };
    const opening = open(client);
    while (!client.isAsleep) await turn();
    const { filter, added } = await addAndLose((key) => key === 'seen:{0}')(redis);
    awake.open();
    const late = await opening;
    const ofFirst = added.filter((key) => filter.shardOf(key) === 0);
    for (const one of [filter, late, await open(redis)]) {
      expect(await outcomes(one, ofFirst)).toEqual(['ERR_TAMIS_LOST']);
      expect(await outcomeOf(one.add('more of the first'))).not.toBe(false);
    }
  });
});

describe('a string that was evicted and made anew', () => {
  test('by the end of a clear() that broke off is LOST, or has what was added', async () => {
    for (let commands = 0; ; commands++) {
      const redis = new FakeRedis();
      const seen = await open(redis);
      let left = commands;
      let areEmptied = false;
      redis.before = ([command = '', key = '']) => {
        if (left-- <= 0) throw new Error('the connection was cut');
        areEmptied ||= /^(SETBIT|BITFIELD)$/.test(command) && key === 'seen:{0}';
      };
      const isOver = await seen.clear().then(
        () => true,
        () => false,
      );
      redis.before = () => {};
      // Keys added before all strings are emptied are removed at the end of clear().
      const added = areEmptied ? await addAll(seen) : [];
      redis.entries.delete('seen:{0}');
      const next = await open(redis);
      for (const filter of [seen, next]) {
        expect(await outcomes(filter, added)).not.toContain(false);
      }
      if (isOver) {
        expect(added).toEqual(keys);
        break;
      }
    }
  });

  test('with its meta is LOST to who had it open', async () => {
    const redis = new FakeRedis();
    const seen = await open(redis);
    await seen.addMany(keys);
    for (const key of [...redis.entries.keys()]) redis.entries.delete(key);
    await open(redis);
    expect(await outcomes(seen, keys)).toEqual(['ERR_TAMIS_LOST']);
  });
});

describe('a filter that was deleted and made anew', () => {
  async function remade(options = two) {
    const redis = new FakeRedis();
    const old = await open(redis);
    await old.addMany(keys);
    const filter = await old.toFilter(0);
    for (const key of [...redis.entries.keys()]) redis.entries.delete(key);
    const made = await RedisFilter.open(redis, 'seen', options);
    return { redis, old, filter, made };
  }

  test('in the same shape is LOST to who has the old one, whatever it asks', async () => {
    const { old, filter, made } = await remade();
    expect(await outcomes(old, keys)).toEqual(['ERR_TAMIS_LOST']);
    const lost = { code: 'ERR_TAMIS_LOST' };
    await expect(old.hasMany(keys)).rejects.toMatchObject(lost);
    await expect(old.toFilter(0)).rejects.toMatchObject(lost);
    await expect(old.merge(filter, 0)).rejects.toMatchObject(lost);
    await expect(old.add('ant')).rejects.toMatchObject(lost);
    await expect(old.addMany(['bee'])).rejects.toMatchObject(lost);
    // Keys of the old filter may be reported present, but no key of the new one absent.
    await made.addMany(keys);
    expect(await outcomes(made, keys)).toEqual([true]);
    expect(await outcomes(old, keys)).toEqual(['ERR_TAMIS_LOST']);
  });

  test.each([
    { capacity: 50, shards: 2 },
    { capacity: 50_000, shards: 2 },
    { capacity, shards: 1 },
  ])('as %p is LOST too', async (options) => {
    const { old, made } = await remade(options);
    await made.addMany(keys);
    expect(await outcomes(old, keys)).toEqual(['ERR_TAMIS_LOST']);
    expect(await outcomeOf(old.add('ant'))).toBe('ERR_TAMIS_LOST');
    expect(await outcomes(made, keys)).not.toContain(false);
  });

  test('is one that clear() empties for both', async () => {
    const { old, made } = await remade();
    await made.addMany(keys);
    await old.clear();
    for (const filter of [old, made]) expect(await outcomes(filter, keys)).toEqual([false]);
    await old.addMany(keys);
    for (const filter of [old, made]) expect(await outcomes(filter, keys)).toEqual([true]);
  });
});

test('clear() by another changes the tag, and who has the filter open goes on', async () => {
  const redis = new FakeRedis();
  const [one, other] = await Promise.all([open(redis), open(redis)]);
  const tail = () => [...(redis.bytes('seen:{0}') ?? [])].slice(-7);
  const before = tail();
  await one.clear();
  expect(tail()).not.toEqual(before);
  // The first add afterwards gives the true state.
  expect(await Promise.all(keys.slice(0, 12).map((key) => other.add(key)))).not.toContain(
    'ERR_TAMIS_LOST',
  );
  expect(await other.has('key 7')).toBe(true);
  await one.clear();
  const key = keys.find((word) => other.shardOf(word) === 0) as string;
  expect(await other.add(key)).toBe(true);
  expect(await other.add(key)).toBe(false);
  await one.clear();
  const filter = await other.toFilter(0);
  expect(filter.count).toBe(0);
});

describe('a server that loses what is written', () => {
  test.each([
    ['all of it', () => true],
    ['the meta', (key: string) => key === 'seen:meta'],
  ])('%s: open ends with UNAVAILABLE, after rests', async (_, isLost) => {
    const redis = new FakeRedis();
    const call = async (words: readonly (string | Uint8Array)[]) => {
      const reply = await redis.call(words);
      for (const key of [...redis.entries.keys()]) if (isLost(key)) redis.entries.delete(key);
      return reply;
    };
    await expect(open({ call })).rejects.toMatchObject({
      code: 'ERR_TAMIS_UNAVAILABLE',
      message: expect.stringContaining('seen'),
    });
    expect(rests.length).toBeGreaterThan(10);
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(10);
    expect(rests.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(30_000);
    expect(redis.sent.length).toBeLessThan(20 * rests.length);
  });
});
