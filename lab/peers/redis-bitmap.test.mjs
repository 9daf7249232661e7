// Checks a filter in a plain Redis string. Clients with this layout have their own rule for the bits; the tests use
// Guava's rule, which a real library computes. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { guava, redisBitmap } from 'tamis/interop';
import { guava64 } from 'tamis/schemes';
import { startServer } from '../engines/redis-servers.mjs';
import { answersOf, checkSample, sameBytes } from './checks.mjs';
import { linesOf, makeMillion, makeSample } from './keys.mjs';
import { programOf, startOf } from './peer.mjs';

const { command, skip } = startOf('redis');
const peer = programOf('guava');

const HEADER = 6;

const AT_ONCE = 100_000;
const SET_BITS = `
  for at = 1, #ARGV[1], 4 do
    redis.call('SETBIT', KEYS[1], struct.unpack('<I4', ARGV[1], at), 1)
  end`;

/** Where bit p is in Guava's file, whose words are big-endian. */
const byteOf = (p) => HEADER + 8 * (p >>> 6) + 7 - ((p & 63) >>> 3);

describe('Redis without a module', { skip: skip || peer.skip }, () => {
  let redis;
  before(async () => {
    redis = await startServer(...command.slice(1));
  });
  after(() => redis?.stop());

  const bitsOf = (dump) => 8 * (dump.length - HEADER);

  /** Sets the bits of Guava's file one by one, as clients do. The server itself reads the list of bits. */
  async function setBits(name, dump) {
    const positions = Array.from({ length: bitsOf(dump) }, (_, p) => p);
    const set = positions.filter((p) => (dump[byteOf(p)] >> (p & 7)) & 1);
    for (let i = 0; i < set.length; i += AT_ONCE) {
      const list = Uint32Array.from(set.slice(i, i + AT_ONCE));
      await redis.binary('EVAL', SET_BITS, 1, name, new Uint8Array(list.buffer));
    }
  }

  /** Makes Guava's file from the bits that GETBIT returns. */
  async function getBits(name, header, bits) {
    const file = new Uint8Array(HEADER + bits / 8);
    file.set(header.subarray(0, HEADER));
    const replies = Array.from({ length: bits }, (_, p) => redis.binary('GETBIT', name, p));
    (await Promise.all(replies)).forEach((bit, p) => {
      file[byteOf(p)] |= Number(bit) << (p & 7);
    });
    return file;
  }

  const decode = (string, dump) =>
    redisBitmap.decode(string, { bits: bitsOf(dump), hashes: dump[1], scheme: guava64 });

  for (const type of ['utf8', 'bytes', 'int64']) {
    test(`a filter of ${type}: both ways`, async () => {
      const { lines, probes, probeLines } = makeSample(type);
      const dump = peer.build(lines, type, 3000, 0.01, 'mitz64');
      const theirs = peer.ask(dump, probeLines, type);
      await setBits(type, dump);
      const string = await redis.binary('GET', type);
      const read = decode(string, dump);
      checkSample(answersOf(read, type, probes), theirs);
      sameBytes(redisBitmap.encode(read), string);

      const name = `${type} of tamis`;
      await redis.binary('SET', name, redisBitmap.encode(guava.decode(dump)));
      const file = await getBits(name, dump, bitsOf(dump));
      sameBytes(file, dump);
      checkSample(peer.ask(file, probeLines, type), theirs);
    });
  }

  test('a million keys, in both directions', async () => {
    const keys = makeMillion();
    const lines = linesOf('utf8', keys);
    const dump = peer.build(lines, 'utf8', 1e6, 0.01, 'mitz64');
    await setBits('million', dump);
    const string = await redis.binary('GET', 'million');
    assert.equal(decode(string, dump).hasMany(keys).indexOf(0), -1);

    const made = guava.create({ capacity: 1e6, fpr: 0.01 });
    made.addMany(keys);
    await redis.binary('SET', 'million of tamis', redisBitmap.encode(made));
    sameBytes(await redis.binary('GET', 'million of tamis'), string);
  });
});
