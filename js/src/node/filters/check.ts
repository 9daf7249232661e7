import type { Filter, PackedKeys } from 'tamis';
import { encodeKeys, keysOption } from '../files/key-encodings.js';
import { listOptions, textsOf } from '../files/lists.js';
import { answerAll, checkStandardInput } from '../files/questions.js';
import { keyOption, readSipKey } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { CommandError, codeOf } from '../frame/errors.js';
import { escapeControls } from '../frame/format.js';
import type { Look } from '../frame/look.js';
import { isAskable } from './figures.js';
import { formatOptions } from './format-options.js';
import { fromOption, loadFrom } from './formats.js';

/** Why a type without `has` for keys has no look-ups here. */
const unasked: Readonly<Record<string, string>> = {
  'bit-array': 'a bit-array has no keys to look up: try inspect',
  iblt: 'an iblt has no keys to look up, it lists those in which two sets differ: try inspect',
  'url-list': 'a url-list holds URLs: try tamis url check',
  'url-delta':
    'a url-delta has no keys to look up, it is the change between two lists: try inspect',
};

/** `tamis check FILE [KEY...]`: a line for every key, and the exit code of answerAll. */
export const check = command({
  usage: 'check FILE [KEY...]',
  summary: 'looks keys up in a filter',
  about: 'Looks keys up in a filter, and prints an answer for each.',
  operands: {
    FILE: 'a filter that tamis build wrote, or with --from another program',
    KEY: 'a key to look up; - reads keys from standard input, one on each line, as tamis does where there is no KEY',
  },
  expected: [1, Infinity, 'FILE, which tamis build wrote'],
  options: {
    from: fromOption,
    keys: keysOption,
    'key-file': keyOption,
    ...listOptions,
    json: { help: 'prints a line of JSON for each key: {"key":"a","has":true}' },
    ...formatOptions,
  },
  notes: [
    'Exit codes:',
    {
      0: 'some key is probably present, or the reader closed the pipe',
      1: 'every key is certainly absent',
      2: 'an error: the answer is not known',
    },
    'Two hyphens end the options:',
    { 'tamis check FILE -- -key': 'looks up a key that begins with a hyphen' },
  ],
  async run(values, [path, ...keys]: readonly [string, ...string[]], terminal) {
    checkStandardInput('check', keys);
    const { structure } = await loadFrom(path, values, await readSipKey(values['key-file']));
    if (!isAskable(structure)) {
      const { type } = structure;
      throw new CommandError(`${path}: ${unasked[type] ?? `a ${type} has no keys to look up`}`);
    }
    const show = values.json ? asJson : asText;
    const questions = { asked: keys, noun: 'key', rules: values };
    const code = await answerAll(questions, terminal, (batch) => {
      const answers = answersOf(structure, encodeKeys(batch, values.keys), path);
      const lines = textsOf(batch).map((text, i) => show(text, answers[i] === 1, terminal.look));
      return { lines, found: answers.includes(1) };
    });
    structure.dispose();
    return code;
  },
});

/** The answers, in order; a key that the filter of another program cannot have is a mistake in --keys. */
function answersOf(
  filter: Pick<Filter, 'hasMany'>,
  keys: readonly string[] | PackedKeys,
  path: string,
): Uint8Array {
  try {
    return filter.hasMany(keys);
  } catch (error) {
    if (codeOf(error) !== 'ERR_TAMIS_INVALID_KEY') throw error;
    const what = 'the keys of this filter have another form, which --keys names';
    throw new CommandError(`${path}: ${what} (ERR_TAMIS_INVALID_KEY)`, { cause: error });
  }
}

/** What is certain is green. */
const asText = (key: string, has: boolean, { paint }: Look): string => {
  const verdict = has ? paint('yellow', 'probably present') : paint('green', 'certainly absent');
  return `${verdict}  ${escapeControls(key)}\n`;
};

const asJson = (key: string, has: boolean): string => `${JSON.stringify({ key, has })}\n`;
