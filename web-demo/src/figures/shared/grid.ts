// A grid of cells, and the position of each cell.
import type { Mark, Tone } from './model';

export interface Grid {
  readonly columns: number;
  readonly cell: number;
  readonly height: number;
  /** The corner of cell i. */
  at(i: number): { readonly x: number; readonly y: number };
  /** The middle of cell i. */
  middle(i: number): { readonly x: number; readonly y: number };
  mark(i: number, tone: Tone, text?: string): Mark;
}

const GAP = 3;

export interface GridPlace {
  readonly width: number;
  readonly top?: number;
  readonly left?: number;
  /** The number of cells in a row on a wide page, and on a narrow one. */
  readonly wide: number;
  readonly narrow: number;
  readonly largest?: number;
  /** The prefix of the cells' keys, for a scene with several grids. */
  readonly name?: string;
}

/** Lays out `count` cells in rows. */
export function makeGrid(count: number, place: GridPlace): Grid {
  const { width, top = 0, left = 0, wide, narrow, largest = 30, name = 'cell' } = place;
  const columns = width >= 560 ? wide : narrow;
  const cell = Math.min(largest, Math.floor((width - left + GAP) / columns) - GAP);
  const at = (i: number) => ({
    x: left + (i % columns) * (cell + GAP) + 1,
    y: top + Math.floor(i / columns) * (cell + GAP) + 2,
  });
  return {
    columns,
    cell,
    height: Math.ceil(count / columns) * (cell + GAP) + 2,
    at,
    middle(i) {
      const { x, y } = at(i);
      return { x: x + cell / 2, y: y + cell / 2 };
    },
    mark(i, tone, text) {
      const shown = text === undefined || cell < 14 ? {} : { text };
      const box = { ...at(i), width: cell, height: cell };
      return { kind: 'cell', key: `${name}${i}`, ...box, tone, ...shown };
    },
  };
}
