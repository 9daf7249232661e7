// An ordinary Bloom filter next to a blocked one. The figure shows how much memory a look-up touches.
import { BlockedBloomFilter, BloomFilter } from 'tamis';
import { integer, plural } from '../../format';
import { payloadOf, readBits, readU64 } from '../shared/bytes';
import type { FigureType, Mark, Scene, Step, Tone } from '../shared/model';
import { judgeLookUp, listOf } from '../shared/words';

const KEYS = 1000;
const SIZE = { capacity: KEYS, fpr: 0.01 };
/** A line of memory, the unit that processors fetch: 64 bytes. */
const LINE_BITS = 512;

/** The numbers of the set bits. */
const indicesOf = (bits: readonly boolean[]): number[] =>
  bits.flatMap((set, i) => (set ? [i] : []));

const keyOf = (i: number): string => `key ${i}`;
const isKey = (text: string): boolean => {
  const number = Number(/^key ([1-9]\d{0,3})$/.exec(text)?.[1]);
  return number >= 1 && number <= KEYS;
};

const lineOf = (bit: number): number => Math.floor(bit / LINE_BITS);
const linesOf = (bits: readonly number[]): number[] => [...new Set(bits.map(lineOf))];

/** One of the two filters, and the positions of its key's bits. */
interface Side {
  readonly title: string;
  readonly bits: readonly boolean[];
  readonly positions: readonly number[];
  readonly found: boolean;
}

function bloomSide(key: string): Side {
  const filter = new BloomFilter(SIZE);
  try {
    for (let i = 1; i <= KEYS; i++) filter.add(keyOf(i));
    const payload = payloadOf(filter.toBytes());
    const bits = readBits(payload, 16, readU64(payload, 0));
    const positions = [...new Set(filter.positions(key))];
    return { title: 'Bloom filter', bits, positions, found: filter.has(key) };
  } finally {
    filter.dispose();
  }
}

function bitsOfBlocked(filter: BlockedBloomFilter): boolean[] {
  const payload = payloadOf(filter.toBytes());
  return readBits(payload, 8, readU64(payload, 0) * 256);
}

function blockedSide(key: string): Side {
  const filter = new BlockedBloomFilter(SIZE);
  const alone = filter.emptyCopy();
  try {
    for (let i = 1; i <= KEYS; i++) filter.add(keyOf(i));
    // The bits that a key sets in an empty filter are the only bits that its look-up reads.
    alone.add(key);
    const positions = indicesOf(bitsOfBlocked(alone));
    return {
      title: 'Blocked Bloom filter',
      bits: bitsOfBlocked(filter),
      positions,
      found: filter.has(key),
    };
  } finally {
    alone.dispose();
    filter.dispose();
  }
}

const ROW = 13;
const HEAD = 26;

/** Draws a filter as lines of memory below one another, with the bits that were read. */
function drawSide(
  side: Side,
  looked: number,
  box: { left: number; top: number; width: number },
): Mark[] {
  const { title, bits, positions } = side;
  const { left, top, width } = box;
  const seen = positions.slice(0, looked);
  const fetched = linesOf(seen);
  const count = Math.ceil(bits.length / LINE_BITS);
  const text = `${title}: ${plural(fetched.length, 'line')} of ${count} fetched`;
  const marks: Mark[] = [
    { kind: 'text', key: `${title} head`, x: left, y: top + 8, text, bold: true },
  ];
  const first = top + HEAD;
  for (let line = 0; line < count; line++) {
    const length = Math.min(LINE_BITS, bits.length - line * LINE_BITS) / LINE_BITS;
    const place = { x: left, y: first + line * ROW, width: length * width, height: ROW - 3 };
    const tone = fetched.includes(line) ? 'second' : 'faint';
    marks.push({ kind: 'cell', key: `${title} line ${line}`, ...place, tone });
  }
  const unit = width / LINE_BITS;
  const round = (value: number) => Math.round(value * 100) / 100;
  // Many small bits are one path.
  const dots = indicesOf(bits).map((bit) => {
    const at = `M${round(left + (bit % LINE_BITS) * unit)} ${first + 3 + lineOf(bit) * ROW}`;
    return `${at}h${round(unit)}v${ROW - 9}h-${round(unit)}z`;
  });
  marks.push({ kind: 'path', key: `${title} bits`, d: dots.join(''), tone: 'on', filled: true });
  for (const bit of seen) {
    const x = left + (bit % LINE_BITS) * unit - 3;
    const place = { x, y: first + lineOf(bit) * ROW - 1, width: 7, height: ROW - 1 };
    const tone: Tone = bits[bit] ? 'hit' : 'miss';
    marks.push({ kind: 'cell', key: `${title} bit ${bit}`, ...place, tone });
  }
  return marks;
}

interface Stage {
  readonly ordinary: number;
  readonly blocked: number;
}

function drawBoth(sides: readonly [Side, Side], stage: Stage, width: number): Scene {
  const heights = sides.map(({ bits }) => HEAD + Math.ceil(bits.length / LINE_BITS) * ROW);
  const [first, second] = heights as [number, number];
  const wide = width >= 640;
  const half = wide ? width / 2 - 14 : width - 2;
  const other = wide ? { left: width / 2 + 12, top: 0 } : { left: 1, top: first + 14 };
  return {
    height: wide ? Math.max(first, second) + 6 : first + second + 20,
    marks: [
      ...drawSide(sides[0], stage.ordinary, { left: 1, top: 0, width: half }),
      ...drawSide(sides[1], stage.blocked, { ...other, width: half }),
    ],
  };
}

function sayLooked({ title, bits, positions }: Side, looked: number): string {
  const seen = positions.slice(0, looked);
  const items = seen.map((bit) => `bit ${bit} (${bits[bit] ? 'set' : 'clear'})`);
  if (seen.length === 0) return `${title}: nothing is fetched yet.`;
  const lines = linesOf(seen).map((line) => line + 1);
  return `${title}: looked at ${listOf(items)}, in ${lines.length === 1 ? 'line' : 'lines'} ${listOf(lines)}.`;
}

const sizeOf = ({ title, bits }: Side): string =>
  `${title}: ${integer(bits.length)} bits in ${Math.ceil(bits.length / LINE_BITS)} lines.`;

/** The number of bits that a look-up reads. It ends at the first clear bit. */
function lookedAt({ bits, positions }: Side): number {
  const clear = positions.findIndex((bit) => !bits[bit]);
  return clear < 0 ? positions.length : clear + 1;
}

function makeSteps(key: string): readonly Step[] {
  const sides = [bloomSide(key), blockedSide(key)] as const;
  const [ordinary, blocked] = sides;
  const step = (caption: string, stage: Stage, more: Partial<Step> = {}): Step => ({
    caption,
    scene: (width) => drawBoth([ordinary, blocked], stage, width),
    text: [
      sizeOf(ordinary),
      sizeOf(blocked),
      sayLooked(ordinary, stage.ordinary),
      sayLooked(blocked, stage.blocked),
    ],
    ...more,
  });
  const steps = [
    step(
      `Both filters hold ${integer(KEYS)} keys. A row is 64 bytes: what a processor fetches from memory at once.`,
      { ordinary: 0, blocked: 0 },
    ),
  ];
  const looked = lookedAt(ordinary);
  for (let i = 1; i <= looked; i++) {
    const bit = ordinary.positions[i - 1] as number;
    const before = linesOf(ordinary.positions.slice(0, i - 1));
    const fetch = before.includes(lineOf(bit))
      ? 'Its line is here already.'
      : 'Its line must be fetched first.';
    const end = ordinary.bits[bit] ? '' : ' It is clear, so the look-up ends.';
    steps.push(
      step(`The Bloom filter looks at bit ${integer(bit)} for ${key}. ${fetch}${end}`, {
        ordinary: i,
        blocked: 0,
      }),
    );
  }
  const all = { ordinary: looked, blocked: blocked.positions.length };
  const lines = linesOf(ordinary.positions.slice(0, looked)).length;
  const answers = [
    `The Bloom filter's has('${key}') is ${ordinary.found}.`,
    `The blocked filter's has('${key}') is ${blocked.found}.`,
  ];
  const last = step(
    `The blocked filter keeps all ${blocked.positions.length} bits of a key in one block of 32 bytes. ` +
      `It fetched 1 line. The Bloom filter fetched ${lines}.`,
    all,
  );
  return [
    ...steps,
    {
      ...last,
      answer: judgeLookUp(key, blocked.found, isKey(key)),
      text: [...last.text, ...answers],
    },
  ];
}

/** The first key that has each bit in a line of its own. */
function findSpread(): string {
  const filter = new BloomFilter(SIZE);
  try {
    for (let i = 1; i <= KEYS; i++) {
      if (linesOf(filter.positions(keyOf(i))).length === filter.hashes) return keyOf(i);
    }
    throw new Error('no key has each of its bits in a line of its own');
  } finally {
    filter.dispose();
  }
}

const spread = findSpread();

const picks = [
  { value: spread, label: `${spread} (in the set)` },
  { value: 'Zoe', label: 'Zoe (not in the set)' },
];

export const figure: FigureType = {
  title: 'The memory that a blocked Bloom filter looks at',
  initial: { key: spread },
  controls: () => [{ kind: 'text', name: 'key', label: 'Look up', picks }],
  steps: ({ key = '' }) => makeSteps(key),
};
