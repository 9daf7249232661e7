import { parse as parsePath } from 'node:path';
import { type FilterNeeds, type FilterSuggestion, suggestFilter } from 'tamis';
import { parse, parseCount, parseRate } from './arguments.js';
import { toUsageError, UsageError } from './errors.js';
import { SUCCESS } from './exit-codes.js';
import { DEFAULT_TYPE, findKind, typeNames } from './filter-types.js';
import {
  alignRows,
  escapeControls,
  formatCount,
  formatRate,
  formatSize,
  pluralize,
} from './format.js';
import { listOptions, openList, readLineRules, STANDARD_INPUT, showReading } from './lists.js';
import type { Terminal } from './terminal.js';

const optionTable = {
  ...listOptions,
  capacity: { type: 'string' },
  fpr: { type: 'string' },
  deletes: { type: 'boolean', default: false },
  grows: { type: 'boolean', default: false },
  static: { type: 'boolean', default: false },
  values: { type: 'string' },
  universe: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parse<typeof optionTable>>['values'];

/** `tamis plan`: which type fits, how large it will be, why, and how it is made. */
export async function plan(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(args, optionTable);
  const [path, ...more] = positionals;
  if (more.length > 0 || (path === undefined) === (values.capacity === undefined)) {
    throw new UsageError('plan: expected one LIST, or --capacity');
  }
  const given = needsOf(values);
  const rules = readLineRules(values);
  // What is wrong with the needs is said before a long list is read.
  if (path !== undefined) suggest({ ...given, capacity: 1 });
  const list = path === undefined ? undefined : await openList(path, rules, terminal);
  if (list) for await (const _ of showReading(list, terminal));
  const capacity = list ? list.keys : parseCount('--capacity', values.capacity ?? '');
  const choice = suggest({ ...given, capacity });
  const code = codeFor(choice, values.fpr);
  const command = commandFor(choice, path, values);
  if (values.json) {
    await terminal.printJson({
      ...choice,
      capacity,
      ...list?.extras,
      code,
      ...(command && { command }),
    });
  } else {
    await terminal.print(describe());
  }
  const warning = list?.warning();
  if (warning) terminal.complain(warning);
  return SUCCESS;

  function describe(): string {
    const heading = `${pluralize(capacity, 'key')}${list ? ` of ${list.name}` : ''}`;
    const rows: (readonly [string, string])[] = [
      ['type', choice.type],
      ['class', choice.className],
      ['memory', formatSize(choice.sizeBytes)],
      ['bits per key', choice.bitsPerKey.toFixed(2)],
      ['false positives', choice.fpr === 0 ? 'none' : `${formatRate(choice.fpr)}, at most`],
      ...wrapRows('why', choice.why),
      ['in a program', code],
    ];
    if (command) rows.push(['on a terminal', command]);
    return `${escapeControls(heading)}\n${alignRows(rows)}`;
  }
}

function needsOf(values: Values): Omit<FilterNeeds, 'capacity'> {
  const { fpr, deletes, grows, values: bits, universe } = values;
  return {
    deletes,
    grows,
    static: values.static,
    ...(fpr === undefined ? {} : { fpr: parseRate(fpr) }),
    ...(bits === undefined ? {} : { values: parseCount('--values', bits) }),
    ...(universe === undefined ? {} : { universe: parseCount('--universe', universe) }),
  };
}

/** suggestFilter, whose complaints about the needs are mistakes in the arguments. */
function suggest(needs: FilterNeeds): FilterSuggestion {
  try {
    return suggestFilter(needs);
  } catch (error) {
    throw toUsageError(error);
  }
}

/** Made from keys that are at hand; the others by `new`. */
const sources: Readonly<Record<string, string>> = {
  ribbon: 'keys',
  bloomier: 'entries',
  exact: '{ include, exclude }',
};

/** The line of a program that makes it. */
function codeFor({ type, className, options }: FilterSuggestion, fpr = ''): string {
  if (options === undefined) return `new ${className}(${type === 'map' ? 'entries' : 'keys'})`;
  if (typeof options === 'number') return `new ${className}(${formatLiteral(options)})`;
  const fields = Object.entries(options).map(([name, value]) => {
    const power = name === 'fpr' && /^2\^(-\d+)$/.exec(fpr);
    return `${name}: ${power ? `2 ** ${power[1]}` : formatLiteral(value)}`;
  });
  const from = sources[type];
  const argument = fields.length > 0 ? [`{ ${fields.join(', ')} }`] : [];
  if (from === undefined) return `new ${className}(${argument})`;
  return `${className}.from(${[from, ...argument].join(', ')})`;
}

/** 1000000 -> `1_000_000`, as programs write it. */
const formatLiteral = (value: number): string =>
  value < 10_000 ? String(value) : formatCount(value).replaceAll(',', '_');

/** The command that makes it of a list, where there is one. */
function commandFor(
  { type }: FilterSuggestion,
  path: string | undefined,
  { capacity, fpr }: Values,
): string | undefined {
  if (!typeNames.includes(type)) return undefined;
  const output =
    path === undefined || path === STANDARD_INPUT ? 'FILE' : `${parsePath(path).name}.tamis`;
  const words = ['tamis', 'build', path === undefined ? 'LIST' : quote(path), '-o', quote(output)];
  if (type !== DEFAULT_TYPE) words.push('--type', type);
  if (type === 'exact') words.push('--exclude', 'LIST2');
  else if (fpr !== undefined) words.push('--fpr', fpr);
  if (capacity !== undefined && !findKind(type).isStatic) words.push('--capacity', capacity);
  return words.join(' ');
}

/** A path as a shell takes it for one word, and a command for no option. */
function quote(path: string): string {
  const safe = /^-./.test(path) ? `./${path}` : path;
  return /^[\w./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

/** Rows of at most so many letters, the label at the first. */
function wrapRows(label: string, text: string): (readonly [string, string])[] {
  const lines = text.match(/\S.{0,57}\S(?=\s|$)/g) ?? [text];
  return lines.map((line, i) => [i === 0 ? label : '', line] as const);
}
