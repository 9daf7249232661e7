// Which of 64 servers may hold this key? Each server sends the router a filter of its keys. The router
// hashes a key once, looks it up in all filters, and sends a request only to servers whose filter says "perhaps".
//
//   node js/examples/servers.mjs
import { strict as assert } from 'node:assert';
import { BloomFilter, hashKeys } from 'tamis';
import { count, micros, percent, printTable } from './figures.mjs';
import { randomBelow } from './random.mjs';

const SERVERS = 64;
const KEYS = 320_000;
const QUESTIONS = 25_000;
const FPR = 0.001;

const below = randomBelow(1);
const order = (i) => `order-${i}`;

// No rule tells the router the server of a key: keys move when a server is full.
const homes = Uint8Array.from({ length: KEYS }, () => below(SERVERS));
const held = Array.from({ length: SERVERS }, () => []);
homes.forEach((server, i) => {
  held[server].push(order(i));
});
const sent = held.map((keys) => BloomFilter.from(keys, { fpr: FPR }).toBytes());

// The router's side. One look-up in five is for a key that no server has.
const filters = sent.map((bytes) => BloomFilter.fromBytes(bytes));
const asked = Array.from({ length: QUESTIONS }, (_, i) => (i % 5 ? below(KEYS) : KEYS + i));
const keys = asked.map(order);

let start = performance.now();
const hashes = hashKeys(keys);
const answers = filters.map((filter) => filter.hasHashes(hashes));
const onceMs = performance.now() - start;

start = performance.now();
const again = filters.map((filter) => filter.hasMany(keys));
const manyMs = performance.now() - start;
assert.deepEqual(answers, again, 'hashed once or by each filter: the same answers');

let requests = 0;
let found = 0;
answers.forEach((perhaps, server) => {
  perhaps.forEach((yes, i) => {
    requests += yes;
    if (yes && homes[asked[i]] === server) found++;
  });
});
const present = asked.filter((i) => i < KEYS).length;
assert.equal(found, present, 'no key is missed');

const toAll = SERVERS * QUESTIONS;
const bytes = sent.reduce((sum, { length }) => sum + length, 0);
printTable(`${SERVERS} servers, a filter of each at the router`, [
  ['keys on the servers', count(KEYS)],
  ['bytes of the filters', count(bytes)],
  ['bits per key', ((8 * bytes) / KEYS).toFixed(1)],
  ['keys asked for', count(QUESTIONS)],
  ['held by a server', count(present)],
  ['held keys missed', count(present - found)],
  ['requests, asking every server', count(toAll)],
  ['requests, asking the filters', count(requests)],
  ['requests saved', percent(1 - requests / toAll)],
  ['requests in vain', count(requests - found)],
  ['in vain by the designed rate', count(Math.round((toAll - found) * FPR))],
  ['time per key, hashed once', micros(onceMs / QUESTIONS)],
  ['time per key, hashed by each filter', micros(manyMs / QUESTIONS)],
]);
