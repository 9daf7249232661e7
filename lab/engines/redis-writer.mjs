// A process that adds keys to a filter: `node redis-writer.mjs ORDERS`, with JSON. Prints which keys were new.
import { once } from 'node:events';
import { RedisFilter } from 'tamis/redis';
import { random } from '../../js/examples/random.mjs';
import { connect, disconnect } from './redis-servers.mjs';

const { kind, ports, name, options, own, shared, seed, stopsWhenTold } = JSON.parse(
  process.argv[2],
);
const client = await connect(kind, ports);
const filter = await RedisFilter.open(client, name, options);

/** The numbers below `count`, in a different order for each process. */
function shuffled(count) {
  const next = random(seed);
  const places = Array.from({ length: count }, () => next());
  return [...places.keys()].sort((one, other) => places[one] - places[other]);
}

const newShared = [];
/** Adds the keys that all processes add, one by one. */
async function addShared() {
  const order = shuffled(shared);
  for (let at = 0; at < order.length; at += 1000) {
    const part = order.slice(at, at + 1000);
    const answers = await Promise.all(part.map((i) => filter.add(`shared ${i}`)));
    for (const [i, isNew] of answers.entries()) if (isNew) newShared.push(part[i]);
  }
}

let added = 0;
let newOwn = 0;
/** Adds the keys that only this process adds. */
async function addOwn(count) {
  const part = Array.from({ length: count }, (_, i) => `own ${seed} ${added + i}`);
  newOwn += await filter.addMany(part);
  added += count;
}

if (stopsWhenTold) {
  let isTold = false;
  once(process.stdin, 'data').then(() => {
    isTold = true;
  });
  while (!isTold) {
    await addOwn(100);
    if (added === 100) process.stdout.write('writing\n');
  }
  process.stdin.destroy();
} else {
  while (added < own / 2) await addOwn(1000);
  await addShared();
  while (added < own) await addOwn(1000);
}
process.stdout.write(`${JSON.stringify({ newShared, newOwn, added })}\n`);
disconnect(client);
