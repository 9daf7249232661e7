// Two sides have 100,000 ids each, all but 200 the same, and both want all ids. Instead of a list they exchange an
// invertible Bloom lookup table, whose size depends only on the differences. Or, for most of the ids, they exchange
// a Bloom filter.
//
//   node js/examples/sync-sets.mjs
import { strict as assert } from 'node:assert';
import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { BloomFilter, InvertibleBloomTable, missingFrom } from 'tamis';
import { count, printTable } from './figures.mjs';

const KEYS = 100_000;
const ONLY_HERE = 100;
const ONLY_THERE = 100;
const ID_BYTES = 16;
const FIRST_GUESS = 50;
const FPR = 0.02;
const REQUEST_BYTES = 4; // a request for a table: the number of differences

const id = (name) => createHash('sha256').update(name).digest().subarray(0, ID_BYTES);
const ids = (name, length) => Array.from({ length }, (_, i) => id(`${name}-${i}`));

const shared = ids('order', KEYS - ONLY_HERE);
const here = [...shared, ...ids('here', ONLY_HERE)];
const there = [...shared, ...ids('there', ONLY_THERE)];

/** The bytes that each way sent. */
class Wire {
  received = 0;
  sent = 0;

  receive(bytes) {
    this.received += bytes.length;
    return bytes;
  }

  send(bytes) {
    this.sent += bytes.length;
    return bytes;
  }
}

// The list of a table is certain only with a secret. Without one, an author of some ids can choose them so that they
// hide others. The asking side makes a new secret for each session, after the ids are there, and sends it along.
function tableOf(ids, differences, secret) {
  const table = new InvertibleBloomTable({ differences, keyBytes: ID_BYTES, secret });
  for (const id of ids) table.add(id);
  return table;
}

/** The other side answers a request with its table of that size. */
const answer = (differences, secret) => tableOf(there, differences, secret).toBytes();

/**
 * The ids that only one side has. Nobody knows their number: if a table cannot list all, the next one has room for
 * twice as many. Undefined if a table would be as large as the list itself.
 */
function findDifference(wire, tries, secret) {
  wire.send(secret);
  const room = (differences) => InvertibleBloomTable.sizeFor({ differences, keyBytes: ID_BYTES });
  for (let guess = FIRST_GUESS; room(guess) < here.length * ID_BYTES; guess *= 2) {
    wire.send(Buffer.alloc(REQUEST_BYTES));
    const bytes = wire.receive(answer(guess, secret));
    const theirs = InvertibleBloomTable.fromBytes(bytes, { secret });
    const { added, removed, complete } = tableOf(here, guess, secret).subtract(theirs).decode();
    const listed = added.length + removed.length;
    tries.push({ guess, bytes: bytes.length, listed, complete });
    if (complete) return { onlyHere: added, onlyThere: removed };
  }
  return undefined;
}

const hex = (keys) => keys.map((key) => Buffer.from(key).toString('hex')).sort();
const allIds = hex([...here, ...ids('there', ONLY_THERE)]);
/** The number of ids that a side still lacks. */
const lacking = (keys) => allIds.length - new Set(hex(keys)).size;

// The exact way: the difference of the tables names the ids of both sides, so only ours are left to send.
const exact = new Wire();
const tries = [];
const sessionKey = randomBytes(16);
const difference = findDifference(exact, tries, sessionKey);
assert.ok(difference, 'the sides differ in so much that the list is the shorter way');
exact.send(Buffer.concat(difference.onlyHere));
const exactMissed =
  lacking([...here, ...difference.onlyThere]) + lacking([...there, ...difference.onlyHere]);
assert.equal(exactMissed, 0, 'both sides hold all ids');

// The approximate way: each side sends a filter of its ids, and gets the ids that this filter certainly lacks.
const approximate = new Wire();
const filterOf = (keys) => BloomFilter.from(keys, { fpr: FPR }).toBytes();
const theirFilter = BloomFilter.fromBytes(approximate.receive(filterOf(there)));
const ourFilter = BloomFilter.fromBytes(approximate.send(filterOf(here)));
const forThem = missingFrom(theirFilter, here);
const forUs = missingFrom(ourFilter, there);
approximate.send(Buffer.concat(forThem));
approximate.receive(Buffer.concat(forUs));
const missed = lacking([...here, ...forUs]) + lacking([...there, ...forThem]);

// The way by lists: their list comes whole, and we send the ids that it lacks.
const list = Buffer.concat(there);
const gzipped = gzipSync(list, { level: 9 });
const back = ONLY_HERE * ID_BYTES;

console.log(`the key of this session: ${sessionKey.toString('hex')}`);
printTable(`Two sets of ${count(KEYS)} ids, that differ in ${ONLY_HERE + ONLY_THERE}`, [
  ['tables, with room for', ...tries.map(({ guess }) => count(guess))],
  ['bytes', ...tries.map(({ bytes }) => count(bytes))],
  ['differences listed', ...tries.map(({ listed }) => count(listed))],
  ['complete', ...tries.map(({ complete }) => (complete ? 'yes' : 'no'))],
]);
const row = (label, received, sent, lost) => {
  return [label, count(received), count(sent), count(received + sent), count(lost)];
};
printTable('', [
  ['bytes and ids', 'received', 'sent', 'in all', 'missed'],
  row('the list', list.length, back, 0),
  row('the list, gzipped', gzipped.length, back, 0),
  row('the tables', exact.received, exact.sent, exactMissed),
  row('two filters', approximate.received, approximate.sent, missed),
]);
