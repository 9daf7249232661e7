// Makes keys for the tests with peers, the same in every run.
import { random } from '../../js/examples/random.mjs';

/** Keys that a codec or a library could get wrong: empty, with a NUL, each length of a code point, both planes. */
const ODD_STRINGS = ['', '\0', 'a\0b', '\u0080', '\u07ff', '\u0800', '\uffff', '\u{1f980}'];
const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz0123456789-./:@', '\u00e9', '\u4e2d', '\u{1f600}'];

function randomString(random, i) {
  const length = 1 + (random() % (i % 50 === 0 ? 300 : 40));
  return Array.from({ length }, () => ALPHABET[random() % ALPHABET.length]).join('') + i;
}

/** For each type, odd keys, and a function that makes the i-th other key; all of these differ. */
const TYPES = {
  utf8: { odd: ODD_STRINGS, make: randomString },
  utf16: {
    odd: [...ODD_STRINGS, '\ud800', '\udfff', 'a\ud83d', '\udc00b'],
    make: randomString,
  },
  bytes: {
    odd: [[], [0], [255], [0, 0], [128, 127, 255, 1, 254]].map((bytes) => Uint8Array.from(bytes)),
    make(random, i) {
      const rest = Array.from({ length: random() % 56 }, () => random() & 255);
      return Uint8Array.of(i, i >> 8, i >> 16, ...rest);
    },
  },
  int32: {
    odd: [0, 1, -1, 127, -128, 2 ** 31 - 1, -(2 ** 31)],
    make: (_, i) => Math.imul(i + 1000, 0x9e3779b1),
  },
  int64: {
    odd: [0n, 1n, -1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)],
    make: (random, i) =>
      BigInt.asIntN(64, (BigInt(random()) << 32n) | BigInt(Math.imul(i + 1000, 0x9e3779b1) >>> 0)),
  },
};

/** Makes `count` different keys of a type. */
export function makeKeys(type, count, seed = 1) {
  const { odd, make } = TYPES[type];
  const next = random(seed);
  /** Numbers below 2^32. */
  const below = () => next() * 2 ** 32;
  return Array.from({ length: count }, (_, i) => odd[i] ?? make(below, i));
}

const hexOf = (bytes) => Buffer.from(bytes).toString('hex');

/** Converts a key to a line in a file for a peer's program. */
const LINES = {
  utf8: (key) => hexOf(Buffer.from(key)),
  utf16: (key) => hexOf(Buffer.from(key, 'utf16le')),
  bytes: hexOf,
  int32: String,
  int64: String,
};

export const linesOf = (type, keys) => keys.map(LINES[type]);

/** Makes 3,000 keys and 2,000 probes: 800 of the keys, including the odd ones, and 1,200 others. */
export function makeSample(type) {
  const all = makeKeys(type, 4200);
  const keys = all.slice(0, 3000);
  const probes = [...keys.slice(0, 400), ...keys.slice(2600), ...all.slice(3000)];
  return { keys, probes, lines: linesOf(type, keys), probeLines: linesOf(type, probes) };
}

export const MEMBERS = 800;

/** Makes a million short keys. */
export const makeMillion = () => Array.from({ length: 1e6 }, (_, i) => `user-${i}@mail.example`);
