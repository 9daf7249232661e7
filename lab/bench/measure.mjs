// Functions that measure inside a process or a page, with tinybench, and that run measurements in turn.

import { Bench } from 'tinybench';

/** With this many keys, the milliseconds per call equal the nanoseconds per key. */
export const MS = 1e6;

/**
 * Starts a clock. The returned function returns the milliseconds since then: the smaller of wall time and CPU time of
 * the process. The main thread's own time is below both, so the smaller one is the better estimate, and never too low.
 * So other programs and helper threads count only if they are in both. In pages, and for functions that wait, only wall
 * time is available.
 */
function startClock(isWaiting) {
  const start = performance.now();
  const before = isWaiting ? undefined : globalThis.process?.cpuUsage();
  return () => {
    const wall = performance.now() - start;
    if (before === undefined) return wall;
    const { user, system } = process.cpuUsage(before);
    return Math.min(wall, (user + system) / 1000);
  };
}

/**
 * The nanoseconds that `run` takes for each of `count` keys, as [minimum, median] of several calls. `input` makes the
 * argument of a call, and `after` gets its result; neither is timed. All calls together take at least `leastMs`.
 */
export async function time(
  count,
  run,
  { input, after = () => {}, iterations = 2, warmups = 1, leastMs = 0, isWaiting } = {},
) {
  let argument;
  let result;
  const bench = new Bench({
    iterations,
    time: leastMs,
    warmup: warmups > 0,
    warmupIterations: warmups,
    warmupTime: 0,
    throws: true,
  });
  const call = async () => {
    const stop = startClock(isWaiting);
    result = await run(argument);
    return { overriddenDuration: stop() };
  };
  bench.add('run', call, {
    async: true,
    async beforeEach() {
      if (input === undefined) return;
      argument = await input();
      globalThis.gc?.();
    },
    afterEach: () => after(result),
  });
  globalThis.gc?.();
  await bench.run();
  const { min, p50, mean } = bench.tasks[0].result.latency;
  // The clock of a page may tick once a millisecond, so only the mean of many calls is meaningful.
  return (leastMs > 0 ? [mean, mean] : [min, p50]).map((ms) => (ms * 1e6) / count);
}

function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Combines several figures into one: the minimum of the minima, and the median of the medians. */
export const figureOf = (figures) => [
  Math.min(...figures.map(([least]) => least)),
  median(figures.map(([, middle]) => middle)),
];

/**
 * The results of each way, by name. Each round runs all ways, so that a slow minute of the machine affects all alike.
 * `warmups` rounds come first and do not count. A way may return undefined in a round, which then gives no result.
 */
export async function inTurn(rounds, ways, warmups = 0) {
  const results = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 1 - warmups; round <= rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const result = await way(round);
      if (round > 0 && result !== undefined) results[name].push(result);
    }
  }
  return results;
}

/** Runs measurements in turn that give one figure each. */
export async function figuresInTurn(rounds, ways, warmups) {
  const results = await inTurn(rounds, ways, warmups);
  return Object.fromEntries(Object.entries(results).map(([name, all]) => [name, figureOf(all)]));
}

/** A figure with the milliseconds of a single call. */
export const timeOnce = (run, options) => time(MS, run, { iterations: 1, warmups: 0, ...options });

// The loops use an index, because `for...of` around a call that is not inlined takes about 50 ns more per key.

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

export const ones = (answers) => answers.reduce((sum, answer) => sum + answer, 0);
