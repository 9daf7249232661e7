// Several processes crawl a web together. The URLs to visit wait in a list in Redis. A RedisFilter has the URLs that
// were met: `seen.add(url)` is true in at most one process, so no page is visited twice.
//
//   node js/examples/crawler-frontier.mjs [--redis URL] [--processes 4] [--pages 100000]
//
// Without --redis it starts a redis-server of its own, and ends it.
import { strict as assert } from 'node:assert';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RedisFilter } from 'tamis/redis';
import { binomialInterval } from './binomial.mjs';
import { connect, startRedis } from './crawler-redis.mjs';
import { count, percent, printTable } from './figures.mjs';
import { linksOf, pageUrl } from './made-web.mjs';

const FPR = 0.001;
const ABSENT = 100_000;
/** The probability, on either side, that a right filter fails the check. */
const ALPHA = 1e-9;

const { values } = parseArgs({
  options: {
    redis: { type: 'string' },
    processes: { type: 'string', default: '4' },
    pages: { type: 'string', default: '100000' },
  },
});

/** The whole number of an option. */
function numberOf(name) {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number > 0) return number;
  return end({ message: `--${name} ${values[name]}: expected a whole number above 0` });
}

function end({ message }) {
  console.error(message);
  process.exit(2);
}

const [processes, size] = [numberOf('processes'), numberOf('pages')];
const options = { capacity: size, fpr: FPR };

/** A process that crawls. `run` resolves to the pages that it visited. */
function startWorker(redis, keys) {
  const program = fileURLToPath(new URL('crawler-worker.mjs', import.meta.url));
  const child = fork(program, [JSON.stringify({ redis, keys, size, options })]);
  const died = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`a process of the crawl ended with ${signal ?? code}`);
  });
  died.catch(() => {});
  const hear = async () => (await Promise.race([once(child, 'message'), died]))[0];
  return {
    ready: hear(),
    run() {
      child.send('go');
      return hear();
    },
    stop: () => child.kill(),
  };
}

/** Visits all pages that the first one leads to. Returns the pages of each process, in the order of the processes. */
async function crawl(client, redis, keys, seen) {
  const workers = Array.from({ length: processes }, () => startWorker(redis, keys));
  try {
    await Promise.all(workers.map(({ ready }) => ready));
    const first = pageUrl(0);
    await seen.add(first);
    await client.multi().set(keys.unfinished, 1).rPush(keys.frontier, first).exec();
    return await Promise.all(workers.map(({ run }) => run()));
  } finally {
    for (const { stop } of workers) stop();
  }
}

/** Bytes of memory that Redis has for some of its keys: whole, not from samples. */
async function memoryOf(client, names) {
  const sizes = await Promise.all(names.map((name) => client.memoryUsage(name, { SAMPLES: 0 })));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** The keys of a filter in Redis: its strings, and a text about them. */
function keysOf({ figures: { name, shards } }) {
  return [`${name}:meta`, ...Array.from({ length: shards }, (_, i) => `${name}:{${i}}`)];
}

/** Bytes of a Redis set of these URLs. */
async function memoryOfSet(client, key, urls) {
  for (let at = 0; at < urls.length; at += 1000) await client.sAdd(key, urls.slice(at, at + 1000));
  assert.equal(await client.sCard(key), urls.length);
  return memoryOf(client, [key]);
}

async function report(client, keys, seen, results) {
  const visited = results.flatMap((result) => result.visited);
  const links = results.reduce((sum, result) => sum + result.links, 0);
  // For the tally: a crawler has no such sets.
  const distinct = new Set(visited);
  const met = new Set([pageUrl(0), ...visited.flatMap((url) => linksOf(url, size))]);
  assert.equal(visited.length, distinct.size, 'nothing is visited twice');
  const skipped = met.size - distinct.size;
  // A filter below its capacity has less than its rate, so this is the most.
  const most = binomialInterval(met.size, FPR, ALPHA).high;
  assert.ok(skipped <= most, `${skipped} false positives`);

  const absent = Array.from({ length: ABSENT }, (_, i) => `https://other.example/${i}`);
  const passed = (await seen.hasMany(absent)).reduce((sum, answer) => sum + answer, 0);
  const { estimatedFpr } = await seen.toFilter();
  const { low, high } = binomialInterval(ABSENT, estimatedFpr, ALPHA);
  assert.ok(passed >= low && passed <= high, `${passed} of ${ABSENT} absent URLs pass`);

  const filterBytes = await memoryOf(client, keysOf(seen));
  const setBytes = await memoryOfSet(client, keys.set, [...distinct]);

  printTable(`${processes} processes crawl a web of ${count(size)} pages`, [
    ['pages visited', count(visited.length)],
    ['by each process', ...results.map((result) => count(result.visited.length))],
    ['visited twice', count(visited.length - distinct.size)],
    ['links met', count(links)],
    ['different ones', count(met.size)],
    ['skipped, false positive', count(skipped), percent(skipped / met.size, 3)],
    ['designed rate, of a full filter', count(Math.round(met.size * FPR)), percent(FPR, 3)],
    ['lost, linked by skipped pages only', count(size - met.size)],
    ['absent URLs looked up afterwards', count(ABSENT)],
    ['false positives', count(passed), percent(passed / ABSENT, 3)],
    ['rate of the content', count(Math.round(ABSENT * estimatedFpr)), percent(estimatedFpr, 3)],
    ['bytes of the filter in Redis', count(filterBytes)],
    ['bytes of a Redis set of these URLs', count(setBytes)],
  ]);
}

const own = values.redis === undefined ? await startRedis().catch(end) : undefined;
const redis = values.redis ?? own.url;
const client = await connect(redis).catch(end);
const run = `crawl-${crypto.randomUUID()}`;
const keys = Object.fromEntries(
  ['seen', 'frontier', 'unfinished', 'set'].map((name) => [name, `${run}:${name}`]),
);
try {
  const seen = await RedisFilter.open(client, keys.seen, options);
  await report(client, keys, seen, await crawl(client, redis, keys, seen));
} finally {
  // A Redis that others use keeps nothing of this run.
  for await (const found of client.scanIterator({ MATCH: `${run}:*`, COUNT: 1000 })) {
    if (found.length > 0) await client.unlink(found);
  }
  client.destroy();
  await own?.stop();
}
