// A rotating Bloom filter: a ring of generations. Each rotation forgets the oldest one.
import { RotatingBloomFilter } from 'tamis';
import { indicesOf, makeBitField, range } from '../shared/bit-field';
import { payloadOf, readBits, readU64 } from '../shared/bytes';
import { type Called, labelOf, makeCall, makeStep, toneOf } from '../shared/calls';
import { CHIP_HEIGHT, loneChip } from '../shared/chips';
import type { FigureType, Mark, Scene, Step } from '../shared/model';
import { members } from '../shared/names';
import { listOf } from '../shared/words';

const GENERATIONS = 4;
const OPTIONS = { capacity: 4, fpr: 0.1, generations: GENERATIONS };
/** The number of names that are added in a period. */
const EACH = 2;
/** The number of bits in a row of a generation's drawing: 32 bits are a lane of a block. */
const COLUMNS = 32;

/** The contents of the filter's bytes: the generation that receives new keys, and the bits of each. */
interface Ring {
  readonly current: number;
  readonly generations: readonly (readonly boolean[])[];
}

function readRing(filter: RotatingBloomFilter): Ring {
  const payload = payloadOf(filter.toBytes());
  const count = payload.getUint32(0, true);
  let data = 32 + 32 * count;
  const generations = range(count).map((j) => {
    const bits = readU64(payload, 32 + 32 * j);
    const read = readBits(payload, data, bits);
    data += Math.ceil(bits / 64) * 8;
    return read;
  });
  return { current: payload.getUint32(4, true), generations };
}

interface Shown {
  readonly before: Ring;
  readonly ring: Ring;
  /** The text of the chip above. */
  readonly label: string;
  readonly called?: Called;
  /** The names that were added to each generation since it was last cleared. */
  readonly names: readonly (readonly string[])[];
  readonly caption: string;
}

/** The age of a generation in words: the time since it was the current one. */
function ageOf(j: number, { current, generations }: Ring): string {
  const age = (current - j + generations.length) % generations.length;
  if (age === 0) return 'now';
  return `${age} period${age === 1 ? '' : 's'} ago`;
}

/** The box of a generation. On a narrow page the ring is a square, and runs clockwise. */
function boxOf(j: number, width: number): { left: number; top: number; side: number } {
  const wide = width >= 640;
  const side = Math.floor(((wide ? width / 4 : width / 2) - 28) / COLUMNS);
  const row = side * 8 + 92;
  if (wide) return { left: (j * width) / 4 + 8, top: CHIP_HEIGHT + 40, side };
  const column = j === 1 || j === 2 ? 1 : 0;
  return { left: (column * width) / 2 + 8, top: CHIP_HEIGHT + 34 + (j > 1 ? row : 0), side };
}

function drawGeneration(j: number, shown: Shown, width: number): Mark[] {
  const { ring, before, names, called } = shown;
  const bits = ring.generations[j] as readonly boolean[];
  const { left, top, side } = boxOf(j, width);
  const current = j === ring.current;
  const height = Math.ceil(bits.length / COLUMNS) * side;
  const frame = { x: left - 6, y: top - 6, width: side * COLUMNS + 12, height: height + 12 };
  const field = makeBitField({
    name: `generation ${j}`,
    left,
    top,
    columns: COLUMNS,
    side,
    gap: 1,
  });
  const fresh = indicesOf(bits).filter((i) => !before.generations[j]?.[i]);
  const label = { x: left - 6, y: top - 18, text: ageOf(j, ring) };
  const holds = called?.do === 'has' && called.result && names[j]?.includes(called.key) === true;
  const marks: Mark[] = [
    { kind: 'cell', key: `frame ${j}`, ...frame, tone: current ? 'miss' : 'faint' },
    { kind: 'text', key: `age ${j}`, ...label, bold: current, tone: current ? 'new' : 'faint' },
    field.mark('ground', range(bits.length), 'off'),
    field.mark('bits', indicesOf(bits), 'on'),
    field.mark('fresh', fresh, 'new'),
  ];
  const text = (names[j] ?? []).join(', ');
  const place = { x: left - 6, y: top + height + 20, text };
  marks.push({
    kind: 'text',
    key: `names ${j}`,
    ...place,
    bold: holds,
    tone: holds ? 'hit' : 'faint',
  });
  return marks;
}

/** Draws an arrow from each generation to the one after it. */
function drawArrows(width: number): Mark[] {
  return range(GENERATIONS).map((j) => {
    const [from, to] = [boxOf(j, width), boxOf((j + 1) % GENERATIONS, width)];
    const wide = from.side * COLUMNS;
    const middle = from.side * 4;
    const x = from.left + wide / 2;
    let d: string;
    if (from.top < to.top) d = arrowOf([x, from.top + from.side * 8 + 34], [x, to.top - 34]);
    else if (from.top > to.top) d = arrowOf([x, from.top - 34], [x, to.top + to.side * 8 + 34]);
    else if (width < 640 || to.left > from.left) {
      const right = to.left > from.left;
      const [start, end] = right ? [wide + 8, -9] : [-8, wide + 9];
      d = arrowOf([from.left + start, from.top + middle], [to.left + end, to.top + middle]);
    } else {
      // The ring closes below the row.
      const bottom = from.top + from.side * 8 + 34;
      const end = [to.left + wide / 2, bottom] as const;
      d = `M${x} ${bottom}v12H${end[0]}${arrowOf([end[0], bottom + 12], end)}`;
    }
    return { kind: 'path', key: `arrow ${j}`, d, tone: 'off' };
  });
}

type Point = readonly [x: number, y: number];

/** A straight horizontal or vertical line with a head. */
function arrowOf([x, y]: Point, [toX, toY]: Point): string {
  const [alongX, alongY] = [Math.sign(toX - x) * 5, Math.sign(toY - y) * 5];
  const head = [-1, 1].map(
    (side) => `M${toX - alongX + side * alongY} ${toY - alongY + side * alongX}L${toX} ${toY}`,
  );
  return `M${x} ${y}L${toX} ${toY}${head.join('')}`;
}

function drawRing(shown: Shown, width: number): Scene {
  const { top, side } = boxOf(GENERATIONS - 1, width);
  const marks = [loneChip(shown.label, width, toneOf(shown.called)), ...drawArrows(width)];
  for (let j = 0; j < GENERATIONS; j++) marks.push(...drawGeneration(j, shown, width));
  return { height: top + side * 8 + (width >= 640 ? 54 : 34), marks };
}

function describe(ring: Ring, names: Shown['names']): string[] {
  return ring.generations.map((bits, j) => {
    const set = indicesOf(bits);
    const added = names[j]?.length ? ` Added there: ${listOf(names[j] as string[])}.` : '';
    const held = set.length === 0 ? 'no bit is set' : `set bits: ${set.join(' ')}`;
    return `Generation ${j} (${ageOf(j, ring)}): ${held}.${added}`;
  });
}

/** The steps: names are added, periods pass, and the first name is looked up until it is forgotten. */
function makeSteps(): readonly Step[] {
  const filter = new RotatingBloomFilter(OPTIONS);
  try {
    let ring = readRing(filter);
    let names: (readonly string[])[] = range(GENERATIONS).map(() => []);
    const first = members[0] as string;
    const shown: Shown[] = [];
    const show = (caption: string, label: string, called?: Called) => {
      const before = ring;
      ring = readRing(filter);
      shown.push({ before, ring, names, caption, label, ...(called ? { called } : {}) });
    };
    const inAll = () => new Map(names.flat().map((name) => [name, 1] as const));
    const act = (name: 'add' | 'has', key: string, say: (result: boolean) => string) => {
      const { result } = makeCall(filter, { do: name, key }, new Map());
      if (name === 'add')
        names = names.map((list, j) => (j === ring.current ? [...list, key] : list));
      const call = { do: name, key };
      show(say(result), labelOf(call), { ...call, result, copies: inAll() });
    };
    show(
      `This filter remembers ${GENERATIONS} periods. Each has a Bloom filter of its own. New keys go to the current one.`,
      labelOf({ do: 'add', key: first }),
    );
    let next = 0;
    for (let period = 0; period <= GENERATIONS; period++) {
      if (period > 0) {
        filter.rotate();
        const into = readRing(filter).current;
        const lost = names[into] as readonly string[];
        names = names.map((list, j) => (j === into ? [] : list));
        show(
          lost.length === 0
            ? 'A period ends: rotate(). The next generation becomes the current one.'
            : `A period ends: rotate(). The oldest generation is emptied and becomes the current one. It held ${listOf(lost)}.`,
          'rotate()',
        );
      }
      if (period < GENERATIONS) {
        for (let i = 0; i < EACH; i++) {
          act(
            'add',
            members[next++] as string,
            () => 'Adding a key sets its bits in the current generation only.',
          );
        }
      }
      act('has', first, (result) =>
        result
          ? `${first} came ${period === 0 ? 'in this period' : `${period} period${period === 1 ? '' : 's'} ago`}. A look-up goes through all generations, and finds it.`
          : `${first} came ${GENERATIONS} periods ago. The generation that knew it is empty now.`,
      );
    }
    return shown.map((each) =>
      makeStep(each, {
        caption: each.caption,
        scene: (width) => drawRing(each, width),
        text: [
          ...(each.called ? [] : [`Generation ${each.ring.current} is the current one.`]),
          ...describe(each.ring, each.names),
        ],
      }),
    );
  } finally {
    filter.dispose();
  }
}

export const figure: FigureType = {
  title: 'A rotating Bloom filter of four periods',
  initial: {},
  controls: () => [],
  steps: makeSteps,
};
