// One round of one contender, in a process of its own: `node --expose-gc round.mjs NAME DIR`.
// Prints one line of JSON: times of this round, and what was counted on the way.

import { CONTENDERS, loadContender } from './contenders.mjs';
import { addAll, askAll, inChunks, ones, openKeys, repeated, timer, WARM_CHUNK } from './loops.mjs';

const [name, directory] = process.argv.slice(2);
const { share, repeats } = CONTENDERS[name];
const contender = await loadContender(name);
const { members, strangers, inOrder, shuffled, others, ...keys } = openKeys(directory, share);
const keyCount = keys.count;

const times = {};
const counts = {};
const timed = timer(times);

/** Warms up on a filter of full size with few keys: what V8 learns there must hold later. */
function warmUp() {
  const filter = contender.create(keyCount);
  const { present, absent } = keys.warm();
  inChunks(present, (chunk) => addAll(contender, filter, chunk));
  for (let pass = 0; pass < 3; pass++) {
    inChunks(present, (chunk) => askAll(contender, filter, chunk));
    inChunks(absent, (chunk) => askAll(contender, filter, chunk));
  }
  contender.release(contender.load(contender.store(filter)));
  return { filter, present, absent };
}

/** What only tamis has: batches and packed keys. */
async function measureBatches(filter, warm) {
  const { keysFromLines } = await import('tamis');
  const wrong = [];
  const expectSame = (what, got, expected) => {
    if (got !== expected) wrong.push(`${what}: ${got} hits, one by one ${expected}`);
  };

  for (let pass = 0; pass < 3; pass++) {
    inChunks(warm.present, (chunk) => contender.create(chunk.length).addMany(chunk));
    inChunks(warm.present, (chunk) => warm.filter.hasMany(chunk));
    inChunks(warm.absent, (chunk) => warm.filter.hasMany(chunk));
    for (let line = 0; line + WARM_CHUNK < warm.present.length; line += WARM_CHUNK) {
      const lines = members.subarray(inOrder.starts[line], inOrder.starts[line + WARM_CHUNK]);
      warm.filter.hasMany(keysFromLines(lines));
    }
  }

  const batch = keys.fresh(inOrder);
  const built = timed('addMany', keyCount, () => {
    const fresh = contender.create(keyCount);
    fresh.addMany(batch);
    return fresh;
  });
  if (Buffer.compare(built.toBytes(), filter.toBytes()) !== 0) wrong.push('addMany: other bytes');
  built.dispose();

  const memberBatch = keys.fresh(shuffled);
  const hitAnswers = timed('hasManyHit', keyCount, () => filter.hasMany(memberBatch));
  expectSame('hasMany', ones(hitAnswers), keyCount);
  const strangerBatch = keys.fresh(others);
  const missAnswers = timed('hasManyMiss', keyCount, () => filter.hasMany(strangerBatch));
  expectSame('hasMany', ones(missAnswers), counts.falsePositives);

  // The other file first: a split of forty chunks above has not warmed up what four hundred will.
  const packedStrangers = keysFromLines(strangers);
  globalThis.gc();
  const packedMembers = timed('keysFromLines', keyCount, () => keysFromLines(members));
  const packedHits = timed('hasManyPackedHit', keyCount, () => filter.hasMany(packedMembers));
  expectSame('hasMany(packed)', ones(packedHits), keyCount);
  const packedMisses = timed('hasManyPackedMiss', keyCount, () => filter.hasMany(packedStrangers));
  expectSame('hasMany(packed)', ones(packedMisses), counts.falsePositives);
  if (wrong.length > 0) throw new Error(`batches disagree with single calls: ${wrong.join('; ')}`);
}

const warm = warmUp();

const toBuild = keys.fresh(inOrder);
const filter = timed('build', keyCount, () => {
  const made = contender.create(keyCount);
  addAll(contender, made, toBuild);
  return made;
});
const toHit = keys.fresh(shuffled);
counts.falseNegatives = keyCount - timed('hit', keyCount, () => askAll(contender, filter, toHit));
const toMiss = keys.fresh(others);
counts.falsePositives = timed('miss', keyCount, () => askAll(contender, filter, toMiss));

if (name === 'tamis') await measureBatches(filter, warm);

globalThis.gc();
const stored = contender.store(filter);
times.store = repeated(repeats, () => contender.store(filter));
times.load = repeated(repeats, () => contender.load(stored), contender.release);
counts.wireBytes = typeof stored === 'string' ? Buffer.byteLength(stored) : stored.length;
counts.designedRate = contender.designedRate(filter);
counts.keys = keyCount;

process.stdout.write(`${JSON.stringify({ times, counts })}\n`);
