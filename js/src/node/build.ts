import type { Filter, PackedKeys, Progress } from 'tamis';
import { givenKey, outputFile, parse, parseCount, parseRate, parseSeed } from './arguments.js';
import { about, CommandError, codeOf, describe, UsageError } from './errors.js';
import { describeFigures, figuresOf, overfullWarning } from './figures.js';
import { writeAtomically } from './files.js';
import {
  DEFAULT_TYPE,
  type FilterOptions,
  type FilterSource,
  filterType,
  readTypeOptions,
  typeOptions,
  withoutLateOptions,
} from './filter-types.js';
import { formatCount, formatMs, plural, printable } from './format.js';
import { type List, openList } from './lists.js';
import { complain, print, printJson } from './output.js';
import { startProgress } from './progress.js';

const optionsOfTypes = Object.fromEntries(
  Object.keys(typeOptions).map((name) => [name, { type: 'string' } as const]),
);

const optionTable = {
  ...optionsOfTypes,
  output: { type: 'string', short: 'o' },
  type: { type: 'string', default: DEFAULT_TYPE },
  fpr: { type: 'string' },
  capacity: { type: 'string' },
  seed: { type: 'string' },
  'key-file': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** `tamis build LIST -o FILE`: a filter of the list's keys, written to a file. */
export async function build(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, optionTable);
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) {
    throw new UsageError('build: expected one LIST, a file or - for standard input');
  }
  const output = outputFile('build', values.output);
  const make = filterType(values.type);
  const capacity =
    values.capacity === undefined ? undefined : parseCount('--capacity', values.capacity);
  const options = await filterOptions(values);

  const started = performance.now();
  const list = await openList(path);
  const { filter, lines } = await buildFrom(list, capacity, options, make);
  const bytes = filter.toBytes();
  const buildMs = performance.now() - started;
  await writeAtomically(output, bytes);
  const warning = overfullWarning(filter);
  const overfull = warning !== undefined;
  if (values.json) {
    await printJson({ ...figuresOf(filter, bytes.length), overfull, output, lines, buildMs });
  } else {
    const heading = `${output}: ${plural(lines, 'line')} of ${list.name}, ${formatMs(buildMs)}`;
    await print(`${printable(heading)}\n${describeFigures(filter, bytes.length)}`);
  }
  if (warning) complain(`${output}: ${warning}`);
  filter.dispose();
}

type Values = ReturnType<typeof parse<typeof optionTable>>['values'];
type Settings = Omit<FilterOptions, 'capacity'>;

async function filterOptions(values: Values): Promise<Settings> {
  const { type, fpr, seed } = values;
  const key = await givenKey(values['key-file']);
  return {
    ...readTypeOptions(type, values),
    ...(fpr === undefined ? {} : { fpr: parseRate(fpr) }),
    ...(seed === undefined ? {} : { seed: parseSeed(seed) }),
    ...(key === undefined ? {} : { hash: 'keyed', key }),
  };
}

interface Built {
  readonly filter: Filter;
  readonly lines: number;
}

/**
 * Where the capacity is given, the list streams straight into the filter, in little memory. Where
 * it is not, the keys are read and counted first, and kept (packed) until the filter is made.
 */
async function buildFrom(
  list: List,
  capacity: number | undefined,
  settings: Settings,
  make: ReturnType<typeof filterType>,
): Promise<Built> {
  const tally = { lines: 0 };
  const batches = counted(list, tally);
  if (capacity !== undefined) {
    const source: FilterSource = { batches, onProgress() {} };
    const filter = await made(list, make({ ...settings, capacity }, source));
    return { filter, lines: tally.lines };
  }
  // Options that no filter can have are refused before a long list is read.
  const trial = { ...withoutLateOptions(settings), capacity: 1 };
  (await made(list, make(trial, { batches: inOrder([]), onProgress() {} }))).dispose();
  const kept: PackedKeys[] = [];
  for await (const batch of batches) kept.push(batch);
  const bar = startProgress('building', 'keys', tally.lines);
  try {
    const onProgress = ({ done }: Progress): void => bar.update(done);
    const source: FilterSource = { batches: inOrder(kept), onProgress };
    const filter = await made(list, make({ ...settings, capacity: tally.lines }, source));
    return { filter, lines: tally.lines };
  } finally {
    bar.stop();
  }
}

/** The list's batches, shown and tallied as they are read. Throws if there was no key at all. */
async function* counted(list: List, tally: { lines: number }): AsyncGenerator<PackedKeys> {
  const bar = startProgress('reading', 'bytes', list.sizeBytes);
  try {
    for await (const batch of list.batches) {
      tally.lines += batch.length;
      yield batch;
      bar.update(list.readBytes);
    }
  } finally {
    bar.stop();
  }
  if (tally.lines === 0) {
    throw new CommandError(`${list.name}: an empty list: expected a key on each line`);
  }
}

async function* inOrder(batches: readonly PackedKeys[]): AsyncGenerator<PackedKeys> {
  yield* batches;
}

/** An option that the package refuses is a mistake in the arguments, a key with no room in the list. */
async function made(list: List, filter: Promise<Filter>): Promise<Filter> {
  try {
    return await filter;
  } catch (error) {
    const { index } = error as { index?: number };
    if (codeOf(error) === 'ERR_TAMIS_INVALID_OPTION') {
      throw new UsageError(describe(error), { cause: error });
    }
    throw index === undefined ? error : about(`${list.name}: key ${formatCount(index + 1)}`, error);
  }
}
