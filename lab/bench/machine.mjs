// Checks that one machine measured all published times of a release. docs/tests/benchmarks.test.mjs uses it.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const results = join(import.meta.dirname, 'results');

/** The parts that measure no time, so that their figures are the same on every machine. */
export const UNTIMED = ['accuracy', 'sizes'];

/** The saved runs with times, by part. */
export function readTimed() {
  const files = readdirSync(results).filter((name) => name.endsWith('.json'));
  const parts = files.map((name) => basename(name, '.json'));
  const read = (part) => JSON.parse(readFileSync(join(results, `${part}.json`), 'utf8'));
  const timed = parts.filter((part) => !UNTIMED.includes(part));
  return Object.fromEntries(timed.map((part) => [part, read(part)]));
}

/**
 * The machine that most runs name, and the parts that ran on another machine.
 * @param {Record<string, { cpu: string }>} runs
 * @throws Error if a run names no machine
 */
export function machineOf(runs) {
  const counts = {};
  for (const [part, { cpu }] of Object.entries(runs)) {
    if (!cpu) throw new Error(`the saved run of ${part} names no machine`);
    counts[cpu] = (counts[cpu] ?? 0) + 1;
  }
  const [[machine]] = Object.entries(counts).sort(([, one], [, other]) => other - one);
  const others = Object.keys(runs).filter((part) => runs[part].cpu !== machine);
  return { machine, others: others.sort() };
}
