// The types that are built once, from a list. A new type needs one entry in `onceTypes`.
import { BinaryFuseFilter, BloomierMap, ExactFilter, RibbonFilter } from 'tamis';
import { integer, oneIn } from './format';

/** The parsed input of a visitor. */
export interface Lists {
  readonly keys: readonly string[];
  /** Keys for which an exact filter must answer `false`. */
  readonly others: readonly string[];
}

/** The built structure: a filter, or the map, which has no rate of its own. */
export type Once = RibbonFilter | BinaryFuseFilter | ExactFilter | BloomierMap;

export interface OnceType {
  readonly type: string;
  /** The short name for a button. */
  readonly name: string;
  readonly className: string;
  readonly summary: string;
  /** True if the type needs a second list. */
  readonly isExact?: boolean;
  build(lists: Lists, fpr: number): Once;
  load(bytes: Uint8Array): Once;
  /** Its answer for a key, in words. */
  say(built: Once, key: string): string;
  /** A program that builds a similar one. */
  snippet(fpr: number): string;
}

/** The number at the end of a line is the key's value. Without a number, the value is the key's length. */
function entryOf(line: string): [key: string, value: number] {
  const [, key = line, digits] = /^(.*\S)\s+(\d{1,9})$/.exec(line) ?? [];
  return [key, digits === undefined ? line.length : Number(digits)];
}

/** The smallest number of bits that holds `value`, and at least one. */
const bitsOf = (value: number): number => Math.max(1, value.toString(2).length);

/** The smallest number of bits that keeps the rate: an absent key matches them with probability `fpr` at most. */
export const checkBitsFor = (fpr: number): number => Math.ceil(-Math.log2(fpr));

/** The share of absent keys that are false positives. */
export function rateOf(built: Once): number {
  return built instanceof BloomierMap ? 2 ** -built.checkBits : built.fpr;
}

/** The key of a line. For the map, the value is cut off. */
export function keyOf(built: Once, line: string): string {
  return built instanceof BloomierMap ? entryOf(line)[0] : line;
}

const listed = (built: Once, key: string): string =>
  built.has(key) ? 'probably on the list.' : 'certainly not on the list.';

const program = (className: string, build: string, lookUp: string): string =>
  `import { ${className} } from 'tamis';

const built = ${build};
const bytes = built.toBytes(); // to a file, or to a browser

const there = ${className}.fromBytes(bytes);
${lookUp}
`;

const listProgram =
  (className: string) =>
  (fpr: number): string =>
    program(
      className,
      `${className}.from(['alice', 'bob'], { fpr: ${fpr} })`,
      "there.has('alice'); // true: probably on the list\n" +
        "there.has('carol'); // false: certainly not on the list",
    );

export const onceTypes: readonly OnceType[] = [
  {
    type: 'ribbon',
    name: 'Ribbon',
    className: 'RibbonFilter',
    summary:
      'This is the smallest: a fingerprint for each key, and about 1 % more. A Bloom filter takes 44 % ' +
      'more. Use it for a list that you ship to many.',
    build: ({ keys }, fpr) => RibbonFilter.from(keys, { fpr }),
    load: (bytes) => RibbonFilter.fromBytes(bytes),
    say: listed,
    snippet: listProgram('RibbonFilter'),
  },
  {
    type: 'binary-fuse',
    name: 'Binary fuse',
    className: 'BinaryFuseFilter',
    summary:
      'This has the fastest look-ups: each reads three or four places in memory. For a long list it is a ' +
      'tenth larger than a ribbon, for a short one more.',
    build: ({ keys }, fpr) => BinaryFuseFilter.from(keys, { fpr }),
    load: (bytes) => BinaryFuseFilter.fromBytes(bytes),
    say: listed,
    snippet: listProgram('BinaryFuseFilter'),
  },
  {
    type: 'exact',
    name: 'Exact',
    className: 'ExactFilter',
    summary:
      'Two lists go in, and every answer about their keys is right. Keys to include are in, and keys ' +
      'to exclude are out. Only keys on neither list can be false positives.',
    isExact: true,
    build: ({ keys, others }, fpr) => ExactFilter.from({ include: keys, exclude: others }, { fpr }),
    load: (bytes) => ExactFilter.fromBytes(bytes),
    say: (built, key) =>
      built.has(key) ? 'included, unless it is on neither list.' : 'certainly not included.',
    snippet: (fpr) =>
      program(
        'ExactFilter',
        `ExactFilter.from({ include: ['alice'], exclude: ['bob'] }, { fpr: ${fpr} })`,
        "there.has('alice'); // true\nthere.has('bob'); // false, and no chance about it",
      ),
  },
  {
    type: 'bloomier',
    name: 'Key to value',
    className: 'BloomierMap',
    summary:
      'It gives a number for each key, and keeps no keys. Write the number at the end of the line: ' +
      '"alice 7". A line without one gets its length. A few check bits tell absent keys apart.',
    build({ keys }, fpr) {
      const entries = keys.map(entryOf);
      const most = entries.reduce((largest, [, value]) => Math.max(largest, value), 0);
      return BloomierMap.from(entries, { valueBits: bitsOf(most), checkBits: checkBitsFor(fpr) });
    },
    load: (bytes) => BloomierMap.fromBytes(bytes),
    say(built, key) {
      const map = built as BloomierMap;
      const value = map.get(key);
      if (value === undefined) return 'certainly not in the map.';
      return `${integer(value)}, unless it is not in the map: ${oneIn(rateOf(map))} absent keys has a number.`;
    },
    snippet: (fpr) =>
      program(
        'BloomierMap',
        `BloomierMap.from([['alice', 7], ['bob', 3]], { valueBits: 3, checkBits: ${checkBitsFor(fpr)} })`,
        "there.get('alice'); // 7\nthere.get('carol'); // undefined: certainly not in the map",
      ),
  },
];

/** The entry of that type, or the first entry if there is none. */
export function onceType(type: string): OnceType {
  const found = onceTypes.find((entry) => entry.type === type) ?? onceTypes[0];
  if (!found) throw new Error('the demo has no types that are built once');
  return found;
}
