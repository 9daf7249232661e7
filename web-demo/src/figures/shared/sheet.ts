// Lines of cells, with a column for each slot, names on the left, and more cells on the right.
import type { Mark, Tone } from './model';

export type Sheet = ReturnType<typeof makeSheet>;

const NAMES = 66;
const TOP = 24;

/** A sheet with this number of columns, and `more` separate columns on the right. */
export function makeSheet(columns: number, more: number, width: number) {
  const across = Math.min(44, Math.floor((width - NAMES - 6) / (columns + more)));
  const xOf = (column: number) => NAMES + column * across + (column >= columns ? 6 : 0);
  const down = Math.max(20, Math.min(30, across));
  return {
    /** The distance between two columns, and between two lines. */
    across,
    down,
    /** The positions at which the columns and the lines begin. */
    left: NAMES,
    top: TOP,
    cell(key: string, line: number, column: number, tone: Tone, text?: string): Mark {
      const box = { x: xOf(column), y: TOP + line * down, width: across - 2, height: down - 2 };
      return { kind: 'cell', key, ...box, tone, ...(text === undefined ? {} : { text }) };
    },
    name(key: string, line: number, text: string): Mark {
      return { kind: 'text', key, x: 0, y: TOP + (line + 0.5) * down - 1, text };
    },
  };
}
