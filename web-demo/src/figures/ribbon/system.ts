// Draws equations as a matrix: a row for each, a column for each slot. What each row's slots must give stands
// on its right, what the slots hold below.
import type { Mark, Tone } from '../shared/model';
import { bitsOf } from '../shared/retrieval';

export interface DrawnRow {
  readonly key: string;
  /** The line of the matrix that it takes. */
  readonly line: number;
  readonly start: number;
  readonly coefficients: bigint;
  /** The sum that its slots must have. Nothing is drawn while it is not known. */
  readonly sum?: number;
  readonly tone: Tone;
}

export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly lines: number;
  /** The bits of a slot. */
  readonly bits: number;
  /** A column's width and a line's height. */
  readonly across: number;
  readonly down: number;
  /** The height of a bit of a slot, and the width of a bit of a sum. */
  readonly bit: number;
}

const round = (value: number): number => Math.round(value * 100) / 100;

export function boxPath(x: number, y: number, width: number, height: number): string {
  return `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
}

/** The places of a system's sums, of its slots and of its end. */
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

/** Runs of neighbours as one rectangle each. */
function runsPath(columns: readonly number[], frame: Frame, x: number): string {
  const parts: string[] = [];
  const { across, down } = frame;
  // A line of the ground between rows, where there is room for it.
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

/** The places of the bits that are 1, the highest bit at place 0. */
export const bitsAt = (value: number, bits: number): number[] =>
  Array.from({ length: bits }, (_, i) => i).filter((i) => (value >> (bits - 1 - i)) & 1);

/** Slots side by side, the bits of each one under the other; null is a slot that is not known yet. */
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
