// Builds a real filter outside the page's thread, and measures it while it fills. Each worker does one job: the page
// ends the worker when the settings change.
import { hashKeys, type MutableFilter } from 'tamis';
import { countAt, type Finding, type Job, POINTS } from './filling';
import { demoFilter } from './filters';
import { absentKeys, positives } from './measure';

const ABSENT_KEYS = 500_000;
/** The number of keys that are made at a time, to keep memory small. */
const BATCH = 20_000;

function* keyBatches(from: number, to: number): Generator<string[]> {
  for (let start = from; start < to; start += BATCH) {
    const length = Math.min(BATCH, to - start);
    yield Array.from({ length }, (_, i) => `key-${start + i}`);
  }
}

function report(finding: Finding): void {
  postMessage(finding);
}

/**
 * Adds the keys from `count` to `goal` - 1. Returns the new number of keys, which is smaller if the filter became full.
 */
function fill(filter: MutableFilter, count: number, goal: number): number {
  for (const keys of keyBatches(count, goal)) {
    try {
      filter.addMany(keys);
    } catch (error) {
      const { code, index } = error as { code?: string; index?: number };
      if (code !== 'ERR_TAMIS_FULL' || index === undefined) throw error;
      return count + index;
    }
    count += keys.length;
  }
  return count;
}

function run(job: Job): void {
  const { type, capacity } = job;
  const filter = demoFilter(type).create(job);
  // These keys are hashed once, and looked up at every point.
  const absent = hashKeys(absentKeys(ABSENT_KEYS));
  let count = 0;
  let isFull = false;
  for (let i = 1; i <= POINTS && !isFull; i++) {
    const goal = countAt(capacity, i);
    count = fill(filter, count, goal);
    isFull = count < goal;
    const falsePositives = positives(filter.hasHashes(absent));
    const estimated = filter.estimatedFpr;
    report({ point: { count, estimated, falsePositives, absentKeys: ABSENT_KEYS } });
  }
  let missed = 0;
  for (const keys of keyBatches(0, count)) missed += keys.length - positives(filter.hasMany(keys));
  report({ summary: { missed, isFull } });
}

addEventListener('message', ({ data }: MessageEvent<Job>) => run(data));
