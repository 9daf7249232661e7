// What the rounds of all parts do with the keys.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, startClock } from './clock.mjs';
import { decode, lineBounds } from './urls.mjs';

const WARM_KEYS = 40_000;
export const WARM_CHUNK = 4_000;

/** The first `share` of the lines. */
function head(bytes, share) {
  if (share === 1) return bytes;
  const { ends } = lineBounds(bytes, { shuffled: false });
  return bytes.subarray(0, ends[Math.round(ends.length * share) - 1] + 1);
}

/** The keys of a round: members in the order of adding and of asking, and strangers. */
export function openKeys(directory, share) {
  const members = head(readFileSync(join(directory, 'members.txt')), share);
  const strangers = head(readFileSync(join(directory, 'strangers.txt')), share);
  const inOrder = lineBounds(members, { shuffled: false });
  const shuffled = lineBounds(members, { shuffled: true });
  const others = lineBounds(strangers, { shuffled: false });
  const stringsOf = (bounds) => decode(bounds === others ? strangers : members, bounds);
  const count = inOrder.starts.length;
  const warmCount = Math.min(WARM_KEYS, Math.ceil(count / 10));
  const first = (bytes, { starts, ends }) =>
    decode(bytes, { starts: starts.subarray(0, warmCount), ends: ends.subarray(0, warmCount) });
  return {
    count,
    members,
    strangers,
    inOrder,
    shuffled,
    others,
    /** Strings with a cold hash, and a heap without the garbage of what came before. */
    fresh(bounds) {
      const strings = stringsOf(bounds);
      globalThis.gc();
      return strings;
    },
    warm: () => ({ present: first(members, inOrder), absent: first(strangers, others) }),
  };
}

// Loops by index: `for...of` around a call that is not inlined costs some 50 ns more a key.

export function addAll({ add }, filter, keys) {
  for (let i = 0; i < keys.length; i++) add(filter, keys[i]);
}

export function askAll({ has }, filter, keys) {
  let hits = 0;
  for (let i = 0; i < keys.length; i++) if (has(filter, keys[i])) hits++;
  return hits;
}

/** Runs `work` on many small chunks: V8 replaces wasm code between calls, never within one. */
export function inChunks(keys, work) {
  for (let i = 0; i < keys.length; i += WARM_CHUNK) work(keys.slice(i, i + WARM_CHUNK));
}

export const ones = (answers) => answers.reduce((sum, answer) => sum + answer, 0);

/** A function that runs `work`, notes its nanoseconds per key in `times`, and gives its result. */
export const timer = (times) => (measure, count, work) => {
  const stop = startClock();
  const result = work();
  times[measure] = (stop() * 1e6) / count;
  return result;
};

/** Median milliseconds of `repeats` runs; `after` is not timed. */
export function repeated(repeats, work, after = () => {}) {
  const runs = [];
  for (let i = 0; i < repeats; i++) {
    const stop = startClock();
    const result = work();
    runs.push(stop());
    after(result);
  }
  return median(runs);
}

/** Look-ups by hashes: the median of a few runs, each of which takes some milliseconds only. */
export function timeHashed(ask, hashes, repeats) {
  let hits = 0;
  const ms = repeated(
    repeats,
    () => ask(hashes),
    (answers) => {
      hits = ones(answers);
    },
  );
  return { ns: (ms * 1e6) / hashes.length, hits };
}
