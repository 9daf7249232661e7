// The filter of the exact figure, the contents of its bytes, and the path of a name through its two levels.
import { ExactFilter, hashKey } from 'tamis';
import { payloadOf, readU64 } from '../shared/bytes';
import { seededHash } from '../shared/hash';
import { members, others } from '../shared/names';
import { type Equation, equationOf, type Level, lowest, readLevels } from '../shared/retrieval';

const INCLUDED = 6;
const EXCLUDED = 24;

/** The byte of the payload at which the first level begins. */
const LEVELS_AT = 24;
const SECOND_PART = 16;

export const included: readonly string[] = members.slice(0, INCLUDED);
export const excluded: readonly string[] = others.slice(0, EXCLUDED);
/** Names that are in neither list. */
export const outside: readonly string[] = [...others.slice(EXCLUDED), ...members.slice(INCLUDED)];

export function makeFilter(seed: bigint): ExactFilter {
  return ExactFilter.from({ include: included, exclude: excluded }, { seed });
}

export interface Levels {
  readonly first: Level;
  readonly second: Level;
  /** The excluded keys that the second level knows. */
  readonly caught: number;
}

/** The two levels, from the filter's bytes. */
export function levelsOf(filter: ExactFilter, seed: bigint): Levels {
  const payload = payloadOf(filter.toBytes());
  if (payload.getUint32(16, true) === 0) throw new Error('the filter has no first level');
  // With only these few keys, each retrieval has one level.
  const [first] = readLevels(payload, LEVELS_AT, seed) as [Level];
  const [second] = readLevels(payload, first.end, seed, SECOND_PART) as [Level];
  return { first, second, caught: readU64(payload, 8) };
}

/** A name's path through the two levels. */
export interface Way {
  readonly name: string;
  readonly first: Equation;
  readonly passesFirst: boolean;
  readonly second: Equation;
  /** The bit of the name's own hash. The second level's bit must differ from it. */
  readonly low: number;
  readonly passes: boolean;
}

/** The bits that a name's XOR at the first level must equal for the name to pass. */
export function checkOf({ first }: Levels, { check }: Equation): number {
  return lowest(check, first.width);
}

/** The filter's answer, level by level. Checks that it agrees with `has`. */
export function wayOf(filter: ExactFilter, levels: Levels, name: string, seed: bigint): Way {
  const hash = hashKey(name);
  const first = equationOf([levels.first], hash);
  const second = equationOf([levels.second], hash);
  const low = Number(seededHash(name, seed) & 1n);
  const passesFirst = first.sum === checkOf(levels, first);
  const passes = passesFirst && second.sum !== low;
  if (passes !== filter.has(name)) throw new Error(`the bytes do not show ${name}`);
  return { name, first, passesFirst, second, low, passes };
}

export const isFalsePositive = ({ name, passes }: Way): boolean =>
  passes && !included.includes(name);

let chosen: bigint | undefined;

/** The first seed whose first level lets a few excluded names through. */
export function findSeed(): bigint {
  for (let seed = 0n; chosen === undefined; seed++) {
    const filter = makeFilter(seed);
    const { caught } = levelsOf(filter, seed);
    const wrong = outside.some((name) => filter.has(name));
    filter.dispose();
    if (wrong && caught >= 5 && caught <= 7) chosen = seed;
  }
  return chosen;
}
