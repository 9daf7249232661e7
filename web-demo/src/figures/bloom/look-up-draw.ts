// Draws a look-up: the key above the bits, the names that were added below them.
import { CHIP_HEIGHT, INSET, loneChip, makeChips } from '../shared/chips';
import type { Mark, Scene, Tone } from '../shared/model';
import { members } from '../shared/names';
import { listOf, wrapWords } from '../shared/words';
import { type BitGrid, makeBitGrid } from './bit-grid';
import { type Derivation, drawDerivation } from './derive';
import { makeRoutes } from './routes';

/** A name, and the bits of the filter. */
export interface LookUp {
  readonly name: string;
  readonly bits: readonly boolean[];
  /** The name's bits, in the order of the look-up. */
  readonly positions: readonly number[];
  /** The names that set each bit of the filter. */
  readonly setters: readonly (readonly string[])[];
}

/** The progress of the look-up. */
export interface Stage {
  /** The number of bits that were looked at. */
  readonly looked: number;
  /** The outcome: a member, or a false positive, whose lines lead to the names that set its bits. */
  readonly end?: 'member' | 'wrong';
  /** The way from the key to its bits, which stands in the place of the names. */
  readonly derivation?: Derivation;
}

/** The room between the key and its bits. */
const ABOVE = 34;

/** The room between the bits and the names. */
const BELOW = 42;

const HINT = 'Press a bit to see who set it.';

/** The height of a line of words. */
const LINE = 16;

function toneOf(bit: number, { bits, positions }: LookUp, { looked, end }: Stage): Tone {
  const order = positions.indexOf(bit);
  if (order < 0) return bits[bit] ? 'on' : 'off';
  if (order >= looked) return bits[bit] ? 'looked-on' : 'looked';
  if (!bits[bit]) return 'miss';
  return end === 'wrong' ? 'wrong' : 'hit';
}

function toneOfKey({ bits, positions }: LookUp, { looked, end }: Stage): Tone {
  if (positions.length === 0) return 'faint';
  if (end) return end === 'wrong' ? 'wrong' : 'hit';
  return positions.slice(0, looked).some((bit) => !bits[bit]) ? 'miss' : 'looked';
}

/** The names of a bit in a sentence. */
function describeBit(bit: number, { bits, setters }: LookUp): string {
  if (!bits[bit]) return `Bit ${bit} is 0. No name set it.`;
  return `Bit ${bit} is 1. ${listOf(setters[bit] ?? [])} set it.`;
}

/** The bit of a pressed cell. */
function bitOf(pressed: string | undefined): number | undefined {
  const number = pressed?.match(/^cell(\d+)$/)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The names that lines lead to, by bit. */
function ownersShown(
  { name, positions, setters }: LookUp,
  { end }: Stage,
  pressed: number | undefined,
): ReadonlyMap<number, readonly string[]> {
  if (pressed !== undefined) return new Map([[pressed, setters[pressed] ?? []]]);
  if (end === 'member') return new Map(positions.map((bit) => [bit, [name]]));
  if (end === 'wrong') return new Map(positions.map((bit) => [bit, setters[bit] ?? []]));
  return new Map();
}

function drawBits(
  grid: BitGrid,
  lookUp: LookUp,
  stage: Stage,
  pressed: number | undefined,
): Mark[] {
  const { bits, positions } = lookUp;
  const first = pressed ?? positions[0] ?? 0;
  const toneHere = (bit: number): Tone => {
    const tone = toneOf(bit, lookUp, stage);
    if (bit !== pressed || positions.indexOf(bit) >= 0) return tone;
    return bits[bit] ? 'hit' : 'miss';
  };
  const cells = bits.map((set, bit) =>
    grid.mark(bit, toneHere(bit), set ? '1' : '0', {
      label: describeBit(bit, lookUp),
      pressed: bit === pressed,
      first: bit === first,
    }),
  );
  const numbered = new Set(pressed === undefined ? positions : [...positions, pressed]);
  const numbers = [...numbered].map((bit) => {
    const tone = toneHere(bit);
    return grid.number(bit, tone === 'looked' || tone === 'looked-on' ? 'new' : tone);
  });
  return [...cells, ...numbers];
}

/** Draws a stage of a look-up. The cell whose key is `pressed` shows the names that set it. */
export function drawLookUp(
  lookUp: LookUp,
  stage: Stage,
  width: number,
  pressedKey?: string,
): Scene {
  const { name, bits, positions } = lookUp;
  const { end, derivation } = stage;
  const pressed = bitOf(pressedKey);
  const grid = makeBitGrid(bits.length, width, CHIP_HEIGHT + ABOVE);
  const marks = drawBits(grid, lookUp, stage, pressed);
  if (name !== '') marks.push(loneChip(name, width, toneOfKey(lookUp, stage)));

  const below = grid.bottom + BELOW;
  const chips = makeChips(members, width, below);
  const owners = ownersShown(lookUp, stage, pressed);
  const shown = new Set([...owners.values()].flat());
  const isWrong = (bit: number) => end === 'wrong' && positions.includes(bit);
  const rooms = {
    middle: width / 2,
    above: { from: CHIP_HEIGHT, to: CHIP_HEIGHT + ABOVE },
    below: { from: grid.bottom, to: below },
  };
  const plan = { grid, chips, rooms, bits: positions, owners };
  for (const { bit, name: owner, d } of makeRoutes({
    ...plan,
    ...(pressed === undefined ? {} : { pressed }),
  })) {
    const [key, tone]: [string, Tone] =
      owner === undefined
        ? [`bit ${bit}`, end ? 'off' : toneOf(bit, lookUp, stage)]
        : [`line ${owner} ${bit}`, isWrong(bit) ? 'wrong' : 'hit'];
    marks.push({ kind: 'path', key, d, tone });
  }

  const label = below + chips.height + 10;
  if (derivation && pressed === undefined) {
    marks.push(...drawDerivation(name, derivation, width, grid.bottom + 12));
  } else {
    marks.push(...drawWords(lookUp, pressed, width, label));
    const wrong = pressed === undefined ? end === 'wrong' : isWrong(pressed);
    for (const member of members) {
      const tone = !shown.has(member) ? 'faint' : wrong ? 'wrong' : 'hit';
      marks.push(chips.mark(member, tone));
    }
  }
  return { height: label + LINE * linesFor(width) - 4, marks };
}

/** The words below the names: of a pressed bit, or of the names with a hint that bits can be pressed. */
function drawWords(
  lookUp: LookUp,
  pressed: number | undefined,
  width: number,
  top: number,
): readonly Mark[] {
  const added = `The ${members.length} names that were added. The filter does not keep them.`;
  const text = pressed === undefined ? added : describeBit(pressed, lookUp);
  const tone = pressed === undefined ? ({ tone: 'faint' } as const) : {};
  const lines = wrapWords(text, Math.floor(width / 7));
  const marks = lines.map((words, i): Mark => {
    const at = { x: INSET, y: top + LINE * i };
    return { kind: 'text', key: `added ${i}`, ...at, text: words, ...tone };
  });
  if (pressed !== undefined) return marks;
  const isBeside = width >= 760;
  const place = isBeside
    ? ({ x: width - INSET, y: top, anchor: 'end' } as const)
    : { x: INSET, y: top + LINE * lines.length };
  return [...marks, { kind: 'text', key: 'hint', ...place, text: HINT, tone: 'faint' }];
}

/** The lines of the words below the names. */
function linesFor(width: number): number {
  if (width >= 760) return 1;
  if (width >= 560) return 2;
  return width >= 300 ? 3 : 4;
}
