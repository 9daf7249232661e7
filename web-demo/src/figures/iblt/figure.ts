// Two sides compare their sets by invertible Bloom lookup tables: subtract, then peel key by key.

import { bytes, plural } from '../../format';
import type { Choice, FigureType, Step } from '../shared/model';
import { listOf } from '../shared/words';
import { type Difference, drawStage, showKey, type Tables } from './draw';
import {
  type Cell,
  counts,
  DIFFERENCES,
  type Exchange,
  findSeed,
  isEmpty,
  makeSides,
  type Peel,
  placesOf,
  readPure,
  runExchange,
  type Sides,
} from './table';

const choices: readonly Choice[] = counts.map((count) => ({
  value: String(count),
  label: count === counts.at(-1) ? `${count}, too many` : String(count),
}));

const countsOf = (cells: readonly Cell[]): string => cells.map(({ count }) => count).join(', ');

function makeStep(stage: Tables | Difference, sides: Sides, caption: string, text: string[]): Step {
  return {
    caption,
    scene: (width) => drawStage(stage, sides, width),
    text: [caption, ...text],
  };
}

/** The tables that the two sides fill. */
function fillSteps(sides: Sides, exchange: Exchange, seed: bigint): Step[] {
  const { mine, theirs } = exchange;
  const { both } = sides;
  const text = [
    `You hold ${listOf([...both, ...sides.mine])}.`,
    `They hold ${listOf([...both, ...sides.theirs])}.`,
    `Counts of your table: ${countsOf(mine)}.`,
    `Counts of their table: ${countsOf(theirs)}.`,
  ];
  const cellsFor = (name: string) =>
    placesOf(new TextEncoder().encode(name), mine.length, seed).cells;
  const own = sides.mine[0] as string;
  const common = both[0] as string;
  return [
    makeStep(
      { mine, theirs },
      sides,
      `You hold ${plural(both.length + sides.mine.length, 'name')}, and they hold ${both.length + sides.theirs.length}. ` +
        `Each side adds its names to a table of ${mine.length} cells. You see how many names each cell took.`,
      text,
    ),
    makeStep(
      { mine, theirs, cells: cellsFor(own) },
      sides,
      `Only you have ${own}. It went into cells ${listOf(cellsFor(own))} of your table, one in each row. ` +
        'A cell keeps a count, the XOR of its keys and a checksum.',
      text,
    ),
    makeStep(
      { mine, theirs, cells: cellsFor(common), inBoth: true },
      sides,
      `Both sides have ${common}, in the same cells of both tables.`,
      text,
    ),
  ];
}

function describeCells({ cells, seed, listed }: Difference): string[] {
  const full = cells.flatMap((cell, i) =>
    isEmpty(cell) ? [] : [`Cell ${i}: count ${cell.count}, key sum ${showKey(cells, i, seed)}.`],
  );
  const names = (isMine: boolean) =>
    listOf(listed.filter((found) => found.isMine === isMine).map(({ name }) => name)) || 'nothing';
  return [
    `Listed as only yours: ${names(true)}.`,
    `Listed as only theirs: ${names(false)}.`,
    ...(full.length > 0 ? full : ['All cells are empty.']),
  ];
}

/** The cells that hold a single key after a key was taken out, but did not before. */
function laidBare(before: readonly Cell[], after: readonly Cell[], seed: bigint): number[] {
  return after.flatMap((_, i) =>
    readPure(after, i, seed) && !readPure(before, i, seed) ? [i] : [],
  );
}

/** A cell that reveals a key, and the removal of that key. */
function peelSteps(peels: readonly Peel[], index: number, first: readonly Cell[], seed: bigint) {
  const { found, cells } = peels[index] as Peel;
  const { cell, name, isMine, cells: places } = found;
  const before = peels[index - 1]?.cells ?? first;
  const listed = peels.slice(0, index).map((peel) => peel.found);
  const bare = laidBare(before, cells, seed);
  const next =
    bare.length > 0
      ? ` Now a single key stands in ${bare.length === 1 ? 'cell' : 'cells'} ${listOf(bare)}.`
      : '';
  return [
    {
      stage: { cells: before, seed, found, listed },
      caption:
        `Cell ${cell} counts ${isMine ? '+1' : '-1'} and its checksum fits: it holds one key alone. ` +
        `Only ${isMine ? 'you' : 'they'} have ${name}.`,
    },
    {
      stage: { cells, seed, left: places, listed: [...listed, found] },
      caption: `${name} leaves its four cells, ${listOf(places)}.${next}`,
    },
  ];
}

function endCaption(exchange: Exchange, differences: number): string {
  const size = `${bytes(exchange.bytes)}, made for ${plural(DIFFERENCES, 'difference')}`;
  if (!exchange.complete) {
    return `No cell holds one key alone: it stalls. The table is ${size}. Make a larger one and compare again.`;
  }
  const luck = differences > DIFFERENCES ? ' More than that may work, or not.' : '';
  return `All cells are empty. Each side sent ${size}, however many names both have.${luck}`;
}

function allSteps(differences: number): readonly Step[] {
  const seed = findSeed();
  const sides = makeSides(differences);
  const exchange = runExchange(sides, seed);
  const { difference, peels, complete } = exchange;
  const steps = fillSteps(sides, exchange, seed);
  const push = (stage: Difference, caption: string) =>
    steps.push(makeStep(stage, sides, caption, describeCells(stage)));
  push(
    { cells: difference, seed, listed: [] },
    'One table is subtracted from the other, cell by cell. What both sides have cancels. Below each count is the XOR of the keys.',
  );
  peels.forEach((_, i) => {
    for (const { stage, caption } of peelSteps(peels, i, difference, seed)) push(stage, caption);
  });
  const rest = peels.at(-1)?.cells ?? difference;
  const stage = { cells: rest, seed, listed: peels.map(({ found }) => found) };
  const words = `${peels.length} of ${differences} listed, complete: ${complete}.`;
  const caption = endCaption(exchange, differences);
  steps.push({
    ...makeStep(stage, sides, caption, [words, ...describeCells(stage)]),
    answer: { verdict: complete ? 'absent' : 'refused', words },
  });
  return steps;
}

export const figure: FigureType = {
  title: 'An invertible Bloom lookup table of 32 cells',
  initial: { differences: String(DIFFERENCES) },
  controls: () => [{ kind: 'choice', name: 'differences', label: 'Differences', choices }],
  steps({ differences }) {
    return allSteps(Number(differences));
  },
};
