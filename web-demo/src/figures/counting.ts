// A counting Bloom filter: counters in the places of the bits, so that a delete can count down.
import { CountingBloomFilter } from 'tamis';
import { payloadOf, readField, readU64 } from './bytes';
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
import { drawKeyedGrid } from './keyed-grid';
import type { Control, FigureType, Scene, Step, Tone } from './model';
import { members, others } from './names';
import { listOf } from './words';

const SIZE = { capacity: 6, fpr: 0.1 };

/** The usual counters have 4 bits. Those of 2 bits stick soon. */
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

/** A key's counters: they stand where a Bloom filter of the same size has the key's bits. */
function positionsOf(filter: CountingBloomFilter, key: string): number[] {
  const bloom = filter.toBloom();
  const positions = [...new Set(bloom.positions(key))].sort((a, b) => a - b);
  bloom.dispose();
  return positions;
}

interface Shown {
  readonly counterBits: CounterBits;
  readonly counters: readonly number[];
  readonly called?: Called;
  /** The counters of the call's key, and what they were before. */
  readonly positions: readonly number[];
  readonly before: readonly number[];
  readonly names: readonly string[];
}

function toneOfCounter(i: number, shown: Shown): Tone {
  const { counters, called, positions, before, counterBits } = shown;
  const value = counters[i] as number;
  const plain = value === 0 ? 'off' : value === largestOf(counterBits) ? 'locked' : 'on';
  if (!called || !positions.includes(i)) return plain;
  if (called.do !== 'has') return value === before[i] ? plain : toneOf(called);
  if (value === 0) return 'miss';
  return isWrong(called) && called.result ? 'wrong' : 'hit';
}

function drawShown(shown: Shown, width: number): Scene {
  const { counters, called, positions, names } = shown;
  return drawKeyedGrid({
    width,
    wide: 30,
    narrow: 10,
    cells: counters.map((value, i) => ({ tone: toneOfCounter(i, shown), text: String(value) })),
    ...(called ? { key: { label: labelOf(called), tone: toneOf(called), cells: positions } } : {}),
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
  const { called, positions, counters, before, counterBits } = shown;
  if (!called)
    return `This filter has ${counters.length} counters of ${counterBits} bits. All are 0.`;
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
  const zero = positions.filter((i) => counters[i] === 0);
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

/** Runs the calls; a step each. */
function runCalls(counterBits: CounterBits, calls: readonly Call[]): readonly Step[] {
  const filter = makeFilter(counterBits);
  try {
    const names = [...new Set(calls.filter((call) => call.do === 'add').map(({ key }) => key))];
    const counters = countersOf(filter);
    const shown: Shown[] = [{ counterBits, counters, positions: [], before: [], names }];
    let copies: ReadonlyMap<string, number> = new Map();
    for (const call of calls) {
      const before = countersOf(filter);
      const positions = positionsOf(filter, call.key);
      const called = makeCall(filter, call, copies);
      copies = called.copies;
      const counters = countersOf(filter);
      shown.push({ counterBits, counters, called, positions, before, names });
    }
    return shown.map((each) => ({
      caption: captionOf(each),
      ...(each.called ? judge(each.called) : {}),
      scene: (width) => drawShown(each, width),
      text: [
        ...(each.called ? [sayCall(each.called), sayCopies(each.called)] : []),
        sayCounters(each.counters),
        ...(each.called
          ? [`The counters of ${each.called.key} are ${listOf(each.positions)}.`]
          : []),
      ],
    }));
  } finally {
    filter.dispose();
  }
}

const add = (key: string): Call => ({ do: 'add', key });
const remove = (key: string): Call => ({ do: 'delete', key });
const has = (key: string): Call => ({ do: 'has', key });

/** Two names that share a counter. */
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

/** A false positive whose delete loses a name that was added. */
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
