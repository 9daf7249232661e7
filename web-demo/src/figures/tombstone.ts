// A tombstone Bloom filter: one filter of the keys added, one of the keys deleted.
import { TombstoneBloomFilter } from 'tamis';
import { percent } from '../format';
import { indicesOf, makeBitField, range } from './bit-field';
import { payloadOf, readBits, readU64 } from './bytes';
import {
  type Call,
  type Called,
  isWrong,
  judge,
  labelOf,
  makeCall,
  sayCall,
  sayCopies,
  toneOf,
} from './calls';
import { CHIP_HEIGHT, loneChip, makeChips } from './chips';
import type { FigureType, Mark, Scene, Step } from './model';
import { members } from './names';

/** Tombstones for one delete: with more of them the false negatives come soon. */
const OPTIONS = { capacity: 8, fpr: 0.0002, deletions: 1 };

/** The bits of the keys added, and of the keys deleted. */
type Pair = readonly [added: readonly boolean[], deleted: readonly boolean[]];

function pairOf(filter: TombstoneBloomFilter): Pair {
  const payload = payloadOf(filter.toBytes());
  const added = readU64(payload, 0);
  const second = 64 + Math.ceil(added / 64) * 8;
  return [readBits(payload, 64, added), readBits(payload, second, readU64(payload, 32))];
}

/** What a key sets in both when it is alone: added, and then deleted. */
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

interface Shown {
  readonly pair: Pair;
  readonly before: Pair;
  readonly called?: Called;
  readonly own: readonly [readonly number[], readonly number[]];
  readonly names: readonly string[];
  readonly lossRate: number;
}

const titles = ['Added', 'Deleted: the tombstones'] as const;

function drawPair(shown: Shown, width: number): Scene {
  const { pair, before, called, own, names } = shown;
  const columns = width >= 640 ? 50 : 25;
  const side = Math.min(18, Math.floor((width - 4) / columns));
  const marks: Mark[] = [];
  if (called) marks.push(loneChip(labelOf(called), width, toneOf(called)));
  let top = CHIP_HEIGHT + 22;
  pair.forEach((bits, j) => {
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
        set.filter((bit) => !before[j]?.[bit]),
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

function captionOf({ called, own, pair, lossRate }: Shown): string {
  if (!called)
    return 'Two Bloom filters stand side by side: one of the keys added, one of the keys deleted.';
  const { do: name, key, result } = called;
  if (name === 'add') return `Adding ${key} sets its bits in the first filter.`;
  if (name === 'delete') {
    return `Deleting ${key} sets its bits in the second filter. Nothing is taken from the first. A key still in the set is lost with a chance of ${percent(lossRate)}.`;
  }
  if (result)
    return `All bits of ${key} are set in the first filter, and not all in the second. So it is in.`;
  const added = own[0].every((bit) => pair[0][bit]);
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
    const pair = pairOf(filter);
    const shown: Shown[] = [{ pair, before: pair, own: [[], []], names, lossRate: 0 }];
    let copies: ReadonlyMap<string, number> = new Map();
    for (const call of calls) {
      const before = pairOf(filter);
      const called = makeCall(filter, call, copies);
      copies = called.copies;
      const own = ownBits(filter, call.key);
      const lossRate = filter.falseNegativeRate;
      shown.push({ pair: pairOf(filter), before, called, own, names, lossRate });
    }
    return shown.map((each) => ({
      caption: captionOf(each),
      ...(each.called ? judge(each.called) : {}),
      scene: (width) => drawPair(each, width),
      text: [
        ...(each.called ? [sayCall(each.called), sayCopies(each.called)] : []),
        ...each.pair.map(
          (bits, j) => `${titles[j]}, set bits: ${indicesOf(bits).join(' ') || 'none'}.`,
        ),
        ...(each.called
          ? each.own.map(
              (bits, j) => `${each.called?.key} has in filter ${j + 1} the bits ${bits.join(' ')}.`,
            )
          : []),
      ],
    }));
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
