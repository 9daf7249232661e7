// Checks filters of RedisBloom's own module in a running server. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BloomFilter } from 'tamis';
import { redisBloom, redisCuckoo } from 'tamis/interop';
import { redisbloom } from 'tamis/schemes';
import { startServer } from '../engines/redis-servers.mjs';
import { answersOf, checkAnswers, checkSample, sameBytes } from './checks.mjs';
import { makeMillion, makeSample } from './keys.mjs';
import { startOf } from './peer.mjs';

const { command, skip } = startOf('redisbloom');

/** The encoding for each type of keys. For Redis, numbers are decimal digits. */
const SAMPLES = { utf8: 'utf8', bytes: 'bytes', int64: 'decimal' };
const sent = (key) => (typeof key === 'bigint' ? `${key}` : key);

describe('RedisBloom', { skip }, () => {
  let redis;
  before(async () => {
    redis = await startServer(...command.slice(1));
  });
  after(() => redis?.stop());

  /** Sends a command for many keys, a thousand at a time. Returns all replies in one array. */
  async function callMany(command, name, keys) {
    const replies = [];
    for (let i = 0; i < keys.length; i += 1000) {
      replies.push(redis.binary(command, name, ...keys.slice(i, i + 1000)));
    }
    return (await Promise.all(replies)).flat();
  }

  /** All replies of SCANDUMP, from the first to the last. */
  async function dump(family, name) {
    const chunks = [];
    for (let at = 0; ; ) {
      const [next, bytes] = await redis.binary(`${family}.SCANDUMP`, name, at);
      if (Number(next) === 0) return chunks;
      chunks.push([Number(next), bytes]);
      at = next;
    }
  }

  async function load(family, name, chunks) {
    for (const [next, bytes] of chunks) {
      assert.equal(String(await redis.binary(`${family}.LOADCHUNK`, name, next, bytes)), 'OK');
    }
  }

  const ask = async (family, name, keys) => {
    const replies = await callMany(`${family}.MEXISTS`, name, keys.map(sent));
    return replies.map(Number).join('');
  };

  function sameChunks(actual, expected) {
    assert.deepEqual(
      actual.map(([next]) => Number(next)),
      expected.map(([next]) => next),
    );
    actual.forEach(([, bytes], i) => {
      sameBytes(bytes, expected[i][1]);
    });
  }

  /** Compares a filter on the server with the one that tamis reads, and with the one that it loads back. */
  async function checkFilter(family, codec, name, encoding, probes) {
    const chunks = await dump(family, name);
    const theirs = await ask(family, name, probes);
    const read = codec.decode(chunks);
    checkSample(answersOf(read, encoding, probes), theirs);
    sameChunks(codec.encode(read), chunks);
    await load(family, `${name} again`, codec.encode(read));
    checkSample(await ask(family, `${name} again`, probes), theirs);
    return chunks;
  }

  const reserve = (name, { capacity, fpr }, ...more) =>
    redis.binary('BF.RESERVE', name, fpr, capacity, ...more);

  const oneLayer = [
    { kind: 'scaling', words: [], options: {} },
    { kind: 'not scaling', words: ['NONSCALING'], options: { scaling: false } },
    { kind: 'growing by 4', words: ['EXPANSION', 4], options: { growth: 4 } },
  ];
  for (const [type, encoding] of Object.entries(SAMPLES)) {
    for (const { kind, words, options } of oneLayer) {
      test(`a filter of ${type}, ${kind}: both ways`, async () => {
        const { keys, probes } = makeSample(type);
        const name = `${type} ${kind}`;
        const size = { capacity: 3000, fpr: 0.01 };
        await reserve(name, size, ...words);
        await callMany('BF.MADD', name, keys.map(sent));
        const chunks = await checkFilter('BF', redisBloom, name, encoding, probes);

        const made = redisBloom.create({ ...size, ...options });
        // Redis skips a key that seems to be in the filter, so it also skips false positives.
        for (const key of keys.map(sent)) if (!made.has(key)) made.add(key);
        sameChunks(redisBloom.encode(made), chunks);
      });
    }
  }

  test('a filter of any size that tamis wrote is a live filter of Redis', async () => {
    const { keys, probes } = makeSample('utf8');
    const made = new BloomFilter({ bits: 30008, hashes: 5, scheme: redisbloom });
    made.addMany(keys);
    await load('BF', 'live', redisBloom.encode(made));
    checkAnswers(await ask('BF', 'live', probes), answersOf(made, 'utf8', probes));
    const added = probes.slice(-400);
    await callMany('BF.MADD', 'live', added);
    const read = redisBloom.decode(await dump('BF', 'live'));
    assert.equal(read.hasMany(added).indexOf(0), -1);
    checkAnswers(answersOf(read, 'utf8', probes), await ask('BF', 'live', probes));
  });

  for (const growth of [1, 2, 3]) {
    test(`a filter of several layers, each ${growth} times as large`, async () => {
      const { keys, probes } = makeSample('utf8');
      const name = `layers ${growth}`;
      await reserve(name, { capacity: 300, fpr: 0.01 }, 'EXPANSION', growth);
      await callMany('BF.MADD', name, keys);
      const { length } = await checkFilter('BF', redisBloom, name, 'utf8', probes);
      assert.ok(length > 3, `${length - 1} layers`);
    });
  }

  test('a million keys, in both directions', async () => {
    const keys = makeMillion();
    const size = { capacity: 1e6, fpr: 0.01 };
    await reserve('million', size);
    await callMany('BF.MADD', 'million', keys);
    const read = redisBloom.decode(await dump('BF', 'million'));
    assert.equal(read.hasMany(keys).indexOf(0), -1);
    const made = redisBloom.create(size);
    made.addMany(keys);
    await load('BF', 'million of tamis', redisBloom.encode(made));
    assert.equal((await ask('BF', 'million of tamis', keys)).indexOf('0'), -1);
  });

  test('a filter of more than one chunk', async () => {
    const { keys, probes } = makeSample('bytes');
    const size = { capacity: 2e7, fpr: 0.01 };
    const made = redisBloom.create(size);
    made.addMany(keys);
    const chunks = redisBloom.encode(made);
    assert.ok(chunks.length > 2, `${chunks.length} chunks`);
    await load('BF', 'large', chunks);
    const theirs = await ask('BF', 'large', probes);
    checkSample(answersOf(made, 'bytes', probes), theirs);
    sameChunks(chunks, await dump('BF', 'large'));
  });

  const cuckoos = [
    ['4096'],
    ['4096', 'BUCKETSIZE', 4],
    ['600', 'BUCKETSIZE', 4, 'MAXITERATIONS', 50, 'EXPANSION', 2],
    ['2000', 'BUCKETSIZE', 3, 'EXPANSION', 1],
  ];
  for (const words of cuckoos) {
    for (const [type, encoding] of Object.entries(SAMPLES)) {
      test(`a cuckoo filter of ${type}: ${words.join(' ')}`, async () => {
        const { keys, probes } = makeSample(type);
        const name = `cuckoo ${type} ${words.join(' ')}`;
        await redis.binary('CF.RESERVE', name, ...words);
        await Promise.all(keys.map((key) => redis.binary('CF.ADD', name, sent(key))));
        await checkFilter('CF', redisCuckoo, name, encoding, probes);

        await Promise.all(keys.slice(0, 700).map((key) => redis.binary('CF.DEL', name, sent(key))));
        const fewer = redisCuckoo.decode(await dump('CF', name));
        checkAnswers(answersOf(fewer, encoding, probes), await ask('CF', name, probes));
      });
    }
  }

  test('a cuckoo filter of a million keys', async () => {
    const keys = makeMillion();
    await redis.binary('CF.RESERVE', 'million cuckoo', 2 ** 21, 'BUCKETSIZE', 4);
    for (let i = 0; i < keys.length; i += 1000) {
      await redis.binary('CF.INSERT', 'million cuckoo', 'ITEMS', ...keys.slice(i, i + 1000));
    }
    const read = redisCuckoo.decode(await dump('CF', 'million cuckoo'));
    assert.equal(read.hasMany(keys).indexOf(0), -1);
    await load('CF', 'million cuckoo again', redisCuckoo.encode(read));
    assert.equal((await ask('CF', 'million cuckoo again', keys)).indexOf('0'), -1);
  });
});
