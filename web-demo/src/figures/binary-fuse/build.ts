// The build of a binary fuse filter: keys are taken out one by one, and receive their slots in reverse order.
import { plural } from '../../format';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { makeSheet, type Sheet } from '../shared/sheet';
import { listOf } from '../shared/words';
import {
  assign,
  checkTable,
  hex,
  makeFuse,
  names,
  peel,
  readTable,
  sumOf,
  type Table,
  type Taken,
} from './filter';

interface Build {
  readonly table: Table;
  readonly taken: readonly Taken[];
}

/** The progress of the build. */
interface Stage {
  /** The number of keys that are taken out. */
  readonly out: number;
  /** The number of keys that have their slots. The keys that were taken out last have them first. */
  readonly set: number;
  /** The key that this step is about. */
  readonly now?: Taken;
  readonly showSlots?: boolean;
}

function makeBuild(): Build {
  const filter = makeFuse();
  try {
    const table = readTable(filter);
    const taken = peel(table);
    checkTable(table, taken);
    return { table, taken };
  } finally {
    filter.dispose();
  }
}

/** Draws lines between the segments, and their numbers above. */
function drawSegments({ slots, length }: Table, lines: number, sheet: Sheet): Mark[] {
  const { across, down, left, top } = sheet;
  const count = slots.length / length;
  const marks: Mark[] = [
    { kind: 'text', key: 'segments', x: 0, y: 10, text: 'segment', tone: 'faint' },
  ];
  if (across >= 24) {
    const place = { x: left + (slots.length + 1) * across + 4, y: 10, anchor: 'end' } as const;
    marks.push({ kind: 'text', key: 'print', ...place, text: 'fingerprint', tone: 'faint' });
  }
  for (let i = 0; i <= count; i++) {
    const x = left + i * length * across - 1;
    // The last line ends below the words above the fingerprints.
    const d = `M${x} ${i === count ? top : 2}V${top + lines * down}`;
    marks.push({ kind: 'path', key: `segment ${i}`, d, tone: 'faint' });
    if (i === count) break;
    const place = { x: x + (length * across) / 2, y: 10, anchor: 'middle', tone: 'faint' } as const;
    marks.push({ kind: 'text', key: `number ${i}`, ...place, text: String(i) });
  }
  return marks;
}

function toneOf(key: Taken, slot: number, stage: Stage, place: number): Tone {
  const { out, set, now } = stage;
  const isOwn = slot === key.own;
  if (key === now) return isOwn ? 'hit' : set > 0 ? 'looked' : 'on';
  // All its slots are known, or it waits for the keys that come after it.
  if (set > 0 && place >= out - set) return isOwn ? 'new' : 'off';
  if (place < out) return isOwn ? 'second' : 'off';
  return 'on';
}

function drawKeys({ table, taken }: Build, stage: Stage, sheet: Sheet): Mark[] {
  // Keys that are taken out come first, in the order of their removal. The others follow in the order of the list.
  const out = taken.slice(0, stage.out);
  const left = names.flatMap(
    (name) => taken.find((one) => one.key === name && !out.includes(one)) ?? [],
  );
  return [...out, ...left].flatMap((key, place) => [
    sheet.name(`name ${key.key}`, place + 1, key.key),
    ...key.slots.map((slot) =>
      sheet.cell(`${key.key} ${slot}`, place + 1, slot, toneOf(key, slot, stage, place)),
    ),
    sheet.cell(`print ${key.key}`, place + 1, table.slots.length, 'faint', hex(key.print)),
  ]);
}

/** Draws the number of keys at each slot, above the keys. */
function drawCounts({ table, taken }: Build, { out, now }: Stage, sheet: Sheet): Mark[] {
  const counts = now?.counts ?? countsOf(table, taken.slice(out));
  return [
    sheet.name('keys left', 0, 'keys left'),
    ...counts.map((count, slot) => {
      const tone: Tone = slot === now?.own ? 'hit' : count === 1 ? 'looked' : 'faint';
      return sheet.cell(`count ${slot}`, 0, slot, tone, count === 0 ? '' : String(count));
    }),
  ];
}

/** Draws the values of the slots, below the keys. */
function drawHeld({ table, taken }: Build, { set, now }: Stage, sheet: Sheet): Mark[] {
  const line = taken.length + 1;
  return [
    sheet.name('slots', line, 'slots'),
    ...assign(table, taken, set).map((value, slot) => {
      const key = `slot ${slot}`;
      if (value === null) return sheet.cell(key, line, slot, 'faint');
      return sheet.cell(key, line, slot, slot === now?.own ? 'hit' : 'new', hex(value));
    }),
  ];
}

function drawBuild(build: Build, stage: Stage, width: number): Scene {
  const { table, taken } = build;
  const sheet = makeSheet(table.slots.length, 1, width);
  const lines = taken.length + 2;
  return {
    height: sheet.top + lines * sheet.down + 4,
    marks: [
      ...drawSegments(table, lines, sheet),
      ...drawKeys(build, stage, sheet),
      ...(stage.showSlots ? drawHeld(build, stage, sheet) : drawCounts(build, stage, sheet)),
    ],
  };
}

/** The number of the given keys at each slot. */
const countsOf = (table: Table, keys: readonly Taken[]): number[] =>
  table.slots.map((_, slot) => keys.filter(({ slots }) => slots.includes(slot)).length);

const describe = ({ key, slots, print }: Taken): string =>
  `${key}: slots ${listOf(slots)}, fingerprint ${hex(print)}.`;

function beginning(build: Build): Step {
  const { table, taken } = build;
  const size = `${taken.length} names and ${table.slots.length} slots, in segments of ${table.length}.`;
  const counts = countsOf(table, taken);
  const alone = table.slots.flatMap((_, slot) => (counts[slot] === 1 ? [slot] : []));
  return {
    caption:
      'The hash of each name chooses three slots, in three neighbouring segments. Above each slot ' +
      'stands how many names have it. The digit on the right is the fingerprint.',
    scene: (width) => drawBuild(build, { out: 0, set: 0 }, width),
    text: [
      size,
      `The seed is ${table.seed}.`,
      `Slots that a single name has: ${listOf(alone)}.`,
      ...taken.map(describe),
    ],
  };
}

function peeling(build: Build, out: number): Step {
  const now = build.taken[out - 1] as Taken;
  const left = build.taken.length - out;
  const still =
    left === 0 ? 'No name is left.' : `${plural(left, 'name')} ${left === 1 ? 'is' : 'are'} left.`;
  return {
    caption: `Slot ${now.own} has a single name: ${now.key}. So ${now.key} is taken out. ${still}`,
    scene: (width) => drawBuild(build, { out, set: 0, now }, width),
    text: [
      `Slot ${now.own} has a single name: ${now.key}.`,
      describe(now),
      `Taken out, in this order: ${listOf(build.taken.slice(0, out).map(({ key }) => key))}.`,
      still,
    ],
  };
}

function turning(build: Build): Step {
  const { taken } = build;
  const caption =
    'All names are out. Each has a slot that no name after it needs. So the last one gets its slot ' +
    'first, and the others in reverse.';
  return {
    caption,
    scene: (width) => drawBuild(build, { out: taken.length, set: 0, showSlots: true }, width),
    text: [
      `Taken out, in this order: ${listOf(taken.map(({ key }) => key))}.`,
      ...taken.map(({ key, own }) => `The own slot of ${key} is ${own}.`),
    ],
  };
}

function assigning(build: Build, set: number): Step {
  const { table, taken } = build;
  const now = taken[taken.length - set] as Taken;
  const held = assign(table, taken, set);
  const others = now.slots.filter((slot) => slot !== now.own);
  const values = others.map((slot) => hex(held[slot] ?? 0));
  const own = hex(held[now.own] as number);
  const stage = { out: taken.length, set, now, showSlots: true };
  return {
    caption:
      `${now.key}: slots ${listOf(others)} hold ${listOf(values)}, and the fingerprint is ` +
      `${hex(now.print)}. So slot ${now.own} gets ${[hex(now.print), ...values].join(' ^ ')} = ${own}.`,
    scene: (width) => drawBuild(build, stage, width),
    text: [
      describe(now),
      `Slot ${now.own} gets ${own}.`,
      `Known slots: ${held.flatMap((value, slot) => (value === null ? [] : `${slot} holds ${hex(value)}`)).join(', ')}.`,
    ],
  };
}

function ending(build: Build): Step {
  const { table, taken } = build;
  const held = `The slots hold ${table.slots.map(hex).join(' ')}.`;
  const fits = taken.map(({ key, slots, print }) => {
    const values = slots.map((slot) => hex(table.slots[slot] as number)).join(' ^ ');
    return `${key}: ${values} = ${hex(sumOf(table, slots))}, fingerprint ${hex(print)}.`;
  });
  return {
    caption:
      'The three slots of each name now XOR to its fingerprint. The slots that nobody got hold 0. ' +
      "Only the slots are kept: they are the real filter's bytes.",
    scene: (width) =>
      drawBuild(build, { out: taken.length, set: taken.length, showSlots: true }, width),
    text: [held, ...fits],
  };
}

/** The steps of a build. */
export function buildSteps(): readonly Step[] {
  const build = makeBuild();
  const count = build.taken.length;
  const each = Array.from({ length: count }, (_, i) => i + 1);
  return [
    beginning(build),
    ...each.map((out) => peeling(build, out)),
    turning(build),
    ...each.map((set) => assigning(build, set)),
    ending(build),
  ];
}
