// Solves the equations of a retrieval. The order of the equations does not change the set of slots at which the solved
// equations begin. It does not change the solution either, which has 0 in all other slots.

/** A row: marks on slots from `start` on, and the required XOR of the marked slots. */
export interface Row {
  readonly start: number;
  readonly coefficients: bigint;
  readonly sum: number;
}

export interface Eliminated extends Row {
  /** The starts of the rows that were XORed into it, in this order. */
  readonly met: readonly number[];
}

/** Adds rows one after the other. Each row then begins at a slot at which no other row begins. */
export function eliminate(rows: readonly Row[]): Eliminated[] {
  const at = new Map<number, Row>();
  return rows.map((row) => {
    let { start, coefficients, sum } = row;
    const met: number[] = [];
    for (let there = at.get(start); there; there = at.get(start)) {
      met.push(start);
      coefficients ^= there.coefficients;
      sum = (sum ^ there.sum) >>> 0;
      if (coefficients === 0n) throw new Error('a row depends on those before it');
      while ((coefficients & 1n) === 0n) {
        coefficients >>= 1n;
        start++;
      }
    }
    const made = { start, coefficients, sum, met };
    at.set(start, made);
    return made;
  });
}

/** The slots that solve rows with different starts, from the last slot on. null: the slot is not found yet. */
export function substitute(rows: readonly Row[], slots: number, from = 0): (number | null)[] {
  const at = new Map(rows.map((row) => [row.start, row]));
  const found: (number | null)[] = Array(slots).fill(null);
  for (let slot = slots - 1; slot >= from; slot--) {
    const row = at.get(slot);
    let value = row?.sum ?? 0;
    if (row) {
      for (let rest = row.coefficients >> 1n, i = slot + 1; rest !== 0n; rest >>= 1n, i++) {
        if (rest & 1n) value = (value ^ (found[i] as number)) >>> 0;
      }
    }
    found[slot] = value;
  }
  return found;
}

/** Throws unless the rows give exactly these slots. So a figure's description of a build is true of the bytes. */
export function checkSolution(rows: readonly Row[], slots: readonly number[]): void {
  const found = substitute(rows, slots.length);
  if (slots.some((value, slot) => value !== found[slot])) {
    throw new Error('the equations give other slots than the bytes have');
  }
}
