// What a figure does to a filter, call by call, beside what is really in the set.
import type { Step, Tone } from './model';
import { listOf } from './words';

export interface Call {
  readonly do: 'add' | 'delete' | 'has';
  readonly key: string;
}

export interface Called extends Call {
  /** What the package answered. */
  readonly result: boolean;
  /** The code of the error, where the package refused. */
  readonly refused?: string;
  /** How many copies of each key are really in the set, after the call. */
  readonly copies: ReadonlyMap<string, number>;
}

interface Changeable {
  add(key: string): boolean;
  delete?(key: string): boolean;
  has(key: string): boolean;
}

/** Makes a call, and keeps account of what is really in. */
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

/** Such as: has('Ada') is true. */
export function sayCall({ do: name, key, result, refused }: Called): string {
  return `${name}('${key}') ${refused === undefined ? `is ${result}` : `throws ${refused}`}.`;
}

/** What is really in. */
export function sayCopies({ copies }: Pick<Called, 'copies'>): string {
  const items = [...copies].map(([key, count]) => (count > 1 ? `${key} ${count} times` : key));
  return items.length === 0
    ? 'Really in the set: nothing.'
    : `Really in the set: ${listOf(items)}.`;
}

export function isWrong({ do: name, key, result, copies }: Called): boolean {
  return name === 'has' && result !== copies.has(key);
}

/** The verdict on a look-up; of other calls there is none. */
export function judge(called: Called): Pick<Step, 'answer'> {
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

/** What the chip of the key says. */
export function labelOf({ do: name, key }: Call): string {
  return `${{ add: 'add', delete: 'delete', has: 'look up' }[name]} ${key}`;
}

export function toneOf(called: Called): Tone {
  if (called.refused !== undefined) return 'locked';
  if (called.do === 'add') return 'new';
  if (called.do === 'delete') return 'second';
  if (isWrong(called)) return 'wrong';
  return called.result ? 'hit' : 'miss';
}
