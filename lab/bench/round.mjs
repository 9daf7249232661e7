// One round of one contender, in a process of its own. It prints one line of JSON: the times of this round, and its
// counts.
//
//   node --expose-gc round.mjs PART NAME DIRECTORY [BUILD]   BUILD: the entry of another build of tamis
//   node round.mjs PART NAME                                  milliseconds from import to the first answer

import { adapt, CONTENDERS, HEADER_BYTES, packageOf } from './contenders.mjs';
import { cut, makeSerials, openKeys, randomHashes } from './keys.mjs';
import { addAll, askAll, inChunks, ones, removeAll, timeRepeats, timer } from './measure.mjs';

const REPEATS = 5;
// A small set of keys is looked up more often, but not for long, because bloom-filters is slow.
const WARM_PASSES = 3;
const WARM_CALLS = 120_000;
const WARM_MS = 500;
const SKETCH_DIFFERENCES = 1000;

const [part, name, directory, before] = process.argv.slice(2);
const own = CONTENDERS[part][name];
const { kind, module, type, share = 1 } = own;
const begin = performance.now();
const isOurs = packageOf(own) === 'tamis';
const imported = module && (await import((isOurs && before) || module));
const tamis = part === 'static' && !isOurs ? await import('tamis') : undefined;
const contender = kind === 'url' ? undefined : adapt(part, name, imported, tamis);
const times = {};
const counts = {};
const time = timer(times);

function expectSame(what, got, expected) {
  if (got !== expected) throw new Error(`${name}: ${what}: ${got}, expected ${expected}`);
}

function expectSameBytes(what, made, expected) {
  expectSame(what, Buffer.compare(Buffer.from(contender.store(made)), expected), 0);
}

/** Ways to bytes and back. */
function measureStore(made, repeats = REPEATS) {
  globalThis.gc();
  const stored = contender.store(made);
  times.store = timeRepeats(repeats, () => contender.store(made));
  times.load = timeRepeats(repeats, () => contender.load(stored), contender.release);
  counts.wireBytes = typeof stored === 'string' ? Buffer.byteLength(stored) : stored.length;
  counts.payloadBytes = contender.payloadBytes?.(made) ?? counts.wireBytes - HEADER_BYTES;
}

/** Look-ups of new strings, one by one and all in one call. Both must agree. */
function measureStrings(made, keys, members, absentKeys) {
  const toHit = keys.fresh(members);
  const missed = time('hit', toHit.length, () => toHit.length - askAll(contender, made, toHit));
  const toMiss = keys.fresh(absentKeys);
  const passed = time('miss', toMiss.length, () => askAll(contender, made, toMiss));
  Object.assign(counts, { falseNegatives: missed, falsePositives: passed, asked: toMiss.length });
  counts.designedRate = contender.designedRate(made);
  if (contender.hasMany === undefined) return;
  const manyIn = keys.fresh(members);
  const found = time('manyHit', manyIn.length, () => contender.hasMany(made, manyIn));
  expectSame('hasMany', ones(found), manyIn.length - missed);
  const manyOut = keys.fresh(absentKeys);
  const taken = time('manyMiss', manyOut.length, () => contender.hasMany(made, manyOut));
  expectSame('hasMany', ones(taken), passed);
}

/** Look-ups by hashes: the median of a few runs of some milliseconds each. */
function measureHashed(made, members, absentKeys, repeats) {
  const ask = (measure, hashes) => {
    let hits = 0;
    const count = (answers) => {
      hits = ones(answers);
    };
    const ms = timeRepeats(repeats, () => contender.hasHashes(made, hashes), count);
    times[measure] = (ms * 1e6) / hashes.length;
    return hits;
  };
  const missed = members.length - ask('hashedHit', members);
  const passed = ask('hashedMiss', absentKeys);
  counts.falseNegatives ??= missed;
  counts.falsePositives ??= passed;
  expectSame('hasHashes, missed', missed, counts.falseNegatives);
  expectSame('hasHashes, passed', passed, counts.falsePositives);
}

const hashesOf = (lines) => contender.hashKeys(contender.keysFromLines(lines));
const repeatsOfHashed = isOurs ? REPEATS : 1;

/** Looks up in all ways, so that V8 learns here what it needs later. */
function askSome(made, keys) {
  inChunks(keys, (chunk) => askAll(contender, made, chunk));
  inChunks(keys, (chunk) => contender.hasMany?.(made, chunk));
  inChunks(keys, (chunk) => contender.hasHashes?.(made, contender.hashKeys(chunk)));
}

/** Deletes a key; from a DeletableBloomFilter only if it can, since a throw of `delete` tells nothing about speed. */
const deletable = (filter, strings) =>
  type === 'DeletableBloomFilter' ? strings.filter((key) => filter.isDeletable(key)) : strings;

/** Warms up on filters of full size with few keys. */
function warmGrown(keys) {
  const { present, absent } = keys.warm();
  const isSlow = () => !isOurs && performance.now() - begin > WARM_MS;
  for (let pass = 0; pass < WARM_PASSES || pass * present.length < WARM_CALLS; pass++) {
    if (pass >= WARM_PASSES && isSlow()) break;
    const filter = contender.create(keys.count);
    inChunks(present, (chunk) => addAll(contender, filter, chunk));
    for (const list of [present, absent]) askSome(filter, list);
    if (contender.remove) {
      inChunks(deletable(filter, present), (chunk) => removeAll(contender, filter, chunk));
    }
    filter.dispose?.();
  }
}

/** Deletes the first half of the members. The others must stay, except in filters with tombstones. */
function measureDelete(filter, keys) {
  const all = keys.fresh(keys.shuffled);
  const half = all.length >> 1;
  const going = deletable(filter, all.slice(0, half));
  counts.deletable = going.length / half;
  const gone = time('delete', going.length, () => removeAll(contender, filter, going));
  counts.lost = all.length - half - askAll(contender, filter, all.slice(half));
  if (type === 'TombstoneBloomFilter') return;
  expectSame('members that delete found', gone, going.length);
  counts.falseNegatives += counts.lost;
}

/** The calls that only tamis has: many keys at a time, and packed keys. */
function measureBatches(filter, keys) {
  const { create, hasMany, keysFromLines } = contender;
  const some = keysFromLines(keys.members.subarray(0, keys.inOrder.ends[4000]));
  const { present } = keys.warm();
  for (let pass = 0; pass < WARM_PASSES; pass++) {
    inChunks(present, (chunk) => create(chunk.length).addMany(chunk));
    for (let calls = 0; calls < WARM_CALLS / REPEATS; calls += some.length) hasMany(filter, some);
  }
  const batch = keys.fresh(keys.inOrder);
  const made = time('addMany', keys.count, () => {
    const fresh = create(keys.count);
    fresh.addMany(batch);
    return fresh;
  });
  expectSameBytes('addMany', made, contender.store(filter));
  made.dispose();

  // The other file comes first: it warms up the code that splits the file that counts.
  const absentKeys = keysFromLines(keys.absentKeys);
  const members = time('keysFromLines', keys.count, () => keysFromLines(keys.members));
  const found = time('packedHit', keys.count, () => hasMany(filter, members));
  expectSame('hasMany(packed)', ones(found), keys.count - counts.falseNegatives);
  const taken = time('packedMiss', keys.count, () => hasMany(filter, absentKeys));
  expectSame('hasMany(packed)', ones(taken), counts.falsePositives);
}

function measureGrown() {
  const keys = openKeys(directory, share);
  warmGrown(keys);
  const toBuild = keys.fresh(keys.inOrder);
  const filter = time('build', keys.count, () => {
    const made = contender.create(keys.count);
    addAll(contender, made, toBuild);
    return made;
  });
  counts.keys = counts.held = keys.count;
  if (type === 'RotatingBloomFilter') {
    // The members are now of the last period, and every look-up reads two full generations.
    filter.rotate();
    filter.addHashes(randomHashes(0, keys.count));
    counts.held += keys.count;
  }
  measureStrings(filter, keys, keys.shuffled, keys.others);
  if (part === 'comparison') {
    if (isOurs) measureBatches(filter, keys);
    measureStore(filter, own.repeats);
  } else if (isOurs) {
    counts.sizeBytes = filter.sizeBytes;
    const hashes = [keys.members, keys.absentKeys].map(hashesOf);
    measureHashed(filter, ...hashes, REPEATS);
    if (contender.remove) measureDelete(filter, keys);
  } else {
    // A filter of bloom-filters with `length` counts the keys that it took there.
    counts.refused = keys.count - (filter.length ?? keys.count);
  }
}

/** The value of a key in the map. */
const rankOf = (key) => (31 * key.length + key.charCodeAt(key.length - 1)) & 0xff;
const entriesOf = (keys) => keys.map((key) => [key, rankOf(key)]);

/** The ways to build a class, the same ways in small, and the keys that the filter then has. */
function sourcesOf(keys) {
  const { from, fromHashes, keysFromLines } = contender;
  const strings = () => keys.fresh(keys.inOrder);
  if (type === 'BloomierMap') {
    const ways = { build: [() => entriesOf(strings()), from] };
    return { ways, small: (chunk) => from(entriesOf(chunk)), held: keys.shuffled };
  }
  if (type === 'ExactFilter') {
    const held = cut(keys.inOrder, keys.count / 10);
    const lines = keys.members.subarray(0, held.ends.at(-1) + 1);
    const absent = keys.warm().absent.slice(0, 9000);
    const ways = {
      build: [() => ({ include: keys.fresh(held), exclude: keys.fresh(keys.others) }), from],
      buildPacked: [
        () => ({ include: keysFromLines(lines), exclude: keysFromLines(keys.absentKeys) }),
        from,
      ],
    };
    const small = (chunk) => from({ include: chunk.slice(0, 1000), exclude: absent });
    return { ways, small, held, lines, also: keys.count };
  }
  const ways = {
    build: [strings, from],
    buildPacked: [() => keysFromLines(keys.members), from],
    buildHashed: [() => hashesOf(keys.members), fromHashes],
  };
  return { ways, small: from, held: keys.shuffled, lines: keys.members };
}

/** Builds in each way, which must make the same bytes. The last way is also the first of the process. */
function measureBuilt() {
  const keys = openKeys(directory, 1);
  const { ways, small, held, lines, also = 0 } = sourcesOf(keys);
  counts.keys = held.starts.length;
  const [input, build] = Object.values(ways).at(-1);
  const source = input();
  const first = time('buildFirst', counts.keys + also, () => build(source));
  const expected = Buffer.from(contender.store(first));
  const { present, absent } = keys.warm();
  for (let pass = 0; pass < WARM_PASSES; pass++) {
    inChunks(present, (chunk) => contender.release(small(chunk)));
    for (const list of [present, absent]) askSome(first, list);
  }
  contender.release(first);
  for (const [measure, [makeInput, make]] of Object.entries(ways)) {
    const fresh = makeInput();
    const made = time(measure, counts.keys + also, () => make(fresh));
    expectSameBytes(measure, made, expected);
    contender.release(made);
  }
  const made = contender.load(isOurs ? expected : String(expected));
  measureStrings(made, keys, held, keys.others);
  if (type === 'BloomierMap') {
    const wrong = keys.fresh(held).filter((key) => made.get(key) !== rankOf(key)).length;
    counts.falseNegatives = wrong;
  } else {
    measureHashed(made, hashesOf(lines), hashesOf(keys.absentKeys), repeatsOfHashed);
  }
  measureStore(made);
}

function measureLarge() {
  const count = openKeys(directory, 1).count * share;
  const members = randomHashes(0, count);
  const absentKeys = randomHashes(count, count);
  const made = time('buildHashed', count, () => contender.fromHashes(members));
  for (let pass = 0; pass < WARM_PASSES; pass++) {
    contender.hasHashes(made, absentKeys.subarray(0, WARM_CALLS));
  }
  measureHashed(made, members, absentKeys, 1);
  Object.assign(counts, { keys: count, asked: count, designedRate: contender.designedRate(made) });
  measureStore(made);
}

/** A universe of keys, hexadecimal numbers of 16 digits. One in a hundred is included. */
function measureUniverse() {
  const count = openKeys(directory, 1).count / 10;
  const excluded = 99 * count;
  const lines = (first, some) => contender.keysFromLines(makeSerials(first, some));
  const [include, exclude] = [lines(0, count), lines(count, excluded)];
  const [some, few] = [lines(0, 40_000), lines(1e8, 400)];
  for (let pass = 0; pass < WARM_PASSES; pass++) {
    const warm = contender.from({ include: few, exclude: some });
    contender.hasMany(warm, some);
    for (let i = 0; i < WARM_CALLS; i += few.length) contender.hasMany(warm, few);
    contender.release(warm);
  }
  const both = count + excluded;
  const made = time('buildPacked', both, () => contender.from({ include, exclude }));
  const present = time('packedHit', count, () => contender.hasMany(made, include));
  const absent = time('packedMiss', excluded, () => contender.hasMany(made, exclude));
  counts.falseNegatives = count - ones(present);
  counts.falsePositives = ones(absent);
  Object.assign(counts, { keys: count, asked: excluded, excluded, designedRate: 0 });
  measureHashed(made, contender.hashKeys(include), contender.hashKeys(exclude), 1);
  measureStore(made);
}

/** Two tables that differ in a thousand keys of 16 bytes. Measures how long it takes to fill, subtract and list. */
function measureSketch() {
  const half = SKETCH_DIFFERENCES / 2;
  const create = () => new contender.Class({ differences: SKETCH_DIFFERENCES, keyBytes: 16 });
  const { count } = openKeys(directory, share);
  const strings = Array.from(randomHashes(0, count + half), (hash) =>
    hash.toString(16).padStart(16, '0'),
  );
  const add = (table, from, to) => addAll(contender, table, strings.slice(from, to));
  const remove = (table, from, to) => removeAll(contender, table, strings.slice(from, to));
  for (let pass = 0; pass < 10; pass++) {
    const warm = create();
    add(warm, 0, 4000);
    remove(warm, 250, 4000);
    warm.decode();
    warm.dispose();
  }
  const [mine, theirs] = [create(), create()];
  time('build', count, () => add(mine, 0, count));
  add(theirs, half, count + half);
  const { added, removed, complete } = time('decode', SKETCH_DIFFERENCES, () =>
    mine.subtract(theirs).decode(),
  );
  const text = (keys) =>
    keys
      .map((key) => Buffer.from(key).toString('latin1'))
      .sort()
      .join();
  counts.isRight =
    complete &&
    text(added) === text(strings.slice(0, half)) &&
    text(removed) === text(strings.slice(count));
  const { sizeBytes } = mine;
  Object.assign(counts, { keys: count, differences: SKETCH_DIFFERENCES, sizeBytes });
  time('delete', count, () => remove(mine, 0, count));
  const empty = mine.decode();
  counts.isRight &&= empty.complete && empty.added.length + empty.removed.length === 0;
}

function answerFirst() {
  const filter = contender.create(1000);
  contender.add(filter, 'https://example.com/');
  if (!contender.has(filter, 'https://example.com/')) throw new Error('the first key is missing');
  return performance.now() - begin;
}

const MEASURES = {
  grown: measureGrown,
  built: measureBuilt,
  large: measureLarge,
  universe: measureUniverse,
  sketch: measureSketch,
  url: async () => {
    const { measureUrls } = await import('./url.mjs');
    Object.assign(counts, await measureUrls(name, imported, directory, time));
  },
};

if (directory === undefined) process.stdout.write(`${answerFirst()}\n`);
else {
  await MEASURES[kind]();
  process.stdout.write(`${JSON.stringify({ times, counts })}\n`);
}
