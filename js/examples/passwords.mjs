// Passwords as people choose them: a word, a number, at times a capital letter or a sign. They are generated, since
// lists of real breaches must not be shipped.
import { readFileSync } from 'node:fs';
import wordListPath from 'word-list';
import { random } from './random.mjs';

/** The first passwords of every published list of breaches. */
const MOST_USED = [
  '123456',
  '123456789',
  '12345678',
  'password',
  'qwerty',
  'qwerty123',
  '111111',
  'abc123',
  'password1',
  'iloveyou',
  'letmein',
  'dragon',
  'monkey',
  'football',
];
const SIGNS = ['', '', '', '', '!', '!', '?', '*', '.'];
const SHORTEST = 4;
const LONGEST = 8;

/** Yields `count` passwords, the same on every machine; a few come twice. */
export function* makePasswords(count) {
  const next = random(12);
  const pick = (list) => list[Math.floor(next() * list.length)];
  const words = readFileSync(wordListPath, 'utf8').split('\n');
  const short = words.filter(({ length }) => length >= SHORTEST && length <= LONGEST);
  yield* MOST_USED.slice(0, count);
  for (let i = MOST_USED.length; i < count; i++) {
    const word = pick(short);
    const start = next() < 0.3 ? word[0].toUpperCase() + word.slice(1) : word;
    yield `${start}${Math.floor(next() * 10_000)}${pick(SIGNS)}`;
  }
}
