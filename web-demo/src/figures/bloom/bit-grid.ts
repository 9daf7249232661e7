// The bits of a look-up in rows, with room between them for lines, and for a number above each bit.
import type { Mark, Tone } from '../shared/model';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type BitGrid = ReturnType<typeof makeBitGrid>;

type Press = NonNullable<Extract<Mark, { kind: 'cell' }>['press']>;

/** Room for a number above each row. */
const HEAD = 15;

const EDGE = 2;

/** The cells of a row: a power of two. */
function columnsOf(width: number): number {
  if (width >= 560) return 32;
  return width >= 300 ? 16 : 8;
}

export function makeBitGrid(count: number, width: number, top: number) {
  const columns = columnsOf(width);
  const across = Math.min(44, (width - 2 * EDGE) / columns);
  const left = (width - columns * across) / 2;
  const cell = Math.min(26, Math.floor(across * 0.7));
  const height = Math.max(15, Math.min(22, cell));
  const down = height + HEAD;
  const at = (bit: number): Box => ({
    x: left + (bit % columns) * across + (across - cell) / 2,
    y: top + Math.floor(bit / columns) * down + HEAD,
    width: cell,
    height,
  });
  return {
    columns,
    /** The lower end of the last row. */
    bottom: top + Math.ceil(count / columns) * down,
    at,
    /** The middle of the gap on the left of a column; `columns` is the gap on the right of the last. */
    gap: (column: number) => left + column * across,
    mark: (bit: number, tone: Tone, text: string, press: Press): Mark => ({
      ...{ kind: 'cell', key: `cell${bit}`, ...at(bit), tone, text, press },
    }),
    /** The bit's own number, above it. */
    number(bit: number, tone: Tone): Mark {
      const { x, y } = at(bit);
      const place = { x: x + cell / 2, y: y - HEAD / 2, anchor: 'middle' } as const;
      const size = across < 24 ? 9.5 : 12;
      return {
        kind: 'text',
        key: `number ${bit}`,
        ...place,
        text: String(bit),
        tone,
        size,
        bold: across >= 24,
      };
    },
  };
}
