// The Redis part. It compares RedisFilter with a Bloom filter in a bitmap, which needs seven commands per key: SETBIT
// to add, GETBIT to look up. In each round, one client uses both on one server, in turn.

import { BloomFilter } from 'tamis';
import { RedisFilter } from 'tamis/redis';
import { clients, connect, disconnect, startServer } from '../engines/redis-servers.mjs';
import { figuresInTurn, timeOnce } from './measure.mjs';

const KEYS = 50_000;
/** How many keys are sent at once. */
const AT_ONCE = 1000;
const HASHES = 7;

/** Calls `act` for each key, and waits for all answers. */
async function eachOf(keys, act) {
  const answers = [];
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    answers.push(...(await Promise.all(keys.slice(at, at + AT_ONCE).map(act))));
  }
  return answers;
}

/** Returns a function that sends a command about one bit, in the way of each client. */
const senderOf = (client, kind) => (command, position) => {
  const words = [command, 'bitmap', `${position}`, ...(command === 'SETBIT' ? ['1'] : [])];
  return kind === 'ioredis' ? client.call(...words) : client.sendCommand(words);
};

function expectAll(answers) {
  if (answers.some((answer) => !answer)) throw new Error('a key that was added is absent');
}

/** Measures the keys per second of both filters with one client. */
async function measureClient(kind, port, rounds) {
  const client = await connect(kind, [port]);
  const send = senderOf(client, kind);
  const bitmap = new BloomFilter({ bits: 10 * KEYS, hashes: HASHES });
  const filter = await RedisFilter.open(client, 'seen', { capacity: KEYS });
  let keys;
  const begin = async (round) => {
    keys = Array.from({ length: KEYS }, (_, i) => `https://example.org/${round}/${i}`);
    await filter.clear();
    await client.del('bitmap');
  };
  const bits = (command) => () =>
    eachOf(keys, (key) =>
      Promise.all(Array.from(bitmap.positions(key), (position) => send(command, position))),
    );
  const wait = (act, options) => timeOnce(act, { isWaiting: true, ...options });
  const ways = {
    setbit: (round) => wait(bits('SETBIT'), { input: () => begin(round) }),
    add: () => wait(() => eachOf(keys, (key) => filter.add(key))),
    addMany: () => wait(() => filter.addMany(keys), { input: () => filter.clear() }),
    getbit: () => wait(bits('GETBIT'), { after: (replies) => expectAll(replies.flat()) }),
    has: () => wait(() => eachOf(keys, (key) => filter.has(key)), { after: expectAll }),
    hasMany: () => wait(() => filter.hasMany(keys), { after: expectAll }),
  };
  const figures = Object.entries(await figuresInTurn(rounds, ways));
  disconnect(client);
  return Object.fromEntries(
    figures.map(([name, [, ms]]) => [name, Math.round((1000 * KEYS) / ms)]),
  );
}

export async function measureRedis({ rounds, say }) {
  const server = await startServer();
  try {
    const measured = {};
    for (const kind of clients) {
      say(`Redis by ${kind}`);
      measured[kind] = await measureClient(kind, server.port, rounds);
    }
    return { keys: KEYS, atOnce: AT_ONCE, hashes: HASHES, rounds, clients: measured };
  } finally {
    await server.stop();
  }
}
