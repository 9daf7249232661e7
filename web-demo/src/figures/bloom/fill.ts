// Fills a Bloom filter name by name, until it gives a false positive, and beyond.
import { percent, plural } from '../../format';
import { makeGrid } from '../shared/grid';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { members, others } from '../shared/names';
import { chanceOf, judgeLookUp, listOf } from '../shared/words';
import { BITS, bitsOf, makeFilter, positionsOf } from './filter';

/** Steps after the first false positive. */
const BEYOND = 8;

interface Fill {
  readonly bits: readonly boolean[];
  readonly newest: string | undefined;
  /** The bits of the name that was added last. */
  readonly added: readonly number[];
  /** The bits of the name that is looked up. */
  readonly positions: readonly number[];
  readonly found: boolean;
}

function toneOf(bit: number, { bits, added, positions, found }: Fill): Tone {
  if (positions.includes(bit)) return bits[bit] ? (found ? 'wrong' : 'hit') : 'miss';
  if (added.includes(bit)) return 'new';
  return bits[bit] ? 'on' : 'off';
}

function drawFill(fill: Fill, width: number): Scene {
  const grid = makeGrid(fill.bits.length, { width, wide: 32, narrow: 16, largest: 34 });
  const cells: Mark[] = fill.bits.map((set, bit) =>
    grid.mark(bit, toneOf(bit, fill), set ? '1' : '0'),
  );
  const share = fill.bits.filter(Boolean).length / fill.bits.length;
  const y = grid.height + 18;
  const bar = (key: string, length: number, tone: Tone) =>
    ({ kind: 'cell', key, x: 0, y, width: length, height: 12, tone }) as const;
  const marks: Mark[] = [
    ...cells,
    bar('whole', width - 2, 'faint'),
    bar('share', share * (width - 2), 'on'),
  ];
  const text = `${percent(share)} of the bits are set`;
  marks.push({ kind: 'text', key: 'share of bits', x: 1, y: y + 26, text });
  if (fill.newest !== undefined) {
    const said = { text: `New: ${fill.newest}`, tone: 'new', anchor: 'end', bold: true } as const;
    marks.push({ kind: 'text', key: 'newest', x: width - 1, y: y + 26, ...said });
  }
  return { height: y + 40, marks };
}

/** The steps of adding names while `name`, which is never added, is looked up after each. */
export function fillSteps(name: string): readonly Step[] {
  const filter = makeFilter([]);
  try {
    const queue = [...members, ...others].filter((other) => other !== name);
    const positions = name === '' ? [] : positionsOf(filter, name);
    const steps: Step[] = [];
    let beyond = 0;
    for (let count = 0; count <= queue.length && beyond < BEYOND; count++) {
      const newest = queue[count - 1];
      if (newest !== undefined) filter.add(newest);
      const found = name !== '' && filter.has(name);
      if (found) beyond++;
      const bits = bitsOf(filter);
      const added = newest === undefined ? [] : positionsOf(filter, newest);
      const fill = { bits, newest, added, positions, found };
      const set = bits.filter(Boolean).length;
      const state = `${plural(count, 'name')} in. ${set} of ${BITS} bits are set.`;
      const chance = `A name that nobody added is a false positive with a chance of ${chanceOf(filter.estimatedFpr)}.`;
      steps.push({
        caption: `${state} ${chance}`,
        ...(name === '' ? {} : { answer: judgeLookUp(name, found, false) }),
        scene: (width) => drawFill(fill, width),
        text: [
          state,
          chance,
          ...(newest === undefined
            ? []
            : [`${newest} came last, and has the bits ${listOf(added)}.`]),
          ...(name === ''
            ? []
            : [`has('${name}') is ${found}. Its bits are ${listOf(positions)}.`]),
        ],
      });
    }
    return steps;
  } finally {
    filter.dispose();
  }
}
