/** Exact tails of the binomial distribution, both at once, from the functions that the examples use. */

import { atLeast, atMost } from '../../../js/examples/binomial.mjs';

/** P(X <= x) and P(X >= x) for X ~ Bin(n, p). */
export function binomialTails(x: number, n: number, p: number): { lower: number; upper: number } {
  return { lower: atMost(x, n, p), upper: atLeast(x, n, p) };
}
