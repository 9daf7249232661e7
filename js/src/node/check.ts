import type { PackedKeys } from 'tamis';
import { givenKey, parse } from './arguments.js';
import { CommandError, UsageError } from './errors.js';
import { isAskable } from './figures.js';
import { loadStructure } from './files.js';
import { printable } from './format.js';
import { openList, STANDARD_INPUT } from './lists.js';
import { complain, print } from './output.js';

const optionTable = {
  'key-file': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** Why a type without `has` for keys cannot be asked. */
const unasked: Readonly<Record<string, string>> = {
  'bit-array': 'a bit-array has no keys to ask for: try inspect',
  iblt: 'an iblt cannot be asked for keys, it lists those in which two sets differ: try inspect',
};

const FOUND = 0;
const NOTHING_FOUND = 1;
const ERROR = 2;

/**
 * `tamis check FILE [KEY...]`: a line for every key. The exit code is 0 once some key is probably
 * present, 1 if all were asked and none is; until then it stays 2, so that a command that was cut
 * short never says "nothing present".
 */
export async function check(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, optionTable);
  const [path, ...keys] = positionals;
  if (path === undefined) throw new UsageError('check: expected FILE, which tamis build wrote');
  if (keys.indexOf(STANDARD_INPUT) !== keys.lastIndexOf(STANDARD_INPUT)) {
    throw new UsageError('check: standard input can be read once only, so give - once');
  }
  const { structure } = await loadStructure(path, await givenKey(values['key-file']));
  if (!isAskable(structure)) {
    const { type } = structure;
    throw new CommandError(`${path}: ${unasked[type] ?? `a ${type} has no keys to ask for`}`);
  }
  process.exitCode = ERROR;
  const show = values.json ? asJson : asText;
  let found = false;
  for await (const batch of batchesOf(keys)) {
    const answers = structure.hasMany(batch);
    found ||= answers.includes(1);
    if (found) process.exitCode = FOUND;
    const lines = textsOf(batch).map((text, i) => show(text, answers[i] === 1));
    await print(lines.join(''));
  }
  if (!found) process.exitCode = NOTHING_FOUND;
  structure.dispose();
}

const asText = (key: string, has: boolean): string =>
  `${has ? 'probably present' : 'certainly absent'}  ${printable(key)}\n`;

const asJson = (key: string, has: boolean): string => `${JSON.stringify({ key, has })}\n`;

type Batch = readonly string[] | PackedKeys;

/** The keys of the command line in their order; for `-`, or if there are none, standard input's. */
async function* batchesOf(keys: readonly string[]): AsyncGenerator<Batch> {
  const at = keys.length === 0 ? 0 : keys.indexOf(STANDARD_INPUT);
  if (at < 0) {
    yield keys;
    return;
  }
  if (at > 0) yield keys.slice(0, at);
  yield* standardInput();
  if (at + 1 < keys.length) yield keys.slice(at + 1);
}

async function* standardInput(): AsyncGenerator<PackedKeys> {
  if (process.stdin.isTTY) complain('type keys, one a line; end with Ctrl-D');
  const list = await openList(STANDARD_INPUT);
  let empty = true;
  for await (const batch of list.batches) {
    empty &&= batch.length === 0;
    yield batch;
  }
  if (empty) throw new CommandError(`${list.name}: an empty list: expected a key on each line`);
}

/** The keys of a batch as the strings that they are the UTF-8 bytes of. */
function textsOf(batch: Batch): string[] {
  if (!('starts' in batch)) return [...batch];
  const { bytes, starts, ends, length } = batch;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return Array.from({ length }, (_, i) => decoder.decode(bytes.subarray(starts[i], ends[i])));
}
