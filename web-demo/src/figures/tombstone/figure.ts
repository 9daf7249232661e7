// A tombstone Bloom filter: one filter of the added keys, and one of the deleted keys.
import { TombstoneBloomFilter } from 'tamis';
import { percent } from '../../format';
import { indicesOf, makeBitField, range } from '../shared/bit-field';
import { payloadOf, readBits, readU64 } from '../shared/bytes';
import { type Call, drawCall, isWrong, makeStep, makeTurns, type Turn } from '../shared/calls';
import { CHIP_HEIGHT, makeChips } from '../shared/chips';
import type { FigureType, Mark, Scene, Step } from '../shared/model';
import { members } from '../shared/names';

/** Tombstones for one delete. With more deletes the false negatives come soon. */
const OPTIONS = { capacity: 8, fpr: 0.0002, deletions: 1 };

/** The bits of the added keys, and of the deleted keys. */
type Pair = readonly [added: readonly boolean[], deleted: readonly boolean[]];

function pairOf(filter: TombstoneBloomFilter): Pair {
  const payload = payloadOf(filter.toBytes());
  const added = readU64(payload, 0);
  const second = 64 + Math.ceil(added / 64) * 8;
  return [readBits(payload, 64, added), readBits(payload, second, readU64(payload, 32))];
}

/** The bits that a key sets in both filters if it alone is added, and then deleted. */
function ownBits(filter: TombstoneBloomFilter, key: string): readonly [number[], number[]] {
  const alone = filter.emptyCopy();
  try {
    alone.add(key);
    alone.delete(key);
    const [added, deleted] = pairOf(alone);
    return [indicesOf(added), indicesOf(deleted)];
  } finally {
    alone.dispose();
  }
}

/** The data that is read from the filter around each call. */
interface Reading {
  readonly pair: Pair;
  readonly lossRate: number;
}

interface Shown extends Turn<Reading> {
  readonly own: readonly [readonly number[], readonly number[]];
  readonly names: readonly string[];
}

const titles = ['Added', 'Deleted: the tombstones'] as const;

function drawPair(shown: Shown, width: number): Scene {
  const { now, before, called, own, names } = shown;
  const columns = width >= 640 ? 50 : 25;
  const side = Math.min(18, Math.floor((width - 4) / columns));
  const marks: Mark[] = [drawCall(shown, width)];
  let top = CHIP_HEIGHT + 22;
  now.pair.forEach((bits, j) => {
    const name = `filter ${j}`;
    const text = `${titles[j]} (${bits.length} bits)`;
    marks.push({ kind: 'text', key: name, x: 2, y: top, text, bold: true });
    const field = makeBitField({ name, left: 2, top: top + 14, columns, side, gap: 2 });
    const set = indicesOf(bits);
    const mine = called?.do === 'has' ? (own[j] as readonly number[]) : [];
    marks.push(field.mark('ground', range(bits.length), 'off'), field.mark('bits', set, 'on'));
    marks.push(
      field.mark(
        'fresh',
        set.filter((bit) => !before.pair[j]?.[bit]),
        'new',
      ),
    );
    const found = mine.filter((bit) => bits[bit]);
    const wrong = called !== undefined && isWrong(called) && j === 1;
    marks.push(field.mark('found', found, wrong ? 'wrong' : 'hit'));
    marks.push(
      field.mark(
        'missed',
        mine.filter((bit) => !bits[bit]),
        'miss',
      ),
    );
    top += 14 + Math.ceil(bits.length / columns) * side + 22;
  });
  const label = 'Really in the set:';
  marks.push({ kind: 'text', key: 'in', x: 2, y: top, text: label, tone: 'faint' });
  const chips = makeChips(names, width, top + 14);
  for (const name of names) if (called?.copies.has(name)) marks.push(chips.mark(name, 'faint'));
  return { height: top + 16 + chips.height, marks };
}

function captionOf({ called, own, now }: Shown): string {
  if (!called)
    return 'Two Bloom filters stand side by side: one of the keys added, one of the keys deleted.';
  const { do: name, key, result } = called;
  if (name === 'add') return `Adding ${key} sets its bits in the first filter.`;
  if (name === 'delete') {
    return `Deleting ${key} sets its bits in the second filter. Nothing is taken from the first. A key still in the set is lost with a chance of ${percent(now.lossRate)}.`;
  }
  if (result)
    return `All bits of ${key} are set in the first filter, and not all in the second. So it is in.`;
  const added = own[0].every((bit) => now.pair[0][bit]);
  if (!added) return `${key} has a clear bit in the first filter. It was never added.`;
  return isWrong(called)
    ? `Nobody deleted ${key}. Deletes of other keys set all of its bits in the second filter, which was made for ${OPTIONS.deletions} delete.`
    : `All bits of ${key} are set in both filters: it was added, and then deleted.`;
}

/** Adds and deletes until a key is lost that nobody deleted. */
function findCalls(): readonly Call[] {
  for (let count = 2; count <= OPTIONS.capacity; count++) {
    const names = members.slice(0, count);
    const filter = TombstoneBloomFilter.from(names, OPTIONS);
    try {
      for (let deleted = 1; deleted < count; deleted++) {
        filter.delete(names[deleted - 1] as string);
        const lost = names.slice(deleted).find((name) => !filter.has(name));
        if (lost === undefined) continue;
        const calls: Call[] = names.map((key) => ({ do: 'add', key }));
        const first = names[0] as string;
        calls.push(
          { do: 'has', key: first },
          { do: 'delete', key: first },
          { do: 'has', key: first },
        );
        for (const key of names.slice(1, deleted)) calls.push({ do: 'delete', key });
        return [...calls, { do: 'has', key: lost }];
      }
    } finally {
      filter.dispose();
    }
  }
  throw new Error('no name is lost');
}

function makeSteps(): readonly Step[] {
  const filter = new TombstoneBloomFilter(OPTIONS);
  try {
    const calls = findCalls();
    const names = calls.filter((call) => call.do === 'add').map(({ key }) => key);
    const read = (): Reading => ({ pair: pairOf(filter), lossRate: filter.falseNegativeRate });
    return makeTurns(filter, calls, read).map((turn) => {
      const { key } = turn.call;
      const own = ownBits(filter, key);
      const shown: Shown = { ...turn, own, names };
      const set = turn.now.pair.map(
        (bits, j) => `${titles[j]}, set bits: ${indicesOf(bits).join(' ') || 'none'}.`,
      );
      const has = own.map((bits, j) => `${key} has in filter ${j + 1} the bits ${bits.join(' ')}.`);
      return makeStep(turn, {
        caption: captionOf(shown),
        scene: (width) => drawPair(shown, width),
        text: turn.called ? [...set, ...has] : set,
      });
    });
  } finally {
    filter.dispose();
  }
}

export const figure: FigureType = {
  title: 'A tombstone Bloom filter',
  initial: {},
  controls: () => [],
  steps: makeSteps,
};
