// The senders whose mail a server refuses, and those whose mail it delivers without a scan. They are 100 million
// addresses, or 1.6 GB in a hash table. In memory the server has some bits for each. The lists stay on disk, and
// confirm refusals.
//
//   node js/examples/mail-list.mjs [ADDRESSES]   1000000 by default, up to 100000000: some minutes and 6 GB
import { strict as assert } from 'node:assert';
import { BloomFilter, BloomierMap, ExactFilter } from 'tamis';
import { count, printTable } from './figures.mjs';
import { measureHeap } from './heap.mjs';
import { randomBelow } from './random.mjs';
import { wholeNumber } from './whole-number.mjs';

const ADDRESSES = wholeNumber('ADDRESSES', 1_000_000, 1000, 100_000_000);
const BLOCKED = Math.floor(0.9 * ADDRESSES);
const SAMPLE = 1_000_000;
const MAILS = 100_000;
const CHECK_BITS = 10;
const FPR = 2 ** -CHECK_BITS;

const address = (i) => `user-${i.toString(36)}@mail-${i % 997}.example`;
const indexOf = (sender) => Number.parseInt(sender.slice('user-'.length), 36);

function* addresses(from, to) {
  for (let i = from; i < to; i++) yield address(i);
}
const blocked = () => addresses(0, BLOCKED);
const allowed = () => addresses(BLOCKED, ADDRESSES);

const verdicts = ['allowed', 'blocked'];
function* verdictOfEach() {
  for (const sender of blocked()) yield [sender, verdicts.indexOf('blocked')];
  for (const sender of allowed()) yield [sender, verdicts.indexOf('allowed')];
}

/** True if the list on disk has the sender. Here it is the rule that made the list. */
const isBlockedOnDisk = (sender) => indexOf(sender) < BLOCKED;

/** Addresses from all over a list, at most SAMPLE. */
function sample(from, to) {
  const length = Math.min(SAMPLE, to - from);
  return Array.from({ length }, (_, i) => address(from + Math.floor((i * (to - from)) / length)));
}
const asked = {
  blocked: sample(0, BLOCKED),
  allowed: sample(BLOCKED, ADDRESSES),
  neither: sample(ADDRESSES, 2 * ADDRESSES),
};

/** The bytes of a structure, and the number of blocked senders among those that it looks up. */
function measure(structure, callsBlocked) {
  const counts = Object.entries(asked).map(([list, senders]) => [
    list,
    callsBlocked(senders).reduce((sum, yes) => sum + yes, 0),
  ]);
  return { bytes: structure.sizeBytes, ...Object.fromEntries(counts) };
}
function measureFilter(filter) {
  const measured = measure(filter, (senders) => filter.hasMany(senders));
  filter.dispose();
  return measured;
}

// One structure after the other: during its build, each takes far more memory than afterwards.
const bloom = new BloomFilter({ capacity: BLOCKED, fpr: FPR });
bloom.addMany(blocked());
const byBloom = measureFilter(bloom);
const both = { include: blocked(), exclude: allowed() };
const byExact = measureFilter(ExactFilter.from(both, { fpr: FPR }));
const map = BloomierMap.from(verdictOfEach(), { valueBits: 1, checkBits: CHECK_BITS });
// The verdict 1 is 'blocked', and the value is 0 for keys that are not found.
const byMap = measure(map, (senders) => map.getMany(senders).values);

// JavaScript's own collections, with flat strings as a file has them. A Map ends at 2^24 entries.
const few = Math.min(ADDRESSES, SAMPLE);
const { bytes: mapBytes } = measureHeap(() => {
  const verdictOf = new Map();
  for (const sender of addresses(0, few)) verdictOf.set(Buffer.from(sender).toString(), 'blocked');
  return verdictOf;
});

const bitsEach = (bytes, addresses) => ((8 * bytes) / addresses).toFixed(1);
const sizes = [
  [`a Map of ${count(few)} of them`, mapBytes, few],
  ['a half-full table of 8-byte hashes', 16 * ADDRESSES, ADDRESSES],
  ['BloomFilter of the blocked', byBloom.bytes, ADDRESSES],
  ['ExactFilter of both lists', byExact.bytes, ADDRESSES],
  ['BloomierMap of both lists', byMap.bytes, ADDRESSES],
];
printTable(`${count(BLOCKED)} addresses are blocked, and ${count(ADDRESSES - BLOCKED)} allowed`, [
  ['', 'bytes', 'bits per address'],
  ...sizes.map(([label, bytes, of]) => [label, count(bytes), bitsEach(bytes, of)]),
]);

const answers = [
  ['BloomFilter', byBloom],
  ['ExactFilter', byExact],
  ['BloomierMap', byMap],
];
printTable(`\nLooked up, at a rate of 1 in ${count(1 / FPR)}: addresses that are`, [
  ['', ...Object.keys(asked)],
  ['looked up', ...Object.values(asked).map(({ length }) => count(length))],
  ...answers.map(([name, measured]) => [
    `called blocked by ${name}`,
    ...Object.keys(asked).map((list) => count(measured[list])),
  ]),
]);
for (const [name, measured] of answers) {
  assert.equal(measured.blocked, asked.blocked.length, `${name} misses no blocked address`);
}
assert.equal(byExact.allowed + byMap.allowed, 0, 'no allowed address is called blocked');

// The server at work: six mails in ten come from a blocked sender, and three from an allowed one.
const below = randomBelow(7);
const senderFrom = {
  blocked: () => below(BLOCKED),
  allowed: () => BLOCKED + below(ADDRESSES - BLOCKED),
  neither: () => ADDRESSES + below(ADDRESSES),
};
const lists = [...Array(6).fill('blocked'), ...Array(3).fill('allowed'), 'neither'];
const deeds = ['mails', 'looked up on disk', 'refused', 'delivered at once', 'scanned for spam'];
const tally = Object.fromEntries(
  deeds.map((deed) => [deed, { blocked: 0, allowed: 0, neither: 0 }]),
);
for (let i = 0; i < MAILS; i++) {
  const list = lists[i % lists.length];
  const sender = address(senderFrom[list]());
  const note = (deed) => tally[deed][list]++;
  note('mails');
  const verdict = verdicts[map.get(sender)];
  if (verdict === 'blocked') {
    // No mail is refused by chance. Nearly every sender on neither list is `undefined` at once.
    note('looked up on disk');
    note(isBlockedOnDisk(sender) ? 'refused' : 'scanned for spam');
  } else if (verdict === 'allowed') note('delivered at once');
  else note('scanned for spam');
}
printTable(`\nThe BloomierMap before the disk, ${count(MAILS)} mails`, [
  ['from', ...Object.keys(asked)],
  ...deeds.map((deed) => [deed, ...Object.values(tally[deed]).map(count)]),
]);
assert.deepEqual(tally.refused, { blocked: tally.mails.blocked, allowed: 0, neither: 0 });
