// One round of one contender of the second part: `node --expose-gc dynamic-round.mjs NAME DIR`.
// Prints one line of JSON: times of this round, and what was counted on the way.

import { DYNAMIC, loadDynamic } from './dynamic-contenders.mjs';
import { addAll, askAll, inChunks, openKeys, timeHashed, timer } from './loops.mjs';
import { randomHashes } from './urls.mjs';

const HASHED_REPEATS = 5;
// A small set of keys is asked more often, but not for long: bloom-filters takes its time.
const WARM_PASSES = 3;
const WARM_CALLS = 120_000;
const WARM_MS = 500;
const SKETCH_DIFFERENCES = 1000;

const [name, directory] = process.argv.slice(2);
const { part, module, type, share } = DYNAMIC[name];
const contender = await loadDynamic(name);
const tamis = module === 'tamis' ? await import('tamis') : undefined;
const times = {};
const counts = {};
const timed = timer(times);

function expectSame(what, got, expected) {
  if (got !== expected) throw new Error(`${name}: ${what}: ${got}, expected ${expected}`);
}

/** hasHashes on all hashes; how many of them it found. */
function measureHashed(measure, filter, hashes, repeats = HASHED_REPEATS) {
  const { ns, hits } = timeHashed((all) => filter.hasHashes(all), hashes, repeats);
  times[measure] = ns;
  return hits;
}

/** A key out of a DeletableBloomFilter only where that is possible: what `delete` throws is no speed. */
const deletable = (filter, strings) =>
  type === 'DeletableBloomFilter' ? strings.filter((key) => filter.isDeletable(key)) : strings;

function removeAll({ remove }, filter, keys) {
  let found = 0;
  for (let i = 0; i < keys.length; i++) if (remove(filter, keys[i])) found++;
  return found;
}

/** Warms up on filters of full size with few keys: what V8 learns there must hold later. */
function warmUp(keys) {
  const { present, absent } = keys.warm();
  const begin = performance.now();
  const isWarm = (calls) => calls >= WARM_CALLS || (!tamis && performance.now() - begin > WARM_MS);
  for (let pass = 0; pass < WARM_PASSES || !isWarm(pass * present.length); pass++) {
    const filter = contender.create(keys.count);
    inChunks(present, (chunk) => addAll(contender, filter, chunk));
    inChunks(present, (chunk) => askAll(contender, filter, chunk));
    inChunks(absent, (chunk) => askAll(contender, filter, chunk));
    if (tamis) inChunks(present, (chunk) => filter.hasHashes(tamis.hashKeys(chunk)));
    if (contender.remove) {
      inChunks(deletable(filter, present), (chunk) => removeAll(contender, filter, chunk));
    }
    filter.dispose?.();
  }
}

/** Takes the first half of the members out; the others must stay, but for tombstones. */
function measureDelete(filter, keys) {
  const all = keys.fresh(keys.shuffled);
  const half = all.length >> 1;
  const going = deletable(filter, all.slice(0, half));
  counts.deletable = going.length / half;
  globalThis.gc();
  const gone = timed('delete', going.length, () => removeAll(contender, filter, going));
  counts.lost = all.length - half - askAll(contender, filter, all.slice(half));
  if (type === 'TombstoneBloomFilter') return;
  expectSame('members that delete found', gone, going.length);
  counts.falseNegatives += counts.lost;
}

function measureFilter() {
  const keys = openKeys(directory, share);
  warmUp(keys);
  const toBuild = keys.fresh(keys.inOrder);
  const filter = timed('build', keys.count, () => {
    const made = contender.create(keys.count);
    addAll(contender, made, toBuild);
    return made;
  });
  counts.held = keys.count;
  if (type === 'RotatingBloomFilter') {
    // The members are now of the last period, and every look-up has two full generations to ask.
    filter.rotate();
    filter.addHashes(randomHashes(0, keys.count));
    counts.held += keys.count;
  }
  const toHit = keys.fresh(keys.shuffled);
  counts.falseNegatives =
    keys.count - timed('hit', keys.count, () => askAll(contender, filter, toHit));
  const toMiss = keys.fresh(keys.others);
  counts.falsePositives = timed('miss', keys.count, () => askAll(contender, filter, toMiss));
  counts.keys = keys.count;
  counts.asked = keys.count;
  counts.designedRate = contender.designedRate(filter);
  // Of bloom-filters' filters, one with `length` says with it how many keys it took.
  if (module !== 'tamis') {
    counts.refused = keys.count - (filter.length ?? keys.count);
    return;
  }

  counts.sizeBytes = filter.sizeBytes;
  const { hashKeys, keysFromLines } = tamis;
  const members = hashKeys(keysFromLines(keys.members));
  const strangers = hashKeys(keysFromLines(keys.strangers));
  expectSame('hasHashes', measureHashed('hashedHit', filter, members), keys.count);
  expectSame('hasHashes', measureHashed('hashedMiss', filter, strangers), counts.falsePositives);
  if (contender.remove) measureDelete(filter, keys);
}

/** Ten times the keys, as hashes alone: a size of which no cache holds the filter. */
function measureLarge() {
  const keyCount = openKeys(directory, 1).count * share;
  const members = randomHashes(0, keyCount);
  const strangers = randomHashes(keyCount, keyCount);
  const filter = contender.create(keyCount);
  timed('build', keyCount, () => filter.addHashes(members));
  for (let pass = 0; pass < WARM_PASSES; pass++)
    filter.hasHashes(strangers.subarray(0, WARM_CALLS));
  counts.falseNegatives = keyCount - measureHashed('hashedHit', filter, members, 1);
  counts.falsePositives = measureHashed('hashedMiss', filter, strangers, 1);
  counts.keys = counts.held = counts.asked = keyCount;
  counts.sizeBytes = filter.sizeBytes;
  counts.designedRate = contender.designedRate(filter);
}

/** Two tables that differ in a thousand keys of 16 bytes: filling, emptying, and listing these. */
function measureSketch() {
  const { InvertibleBloomTable } = tamis;
  const create = () => new InvertibleBloomTable({ differences: SKETCH_DIFFERENCES, keyBytes: 16 });
  const keyCount = openKeys(directory, share).count;
  const strings = Array.from(randomHashes(0, keyCount + SKETCH_DIFFERENCES / 2), (hash) =>
    hash.toString(16).padStart(16, '0'),
  );
  const add = (table, from, to) => {
    for (let i = from; i < to; i++) table.add(strings[i]);
  };
  const remove = (table, from, to) => {
    for (let i = from; i < to; i++) table.delete(strings[i]);
  };
  for (let pass = 0; pass < 10; pass++) {
    const warm = create();
    add(warm, 0, 4000);
    remove(warm, 250, 4000);
    warm.decode();
    warm.dispose();
  }

  const half = SKETCH_DIFFERENCES / 2;
  const [mine, theirs] = [create(), create()];
  globalThis.gc();
  timed('build', keyCount, () => add(mine, 0, keyCount));
  add(theirs, half, keyCount + half);
  const { added, removed, complete } = timed('decode', SKETCH_DIFFERENCES, () =>
    mine.subtract(theirs).decode(),
  );
  const listed = (keys) =>
    keys
      .map((key) => Buffer.from(key).toString('latin1'))
      .sort()
      .join();
  counts.keys = keyCount;
  counts.differences = SKETCH_DIFFERENCES;
  counts.sizeBytes = mine.sizeBytes;
  counts.isRight =
    complete &&
    listed(added) === strings.slice(0, half).sort().join() &&
    listed(removed) ===
      strings
        .slice(keyCount, keyCount + half)
        .sort()
        .join();
  timed('delete', keyCount, () => remove(mine, 0, keyCount));
  const empty = mine.decode();
  counts.isRight &&= empty.complete && empty.added.length + empty.removed.length === 0;
}

if (part === 'large') measureLarge();
else if (part === 'sketch') measureSketch();
else measureFilter();

process.stdout.write(`${JSON.stringify({ times, counts })}\n`);
