// One look-up in a ribbon filter: the row of a key, and the XOR of the slots that it marks.
import { oneIn } from '../../format';
import { makeGrid } from '../shared/grid';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { BAND, type Level } from '../shared/retrieval';
import { judgeLookUp } from '../shared/words';
import { addresses, BITS, hex, type KeyEquation, levelsOf, lookUpIn, makeRibbon } from './filter';
import { bitsAt, boxPath, drawSlots } from './system';

/** The number of slots that a step adds to the XOR. */
const AT_ONCE = 16;

/** The progress of the look-up. */
interface Stage {
  /** The row, once a step has shown it. */
  readonly row?: KeyEquation;
  readonly marked?: boolean;
  /** The number of the row's places that were XORed. */
  readonly summed?: number;
  readonly compared?: boolean;
}

const sumOf = (slots: readonly number[], marked: readonly number[]): number =>
  marked.reduce((sum, slot) => sum ^ (slots[slot] as number), 0);

/** The marked slots of the first `places` places of a row. */
const firstOf = ({ marked, start }: KeyEquation, places: number): number[] =>
  marked.filter((slot) => slot < start + places);

/** Draws all slots as a ribbon, with a frame around those of the row. */
function drawRibbon({ slots }: Level, { row }: Stage, width: number): Mark[] {
  const across = (width - 4) / slots.length;
  const bit = width >= 560 ? 5 : 3.5;
  const inside = (slot: number) => !row || (slot >= row.start && slot < row.start + BAND);
  const marks: Mark[] = drawSlots(slots, { left: 2, across, bit, bits: BITS }, 4, (slot) =>
    inside(slot) ? 'blend' : 'off',
  );
  if (!row) return marks;
  const d = boxPath(2 + row.start * across - 1, 2, BAND * across + 2, BITS * bit + 3);
  return [...marks, { kind: 'path', key: 'frame', d, tone: 'looked' }];
}

/** The 64 slots from the row's start on, with their values. */
function drawWindow({ slots }: Level, stage: Stage, width: number, top: number) {
  const { row, marked, summed = 0 } = stage;
  const grid = makeGrid(BAND, { width, top, wide: 32, narrow: 16, name: 'place' });
  const toneOf = (place: number): Tone => {
    if (!row || !marked) return 'off';
    if (!row.marked.includes(row.start + place)) return 'faint';
    return place < summed ? 'hit' : 'looked';
  };
  const cells = row
    ? Array.from({ length: BAND }, (_, place) =>
        grid.mark(place, toneOf(place), hex(slots[row.start + place] as number)),
      )
    : [];
  return { cells, bottom: top + grid.height };
}

/** Eight bits in a line, with their name on the left. */
function drawNumber(name: string, value: number, y: number, toneOf: (i: number) => Tone): Mark[] {
  const at = bitsAt(value, BITS);
  const label: Mark = { kind: 'text', key: name, x: 2, y: y + 12, text: name };
  const cells = Array.from({ length: BITS }, (_, i): Mark => {
    const box = { x: 94 + 20 * i, y, width: 18, height: 22 };
    const text = at.includes(i) ? '1' : '0';
    return { kind: 'cell', key: `${name} ${i}`, ...box, tone: toneOf(i), text };
  });
  return [label, ...cells];
}

function drawLookUp(level: Level, stage: Stage, width: number): Scene {
  const { row, summed, compared } = stage;
  const top = BITS * (width >= 560 ? 5 : 3.5) + 18;
  const { cells, bottom } = drawWindow(level, stage, width, top);
  const numbers: Mark[] = [];
  if (row) {
    const sum = sumOf(level.slots, firstOf(row, summed ?? 0));
    const differs = (i: number): boolean => (((sum ^ row.print) >> (BITS - 1 - i)) & 1) === 1;
    const verdict: Tone = addresses.includes(row.key) ? 'hit' : 'wrong';
    const toneOf = (i: number): Tone => {
      if (!compared) return 'off';
      if (sum === row.print) return verdict;
      return differs(i) ? 'miss' : 'off';
    };
    numbers.push(...drawNumber('Fingerprint', row.print, bottom + 14, toneOf));
    if (summed !== undefined) {
      numbers.push(...drawNumber('XOR', sum, bottom + 44, toneOf));
    }
  }
  return { height: bottom + 74, marks: [...drawRibbon(level, stage, width), ...cells, ...numbers] };
}

interface Parts {
  readonly level: Level;
  readonly row: KeyEquation;
  readonly found: boolean;
}

function beginning(level: Level): Step {
  const caption =
    `This is all that is kept of ${addresses.length} addresses: ${level.slots.length} slots of ` +
    `${BITS} bits. The filter has no list and no pointers.`;
  return {
    caption,
    scene: (width) => drawLookUp(level, {}, width),
    text: [caption, `The slots hold ${level.slots.map(hex).join(' ')}.`],
  };
}

function hashing({ level, row }: Parts): Step[] {
  const starts =
    `The hash of ${row.key} chooses the slots ${row.start} to ${row.start + BAND - 1}, and the ` +
    `fingerprint ${hex(row.print)}.`;
  const marks = `Other bits of the hash mark ${row.marked.length} of the ${BAND} slots.`;
  const held = level.slots
    .slice(row.start, row.start + BAND)
    .map(hex)
    .join(' ');
  const list = `The marked slots are ${row.marked.join(', ')}.`;
  return [
    {
      caption: `${starts} The slots are neighbours in memory.`,
      scene: (width) => drawLookUp(level, { row }, width),
      text: [starts, `These slots hold ${held}.`],
    },
    {
      caption: marks,
      scene: (width) => drawLookUp(level, { row, marked: true, summed: 0 }, width),
      text: [starts, `These slots hold ${held}.`, list],
    },
  ];
}

function summing({ level, row }: Parts): Step[] {
  return Array.from({ length: BAND / AT_ONCE }, (_, i) => {
    const summed = (i + 1) * AT_ONCE;
    const slots = firstOf(row, summed);
    const values = firstOf(row, summed)
      .filter((slot) => slot >= row.start + summed - AT_ONCE)
      .map((slot) => hex(level.slots[slot] as number));
    const sum = hex(sumOf(level.slots, slots));
    const so = `The XOR of ${slots.length} of the ${row.marked.length} marked slots is ${sum}.`;
    return {
      caption: `The marked slots are XORed. ${so}`,
      scene: (width) => drawLookUp(level, { row, marked: true, summed }, width),
      text: [so, `Of these ${AT_ONCE} slots it took in: ${values.join(', ') || 'none'}.`],
    };
  });
}

function comparing({ level, row, found }: Parts): Step {
  const { key } = row;
  const isMember = addresses.includes(key);
  const compared = `The XOR is ${hex(row.sum)}. The fingerprint of ${key} is ${hex(row.print)}.`;
  const stage: Stage = { row, marked: true, summed: BAND, compared: true };
  const scene = (width: number) => drawLookUp(level, stage, width);
  const chance = oneIn(2 ** -BITS);
  const answer = judgeLookUp(key, found, isMember);
  if (!found) {
    return {
      caption: `${compared} They differ, and for a key of the set they cannot.`,
      answer,
      scene,
      text: [compared, `Answer: false. ${answer.words}`],
    };
  }
  return {
    caption: isMember
      ? `${compared} The slots were solved so that this holds for every key.`
      : `Nobody added ${key}. The XOR agrees with its fingerprint by chance, and that chance is ${chance}.`,
    answer,
    scene,
    text: [compared, `Answer: true. ${answer.words}`],
  };
}

/** The steps of looking a key up. */
export function lookUpSteps(key: string): readonly Step[] {
  const filter = makeRibbon();
  try {
    const levels = levelsOf(filter);
    const level = levels[0] as Level;
    if (key === '') return [beginning(level)];
    const row = lookUpIn(levels, key);
    const found = filter.has(key);
    if (found !== (row.sum === row.print))
      throw new Error(`has('${key}') is not what the row says`);
    const parts = { level, row, found };
    return [beginning(level), ...hashing(parts), ...summing(parts), comparing(parts)];
  } finally {
    filter.dispose();
  }
}
