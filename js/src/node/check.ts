import { keyOption, readSipKey } from './arguments.js';
import { command } from './command.js';
import { CommandError } from './errors.js';
import { isAskable } from './figures.js';
import { loadStructure } from './files.js';
import { escapeControls } from './format.js';
import { listOptions, textsOf } from './lists.js';
import { answerAll, checkStandardInput } from './questions.js';

/** Why a type without `has` for keys cannot be asked. */
const unasked: Readonly<Record<string, string>> = {
  'bit-array': 'a bit-array has no keys to ask for: try inspect',
  iblt: 'an iblt cannot be asked for keys, it lists those in which two sets differ: try inspect',
  'url-list': 'a url-list is asked for URLs: try tamis url check',
  'url-delta': 'a url-delta is the change between two lists, and cannot be asked: try inspect',
};

/** `tamis check FILE [KEY...]`: a line for every key, and the exit code of answerAll. */
export const check = command({
  usage: 'check FILE [KEY...]',
  summary: 'is a key in it? keys from standard input too',
  operands: {
    FILE: 'what tamis build wrote',
    KEY: 'a key to ask for; - reads keys from standard input, one a line; with no KEY at all they are read from there too',
  },
  expected: [1, Infinity, 'FILE, which tamis build wrote'],
  options: {
    'key-file': keyOption,
    ...listOptions,
    json: { help: 'a line of JSON for each key: {"key":"a","has":true}' },
  },
  notes: [
    'Exit codes:',
    {
      0: 'some key is probably present; also when the reader closes the pipe',
      1: 'none is',
      2: 'an error: the answer is not known',
    },
    'A key that begins with a hyphen goes after --: tamis check FILE -- -key',
  ],
  async run(values, [path, ...keys]: readonly [string, ...string[]], terminal) {
    checkStandardInput('check', keys);
    const { structure } = await loadStructure(path, await readSipKey(values['key-file']));
    if (!isAskable(structure)) {
      const { type } = structure;
      throw new CommandError(`${path}: ${unasked[type] ?? `a ${type} has no keys to ask for`}`);
    }
    const show = values.json ? asJson : asText;
    const questions = { asked: keys, noun: 'key', rules: values };
    const code = await answerAll(questions, terminal, (batch) => {
      const answers = structure.hasMany(batch);
      const lines = textsOf(batch).map((text, i) => show(text, answers[i] === 1));
      return { lines, found: answers.includes(1) };
    });
    structure.dispose();
    return code;
  },
});

const asText = (key: string, has: boolean): string =>
  `${has ? 'probably present' : 'certainly absent'}  ${escapeControls(key)}\n`;

const asJson = (key: string, has: boolean): string => `${JSON.stringify({ key, has })}\n`;
