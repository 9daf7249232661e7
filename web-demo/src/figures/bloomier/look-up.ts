// One look-up in a Bloomier map: the XOR of the marked slots is a value and a check.
import { oneIn } from '../../format';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import type { Level } from '../shared/retrieval';
import { makeSheet } from '../shared/sheet';
import { listOf } from '../shared/words';
import {
  CHECK_BITS,
  checkOf,
  hex,
  levelOf,
  lookUpIn,
  makeMap,
  type NameEquation,
  roomOf,
  rooms,
  VALUE_BITS,
} from './map';

/** The progress of the look-up. */
interface Stage {
  readonly row?: NameEquation;
  /** The number of marked slots that were XORed. */
  readonly summed: number;
  readonly compared?: boolean;
}

/** The lines of the drawing. */
const MARKS = 0;
const VALUES = 1;
const CHECKS = 2;
const WANTED = 3;

const sumOf = ({ slots }: Level, marked: readonly number[]): number =>
  marked.reduce((sum, slot) => sum ^ (slots[slot] as number), 0);

/** The value that a row's slots give, or undefined if the check differs. */
const answerOf = ({ sum, wanted }: NameEquation): number | undefined =>
  checkOf(sum) === wanted ? roomOf(sum) : undefined;

function endingTone(row: NameEquation, compared: boolean | undefined): Tone {
  if (!compared) return 'off';
  if (answerOf(row) === undefined) return 'miss';
  return rooms.has(row.name) ? 'hit' : 'wrong';
}

function drawLookUp(level: Level, { row, summed, compared }: Stage, width: number): Scene {
  const { slots } = level;
  const sheet = makeSheet(slots.length, 1, width);
  const toneOf = (slot: number): Tone => {
    const order = row?.marked.indexOf(slot) ?? -1;
    if (order < 0) return row ? 'faint' : 'off';
    return order < summed ? 'hit' : 'looked';
  };
  const marks: Mark[] = slots.flatMap((held, slot) => [
    sheet.cell(`value ${slot}`, VALUES, slot, toneOf(slot), String(roomOf(held))),
    sheet.cell(`check ${slot}`, CHECKS, slot, toneOf(slot), hex(checkOf(held))),
  ]);
  marks.push(sheet.name('values', VALUES, 'value'), sheet.name('checks', CHECKS, 'check'));
  marks.push(...sheet.heads(slots.map((_, slot) => String(slot))));
  if (row) {
    const sum = sumOf(level, row.marked.slice(0, summed));
    const tone = endingTone(row, compared);
    const last = slots.length;
    marks.push(
      sheet.name('name', MARKS, row.name.slice(0, 8)),
      ...row.marked.map((slot) => sheet.cell(`mark ${slot}`, MARKS, slot, 'on', '1')),
      sheet.cell('xor', MARKS, last, 'faint', '^'),
      sheet.name('wanted', WANTED, 'wanted'),
      sheet.cell('wanted check', WANTED, last, tone, hex(row.wanted)),
    );
    if (summed > 0) {
      marks.push(sheet.cell('sum of values', VALUES, last, tone, String(roomOf(sum))));
      marks.push(sheet.cell('sum of checks', CHECKS, last, tone, hex(checkOf(sum))));
    }
  }
  return { height: sheet.top + (WANTED + 1) * sheet.down + 4, marks };
}

const entries = (): string =>
  [...rooms].map(([name, room]) => `${name} has room ${room}`).join(', ');

const heldOf = (level: Level): string =>
  `The slots hold ${level.slots.map((held) => `${roomOf(held)} and ${hex(checkOf(held))}`).join(', ')}.`;

function beginning(level: Level): Step {
  const size =
    `${level.slots.length} slots keep the rooms of ${rooms.size} names: ${VALUE_BITS} bits of a value ` +
    `each, and ${CHECK_BITS} of a check.`;
  return {
    caption: `${size} The names are not kept.`,
    scene: (width) => drawLookUp(level, { summed: 0 }, width),
    text: [size, `${entries()}.`, heldOf(level)],
  };
}

function hashing(level: Level, row: NameEquation): Step {
  const marks = `The hash of ${row.name} marks the slots ${listOf(row.marked)}.`;
  const check = `It also gives the check that is wanted: ${hex(row.wanted)}.`;
  return {
    caption: `${marks} ${check}`,
    scene: (width) => drawLookUp(level, { row, summed: 0 }, width),
    text: [marks, check, heldOf(level)],
  };
}

function summing(level: Level, row: NameEquation, summed: number): Step {
  const slot = row.marked[summed - 1] as number;
  const held = level.slots[slot] as number;
  const sum = sumOf(level, row.marked.slice(0, summed));
  const holds = `Slot ${slot} holds the value ${roomOf(held)} and the check ${hex(checkOf(held))}.`;
  const so = `The XOR so far is ${roomOf(sum)} and ${hex(checkOf(sum))}.`;
  return {
    caption: `${holds} ${so}`,
    scene: (width) => drawLookUp(level, { row, summed }, width),
    text: [holds, so],
  };
}

function comparing(level: Level, row: NameEquation): Step {
  const { name, sum, wanted, marked } = row;
  const compared = `The check is ${hex(checkOf(sum))}, and ${hex(wanted)} is wanted.`;
  const scene = (width: number) =>
    drawLookUp(level, { row, summed: marked.length, compared: true }, width);
  const answer = answerOf(row);
  const get = `get('${name}') is ${answer}`;
  if (answer === undefined) {
    const words = `${get}: ${name} is not in the map. That is certain.`;
    const caption = `${compared} They differ, and for a name of the map they cannot.`;
    return { caption, answer: { verdict: 'absent', words }, scene, text: [compared, words] };
  }
  const isMember = rooms.has(name);
  const words = isMember
    ? `${get}: the room of ${name}.`
    : `${get}, and that is wrong: ${name} has no room.`;
  return {
    caption: isMember
      ? `${compared} So the value is the room of ${name}: ${answer}.`
      : `${compared} They agree by chance, and that chance is ` +
        `${oneIn(2 ** -CHECK_BITS)}. More check bits make it smaller.`,
    answer: { verdict: isMember ? 'probable' : 'wrong', words },
    scene,
    text: [compared, words],
  };
}

/** The steps of looking a name up. */
export function lookUpSteps(name: string): readonly Step[] {
  const map = makeMap();
  try {
    const level = levelOf(map);
    if (name === '') return [beginning(level)];
    const row = lookUpIn(map, level, name);
    return [
      beginning(level),
      hashing(level, row),
      ...row.marked.map((_, i) => summing(level, row, i + 1)),
      comparing(level, row),
    ];
  } finally {
    map.dispose();
  }
}
