// How many keys there are, where they come more than once.

/** Odd numbers that nobody outside knows: else somebody could choose keys that all meet in one place. */
const [first, second] = crypto
  .getRandomValues(new Uint32Array(2))
  .map((number) => number | 1) as unknown as [number, number];

/** Places of hashes that were found, plus one, by their mix. One for all calls, since it is large. */
let table = new Uint32Array(2 ** 12);

/** The number of distinct hashes. */
export function countDistinct(hashes: BigUint64Array): number {
  const { length } = hashes;
  const bits = Math.max(2, 33 - Math.clz32(length));
  const size = 2 ** bits;
  if (table.length < size) table = new Uint32Array(size);
  else table.fill(0, 0, size);
  const halves = new Uint32Array(hashes.buffer, hashes.byteOffset, 2 * length);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const low = halves[2 * i] as number;
    const high = halves[2 * i + 1] as number;
    let place = Math.imul(low ^ Math.imul(high, first), second) >>> (32 - bits);
    let found = table[place] as number;
    while (found !== 0 && (halves[2 * found - 2] !== low || halves[2 * found - 1] !== high)) {
      place = (place + 1) & (size - 1);
      found = table[place] as number;
    }
    if (found !== 0) continue;
    table[place] = i + 1;
    count++;
  }
  return count;
}
