// A counting Bloom filter. It has counters in the places of the bits, so that a delete can count down.
import { CountingBloomFilter } from 'tamis';
import { payloadOf, readField, readU64 } from '../shared/bytes';
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
import type { Control, FigureType, Scene, Step, Tone } from '../shared/model';
import { members, others } from '../shared/names';
import { listOf } from '../shared/words';

const SIZE = { capacity: 6, fpr: 0.1 };

/** The usual counters have 4 bits. Counters of 2 bits stick soon. */
type CounterBits = 2 | 4;

const largestOf = (counterBits: CounterBits): number => 2 ** counterBits - 1;

const makeFilter = (counterBits: CounterBits): CountingBloomFilter =>
  new CountingBloomFilter({ ...SIZE, counterBits });

/** The counters, from the filter's bytes. */
function countersOf(filter: CountingBloomFilter): number[] {
  const payload = payloadOf(filter.toBytes());
  const width = payload.getUint32(12, true);
  return Array.from({ length: readU64(payload, 0) }, (_, i) => readField(payload, 16, i, width));
}

/** A key's counters. Their positions are those of the key's bits in a Bloom filter of the same size. */
function positionsOf(filter: CountingBloomFilter, key: string): number[] {
  const bloom = filter.toBloom();
  const positions = [...new Set(bloom.positions(key))].sort((a, b) => a - b);
  bloom.dispose();
  return positions;
}

interface Shown extends Turn<readonly number[]> {
  readonly counterBits: CounterBits;
  /** The counters of the called key. */
  readonly positions: readonly number[];
  readonly names: readonly string[];
}

function toneOfCounter(i: number, shown: Shown): Tone {
  const { now, called, positions, before, counterBits } = shown;
  const value = now[i] as number;
  const plain = value === 0 ? 'off' : value === largestOf(counterBits) ? 'locked' : 'on';
  if (!called || !positions.includes(i)) return plain;
  if (called.do !== 'has') return value === before[i] ? plain : toneOf(called);
  if (value === 0) return 'miss';
  return isWrong(called) && called.result ? 'wrong' : 'hit';
}

function drawShown(shown: Shown, width: number): Scene {
  const { now, call, called, positions, names } = shown;
  return drawKeyedGrid({
    width,
    wide: 30,
    narrow: 10,
    cells: now.map((value, i) => ({ tone: toneOfCounter(i, shown), text: String(value) })),
    key: { label: labelOf(call), tone: toneOf(called), cells: positions },
    names,
    nameIn(name) {
      const copies = called?.copies.get(name);
      if (copies === undefined) return undefined;
      return copies > 1 ? `${name} x ${copies}` : name;
    },
  });
}

const sayCounters = (counters: readonly number[]): string => {
  const items = counters.flatMap((value, i) => (value > 0 ? [`${i} is ${value}`] : []));
  return items.length === 0 ? 'All counters are 0.' : `Counters that are not 0: ${listOf(items)}.`;
};

function captionOf(shown: Shown): string {
  const { called, positions, now, before, counterBits } = shown;
  if (!called) return `This filter has ${now.length} counters of ${counterBits} bits. All are 0.`;
  const { key, copies, result } = called;
  const where = listOf(positions);
  const stuck = positions.filter((i) => before[i] === largestOf(counterBits));
  const held = `Counters ${where} are at their largest value, ${largestOf(counterBits)}, and stuck there.`;
  if (called.do === 'add') {
    return stuck.length === positions.length
      ? `Adding ${key} changes nothing. ${held}`
      : `Adding ${key} adds 1 to the counters ${where}.`;
  }
  if (called.do === 'delete') {
    if (!result)
      return `${key} has a counter that is 0, so it is not in. The delete changes nothing.`;
    if (stuck.length === positions.length) return `Deleting ${key} changes nothing. ${held}`;
    return others.includes(key)
      ? `Nobody added ${key}. Yet the delete takes 1 from the counters ${where}, which other names raised.`
      : `Deleting ${key} takes 1 from the counters ${where}.`;
  }
  const zero = positions.filter((i) => now[i] === 0);
  if (zero.length > 0) {
    return copies.has(key)
      ? `The delete took away what ${key} had added: counter ${listOf(zero)} is 0. A key that was added is lost.`
      : `Counter ${listOf(zero.slice(0, 1))} is 0. One such counter is enough: ${key} is not in.`;
  }
  if (!isWrong(called)) return `None of the counters ${where} is 0, so ${key} may be in.`;
  return stuck.length > 0
    ? `You deleted every ${key}, but its counters are stuck. A stuck counter may give a false positive. It never loses a key.`
    : `Nobody added ${key}. Other names raised all of its counters.`;
}

/** Runs the calls, with one step for each. */
function runCalls(counterBits: CounterBits, calls: readonly Call[]): readonly Step[] {
  const filter = makeFilter(counterBits);
  try {
    const names = [...new Set(calls.filter((call) => call.do === 'add').map(({ key }) => key))];
    return makeTurns(filter, calls, () => countersOf(filter)).map((turn) => {
      const positions = turn.called ? positionsOf(filter, turn.call.key) : [];
      const shown: Shown = { ...turn, counterBits, positions, names };
      return makeStep(turn, {
        caption: captionOf(shown),
        scene: (width) => drawShown(shown, width),
        text: [
          sayCounters(turn.now),
          ...(turn.called ? [`The counters of ${turn.call.key} are ${listOf(positions)}.`] : []),
        ],
      });
    });
  } finally {
    filter.dispose();
  }
}

const add = (key: string): Call => ({ do: 'add', key });
const remove = (key: string): Call => ({ do: 'delete', key });
const has = (key: string): Call => ({ do: 'has', key });

/** The calls for two names that share a counter. */
function callsOfDelete(): readonly Call[] {
  const filter = makeFilter(4);
  const a = members[0] as string;
  const own = positionsOf(filter, a);
  const shares = (name: string) => positionsOf(filter, name).filter((i) => own.includes(i)).length;
  const b = members.find((name) => name !== a && shares(name) === 1);
  filter.dispose();
  if (b === undefined) throw new Error('no two names share a counter');
  return [add(a), add(b), add(a), remove(a), has(a), remove(a), has(a), has(b)];
}

/** The calls for a false positive whose delete loses an added name. */
function callsOfNever(): readonly Call[] {
  for (let count = 3; count <= SIZE.capacity; count++) {
    const names = members.slice(0, count);
    for (const wrong of others) {
      const filter = makeFilter(4);
      filter.addMany(names);
      const lost = filter.delete(wrong) ? names.find((name) => !filter.has(name)) : undefined;
      filter.dispose();
      if (lost !== undefined)
        return [...names.map(add), has(lost), has(wrong), remove(wrong), has(lost)];
    }
  }
  throw new Error('no name is a false positive');
}

function callsOfStuck(): readonly Call[] {
  const name = members[0] as string;
  const copies = Array.from({ length: largestOf(2) + 1 }, () => name);
  return [...copies.map(add), ...copies.map(remove), has(name)];
}

const views: Control = {
  kind: 'choice',
  name: 'view',
  label: 'See',
  choices: [
    { value: 'delete', label: 'Add and delete' },
    { value: 'never', label: 'Delete what nobody added' },
    { value: 'stuck', label: 'A counter that sticks' },
  ],
};

export const figure: FigureType = {
  title: 'A counting Bloom filter',
  initial: { view: 'delete' },
  controls: () => [views],
  steps({ view }) {
    if (view === 'stuck') return runCalls(2, callsOfStuck());
    return runCalls(4, view === 'never' ? callsOfNever() : callsOfDelete());
  },
};
