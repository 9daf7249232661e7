// A deletable Bloom filter: if two keys meet in a region, the region is locked.
import { BloomFilter, DeletableBloomFilter } from 'tamis';
import { indicesOf } from '../shared/bit-field';
import { payloadOf, readBits, readU64 } from '../shared/bytes';
import {
  type Call,
  isWrong,
  labelOf,
  makeStep,
  makeTurns,
  type Turn,
  toneOf,
} from '../shared/calls';
import { drawKeyedGrid } from '../shared/keyed-grid';
import type { FigureType, Scene, Step, Tone } from '../shared/model';
import { members } from '../shared/names';
import { listOf } from '../shared/words';

const OPTIONS = { capacity: 8, fpr: 0.1, regions: 10 };

interface Arrays {
  readonly bits: readonly boolean[];
  readonly locks: readonly boolean[];
}

function arraysOf(filter: DeletableBloomFilter): Arrays {
  const payload = payloadOf(filter.toBytes());
  const bits = readU64(payload, 0);
  const locksAt = 24 + Math.ceil(bits / 64) * 8;
  return {
    bits: readBits(payload, 24, bits),
    locks: readBits(payload, locksAt, readU64(payload, 16)),
  };
}

/** A key has the same bits as in a Bloom filter of the same size. */
function positionsOf({ bits, hashes }: DeletableBloomFilter, key: string): number[] {
  const bloom = new BloomFilter({ bits, hashes });
  const positions = [...new Set(bloom.positions(key))].sort((a, b) => a - b);
  bloom.dispose();
  return positions;
}

interface Shown extends Turn<Arrays> {
  /** The bits of the called key. */
  readonly positions: readonly number[];
  readonly names: readonly string[];
}

const regionOf = (bit: number, { bits, locks }: Arrays): number =>
  Math.floor((bit * locks.length) / bits.length);

function toneOfBit(bit: number, shown: Shown): Tone {
  const { now, called, positions, before } = shown;
  const { bits } = now;
  if (called && positions.includes(bit)) {
    if (called.do === 'has') return !bits[bit] ? 'miss' : isWrong(called) ? 'wrong' : 'hit';
    if (bits[bit] !== before.bits[bit]) return bits[bit] ? 'new' : 'second';
    return 'looked-on';
  }
  return bits[bit] ? 'on' : 'off';
}

function drawShown(shown: Shown, width: number): Scene {
  const { call, called, positions, names } = shown;
  const { bits, locks } = shown.now;
  const size = bits.length / locks.length;
  return drawKeyedGrid({
    width,
    wide: bits.length,
    narrow: 8,
    cells: bits.map((set, bit) => ({ tone: toneOfBit(bit, shown), text: set ? '1' : '0' })),
    frames: locks.map((locked, j) => ({
      from: Math.ceil(j * size),
      to: Math.ceil((j + 1) * size) - 1,
      tone: locked ? 'locked' : 'faint',
    })),
    legend: 'Dashed: a locked region',
    key: { label: labelOf(call), tone: toneOf(called), cells: positions },
    names,
    nameIn: (name) => (called?.copies.has(name) ? name : undefined),
  });
}

function captionOf(shown: Shown): string {
  const { called, positions, before } = shown;
  const { bits, locks } = shown.now;
  if (!called) {
    return `These ${bits.length} bits lie in ${locks.length} regions. A bit can be cleared as long as its region is not locked.`;
  }
  const { do: name, key, result } = called;
  if (called.refused) {
    return `All bits of ${key} lie in locked regions. The filter cannot tell whose they are, so it refuses.`;
  }
  if (name === 'add') {
    const locked = locks.flatMap((lock, j) => (lock && !before.locks[j] ? [j] : []));
    const met = positions.filter((bit) => before.bits[bit]);
    return locked.length === 0
      ? `Adding ${key} sets the bits ${listOf(positions)}.`
      : `Adding ${key} finds bit ${listOf(met)} set already. The add locks region ${listOf(locked)}: two keys need that bit.`;
  }
  if (name === 'delete') {
    const cleared = indicesOf(before.bits).filter((bit) => !bits[bit]);
    return `Deleting ${key} clears bit ${listOf(cleared)}, which no other key has set. Bits in locked regions stay.`;
  }
  return result
    ? `All bits of ${key} are set.`
    : `Bit ${positions.find((bit) => !bits[bit])} is clear. One clear bit is enough.`;
}

/** The calls for the fewest first names that lock all bits of one name while another can be deleted. */
function findCalls(): readonly Call[] {
  for (let count = 2; count <= members.length; count++) {
    const names = members.slice(0, count);
    const filter = DeletableBloomFilter.from(names, OPTIONS);
    try {
      const held = names.find((name) => !filter.isDeletable(name));
      const free = names.find((name) => filter.isDeletable(name));
      if (held === undefined || free === undefined) continue;
      filter.delete(free);
      if (filter.has(free)) continue;
      const adds = names.map((key) => ({ do: 'add', key }) as const);
      const more = [
        ['delete', free],
        ['has', free],
        ['delete', held],
        ['has', held],
      ] as const;
      return [...adds, ...more.map(([name, key]) => ({ do: name, key }))];
    } finally {
      filter.dispose();
    }
  }
  throw new Error('no names make such a filter');
}

function makeSteps(): readonly Step[] {
  const filter = new DeletableBloomFilter(OPTIONS);
  try {
    const calls = findCalls();
    const names = calls.filter((call) => call.do === 'add').map(({ key }) => key);
    return makeTurns(filter, calls, () => arraysOf(filter)).map((turn) => {
      const { call, called, now } = turn;
      const positions = called ? positionsOf(filter, call.key) : [];
      const missing = call.do === 'add' && positions.some((bit) => !now.bits[bit]);
      if (missing) throw new Error(`${call.key} did not set the bits that are drawn`);
      const shown: Shown = { ...turn, positions, names };
      const placed = positions.map((bit) => `bit ${bit} in region ${regionOf(bit, now)}`);
      return makeStep(turn, {
        caption: captionOf(shown),
        scene: (width) => drawShown(shown, width),
        text: [
          `Set bits: ${indicesOf(now.bits).join(' ') || 'none'}.`,
          `Locked regions: ${indicesOf(now.locks).join(' ') || 'none'}.`,
          called
            ? `${call.key} has ${listOf(placed)}.`
            : `Each region has ${now.bits.length / now.locks.length} bits.`,
        ],
      });
    });
  } finally {
    filter.dispose();
  }
}

export const figure: FigureType = {
  title: 'A deletable Bloom filter',
  initial: {},
  controls: () => [],
  steps: makeSteps,
};
