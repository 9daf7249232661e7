/** The rate of Bloom filters, a second time: cpp/FORMAT.md, 5.1. */

/** The expectation to second order, by the platform's own functions. */
function bySecondOrder(bits: number, hashes: number, positions: number): number {
  if (bits === 1) return 1;
  const empty = Math.exp(positions * Math.log1p(-1 / bits));
  const full = -Math.expm1(positions * Math.log1p(-1 / bits));
  const decay = -Math.expm1(positions * Math.log1p(-1 / (bits - 1) ** 2));
  const variance = empty * (full - empty * (bits - 1) * decay);
  const more = ((hashes * (hashes - 1)) / 2) * (variance / (bits * full * full));
  return Math.min(1, full ** hashes * (1 + more));
}

/** The expectation itself, by the occupancy of the bits. */
function byOccupancy(bits: number, hashes: number, positions: number): number {
  const chance = new Float64Array(positions + 1);
  chance[0] = 1;
  for (let i = 1; i <= positions; i++) {
    for (let set = Math.min(i, bits); set > 0; set--) {
      const [here, below] = [chance[set] as number, chance[set - 1] as number];
      chance[set] = (here * set + below * (bits - set + 1)) / bits;
    }
    chance[0] = 0;
  }
  return chance.reduce((sum, each, set) => sum + each * (set / bits) ** hashes, 0);
}

/** The number of positions up to which the rate is the expectation itself. */
const SUMMED = 512;
/** The expected rate of n keys. */
export const rate = (bits: number, hashes: number, n: number): number =>
  (hashes * n <= SUMMED ? byOccupancy : bySecondOrder)(bits, hashes, hashes * n);
