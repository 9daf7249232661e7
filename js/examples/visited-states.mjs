// Can these philosophers get stuck? The model checker SPIN answers such questions: it goes through all states
// that a protocol can reach, and remembers the ones that it met. Its bitstate search remembers a few bits of each,
// in a Bloom filter. A false positive is skipped, with the states that only it leads to.
//
//   node js/examples/visited-states.mjs [PHILOSOPHERS]
import { strict as assert } from 'node:assert';
import { BloomFilter } from 'tamis';
import { count, percent, printTable } from './figures.mjs';
import { measureHeap } from './heap.mjs';
import { wholeNumber } from './whole-number.mjs';

const PHILOSOPHERS = wholeNumber('PHILOSOPHERS', 13, 2, 16);
const BITS_PER_STATE = [2, 4, 8, 16];

// Dijkstra's philosophers sit around a table, with a fork between each two. Each takes the left fork, then the
// right one, eats, and puts both back. A state has a letter for each: Thinks, has the Left fork, Eats.
const start = 'T'.repeat(PHILOSOPHERS);

function move(seats, i) {
  const left = seats.at(i - 1);
  const right = seats[(i + 1) % PHILOSOPHERS];
  if (seats[i] === 'T') return left === 'E' ? undefined : 'L';
  if (seats[i] === 'L') return right === 'T' ? 'E' : undefined;
  return 'T';
}

/** The states that one move of one philosopher leads to. */
function statesAfter(state) {
  const seats = [...state];
  const moves = seats.map((_, i) => move(seats, i));
  return moves.flatMap((to, i) => (to === undefined ? [] : seats.with(i, to).join('')));
}

/** Visits each state that `remember` calls new, from the first one on. Returns the states that lead nowhere. */
function search(remember) {
  const deadlocks = [];
  const frontier = [start];
  remember(start);
  for (let state = frontier.pop(); state !== undefined; state = frontier.pop()) {
    const next = statesAfter(state);
    if (next.length === 0) deadlocks.push(state);
    for (const after of next) if (remember(after)) frontier.push(after);
  }
  return deadlocks;
}

// The right result, by a Set of all states. Their number is a companion Pell number.
const { made, bytes: setBytes } = measureHeap(() => {
  const visited = new Set();
  const deadlocks = search((state) => visited.size < visited.add(state).size);
  return { states: visited, deadlocks };
});
const { states, deadlocks } = made;
const [stuck] = deadlocks;
assert.deepEqual(deadlocks, ['L'.repeat(PHILOSOPHERS)], 'stuck where each has the left fork');
const known = (1 + Math.SQRT2) ** PHILOSOPHERS + (1 - Math.SQRT2) ** PHILOSOPHERS;
assert.equal(states.size, Math.round(known), 'the exact search meets every state');
const bytesPerState = setBytes / states.size;

/** The search by a filter, and its missed states for the tally: a real search has no list of them. */
function bitstateSearch(bits, hashes, seed) {
  const visited = new BloomFilter({ bits, hashes, seed });
  const missed = new Set(states);
  const stuckIn = search((state) => {
    const isNew = visited.add(state);
    if (isNew) assert.ok(missed.delete(state), 'no state is met twice, and none is made up');
    return isNew;
  });
  const bytes = visited.sizeBytes;
  visited.dispose();
  return { bytes, missed, deadlocks: stuckIn.length };
}

/** Two runs with different seeds: one meets most of the states that the other misses. */
function twoRuns(bitsPerState, hashes) {
  const [first, second] = [1n, 2n].map((seed) =>
    bitstateSearch(bitsPerState * states.size, hashes, seed),
  );
  return {
    bytes: first.bytes,
    hashes,
    missed: first.missed.size,
    missedByBoth: [...first.missed].filter((state) => second.missed.has(state)).length,
    deadlocks: first.deadlocks + second.deadlocks,
  };
}

const two = BITS_PER_STATE.map((bits) => twoRuns(bits, 2));
// The bound is rounded up: the filter is full only at the end of a search.
const best = BITS_PER_STATE.map((bits) => twoRuns(bits, Math.ceil(bits * Math.LN2)));
const row = (label, runs, cell) => [label, ...runs.map(cell)];
const missedRows = (hashes, runs) => [
  row(`${hashes}, missed by a run`, runs, ({ missed }) => count(missed)),
  row(`${hashes}, in percent`, runs, ({ missed }) => percent(missed / states.size, 3)),
  row(`${hashes}, missed by both of two runs`, runs, ({ missedByBoth }) => count(missedByBoth)),
];

printTable(`${PHILOSOPHERS} philosophers, their states in a Set`, [
  ['states', count(states.size)],
  ['bytes', count(setBytes)],
  ['bytes per state', bytesPerState.toFixed(1)],
]);
printTable('\nThe same search with a filter', [
  ['bits per state', ...BITS_PER_STATE.map(count)],
  row('bytes of the filter', two, ({ bytes }) => count(bytes)),
  row('states of a Set of these bytes', two, ({ bytes }) =>
    count(Math.floor(bytes / bytesPerState)),
  ),
  ...missedRows('2 hashes', two),
  row('best number of hashes', best, ({ hashes }) => count(hashes)),
  ...missedRows('best', best),
]);
const found = [...two, ...best].reduce((sum, runs) => sum + runs.deadlocks, 0);
console.log(
  `\n${found} of ${4 * BITS_PER_STATE.length} runs found the only deadlock, ${stuck}: each has a left fork`,
);
