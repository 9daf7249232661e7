// The false-positive rates of Bloom filters at capacity (FORMAT.md, sections 5.1 and 5.2).

/** 1 - (1 - x)^n */
const complement = (x: number, n: number): number => -Math.expm1(n * Math.log1p(-x));

/** The exact rate. chances[d] is the chance that d different bits of an absent key are not set by any key so far. */
function rateBySum(bits: number, hashes: number, positions: number): number {
  const chances = [1];
  const share = (d: number): number => (chances[d] ?? 0) / bits;
  // First the absent key chooses its bits one by one, and each new bit makes d larger by 1. Then the keys in the filter
  // set their bits, `positions` in all, and a bit that is one of the d makes d smaller by 1.
  for (let i = 0; i < hashes; i++) {
    for (let d = i + 1; d >= 0; d--) chances[d] = share(d) * d + share(d - 1) * (bits - d + 1);
  }
  for (let i = 0; i < positions; i++) {
    for (let d = 0; d <= hashes; d++) chances[d] = share(d) * (bits - d) + share(d + 1) * (d + 1);
  }
  return Math.min(1, chances[0] ?? 0); // rounding can make the sum larger than 1
}

/** Approximates the rate to the second order: the mean of (X / bits)^hashes, where X is the number of set bits. */
function rateByMoments(bits: number, hashes: number, positions: number): number {
  const filled = complement(1 / bits, positions); // the mean share of set bits
  if (filled === 1) return 1;
  const others = bits - 1;
  // The chance that two bits are both clear is (1 - filled)^2 (1 - decay), and gives the variance.
  const decay = complement(1 / (others * others), positions);
  const variance = (1 - filled) * (filled - (1 - filled) * others * decay); // of X, divided by bits
  const secondTerm = ((hashes * (hashes - 1)) / 2) * (variance / (bits * filled * filled));
  return Math.min(1, filled ** hashes * (1 + secondTerm)); // the Taylor series around the mean
}

/** Returns the rate of a Bloom filter: exact if hashes * keys is small, otherwise a second-order approximation. */
export const bloomRate = (bits: number, hashes: number, keys: number): number =>
  hashes * keys <= 512
    ? rateBySum(bits, hashes, hashes * keys)
    : rateByMoments(bits, hashes, hashes * keys);

/** The rate of a block of 256 bits. Two keys whose hashes have the same low word set the same bits. */
const rateOfBlock = (keys: number): number =>
  Math.min(1, complement(1 / 32, keys) ** 8 + keys * 2 ** -32);

/** The rate of split blocks: the mean over the numbers of keys in a block. The likeliest number has the weight 1. */
export function blockRate(blocks: number, keys: number): number {
  if (keys > 4096 * blocks) return 1; // practically every bit is set
  if (blocks === 1) return rateOfBlock(keys);
  const likeliest = Math.floor(keys / blocks);
  let weights = 1;
  let sum = rateOfBlock(likeliest);
  let weight = 1; // the chance of a number of keys, divided by that of the likeliest number
  for (let i = likeliest; i < keys && weight > 1e-20; i++) {
    weight *= (keys - i) / ((i + 1) * (blocks - 1));
    weights += weight;
    sum += weight * rateOfBlock(i + 1);
  }
  weight = 1;
  for (let i = likeliest; i > 0 && weight > 1e-20; i--) {
    weight *= (i * (blocks - 1)) / (keys - i + 1);
    weights += weight;
    sum += weight * rateOfBlock(i - 1);
  }
  return sum / weights;
}

/** The chance that a key has the same value as one of `keys` others, if there are `choices` values. */
export const collisionRate = (choices: number, keys: number): number =>
  complement(1 / choices, keys);
