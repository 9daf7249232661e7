// One contender in a process of its own. It prints one line of JSON: its times in this process, and its counts.
//
//   node --expose-gc round.mjs PART NAME DIRECTORY [BUILD]   BUILD: the entry of another build of tamis
//   node round.mjs PART NAME                                  milliseconds from import to the first answer

import { join } from 'node:path';
import { binomialInterval } from '../../js/examples/binomial.mjs';
import { adapt, CONTENDERS, HEADER_BYTES, packageOf } from './contenders.mjs';
import { first, fresh, makeSerials, openLines, randomHashes, STEP } from './keys.mjs';
import { addAll, askAll, MS, ones, removeAll, time } from './measure.mjs';

const REPEATS = 5;
const SKETCH_DIFFERENCES = 1000;
/** The accepted probability that a correct filter is reported as faulty. */
const ALPHA = 1e-9;

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

/** Records the time of `run` for each of `count` keys. */
async function note(measure, count, run, options) {
  times[measure] = await time(count, run, options);
}

function expectSame(what, got, expected) {
  if (got !== expected) throw new Error(`${name}: ${what}: ${got}, expected ${expected}`);
}

const found = {};

/**
 * Looks up members and absent keys with `ask`. Both are the same for each call, or made by a function. All ways must
 * find the same number of members and of absent keys.
 */
async function lookUp(way, ask, { Hit, Miss }, options) {
  for (const [list, keys, count] of [
    ['Hit', Hit, counts.keys],
    ['Miss', Miss, counts.asked],
  ]) {
    const measure = way === '' ? list.toLowerCase() : way + list;
    const isMade = typeof keys === 'function';
    const after = (answers) => {
      const hits = typeof answers === 'number' ? answers : ones(answers);
      found[list] ??= hits;
      expectSame(measure, hits, found[list]);
    };
    const input = isMade ? keys : undefined;
    await note(measure, count, isMade ? ask : () => ask(keys), { ...options, input, after });
  }
  counts.falseNegatives = counts.keys - found.Hit;
  counts.falsePositives = found.Miss;
}

/** Looks up new strings one by one, and also all in one call if a table shows that. */
async function lookUpStrings(made, members, absent) {
  const lists = { Hit: () => fresh(members, STEP), Miss: () => fresh(absent) };
  await lookUp('', (strings) => askAll(contender, made, strings), lists);
  if (contender.hasMany && part !== 'dynamic')
    await lookUp('many', (keys) => contender.hasMany(made, keys), lists);
  counts.designedRate = contender.designedRate(made);
}

/** Looks up keys that were hashed in advance. */
const lookUpHashes = (made, members, absent) =>
  lookUp(
    'hashed',
    (hashes) => contender.hasHashes(made, hashes),
    { Hit: members, Miss: absent },
    { iterations: isOurs ? REPEATS : 1 },
  );

const hashesOf = ({ bytes }) => contender.hashKeys(contender.keysFromLines(bytes));

/** Records the sizes of a filter, and returns its stored form. */
function countBytes(made) {
  const stored = contender.store(made);
  counts.wireBytes = typeof stored === 'string' ? Buffer.byteLength(stored) : stored.length;
  counts.payloadBytes = contender.payloadBytes?.(made) ?? counts.wireBytes - HEADER_BYTES;
  return stored;
}

/** Measures storing and loading a filter, in milliseconds. */
async function measureStore(made, iterations = REPEATS) {
  const stored = countBytes(made);
  await note('store', MS, () => contender.store(made), { iterations });
  await note('load', MS, () => contender.load(stored), { iterations, after: contender.release });
}

/** Reads the members and the absent keys. */
const openKeys = () => ({
  members: openLines(join(directory, 'members.txt'), share),
  absent: openLines(join(directory, 'absent-keys.txt'), share),
});

/** Builds with each way, and checks that all make the same bytes. Returns the filter of the last call. */
async function buildBy(ways, count, expected) {
  let last;
  for (const [measure, [input, build, options]] of Object.entries(ways)) {
    const after = (made) => {
      if (last) contender.release(last);
      last = made;
    };
    await note(measure, count, build, { ...options, input, after });
    if (!expected) continue;
    expectSame(measure, Buffer.compare(Buffer.from(contender.store(last)), expected()), 0);
  }
  return last;
}

/** Deletes the first half of the members. The other half must stay, except in filters with tombstones. */
async function measureDelete(filter, members) {
  const half = counts.keys >> 1;
  const bytes = contender.store(filter);
  // A throw of `delete` tells nothing about speed.
  const goingOf = (strings) =>
    type === 'DeletableBloomFilter' ? strings.filter((key) => filter.isDeletable(key)) : strings;
  const { length } = goingOf(fresh(members, STEP).slice(0, half));
  let copy;
  let staying;
  await note('delete', length, (going) => removeAll(contender, copy, going), {
    input() {
      copy = contender.load(bytes);
      const all = fresh(members, STEP);
      staying = all.slice(half);
      return goingOf(all.slice(0, half));
    },
    after(gone) {
      if (type !== 'TombstoneBloomFilter') {
        expectSame('members that delete found', gone, length);
        expectSame('members that stay', askAll(contender, copy, staying), staying.length);
      }
      contender.release(copy);
    },
  });
}

/** Measures the calls that only tamis has: many keys at a time, and packed keys. */
async function measureBatches(filter, members, absent) {
  const { create, hasMany, keysFromLines } = contender;
  const addMany = (strings) => {
    const made = create(counts.keys);
    made.addMany(strings);
    return made;
  };
  const ways = { addMany: [() => fresh(members), addMany] };
  contender.release(await buildBy(ways, counts.keys, () => Buffer.from(contender.store(filter))));
  await note('keysFromLines', counts.keys, () => keysFromLines(members.bytes));
  const [Hit, Miss] = [members, absent].map(({ bytes }) => keysFromLines(bytes));
  await lookUp('packed', (packed) => hasMany(filter, packed), { Hit, Miss });
}

async function measureGrown() {
  const { members, absent } = openKeys();
  counts.keys = counts.held = counts.asked = members.ends.length;
  const build = (strings) => {
    const made = contender.create(counts.keys);
    addAll(contender, made, strings);
    return made;
  };
  const filter = await buildBy({ build: [() => fresh(members), build] }, counts.keys);
  if (type === 'RotatingBloomFilter') {
    // Now the members are in the last period, and every look-up reads two full generations.
    filter.rotate();
    filter.addHashes(randomHashes(0, counts.keys));
    counts.held += counts.keys;
  }
  await lookUpStrings(filter, members, absent);
  if (part === 'comparison') {
    if (isOurs) await measureBatches(filter, members, absent);
    await measureStore(filter, own.repeats);
  } else if (isOurs) {
    counts.sizeBytes = filter.sizeBytes;
    await lookUpHashes(filter, hashesOf(members), hashesOf(absent));
    if (contender.remove) await measureDelete(filter, members);
  } else {
    // `length` of a bloom-filters filter is the number of keys that it accepted.
    counts.refused = counts.keys - (filter.length ?? counts.keys);
  }
}

/** The value of a key in the map. */
const rankOf = (key) => (31 * key.length + key.charCodeAt(key.length - 1)) & 0xff;

/** The ways to build a class: the input of each, and its function. */
function waysOf(members, absent, included) {
  const { from, fromHashes, keysFromLines } = contender;
  if (type === 'BloomierMap') {
    return { build: [() => fresh(members).map((key) => [key, rankOf(key)]), from] };
  }
  if (type === 'ExactFilter') {
    const listsBy = (keysOf) => () => ({ include: keysOf(included), exclude: keysOf(absent) });
    return {
      build: [listsBy(fresh), from],
      buildPacked: [listsBy(({ bytes }) => keysFromLines(bytes)), from],
    };
  }
  return {
    build: [() => fresh(members), from],
    buildPacked: [() => keysFromLines(members.bytes), from],
    buildHashed: [() => hashesOf(members), fromHashes],
  };
}

/** Measures each way of building. The first measured build in the process uses the last way. */
async function measureBuilt() {
  const { members, absent } = openKeys();
  const isExact = type === 'ExactFilter';
  const included = isExact ? first(members, members.ends.length / 10) : members;
  counts.keys = included.ends.length;
  counts.asked = absent.ends.length;
  const handled = counts.keys + (isExact ? counts.asked : 0);
  const ways = waysOf(members, absent, included);
  const [input, build] = Object.values(ways).at(-1);
  const once = { buildFirst: [input, build, { iterations: 1, warmups: 0 }] };
  const expected = Buffer.from(contender.store(await buildBy(once, handled)));
  contender.release(await buildBy(ways, handled, () => expected));
  const made = contender.load(isOurs ? expected : String(expected));
  await lookUpStrings(made, included, absent);
  if (type === 'BloomierMap') {
    const wrong = fresh(included).filter((key) => made.get(key) !== rankOf(key)).length;
    expectSame('wrong values', wrong, 0);
  } else await lookUpHashes(made, hashesOf(included), hashesOf(absent));
  await measureStore(made);
}

/** Builds a filter from random hashes, and looks them up. */
async function measureHashed() {
  const count = share * openLines(join(directory, 'members.txt')).ends.length;
  Object.assign(counts, { keys: count, asked: count });
  const members = randomHashes(0, count);
  const made = await buildBy({ buildHashed: [() => members, contender.fromHashes] }, count);
  await lookUpHashes(made, members, randomHashes(count, count));
  counts.designedRate = contender.designedRate(made);
  countBytes(made);
}

/** Keys for an ExactFilter, hexadecimal numbers of 16 digits, with `times` as many excluded as included keys. */
async function measureUniverse() {
  const count = openLines(join(directory, 'members.txt')).ends.length / 10;
  const excluded = own.times * count;
  Object.assign(counts, { keys: count, asked: excluded, excluded, designedRate: 0 });
  const lines = (from, some) => contender.keysFromLines(makeSerials(from, some));
  const lists = { include: lines(0, count), exclude: lines(count, excluded) };
  const ways = { buildPacked: [() => lists, contender.from] };
  const made = await buildBy(ways, count + excluded);
  const packed = { Hit: lists.include, Miss: lists.exclude };
  await lookUp('packed', (keys) => contender.hasMany(made, keys), packed);
  const { hashKeys } = contender;
  await lookUpHashes(made, hashKeys(lists.include), hashKeys(lists.exclude));
  countBytes(made);
}

/**
 * Fills two tables with a thousand different keys of 16 bytes, subtracts them, lists the result, and times each step.
 */
async function measureSketch() {
  const half = SKETCH_DIFFERENCES / 2;
  const create = () => new contender.Class({ differences: SKETCH_DIFFERENCES, keyBytes: 16 });
  const count = openKeys().members.ends.length;
  const hashes = Array.from(randomHashes(0, count + half), (hash) => hash.toString(16));
  const strings = hashes.map((hash) => hash.padStart(16, '0'));
  const [mineOnly, theirsOnly] = [strings.slice(0, half), strings.slice(count)];
  const fill = (keys) => {
    const table = create();
    addAll(contender, table, keys);
    return table;
  };
  const mine = await buildBy({ build: [() => strings.slice(0, count), fill] }, count);
  const theirs = fill(strings.slice(half));
  const text = (keys) =>
    keys
      .map((key) => Buffer.from(key).toString('latin1'))
      .sort()
      .join();
  await note('decode', SKETCH_DIFFERENCES, (copy) => copy.subtract(theirs).decode(), {
    input: () => contender.load(contender.store(mine)),
    after({ added, removed, complete }) {
      expectSame('complete', complete, true);
      expectSame('added', text(added), text(mineOnly));
      expectSame('removed', text(removed), text(theirsOnly));
    },
  });
  let copy;
  await note('delete', count, (keys) => removeAll(contender, copy, keys), {
    input() {
      copy = contender.load(contender.store(mine));
      return strings.slice(0, count);
    },
  });
  const { complete, added, removed } = copy.decode();
  expectSame('keys that stay', complete ? added.length + removed.length : NaN, 0);
  const { sizeBytes } = mine;
  Object.assign(counts, { keys: count, differences: SKETCH_DIFFERENCES, sizeBytes });
}

/** Fails if tamis gave a wrong answer, or more false positives than chance allows. */
function checkCounts({ falseNegatives = 0, falsePositives, asked, designedRate }) {
  expectSame('false negatives', falseNegatives, 0);
  if (designedRate === undefined) return;
  const most = designedRate && binomialInterval(asked, designedRate, ALPHA).high;
  if (falsePositives > most) throw new Error(`${name}: ${falsePositives} of ${asked} keys pass`);
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
  hashed: measureHashed,
  universe: measureUniverse,
  sketch: measureSketch,
  url: async () => {
    const { measureUrls } = await import('./url.mjs');
    Object.assign(counts, await measureUrls(name, imported, directory, note));
  },
};

if (directory === undefined) process.stdout.write(`${answerFirst()}\n`);
else {
  await MEASURES[kind]();
  if (isOurs) checkCounts(counts);
  process.stdout.write(`${JSON.stringify({ times, counts })}\n`);
}
