// A larger ribbon filter, which has fewer slots than keys. Some keys go on to a second level.
import { hashKey } from 'tamis';
import { integer, plural } from '../../format';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { members, others } from '../shared/names';
import { BUCKET, type Level, startAt } from '../shared/retrieval';
import { byStart, equationsOf, type KeyEquation, levelsOf, makeRibbon } from './filter';
import { boxPath, drawSystem, type Frame, placesOf } from './system';

/** The number of addresses for each name. It is large enough for a second level. */
const EACH = 57;

const firstNames: readonly string[] = [...members, ...others].map((name) => name.toLowerCase());

/** The number of steps in which the buckets are solved. */
const PARTS = 3;

/** The largest number of keys that are drawn above one start. */
const MOST = 4;

interface Bumping {
  readonly first: Level;
  readonly last: Level;
  /** The start of each key's row at the first level, in the order of the list. */
  readonly keys: readonly { readonly equation: KeyEquation; readonly start: number }[];
  readonly bytes: number;
}

function makeBumping(): Bumping {
  const list = firstNames.flatMap((name) =>
    Array.from({ length: EACH }, (_, i) => `${name}${i + 1}@example.com`),
  );
  const filter = makeRibbon(list);
  try {
    const levels = levelsOf(filter);
    const [first, last] = levels;
    if (levels.length !== 2 || !first || !last) throw new Error('the filter has not two levels');
    const keys = equationsOf(levels, list).map((equation) => ({
      equation,
      start: startAt(first, hashKey(equation.key)),
    }));
    return { first, last, keys, bytes: filter.sizeBytes };
  } finally {
    filter.dispose();
  }
}

interface Stage {
  /** The number of buckets that are solved. */
  readonly solved: number;
  /** True if the second level is drawn. */
  readonly second: boolean;
}

/** The position and the scale of the first level's buckets. */
function bucketsAt(width: number) {
  const down = width >= 560 ? 9 : 7;
  return { top: 22, down, across: (width - 2) / BUCKET };
}

/** The keys that begin at each start of a bucket, as bars. */
function barsPath(starts: readonly number[], width: number): string {
  const { across, down } = bucketsAt(width);
  const counts = new Map<number, number>();
  for (const start of starts) counts.set(start % BUCKET, (counts.get(start % BUCKET) ?? 0) + 1);
  return [...counts]
    .map(([at, count]) => {
      const height = (Math.min(count, MOST) / MOST) * (down - 1);
      return boxPath(at * across, down - height, Math.max(across - 0.5, 1), height);
    })
    .join('');
}

function drawBucket({ first, keys }: Bumping, bucket: number, stage: Stage, width: number): Mark[] {
  const { top, across, down } = bucketsAt(width);
  const y = top + bucket * down;
  const here = keys.filter(({ start }) => Math.floor(start / BUCKET) === bucket);
  const isSolved = bucket < stage.solved;
  const startsOf = (level: number) =>
    here.filter(({ equation }) => equation.level === level).map(({ start }) => start);
  const row = (name: string, d: string, tone: Tone): Mark => {
    const share = bucket / first.bumpedBelow.length;
    return { kind: 'path', key: `${name} ${bucket}`, y, d, tone, share, filled: true };
  };
  const below = isSolved ? (first.bumpedBelow[bucket] as number) : 0;
  const gone = stage.second ? 'off' : 'on';
  return [
    row('bumped starts', boxPath(0, 0, below * across, down), 'soft'),
    row('keys that stay', barsPath(startsOf(0), width), isSolved ? 'blend' : 'on'),
    row('keys that go on', barsPath(startsOf(1), width), gone),
  ];
}

function frameOf({ slots, width: bits }: Level, width: number, top: number): Frame {
  const bit = width >= 560 ? 3 : 2;
  const across = (width - (bits + 2) * bit) / slots.length;
  return { left: 0, top, columns: slots.length, lines: slots.length, bits, across, down: 0.8, bit };
}

/** Draws the second level. Its keys and slots are left out until they are known. */
function drawSecond({ last, keys }: Bumping, frame: Frame, known: boolean): Mark[] {
  if (!known) return drawSystem([], [], frame);
  const bumped = keys.map(({ equation }) => equation).filter(({ level }) => level === 1);
  const rows = bumped.sort(byStart).map(({ key, start, coefficients, print }, line) => ({
    ...{ key, line, start, coefficients, sum: print },
    tone: 'blend' as const,
  }));
  return drawSystem(rows, last.slots, frame);
}

function drawLevels(bumping: Bumping, stage: Stage, width: number): Scene {
  const { first, last } = bumping;
  const buckets = first.bumpedBelow.length;
  const { top, down } = bucketsAt(width);
  const second = top + buckets * down + 36;
  const frame = frameOf(last, width, second);
  const ground = boxPath(0, 0, width - 2, buckets * down);
  const title = (y: number, text: string): Mark => ({ kind: 'text', key: text, x: 0, y, text });
  return {
    height: placesOf(frame).end + 4,
    marks: [
      title(10, `First level: ${integer(first.slots.length)} slots, ${buckets} buckets`),
      title(second - 12, `Second level: ${last.slots.length} slots`),
      { kind: 'path', key: 'ground of buckets', y: top, d: ground, tone: 'ground', filled: true },
      ...Array.from({ length: buckets }, (_, i) => drawBucket(bumping, i, stage, width)).flat(),
      ...drawSecond(bumping, frame, stage.second),
    ],
  };
}

function describeBucket({ first, keys }: Bumping, bucket: number): string {
  const here = keys.filter(({ start }) => Math.floor(start / BUCKET) === bucket);
  const gone = here.filter(({ equation }) => equation.level === 1).length;
  const below = first.bumpedBelow[bucket] as number;
  const rule = below === 0 ? 'no start goes on' : `the first ${below} starts go on`;
  return `Bucket ${bucket}: ${rule}. ${here.length - gone} keys stay, ${gone} go on.`;
}

/** The steps of a build with two levels. */
export function levelsSteps(): readonly Step[] {
  const bumping = makeBumping();
  const { first, last, keys, bytes } = bumping;
  const buckets = first.bumpedBelow.length;
  const gone = keys.filter(({ equation }) => equation.level === 1).length;
  const begin =
    `${integer(keys.length)} keys go into ${integer(first.slots.length)} slots. That is fewer slots ` +
    'than keys, so some keys cannot fit.';
  const draw = (stage: Stage) => (width: number) => drawLevels(bumping, stage, width);
  const starts = `The higher a bar is, the more keys begin there.`;
  const steps: Step[] = [
    {
      caption: `${begin} ${starts}`,
      scene: draw({ solved: 0, second: false }),
      text: [
        begin,
        starts,
        `Each name has ${EACH} keys, such as ${firstNames[0]}1@example.com: ${firstNames.join(', ')}.`,
      ],
    },
  ];
  for (let part = 1; part <= PARTS; part++) {
    const solved = Math.round((buckets * part) / PARTS);
    const done = `${solved} of ${buckets} buckets are solved.`;
    steps.push({
      caption:
        part === 1
          ? `Each line is a bucket of ${BUCKET} starts. Where a key does not fit, the first keys of its ` +
            'bucket go on to the next level.'
          : `${done} The keys in the marked parts on the left go on.`,
      scene: draw({ solved, second: false }),
      text: [done, ...Array.from({ length: solved }, (_, i) => describeBucket(bumping, i))],
    });
  }
  const second = { solved: buckets, second: true };
  const levels = `${gone} keys go on to a second level of ${last.slots.length} slots. There all of them fit.`;
  const each = ((8 * bytes) / keys.length).toFixed(2);
  const size = `Both levels take ${integer(bytes)} bytes, ${each} bits a key.`;
  steps.push(
    {
      caption: `${levels} Two bits a bucket say how many of its starts went on.`,
      scene: draw(second),
      text: [levels, `Its slots are solved as a band, as in a small filter.`],
    },
    {
      caption: `${size} A look-up reads the two bits of its bucket first. They tell its level.`,
      scene: draw(second),
      text: [
        size,
        `${plural(keys.length, 'key')} were looked up. The slots of each gave its fingerprint.`,
      ],
    },
  );
  return steps;
}
