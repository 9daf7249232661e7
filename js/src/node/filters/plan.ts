import { parse as parsePath } from 'node:path';
import { type FilterNeeds, type FilterSuggestion, suggestFilter } from 'tamis';
import { listOptions, openList, STANDARD_INPUT, showReading } from '../files/lists.js';
import { countOption, readRate } from '../frame/arguments.js';
import { command, dropUndefined, type Options, type ValuesOf } from '../frame/command.js';
import { orUsageError, UsageError } from '../frame/errors.js';
import { formatCount, formatRate, formatSize, pluralize, type Row } from '../frame/format.js';
import { DEFAULT_TYPE, findClass, isStatic, typeNames } from './filter-types.js';

const options = {
  capacity: countOption('the number of distinct keys, in place of LIST'),
  fpr: {
    value: 'RATE',
    help: 'the highest rate of false positives, such as 0.01 or 2^-16 (default 0.01)',
    read: (text: string, option: string) => ({ text, rate: readRate(text, option) }),
  },
  deletes: { help: 'keys will be deleted, too' },
  grows: { help: 'the number of keys is not known in advance' },
  static: { help: 'a fixed list: no key is added or deleted later' },
  values: { ...countOption('each key has a value of N bits, 1 to 32'), value: 'BITS' },
  universe: countOption('the number of all possible elements, if they can be numbered or listed'),
  ...listOptions,
  json: { help: 'prints the answer as one line of JSON' },
} as const satisfies Options;

export const plan = command({
  usage: 'plan [LIST]',
  summary: 'says which filter fits, how large it is, and why',
  about:
    'Says which type fits, its size, the reason, and the code or the command that makes it. In a program, suggestFilter says the same.',
  operands: { LIST: 'a file with a key on each line, which tamis counts, or - for standard input' },
  expected: [0, 1, 'one LIST, or --capacity'],
  options,
  async run(values, [path], terminal) {
    if ((path === undefined) === (values.capacity === undefined)) {
      throw new UsageError('plan: expected one LIST, or --capacity');
    }
    const { fpr, deletes, grows, static: isFixed, values: valueBits, universe } = values;
    const needs = {
      ...{ deletes, grows, static: isFixed },
      ...dropUndefined({ fpr: fpr?.rate, values: valueBits, universe }),
    };
    // Refuses wrong options before a long list is read.
    if (path !== undefined) suggest({ ...needs, capacity: 1 });
    const list = path === undefined ? undefined : await openList(path, values, terminal);
    // The list counts its keys while it is read.
    if (list) for await (const _ of showReading(list, terminal));
    const capacity = list ? list.keys : (values.capacity as number);
    const choice = suggest({ ...needs, capacity });
    const code = codeFor(choice, fpr?.text);
    const shown = dropUndefined({ code, command: commandFor(choice, path, values) });
    const figures = { ...choice, capacity, ...shown, ...list?.extras };
    const heading = `${pluralize(capacity, 'key')}${list ? ` of ${list.name}` : ''}`;
    await terminal.printFigures(values.json, figures, heading, [
      ['type', choice.type],
      ['class', choice.className],
      ['memory', formatSize(choice.sizeBytes)],
      ['bits per key', choice.bitsPerKey.toFixed(2)],
      ['false positives', choice.fpr === 0 ? 'none' : `${formatRate(choice.fpr)}, at most`],
      ...wrapRows('why', choice.why),
      ['in a program', code],
      ...(shown.command ? [['on a terminal', shown.command] as const] : []),
    ]);
    list?.warn(terminal);
  },
});

const suggest = (needs: FilterNeeds): FilterSuggestion => orUsageError(() => suggestFilter(needs));

/** The first argument of `from`, for types that are made with `from`; others are made with `new`. */
const sources: Readonly<Record<string, string>> = {
  ribbon: 'keys',
  bloomier: 'entries',
  exact: '{ include, exclude }',
};

/** The line of code that makes the structure. `options` is absent for a Set or Map, and is a length for a bit array. */
function codeFor({ type, className, options }: FilterSuggestion, fprText = ''): string {
  if (options === undefined) return `new ${className}(${type === 'map' ? 'entries' : 'keys'})`;
  if (typeof options === 'number') return `new ${className}(${formatLiteral(options)})`;
  const fields = Object.entries(options).map(([name, value]) => {
    const power = name === 'fpr' && /^2\^(-\d+)$/.exec(fprText);
    return `${name}: ${power ? `2 ** ${power[1]}` : formatLiteral(value)}`;
  });
  const source = sources[type];
  const settings = fields.length > 0 ? `{ ${fields.join(', ')} }` : '';
  if (source === undefined) return `new ${className}(${settings})`;
  return `${className}.from(${[source, settings].filter(Boolean).join(', ')})`;
}

/** Formats a number for source code: 1000000 as `1_000_000`. */
const formatLiteral = (value: number): string =>
  value < 10_000 ? String(value) : formatCount(value).replaceAll(',', '_');

/** The command that makes the structure from a list; undefined if there is none. */
function commandFor(
  { type }: FilterSuggestion,
  path: string | undefined,
  { capacity, fpr }: ValuesOf<typeof options>,
): string | undefined {
  if (!typeNames.includes(type)) return undefined;
  const output =
    path === undefined || path === STANDARD_INPUT ? 'FILE' : `${parsePath(path).name}.tamis`;
  const words = ['tamis', 'build', path === undefined ? 'LIST' : quote(path), '-o', quote(output)];
  if (type !== DEFAULT_TYPE) words.push('--type', type);
  if (type === 'exact') words.push('--exclude', 'LIST2');
  else if (fpr !== undefined) words.push('--fpr', fpr.text);
  if (capacity !== undefined && !isStatic(findClass(type)))
    words.push('--capacity', String(capacity));
  return words.join(' ');
}

/** Writes a path as a shell word: never like an option, and quoted if it has special characters. */
function quote(path: string): string {
  const operand = /^-./.test(path) ? `./${path}` : path;
  return /^[\w./-]+$/.test(operand) ? operand : `'${operand.replaceAll("'", "'\\''")}'`;
}

/** Wraps text into rows, of which the first has the label. With labels, 59 characters fit a terminal of 80 columns. */
function wrapRows(label: string, text: string): Row[] {
  const lines = text.match(/\S.{0,57}\S(?=\s|$)/g) ?? [text];
  return lines.map((line, i) => [i === 0 ? label : '', line] as const);
}
