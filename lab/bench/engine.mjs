// The browser part of the bench, in a page or in Node: the time of string look-ups, by length, all contenders in turn.

import { figuresInTurn, ones, time } from './measure.mjs';

const CAPACITY = 1_000_000;
/** How many keys are looked up repeatedly: their strings stay in the cache, while the filter has its full size. */
const ASKED = 4_000;
/** Fewer keys for bloom-filters, because it takes 10 microseconds or more per key. */
const ASKED_OF_SLOW = 500;
const BUILT = 400_000;
const FILL_CHUNK = 2000;
/** The shortest measurement, since the clock of a page may tick only once a millisecond. */
const LEAST_MS = 100;
const WARM_MS = 500;

const FILLERS = {
  ascii: 'https://www.example.org/news/2026/session/verify?product=',
  latin:
    'https://www.exemple.fr/cr\u00e8me-br\u00fbl\u00e9e/\u00e0-la-carte/d\u00e9j\u00e0-vu/no\u00ebl/',
  cjk: '\u8fc7\u6ee4\u5668\u662f\u4e00\u79cd\u6982\u7387\u6570\u636e\u7ed3\u6784',
};

/** The strings, and the operations that are measured with them. */
const GROUPS = [
  { length: 8, acts: ['has', 'many'] },
  { length: 16, acts: ['has'] },
  { length: 32, acts: ['has'] },
  { length: 54, acts: ['has', 'add', 'many', 'from'] },
  { length: 54, keys: 20_000, acts: ['has'] },
  { length: 200, acts: ['has', 'many'] },
  { length: 54, script: 'latin', acts: ['has'] },
  { length: 54, script: 'cjk', acts: ['has'] },
  { length: 54, script: 'mixed', acts: ['many'] },
];

/** Returns a function that makes the key with a given number. Keys with different numbers are different. */
function keyMaker(length, script) {
  const size = length - 7;
  const text = (name) =>
    FILLERS[name].repeat(Math.ceil(size / FILLERS[name].length)).slice(0, size);
  const filler = text(script === 'mixed' ? 'ascii' : script);
  const other = text('latin');
  return (i) => {
    const id = (Math.imul(i, 0x9e3779b1) >>> 0).toString(36).padStart(7, '0');
    // One in a hundred mixed keys is not ASCII.
    return (script === 'mixed' && i % 100 === 50 ? other : filler) + id;
  };
}

const makeKeys = (make, first, count) => Array.from({ length: count }, (_, i) => make(first + i));
/** Makes new flat strings with the same contents, as if they came in a message. */
const receive = (keys) => JSON.parse(JSON.stringify(keys));

/** Makes contenders with a full filter each, and the keys to look up. */
function fillAll(contenders, make, capacity) {
  const asked = receive(makeKeys(make, 0, ASKED));
  const all = Object.entries(contenders).map(([name, own]) => {
    const isSlow = name === 'bloom-filters';
    const some = isSlow ? asked.slice(0, ASKED_OF_SLOW) : asked;
    return { ...own, name, isSlow, filter: own.create(capacity), asked: some };
  });
  for (let i = 0; i < capacity; i += FILL_CHUNK) {
    const chunk = makeKeys(make, i, FILL_CHUNK);
    for (const own of all) if (!own.isSlow) own.addAll(own, own.filter, chunk);
  }
  const absentKeys = receive(makeKeys(make, 2 * CAPACITY, ASKED));
  for (const own of all) {
    if (own.open) own.filter = own.open(own.filter);
    if (own.isSlow) own.addAll(own, own.filter, own.asked);
    else if (own.askAll(own, own.filter, absentKeys) > 0.02 * ASKED) {
      throw new Error(`${own.name}: too many of ${ASKED} absent keys pass`);
    }
  }
  return all;
}

/** Runs texts of every kind before a measurement, because a page's texts come mixed, and not sorted by length. */
async function warmUp(contenders) {
  const makers = GROUPS.map(({ length, script = 'ascii' }) => keyMaker(length, script));
  const keys = receive(Array.from({ length: 100 }, (_, i) => makers.map((make) => make(i))).flat());
  for (const own of Object.values(contenders)) {
    const built = own.create(keys.length);
    own.addAll(own, built, keys);
    const filter = own.open ? own.open(built) : built;
    await time(keys.length, () => own.askAll(own, filter, keys), { leastMs: WARM_MS });
    own.release(filter);
  }
}

function expectAll({ name, asked }, hits) {
  if (hits !== asked.length) throw new Error(`${name}: ${asked.length - hits} false negatives`);
}

/** For each operation the number of keys, its function, and its argument; undefined if a contender lacks it. */
const ACTS = {
  has: (own) => [own.asked.length, () => expectAll(own, own.askAll(own, own.filter, own.asked))],
  many: (own) =>
    own.hasMany && [
      own.asked.length,
      () => expectAll(own, ones(own.hasMany(own.filter, own.asked))),
    ],
  add(own, capacity) {
    if (own.open) return undefined;
    const filter = own.create(capacity);
    return [own.asked.length, () => own.addAll(own, filter, own.asked)];
  },
  from(own, capacity, make) {
    const count = Math.min(BUILT, capacity);
    const input = () => makeKeys(make, 0, count);
    const options = { input, after: own.release, leastMs: 0 };
    return own.from && [count, (keys) => own.from(keys), options];
  },
};

/** Returns `times`: nanoseconds by contender and row (operation, length, script and number of keys in the filter). */
export async function measure(contenders, { quick, rounds }) {
  const shared = { iterations: 1, warmups: 0, leastMs: quick ? 5 : LEAST_MS };
  await warmUp(contenders);
  const times = {};
  for (const { length, script = 'ascii', keys = CAPACITY, acts } of GROUPS) {
    const capacity = quick ? Math.max(keys / 10, ASKED) : keys;
    const make = keyMaker(length, script);
    const all = fillAll(contenders, make, capacity);
    for (const act of acts) {
      const ways = {};
      for (const own of all) {
        if (!ACTS[act](own, capacity, make)) continue;
        ways[own.name] = async () => {
          // Gives the browser a turn, because it may close a page that does not answer for long.
          await new Promise((resolve) => setTimeout(resolve));
          const [count, work, options] = ACTS[act](own, capacity, make);
          return time(count, work, { ...shared, ...options });
        };
      }
      times[[act, length, script, keys].join(' ')] = await figuresInTurn(rounds, ways, 1);
    }
    for (const { release, filter } of all) release(filter);
  }
  const runtime = globalThis.process?.version ?? navigator.userAgent;
  return { runtime, times };
}
