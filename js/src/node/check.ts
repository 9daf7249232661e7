import { keyOption, readSipKey } from './arguments.js';
import { command } from './command.js';
import { CommandError } from './errors.js';
import { isAskable } from './figures.js';
import { loadStructure } from './files.js';
import { escapeControls } from './format.js';
import { listOptions, textsOf } from './lists.js';
import type { Look } from './look.js';
import { answerAll, checkStandardInput } from './questions.js';

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
    FILE: 'a filter that tamis build wrote',
    KEY: 'a key to look up; - reads keys from standard input, one on each line, as tamis does where there is no KEY',
  },
  expected: [1, Infinity, 'FILE, which tamis build wrote'],
  options: {
    'key-file': keyOption,
    ...listOptions,
    json: { help: 'prints a line of JSON for each key: {"key":"a","has":true}' },
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
    const { structure } = await loadStructure(path, await readSipKey(values['key-file']));
    if (!isAskable(structure)) {
      const { type } = structure;
      throw new CommandError(`${path}: ${unasked[type] ?? `a ${type} has no keys to look up`}`);
    }
    const show = values.json ? asJson : asText;
    const questions = { asked: keys, noun: 'key', rules: values };
    const code = await answerAll(questions, terminal, (batch) => {
      const answers = structure.hasMany(batch);
      const lines = textsOf(batch).map((text, i) => show(text, answers[i] === 1, terminal.look));
      return { lines, found: answers.includes(1) };
    });
    structure.dispose();
    return code;
  },
});

/** What is certain is green. */
const asText = (key: string, has: boolean, { paint }: Look): string => {
  const verdict = has ? paint('yellow', 'probably present') : paint('green', 'certainly absent');
  return `${verdict}  ${escapeControls(key)}\n`;
};

const asJson = (key: string, has: boolean): string => `${JSON.stringify({ key, has })}\n`;
