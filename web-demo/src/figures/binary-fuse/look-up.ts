// One look-up in a binary fuse filter: the XOR of three slots, compared with the key's fingerprint.
import { oneIn } from '../../format';
import { makeGrid } from '../shared/grid';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { judgeLookUp, listOf } from '../shared/words';
import {
  BITS,
  hex,
  makeFuse,
  names,
  type Places,
  placesOf,
  readTable,
  sumOf,
  type Table,
} from './filter';

interface LookUp extends Places {
  readonly table: Table;
  readonly found: boolean;
}

/** The progress of the look-up. */
interface Stage {
  readonly lookUp?: LookUp;
  /** The number of slots that were read. */
  readonly read: number;
  readonly compared?: boolean;
}

const CELL = 32;

/** The cells of the sum: the slots that were read, their XOR, and the fingerprint. */
function drawSum(lookUp: LookUp, { read, compared }: Stage, top: number): Mark[] {
  const { table, slots, print, key, found } = lookUp;
  const sum = sumOf(table, slots.slice(0, read));
  const verdict: Tone = !found ? 'miss' : names.includes(key) ? 'hit' : 'wrong';
  const ending: Tone = compared ? verdict : 'off';
  const cells: [string, number, Tone][] = slots
    .slice(0, read)
    .map((slot, i) => [`read ${i}`, table.slots[slot] as number, 'hit']);
  const marks = cells.flatMap(([name, value, tone], i): Mark[] => {
    const x = 1 + i * (CELL + 26);
    const sign = i + 1 < slots.length ? '^' : '=';
    const at = { x: x + CELL + 13, y: top + CELL / 2, anchor: 'middle' } as const;
    return [
      { kind: 'cell', key: name, x, y: top, width: CELL, height: CELL, tone, text: hex(value) },
      { kind: 'text', key: `sign ${i}`, ...at, text: sign, bold: true },
    ];
  });
  const x = 1 + slots.length * (CELL + 26);
  const box = { x, width: CELL, height: CELL };
  if (read === slots.length) {
    marks.push({ kind: 'cell', key: 'sum', ...box, y: top, tone: ending, text: hex(sum) });
  }
  const label = { x: x - 13, y: top + CELL * 1.5 + 12, anchor: 'end' } as const;
  return [
    ...marks,
    { kind: 'text', key: 'fingerprint', ...label, text: 'fingerprint' },
    { kind: 'cell', key: 'print', ...box, y: top + CELL + 12, tone: ending, text: hex(print) },
  ];
}

function drawLookUp(table: Table, stage: Stage, width: number): Scene {
  const { lookUp, read } = stage;
  const size = table.slots.length;
  const top = 24;
  const grid = makeGrid(size, {
    width,
    top,
    wide: size,
    narrow: size / 2,
    largest: 38,
    name: 'slot',
  });
  const toneOf = (slot: number): Tone => {
    const order = lookUp?.slots.indexOf(slot) ?? -1;
    if (order < 0) return 'off';
    return order < read ? 'hit' : 'looked';
  };
  const cells = table.slots.map((value, slot) => grid.mark(slot, toneOf(slot), hex(value)));
  const below = top + grid.height + 22;
  const title: Mark = {
    kind: 'text',
    key: 'title',
    x: 0,
    y: 10,
    text: `${size} slots of ${BITS} bits`,
  };
  return {
    height: below + 2 * CELL + 16,
    marks: [title, ...cells, ...(lookUp ? drawSum(lookUp, stage, below) : [])],
  };
}

function beginning(table: Table): Step {
  const caption =
    `${table.slots.length} slots of ${BITS} bits are all that is kept of ${names.length} names. ` +
    'A look-up reads three of them.';
  return {
    caption,
    scene: (width) => drawLookUp(table, { read: 0 }, width),
    text: [caption, `The slots hold ${table.slots.map(hex).join(' ')}.`],
  };
}

function hashing(lookUp: LookUp): Step {
  const { table, key, slots, print } = lookUp;
  const segments = slots.map((slot) => Math.floor(slot / table.length));
  const chosen = `The hash of ${key} chooses the slots ${listOf(slots)}, and the fingerprint ${hex(print)}.`;
  return {
    caption: `${chosen} They lie in the segments ${listOf(segments)}, which are neighbours.`,
    scene: (width) => drawLookUp(table, { lookUp, read: 0 }, width),
    text: [chosen, `They lie in the segments ${listOf(segments)}.`],
  };
}

function reading(lookUp: LookUp, read: number): Step {
  const { table, slots } = lookUp;
  const slot = slots[read - 1] as number;
  const holds = `Slot ${slot} holds ${hex(table.slots[slot] as number)}.`;
  const sum = `The XOR so far is ${hex(sumOf(table, slots.slice(0, read)))}.`;
  return {
    caption: `${holds} ${sum}`,
    scene: (width) => drawLookUp(table, { lookUp, read }, width),
    text: [holds, sum],
  };
}

function comparing(lookUp: LookUp): Step {
  const { table, key, slots, print, found } = lookUp;
  const isMember = names.includes(key);
  const compared = `The XOR is ${hex(sumOf(table, slots))}. The fingerprint of ${key} is ${hex(print)}.`;
  const scene = (width: number) =>
    drawLookUp(table, { lookUp, read: slots.length, compared: true }, width);
  const answer = judgeLookUp(key, found, isMember);
  const byChance = `Nobody added ${key}. The two agree by chance. With ${BITS} bits that chance is ${oneIn(2 ** -BITS)}.`;
  const caption = found
    ? isMember
      ? `${compared} The build made them equal.`
      : byChance
    : `${compared} They differ, and for a name of the set they cannot.`;
  return { caption, answer, scene, text: [compared, `Answer: ${found}. ${answer.words}`] };
}

/** The steps of looking a name up. */
export function lookUpSteps(key: string): readonly Step[] {
  const filter = makeFuse();
  try {
    const table = readTable(filter);
    if (key === '') return [beginning(table)];
    const places = placesOf(table, key);
    const found = filter.has(key);
    if (found !== (sumOf(table, places.slots) === places.print)) {
      throw new Error(`has('${key}') is not what the slots say`);
    }
    const lookUp = { ...places, table, found };
    return [
      beginning(table),
      hashing(lookUp),
      ...places.slots.map((_, i) => reading(lookUp, i + 1)),
      comparing(lookUp),
    ];
  } finally {
    filter.dispose();
  }
}
