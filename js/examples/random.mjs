/** Mulberry32: numbers from 0 to below 1, the same for the same seed. */
export function random(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Whole numbers from 0 to below `limit`, all equally likely. */
export function randomBelow(seed) {
  const next = random(seed);
  return (limit) => Math.floor(next() * limit);
}
