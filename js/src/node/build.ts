import type { Filter, PackedKeys, Progress } from 'tamis';
import {
  parse,
  parseCount,
  parseRate,
  parseSeed,
  readKeyOption,
  requireOutput,
} from './arguments.js';
import { CommandError, codeOf, prefixError, toUsageError, UsageError } from './errors.js';
import { SUCCESS } from './exit-codes.js';
import { describeFigures, figuresOf, overfullWarning } from './figures.js';
import { refuseToOverwrite, writeAtomically } from './files.js';
import {
  DEFAULT_TYPE,
  dropLateOptions,
  type FilterKind,
  type FilterOptions,
  type FilterSource,
  findKind,
  readTypeOptions,
  typeOptions,
} from './filter-types.js';
import { escapeControls, formatCount, formatMs, pluralize } from './format.js';
import { describeDropped } from './list-lines.js';
import {
  type List,
  listOptions,
  openList,
  readLineRules,
  STANDARD_INPUT,
  showReading,
} from './lists.js';
import { startProgress } from './progress.js';
import type { Terminal } from './terminal.js';

const optionsOfTypes = Object.fromEntries(
  Object.keys(typeOptions).map((name) => [name, { type: 'string' } as const]),
);

const optionTable = {
  ...optionsOfTypes,
  ...listOptions,
  output: { type: 'string', short: 'o' },
  type: { type: 'string', default: DEFAULT_TYPE },
  fpr: { type: 'string' },
  capacity: { type: 'string' },
  seed: { type: 'string' },
  'key-file': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** `tamis build LIST -o FILE`: a filter of the list's keys, written to a file. */
export async function build(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(args, optionTable);
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) {
    throw new UsageError('build: expected one LIST, a file or - for standard input');
  }
  const output = requireOutput('build', values.output);
  const kind = findKind(values.type);
  if (kind.isStatic && values.capacity !== undefined) {
    throw new UsageError(`--capacity: --type ${values.type} counts the keys in LIST itself`);
  }
  const capacity =
    values.capacity === undefined ? undefined : parseCount('--capacity', values.capacity);
  const { exclude, ...settings } = await readFilterOptions(values);
  if (exclude === path && path === STANDARD_INPUT) {
    throw new UsageError('build: standard input can be read once only, so give - once');
  }

  const rules = readLineRules(values);
  const other = typeof exclude === 'string' ? exclude : undefined;
  await refuseToOverwrite('-o', output, [path, other, values['key-file']], terminal);

  const started = performance.now();
  const list = await openList(path, rules, terminal);
  const excluded = other === undefined ? undefined : await openList(other, rules, terminal);
  const filter = await buildFrom({ list, excluded }, capacity, settings, kind, terminal);
  const { keys: lines, extras } = list;
  const bytes = filter.toBytes();
  const buildMs = performance.now() - started;
  await writeAtomically(output, bytes);
  const warning = overfullWarning(filter);
  const overfull = warning !== undefined;
  if (values.json) {
    const figures = figuresOf(filter, bytes.length);
    await terminal.printJson({ ...figures, overfull, output, lines, ...extras, buildMs });
  } else {
    const repeats = kind.isStatic && filter.count < lines;
    const distinct = repeats ? ` (${pluralize(filter.count, 'distinct key')})` : '';
    const from = `${pluralize(lines, 'line')} of ${list.name}${distinct}`;
    const dropped = rules.mark && describeDropped(extras);
    const heading = `${output}: ${from}, ${dropped ? `${dropped}, ` : ''}${formatMs(buildMs)}`;
    await terminal.print(`${escapeControls(heading)}\n${describeFigures(filter, bytes.length)}`);
  }
  const warnings = [list.warning(), excluded?.warning(), warning && `${output}: ${warning}`];
  for (const one of warnings) if (one) terminal.complain(one);
  filter.dispose();
  return SUCCESS;
}

type Values = ReturnType<typeof parse<typeof optionTable>>['values'];
type Settings = Omit<FilterOptions, 'capacity'>;

async function readFilterOptions(values: Values): Promise<Settings> {
  const { type, fpr, seed } = values;
  const key = await readKeyOption(values['key-file']);
  return {
    ...readTypeOptions(type, values),
    ...(fpr === undefined ? {} : { fpr: parseRate(fpr) }),
    ...(seed === undefined ? {} : { seed: parseSeed(seed) }),
    ...(key === undefined ? {} : { hash: 'keyed', key }),
  };
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
  terminal: Terminal,
): Promise<Filter> {
  const { list, excluded } = lists;
  const batches = showReading(list, terminal);
  if (isStatic || capacity !== undefined) {
    const others = excluded && { excluded: showReading(excluded, terminal) };
    const source: FilterSource = { batches, ...others, onProgress() {} };
    const options = capacity === undefined ? settings : { ...settings, capacity };
    return explainErrors(lists, build(options, source));
  }
  // Options that no filter can have are refused before a long list is read.
  const trial = { ...dropLateOptions(settings), capacity: 1 };
  (await explainErrors(lists, build(trial, { batches: replay([]), onProgress() {} }))).dispose();
  const kept: PackedKeys[] = [];
  for await (const batch of batches) kept.push(batch);
  const bar = startProgress(terminal, 'building', 'keys', list.keys);
  try {
    const onProgress = ({ done }: Progress): void => bar.update(done);
    const source: FilterSource = { batches: replay(kept), onProgress };
    return await explainErrors(lists, build({ ...settings, capacity: list.keys }, source));
  } finally {
    bar.stop();
  }
}

async function* replay(batches: readonly PackedKeys[]): AsyncGenerator<PackedKeys> {
  yield* batches;
}

/** An option that the package refuses is a mistake in the arguments, a key with no room in the list. */
async function explainErrors({ list, excluded }: Lists, filter: Promise<Filter>): Promise<Filter> {
  try {
    return await filter;
  } catch (error) {
    const { index, count } = error as { index?: number; count?: number };
    const code = codeOf(error);
    if (code === 'ERR_TAMIS_CONFLICT' && excluded && count !== undefined) {
      const both = `${pluralize(count, 'key')} in both ${list.name} and ${excluded.name}`;
      throw new CommandError(`${both} (${code})`, { cause: error });
    }
    throw index === undefined
      ? toUsageError(error)
      : prefixError(`${list.name}: key ${formatCount(index + 1)}`, error);
  }
}
