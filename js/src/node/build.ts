import type { Filter, PackedKeys, Progress } from 'tamis';
import { parse, parseCount, parseRate, parseSeed, readKeyFile } from './arguments.js';
import { CommandError, codeOf, describe, UsageError } from './errors.js';
import { describeFigures, figuresOf, overfullWarning } from './figures.js';
import { writeAtomically } from './files.js';
import {
  DEFAULT_TYPE,
  type FilterOptions,
  type FilterSource,
  filterType,
  typeNames,
} from './filter-types.js';
import { formatMs, plural, printable } from './format.js';
import { type List, openList } from './lists.js';
import { complain, print, printJson } from './output.js';
import { startProgress } from './progress.js';

const optionTable = {
  output: { type: 'string', short: 'o' },
  type: { type: 'string', default: DEFAULT_TYPE },
  fpr: { type: 'string' },
  capacity: { type: 'string' },
  scheme: { type: 'string' },
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
  const { output } = values;
  if (!output || output === '-') throw new UsageError('build: expected -o FILE, where to write to');
  const make = filterType(values.type);
  if (!make) {
    throw new UsageError(`--type ${values.type}: expected one of ${typeNames.join(', ')}`);
  }
  const capacity =
    values.capacity === undefined ? undefined : parseCount('--capacity', values.capacity);
  const options = await filterOptions(values);

  const started = performance.now();
  const list = await openList(path);
  const { filter, lines } = await buildFrom(list, capacity, (capacity, source) =>
    make({ ...options, capacity }, source),
  );
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

async function filterOptions(values: Values): Promise<Omit<FilterOptions, 'capacity'>> {
  const { fpr, scheme, seed, 'key-file': keyFile } = values;
  return {
    ...(fpr === undefined ? {} : { fpr: parseRate(fpr) }),
    ...(scheme === undefined ? {} : { scheme }),
    ...(seed === undefined ? {} : { seed: parseSeed(seed) }),
    ...(keyFile === undefined ? {} : { hash: 'keyed', key: await readKeyFile(keyFile) }),
  };
}

type Make = (capacity: number, source: FilterSource) => Promise<Filter>;

interface Built {
  readonly filter: Filter;
  readonly lines: number;
}

/**
 * Where the capacity is given, the list streams straight into the filter, in little memory. Where
 * it is not, the keys are read and counted first, and kept (packed) until the filter is made.
 */
async function buildFrom(list: List, capacity: number | undefined, make: Make): Promise<Built> {
  const tally = { lines: 0 };
  const batches = counted(list, tally);
  if (capacity !== undefined) {
    const filter = await made(make(capacity, { batches, onProgress() {} }));
    return { filter, lines: tally.lines };
  }
  // Options that no filter can have are refused before a long list is read.
  (await made(make(1, { batches: inOrder([]), onProgress() {} }))).dispose();
  const kept: PackedKeys[] = [];
  for await (const batch of batches) kept.push(batch);
  const bar = startProgress('building', 'keys', tally.lines);
  try {
    const onProgress = ({ done }: Progress): void => bar.update(done);
    const filter = await made(make(tally.lines, { batches: inOrder(kept), onProgress }));
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

/** An option that the package refuses is a mistake in the arguments. */
async function made(filter: Promise<Filter>): Promise<Filter> {
  try {
    return await filter;
  } catch (error) {
    if (codeOf(error) !== 'ERR_TAMIS_INVALID_OPTION') throw error;
    throw new UsageError(describe(error), { cause: error });
  }
}
