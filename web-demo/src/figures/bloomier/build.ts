// The build of a Bloomier map: equations for its slots, solved row by row.
import { plural } from '../../format';
import { type Eliminated, type Row, substitute } from '../shared/elimination';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { bitsOf, type Level } from '../shared/retrieval';
import { makeSheet, type Sheet } from '../shared/sheet';
import { listOf } from '../shared/words';
import {
  checkOf,
  eliminatedOf,
  hex,
  levelOf,
  lookUpIn,
  makeMap,
  type NameEquation,
  roomOf,
  rooms,
} from './map';

interface Build {
  readonly level: Level;
  readonly equations: readonly NameEquation[];
  readonly rows: readonly Eliminated[];
}

/** The progress of the build. */
interface Stage {
  /** The number of rows that begin at slots of their own. */
  readonly done: number;
  /** The first known slot. All later slots are known too. */
  readonly from: number;
  /** The row that this step is about. */
  readonly now?: number;
}

function makeBuild(): Build {
  const map = makeMap();
  try {
    const level = levelOf(map);
    const equations = [...rooms.keys()].map((name) => lookUpIn(map, level, name));
    return { level, equations, rows: eliminatedOf(equations, level) };
  } finally {
    map.dispose();
  }
}

/** The XOR that a row's slots must have, before the elimination. */
const wantedOf = ({ name, wanted }: NameEquation): [value: number, check: number] => [
  rooms.get(name) as number,
  wanted,
];

const markedBy = ({ start, coefficients }: Pick<Row, 'start' | 'coefficients'>): number[] =>
  bitsOf(coefficients).map((k) => start + k);

/** The line of each row. A row with a slot of its own has that slot's line. The others take the free lines in order. */
function linesOf({ rows, level }: Build, done: number): number[] {
  const own = rows.slice(0, done).map(({ start }) => start);
  const free = level.slots.map((_, line) => line).filter((line) => !own.includes(line));
  return [...own, ...free];
}

function drawRows(build: Build, { done, from, now }: Stage, sheet: Sheet): Mark[] {
  const { level, equations, rows } = build;
  const lines = linesOf(build, done);
  const size = level.slots.length;
  return equations.flatMap((equation, i) => {
    const { name } = equation;
    const line = lines[i] as number;
    const row = rows[i] as Eliminated;
    const isDone = i < done;
    const [value, check] = isDone ? [roomOf(row.sum), checkOf(row.sum)] : wantedOf(equation);
    const toneOf = (slot: number): Tone => {
      const isOwn = isDone && slot === row.start;
      if (i === now) return isOwn ? 'hit' : slot >= from ? 'looked' : 'on';
      if (isOwn) return slot >= from ? 'new' : 'second';
      return isDone ? 'off' : 'on';
    };
    return [
      sheet.name(`name ${name}`, line, name),
      ...markedBy(isDone ? row : equation).map((slot) =>
        sheet.cell(`${name} ${slot}`, line, slot, toneOf(slot), '1'),
      ),
      sheet.cell(`value ${name}`, line, size, 'faint', String(value)),
      sheet.cell(`check ${name}`, line, size + 1, 'faint', hex(check)),
    ];
  });
}

function drawBuild(build: Build, stage: Stage, width: number): Scene {
  const { level, rows } = build;
  const size = level.slots.length;
  const sheet = makeSheet(size, 2, width);
  const held = substitute(rows, size, stage.from);
  const own = stage.from < size && stage.now !== undefined ? rows[stage.now]?.start : undefined;
  const slots = held.flatMap((value, slot) => {
    const tone: Tone = value === null ? 'faint' : slot === own ? 'hit' : 'new';
    const [above, below] = value === null ? [] : [String(roomOf(value)), hex(checkOf(value))];
    return [
      sheet.cell(`held value ${slot}`, size, slot, tone, above),
      sheet.cell(`held check ${slot}`, size + 1, slot, tone, below),
    ];
  });
  return {
    height: sheet.top + (size + 2) * sheet.down + 4,
    marks: [
      ...sheet.heads([...held.map((_, slot) => String(slot)), 'value', 'check']),
      ...drawRows(build, stage, sheet),
      sheet.name('values', size, 'value'),
      sheet.name('checks', size + 1, 'check'),
      ...slots,
    ],
  };
}

const describe = (equation: NameEquation): string => {
  const [value, check] = wantedOf(equation);
  return (
    `${equation.name}: marks slots ${listOf(equation.marked)}. Their XOR must be the value ${value} and ` +
    `the check ${hex(check)}.`
  );
};

function beginning(build: Build): Step {
  const { level, equations } = build;
  const size = `${plural(equations.length, 'name')} with a room each, and ${level.slots.length} slots.`;
  const stage = { done: 0, from: level.slots.length };
  return {
    caption:
      `${size} The hash of a name marks about half of the slots. Their XOR must be the room, and a ` +
      'check from the hash.',
    scene: (width) => drawBuild(build, stage, width),
    text: [size, ...equations.map(describe)],
  };
}

function eliminating(build: Build, now: number): Step {
  const { level, equations, rows } = build;
  const { name } = equations[now] as NameEquation;
  const row = rows[now] as Eliminated;
  const owners = row.met.map((start) => {
    const owner = rows.findIndex((other) => other.start === start);
    return (equations[owner] as NameEquation).name;
  });
  const begins =
    owners.length === 0
      ? `The row of ${name} begins at slot ${row.start}, where no other row begins.`
      : `The row of ${name} is XORed with ${owners.length === 1 ? 'that' : 'those'} of ` +
        `${listOf(owners)}. It then begins at slot ${row.start}.`;
  const stage = { done: now + 1, from: level.slots.length, now };
  return {
    caption:
      now === 0
        ? `${begins} Every row gets a slot of its own in this way.`
        : owners.length === 0
          ? begins
          : `${begins} Its value and check are XORed as well.`,
    scene: (width) => drawBuild(build, stage, width),
    text: [
      begins,
      `It marks slots ${listOf(markedBy(row))}. Value ${roomOf(row.sum)}, check ${hex(checkOf(row.sum))}.`,
    ],
  };
}

function solving(build: Build, slot: number): Step {
  const { level, equations, rows } = build;
  const now = rows.findIndex(({ start }) => start === slot);
  const held = substitute(rows, level.slots.length, slot);
  const value = held[slot] as number;
  const gets = `Slot ${slot} gets the value ${roomOf(value)} and the check ${hex(checkOf(value))}.`;
  const stage = { done: rows.length, from: slot, ...(now < 0 ? {} : { now }) };
  const scene = (width: number) => drawBuild(build, stage, width);
  const known = held.flatMap((one, at) =>
    one === null ? [] : `${at} holds ${roomOf(one)} and ${hex(checkOf(one))}`,
  );
  const text = [gets, `Known slots: ${known.join(', ')}.`];
  const row = rows[now];
  if (!row) return { caption: `No row begins at slot ${slot}, which stays 0.`, scene, text };
  const others = markedBy(row).slice(1);
  const { name } = equations[now] as NameEquation;
  return {
    caption:
      others.length === 0
        ? `The row of ${name} marks slot ${slot} only, which tells what it holds. ${gets}`
        : `The row of ${name} begins at slot ${slot}. Its other slots are known. ${gets}`,
    scene,
    text,
  };
}

function ending(build: Build): Step {
  const { level, equations } = build;
  const original: Stage = { done: 0, from: 0 };
  return {
    caption:
      'Back to the rows as they were: the XOR of the slots that each marks is its room and its check. ' +
      "Only the slots are kept. They are the real map's bytes.",
    scene: (width) => drawBuild(build, original, width),
    text: [
      `The slots hold ${level.slots.map((held) => `${roomOf(held)} and ${hex(checkOf(held))}`).join(', ')}.`,
      ...equations.map(
        ({ name, sum, wanted }) =>
          `${name}: the XOR is ${roomOf(sum)} and ${hex(checkOf(sum))}. The room is ${rooms.get(name)}, ` +
          `the check ${hex(wanted)}.`,
      ),
    ],
  };
}

/** The steps of a build. */
export function buildSteps(): readonly Step[] {
  const build = makeBuild();
  const { rows, level } = build;
  return [
    beginning(build),
    ...rows.map((_, i) => eliminating(build, i)),
    ...level.slots.map((_, i) => solving(build, level.slots.length - 1 - i)),
    ending(build),
  ];
}
