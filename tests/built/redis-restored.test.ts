/** Strings from an older dump, or the rest after a loss, are ERR_TAMIS_LOST. Invalid replies are refused. */
import { describe, expect, test } from '@jest/globals';
import { RedisFilter } from 'tamis/redis';
import { FakeRedis, skipRests } from '../js/support/fake-redis.js';

const rests = skipRests();

const capacity = 1000;
const code = (name: string) => ({ code: `ERR_TAMIS_${name}` });
const open = (client: Pick<FakeRedis, 'call'>) => RedisFilter.open(client, 'seen', { capacity });
type Words = readonly (string | Uint8Array)[];

/** A server that keeps its content at the time when a step of this stage was entered. */
function keeper(stage: number, isKept = (_words: string[]) => true) {
  const redis = new FakeRedis();
  let restore: (() => void) | undefined;
  const call = async (words: Words) => {
    const reply = await redis.call(words);
    const step = String(words[3]).split(' ');
    const isStep = words[0] === 'HSETNX' && step.length === 4 && Number(step[2]) === stage;
    if (isStep && isKept(step)) restore ??= redis.save();
    return reply;
  };
  return { redis, call, restore: () => restore?.() };
}

describe('a dump that is older', () => {
  test('than a clear() is LOST to who saw it, until clear()', async () => {
    const redis = new FakeRedis();
    const seen = await open(redis);
    await seen.add('old');
    const restore = redis.save();
    await seen.clear();
    await seen.add('new');
    restore();
    await expect(seen.has('new')).rejects.toMatchObject(code('LOST'));
    await expect(seen.add('new')).rejects.toMatchObject(code('LOST'));
    await seen.clear();
    expect([await seen.has('old'), await seen.add('new')]).toEqual([false, true]);
  });

  test('than a clear(), after which others cleared: it is LOST, or was cleared', async () => {
    const redis = new FakeRedis();
    const seen = await open(redis);
    const restore = redis.save();
    await seen.clear();
    await seen.add('new');
    restore();
    const other = await open(redis);
    await other.clear();
    await expect(seen.has('new')).rejects.toMatchObject(code('LOST'));
    await other.clear();
    expect(await seen.has('new')).toBe(false);
  });

  test('than the end of the making, which another ends again, is LOST', async () => {
    const server = keeper(0);
    const seen = await open(server);
    await seen.addMany(['old', 'new']);
    for (let more = 0; more < 3; more++) {
      server.redis.entries.clear();
      server.restore();
      await open(server.redis);
      await expect(seen.has('old')).rejects.toMatchObject(code('LOST'));
      await expect(seen.add('old')).rejects.toMatchObject(code('LOST'));
    }
  });

  test('than the end of a clear(), which others end again by many steps, is LOST', async () => {
    const server = keeper(2);
    const seen = await open(server);
    await seen.clear();
    await seen.add('new');
    server.redis.entries.clear();
    server.restore();
    for (let more = 0; more < 5; more++) {
      server.redis.before = ([command]) => {
        if (command === 'DEL') throw new Error('the connection was cut');
      };
      await expect(open(server.redis)).rejects.toMatchObject(code('UNAVAILABLE'));
    }
    server.redis.before = () => {};
    await open(server.redis);
    await expect(seen.has('new')).rejects.toMatchObject(code('LOST'));
  });
});

describe('what a rejected add leaves after all was lost', () => {
  async function left() {
    const redis = new FakeRedis();
    const old = await open(redis);
    redis.entries.clear();
    await expect(old.add('ant')).rejects.toMatchObject(code('LOST'));
    const opening = open(redis);
    await expect(opening).rejects.toMatchObject({
      ...code('LOST'),
      message: expect.stringMatching(/seen:\{0\}.* DEL .*clear\(\)/),
    });
    return { redis, old };
  }

  test('is LOST to the next open, until the string is deleted', async () => {
    const { redis, old } = await left();
    await redis.call(['DEL', 'seen:{0}']);
    const next = await open(redis);
    expect([await next.has('ant'), await next.add('ant')]).toEqual([false, true]);
    await expect(old.has('ant')).rejects.toMatchObject(code('LOST'));
  });

  test('or until clear() by who had it open', async () => {
    const { redis, old } = await left();
    await old.clear();
    const next = await open(redis);
    for (const filter of [old, next]) expect(await filter.has('ant')).toBe(false);
    expect(await old.add('ant')).toBe(true);
  });
});

describe('open ends', () => {
  const ends = async (call: (words: Words) => Promise<unknown>) => {
    await expect(open({ call })).rejects.toMatchObject({ code: expect.stringMatching(/^ERR_/) });
    expect(rests.length).toBeLessThan(500);
  };

  test.each([[[]], [''], [0], [null]])('where each reply is %p', (reply) =>
    ends(async () => reply),
  );

  test('where what is read is old, always or in turn', async () => {
    const redis = new FakeRedis();
    await open(redis);
    const [shape = ''] = redis.values('seen:meta');
    const { id } = JSON.parse(shape);
    const stale = [`${id} 2 0 9`, `${id} 1 0 7`].map((step) => [shape, step]);
    for (const replies of [stale.slice(0, 1), stale]) {
      let reads = 0;
      await ends(async ([command]) => {
        if (reads > 5000) throw new Error('it goes on');
        return command === 'HVALS' ? replies[reads++ % replies.length] : 1;
      });
      expect(reads).toBeLessThan(1000);
      rests.length = 0;
    }
  });
});

describe('a client whose numbers are', () => {
  const opened = async (form: (number: number, index: number) => unknown) => {
    const redis = new FakeRedis();
    let isOn = false;
    const call = async (words: Words) => {
      const reply = await redis.call(words);
      return isOn && Array.isArray(reply) ? reply.map(form) : reply;
    };
    const seen = await open({ call });
    await seen.add('ant');
    isOn = true;
    return seen;
  };

  test.each([
    ['texts', String],
    ['bigints', BigInt],
    ['bytes', (number: number) => new TextEncoder().encode(String(number))],
  ])('%s is taken', async (_, form) => {
    const seen = await opened(form);
    expect([await seen.has('ant'), await seen.has('bee')]).toEqual([true, false]);
    expect([await seen.add('ant'), await seen.add('bee')]).toEqual([false, true]);
  });

  test.each([
    null,
    undefined,
    false,
    true,
    '',
    ' ',
    [],
    [1],
    {},
    '0x1',
    '1.5',
    -1,
    0.5,
    Number.NaN,
    2 ** 52,
    String(2 ** 60),
  ])('in part %p is refused: nothing is absent, and nothing new', async (value) => {
    const seen = await opened((number, i) => (i === 0 ? number : value));
    await expect(seen.has('ant')).rejects.toMatchObject(code('UNSUPPORTED'));
    await expect(seen.add('bee')).rejects.toMatchObject(code('UNSUPPORTED'));
  });

  test('not all there is refused', async () => {
    const redis = new FakeRedis();
    let isOn = false;
    const call = async (words: Words) => {
      const reply = await redis.call(words);
      if (isOn && Array.isArray(reply)) delete reply[1];
      return reply;
    };
    const seen = await open({ call });
    await seen.add('ant');
    isOn = true;
    await expect(seen.has('ant')).rejects.toMatchObject(code('UNSUPPORTED'));
    await expect(seen.add('bee')).rejects.toMatchObject(code('UNSUPPORTED'));
  });

  test('of one command none is refused by open', async () => {
    const redis = new FakeRedis();
    const call = async (words: Words) => (words[0] === 'STRLEN' ? [] : redis.call(words));
    await expect(open({ call })).rejects.toMatchObject(code('UNSUPPORTED'));
  });
});

test('a user who may not send BITFIELD_RO reads by BITFIELD', async () => {
  const redis = new FakeRedis();
  redis.before = ([command]) => {
    if (command === 'BITFIELD_RO') {
      throw new Error("NOPERM User app has no permissions to run the 'bitfield_ro' command");
    }
  };
  const seen = await open(redis);
  await seen.add('ant');
  expect([await seen.has('ant'), await seen.has('bee')]).toEqual([true, false]);
});
