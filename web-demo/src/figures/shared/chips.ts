// Names as chips in columns, with gaps through which lines can run.
import type { Mark, Tone } from './model';

const HEIGHT = 22;
/** The distance between two chips of a row, and between two rows. */
const GAP = 9;
const DOWN = 6;
const NARROWEST = 66;
const WIDEST = 110;
/** The distance on the left and on the right of a row. */
export const INSET = 9;

export type Chips = ReturnType<typeof makeChips>;

/** Lays out chips in rows of the same or nearly the same length. */
export function makeChips(names: readonly string[], width: number, top: number) {
  const room = width - 2 * INSET + GAP;
  const most = Math.max(1, Math.floor((room + 2 * INSET) / (NARROWEST + GAP)));
  const rows = Math.ceil(names.length / most);
  const columns = Math.max(1, Math.ceil(names.length / rows));
  const chip = Math.min(WIDEST, Math.floor(room / columns) - GAP);
  /** The place of a name's chip, whose row counts from 0. */
  const at = (name: string) => {
    const i = names.indexOf(name);
    const row = Math.floor(i / columns);
    const x = INSET + (i % columns) * (chip + GAP);
    return { x, y: top + row * (HEIGHT + DOWN), width: chip, height: HEIGHT, row };
  };
  return {
    height: rows * (HEIGHT + DOWN),
    at,
    mark(name: string, tone: Tone): Mark {
      const { row: _, ...box } = at(name);
      return { kind: 'cell', key: `name ${name}`, ...box, tone, text: name };
    },
    /** The middle of the gap on the left (0) or on the right (1) of a name's chip. */
    gap: (name: string, side: 0 | 1): number => at(name).x - GAP / 2 + side * (chip + GAP),
  };
}

/** A single chip in the middle of the drawing, for example that of the key that is looked up. */
export function loneChip(name: string, width: number, tone: Tone): Mark {
  const chip = Math.min(width - 2, Math.max(80, name.length * 8 + 20));
  const box = { x: (width - chip) / 2, y: 1, width: chip, height: HEIGHT };
  return { kind: 'cell', key: 'the key', ...box, tone, text: name };
}

/** The height at which lines from a single chip begin. */
export const CHIP_HEIGHT = HEIGHT;
