// One round of one contender, in a process of its own: `node --expose-gc round.mjs NAME DIR`.
// Prints one line of JSON: times of this round, and what was counted on the way.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, startClock } from './clock.mjs';
import { CONTENDERS, loadContender } from './contenders.mjs';
import { decode, lineBounds } from './urls.mjs';

const WARM_KEYS = 40_000;
const WARM_CHUNK = 4_000;

const [name, directory] = process.argv.slice(2);
const { share, repeats } = CONTENDERS[name];
const contender = await loadContender(name);

const members = readFileSync(join(directory, 'members.txt'));
const strangers = readFileSync(join(directory, 'strangers.txt'));
const take = ({ starts, ends }) => {
  const length = Math.round(starts.length * share);
  return { starts: starts.subarray(0, length), ends: ends.subarray(0, length) };
};
const inOrder = take(lineBounds(members, { shuffled: false }));
const shuffled = share === 1 ? lineBounds(members, { shuffled: true }) : inOrder;
const others = take(lineBounds(strangers, { shuffled: false }));
const keyCount = inOrder.starts.length;

const times = {};
const nsPerKey = (ms, count = keyCount) => (ms * 1e6) / count;

/** Strings with a cold hash, and a heap without the garbage of what came before. */
function freshKeys(bounds) {
  const strings = decode(bounds === others ? strangers : members, bounds);
  globalThis.gc();
  return strings;
}

// Loops by index: `for...of` around a call that is not inlined costs some 50 ns more a key.
function addAll(filter, keys) {
  for (let i = 0; i < keys.length; i++) contender.add(filter, keys[i]);
}

function askAll(filter, keys) {
  let hits = 0;
  for (let i = 0; i < keys.length; i++) if (contender.has(filter, keys[i])) hits++;
  return hits;
}

/** Runs `work` on many small chunks: V8 replaces wasm code between calls, never within one. */
function inChunks(keys, work) {
  for (let i = 0; i < keys.length; i += WARM_CHUNK) work(keys.slice(i, i + WARM_CHUNK));
}

/** Warms up on a filter of full size with few keys: what V8 learns there must hold later. */
function warmUp() {
  const length = Math.min(WARM_KEYS, Math.ceil(keyCount / 10));
  const known = {
    starts: inOrder.starts.subarray(0, length),
    ends: inOrder.ends.subarray(0, length),
  };
  const unknown = {
    starts: others.starts.subarray(0, length),
    ends: others.ends.subarray(0, length),
  };
  const filter = contender.create(keyCount);
  const present = decode(members, known);
  const absent = decode(strangers, unknown);
  inChunks(present, (keys) => addAll(filter, keys));
  for (let pass = 0; pass < 3; pass++) {
    inChunks(present, (keys) => askAll(filter, keys));
    inChunks(absent, (keys) => askAll(filter, keys));
  }
  contender.release(contender.load(contender.store(filter)));
  return { filter, present, absent };
}

function timed(measure, work, count) {
  const stop = startClock();
  const result = work();
  times[measure] = nsPerKey(stop(), count);
  return result;
}

/** Median milliseconds of `repeats` runs; `after` is not timed. */
function repeated(measure, work, after = () => {}) {
  const runs = [];
  for (let i = 0; i < repeats; i++) {
    const stop = startClock();
    const result = work();
    runs.push(stop());
    after(result);
  }
  times[measure] = median(runs);
}

const ones = (answers) => answers.reduce((sum, answer) => sum + answer, 0);

/** What only tamis has: batches and packed keys. */
async function measureBatches(filter, warm) {
  const { keysFromLines } = await import('tamis');
  const wrong = [];
  const expectSame = (what, got, expected) => {
    if (got !== expected) wrong.push(`${what}: ${got} hits, one by one ${expected}`);
  };

  for (let pass = 0; pass < 3; pass++) {
    inChunks(warm.present, (keys) => contender.create(keys.length).addMany(keys));
    inChunks(warm.present, (keys) => warm.filter.hasMany(keys));
    inChunks(warm.absent, (keys) => warm.filter.hasMany(keys));
    for (let line = 0; line + WARM_CHUNK < warm.present.length; line += WARM_CHUNK) {
      const lines = members.subarray(inOrder.starts[line], inOrder.starts[line + WARM_CHUNK]);
      warm.filter.hasMany(keysFromLines(lines));
    }
  }

  const batch = freshKeys(inOrder);
  const built = timed('addMany', () => {
    const fresh = contender.create(keyCount);
    fresh.addMany(batch);
    return fresh;
  });
  if (Buffer.compare(built.toBytes(), filter.toBytes()) !== 0) wrong.push('addMany: other bytes');
  built.dispose();

  const memberBatch = freshKeys(shuffled);
  expectSame('hasMany', ones(timed('hasManyHit', () => filter.hasMany(memberBatch))), keyCount);
  const strangerBatch = freshKeys(others);
  const missAnswers = timed('hasManyMiss', () => filter.hasMany(strangerBatch));
  expectSame('hasMany', ones(missAnswers), counts.falsePositives);

  // The other file first: a split of forty chunks above has not warmed up what four hundred will.
  const packedStrangers = keysFromLines(strangers);
  globalThis.gc();
  const packedMembers = timed('keysFromLines', () => keysFromLines(members));
  const packedHits = timed('hasManyPackedHit', () => filter.hasMany(packedMembers));
  expectSame('hasMany(packed)', ones(packedHits), keyCount);
  const packedMisses = timed('hasManyPackedMiss', () => filter.hasMany(packedStrangers));
  expectSame('hasMany(packed)', ones(packedMisses), counts.falsePositives);
  if (wrong.length > 0) throw new Error(`batches disagree with single calls: ${wrong.join('; ')}`);
}

const counts = {};
const warm = warmUp();

const toBuild = freshKeys(inOrder);
const filter = timed('build', () => {
  const made = contender.create(keyCount);
  addAll(made, toBuild);
  return made;
});
const toHit = freshKeys(shuffled);
counts.falseNegatives = keyCount - timed('hit', () => askAll(filter, toHit));
const toMiss = freshKeys(others);
counts.falsePositives = timed('miss', () => askAll(filter, toMiss));

if (name === 'tamis') await measureBatches(filter, warm);

globalThis.gc();
const stored = contender.store(filter);
repeated('store', () => contender.store(filter));
repeated('load', () => contender.load(stored), contender.release);
counts.wireBytes = typeof stored === 'string' ? Buffer.byteLength(stored) : stored.length;
counts.designedRate = contender.designedRate(filter);
counts.keys = keyCount;

process.stdout.write(`${JSON.stringify({ times, counts })}\n`);
