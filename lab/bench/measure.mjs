// The clock of a round, and its loops.

const WARM_CHUNK = 4_000;

/** The description of the clock in the results. */
export const CLOCK =
  'min(performance.now(), process.cpuUsage()): wall time that others took away and CPU time of ' +
  'helper threads (garbage collector, compiler) are each left out where the other clock shows less';

/**
 * Starts a measurement. The returned function returns the milliseconds since then. The main thread's own time is below
 * the wall time, and below the CPU time of the process. So the smaller of the two is the better estimate, and never too
 * low.
 */
export function startClock() {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  return () => {
    const wallMs = performance.now() - wall;
    const { user, system } = process.cpuUsage(cpu);
    return Math.min(wallMs, (user + system) / 1000);
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export const summary = (values) => ({
  min: Math.min(...values),
  median: median(values),
  all: values,
});

/** Returns a function that runs `work`, notes its nanoseconds per key in `times`, and returns its result. */
export const timer = (times) => (measure, count, work) => {
  globalThis.gc();
  const stop = startClock();
  const result = work();
  times[measure] = (stop() * 1e6) / count;
  return result;
};

/** Median milliseconds of `repeats` runs; `after` is not timed. */
export function timeRepeats(repeats, work, after = () => {}) {
  const runs = [];
  for (let i = 0; i < repeats; i++) {
    const stop = startClock();
    const result = work();
    runs.push(stop());
    after(result);
  }
  return median(runs);
}

// The loops go by index: `for...of` around a call that is not inlined costs about 50 ns more per key.

export function addAll({ add }, filter, keys) {
  for (let i = 0; i < keys.length; i++) add(filter, keys[i]);
}

export function askAll({ has }, filter, keys) {
  let hits = 0;
  for (let i = 0; i < keys.length; i++) if (has(filter, keys[i])) hits++;
  return hits;
}

export function removeAll({ remove }, filter, keys) {
  let found = 0;
  for (let i = 0; i < keys.length; i++) if (remove(filter, keys[i])) found++;
  return found;
}

/** Runs `work` on many small chunks. V8 replaces wasm code between calls, and never within one. */
export function inChunks(keys, work) {
  for (let i = 0; i < keys.length; i += WARM_CHUNK) work(keys.slice(i, i + WARM_CHUNK));
}

export const ones = (answers) => answers.reduce((sum, answer) => sum + answer, 0);
