// The build of a ribbon filter: rows are sorted to a band, brought to a staircase, and solved from the last slot on.
import { integer, plural } from '../../format';
import { type Eliminated, substitute } from '../shared/elimination';
import type { Step, Tone } from '../shared/model';
import { BAND, type Level } from '../shared/retrieval';
import { drawStage, type Stage } from './band-draw';
import {
  addresses,
  byStart,
  eliminated,
  equationsOf,
  hex,
  type KeyEquation,
  levelsOf,
  makeRibbon,
} from './filter';
import type { DrawnRow } from './system';

/** The number of steps of the elimination, and of finding the slots. */
const PARTS = 6;

interface System {
  readonly level: Level;
  /** The equations in the order of the list. */
  readonly equations: readonly KeyEquation[];
  readonly sorted: readonly KeyEquation[];
  /** The sorted equations after the elimination. */
  readonly steps: readonly Eliminated[];
  readonly bytes: number;
}

function makeSystem(): System {
  const filter = makeRibbon();
  try {
    const levels = levelsOf(filter);
    const level = levels[0];
    if (levels.length !== 1 || !level) throw new Error('the filter has more than one level');
    const equations = equationsOf(levels, addresses);
    const sorted = [...equations].sort(byStart);
    const steps = eliminated(sorted, level.slots);
    return { level, equations, sorted, steps, bytes: filter.sizeBytes };
  } finally {
    filter.dispose();
  }
}

const drawn = (equations: readonly KeyEquation[], tone: Tone, sums: boolean): DrawnRow[] =>
  equations.map(({ key, start, coefficients, print }, line) => {
    const row = { key, line, start, coefficients, tone };
    return sums ? { ...row, sum: print } : row;
  });

/** The rows when the first `count` of them begin at slots of their own. Those rows are on the lines of their slots. */
function partly({ sorted, steps }: System, count: number, solvedFrom = Infinity): DrawnRow[] {
  const rows = sorted.map(({ key, start, coefficients, print }, line): DrawnRow => {
    const step = steps[line] as Eliminated;
    if (line >= count) return { key, line, start, coefficients, sum: print, tone: 'on' };
    const tone = step.start >= solvedFrom ? 'blend' : 'on';
    return {
      key,
      line: step.start,
      start: step.start,
      coefficients: step.coefficients,
      sum: step.sum,
      tone,
    };
  });
  return rows;
}

function describeRow({ key, start, marked, print }: KeyEquation): string {
  return (
    `${key}: starts at slot ${start} and marks ${marked.length} slots, the last of them ` +
    `${marked.at(-1)}. Fingerprint ${hex(print)}.`
  );
}

type Words = Pick<Step, 'caption' | 'text'>;

function stepOf(level: Level, stage: Stage, words: Words): Step {
  return { ...words, scene: (width) => drawStage(stage, level, width) };
}

function beginning({ level, equations, sorted }: System): Step[] {
  const none = level.slots.map(() => null);
  const count = plural(equations.length, 'key');
  const many = `${count} and ${level.slots.length} slots. A row begins at one of ${level.starts} slots.`;
  const stage = (rows: DrawnRow[]) => ({ rows, slots: none, state: `${count}, a row each` });
  return [
    stepOf(level, stage(drawn(equations, 'on', false)), {
      caption:
        `${count} go in. The hash of each makes a row. It chooses where the row begins, and marks ` +
        `about half of the ${BAND} slots from there on.`,
      text: [many, 'The rows stand in the order of the list.', ...equations.map(describeRow)],
    }),
    stepOf(level, stage(drawn(sorted, 'on', false)), {
      caption: 'Sorted by where they begin, the rows make a band: the ribbon.',
      text: [many, 'The rows are sorted by their starts.', ...sorted.map(describeRow)],
    }),
    stepOf(level, stage(drawn(sorted, 'on', true)), {
      caption:
        'Each key also has a fingerprint of 8 bits, on the right. The slots below are still empty. ' +
        'The XOR of the slots that a row marks shall be its fingerprint.',
      text: [many, 'Each row is an equation for the slots.', ...sorted.map(describeRow)],
    }),
  ];
}

function eliminating(system: System): Step[] {
  const { level, steps, sorted } = system;
  const none = level.slots.map(() => null);
  return Array.from({ length: PARTS }, (_, part) => {
    const count = Math.round(((part + 1) * steps.length) / PARTS);
    const newest = steps[count - 1] as Eliminated;
    const met = steps.slice(0, count).reduce((sum, row) => sum + row.met.length, 0);
    const done = `${count} of ${steps.length} rows begin at a slot of their own.`;
    const last = sorted[count - 1] as KeyEquation;
    return stepOf(
      system.level,
      { rows: partly(system, count), slots: none, state: `${count} rows done` },
      {
        caption:
          part === 0
            ? "Two rows that begin at the same slot are in each other's way. So one is XORed with the " +
              'other, which clears its first mark. It then begins further right.'
            : part + 1 < PARTS
              ? `So the band becomes stairs. ${done}`
              : `All ${steps.length} rows begin at a slot of their own. That took ${integer(met)} XORs.`,
        text: [
          done,
          `${integer(met)} XORs were needed for that.`,
          `The row of ${last.key} came last. It began at slot ${last.start}. After ` +
            `${plural(newest.met.length, 'XOR')} it begins at slot ${newest.start}.`,
          'Any order of the rows gives the same slots in the end.',
        ],
      },
    );
  });
}

function solving(system: System): Step[] {
  const { level, steps } = system;
  const size = level.slots.length;
  return Array.from({ length: PARTS }, (_, part) => {
    const from = Math.round((size * (PARTS - 1 - part)) / PARTS);
    const slots = substitute(steps, size, from);
    const known = `Slots ${from} to ${size - 1} are known.`;
    const free = level.slots.length - steps.length;
    return stepOf(
      level,
      { rows: partly(system, steps.length, from), slots, state: `from slot ${from} on` },
      {
        caption:
          part === 0
            ? 'Now the slots are found, from the last one on. Each row lacks only its first slot. ' +
              'It follows from the other slots and the right side.'
            : part + 1 < PARTS
              ? `Row by row the slots fill from right to left. ${known}`
              : `All ${size} slots are known. ${plural(free, 'slot')} begins no row, and is 0.`,
        text: [
          known,
          `They are ${slots
            .slice(from)
            .map((value) => hex(value as number))
            .join(' ')}.`,
        ],
      },
    );
  });
}

function ending({ level, sorted, bytes }: System): Step[] {
  const each = ((8 * bytes) / sorted.length).toFixed(2);
  const state = `${bytes} bytes for ${plural(sorted.length, 'key')}`;
  const fits = sorted.map(
    ({ key, sum, print }) =>
      `${key}: the XOR of its slots is ${hex(sum)}, its fingerprint ${hex(print)}.`,
  );
  const held = `The slots hold ${level.slots.map(hex).join(' ')}.`;
  const shown = sorted[sorted.length >> 1] as KeyEquation;
  const rows = drawn(sorted, 'off', true).map(
    (row): DrawnRow => (row.key === shown.key ? { ...row, tone: 'blend' } : row),
  );
  return [
    stepOf(
      level,
      { rows, slots: level.slots, state: shown.key, shown },
      {
        caption:
          `A look-up makes the row of its key anew. The row of ${shown.key} marks ` +
          `${plural(shown.marked.length, 'slot')}. Their XOR is ${hex(shown.sum)}, which is its fingerprint.`,
        text: [describeRow(shown), fits.find((line) => line.startsWith(shown.key)) as string, held],
      },
    ),
    stepOf(
      level,
      { rows: drawn(sorted, 'blend', true), slots: level.slots, state },
      {
        caption:
          `All ${sorted.length} rows fit. Only the ${bytes} bytes of the slots are kept: ${each} bits a ` +
          'key, where 8 are the least that is possible.',
        text: [
          `${bytes} bytes for ${plural(sorted.length, 'key')}: ${each} bits a key.`,
          held,
          ...fits,
        ],
      },
    ),
  ];
}

/** The steps of a build. */
export function bandSteps(): readonly Step[] {
  const system = makeSystem();
  return [...beginning(system), ...eliminating(system), ...solving(system), ...ending(system)];
}
