// Questions of the command line and of standard input, and the exit code that answers them all.

import type { PackedKeys } from 'tamis';
import { CommandError, UsageError } from './errors.js';
import { openList, STANDARD_INPUT } from './lists.js';
import { complain, print } from './output.js';

const FOUND = 0;
const NOTHING_FOUND = 1;
const ERROR = 2;

type Batch = readonly string[] | PackedKeys;

interface Answers {
  /** A line for each question. */
  readonly lines: readonly string[];
  /** Whether something is (probably) present. */
  readonly found: boolean;
}

/** Throws where standard input stands more than once among the questions. */
export function checkStandardInput(command: string, asked: readonly string[]): void {
  if (asked.indexOf(STANDARD_INPUT) !== asked.lastIndexOf(STANDARD_INPUT)) {
    throw new UsageError(`${command}: standard input can be read once only, so give - once`);
  }
}

/**
 * Prints the answers to all that is asked; `noun` is what messages call one. The exit code is 0 once
 * something is probably present, 1 if all was asked and nothing is; until then it stays 2, so that a
 * command that was cut short never says "nothing present".
 */
export async function answerAll(
  asked: readonly string[],
  noun: string,
  answer: (batch: Batch) => Answers,
): Promise<void> {
  process.exitCode = ERROR;
  let foundAny = false;
  for await (const batch of batchesOf(asked, noun)) {
    const { lines, found } = answer(batch);
    foundAny ||= found;
    if (foundAny) process.exitCode = FOUND;
    await print(lines.join(''));
  }
  if (!foundAny) process.exitCode = NOTHING_FOUND;
}

/** The questions of the command line in their order; for `-`, or if there are none, standard input's. */
async function* batchesOf(asked: readonly string[], noun: string): AsyncGenerator<Batch> {
  const at = asked.length === 0 ? 0 : asked.indexOf(STANDARD_INPUT);
  if (at < 0) {
    yield asked;
    return;
  }
  if (at > 0) yield asked.slice(0, at);
  yield* standardInput(noun);
  if (at + 1 < asked.length) yield asked.slice(at + 1);
}

async function* standardInput(noun: string): AsyncGenerator<PackedKeys> {
  if (process.stdin.isTTY) complain(`type ${noun}s, one a line; end with Ctrl-D`);
  const list = await openList(STANDARD_INPUT);
  let empty = true;
  for await (const batch of list.batches) {
    empty &&= batch.length === 0;
    yield batch;
  }
  if (empty) throw new CommandError(`${list.name}: an empty list: expected a ${noun} on each line`);
}
