// One look-up, bit by bit. A false positive shows whose bits it found.
import { bitsOf, HASHES, makeFilter, positionsOf, settersOf } from './bloom-filter';
import { makeGrid } from './grid';
import type { Mark, Scene, Step, Tone } from './model';
import { members } from './names';
import { listOf } from './words';

/** What the filter says of a name. */
interface LookUp {
  readonly name: string;
  readonly bits: readonly boolean[];
  /** The name's bits, in the order of the look-up. */
  readonly positions: readonly number[];
  /** The names that set each of these bits. */
  readonly setters: ReadonlyMap<number, readonly string[]>;
}

/** How far the look-up has come. */
interface Stage {
  readonly looked: number;
  /** Whether the bits, and then the lines to those who set them, are a false positive's. */
  readonly wrong?: boolean;
}

const ROW = 24;

function toneOf(bit: number, { bits, positions }: LookUp, { looked, wrong }: Stage): Tone {
  const order = positions.indexOf(bit);
  if (order < 0) return bits[bit] ? 'on' : 'off';
  if (order >= looked) return 'looked';
  if (!bits[bit]) return 'miss';
  return wrong ? 'wrong' : 'hit';
}

type Middle = (bit: number) => { readonly x: number; readonly y: number };

/** The names below the grid, in columns, each with lines to the bits that it set. */
function drawCulprits({ setters }: LookUp, width: number, top: number, middle: Middle): Mark[] {
  const names = [...new Set([...setters.values()].flat())];
  const columns = Math.min(names.length, Math.max(1, Math.floor(width / 84)));
  const lines: Mark[] = [];
  const labels: Mark[] = [];
  names.forEach((text, i) => {
    const x = ((i % columns) + 0.5) * (width / columns);
    const y = top + Math.floor(i / columns) * ROW;
    labels.push({ kind: 'text', key: `name ${text}`, x, y, text, anchor: 'middle', bold: true });
    for (const [bit, by] of setters) {
      if (!by.includes(text)) continue;
      const end = middle(bit);
      const d = `M${x} ${y - 11}L${end.x} ${end.y}`;
      lines.push({ kind: 'path', key: `line ${text} ${bit}`, d, tone: 'wrong' });
    }
  });
  return [...lines, ...labels];
}

function drawLookUp(lookUp: LookUp, stage: Stage, width: number): Scene {
  const { bits } = lookUp;
  const grid = makeGrid(bits.length, { width, wide: 32, narrow: 16, largest: 34 });
  const cells = bits.map((set, bit) => grid.mark(bit, toneOf(bit, lookUp, stage), set ? '1' : '0'));
  const top = grid.height + 50;
  const culprits = stage.wrong ? drawCulprits(lookUp, width, top, grid.middle) : [];
  // There is always room for the names, so that the page does not move.
  return { height: top + 3 * ROW, marks: [...cells, ...culprits] };
}

function describeLooked({ bits, positions }: LookUp, looked: number): string {
  const items = positions
    .slice(0, looked)
    .map((bit) => `bit ${bit} (${bits[bit] ? 'set' : 'clear'})`);
  return `Looked at: ${listOf(items)}.`;
}

const isIn = (bits: readonly boolean[]): string[] => [
  `${members.length} names are in the filter: ${listOf(members)}.`,
  `${bits.filter(Boolean).length} of its ${bits.length} bits are set.`,
];

function beginning(bits: readonly boolean[]): Step {
  const nobody: LookUp = { name: '', bits, positions: [], setters: new Map() };
  return {
    caption:
      `${members.length} names went into these ${bits.length} bits. Each name set up to ${HASHES} of ` +
      'them. The names themselves are not kept.',
    scene: (width) => drawLookUp(nobody, { looked: 0 }, width),
    text: isIn(bits),
  };
}

function hashing(lookUp: LookUp): Step {
  const { name, positions, bits } = lookUp;
  const caption = `The hash of ${name} chooses the bits ${listOf(positions)}.`;
  return {
    caption,
    scene: (width) => drawLookUp(lookUp, { looked: 0 }, width),
    text: [...isIn(bits), caption],
  };
}

function looking(lookUp: LookUp, looked: number): Step {
  const { name, bits, positions } = lookUp;
  const bit = positions[looked - 1] as number;
  const scene = (width: number) => drawLookUp(lookUp, { looked }, width);
  const text = [...isIn(bits), describeLooked(lookUp, looked)];
  if (bits[bit]) {
    return { caption: `Bit ${bit} is set, so ${name} may be in the set.`, scene, text };
  }
  const words = `${name} is not in the set. That is certain.`;
  return {
    caption: `Bit ${bit} is clear. Adding ${name} would have set it. One clear bit is enough.`,
    answer: { verdict: 'absent', words },
    scene,
    text: [...text, `Answer: false. ${words}`],
  };
}

function conclude(lookUp: LookUp): Step {
  const { name, bits, positions, setters } = lookUp;
  const wrong = !members.includes(name);
  const words = wrong
    ? `${name} is probably in the set, and that is wrong: a false positive.`
    : `${name} is probably in the set, and that is right.`;
  const culprits = positions.map(
    (bit) => `Bit ${bit} was set by ${listOf(setters.get(bit) ?? [])}.`,
  );
  const looked = positions.length;
  return {
    caption: wrong
      ? `Nobody added ${name}. Other names set all of its bits. The lines lead to them.`
      : `All of its bits are set, since ${name} was added. The filter cannot know who set them.`,
    answer: { verdict: wrong ? 'wrong' : 'probable', words },
    scene: (width) => drawLookUp(lookUp, { looked, wrong }, width),
    text: [
      ...isIn(bits),
      describeLooked(lookUp, looked),
      `Answer: true. ${words}`,
      ...(wrong ? culprits : []),
    ],
  };
}

/** The steps of looking a name up. */
export function lookUpSteps(name: string): readonly Step[] {
  const filter = makeFilter();
  try {
    const bits = bitsOf(filter);
    if (name === '') return [beginning(bits)];
    const positions = positionsOf(filter, name);
    const setters = new Map(positions.map((bit) => [bit, settersOf(filter, bit, members)]));
    const lookUp = { name, bits, positions, setters };
    const clear = positions.findIndex((bit) => !bits[bit]);
    const looked = clear < 0 ? positions.length : clear + 1;
    const steps = [beginning(bits), hashing(lookUp)];
    for (let i = 1; i <= looked; i++) steps.push(looking(lookUp, i));
    if (clear < 0) steps.push(conclude(lookUp));
    return steps;
  } finally {
    filter.dispose();
  }
}
