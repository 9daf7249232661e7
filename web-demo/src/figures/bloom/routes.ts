// Lines of a look-up, from the key to its bits and on to the names. They run in the gaps between boxes.
import { CHIP_HEIGHT, type Chips } from '../shared/chips';
import type { BitGrid } from './bit-grid';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line from the key to a bit, or from a bit to a name. */
export interface Route {
  readonly bit: number;
  readonly name?: string;
  /** The data of an SVG path. */
  readonly d: string;
}

/** On which side of its bit a line stands: 0 is left, 1 is right. */
type Side = 0 | 1;

interface Sides {
  readonly key: Side;
  readonly name: Side;
}

const RADIUS = 4;

/** The distance of two exits of the key's chip. */
const EXIT = 14;

/** The places of lines to several names in one gap, from its middle. */
const PLACES = [0, -3, 3] as const;

const round = (value: number) => Math.round(value * 100) / 100;

/** A path through points, each straight above or beside the one before, with round corners. */
function pathOf(points: readonly Point[]): string {
  const bent = points.filter((point, i) => i === 0 || distance(point, points[i - 1] as Point) > 0);
  return bent
    .map((point, i) => {
      const [before, after] = [bent[i - 1], bent[i + 1]];
      if (!before) return `M${round(point.x)} ${round(point.y)}`;
      if (!after) return `L${round(point.x)} ${round(point.y)}`;
      const radius = Math.min(RADIUS, distance(before, point) / 2, distance(point, after) / 2);
      const [start, end] = [towards(point, before, radius), towards(point, after, radius)];
      return `L${start}Q${round(point.x)} ${round(point.y)} ${end}`;
    })
    .join('');
}

function distance(a: Point, b: Point): number {
  return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
}

function towards(from: Point, to: Point, length: number): string {
  const x = from.x + Math.sign(to.x - from.x) * length;
  const y = from.y + Math.sign(to.y - from.y) * length;
  return `${round(x)} ${round(y)}`;
}

/** Every way to choose one item of each list. */
function productOf<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>(
    (made, list) => made.flatMap((start) => list.map((item) => [...start, item])),
    [[]],
  );
}

function orders(count: number): number[][] {
  const all = productOf(Array.from({ length: count }, () => [...Array(count).keys()]));
  return all.filter((order) => new Set(order).size === count);
}

function cheapest<T>(items: readonly T[], costOf: (item: T) => number): T {
  const costs = items.map(costOf);
  return items[costs.indexOf(Math.min(...costs))] as T;
}

const WAYS: readonly Sides[] = [
  { key: 0, name: 1 },
  { key: 1, name: 0 },
  { key: 0, name: 0 },
  { key: 1, name: 1 },
];

/** A bit whose lines are laid. Without a side of its own, it gets the best one. */
interface Stop {
  readonly bit: number;
  readonly sides?: Sides;
  /** Tells which of its lines are drawn. */
  readonly key: boolean;
  readonly name: boolean;
}

/** The sides on which no two bits share a piece of a gap, or as few as possible. */
function chooseSides(grid: BitGrid, stops: readonly Stop[]): readonly Sides[] {
  const gapOf = (bit: number, side: Side) => (bit % grid.columns) + side;
  const rowOf = (bit: number) => Math.floor(bit / grid.columns);
  const ways = productOf(stops.map(({ sides }) => (sides ? [sides] : WAYS)));
  return cheapest(ways, (way) => {
    let cost = 0;
    const placed = stops.map((stop, i) => ({ ...stop, sides: way[i] as Sides }));
    placed.forEach((one, i) => {
      if (one.sides.key === one.sides.name) cost++;
      placed.forEach((other, j) => {
        if (i === j) return;
        const key = gapOf(one.bit, one.sides.key);
        const name = gapOf(one.bit, one.sides.name);
        const otherName = gapOf(other.bit, other.sides.name);
        // Two lines from the key may well join; a line from the key and one to a name must not.
        const keys = j > i && one.key && other.key && key === gapOf(other.bit, other.sides.key);
        const names = j > i && one.name && other.name && name === otherName;
        const meets = key === otherName && rowOf(one.bit) >= rowOf(other.bit);
        cost += (keys ? 4 : 0) + (names ? 20 : 0) + (one.key && other.name && meets ? 20 : 0);
      });
    });
    return cost;
  });
}

/** The height of each line from the key in the room above the bits, so that none of them cross. */
function rankKeyLines(targets: readonly { readonly x: number; readonly exit: number }[]): number[] {
  return targets.map(({ x, exit }) => {
    const left = x < exit;
    // The line that goes farthest to its side runs on top.
    return targets.filter(
      (other) => other.x < other.exit === left && (left ? other.x < x : other.x > x),
    ).length;
  });
}

/** The rooms of the lines that run sideways: between the key and the bits, and between the bits and the names. */
export interface Rooms {
  /** The middle of the key's chip. */
  readonly middle: number;
  readonly above: Room;
  readonly below: Room;
}

interface Room {
  readonly from: number;
  readonly to: number;
}

/** The boxes and rooms that the lines of one look-up run between. */
export interface RoutePlan {
  readonly grid: BitGrid;
  readonly chips: Chips;
  readonly rooms: Rooms;
  /** The bits of the key. */
  readonly bits: readonly number[];
  /** A bit of any kind, whose names have lines too. */
  readonly pressed?: number;
  /** The names that lines lead to, by bit. */
  readonly owners: ReadonlyMap<number, readonly string[]>;
}

/** The lines from the key to its bits, and from bits to names. */
export function makeRoutes(plan: RoutePlan): readonly Route[] {
  const { grid, bits, pressed } = plan;
  const own = chooseSides(
    grid,
    bits.map((bit) => ({ bit, key: true, name: true })),
  );
  const keys = keyRoutes(plan, own);
  if (pressed === undefined || bits.includes(pressed))
    return [...keys, ...nameRoutes(plan, bits, own)];
  // The lines from the key do not move.
  const stops = bits.map(
    (bit, i): Stop => ({ bit, sides: own[i] as Sides, key: true, name: false }),
  );
  const sides = chooseSides(grid, [...stops, { bit: pressed, key: false, name: true }]);
  return [...keys, ...nameRoutes(plan, [...bits, pressed], sides)];
}

/** The middle of the gap beside a bit, in which its line goes up or down. */
function gapBeside(grid: BitGrid, bit: number, side: Side): number {
  return grid.gap((bit % grid.columns) + side);
}

/** The middle of a bit's left or right edge. */
function edgeOf(grid: BitGrid, bit: number, side: Side): Point {
  const { x, y, width, height } = grid.at(bit);
  return { x: x + side * width, y: y + height / 2 };
}

function laneIn({ from, to }: Room, rank: number, count: number): number {
  return from + ((rank + 1) * (to - from)) / (count + 1);
}

function keyRoutes({ grid, rooms, bits }: RoutePlan, sides: readonly Sides[]): readonly Route[] {
  const targets = bits.map((bit, i) => {
    const side = (sides[i] as Sides).key;
    return { bit, side, x: gapBeside(grid, bit, side) };
  });
  const sorted = targets
    .sort((a, b) => a.x - b.x)
    .map((target, i) => ({
      ...target,
      exit: rooms.middle + (i - (bits.length - 1) / 2) * EXIT,
    }));
  const ranks = rankKeyLines(sorted);
  return sorted.map(({ bit, side, x, exit }, i) => {
    const y = laneIn(rooms.above, ranks[i] as number, Math.max(...ranks) + 1);
    const end = edgeOf(grid, bit, side);
    const start = { x: exit, y: CHIP_HEIGHT + 1 };
    return { bit, d: pathOf([start, { x: exit, y }, { x, y }, { x, y: end.y }, end]) };
  });
}

function nameRoutes(
  { grid, chips, rooms, owners }: RoutePlan,
  bits: readonly number[],
  sides: readonly Sides[],
): readonly Route[] {
  const leading = bits.flatMap((bit, i) =>
    owners.has(bit) ? [{ bit, side: (sides[i] as Sides).name }] : [],
  );
  const ends = endLines(
    chips,
    leading.map(({ bit }) => owners.get(bit) ?? []),
  );
  const drops = leading.map(({ bit, side }) => gapBeside(grid, bit, side));
  const lanes = cheapest(orders(leading.length), (order) => crossings(order, drops, ends));
  return leading.flatMap(({ bit, side }, i) => {
    const x = drops[i] as number;
    const y = laneIn(rooms.below, lanes[i] as number, leading.length);
    const start = edgeOf(grid, bit, side);
    return (ends[i] ?? []).map(({ name, points }) => {
      const turn = { x: points[0].x, y };
      return { bit, name, d: pathOf([start, { x, y: start.y }, { x, y }, turn, ...points]) };
    });
  });
}

interface End {
  readonly name: string;
  /** From the gap above or beside the name's chip to its edge. */
  readonly points: readonly [Point, ...Point[]];
}

/** The last pieces of the lines to lists of names: from above in the first row, from a side in the others. */
function endLines(
  chips: Chips,
  lists: readonly (readonly string[])[],
): readonly (readonly End[])[] {
  const used = new Map<number, Set<string>>();
  const namesIn = (gap: number): Set<string> => {
    const names = used.get(gap) ?? new Set();
    used.set(gap, names);
    return names;
  };
  return lists.map((names) =>
    names.map((name): End => {
      const { x, y, width, height, row } = chips.at(name);
      if (row === 0) return { name, points: [{ x: x + width / 2, y }] };
      const load = (side: Side) => {
        const inGap = namesIn(chips.gap(name, side));
        return inGap.has(name) ? -1 : inGap.size;
      };
      const side = cheapest<Side>([0, 1], load);
      const gap = chips.gap(name, side);
      const inGap = namesIn(gap).add(name);
      const place = [...inGap].indexOf(name) % PLACES.length;
      const middle = y + height / 2;
      return {
        name,
        points: [
          { x: gap + (PLACES[place] as number), y: middle },
          { x: x + side * width, y: middle },
        ],
      };
    }),
  );
}

/** Counts the crossings of the lines to the names in the room below the bits. Bit i has lane order[i]. */
function crossings(
  order: readonly number[],
  drops: readonly number[],
  ends: readonly (readonly End[])[],
): number {
  let count = 0;
  order.forEach((lane, i) => {
    const drop = drops[i] as number;
    const xs = (ends[i] ?? []).map(({ points }) => points[0].x);
    const [from, to] = [Math.min(drop, ...xs), Math.max(drop, ...xs)];
    order.forEach((other, j) => {
      if (i === j) return;
      const otherDrop = drops[j] as number;
      if (other > lane && otherDrop > from && otherDrop < to) count++;
      for (const { points } of ends[j] ?? []) {
        const { x } = points[0];
        if (other < lane && x > from && x < to) count++;
        // Two lines that run in one another would be one to the eye.
        if (other < lane && Math.abs(x - drop) < 3) count += 5;
      }
    });
  });
  return count;
}
