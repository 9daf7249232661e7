import { Readable } from 'node:stream';
import type { Filter, PackedKeys } from 'tamis';
import { refuseToOverwrite } from '../files/files.js';
import { encodeList, encodingOf, type KeyEncoding, textOptions } from '../files/key-encodings.js';
import { type List, listOptions, openList } from '../files/lists.js';
import { checkStandardInput } from '../files/questions.js';
import {
  countOption,
  figuresAsJson,
  hashingOptions,
  outputOption,
  rateOption,
  readSecret,
} from '../frame/arguments.js';
import { command, dropUndefined, type Options } from '../frame/command.js';
import { CommandError, codeOf, prefixError, toUsageError, UsageError } from '../frame/errors.js';
import { formatCount, formatMs, pluralize } from '../frame/format.js';
import type { ProgressLine, Terminal } from '../frame/terminal.js';
import { writeAndReport } from './figures.js';
import {
  DEFAULT_TYPE,
  type FilterClass,
  type FilterOptions,
  findClass,
  isStatic,
  typeNames,
  typeOptions,
  typeOptionsOf,
} from './filter-types.js';

const commonOptions = {
  output: outputOption,
  type: {
    value: 'TYPE',
    help: `the type of filter: ${typeNames.join(', ')}`,
    words: typeNames,
    default: DEFAULT_TYPE,
  },
  fpr: rateOption(
    'the rate of false positives, such as 0.01 or 2^-16 (default 0.01; for exact, the rate that makes it smallest)',
  ),
  capacity: countOption(
    'the number of keys to make room for (default: the keys in LIST); not for ribbon, binary-fuse and exact, which are for a fixed list',
  ),
  ...hashingOptions,
  ...textOptions,
  ...listOptions,
  json: figuresAsJson,
} as const satisfies Options;

const labelledOptions = Object.entries(typeOptions).map(([name, option]) => {
  return [name, { ...option, help: `${option.types.join(', ')}: ${option.help}` }] as const;
});

export const filterBuild = command({
  usage: 'build LIST -o FILE',
  summary: 'builds a filter of the keys in LIST',
  about: 'Builds a filter of the keys in LIST, and writes it to FILE.',
  operands: { LIST: 'a file with a key on each line, plain or gzip, or - for standard input' },
  expected: [1, 1, 'one LIST, a file or - for standard input'],
  options: { ...commonOptions, ...Object.fromEntries(labelledOptions) } as typeof commonOptions,
  notes: [
    'Lines are UTF-8. Empty lines, a CR before the line end and a leading BOM are dropped. A # at the start of a line and blanks around a key belong to the key, and cause a warning, unless --comments drops them.',
    'With --capacity, tamis reads LIST as a stream. Without it, the keys stay in memory until all are counted. For a fixed list, 8 bytes of each key stay in memory.',
    'A cuckoo or d-left-counting filter can be full, which is an error. A cuckoo filter is also full when LIST repeats a key more than 2 * bucket-size times.',
  ],
  async run(values, [path]: readonly [string], terminal) {
    const { output, type, capacity, fpr, seed, json } = values;
    const Class = findClass(type);
    if (isStatic(Class) && capacity !== undefined) {
      throw new UsageError(`--capacity: --type ${type} counts the keys in LIST itself`);
    }
    const secret = await readSecret(values['secret-file']);
    const { exclude, ...ofType } = typeOptionsOf(type, values);
    const settings: FilterOptions = {
      ...ofType,
      ...dropUndefined({ capacity, fpr, seed }),
      ...(secret && { secret }),
    };
    const list2 = typeof exclude === 'string' ? exclude : undefined;
    if (type === 'exact' && list2 === undefined) {
      throw new UsageError('build: expected --exclude LIST2, which --type exact needs');
    }
    checkStandardInput('build', [path, list2]);
    await refuseToOverwrite('-o', output, [path, list2, values['secret-file']], terminal);

    const started = performance.now();
    const list = await openList(path, values, terminal);
    const excluded = list2 === undefined ? undefined : await openList(list2, values, terminal);
    const lists = { list, excluded, encoding: encodingOf(values) };
    const build = isStatic(Class) ? buildStatic : buildGrowing;
    const filter = await explainErrors(lists, build(lists, settings, Class, terminal));
    const { keys: lines, extras } = list;
    const bytes = filter.toBytes();
    const buildMs = performance.now() - started;

    const from = `${pluralize(lines, 'line')} of ${list.name}${explainCount(Class, filter, lines)}`;
    const heading = `${output}: ${from}, ${list.dropped}${formatMs(buildMs)}`;
    const more = { output, lines, ...extras, buildMs };
    for (const one of [list, excluded]) one?.warn(terminal);
    await writeAndReport(filter, output, { json, heading, more, path: output }, terminal, bytes);
  },
});

/** Explains, in brackets, why a filter counts fewer keys than the list has lines; '' if it counts as many. */
function explainCount(Class: FilterClass, { count }: Filter, lines: number): string {
  if (count >= lines) return '';
  if (isStatic(Class)) return ` (${pluralize(count, 'distinct key')})`;
  return ` (${formatCount(lines - count)} looked present already)`;
}

interface Lists {
  readonly list: List;
  readonly excluded: List | undefined;
  readonly encoding: KeyEncoding;
}

type Build = (
  lists: Lists,
  settings: FilterOptions,
  Class: FilterClass,
  terminal: Terminal,
) => Promise<Filter>;

/** Streams the list into a filter of the given capacity. Without a capacity, it keeps all keys and counts them. */
const buildGrowing: Build = async ({ list, encoding }, settings, Class, terminal) => {
  const batches = encodeList(list, encoding, terminal);
  if (settings.capacity !== undefined) {
    const filter = new Class(settings);
    await filter.addFrom(batches);
    return filter;
  }
  // The constructor refuses invalid options before a long list is read. The limit of `regions` depends on the capacity.
  const { regions: _, ...others } = settings;
  new Class({ ...others, capacity: 1 }).dispose();
  const kept: PackedKeys[] = [];
  for await (const batch of batches) kept.push(batch);
  const bar = terminal.startProgress('building', 'keys', list.keys);
  try {
    const filter = new Class({ ...settings, capacity: list.keys });
    await filter.addFrom(Readable.from(kept), { onProgress: ({ done }) => bar.update(done) });
    return filter;
  } finally {
    bar.stop();
  }
};

/** Builds a filter of a fixed list, also from a stream. An exact filter needs two lists. */
const buildStatic: Build = async ({ list, excluded, encoding }, settings, Class, terminal) => {
  // sizeFor refuses invalid options here, before a long list is read.
  Class.sizeFor({ ...settings, capacity: 1, ...(excluded && { excluded: 1 }) });
  // Once all keys are read, a single call solves the filter, and reports no progress.
  let state: ProgressLine | undefined;
  const showSolving = () => {
    state = terminal.startState(`solving ${pluralize(list.keys, 'key')} ...`);
  };
  const include = encodeList(list, encoding, terminal);
  const source = excluded
    ? { include, exclude: thenDo(encodeList(excluded, encoding, terminal), showSolving) }
    : thenDo(include, showSolving);
  try {
    return await Class.fromAsync(source, settings);
  } finally {
    state?.stop();
  }
};

async function* thenDo<T>(source: AsyncIterable<T>, action: () => void): AsyncGenerator<T> {
  yield* source;
  action();
}

/** Waits for the filter. If a key had no room, the error names its line; any other error is blamed on the options. */
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
