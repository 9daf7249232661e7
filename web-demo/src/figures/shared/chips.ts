// Names as chips in columns, and where lines to them end.
import type { Mark, Tone } from './model';

const HEIGHT = 22;
const GAP = 6;
const NARROWEST = 66;
const WIDEST = 110;

export interface Chips {
  readonly height: number;
  mark(name: string, tone: Tone, text?: string): Mark;
  /** The middle of the upper edge of a name's chip. */
  top(name: string): { readonly x: number; readonly y: number };
}

/** Lays out chips in rows of one length, or nearly so. */
export function makeChips(names: readonly string[], width: number, top: number): Chips {
  const most = Math.max(1, Math.floor((width + GAP) / (NARROWEST + GAP)));
  const rows = Math.ceil(names.length / most);
  const columns = Math.max(1, Math.ceil(names.length / rows));
  const chip = Math.min(WIDEST, Math.floor((width - 2 + GAP) / columns) - GAP);
  const at = (name: string) => {
    const i = names.indexOf(name);
    const x = 1 + (i % columns) * (chip + GAP);
    return { x, y: top + Math.floor(i / columns) * (HEIGHT + GAP) };
  };
  return {
    height: rows * (HEIGHT + GAP),
    mark: (name, tone, text = name) => ({
      ...{ kind: 'cell', key: `name ${name}`, ...at(name), width: chip, height: HEIGHT },
      ...{ tone, text },
    }),
    top(name) {
      const { x, y } = at(name);
      return { x: x + chip / 2, y };
    },
  };
}

/** A chip of its own, such as that of the key that is looked up, in the middle of the drawing. */
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

/** Where lines from a lone chip begin. */
export const CHIP_HEIGHT = HEIGHT;
