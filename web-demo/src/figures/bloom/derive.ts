// From a name to its bits, number by number, as FORMAT.md says in section 5.1.
import { hashKey } from 'tamis';
import { multiply64, scale, seededHash } from '../shared/hash';
import type { Mark } from '../shared/model';
import { BITS, HASHES, SEED } from './filter';

/** The multiplier from each number to the next. */
const MULTIPLIER = 0xf1357aea2e62a9c5n;

/** The binary digits of a position: BITS is a power of two. */
const DIGITS = Math.log2(BITS);

/** One number, and the position that its first digits are. */
interface Derived {
  readonly number: string;
  readonly digits: string;
  readonly position: number;
}

export interface Derivation {
  /** The XXH3-64 of the name, in hexadecimal. */
  readonly hash: string;
  readonly numbers: readonly Derived[];
}

const hex = (value: bigint): string => value.toString(16).padStart(16, '0');

/** Derives the bits of a name. */
export function deriveBits(name: string): Derivation {
  let x = seededHash(name, SEED);
  const numbers = Array.from({ length: HASHES }, (): Derived => {
    const position = scale(x, BITS);
    const number = hex(x);
    x = multiply64(x, MULTIPLIER);
    return { number, digits: position.toString(2).padStart(DIGITS, '0'), position };
  });
  return { hash: hex(hashKey(name)), numbers };
}

/** The derivation in words, a line each. */
export function describeDerivation(name: string, { hash, numbers }: Derivation): string[] {
  return [
    `The hash XXH3-64 of ${name} is ${hash}, in hexadecimal.`,
    ...numbers.map(({ number, digits, position }, i) => {
      const way =
        i === 0
          ? `Mixed with the seed ${SEED}, it is`
          : `The number before, times ${hex(MULTIPLIER)}, is`;
      return `${way} ${number}. Its first ${DIGITS} binary digits are ${digits}: bit ${position}.`;
    }),
  ];
}

const ORDINALS = ['1st', '2nd', '3rd', '4th'] as const;

/** The characters of a name that has room in the table. */
const LONGEST = 20;

const shorten = (name: string): string =>
  name.length > LONGEST ? `${name.slice(0, LONGEST)}...` : name;

const LINE = 18;

/** The size of the letters, and the left ends of the columns of numbers. */
function columnsIn(width: number) {
  const size = width >= 480 ? 13 : width >= 300 ? 11 : 9.5;
  const character = 0.62 * size;
  const number = width >= 480 ? 250 : 44;
  const digits = number + 16 * character + 16;
  return { size, number, digits, position: digits + DIGITS * character + 12 };
}

/** The derivation as a table. */
export function drawDerivation(
  name: string,
  { hash, numbers }: Derivation,
  width: number,
  top: number,
): readonly Mark[] {
  const { size, ...at } = columnsIn(width);
  const marks: Mark[] = [];
  const put = (line: number, x: number, text: string, more: object = {}) => {
    const y = top + LINE * (line + 0.5);
    const key = `derive ${line} ${Math.round(x)}`;
    marks.push({ kind: 'text', key, x, y, text, size, ...more });
  };
  const isWide = width >= 480;
  put(0, at.number, 'Number (hex)', { tone: 'faint' });
  put(0, at.digits, `First ${DIGITS} bits`, { tone: 'faint' });
  put(1, 1, isWide ? `XXH3-64 of ${shorten(name)}` : 'Hash');
  put(1, at.number, hash, { mono: true });
  numbers.forEach(({ number, digits, position }, i) => {
    const line = i + 2;
    const [ordinal, before] = [ORDINALS[i] as string, ORDINALS[i - 1]];
    const way = before ? `the ${before} times a fixed number` : `the hash and the seed ${SEED}`;
    put(line, 1, isWide ? `${ordinal}: ${way}` : ordinal);
    put(line, at.number, number, { mono: true });
    put(line, at.digits, digits, { mono: true, bold: true, tone: 'new' });
    put(line, at.position, `= bit ${position}`, { bold: true, tone: 'new' });
  });
  return marks;
}
