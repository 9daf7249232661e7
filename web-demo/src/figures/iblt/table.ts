// The tables of the IBLT figure, the contents of their bytes, and the peeling of a table of differences.
import { InvertibleBloomTable } from 'tamis';
import { payloadOf } from '../shared/bytes';
import { multiply64, scale, seededHash, splitmix64 } from '../shared/hash';
import { members, others } from '../shared/names';

/** The number of differences that the table is made for. */
export const DIFFERENCES = 5;
export const KEY_BYTES = 4;
export const PARTITIONS = 4;

/** The numbers of differences that the figure shows. The last is too large for the table. */
export const counts: readonly number[] = [3, 5, 12, 24];

/** All keys of a table have the same length. Here they are names of four letters. */
const names = [...members, ...others].filter((name) => name.length === KEY_BYTES);

export interface Sides {
  readonly both: readonly string[];
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

/** Two sets that differ in this number of names. The other names are in both. */
export function makeSides(differences: number): Sides {
  const differing = names.slice(0, differences);
  return {
    both: names.slice(differences),
    mine: differing.filter((_, i) => i % 2 === 0),
    theirs: differing.filter((_, i) => i % 2 === 1),
  };
}

function makeTable(keys: readonly string[], seed: bigint): InvertibleBloomTable {
  const table = new InvertibleBloomTable({
    differences: DIFFERENCES,
    keyBytes: KEY_BYTES,
    seed,
  });
  for (const key of keys) table.add(key);
  return table;
}

export interface Cell {
  /** The number of added keys minus the number of deleted keys. */
  readonly count: number;
  readonly check: bigint;
  /** The exclusive or of the keys. */
  readonly key: Uint8Array;
}

/** The cells of a table, from its bytes. */
function cellsOf(table: InvertibleBloomTable): Cell[] {
  const payload = payloadOf(table.toBytes());
  const keyBytes = payload.getUint32(0, true);
  // The padding is smaller than a cell.
  const count = Math.floor((payload.byteLength - 8) / (12 + keyBytes));
  return Array.from({ length: count }, (_, i) => ({
    count: payload.getInt32(8 + 4 * i, true),
    check: payload.getBigUint64(8 + 4 * count + 8 * i, true),
    key: new Uint8Array(
      payload.buffer,
      payload.byteOffset + 8 + 12 * count + keyBytes * i,
      keyBytes,
    ),
  }));
}

export const isEmpty = ({ count, check, key }: Cell): boolean =>
  count === 0 && check === 0n && key.every((byte) => byte === 0);

/** The four cells of a key, and its checksum. */
export function placesOf(key: Uint8Array, cells: number, seed: bigint) {
  const g = seededHash(key, seed);
  const size = cells / PARTITIONS;
  return {
    cells: Array.from(
      { length: PARTITIONS },
      (_, j) => j * size + scale(splitmix64(g + BigInt(j)), size),
    ),
    check: splitmix64(g + BigInt(PARTITIONS)),
  };
}

/** A cell with a single key, and that key. */
export interface Found {
  readonly cell: number;
  readonly name: string;
  /** True if only the first side has the key. */
  readonly isMine: boolean;
  readonly cells: readonly number[];
}

/** The only key of this cell, if it has exactly one. */
export function readPure(cells: readonly Cell[], cell: number, seed: bigint): Found | undefined {
  const { count, check, key } = cells[cell] as Cell;
  if (count !== 1 && count !== -1) return undefined;
  const places = placesOf(key, cells.length, seed);
  const isAlone = check === multiply64(places.check, BigInt(count)) && places.cells.includes(cell);
  if (!isAlone) return undefined;
  return { cell, name: new TextDecoder().decode(key), isMine: count === 1, cells: places.cells };
}

/** The first cell with a single key. */
function findPure(cells: readonly Cell[], seed: bigint): Found | undefined {
  for (let cell = 0; cell < cells.length; cell++) {
    const found = readPure(cells, cell, seed);
    if (found) return found;
  }
  return undefined;
}

export interface Peel {
  readonly found: Found;
  /** The cells after the key was taken out, from the table's bytes. */
  readonly cells: readonly Cell[];
}

export interface Exchange {
  readonly mine: readonly Cell[];
  readonly theirs: readonly Cell[];
  readonly difference: readonly Cell[];
  readonly peels: readonly Peel[];
  /** True if the package's `decode` found all differences. */
  readonly complete: boolean;
  /** The bytes of a table, which the two sides exchange. */
  readonly bytes: number;
}

/** The package's lists must contain the keys that were peeled. */
function checkLists(table: InvertibleBloomTable, peels: readonly Peel[]): boolean {
  const { added, removed, complete } = table.decode();
  const decoder = new TextDecoder();
  const sort = (list: readonly string[]) => [...list].sort().join();
  const listed = (isMine: boolean) =>
    peels.filter(({ found }) => found.isMine === isMine).map(({ found }) => found.name);
  if (
    sort(added.map((key) => decoder.decode(key))) !== sort(listed(true)) ||
    sort(removed.map((key) => decoder.decode(key))) !== sort(listed(false))
  ) {
    throw new Error('decode lists other keys than the cells give');
  }
  return complete;
}

/** Fills two tables, subtracts them, and takes one key after the other out of the difference. */
export function runExchange({ both, mine, theirs }: Sides, seed: bigint): Exchange {
  const first = makeTable([...both, ...mine], seed);
  const second = makeTable([...both, ...theirs], seed);
  const table = first.subtract(second);
  try {
    const difference = cellsOf(table);
    const peels: Peel[] = [];
    const rest = table.clone();
    let cells: readonly Cell[] = difference;
    for (let found = findPure(cells, seed); found; found = findPure(cells, seed)) {
      if (found.isMine) rest.delete(found.name);
      else rest.add(found.name);
      cells = cellsOf(rest);
      peels.push({ found, cells });
    }
    rest.dispose();
    const complete = checkLists(table, peels);
    if (complete !== cells.every(isEmpty)) throw new Error('decode and the cells disagree');
    const bytes = first.toBytes().length;
    return { mine: cellsOf(first), theirs: cellsOf(second), difference, peels, complete, bytes };
  } finally {
    for (const used of [first, second, table]) used.dispose();
  }
}

/** Tests whether a key is revealed by a cell that held several keys at first. */
function isChain({ difference, peels }: Exchange): boolean {
  return peels.some(({ found }) => Math.abs(difference[found.cell]?.count ?? 0) > 1);
}

let chosen: bigint | undefined;

/** The first seed for which the table does everything that the figure is about. */
export function findSeed(): bigint {
  const most = counts.at(-1) as number;
  for (let seed = 0n; chosen === undefined; seed++) {
    const all = counts.map((count) => runExchange(makeSides(count), seed));
    const last = all.at(-1) as Exchange;
    const fits = all.slice(0, -1).every(({ complete }) => complete) && isChain(all[1] as Exchange);
    if (fits && !last.complete && last.peels.length >= 4 && last.peels.length < most - 4) {
      chosen = seed;
    }
  }
  return chosen;
}
