// The distinct keys, where some come more than once.

/** Odd numbers that nobody outside knows: else somebody could choose keys that all meet in one place. */
const [first, second] = crypto
  .getRandomValues(new Uint32Array(2))
  .map((number) => number | 1) as unknown as [number, number];

/** Places of hashes that were found, plus one, by their mix. One for all calls, since it is large. */
let table = new Uint32Array(2 ** 12);

/**
 * Moves the distinct hashes to the front, in their order, and gives their number. Where there are values, one hash with
 * two values is two. What stands behind is still some of what was there.
 */
export function gatherDistinct(
  hashes: BigUint64Array | Uint32Array,
  values?: Uint32Array | undefined,
): number {
  const length = hashes.byteLength / 8;
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
    while (
      found !== 0 &&
      (halves[2 * found - 2] !== low ||
        halves[2 * found - 1] !== high ||
        (values !== undefined && values[found - 1] !== values[i]))
    ) {
      place = (place + 1) & (size - 1);
      found = table[place] as number;
    }
    if (found !== 0) continue;
    halves[2 * count] = low;
    halves[2 * count + 1] = high;
    if (values !== undefined) values[count] = values[i] as number;
    table[place] = ++count;
  }
  return count;
}
