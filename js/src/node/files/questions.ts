// Answers look-ups from the command line and from standard input, and computes the exit code.

import { existsSync } from 'node:fs';
import type { PackedKeys } from 'tamis';
import { ERROR, NOTHING_FOUND, type Options, SUCCESS, type ValuesOf } from '../frame/command.js';
import { UsageError } from '../frame/errors.js';
import { escapeControls, formatCount, pluralize, toJson } from '../frame/format.js';
import { isInteractive, type Terminal } from '../frame/terminal.js';
import { encodeKeys, encodingOf, type textOptions } from './key-encodings.js';
import { type LineRules, openList, STANDARD_INPUT, showReading, textsOf } from './lists.js';

type Batch = readonly string[] | PackedKeys;

interface Questions {
  /** The operands; `-` means the lines of standard input. Without operands, only standard input is read. */
  readonly asked: readonly string[];
  /** The noun for what is looked up, in messages. */
  readonly noun: string;
  readonly rules: LineRules & { readonly json: boolean };
}

interface Answers {
  /** The lines to print, one for each look-up. */
  readonly lines: readonly string[];
  /** True if something is (probably) present. */
  readonly isPresent: boolean;
  /** The number of look-ups that have no answer, and may be present; default 0. */
  readonly invalid?: number;
}

/** Throws if standard input is named more than once. */
export function checkStandardInput(command: string, asked: readonly (string | undefined)[]): void {
  if (asked.indexOf(STANDARD_INPUT) !== asked.lastIndexOf(STANDARD_INPUT)) {
    throw new UsageError(`${command}: standard input can be read only once: pass - once`);
  }
}

/** The help texts that all commands for look-ups share. */
export const keyOperand =
  'a key to look up; - reads keys from standard input, one on each line, as tamis does without a KEY';
export const keyAnswerOptions = {
  all: {
    help: 'checks that the filter misses no key: prints how many it misses, and the first of them',
  },
  json: {
    help: 'prints a line of JSON for each key: {"key":"a","has":true}; with --all, a single line: {"keys":2,"missing":1,"firstMissing":["b"]}',
  },
} as const satisfies Options;
export const keyExitCodes = [
  'Exit codes:',
  {
    0: 'some key is probably present, or the reader closed the pipe; with --all: no key is missing',
    1: 'every key is certainly absent; with --all: a key is missing',
    2: 'an error: the answer is not known',
  },
] as const;

type HasMany = (keys: Batch) => Uint8Array | Promise<Uint8Array>;

/** Prints the answer of `hasMany` for each key, or with --all the missing keys. Returns the exit code. */
export function answerKeys(
  asked: readonly string[],
  values: ValuesOf<typeof textOptions & typeof keyAnswerOptions> & LineRules,
  terminal: Terminal,
  hasMany: HasMany,
): Promise<number> {
  const { paint } = terminal.look;
  const encoding = encodingOf(values);
  const questions = { asked, noun: 'key', rules: values };
  const lookUp: HasMany = (batch) => hasMany(encodeKeys(batch, encoding));
  if (values.all) {
    const files = asked.filter((one) => one !== STANDARD_INPUT && existsSync(one));
    for (const file of files) {
      terminal.warn(file, 'looked up as a key; to look up the keys in this file, pass < FILE');
    }
    return findMissing(questions, values.json, terminal, lookUp);
  }
  return answerAll(questions, terminal, async (batch) => {
    const answers = await lookUp(batch);
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

/** The maximum number of missing keys to print. */
const MAX_SHOWN = 20;

/** Prints how many keys are missing, and the first of them. The exit code is 1 if one is missing, else 0. */
async function findMissing(
  questions: Questions,
  asJson: boolean,
  terminal: Terminal,
  hasMany: HasMany,
): Promise<number> {
  let keys = 0;
  let missing = 0;
  const firstMissing: string[] = [];
  for await (const batch of batchesOf(questions, terminal)) {
    const answers = await hasMany(batch);
    keys += answers.length;
    const texts = answers.includes(0) ? textsOf(batch) : [];
    for (const [i, key] of texts.entries()) {
      if (answers[i] !== 0) continue;
      if (missing++ < MAX_SHOWN) firstMissing.push(key);
    }
  }
  const code = missing > 0 ? NOTHING_FOUND : SUCCESS;
  if (asJson) {
    await terminal.printJson({ keys, missing, firstMissing });
    return code;
  }
  const label = terminal.look.paint('red', 'certainly absent');
  const lines = firstMissing.map((key) => `${label}  ${escapeControls(key)}\n`);
  const more = missing - firstMissing.length;
  if (more > 0) lines.push(`and ${formatCount(more)} more\n`);
  const are = missing === 1 ? 'is' : 'are';
  lines.push(`${formatCount(missing)} of ${pluralize(keys, 'key')} ${are} missing\n`);
  await terminal.print(lines.join(''));
  return code;
}

/**
 * Prints the answers to all look-ups, in order. The exit code is 0 if something is probably present; 1 if nothing is
 * present and every look-up has an answer; else 2. It is also 0 if the program that reads the answers closed the pipe.
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

/** The look-ups in order: the operands before `-`, the lines of standard input, and the operands after it. */
async function* batchesOf(
  { asked, noun, rules }: Questions,
  terminal: Terminal,
): AsyncGenerator<Batch> {
  const dashAt = asked.length === 0 ? 0 : asked.indexOf(STANDARD_INPUT); // without operands, as if only - were passed
  if (dashAt < 0) {
    yield asked;
    return;
  }
  if (dashAt > 0) yield asked.slice(0, dashAt);
  const isTyped = isInteractive(terminal.stdin);
  if (isTyped) terminal.note(`type ${noun}s, one a line; end with Ctrl-D`);
  const list = await openList(STANDARD_INPUT, rules, terminal);
  // On a terminal, the answers themselves show the progress.
  if (isTyped || terminal.printsToPerson) terminal.showsProgress = false;
  yield* showReading(list, terminal, { label: 'checking', noun });
  list.warn(terminal);
  if (dashAt + 1 < asked.length) yield asked.slice(dashAt + 1);
}
