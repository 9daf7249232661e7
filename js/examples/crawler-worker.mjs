// A process that crawler-frontier.mjs starts. It takes URLs from a list in Redis, visits them, and adds the links that
// no process has met before.
//
// A process that dies loses the URLs that it had taken, and the new links on them. The filter has all of these, so
// nobody visits them again. A crawl that must lose none adds a URL when it is taken, not when a link to it is met.
// Such a URL stays in a second list (LMOVE) until its links are in the frontier.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisFilter } from 'tamis/redis';
import { connect } from './crawler-redis.mjs';
import { linksOf } from './made-web.mjs';

/** The number of URLs that are taken at once. The adds of all their links share commands. */
const TOGETHER = 16;
const POLL_MS = 5;

const { redis, keys, size, options } = JSON.parse(process.argv[2]);
// The process ends with the one that started it, but only after that got all messages.
process.once('disconnect', () => process.exit());

const client = await connect(redis);
const seen = await RedisFilter.open(client, keys.seen, options);
const visited = [];
let links = 0;

/** Visits a page. Returns its new links. */
async function visit(url) {
  visited.push(url);
  const found = linksOf(url, size);
  links += found.length;
  const isNew = await Promise.all(found.map((link) => seen.add(link)));
  return found.filter((_, i) => isNew[i]);
}

/** Takes waiting URLs until all are visited: then none waits, and no process works on a page with links. */
async function crawl() {
  for (;;) {
    const urls = await client.lPopCount(keys.frontier, TOGETHER);
    if (urls) {
      const found = (await Promise.all(urls.map(visit))).flat();
      const step = client.multi().incrBy(keys.unfinished, found.length - urls.length);
      if (found.length > 0) step.rPush(keys.frontier, found);
      await step.exec();
    } else if ((await client.get(keys.unfinished)) === '0') {
      return;
    } else {
      await sleep(POLL_MS);
    }
  }
}

process.send('ready');
await once(process, 'message');
await crawl();
process.send({ visited, links });
client.destroy();
