// The map of the Bloomier figure: its slots from the bytes, and its equations.
import { BloomierMap, hashKey } from 'tamis';
import { payloadOf } from '../shared/bytes';
import { checkSolution, type Eliminated, eliminate } from '../shared/elimination';
import { members } from '../shared/names';
import { type Equation, equationOf, type Level, lowest, readLevels } from '../shared/retrieval';

/** Bits of a value, and bits that tell whether a name is in the map. */
export const VALUE_BITS = 4;
export const CHECK_BITS = 4;

const CHECKS = 2 ** CHECK_BITS;

/** The byte of a Bloomier map's payload at which the retrieval begins. */
const RETRIEVAL_AT = 8;

const numbers = [12, 3, 7, 15, 1, 9, 4, 10, 2, 14, 6, 8];

/** The rooms of some names: the entries of the map. */
export const rooms: ReadonlyMap<string, number> = new Map(
  numbers.map((room, i) => [members[i] as string, room]),
);

export interface NameEquation extends Equation {
  readonly name: string;
  /** The bits that the check bits of the sum must equal. */
  readonly wanted: number;
}

export function makeMap(): BloomierMap {
  return BloomierMap.from(rooms, { valueBits: VALUE_BITS, checkBits: CHECK_BITS });
}

/** The only level of this small map, from its bytes. */
export function levelOf(map: BloomierMap): Level {
  const [level, ...more] = readLevels(payloadOf(map.toBytes()), RETRIEVAL_AT, map.seed);
  if (!level || more.length > 0) throw new Error('the map has not one level');
  return level;
}

/** The equation of a name. Throws if the slots give a different answer from the map. */
export function lookUpIn(map: BloomierMap, level: Level, name: string): NameEquation {
  const equation = equationOf([level], hashKey(name));
  const wanted = lowest(equation.check, CHECK_BITS);
  const says = checkOf(equation.sum) === wanted ? roomOf(equation.sum) : undefined;
  if (says !== map.get(name)) throw new Error(`get('${name}') is not what the slots say`);
  return { ...equation, name, wanted };
}

/** The two parts of a slot's value, or of a sum. */
export const roomOf = (held: number): number => Math.floor(held / CHECKS);
export const checkOf = (held: number): number => held % CHECKS;

export const hex = (value: number): string => value.toString(16);

/**
 * The equations of the entries after the elimination, each beginning at a slot of its own. Their solution is the slots
 * of the bytes.
 */
export function eliminatedOf(equations: readonly NameEquation[], level: Level): Eliminated[] {
  const rows = eliminate(
    equations.map(({ name, start, coefficients, wanted }) => {
      const sum = (rooms.get(name) as number) * CHECKS + wanted;
      return { start, coefficients, sum };
    }),
  );
  checkSolution(rows, level.slots);
  return rows;
}
