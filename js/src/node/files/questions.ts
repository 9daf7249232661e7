// Look-ups from the command line and from standard input, and their exit code.

import type { PackedKeys } from 'tamis';
import { ERROR, NOTHING_FOUND, type Option, SUCCESS } from '../frame/command.js';
import { UsageError } from '../frame/errors.js';
import { escapeControls, pluralize, toJson } from '../frame/format.js';
import { isInteractive, type Terminal } from '../frame/terminal.js';
import { encodeKeys, type KeyEncoding } from './key-encodings.js';
import { type LineRules, openList, STANDARD_INPUT, showReading, textsOf } from './lists.js';

type Batch = readonly string[] | PackedKeys;

interface Questions {
  /** The operands; `-` stands for the lines of standard input. Without operands, only standard input is read. */
  readonly asked: readonly string[];
  /** The name of a look-up in messages. */
  readonly noun: string;
  readonly rules: LineRules & { readonly json: boolean };
}

interface Answers {
  /** The lines to print, one per look-up. */
  readonly lines: readonly string[];
  /** True if something is (probably) present. */
  readonly isPresent: boolean;
  /** The number of look-ups without an answer, which are not known to be absent; default 0. */
  readonly invalid?: number;
}

/** Throws if standard input is named more than once. */
export function checkStandardInput(command: string, asked: readonly (string | undefined)[]): void {
  if (asked.indexOf(STANDARD_INPUT) !== asked.lastIndexOf(STANDARD_INPUT)) {
    throw new UsageError(`${command}: standard input can be read once only, so give - once`);
  }
}

/** The help texts of look-ups: about a key, --json and the exit codes. */
export const keyOperand =
  'a key to look up; - reads keys from standard input, one on each line, as tamis does without a KEY';
export const keyAnswersAsJson = {
  help: 'prints a line of JSON for each key: {"key":"a","has":true}',
} as const satisfies Option;
export const keyExitCodes = [
  'Exit codes:',
  {
    0: 'some key is probably present, or the reader closed the pipe',
    1: 'every key is certainly absent',
    2: 'an error: the answer is not known',
  },
] as const;

/** Prints the answer of `hasMany` for each key, and returns the exit code of answerAll. */
export function answerKeys(
  asked: readonly string[],
  values: LineRules & { readonly keys: KeyEncoding; readonly json: boolean },
  terminal: Terminal,
  hasMany: (keys: Batch) => Uint8Array | Promise<Uint8Array>,
): Promise<number> {
  const { paint } = terminal.look;
  return answerAll({ asked, noun: 'key', rules: values }, terminal, async (batch) => {
    const answers = await hasMany(encodeKeys(batch, values.keys));
    const lines = textsOf(batch).map((key, i) => {
      const has = answers[i] === 1;
      if (values.json) return `${toJson({ key, has })}\n`;
      const verdict = has
        ? paint('yellow', 'probably present')
        : paint('green', 'certainly absent');
      return `${verdict}  ${escapeControls(key)}\n`;
    });
    return { lines, isPresent: answers.includes(1) };
  });
}

/**
 * Prints the answers to all look-ups, in order. The exit code is 0 if something is probably present, 1 if everything
 * was looked up and nothing is present, else 2. It is also 0 if the reader of the answers closed the pipe.
 */
export async function answerAll(
  questions: Questions,
  terminal: Terminal,
  answer: (batch: Batch) => Answers | Promise<Answers>,
): Promise<number> {
  let isAnyPresent = false;
  let unanswered = 0;
  for await (const batch of batchesOf(questions, terminal)) {
    const { lines, isPresent, invalid = 0 } = await answer(batch);
    isAnyPresent ||= isPresent;
    unanswered += invalid;
    const text = lines.join('');
    await (questions.rules.json ? terminal.send(text) : terminal.print(text));
    if (!terminal.isRead) return SUCCESS;
  }
  if (unanswered > 0) {
    const are = unanswered === 1 ? 'is' : 'are';
    const what = `${pluralize(unanswered, questions.noun)} ${are} invalid`;
    terminal.complain(`${what}, and not known to be safe`);
  }
  if (isAnyPresent) return SUCCESS;
  return unanswered > 0 ? ERROR : NOTHING_FOUND;
}

/** The look-ups in order: the operands before `-`, the lines of standard input, and the operands behind it. */
async function* batchesOf(
  { asked, noun, rules }: Questions,
  terminal: Terminal,
): AsyncGenerator<Batch> {
  const dashAt = asked.length === 0 ? 0 : asked.indexOf(STANDARD_INPUT); // no operands are like - alone
  if (dashAt < 0) {
    yield asked;
    return;
  }
  if (dashAt > 0) yield asked.slice(0, dashAt);
  const isTyped = isInteractive(terminal.stdin);
  if (isTyped) terminal.note(`type ${noun}s, one a line; end with Ctrl-D`);
  const list = await openList(STANDARD_INPUT, rules, terminal);
  // On a terminal the answers themselves show the progress.
  if (isTyped || terminal.printsToPerson) terminal.showsProgress = false;
  yield* showReading(list, terminal, { label: 'checking', noun });
  list.warn(terminal);
  if (dashAt + 1 < asked.length) yield asked.slice(dashAt + 1);
}
