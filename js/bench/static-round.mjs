// One round of one contender of the third part: `node --expose-gc static-round.mjs NAME DIR`.
// Prints one line of JSON: times of this round, and what was counted on the way.

import { askAll, inChunks, ones, openKeys, repeated, timeHashed, timer } from './loops.mjs';
import { loadStatic, STATIC } from './static-contenders.mjs';
import { makeSerials, randomHashes } from './urls.mjs';

const STORE_REPEATS = 5;
const WARM_PASSES = 3;
const WARM_CALLS = 120_000;
/** Bytes of a file that are no payload. */
const HEADER_BYTES = 64;

const [name, directory] = process.argv.slice(2);
const { part, module, times: multiple = 1 } = STATIC[name];
const contender = await loadStatic(name);
const { hashKeys, keysFromLines } = contender;
const times = {};
const counts = {};
const timed = timer(times);
// The one from npm takes its time.
const hashedRepeats = module === 'tamis' ? 5 : 1;

function expectSame(what, got, expected) {
  if (got !== expected) throw new Error(`${name}: ${what}: ${got}, expected ${expected}`);
}

function expectSameBytes(what, made, expected) {
  expectSame(what, Buffer.compare(Buffer.from(contender.store(made)), expected), 0);
}

/** Ways to bytes and back, and what was built. */
function measureStore(made, keyCount) {
  globalThis.gc();
  const stored = contender.store(made);
  times.store = repeated(STORE_REPEATS, () => contender.store(made));
  times.load = repeated(STORE_REPEATS, () => contender.load(stored), contender.release);
  counts.keys = keyCount;
  counts.wireBytes = typeof stored === 'string' ? Buffer.byteLength(stored) : stored.length;
  counts.payloadBytes = contender.payloadBytes?.(made) ?? counts.wireBytes - HEADER_BYTES;
}

/** Look-ups by strings that were not asked before, one by one and all at a time. */
function measureStrings(made, keys, members, strangers) {
  const toHit = keys.fresh(members);
  const missed = timed('hit', toHit.length, () => toHit.length - askAll(contender, made, toHit));
  const toMiss = keys.fresh(strangers);
  const passed = timed('miss', toMiss.length, () => askAll(contender, made, toMiss));
  Object.assign(counts, { falseNegatives: missed, falsePositives: passed, asked: toMiss.length });
  if (contender.hasMany === undefined) return;
  const manyIn = keys.fresh(members);
  const found = timed('manyHit', manyIn.length, () => contender.hasMany(made, manyIn));
  expectSame('hasMany', ones(found), manyIn.length - missed);
  const manyOut = keys.fresh(strangers);
  const taken = timed('manyMiss', manyOut.length, () => contender.hasMany(made, manyOut));
  expectSame('hasMany', ones(taken), passed);
}

function measureHashed(made, members, strangers, repeats = hashedRepeats) {
  const ask = (hashes) => contender.hasHashes(made, hashes);
  const hit = timeHashed(ask, members, repeats);
  const miss = timeHashed(ask, strangers, repeats);
  Object.assign(times, { hashedHit: hit.ns, hashedMiss: miss.ns });
  return { missed: members.length - hit.hits, passed: miss.hits };
}

/** Small builds, and look-ups in what is of full size: what V8 learns there must hold later. */
function warmUp(made, { present, absent }, build) {
  for (let pass = 0; pass < WARM_PASSES; pass++) {
    inChunks(present, (chunk) => contender.release(build(chunk)));
    for (const keys of [present, absent]) {
      inChunks(keys, (chunk) => askAll(contender, made, chunk));
      inChunks(keys, (chunk) => contender.hasMany?.(made, chunk));
      inChunks(keys, (chunk) => contender.hasHashes?.(made, hashKeys(chunk)));
    }
  }
}

function measureFilter() {
  const keys = openKeys(directory, 1);
  const members = hashKeys(keysFromLines(keys.members));
  const strangers = hashKeys(keysFromLines(keys.strangers));
  globalThis.gc();
  const first = timed('buildFirst', keys.count, () => contender.fromHashes(members));
  const expected = Buffer.from(contender.store(first));
  warmUp(first, keys.warm(), contender.from);
  contender.release(first);

  const strings = keys.fresh(keys.inOrder);
  const made = timed('build', keys.count, () => contender.from(strings));
  strings.length = 0;
  expectSameBytes('from, of strings', made, expected);
  const packed = keysFromLines(keys.members);
  globalThis.gc();
  const ofPacked = timed('buildPacked', keys.count, () => contender.from(packed));
  expectSameBytes('from, of packed keys', ofPacked, expected);
  contender.release(ofPacked);
  globalThis.gc();
  const ofHashes = timed('buildHashed', keys.count, () => contender.fromHashes(members));
  expectSameBytes('fromHashes', ofHashes, expected);
  contender.release(ofHashes);

  measureStrings(made, keys, keys.shuffled, keys.others);
  const { missed, passed } = measureHashed(made, members, strangers);
  expectSame('hasHashes', missed, counts.falseNegatives);
  expectSame('hasHashes', passed, counts.falsePositives);
  counts.designedRate = contender.designedRate(made);
  measureStore(made, keys.count);
}

/** Ten times the keys, as hashes alone: a size of which few caches hold the filter. */
function measureLarge() {
  const keyCount = openKeys(directory, 1).count * multiple;
  const members = randomHashes(0, keyCount);
  const strangers = randomHashes(keyCount, keyCount);
  const made = timed('buildHashed', keyCount, () => contender.fromHashes(members));
  for (let pass = 0; pass < WARM_PASSES; pass++) {
    contender.hasHashes(made, strangers.subarray(0, WARM_CALLS));
  }
  const { missed, passed } = measureHashed(made, members, strangers, 1);
  Object.assign(counts, { falseNegatives: missed, falsePositives: passed, asked: keyCount });
  counts.designedRate = contender.designedRate(made);
  measureStore(made, keyCount);
}

/** A key's value in the map. */
const rankOf = (key) => (31 * key.length + key.charCodeAt(key.length - 1)) & 0xff;
const entriesOf = (keys) => keys.map((key) => [key, rankOf(key)]);

function measureMap() {
  const keys = openKeys(directory, 1);
  const entries = entriesOf(keys.fresh(keys.inOrder));
  globalThis.gc();
  const first = timed('buildFirst', keys.count, () => contender.from(entries));
  const expected = Buffer.from(contender.store(first));
  const map = { ...contender, has: (made, key) => made.get(key) !== undefined };
  const { present, absent } = keys.warm();
  for (let pass = 0; pass < WARM_PASSES; pass++) {
    inChunks(entriesOf(present), (chunk) => contender.release(contender.from(chunk)));
    for (const list of [present, absent]) {
      inChunks(list, (chunk) => askAll(map, first, chunk));
      inChunks(list, (chunk) => first.getMany(chunk));
    }
  }
  contender.release(first);

  const fresh = entriesOf(keys.fresh(keys.inOrder));
  globalThis.gc();
  const made = timed('build', keys.count, () => contender.from(fresh));
  expectSameBytes('from', made, expected);
  fresh.length = entries.length = 0;

  const toHit = keys.fresh(keys.shuffled);
  const wanted = Uint8Array.from(toHit, rankOf);
  counts.falseNegatives = timed('hit', keys.count, () => {
    let wrong = 0;
    for (let i = 0; i < toHit.length; i++) if (made.get(toHit[i]) !== wanted[i]) wrong++;
    return wrong;
  });
  const toMiss = keys.fresh(keys.others);
  counts.falsePositives = timed('miss', keys.count, () => askAll(map, made, toMiss));
  const manyIn = keys.fresh(keys.shuffled);
  const { values, found } = timed('manyHit', keys.count, () => made.getMany(manyIn));
  expectSame('found by getMany', ones(found), keys.count);
  expectSame(
    'values of getMany',
    values.findIndex((value, i) => value !== wanted[i]),
    -1,
  );
  const manyOut = keys.fresh(keys.others);
  const taken = timed('manyMiss', keys.count, () => made.getMany(manyOut));
  expectSame('found by getMany', ones(taken.found), counts.falsePositives);
  counts.asked = keys.count;
  counts.designedRate = 2 ** -made.checkBits;
  measureStore(made, keys.count);
}

/** A tenth of the members is included, and all strangers are excluded: no answer may be wrong. */
function measureExact() {
  const keys = openKeys(directory, 1);
  const count = keys.count / 10;
  const tenth = ({ starts, ends }) => ({
    starts: starts.subarray(0, count),
    ends: ends.subarray(0, count),
  });
  const included = tenth(keys.inOrder);
  const includedLines = keys.members.subarray(0, included.ends[count - 1] + 1);
  const both = keys.count + count;
  const lists = (list) => ({
    include: keysFromLines(includedLines),
    exclude: keysFromLines(keys.strangers),
    ...list,
  });
  const first = timed('buildFirst', both, () => contender.from(lists()));
  const expected = Buffer.from(contender.store(first));
  const { present, absent } = keys.warm();
  warmUp(first, { present: present.slice(0, count), absent }, (chunk) =>
    contender.from({ include: chunk.slice(0, 1000), exclude: absent.slice(0, 9000) }),
  );
  contender.release(first);

  const strings = { include: keys.fresh(included), exclude: keys.fresh(keys.others) };
  const made = timed('build', both, () => contender.from(strings));
  expectSameBytes('from, of strings', made, expected);
  strings.include.length = strings.exclude.length = 0;
  const packed = lists();
  globalThis.gc();
  const ofPacked = timed('buildPacked', both, () => contender.from(packed));
  expectSameBytes('from, of packed keys', ofPacked, expected);
  contender.release(ofPacked);

  measureStrings(made, keys, included, keys.others);
  const hashes = [hashKeys(packed.include), hashKeys(packed.exclude)];
  const { missed, passed } = measureHashed(made, ...hashes);
  expectSame('hasHashes', missed, counts.falseNegatives);
  expectSame('hasHashes', passed, counts.falsePositives);
  counts.designedRate = 0;
  measureStore(made, count);
}

/** One key in a hundred of ten million is included; the keys are hexadecimal numbers of 16 digits. */
function measureUniverse() {
  const count = openKeys(directory, 1).count / 10;
  const excluded = 99 * count;
  const [include, exclude] = [makeSerials(0, count), makeSerials(count, excluded)].map((lines) =>
    keysFromLines(lines),
  );
  const some = keysFromLines(makeSerials(0, 40_000));
  const few = keysFromLines(makeSerials(1e8, 400));
  for (let pass = 0; pass < WARM_PASSES; pass++) {
    const warm = contender.from({ include: few, exclude: some });
    contender.hasMany(warm, some);
    for (let i = 0; i < WARM_CALLS; i += few.length) contender.hasMany(warm, few);
    contender.release(warm);
  }
  globalThis.gc();
  const made = timed('buildPacked', count + excluded, () => contender.from({ include, exclude }));
  const present = timed('packedHit', count, () => contender.hasMany(made, include));
  const absent = timed('packedMiss', excluded, () => contender.hasMany(made, exclude));
  counts.falseNegatives = count - ones(present);
  counts.falsePositives = ones(absent);
  counts.asked = excluded;
  counts.designedRate = 0;
  counts.excluded = excluded;
  measureHashed(made, hashKeys(include), hashKeys(exclude), 1);
  measureStore(made, count);
}

const MEASURES = {
  filter: measureFilter,
  large: measureLarge,
  map: measureMap,
  exact: measureExact,
  universe: measureUniverse,
};
MEASURES[part]();

process.stdout.write(`${JSON.stringify({ times, counts })}\n`);
