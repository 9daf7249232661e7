// Draws equations as a matrix, with a row for each equation and a column for each slot. The required sum of each row is
// on its right. The values of the slots are below.
import type { Mark, Tone } from '../shared/model';
import { bitsOf } from '../shared/retrieval';

export interface DrawnRow {
  readonly key: string;
  /** The line of the matrix on which the row is drawn. */
  readonly line: number;
  readonly start: number;
  readonly coefficients: bigint;
  /** The required sum of its slots. If it is not known yet, nothing is drawn. */
  readonly sum?: number;
  readonly tone: Tone;
}

export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly lines: number;
  /** The number of bits in a slot. */
  readonly bits: number;
  /** A column's width and a line's height. */
  readonly across: number;
  readonly down: number;
  /** The height of a slot's bit, and the width of a sum's bit. */
  readonly bit: number;
}

const round = (value: number): number => Math.round(value * 100) / 100;

export function boxPath(x: number, y: number, width: number, height: number): string {
  return `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
}

/** The positions at which the sums, the slots and the end of a system are drawn. */
export function placesOf({ left, top, columns, lines, bits, across, down, bit }: Frame) {
  const right = left + columns * across;
  const bottom = top + lines * down;
  return {
    right,
    bottom,
    sums: right + 2 * bit,
    slots: bottom + 2 * bit,
    end: bottom + (bits + 2) * bit,
  };
}

/** Draws each run of neighbouring columns as one rectangle. */
function runsPath(columns: readonly number[], frame: Frame, x: number): string {
  const parts: string[] = [];
  const { across, down } = frame;
  // A thin gap separates the rows if there is room for it.
  const height = down - Math.min(1, down / 5);
  for (let i = 0; i < columns.length; ) {
    let end = i + 1;
    while (columns[end] === (columns[end - 1] as number) + 1) end++;
    const from = x + (columns[i] as number) * across;
    parts.push(boxPath(from, 0, (end - i) * across, height));
    i = end;
  }
  return parts.join('');
}

function drawRow(row: DrawnRow, frame: Frame): Mark[] {
  const { bits, bit, down, left, top, lines } = frame;
  const y = top + row.line * down;
  const marked = bitsOf(row.coefficients).map((k) => row.start + k);
  const d = runsPath(marked, frame, left);
  const look = { kind: 'path', y, tone: row.tone, share: row.line / lines, filled: true } as const;
  const marks: Mark[] = [{ ...look, key: `row ${row.key}`, d }];
  if (row.sum === undefined) return marks;
  const sums = runsPath(bitsAt(row.sum, bits), { ...frame, across: bit }, placesOf(frame).sums);
  marks.push({ ...look, key: `sum ${row.key}`, d: sums });
  return marks;
}

/** The places of the bits that are 1. The highest bit has place 0. */
export const bitsAt = (value: number, bits: number): number[] =>
  Array.from({ length: bits }, (_, i) => i).filter((i) => (value >> (bits - 1 - i)) & 1);

/** Draws slots side by side, the bits of each one below the other. null is a slot that is not known yet. */
export function drawSlots(
  slots: readonly (number | null)[],
  { left, across, bit, bits }: Pick<Frame, 'left' | 'across' | 'bit' | 'bits'>,
  y: number,
  toneOf: (slot: number) => Tone,
): Mark[] {
  return slots.flatMap((value, slot): Mark[] => {
    if (value === null) return [];
    const height = bit - Math.min(1, bit / 5);
    const d = bitsAt(value, bits).map((i) => boxPath(0, i * bit, across, height));
    const x = left + slot * across;
    const share = slot / slots.length;
    const look = { kind: 'path', x, y, tone: toneOf(slot), share, filled: true } as const;
    return [{ ...look, key: `slot ${slot}`, d: d.join('') }];
  });
}

/** A matrix with its sums and slots. */
export function drawSystem(
  rows: readonly DrawnRow[],
  slots: readonly (number | null)[],
  frame: Frame,
  toneOf: (slot: number) => Tone = () => 'blend',
): Mark[] {
  const { left, top, columns, lines, across, down, bits, bit } = frame;
  const { sums, slots: slotsAt } = placesOf(frame);
  const ground: Mark[] = [
    ['ground', boxPath(left, top, columns * across, lines * down)] as const,
    ['ground of sums', boxPath(sums, top, bits * bit, lines * down)] as const,
    ['ground of slots', boxPath(left, slotsAt, columns * across, bits * bit)] as const,
  ].map(([key, d]) => ({ kind: 'path', key, d, tone: 'ground', filled: true }));
  return [
    ...ground,
    ...rows.flatMap((row) => drawRow(row, frame)),
    ...drawSlots(slots, frame, slotsAt, toneOf),
  ];
}
