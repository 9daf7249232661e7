// Exact tails of the binomial distribution, by sums of its own terms. A normal approximation is off
// by a factor of ten and more if a tail is as thin as 1e-9.

// Stirling's series for ln(gamma(x)): the factors of 1/x, 1/x^3, 1/x^5, ... Below 12 the five of
// them do not suffice, so a smaller x is shifted up by gamma(x + 1) = x gamma(x).
const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188];
const STIRLING_FROM = 12;

/** ln(gamma(x)) for x > 0, to about 14 digits. */
export function logGamma(x) {
  let shift = 0;
  let z = x;
  for (; z < STIRLING_FROM; z++) shift += Math.log(z);
  const series = STIRLING.reduceRight((sum, factor) => sum / (z * z) + factor, 0) / z;
  return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift;
}

/** P(X = x) for X ~ Bin(n, p), 0 < p < 1. */
function probability(x, n, p) {
  const choose = logGamma(n + 1) - logGamma(x + 1) - logGamma(n - x + 1);
  return Math.exp(choose + x * Math.log(p) + (n - x) * Math.log1p(-p));
}

/** P(X <= x) for X ~ Bin(n, p). */
export function atMost(x, n, p) {
  if (x < 0) return 0;
  if (x >= n || p <= 0) return 1;
  if (p >= 1) return 0;
  // Away from the mean the terms fall, so the sum ends soon.
  if (x > n * p) return 1 - atLeast(x + 1, n, p);
  let term = probability(x, n, p);
  let sum = term;
  for (let i = x; i > 0 && term > sum * Number.EPSILON; i--) {
    term *= (i / (n - i + 1)) * ((1 - p) / p);
    sum += term;
  }
  return Math.min(1, sum);
}

/** P(X >= x) for X ~ Bin(n, p). */
export function atLeast(x, n, p) {
  if (x <= 0) return 1;
  if (x > n || p <= 0) return 0;
  if (p >= 1) return 1;
  if (x <= n * p) return 1 - atMost(x - 1, n, p);
  let term = probability(x, n, p);
  let sum = term;
  for (let i = x; i < n && term > sum * Number.EPSILON; i++) {
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
    sum += term;
  }
  return Math.min(1, sum);
}

/** The smallest integer in low..high that `holds`; it holds for all above, and for `high`. */
function smallest(low, high, holds) {
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The narrowest interval low..high with P(X < low) < alpha and P(X > high) < alpha, for X ~ Bin(n, p).
 */
export function binomialInterval(n, p, alpha) {
  const low = smallest(0, n, (x) => atMost(x, n, p) >= alpha);
  const high = smallest(0, n, (x) => atLeast(x + 1, n, p) < alpha);
  return { low, high };
}
