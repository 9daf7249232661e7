// A figure's calls on a filter, one by one, together with the actual contents of the set.
import { loneChip } from './chips';
import type { Mark, Step, Tone } from './model';
import { listOf } from './words';

export interface Call {
  readonly do: 'add' | 'delete' | 'has';
  readonly key: string;
}

export interface Called extends Call {
  /** The package's answer. */
  readonly result: boolean;
  /** The code of the error, if the package rejected the call. */
  readonly refused?: string;
  /** The actual number of copies of each key in the set, after the call. */
  readonly copies: ReadonlyMap<string, number>;
}

interface Changeable {
  add(key: string): boolean;
  delete?(key: string): boolean;
  has(key: string): boolean;
}

/** Makes a call, and records the actual contents of the set. */
export function makeCall(
  filter: Changeable,
  { do: name, key }: Call,
  before: ReadonlyMap<string, number>,
): Called {
  const method = filter[name];
  if (!method) throw new Error(`there is no ${name} here`);
  let result: boolean;
  try {
    result = method.call(filter, key);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    return { do: name, key, result: false, refused: code, copies: before };
  }
  const change = { add: 1, delete: -1, has: 0 }[name];
  const copies = new Map(before);
  copies.set(key, Math.max(0, (before.get(key) ?? 0) + change));
  if (copies.get(key) === 0) copies.delete(key);
  return { do: name, key, result, copies };
}

/** A call in words, such as: has('Ada') is true. */
function sayCall({ do: name, key, result, refused }: Called): string {
  return `${name}('${key}') ${refused === undefined ? `is ${result}` : `throws ${refused}`}.`;
}

/** The actual contents of the set, in words. */
function sayCopies({ copies }: Pick<Called, 'copies'>): string {
  const items = [...copies].map(([key, count]) => (count > 1 ? `${key} ${count} times` : key));
  return items.length === 0
    ? 'Really in the set: nothing.'
    : `Really in the set: ${listOf(items)}.`;
}

export function isWrong({ do: name, key, result, copies }: Called): boolean {
  return name === 'has' && result !== copies.has(key);
}

/** The verdict on a look-up. Other calls have none. */
function judge(called: Called): Pick<Step, 'answer'> {
  const { do: name, key, result, refused } = called;
  if (refused !== undefined) {
    return { answer: { verdict: 'refused', words: `${name}('${key}') throws ${refused}.` } };
  }
  if (name !== 'has') return {};
  if (isWrong(called)) {
    const words = result
      ? `${key} is probably in the set, and that is wrong: a false positive.`
      : `${key} is not in the set, and that is wrong: a false negative.`;
    return { answer: { verdict: 'wrong', words } };
  }
  return {
    answer: result
      ? { verdict: 'probable', words: `${key} is probably in the set, and that is right.` }
      : { verdict: 'absent', words: `${key} is not in the set, and that is right.` },
  };
}

/** The text of the key's chip. */
export function labelOf({ do: name, key }: Call): string {
  return `${{ add: 'add', delete: 'delete', has: 'look up' }[name]} ${key}`;
}

export function toneOf(called: Called | undefined): Tone {
  if (called === undefined) return 'faint';
  if (called.refused !== undefined) return 'locked';
  if (called.do === 'add') return 'new';
  if (called.do === 'delete') return 'second';
  if (isWrong(called)) return 'wrong';
  return called.result ? 'hit' : 'miss';
}

/** A call, and the contents of a filter's bytes before and after it. Before the first call, nothing is called. */
export interface Turn<T> {
  /** The current call, or the first one if none was made yet. */
  readonly call: Call;
  readonly called?: Called;
  readonly before: T;
  readonly now: T;
}

/** Makes calls one by one. The first turn is the filter before all of them. */
export function makeTurns<T>(
  filter: Changeable,
  calls: readonly Call[],
  read: () => T,
): readonly Turn<T>[] {
  let now = read();
  let copies: ReadonlyMap<string, number> = new Map();
  const made = calls.map((call): Turn<T> => {
    const before = now;
    const called = makeCall(filter, call, copies);
    copies = called.copies;
    now = read();
    return { call, called, before, now };
  });
  const first = made[0];
  if (!first) throw new Error('there are no calls');
  return [{ call: first.call, before: first.before, now: first.before }, ...made];
}

/** The chip of a turn's call, in the middle above the drawing. */
export function drawCall({ call, called }: Turn<unknown>, width: number): Mark {
  return loneChip(labelOf(call), width, toneOf(called));
}

/** The step of a turn: the figure's own step, with the verdict, and with the call in words. */
export function makeStep({ called }: Pick<Turn<unknown>, 'called'>, step: Step): Step {
  if (!called) return step;
  return { ...step, ...judge(called), text: [sayCall(called), sayCopies(called), ...step.text] };
}
