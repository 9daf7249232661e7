// Draws a look-up: the key above the bits, the names that were added below them.
import { CHIP_HEIGHT, loneChip, makeChips } from '../shared/chips';
import { makeGrid } from '../shared/grid';
import type { Mark, Scene, Tone } from '../shared/model';
import { members } from '../shared/names';

/** What the filter says of a name. */
export interface LookUp {
  readonly name: string;
  readonly bits: readonly boolean[];
  /** The name's bits, in the order of the look-up. */
  readonly positions: readonly number[];
  /** The names that set each of these bits. */
  readonly setters: ReadonlyMap<number, readonly string[]>;
}

/** How far the look-up has come. */
export interface Stage {
  /** How many of the bits were looked at. */
  readonly looked: number;
  /** What came out in the end: a member, or a false positive, whose lines lead to those who set its bits. */
  readonly end?: 'member' | 'wrong';
}

/** The room between the key and its bits. */
const ABOVE = 34;

/** The room between the bits and the names. */
const BELOW = 34;

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

export function drawLookUp(lookUp: LookUp, stage: Stage, width: number): Scene {
  const { name, bits, positions, setters } = lookUp;
  const { end } = stage;
  const top = CHIP_HEIGHT + ABOVE;
  const grid = makeGrid(bits.length, { width, top, wide: 32, narrow: 16, largest: 34 });
  const half = grid.cell / 2;
  const marks: Mark[] = bits.map((set, bit) =>
    grid.mark(bit, toneOf(bit, lookUp, stage), set ? '1' : '0'),
  );
  for (const bit of positions) {
    const { x, y } = grid.middle(bit);
    const d = `M${width / 2} ${CHIP_HEIGHT + 1}L${x} ${y - half}`;
    marks.push({
      kind: 'path',
      key: `bit ${bit}`,
      d,
      tone: end ? 'off' : toneOf(bit, lookUp, stage),
    });
  }
  if (name !== '') marks.push(loneChip(name, width, toneOfKey(lookUp, stage)));

  // The lines to the names have room here. What is said of the names stands below them, out of the way.
  const below = top + grid.height + BELOW;
  const chips = makeChips(members, width, below);
  const label = below + chips.height + 10;
  // A member's chip stands out at the end, and those of the culprits with what they set.
  const shown = new Set<string>();
  if (end === 'member') shown.add(name);
  else if (end === 'wrong')
    for (const by of setters.values()) for (const each of by) shown.add(each);
  for (const [bit, by] of setters) {
    for (const each of by) {
      if (!shown.has(each)) continue;
      const from = chips.top(each);
      const to = grid.middle(bit);
      const d = `M${from.x} ${from.y}L${to.x} ${to.y + half}`;
      marks.push({
        kind: 'path',
        key: `line ${each} ${bit}`,
        d,
        tone: end === 'wrong' ? 'wrong' : 'hit',
      });
    }
  }
  const text = `The ${members.length} names that were added. The filter does not keep them.`;
  const lines =
    width >= 480 ? [text] : ['The names that were added.', 'The filter does not keep them.'];
  lines.forEach((words, i) => {
    const y = label + 16 * i;
    marks.push({ kind: 'text', key: `added ${i}`, x: 1, y, text: words, tone: 'faint' });
  });
  for (const member of members) {
    const tone = !shown.has(member) ? 'faint' : end === 'wrong' ? 'wrong' : 'hit';
    marks.push(chips.mark(member, tone));
  }
  return { height: label + 16 * lines.length - 4, marks };
}
