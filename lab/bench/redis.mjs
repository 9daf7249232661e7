// The part of filters in Redis. It compares RedisFilter with a Bloom filter in a bitmap, which needs seven commands per
// key: SETBIT to add, GETBIT to look up. One server and one client do both, in turn, in each round.

import { BloomFilter } from 'tamis';
import { RedisFilter } from 'tamis/redis';
import { clients, connect, disconnect, startServer } from '../engines/redis-servers.mjs';
import { summary } from './measure.mjs';

const KEYS = 50_000;
/** The number of keys whose commands are sent at once. */
const AT_ONCE = 1000;
const HASHES = 7;

/** Sends the seven commands of each key, and waits for the replies. */
async function sendBits(send, command, filter, keys) {
  const replies = [];
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    const sent = [];
    for (const key of keys.slice(at, at + AT_ONCE)) {
      for (const position of filter.positions(key)) sent.push(send(command, position));
    }
    replies.push(...(await Promise.all(sent)));
  }
  return replies;
}

/** Calls `act` for each key, and waits for the answers. */
async function eachOf(keys, act) {
  const answers = [];
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    answers.push(...(await Promise.all(keys.slice(at, at + AT_ONCE).map(act))));
  }
  return answers;
}

/** A command about one bit, as each client sends it. */
const senderOf = (client, kind) => (command, position) => {
  const words = [command, 'bitmap', `${position}`, ...(command === 'SETBIT' ? ['1'] : [])];
  return kind === 'ioredis' ? client.call(...words) : client.sendCommand(words);
};

/** Keys per second of each way, by one client. */
async function measureClient(kind, port, rounds, say) {
  const client = await connect(kind, [port]);
  const send = senderOf(client, kind);
  const bitmap = new BloomFilter({ bits: 10 * KEYS, hashes: HASHES });
  const rates = { setbit: [], add: [], addMany: [], getbit: [], has: [], hasMany: [] };
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}: ${kind}`);
    const filter = await RedisFilter.open(client, 'seen', { capacity: KEYS });
    const keys = Array.from({ length: KEYS }, (_, i) => `https://example.org/${round}/${i}`);
    const measure = async (name, act) => {
      const begin = performance.now();
      const result = await act();
      rates[name].push((1000 * KEYS) / (performance.now() - begin));
      return result;
    };
    await measure('setbit', () => sendBits(send, 'SETBIT', bitmap, keys));
    await measure('add', () => eachOf(keys, (key) => filter.add(key)));
    await filter.clear();
    await measure('addMany', () => filter.addMany(keys));
    const bits = await measure('getbit', () => sendBits(send, 'GETBIT', bitmap, keys));
    const alone = await measure('has', () => eachOf(keys, (key) => filter.has(key)));
    const found = await measure('hasMany', () => filter.hasMany(keys));
    if (bits.includes(0) || alone.includes(false) || found.includes(0))
      throw new Error('a key that was added is absent');
    await filter.clear();
    await client.del('bitmap');
  }
  disconnect(client);
  return Object.fromEntries(Object.entries(rates).map(([name, all]) => [name, summary(all)]));
}

export async function measureRedis({ rounds, say }) {
  const server = await startServer();
  try {
    const measured = {};
    for (const kind of clients)
      measured[kind] = await measureClient(kind, server.port, rounds, say);
    return { keys: KEYS, atOnce: AT_ONCE, hashes: HASHES, rounds, clients: measured };
  } finally {
    await server.stop();
  }
}
