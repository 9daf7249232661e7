// A guard before a key-value store on disk: a filter of the store's keys answers most look-ups of
// absent keys. Only keys that it may have are read. LevelDB has such filters inside its files. This filter also saves
// the way there, through a thread pool and back.
//
//   node js/examples/read-guard.mjs
import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { BloomFilter } from 'tamis';
import { count, micros, percent, printTable } from './figures.mjs';
import { randomBelow } from './random.mjs';

const KEYS = 50_000;
const QUESTIONS = 50_000;
const ABSENT_IN_TEN = 9;
const FPR = 0.01;

const user = (i) => `user-${i}`;
const record = (i) => `${user(i)} `.padEnd(100, 'x');

const folder = mkdtempSync(join(tmpdir(), 'tamis-read-guard-'));
try {
  await fill(folder);
  await ask(folder);
} finally {
  rmSync(folder, { recursive: true });
}

async function fill(path) {
  const db = new ClassicLevel(path);
  for (let from = 0; from < KEYS; from += 5_000) {
    const puts = Array.from({ length: 5_000 }, (_, i) => ({
      type: 'put',
      key: user(from + i),
      value: record(from + i),
    }));
    await db.batch(puts);
  }
  await db.close();
}

async function ask(path) {
  const db = new ClassicLevel(path, { createIfMissing: false });
  // Built by one walk over the keys when the store opens; its bytes could lie beside the store.
  const guard = new BloomFilter({ capacity: KEYS, fpr: FPR });
  await guard.addFrom(db.keys());

  const below = randomBelow(3);
  const questions = Array.from({ length: QUESTIONS }, () =>
    below(10) < ABSENT_IN_TEN ? KEYS + below(KEYS) : below(KEYS),
  );
  const present = questions.filter((i) => i < KEYS).length;
  const unguarded = await readAll(questions, (key) => db.get(key));
  let reads = 0;
  const guarded = await readAll(questions, (key) => {
    if (!guard.has(key)) return undefined;
    reads++;
    return db.get(key);
  });
  await db.close();
  assert.equal(unguarded.found, present, 'the store has what was put into it');
  assert.equal(guarded.found, present, 'the guard misses no present key');

  printTable('A read guard before LevelDB', [
    ['keys in the store', count(KEYS)],
    ['bytes of the guard', count(guard.toBytes().length)],
    ['questions', count(QUESTIONS)],
    ['for absent keys', count(QUESTIONS - present)],
    ['reads without the guard', count(QUESTIONS)],
    ['reads with the guard', count(reads)],
    ['reads saved', percent(1 - reads / QUESTIONS)],
    ['reads in vain', count(reads - present)],
    ['in vain by the designed rate', count(Math.round((QUESTIONS - present) * FPR))],
    ['present keys missed', count(present - guarded.found)],
    ['time per question without the guard', micros(unguarded.ms / QUESTIONS)],
    ['time per question with the guard', micros(guarded.ms / QUESTIONS)],
  ]);
}

/** Calls `get` for one key after the other, and compares every record. */
async function readAll(questions, get) {
  let found = 0;
  const start = performance.now();
  for (const i of questions) {
    const value = await get(user(i));
    if (value === undefined) continue;
    assert.equal(value, record(i));
    found++;
  }
  return { found, ms: performance.now() - start };
}
