// Names as chips in columns, with gaps through which lines can run.
import type { Mark, Tone } from './model';

const HEIGHT = 22;
const GAP = 6;
const NARROWEST = 66;
const WIDEST = 110;

export interface ChipPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The chip's row, from 0. */
  readonly row: number;
}

export interface Chips {
  readonly height: number;
  mark(name: string, tone: Tone, text?: string): Mark;
  at(name: string): ChipPlace;
  /** The middle of the gap on the left (0) or on the right (1) of a name's chip. */
  gap(name: string, side: 0 | 1): number;
}

export interface ChipOptions {
  /** The distance between two chips of a row. */
  readonly gap?: number;
  /** The distance on the left and on the right of a row. */
  readonly inset?: number;
}

/** Lays out chips in rows of the same or nearly the same length. */
export function makeChips(
  names: readonly string[],
  width: number,
  top: number,
  { gap = GAP, inset = 1 }: ChipOptions = {},
): Chips {
  const room = width - 2 * inset + gap;
  const most = Math.max(1, Math.floor((room + 2 * inset) / (NARROWEST + gap)));
  const rows = Math.ceil(names.length / most);
  const columns = Math.max(1, Math.ceil(names.length / rows));
  const chip = Math.min(WIDEST, Math.floor(room / columns) - gap);
  const at = (name: string): ChipPlace => {
    const i = names.indexOf(name);
    const row = Math.floor(i / columns);
    const x = inset + (i % columns) * (chip + gap);
    return { x, y: top + row * (HEIGHT + GAP), width: chip, height: HEIGHT, row };
  };
  return {
    height: rows * (HEIGHT + GAP),
    at,
    mark: (name, tone, text = name) => {
      const { row: _, ...box } = at(name);
      return { kind: 'cell', key: `name ${name}`, ...box, tone, text };
    },
    gap: (name, side) => at(name).x - gap / 2 + side * (chip + gap),
  };
}

/** A single chip in the middle of the drawing, for example that of the key that is looked up. */
export function loneChip(name: string, width: number, tone: Tone, y = 1): Mark {
  const chip = Math.min(width - 2, Math.max(80, name.length * 8 + 20));
  return {
    kind: 'cell',
    key: 'the key',
    x: (width - chip) / 2,
    y,
    width: chip,
    height: HEIGHT,
    tone,
    text: name,
  };
}

/** The height at which lines from a single chip begin. */
export const CHIP_HEIGHT = HEIGHT;
