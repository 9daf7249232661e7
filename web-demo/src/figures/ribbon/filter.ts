// The filter of the ribbon figure, and its equations.
import { hashKey, RibbonFilter } from 'tamis';
import { payloadOf } from '../shared/bytes';
import { checkSolution, eliminate } from '../shared/elimination';
import { members, others } from '../shared/names';
import { type Equation, equationOf, type Level, lowest, readLevels } from '../shared/retrieval';

/** Bits of a slot, and of a fingerprint. */
export const BITS = 8;

const domains = ['example.com', 'example.org', 'example.net'];

/** The addresses that are in the filter. */
export const addresses: readonly string[] = domains.flatMap((domain) =>
  [...members, ...others].map((name) => `${name.toLowerCase()}@${domain}`),
);

export interface KeyEquation extends Equation {
  readonly key: string;
  /** The bits that the sum must equal. */
  readonly print: number;
}

export function makeRibbon(keys: readonly string[] = addresses): RibbonFilter {
  return RibbonFilter.from(keys, { fingerprintBits: BITS });
}

/** The levels of a filter, from its bytes. */
export function levelsOf(filter: RibbonFilter): Level[] {
  return readLevels(payloadOf(filter.toBytes()), 0, filter.seed);
}

/** The equation of a key that is looked up. */
export function lookUpIn(levels: readonly Level[], key: string): KeyEquation {
  const equation = equationOf(levels, hashKey(key));
  return { ...equation, key, print: lowest(equation.check, BITS) };
}

/** The equations of a filter's keys. Throws if the slots violate one of them. */
export function equationsOf(levels: readonly Level[], keys: readonly string[]): KeyEquation[] {
  return keys.map((key) => {
    const equation = lookUpIn(levels, key);
    if (equation.sum !== equation.print) throw new Error(`the slots do not give ${key}'s row`);
    return equation;
  });
}

export const byStart = (a: Equation, b: Equation): number =>
  a.start - b.start || (a.coefficients < b.coefficients ? -1 : 1);

/**
 * The equations after the elimination, each beginning at a slot of its own. Their solution is the slots of the bytes.
 */
export function eliminated(equations: readonly KeyEquation[], slots: readonly number[]) {
  const rows = eliminate(equations.map((equation) => ({ ...equation, sum: equation.print })));
  checkSolution(rows, slots);
  return rows;
}

export const hex = (value: number): string => value.toString(16).padStart(2, '0');
