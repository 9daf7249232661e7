import { parse, readKeyOption } from './arguments.js';
import { CommandError, UsageError } from './errors.js';
import { isAskable } from './figures.js';
import { loadStructure } from './files.js';
import { escapeControls } from './format.js';
import { listOptions, readLineRules, textsOf } from './lists.js';
import { answerAll, checkStandardInput } from './questions.js';
import type { Terminal } from './terminal.js';

const optionTable = {
  ...listOptions,
  'key-file': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** Why a type without `has` for keys cannot be asked. */
const unasked: Readonly<Record<string, string>> = {
  'bit-array': 'a bit-array has no keys to ask for: try inspect',
  iblt: 'an iblt cannot be asked for keys, it lists those in which two sets differ: try inspect',
  'url-list': 'a url-list is asked for URLs: try tamis url check',
  'url-delta': 'a url-delta is the change between two lists, and cannot be asked: try inspect',
};

/** `tamis check FILE [KEY...]`: a line for every key, and the exit code of answerAll. */
export async function check(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(args, optionTable);
  const [path, ...keys] = positionals;
  if (path === undefined) throw new UsageError('check: expected FILE, which tamis build wrote');
  checkStandardInput('check', keys);
  const rules = readLineRules(values);
  const { structure } = await loadStructure(path, await readKeyOption(values['key-file']));
  if (!isAskable(structure)) {
    const { type } = structure;
    throw new CommandError(`${path}: ${unasked[type] ?? `a ${type} has no keys to ask for`}`);
  }
  const show = values.json ? asJson : asText;
  const questions = { asked: keys, noun: 'key', rules };
  const code = await answerAll(questions, terminal, (batch) => {
    const answers = structure.hasMany(batch);
    const lines = textsOf(batch).map((text, i) => show(text, answers[i] === 1));
    return { lines, found: answers.includes(1) };
  });
  structure.dispose();
  return code;
}

const asText = (key: string, has: boolean): string =>
  `${has ? 'probably present' : 'certainly absent'}  ${escapeControls(key)}\n`;

const asJson = (key: string, has: boolean): string => `${JSON.stringify({ key, has })}\n`;
