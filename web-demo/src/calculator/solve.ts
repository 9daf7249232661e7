// The four numbers of a Bloom filter. The package's own formulas compute the missing ones.
import { bloomRate, bloomSizing } from 'tamis';
import { InputError } from './units';

/** Keys, rate, bits and hashes. */
export interface Four {
  readonly n: number;
  readonly p: number;
  readonly m: number;
  readonly k: number;
}

export interface Solution extends Four {
  /** A note about the consistency of the input, if it had more numbers than needed. */
  readonly note: string;
}

const MOST = Number.MAX_SAFE_INTEGER;
const MOST_HASHES = 64;

/** The first whole number, from 1 on, for which `holds` is true. `holds` must then be true for all larger numbers. */
function firstWhere(holds: (value: number) => boolean, refusal: string): number {
  let high = 1;
  while (!holds(high)) {
    if (high > MOST / 2) throw new InputError(refusal);
    high *= 2;
  }
  let low = Math.floor(high / 2);
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const rateOf = (n: number, m: number, k: number): number =>
  bloomRate({ bits: m, hashes: k, count: n });

/** The rate with the best number of hashes. */
const bestRate = (n: number, m: number): number => bloomSizing({ bits: m, capacity: n }).fpr;

function bitsFor(n: number, p: number, k: number): number {
  return firstWhere((m) => rateOf(n, m, k) <= p, 'No filter of that many hashes keeps this rate.');
}

/** The largest number of keys whose rate is still low enough. The rate grows with the number of keys. */
function keysFor(p: number, rate: (n: number) => number): number {
  const tooMany = firstWhere(
    (n) => rate(n) > p,
    'That filter holds more keys than can be counted.',
  );
  if (tooMany === 1)
    throw new InputError('This memory is too small for a single key at this rate.');
  return tooMany - 1;
}

function hashesFor(n: number, m: number, p: number | undefined): number {
  const { hashes, fpr } = bloomSizing({ bits: m, capacity: n });
  if (p === undefined) return hashes;
  for (let k = 1; k <= MOST_HASHES; k++) if (rateOf(n, m, k) <= p) return k;
  const best = `${Number((100 * fpr).toPrecision(3))} %, with ${hashes} hashes`;
  throw new InputError(`No number of hashes reaches this rate. The best is ${best}.`);
}

function needTwo(): never {
  throw new InputError('Give two of the four, and among them the keys or the memory.');
}

/** Computes the missing numbers. Throws an InputError if too few are given, or if they contradict each other. */
export function solve({ n, p, m, k }: Partial<Four>): Solution {
  const done = (keys: number, bits: number, hashes: number, note = ''): Solution => {
    return { n: keys, m: bits, k: hashes, p: rateOf(keys, bits, hashes), note };
  };
  if (n !== undefined && m !== undefined) {
    const solved = done(n, m, k ?? hashesFor(n, m, p));
    if (p === undefined || k === undefined) return solved;
    return { ...solved, note: solved.p <= p ? 'Your rate is kept.' : 'Your rate is not kept.' };
  }
  if (n !== undefined) {
    if (p !== undefined && k !== undefined) return done(n, bitsFor(n, p, k), k);
    if (p !== undefined) {
      const { bits, hashes } = bloomSizing({ capacity: n, fpr: p });
      return done(n, bits, hashes);
    }
    if (k === undefined) needTwo();
    return done(n, Math.ceil((n * k) / Math.LN2), k, 'The memory is that for which k is best.');
  }
  if (m === undefined) needTwo();
  if (p !== undefined && k !== undefined)
    return done(
      keysFor(p, (keys) => rateOf(keys, m, k)),
      m,
      k,
    );
  if (p !== undefined) {
    const keys = keysFor(p, (count) => bestRate(count, m));
    return done(keys, m, bloomSizing({ bits: m, capacity: keys }).hashes);
  }
  if (k === undefined) needTwo();
  const keys = Math.max(1, Math.round((m * Math.LN2) / k));
  return done(keys, m, k, 'The number of keys is that for which k is best.');
}
