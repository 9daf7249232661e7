/** Exact tails of the binomial distribution: no normal approximation, good from 1e-300 up. */

// Lanczos' approximation, g = 7, n = 9 (Godfrey's coefficients): about 15 digits.
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

/** ln(gamma(x)) for x >= 0.5. */
export function logGamma(x: number): number {
  const z = x - 1;
  let sum = LANCZOS[0] as number;
  for (let i = 1; i < LANCZOS.length; i++) sum += (LANCZOS[i] as number) / (z + i);
  const t = z + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** P(X = x) for X ~ Bin(n, p), 0 < p < 1. */
function probability(x: number, n: number, p: number): number {
  const choose = logGamma(n + 1) - logGamma(x + 1) - logGamma(n - x + 1);
  return Math.exp(choose + x * Math.log(p) + (n - x) * Math.log1p(-p));
}

/** P(X <= x) and P(X >= x) for X ~ Bin(n, p), each summed from x outwards until nothing is added. */
export function binomialTails(x: number, n: number, p: number): { lower: number; upper: number } {
  if (p <= 0) return { lower: 1, upper: x === 0 ? 1 : 0 };
  if (p >= 1) return { lower: x === n ? 1 : 0, upper: 1 };
  const at = probability(x, n, p);
  const mean = n * p;
  const sum = (step: 1 | -1): number => {
    let total = at;
    let term = at;
    for (let i = x; step > 0 ? i < n : i > 0; i += step) {
      term *= step > 0 ? ((n - i) / (i + 1)) * (p / (1 - p)) : (i / (n - i + 1)) * ((1 - p) / p);
      total += term;
      const falling = step > 0 ? i > mean : i < mean;
      if (falling && term < total * 1e-17) break;
    }
    return total;
  };
  return { lower: Math.min(1, sum(-1)), upper: Math.min(1, sum(1)) };
}
