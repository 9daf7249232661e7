import assert from 'node:assert/strict';

const DIGITS = ['a', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const TENS = 'ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const GROUPS = { thousand: 3, million: 6, billion: 9, trillion: 12, quadrillion: 15 };

/** Splits a number in words, such as "two hundred million", into its one digit and the zeros after it. */
function readNumber(words) {
  const group = GROUPS[words.at(-1)];
  const hundred = words.at(-2) === 'hundred';
  assert.equal(words.length, hundred ? 3 : 2, words.join(' '));
  const isTen = TENS.includes(words[0]);
  const digit = (isTen ? TENS : DIGITS).indexOf(words[0]) + 1;
  assert.ok(digit > 0 && group > 0 && !(isTen && hundred), words.join(' '));
  return { digit, zeros: group + (isTen ? 1 : 0) + (hundred ? 2 : 0) };
}

/**
 * Checks the probability after `before` in a text. It is a percentage of three digits. Below one in a thousand it is
 * the first digit of the inverse, in words.
 */
export function assertChance(text, before, chance) {
  const said = text.slice(text.indexOf(before) + before.length);
  if (chance === 0 || chance >= 0.001) {
    const value = Number(said.match(/^([\d.]+) %/)?.[1]) / 100;
    assert.ok(Math.abs(value - chance) <= 0.005 * chance, `${text} is not ${chance}`);
    return;
  }
  const words = said.match(/^about one in ([a-z ]+)[.,]/)?.[1];
  assert.ok(words, text);
  const { digit, zeros } = readNumber(words.split(' '));
  const inverse = 1 / chance / 10 ** zeros;
  assert.ok(inverse >= digit - 0.5 && inverse <= digit + 0.5, `${text} is not ${chance}`);
}
