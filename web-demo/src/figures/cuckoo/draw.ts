// The buckets of a cuckoo filter, with a fingerprint and its name in each occupied slot.

import type { Mark, Scene, Step, Tone } from '../shared/model';
import { BUCKET_SIZE, type Home, type Move, type Standing } from './filter';

export interface Picture {
  readonly slots: readonly number[];
  readonly standing: Standing;
  /** The key above the buckets, with its fingerprint. */
  readonly waiting?: { readonly name: string; readonly home: Home; readonly tone: Tone };
  /** The buckets that are looked at. */
  readonly looked?: readonly number[];
  /** The slots that are drawn in another tone. */
  readonly tones?: ReadonlyMap<number, Tone>;
  readonly move?: Move;
}

const GAP = 8;
const PAD = 4;
const ROW = 28;
const NUMBER = { width: 26, height: 22 } as const;
const HEAD = 20;
/** Room above the buckets for the waiting key, and for the lines from it to one row of buckets. */
const TOP = { lines: 62, none: 36 } as const;

interface Place {
  readonly x: number;
  readonly y: number;
}

function layOut(buckets: number, width: number) {
  const columns = width >= 640 ? 6 : width >= 296 ? 3 : 2;
  const across = (width - 2 - GAP * (columns - 1)) / columns;
  const oneRow = columns >= buckets;
  const top = oneRow ? TOP.lines : TOP.none;
  const down = HEAD + BUCKET_SIZE * ROW + 2 * PAD;
  const corner = (bucket: number): Place => ({
    x: 1 + (bucket % columns) * (across + GAP),
    y: top + Math.floor(bucket / columns) * (down + GAP),
  });
  const slotAt = (slot: number): Place => {
    const { x, y } = corner(Math.floor(slot / BUCKET_SIZE));
    return { x: x + PAD + 2, y: y + HEAD + PAD + (slot % BUCKET_SIZE) * ROW };
  };
  const height = top + Math.ceil(buckets / columns) * (down + GAP);
  return { across, down, corner, slotAt, height, oneRow };
}

type Layout = ReturnType<typeof layOut>;

/** A fingerprint in its box, and the name next to it. */
function drawEgg(name: string, fingerprint: number, { x, y }: Place, tone: Tone): Mark[] {
  const text = { x: x + NUMBER.width + 5, y: y + NUMBER.height / 2, text: name };
  return [
    { kind: 'cell', key: `egg ${name}`, x, y, ...NUMBER, tone, text: String(fingerprint) },
    { kind: 'text', key: `name ${name}`, ...text, bold: tone !== 'on' },
  ];
}

function drawBucket(bucket: number, isLooked: boolean, layout: Layout): Mark[] {
  const { across, down, corner, slotAt } = layout;
  const { x, y } = corner(bucket);
  const box = { x, y: y + HEAD, width: across, height: down - HEAD };
  const text = across < 80 ? String(bucket) : `bucket ${bucket}`;
  const tone = isLooked ? 'new' : 'faint';
  const head = { x: x + 2, y: y + 9, text, tone, bold: isLooked } as const;
  const marks: Mark[] = [
    { kind: 'cell', key: `bucket ${bucket}`, ...box, tone: 'faint' },
    { kind: 'text', key: `head ${bucket}`, ...head },
  ];
  for (let i = 0; i < BUCKET_SIZE; i++) {
    const slot = bucket * BUCKET_SIZE + i;
    marks.push({ kind: 'cell', key: `slot ${slot}`, ...slotAt(slot), ...NUMBER, tone: 'off' });
  }
  if (isLooked) {
    const d = `M${box.x} ${box.y}h${across}v${box.height}h-${across}z`;
    marks.push({ kind: 'path', key: `looked ${bucket}`, d, tone: 'looked' });
  }
  return marks;
}

/** An arrow from one slot to another, next to the fingerprints. */
function drawArrow(move: Move, { slotAt }: Layout): Mark[] {
  const middle = (slot: number): Place => {
    const { x, y } = slotAt(slot);
    return { x: x + NUMBER.width / 2, y: y + NUMBER.height / 2 };
  };
  const [from, to] = [middle(move.from), middle(move.to)];
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  // The arrow ends at the border of its target box.
  const reach = Math.min(
    (NUMBER.width / 2 + 4) / Math.max(Math.abs(dx), 0.01),
    (NUMBER.height / 2 + 4) / Math.max(Math.abs(dy), 0.01),
  );
  const tip = { x: to.x - dx * reach, y: to.y - dy * reach };
  const wing = (side: number) =>
    `${tip.x - dx * 10 - side * dy * 5} ${tip.y - dy * 10 + side * dx * 5}`;
  const head = `M${wing(1)}L${tip.x} ${tip.y}L${wing(-1)}`;
  const key = `arrow ${move.from} ${move.to}`;
  return [
    { kind: 'path', key, d: `M${from.x} ${from.y}L${tip.x} ${tip.y}${head}`, tone: 'second' },
  ];
}

/** Lines from the waiting key to its buckets, if they cross no other bucket. */
function drawLines(buckets: readonly number[], { corner, oneRow }: Layout): Mark[] {
  if (!oneRow) return [];
  return buckets.map((bucket) => {
    const { x, y } = corner(bucket);
    const d = `M14 28L${x + 24} ${y - 2}`;
    return { kind: 'path', key: `line ${bucket}`, d, tone: 'looked' };
  });
}

function drawCuckoo(picture: Picture, width: number): Scene {
  const { slots, standing, waiting, looked = [], tones, move } = picture;
  const buckets = slots.length / BUCKET_SIZE;
  const layout = layOut(buckets, width);
  const grounds = Array.from({ length: buckets }, (_, i) =>
    drawBucket(i, looked.includes(i), layout),
  );
  const eggs = standing.flatMap((name, slot) => {
    if (name === undefined) return [];
    const tone = tones?.get(slot) ?? 'on';
    return [{ name, fingerprint: slots[slot] as number, place: layout.slotAt(slot), tone }];
  });
  if (waiting) {
    const { name, home, tone } = waiting;
    eggs.push({ name, fingerprint: home.fingerprint, place: { x: 1, y: 2 }, tone });
  }
  // The order does not change when a fingerprint moves, so that its move is animated.
  eggs.sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    height: layout.height,
    marks: [
      ...grounds.flat(),
      ...(waiting ? drawLines(looked, layout) : []),
      ...eggs.flatMap((egg) => drawEgg(egg.name, egg.fingerprint, egg.place, egg.tone)),
      ...(move ? drawArrow(move, layout) : []),
    ],
  };
}

/** The buckets in words, one line for each. */
function describeBuckets({ slots, standing }: Picture): string[] {
  const words = slots.map((fingerprint, slot) =>
    fingerprint === 0 ? 'free' : `${fingerprint} (${standing[slot]})`,
  );
  return Array.from({ length: slots.length / BUCKET_SIZE }, (_, i) => {
    const inside = words.slice(i * BUCKET_SIZE, (i + 1) * BUCKET_SIZE);
    return `Bucket ${i}: ${inside.join(', ')}.`;
  });
}

/** A step with a picture of the buckets. */
export function stepOf(picture: Picture, caption: string, answer?: Step['answer']): Step {
  return {
    caption,
    ...(answer && { answer }),
    scene: (width) => drawCuckoo(picture, width),
    text: [caption, ...(answer ? [answer.words] : []), ...describeBuckets(picture)],
  };
}
