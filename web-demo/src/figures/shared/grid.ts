// A grid of cells.
import type { Mark, Tone } from './model';

const GAP = 3;

export interface GridPlace {
  readonly width: number;
  readonly top?: number;
  /** The number of cells in a row on a wide page, and on a narrow one. */
  readonly wide: number;
  readonly narrow: number;
  readonly largest: number;
  /** The prefix of the cells' keys. */
  readonly name?: string;
}

/** Lays out `count` cells in rows. */
export function makeGrid(count: number, place: GridPlace) {
  const { width, top = 0, wide, narrow, largest, name = 'cell' } = place;
  const columns = width >= 560 ? wide : narrow;
  const cell = Math.min(largest, Math.floor((width + GAP) / columns) - GAP);
  return {
    height: Math.ceil(count / columns) * (cell + GAP) + 2,
    mark(i: number, tone: Tone, text: string): Mark {
      const x = (i % columns) * (cell + GAP) + 1;
      const y = top + Math.floor(i / columns) * (cell + GAP) + 2;
      const shown = cell < 14 ? {} : { text };
      return { kind: 'cell', key: `${name}${i}`, x, y, width: cell, height: cell, tone, ...shown };
    },
  };
}
