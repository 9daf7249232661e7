// The filter of the binary fuse figure: its slots from the bytes, and the build by the format's rules (FORMAT.md,
// section 5.11).
import { BinaryFuseFilter } from 'tamis';
import { payloadOf, readField } from '../shared/bytes';
import { multiply64, scale, seededHash } from '../shared/hash';
import { members } from '../shared/names';

/** Bits of a slot and of a fingerprint: one hexadecimal digit. */
export const BITS = 4;

/** The names that are in the filter. */
export const names: readonly string[] = members.slice(0, 12);

/** The number of seeds that are tried for the figure. */
const SEEDS = 64n;

/** The number of slots that one step of the search for a slot with a single key looks at. */
const SEARCHED = 64;

export interface Table {
  readonly segments: number;
  /** The number of slots in a segment. */
  readonly length: number;
  readonly arity: number;
  /** The value of each slot. */
  readonly slots: readonly number[];
  readonly seed: bigint;
}

export interface Places {
  readonly key: string;
  readonly g: bigint;
  readonly slots: readonly number[];
  readonly print: number;
}

/** A key that was taken out. */
export interface Taken extends Places {
  /** The slot that no other remaining key had. */
  readonly own: number;
  /** The number of remaining keys at each slot, before this key was taken out. */
  readonly counts: readonly number[];
}

const build = (seed: bigint): BinaryFuseFilter =>
  BinaryFuseFilter.from(names, { fingerprintBits: BITS, arity: 3, seed });

/** The number of the names' slots whose value is not 0. */
function countHeld(filter: BinaryFuseFilter): number {
  const table = readTable(filter);
  const places = names.flatMap((name) => placesOf(table, name).slots);
  return places.filter((slot) => table.slots[slot] !== 0).length;
}

/** The seed whose filter shows the largest number of slots that depend on earlier slots. */
function findSeed(): bigint {
  let best = 0n;
  let most = -1;
  for (let seed = 0n; seed < SEEDS; seed++) {
    const filter = build(seed);
    const held = filter.seed === seed ? countHeld(filter) : -1;
    filter.dispose();
    if (held > most) [best, most] = [seed, held];
  }
  return best;
}

let chosen: bigint | undefined;

export function makeFuse(): BinaryFuseFilter {
  chosen ??= findSeed();
  return build(chosen);
}

export function readTable(filter: BinaryFuseFilter): Table {
  const payload = payloadOf(filter.toBytes());
  const segments = payload.getUint32(0, true);
  const length = 2 ** payload.getUint8(4);
  const arity = payload.getUint8(5);
  const width = payload.getUint8(6);
  const size = (segments + arity - 1) * length;
  const slots = Array.from({ length: size }, (_, i) => readField(payload, 8, i, width));
  return { segments, length, arity, slots, seed: filter.seed };
}

/** The slots and the fingerprint of a key. */
export function placesOf({ segments, length, arity, seed }: Table, key: string): Places {
  const g = seededHash(key, seed);
  const y = multiply64(g, 0x9e3779b97f4a7c15n);
  const first = scale(g, segments * length);
  const slots = Array.from({ length: arity }, (_, i) => {
    if (i === 0) return first;
    const mixed = Number((y >> BigInt(64 - 18 * i)) & BigInt(length - 1));
    return (first + i * length) ^ mixed;
  });
  return { key, g, slots, print: Number((g ^ (g >> 32n)) & BigInt(2 ** BITS - 1)) };
}

export const sumOf = ({ slots }: Table, places: readonly number[]): number =>
  places.reduce((sum, place) => sum ^ (slots[place] as number), 0);

const haveSlot = (left: Iterable<Places>, slot: number): Places[] =>
  [...left].filter(({ slots }) => slots.includes(slot));

/** Takes the keys out in the order of the format's rules. */
export function peel(table: Table): Taken[] {
  const size = table.slots.length;
  const sorted = names.map((name) => placesOf(table, name)).sort((a, b) => (a.g < b.g ? -1 : 1));
  const left = new Set(sorted);
  const queue: number[] = [];
  const taken: Taken[] = [];
  for (let searched = 0; ; ) {
    while (queue.length === 0 && searched < size) {
      const end = Math.min(searched + SEARCHED, size);
      for (; searched < end; searched++) {
        if (haveSlot(left, searched).length === 1) queue.push(searched);
      }
    }
    const own = queue.shift();
    if (own === undefined) break;
    const [alone, ...more] = haveSlot(left, own);
    if (!alone || more.length > 0) continue;
    const counts = table.slots.map((_, slot) => haveSlot(left, slot).length);
    taken.push({ ...alone, own, counts });
    left.delete(alone);
    queue.push(...alone.slots.filter((slot) => haveSlot(left, slot).length === 1));
  }
  if (left.size > 0) throw new Error('not every key could be taken out');
  return taken;
}

/** The value of each slot after the last `count` removed keys received their slots. null: the slot has no value yet. */
export function assign(table: Table, taken: readonly Taken[], count: number): (number | null)[] {
  const slots: (number | null)[] = table.slots.map(() => null);
  for (const { own, slots: places, print } of taken.slice(taken.length - count).reverse()) {
    slots[own] = places.reduce(
      (sum, slot) => (slot === own ? sum : sum ^ (slots[slot] ?? 0)),
      print,
    );
  }
  return slots;
}

/** Throws unless the removed keys give exactly the slots of the bytes. */
export function checkTable(table: Table, taken: readonly Taken[]): void {
  const slots = assign(table, taken, taken.length);
  if (table.slots.some((value, slot) => value !== (slots[slot] ?? 0))) {
    throw new Error('the rules give other slots than the bytes have');
  }
}

export const hex = (value: number): string => value.toString(16);
