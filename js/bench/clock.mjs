// Time as this bench means it: an upper bound of the main thread's time on a CPU.

/** What the JSON says about the clock. */
export const CLOCK =
  'min(performance.now(), process.cpuUsage()): wall time that others took away and CPU time of ' +
  'helper threads (garbage collector, compiler) are each left out where the other clock shows less';

/**
 * Starts a measurement; the returned function gives the milliseconds since. The main thread's
 * on-CPU time is below the wall time and below the CPU time of the whole process, so the smaller
 * of the two is the better estimate and never too low.
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

export const minimum = (values) => Math.min(...values);

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
