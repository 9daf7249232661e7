// The tables of the two sides, and their difference while keys are taken out of it.

import type { Mark, Scene, Tone } from '../shared/model';
import { type Cell, type Found, isEmpty, PARTITIONS, readPure, type Sides } from './table';

const GAP = 4;
const HEAD = 24;
/** The sizes of a cell in a side's table, for two tables next to each other and for two below each other. */
const SIDE = { wide: 41, narrow: 24 } as const;
const COUNT = 21;
const KEY = 20;
const CHIP = { width: 46, height: 22 } as const;
/** A row of chips, and the words above them. */
const CHIP_ROW = 27;
const LABEL = 24;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

function makeCells(cells: readonly Cell[], { left, top, width }: Box, height: number) {
  const columns = cells.length / PARTITIONS;
  const across = (width - 2 - GAP * (columns - 1)) / columns;
  const at = (i: number) => ({
    x: left + 1 + (i % columns) * (across + GAP),
    y: top + HEAD + Math.floor(i / columns) * (height + GAP),
  });
  return { across, at, bottom: top + HEAD + PARTITIONS * (height + GAP) };
}

const head = (key: string, text: string, { left, top }: Box): Mark => {
  return { kind: 'text', key, x: left + 1, y: top + 10, text, bold: true };
};

const signed = (count: number): string => (count > 0 ? `+${count}` : String(count));

/** The names of a side in alphabetical order. Names that only this side has get another tone. */
function drawNames(side: 'mine' | 'theirs', sides: Sides, box: Box) {
  const own = sides[side];
  const columns = perRow(box.width);
  const names = [...sides.both, ...own].sort();
  const marks = names.map((text, i): Mark => {
    const x = box.left + 1 + (i % columns) * (CHIP.width + GAP);
    const y = box.top + Math.floor(i / columns) * CHIP_ROW;
    const tone = !own.includes(text) ? 'off' : side === 'mine' ? 'new' : 'second';
    return { kind: 'cell', key: `${side} ${text}`, x, y, ...CHIP, tone, text };
  });
  return { marks, bottom: box.top + Math.ceil(names.length / columns) * CHIP_ROW };
}

/** Two tables next to each other with the names below, or one below the other if the page is narrow. */
function drawSides(tables: Tables, sides: Sides, width: number) {
  const { mine, theirs, cells = [], inBoth = false } = tables;
  const isWide = width >= 560;
  const across = isWide ? (width - 28) / 2 : width;
  const first: Box = { left: 0, top: 0, width: across };
  const height = isWide ? SIDE.wide : SIDE.narrow;
  const { bottom } = makeCells(mine, first, height);
  const second: Box = isWide
    ? { left: across + 28, top: 0, width: across }
    : { left: 0, top: bottom + 6, width: across };
  const draw = (name: string, table: readonly Cell[], box: Box, isLooked: boolean): Mark[] => {
    const grid = makeCells(table, box, height);
    return table.map((cell, i) => {
      const place = { ...grid.at(i), width: grid.across, height };
      const tone: Tone = isLooked && cells.includes(i) ? 'hit' : isEmpty(cell) ? 'off' : 'on';
      return { kind: 'cell', key: `${name} ${i}`, ...place, tone, text: String(cell.count) };
    });
  };
  const marks = [
    head('mine', 'Your table', first),
    ...draw('count', mine, first, cells.length > 0),
    head('theirs', 'Their table', second),
    ...draw('theirs', theirs, second, cells.length > 0 && inBoth),
  ];
  if (!isWide) return { marks, bottom: makeCells(theirs, second, height).bottom };
  const below = { top: bottom + 8, width: across };
  const names = [
    drawNames('mine', sides, { ...below, left: first.left }),
    drawNames('theirs', sides, { ...below, left: second.left }),
  ];
  return {
    marks: [...marks, ...names.flatMap((side) => side.marks)],
    bottom: Math.max(...names.map((side) => side.bottom)),
  };
}

export interface Tables {
  readonly mine: readonly Cell[];
  readonly theirs: readonly Cell[];
  /** The cells of a key, in the first table or in both. */
  readonly cells?: readonly number[];
  readonly inBoth?: boolean;
}

export interface Difference {
  readonly cells: readonly Cell[];
  readonly seed: bigint;
  /** The key that a cell reveals. */
  readonly found?: Found;
  /** The cells that the last removed key has left. */
  readonly left?: readonly number[];
  /** The keys that were taken out. */
  readonly listed: readonly Found[];
}

/** The key sum in letters if it is a key, else in hexadecimal digits. */
export function showKey(cells: readonly Cell[], cell: number, seed: bigint): string {
  const pure = readPure(cells, cell, seed);
  if (pure) return pure.name;
  const { key } = cells[cell] as Cell;
  return [...key].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function toneOf(i: number, { cells, found, left }: Difference): Tone {
  if (found?.cell === i) return 'hit';
  if (found?.cells.includes(i)) return 'looked';
  if (left?.includes(i)) return 'miss';
  return isEmpty(cells[i] as Cell) ? 'off' : 'on';
}

/** The table, and the chip of the key that a cell reveals. */
function drawDifference(difference: Difference, width: number): { marks: Mark[]; chips: Mark[] } {
  const { cells, seed, found } = difference;
  const box: Box = { left: 0, top: 0, width };
  const grid = makeCells(cells, box, COUNT + KEY);
  const sums: Mark[] = [];
  const counts: Mark[] = [];
  cells.forEach((cell, i) => {
    const { x, y } = grid.at(i);
    const tone = toneOf(i, difference);
    const count = { x, y, width: grid.across, height: COUNT, text: signed(cell.count) };
    counts.push({ kind: 'cell', key: `count ${i}`, ...count, tone });
    const key = showKey(cells, i, seed);
    const text = isEmpty(cell) ? '' : key.length * 6.8 > grid.across ? '...' : key;
    const sum = { x, y: y + COUNT, width: grid.across, height: KEY, text };
    sums.push({ kind: 'cell', key: `key ${i}`, ...sum, tone: 'faint' });
  });
  const marks = [head('mine', 'Your table less theirs', box), ...sums, ...counts];
  if (!found) return { marks, chips: [] };
  const { x, y } = grid.at(found.cell);
  const at = { x: x + (grid.across - CHIP.width) / 2, y: y + COUNT - 1 };
  return { marks, chips: [drawChip(found, at)] };
}

function drawChip({ name, isMine }: Found, at: { readonly x: number; readonly y: number }): Mark {
  const tone = isMine ? 'new' : 'second';
  return { kind: 'cell', key: `chip ${name}`, ...at, ...CHIP, tone, text: name };
}

const perRow = (width: number): number => Math.floor(width / (CHIP.width + GAP));

/** The lists below the table, with their keys in the order of discovery. */
function drawLists(listed: readonly Found[], sides: Sides, width: number, top: number) {
  const columns = perRow(width);
  const heightFor = (count: number) =>
    LABEL + Math.max(1, Math.ceil(count / columns)) * CHIP_ROW + 4;
  const tops = { mine: top, theirs: top + heightFor(sides.mine.length) };
  const label = (text: string, y: number): Mark => {
    return { kind: 'text', key: text, x: 1, y: y + 10, text, bold: true };
  };
  const counts = { mine: 0, theirs: 0 };
  const chips = listed.map((found) => {
    const side = found.isMine ? 'mine' : 'theirs';
    const i = counts[side]++;
    const x = 1 + (i % columns) * (CHIP.width + GAP);
    return drawChip(found, { x, y: tops[side] + LABEL + Math.floor(i / columns) * CHIP_ROW });
  });
  return {
    labels: [label('Only you have', tops.mine), label('Only they have', tops.theirs)],
    chips,
    bottom: tops.theirs + heightFor(sides.theirs.length),
  };
}

/** The scene of either stage. Both scenes have the same height. */
export function drawStage(stage: Tables | Difference, sides: Sides, width: number): Scene {
  const isDifference = 'listed' in stage;
  const cells = isDifference ? stage.cells : stage.mine;
  const tables = isDifference ? { mine: cells, theirs: cells } : stage;
  const first = drawSides(tables, sides, width);
  const whole = makeCells(cells, { left: 0, top: 0, width }, COUNT + KEY).bottom;
  const lists = drawLists(isDifference ? stage.listed : [], sides, width, whole + 10);
  const height = Math.max(first.bottom + 10, lists.bottom);
  if (!isDifference) return { height, marks: first.marks };
  const { marks, chips } = drawDifference(stage, width);
  // The chips come last, in an order that does not change when one moves, so that its move is animated.
  return { height, marks: [...lists.labels, ...marks, ...lists.chips, ...chips] };
}
