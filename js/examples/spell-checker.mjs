// A spell checker without words, only with a filter of them. A word that it flags is certainly not on the list. One
// misspelling in a thousand passes.
//
//   node js/examples/spell-checker.mjs [FILE]
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BloomFilter, keysFromLines } from 'tamis';
import wordListPath from 'word-list';
import { count, percent, printTable } from './figures.mjs';

const FPR = 0.001;
const TEXT = `
  The goverment committee recieved our seperate letters last week. It was definately an embarassing
  occurence: nobody could remember who had written the first one, and the secretary, who keeps a very
  good calendar, beleived that both were wrong. Until tommorow we shall wait for the answer.`;

const list = readFileSync(wordListPath);
const words = keysFromLines(list);
const bytes = BloomFilter.from(words, { fpr: FPR }).toBytes();

// The user has only the bytes.
const checker = BloomFilter.fromBytes(bytes);
const falseAlarms = checker.hasMany(words).filter((known) => !known).length;
assert.equal(falseAlarms, 0, 'no word of the list is flagged');

const isWord = (text) => /^\p{L}{2,}$/u.test(text);

/** The words of a text as the list has them: lower case, no apostrophe, two letters or more. */
function wordsOf(text) {
  const found = text.toLowerCase().match(/[\p{L}'\u2019]+/gu) ?? [];
  return [...new Set(found.filter(isWord))];
}

/** Misspellings that people made, without those that are also words of the list. */
function misspellings() {
  const require = createRequire(import.meta.url);
  const name = '@cspell/dict-en-common-misspellings/cspell-ext.json';
  const parts = require(name).import.map((part) => join(dirname(require.resolve(name)), part));
  const entries = parts.flatMap((part) =>
    require(part).dictionaryDefinitions.flatMap((dictionary) => [
      ...(dictionary.flagWords ?? []),
      ...(dictionary.suggestWords ?? []),
    ]),
  );
  // An entry is "misspelling->corrections".
  const wrong = new Set(entries.map((entry) => entry.split('->')[0].toLowerCase()).filter(isWord));
  for (const word of list.toString().split('\n')) wrong.delete(word);
  return [...wrong];
}

const wrong = misspellings();
const slipped = checker.hasMany(wrong).filter(Boolean).length;
const [file] = process.argv.slice(2);
const text = wordsOf(file === undefined ? TEXT : readFileSync(file, 'utf8'));
const flagged = text.filter((word) => !checker.has(word));

printTable('A spell checker without words', [
  ['words of the list', count(words.length)],
  ['bytes as text', count(list.length)],
  ['bytes as text, gzipped', count(gzipSync(list, { level: 9 }).length)],
  ['bytes as filter', count(bytes.length)],
  ['bits per word', ((8 * bytes.length) / words.length).toFixed(1)],
  ['words of the list that are flagged', count(falseAlarms)],
  ['misspellings tried', count(wrong.length)],
  ['slipped through', count(slipped)],
  ['observed rate', percent(slipped / wrong.length, 3)],
  ['designed rate', percent(checker.fpr, 3)],
  ['words of the text', count(text.length)],
  ['flagged', count(flagged.length)],
]);
console.log(flagged.join(' '));
