// A key above a grid of cells, with lines to its own cells, and the actual contents of the set below.
import { CHIP_HEIGHT, loneChip, makeChips } from './chips';
import { makeGrid } from './grid';
import type { Mark, Scene, Tone } from './model';

export interface Frame {
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
}

export interface KeyedGrid {
  readonly width: number;
  readonly cells: readonly { readonly tone: Tone; readonly text: string }[];
  /** Cells of one row with a frame around them. */
  readonly frames?: readonly Frame[];
  /** The meaning of a frame. */
  readonly legend?: string;
  readonly wide: number;
  readonly narrow: number;
  /** The chip above, and the cells to which lines lead. */
  readonly key: { readonly label: string; readonly tone: Tone; readonly cells: readonly number[] };
  /** All names that will be in the set during the figure, so that each keeps its place. */
  readonly names: readonly string[];
  /** The words in a name's chip, or undefined if the name is not in the set. */
  nameIn(name: string): string | undefined;
  nameTone?(name: string): Tone;
}

const ABOVE = 40;

export function drawKeyedGrid(drawing: KeyedGrid): Scene {
  const { width, cells, key, names, nameIn, nameTone } = drawing;
  const { wide, narrow } = drawing;
  const top = CHIP_HEIGHT + ABOVE;
  const grid = makeGrid(cells.length, { width, top, wide, narrow, largest: 40 });
  const marks: Mark[] = [];
  for (const { from, to, tone } of drawing.frames ?? []) {
    const [start, end] = [grid.at(from), grid.at(to)];
    const box = { x: start.x - 1, y: start.y - 1, width: end.x - start.x + grid.cell + 2 };
    marks.push({ kind: 'cell', key: `frame ${from}`, ...box, height: grid.cell + 2, tone });
  }
  marks.push(...cells.map(({ tone, text }, i) => grid.mark(i, tone, text)));
  for (const i of key.cells) {
    const { x, y } = grid.middle(i);
    const d = `M${width / 2} ${CHIP_HEIGHT + 1}L${x} ${y - grid.cell / 2}`;
    marks.push({ kind: 'path', key: `line ${i}`, d, tone: cells[i]?.tone ?? 'off' });
  }
  marks.push(loneChip(key.label, width, key.tone));
  const label = top + grid.height + 22;
  const text = 'Really in the set:';
  marks.push({ kind: 'text', key: 'in', x: 1, y: label, text, tone: 'faint' });
  if (drawing.legend) {
    const place = { x: width - 1, y: label, anchor: 'end', tone: 'faint' } as const;
    marks.push({ kind: 'text', key: 'legend', ...place, text: drawing.legend });
  }
  const chips = makeChips(names, width, label + 14);
  for (const name of names) {
    const words = nameIn(name);
    if (words === undefined) continue;
    marks.push(chips.mark(name, nameTone?.(name) ?? 'faint', words));
  }
  return { height: label + 18 + chips.height, marks };
}
