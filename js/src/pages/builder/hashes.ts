// Finds the distinct hashes.

/** Random odd multipliers. If they were known, chosen keys could all collide. */
const [first = 1, second = 1] = crypto
  .getRandomValues(new Uint32Array(2))
  .map((number) => number | 1);

/** The index plus one of each distinct hash, by its mix. All calls share this table, since it is large. */
let table = new Uint32Array(2 ** 12);

/**
 * Moves the distinct hashes to the front, in their order, and returns their number. With values, one hash with two
 * values counts as two. The places behind them hold leftover hashes.
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
    let known = table[place] as number;
    while (
      known !== 0 &&
      (halves[2 * known - 2] !== low ||
        halves[2 * known - 1] !== high ||
        (values !== undefined && values[known - 1] !== values[i]))
    ) {
      place = (place + 1) & (size - 1);
      known = table[place] as number;
    }
    if (known !== 0) continue;
    halves[2 * count] = low;
    halves[2 * count + 1] = high;
    if (values !== undefined) values[count] = values[i] as number;
    table[place] = ++count;
  }
  return count;
}
