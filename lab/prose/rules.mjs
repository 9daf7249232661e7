// The rules of the prose lint: sentences of at most 25 words with a verb, the field's nouns, and plain words.
// textlint-rule-terminology and textlint-rule-stop-words look for the words. The length is measured here, since no
// maintained rule counts the words of headings and of a table's cells.

import { readFileSync } from 'node:fs';
import nlp from 'compromise';
import stopWords, { parseDict } from 'textlint-rule-stop-words';
import terminology from 'textlint-rule-terminology';

/** The most words that a sentence has. */
export const mostWords = 25;

/** Words, as patterns, and the replacement that the message proposes. */
const terms = [
  ["strangers?(?:'s)?", 'false positive or absent key'],
  ['known\\s+whole', 'fixed list'],
  [
    'ask(?:s|ed|ing)?\\s+(?:(?:the|a|this|that|each|every|any|its|your)\\s+)?(?:[a-z-]+\\s+)?(?:filters?|maps?|sets?)',
    'look up',
  ],
  ['asked\\s+for', 'looked up or wanted'],
  ['just', 'only, or no word'],
  ['very', 'a figure, or no word'],
  ['easy', 'what it takes'],
  ['easily', 'what it takes'],
  ['of course', 'no word'],
  ['and\\/or', 'or'],
  ['please', 'no word'],
  [
    'where (?:there (?:is|are|was|were)|it (?:is|has|cannot|can|does|was)|they (?:are|have)|this is|nothing|none|nobody)',
    'if',
  ],
];

/** The last parts of error codes: a text names a code whole. */
const codes = [
  ...readFileSync(new URL('../../cpp/include/tamis/status.def', import.meta.url), 'utf8').matchAll(
    /"ERR_TAMIS_(\w+)"/g,
  ),
].map(([, code]) => code);
const bareCode = new RegExp(`(?<![\\w.])(?:${codes.join('|')})(?!\\w)`, 'g');

/** Entries of the dictionary that are words of the field here, or have no plainer word. */
const allowed = [
  'generation x',
  'a number of',
  'add up',
  'all of',
  'and all that',
  'go into',
  'go on',
  'in a word',
  'is a number',
  'later time',
  'next generation',
  'on request',
  'one in a million',
  'percentage of',
  'refer to',
  'relative to',
  'said',
  'stands as',
  'takes up',
];

const dictionaryFile = new URL('../dict.txt', import.meta.resolve('textlint-rule-stop-words'));
const dictionary = parseDict(readFileSync(dictionaryFile, 'utf8'));

const entries = dictionary.filter(([phrase]) => !allowed.includes(phrase));

/** The text that a node shows, as pieces `{ text, at }` with the place of each in the document. Code is one word. */
function piecesOf(node) {
  const at = node.range[0];
  if (node.type === 'Code') return [{ text: 'Code', at }];
  if (node.type === 'Image') return [{ text: node.alt ?? '', at }];
  if (node.children !== undefined) return node.children.flatMap(piecesOf);
  return node.type === 'Html' ? [] : [{ text: node.value ?? '', at }];
}

/** The place in the document of an offset in the joined pieces. */
function placeIn(pieces, index) {
  let [start, piece] = [0, 0];
  while (start + pieces[piece].text.length <= index) start += pieces[piece++].text.length;
  return pieces[piece].at + index - start;
}

const textOf = (node) =>
  piecesOf(node)
    .map(({ text }) => text)
    .join('');

/** Words that end in a full stop within a sentence. */
const abbreviation = /\b(?:e\.g|i\.e|etc|vs|cf|al|St)\.\s*$/;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The sentences of a text `{ text, index }`. Unlike the segmenter's own they may begin with a small letter. */
function sentencesOf(whole) {
  const sentences = [];
  for (const { segment, index } of segmenter.segment(whole)) {
    let from = 0;
    for (const { index: end, 0: gap } of segment.matchAll(/(?<=[.?!]["')]*)\s+(?=\S)/g)) {
      if (abbreviation.test(segment.slice(0, end))) continue;
      sentences.push({ text: segment.slice(from, end), index: index + from });
      from = end + gap.length;
    }
    sentences.push({ text: segment.slice(from), index: index + from });
  }
  return sentences;
}

const wordCount = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** A sentence, a heading and a cell have at most `most` words. */
function sentenceLength({ report, RuleError, locator }, { most }) {
  const measure = (node) => {
    const pieces = piecesOf(node);
    for (const { text, index } of sentencesOf(pieces.map((piece) => piece.text).join(''))) {
      const words = wordCount(text);
      if (words <= most) continue;
      const padding = locator.at(placeIn(pieces, index) - node.range[0]);
      report(node, new RuleError(`A sentence of ${words} words: at most ${most}`, { padding }));
    }
  };
  return { Paragraph: measure, Header: measure, TableCell: measure };
}

/** The commonest verbs: a sentence with one of them needs no closer check, which is slow. */
const commonVerb =
  /\b(?:am|is|are|was|were|has|have|had|can|cannot|may|must|do|does|did|will|would)\b/i;

/** True if a word can be a verb behind a noun or a pronoun. */
const canBeVerb = (word) =>
  /[a-z]s$/.test(word)
    ? nlp(`it ${word} them`).has('it #Verb')
    : nlp(word).has('#Verb') && nlp(`they ${word} them`).has('they #Verb');

/** Every sentence after the first of a paragraph has a verb. Sources, formulas and lists after a colon need none. */
function missingVerb({ report, RuleError, locator }) {
  return {
    Paragraph(node) {
      const pieces = piecesOf(node);
      const sentences = sentencesOf(pieces.map((piece) => piece.text).join(''));
      for (const { text, index } of sentences.slice(1)) {
        if (!/\.\s*$/.test(text) || wordCount(text) < 4) continue;
        if (commonVerb.test(text) || /["=:]|https?|\d{4}/.test(text)) continue;
        const words = (text.match(/[A-Za-z']+/g) ?? []).map((word) => word.toLowerCase());
        if (nlp(text).has('#Verb') || words.some(canBeVerb)) continue;
        report(
          node,
          new RuleError('A sentence without a verb', {
            padding: locator.at(placeIn(pieces, index) - node.range[0]),
          }),
        );
      }
    },
  };
}

/** A comment begins with a noun phrase or a verb: a question word hides which of the two it is. */
function openingWord({ report, RuleError, locator }, { openings }) {
  return {
    Paragraph(node) {
      const [, word] = /^(What|Whether|Where|How)\b(?!.*\?$)/s.exec(textOf(node)) ?? [];
      if (word !== undefined && openings.has(node.loc.start.line))
        report(
          node,
          new RuleError(
            `A comment that begins with "${word}": name the thing, or say what it does`,
            { padding: locator.at(0) },
          ),
        );
    },
  };
}

/** An error's code is named whole. The specification of the format has its own short names. */
function wholeCode({ report, RuleError, locator }) {
  return {
    Str(node) {
      for (const { 0: code, index } of node.value.matchAll(bareCode))
        report(
          node,
          new RuleError(`ERR_TAMIS_${code} is the whole code`, { padding: locator.at(index) }),
        );
    },
    Code(node) {
      for (const { 0: code } of node.value.matchAll(bareCode))
        report(
          node,
          new RuleError(`ERR_TAMIS_${code} is the whole code`, { padding: locator.at(0) }),
        );
    },
  };
}

/** No cell of a table only says that it repeats another. */
function repeatedCell({ report, RuleError }) {
  return {
    TableCell(node) {
      if (/^(?:the )?same\.?$/i.test(textOf(node).trim()))
        report(node, new RuleError('A cell that says "the same": write what it is'));
    },
  };
}

/**
 * The rules for the text of a file; `openings` are its lines that open a comment. The rules get only those entries of the
 * dictionary that can occur in the text, since all entries would take minutes.
 */
export function rulesFor(text, file, openings) {
  const lower = text.toLowerCase();
  const near = entries.filter(([phrase]) => lower.includes(phrase.toLowerCase()));
  return [
    { ruleId: 'sentence-length', rule: sentenceLength, options: { most: mostWords } },
    { ruleId: 'missing-verb', rule: missingVerb },
    { ruleId: 'opening-word', rule: openingWord, options: { openings } },
    ...(file === 'cpp/FORMAT.md' ? [] : [{ ruleId: 'whole-code', rule: wholeCode }]),
    { ruleId: 'repeated-cell', rule: repeatedCell },
    { ruleId: 'terminology', rule: terminology, options: { defaultTerms: false, terms } },
    { ruleId: 'stop-words', rule: stopWords, options: { defaultWords: false, words: near } },
  ];
}
