import type { Filter, PackedKeys, Progress } from 'tamis';
import { givenKey, outputFile, parse, parseCount, parseRate, parseSeed } from './arguments.js';
import { about, asUsage, CommandError, codeOf, UsageError } from './errors.js';
import { describeFigures, figuresOf, overfullWarning } from './figures.js';
import { writeAtomically } from './files.js';
import {
  DEFAULT_TYPE,
  type FilterKind,
  type FilterOptions,
  type FilterSource,
  filterType,
  readTypeOptions,
  typeOptions,
  withoutLateOptions,
} from './filter-types.js';
import { formatCount, formatMs, plural, printable } from './format.js';
import { counted, type List, openList, STANDARD_INPUT } from './lists.js';
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
  const kind = filterType(values.type);
  if (kind.isStatic && values.capacity !== undefined) {
    throw new UsageError(`--capacity: --type ${values.type} counts the keys in LIST itself`);
  }
  const capacity =
    values.capacity === undefined ? undefined : parseCount('--capacity', values.capacity);
  const { exclude, ...settings } = await filterOptions(values);
  if (exclude === path && path === STANDARD_INPUT) {
    throw new UsageError('build: standard input can be read once only, so give - once');
  }

  const started = performance.now();
  const list = await openList(path);
  const excluded = typeof exclude === 'string' ? await openList(exclude) : undefined;
  const { filter, lines } = await buildFrom({ list, excluded }, capacity, settings, kind);
  const bytes = filter.toBytes();
  const buildMs = performance.now() - started;
  await writeAtomically(output, bytes);
  const warning = overfullWarning(filter);
  const overfull = warning !== undefined;
  if (values.json) {
    await printJson({ ...figuresOf(filter, bytes.length), overfull, output, lines, buildMs });
  } else {
    const repeats = kind.isStatic && filter.count < lines;
    const distinct = repeats ? ` (${plural(filter.count, 'distinct key')})` : '';
    const from = `${plural(lines, 'line')} of ${list.name}${distinct}`;
    const heading = `${output}: ${from}, ${formatMs(buildMs)}`;
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

interface Lists {
  readonly list: List;
  readonly excluded: List | undefined;
}

/**
 * Where the capacity is given, or the filter is built once, the list streams straight into it, in little
 * memory. Else the keys are read and counted first, and kept (packed) until the filter is made.
 */
async function buildFrom(
  lists: Lists,
  capacity: number | undefined,
  settings: Settings,
  { build, isStatic }: FilterKind,
): Promise<Built> {
  const { list, excluded } = lists;
  const tally = { lines: 0 };
  const batches = counted(list, tally);
  if (isStatic || capacity !== undefined) {
    const others = excluded && { excluded: counted(excluded, { lines: 0 }) };
    const source: FilterSource = { batches, ...others, onProgress() {} };
    const options = capacity === undefined ? settings : { ...settings, capacity };
    const filter = await made(lists, build(options, source));
    return { filter, lines: tally.lines };
  }
  // Options that no filter can have are refused before a long list is read.
  const trial = { ...withoutLateOptions(settings), capacity: 1 };
  (await made(lists, build(trial, { batches: inOrder([]), onProgress() {} }))).dispose();
  const kept: PackedKeys[] = [];
  for await (const batch of batches) kept.push(batch);
  const bar = startProgress('building', 'keys', tally.lines);
  try {
    const onProgress = ({ done }: Progress): void => bar.update(done);
    const source: FilterSource = { batches: inOrder(kept), onProgress };
    const filter = await made(lists, build({ ...settings, capacity: tally.lines }, source));
    return { filter, lines: tally.lines };
  } finally {
    bar.stop();
  }
}

async function* inOrder(batches: readonly PackedKeys[]): AsyncGenerator<PackedKeys> {
  yield* batches;
}

/** An option that the package refuses is a mistake in the arguments, a key with no room in the list. */
async function made({ list, excluded }: Lists, filter: Promise<Filter>): Promise<Filter> {
  try {
    return await filter;
  } catch (error) {
    const { index, count } = error as { index?: number; count?: number };
    const code = codeOf(error);
    if (code === 'ERR_TAMIS_CONFLICT' && excluded && count !== undefined) {
      const both = `${plural(count, 'key')} in both ${list.name} and ${excluded.name}`;
      throw new CommandError(`${both} (${code})`, { cause: error });
    }
    throw index === undefined
      ? asUsage(error)
      : about(`${list.name}: key ${formatCount(index + 1)}`, error);
  }
}
