// Builds a real filter away from the page's thread, and measures it as it fills. One job a worker:
// the page ends the worker when the settings change.
import { hashKeys } from 'tamis';
import { countAt, type Finding, type Job, POINTS } from './filling';
import { demoFilter } from './filters';

const STRANGERS = 500_000;
/** Keys made at a time, to keep memory small. */
const BATCH = 20_000;

function* keyBatches(from: number, to: number): Generator<string[]> {
  for (let start = from; start < to; start += BATCH) {
    const length = Math.min(BATCH, to - start);
    yield Array.from({ length }, (_, i) => `key-${start + i}`);
  }
}

function positives(answers: Uint8Array): number {
  return answers.reduce((sum, answer) => sum + answer, 0);
}

function report(finding: Finding): void {
  postMessage(finding);
}

function run({ type, capacity, fpr }: Job): void {
  const filter = demoFilter(type).create({ capacity, fpr });
  // Hashed once, asked at every point.
  const strangers = hashKeys(Array.from({ length: STRANGERS }, (_, i) => `stranger-${i}`));
  let count = 0;
  for (let i = 1; i <= POINTS; i++) {
    const goal = countAt(capacity, i);
    for (const keys of keyBatches(count, goal)) filter.addMany(keys);
    count = goal;
    const falsePositives = positives(filter.hasHashes(strangers));
    report({ point: { count, falsePositives, strangers: STRANGERS } });
  }
  let missed = 0;
  for (const keys of keyBatches(0, count)) missed += keys.length - positives(filter.hasMany(keys));
  report({ missed });
}

addEventListener('message', ({ data }: MessageEvent<Job>) => run(data));
