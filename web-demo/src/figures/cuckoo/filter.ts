// The filters of the cuckoo figure, the contents of their bytes, and the name behind each fingerprint.
import { CuckooFilter, TamisError } from 'tamis';
import { payloadOf, readField } from '../shared/bytes';
import { multiply64, scale, seededHash } from '../shared/hash';
import { members, others } from '../shared/names';

export const BUCKET_SIZE = 4;
export const FINGERPRINT_BITS = 6;
const CAPACITY = 9;

/** The number of members in the filter from which names are deleted. */
const HELD = 16;

/** The byte of the payload at which the slots begin. */
const SLOTS_AT = 16;

export const held: readonly string[] = members.slice(0, HELD);

/** The names in the order in which they are added until the filter is full. */
export const queue: readonly string[] = [...members, ...others];

export function makeFilter(seed: bigint, names: readonly string[] = []): CuckooFilter {
  const filter = new CuckooFilter({
    capacity: CAPACITY,
    fingerprintBits: FINGERPRINT_BITS,
    bucketSize: BUCKET_SIZE,
    seed,
  });
  for (const name of names) filter.add(name);
  return filter;
}

/** The fingerprints of all slots, from the filter's bytes. An empty slot is 0. */
export function slotsOf(filter: CuckooFilter): number[] {
  const payload = payloadOf(filter.toBytes());
  const count = payload.getUint32(0, true) * payload.getUint32(4, true);
  const bits = payload.getUint32(8, true);
  return Array.from({ length: count }, (_, i) => readField(payload, SLOTS_AT, i, bits));
}

/** The fingerprint of a key and its two buckets. */
export interface Home {
  readonly fingerprint: number;
  readonly first: number;
  readonly second: number;
}

function partnerOf(bucket: number, fingerprint: number, buckets: number): number {
  const f = BigInt(fingerprint);
  const x = multiply64(f, 0x94d049bb133111ebn);
  const y = multiply64(x ^ (x >> 32n), 0xc4ceb9fe1a85ec53n) >> 32n;
  const spread = ((f << 32n) + y) >> BigInt(FINGERPRINT_BITS);
  const r = 2 * Number((spread * BigInt(buckets / 2)) >> 32n) + 1;
  return (((r - bucket) % buckets) + buckets) % buckets;
}

export function homeOf(name: string, buckets: number, seed: bigint): Home {
  const g = seededHash(name, seed);
  const fingerprint = 1 + Number(((g & 0xffffffffn) * BigInt(2 ** FINGERPRINT_BITS - 1)) >> 32n);
  const first = scale(g, buckets);
  return { fingerprint, first, second: partnerOf(first, fingerprint, buckets) };
}

export interface Move {
  readonly from: number;
  readonly to: number;
}

/** The first slot of a bucket that contains this fingerprint. */
export function findSlot(
  slots: readonly number[],
  bucket: number,
  fingerprint: number,
): number | undefined {
  const start = bucket * BUCKET_SIZE;
  const at = slots.slice(start, start + BUCKET_SIZE).indexOf(fingerprint);
  return at < 0 ? undefined : start + at;
}

/** The moves that make room for a key, the free end first. undefined: no moves can make room. */
function searchMoves(slots: readonly number[], { first, second }: Home): Move[] | undefined {
  interface Reached {
    readonly bucket: number;
    /** The fingerprint that could move here, and its present slot. */
    readonly by?: { readonly reached: Reached; readonly slot: number };
  }
  const reached: Reached[] = [{ bucket: first }, { bucket: second }];
  for (const from of reached) {
    for (let slot = from.bucket * BUCKET_SIZE; slot < (from.bucket + 1) * BUCKET_SIZE; slot++) {
      const buckets = slots.length / BUCKET_SIZE;
      const bucket = partnerOf(from.bucket, slots[slot] as number, buckets);
      if (reached.some((other) => other.bucket === bucket)) continue;
      const last: Reached = { bucket, by: { reached: from, slot } };
      reached.push(last);
      const free = findSlot(slots, bucket, 0);
      if (free === undefined) continue;
      const moves: Move[] = [];
      let to = free;
      for (let step: Reached = last; step.by; step = step.by.reached) {
        moves.push({ from: step.by.slot, to });
        to = step.by.slot;
      }
      return moves;
    }
  }
  return undefined;
}

/** The position of each name: the names by slot. */
export type Standing = readonly (string | undefined)[];

export interface Adding {
  readonly name: string;
  readonly home: Home;
  /** True if the package added the name. Otherwise it threw ERR_TAMIS_FULL. */
  readonly taken: boolean;
  /** The moves that made room, in their order. */
  readonly moves: readonly Move[];
  /**
   * The positions before the add, after each move, and with the name in its slot. If the filter is full, the positions
   * stay as they were.
   */
  readonly standings: readonly Standing[];
  /** The slots of the filter afterwards, from its bytes. */
  readonly slots: readonly number[];
}

function putMoves(standing: Standing, moves: readonly Move[]): Standing[] {
  const all: Standing[] = [standing];
  for (const { from, to } of moves) {
    const next = [...(all.at(-1) as Standing)];
    next[to] = next[from];
    next[from] = undefined;
    all.push(next);
  }
  return all;
}

function addOrRefuse(filter: CuckooFilter, name: string): boolean {
  try {
    filter.add(name);
    return true;
  } catch (error) {
    if (error instanceof TamisError && error.code === 'ERR_TAMIS_FULL') return false;
    throw error;
  }
}

/** Adds a name, and returns the moves. Checks that they agree with the bytes. */
function addName(filter: CuckooFilter, name: string, standing: Standing, seed: bigint): Adding {
  const before = slotsOf(filter);
  const home = homeOf(name, before.length / BUCKET_SIZE, seed);
  const free = findSlot(before, home.first, 0) ?? findSlot(before, home.second, 0);
  const moves = free === undefined ? searchMoves(before, home) : [];
  const standings = putMoves(standing, moves ?? []);
  const slot = free ?? moves?.at(-1)?.from;
  const expected = [...before];
  for (const { from, to } of moves ?? []) expected[to] = expected[from] as number;
  if (slot !== undefined) {
    expected[slot] = home.fingerprint;
    const last = [...(standings.at(-1) as Standing)];
    last[slot] = name;
    standings.push(last);
  }
  const taken = addOrRefuse(filter, name);
  const slots = slotsOf(filter);
  if (taken !== (slot !== undefined) || slots.join() !== expected.join()) {
    throw new Error(`the bytes do not show what was derived for ${name}`);
  }
  return { name, home, taken, moves: moves ?? [], standings, slots };
}

/** Adds names to an empty filter until one is rejected. */
export function addUntilFull(seed: bigint): readonly Adding[] {
  const filter = makeFilter(seed);
  try {
    const all: Adding[] = [];
    let standing: Standing = slotsOf(filter).map(() => undefined);
    for (const name of queue) {
      const adding = addName(filter, name, standing, seed);
      all.push(adding);
      if (!adding.taken) break;
      standing = adding.standings.at(-1) as Standing;
    }
    return all;
  } finally {
    filter.dispose();
  }
}

/** Names that nobody added, but that the filter of the members finds. */
export function falsePositives(filter: CuckooFilter): string[] {
  return others.filter((name) => filter.has(name));
}

/** Tests whether deleting this name, which nobody added, removes the only fingerprint of another name. */
function isTrap(name: string, seed: bigint): boolean {
  const filter = makeFilter(seed, held);
  try {
    filter.delete(name);
    return held.some((other) => !filter.has(other));
  } finally {
    filter.dispose();
  }
}

/** The filter of the members, and names to try on it. */
export interface Example {
  readonly seed: bigint;
  readonly trap: string;
}

function tryExample(seed: bigint): Example | undefined {
  const additions = addUntilFull(seed);
  const full = additions.at(-1) as Adding;
  const fits = additions.findIndex(({ moves }) => moves.length > 0) >= HELD;
  if (full.taken || !fits || !additions.some(({ moves }) => moves.length > 1)) return undefined;
  const filter = makeFilter(seed, held);
  const trap = falsePositives(filter).find((name) => isTrap(name, seed));
  filter.dispose();
  return trap === undefined ? undefined : { seed, trap };
}

let example: Example | undefined;

/** The first seed whose filter shows everything that the figure is about. */
export function findExample(): Example {
  for (let seed = 0n; example === undefined; seed++) example = tryExample(seed);
  return example;
}
