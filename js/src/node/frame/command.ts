// The type of a command: options, operands, help texts and action. Also suggests names for mistyped ones.

import { parseArgs } from 'node:util';
import { closestMatch } from 'leven';
import { UsageError } from './errors.js';
import type { Terminal } from './terminal.js';

// The exit codes are those of grep.

/** Something is probably present, or the command did its work. */
export const SUCCESS = 0;
export const NOTHING_FOUND = 1;
/** An error: the answer is unknown, which is not the same as "nothing is present". */
export const ERROR = 2;

export interface Option {
  /** The name of the value in the help; an option without a value is a flag. */
  readonly value?: string;
  readonly help: string;
  /** The heading above this option in the help, if the option begins a group. */
  readonly heading?: string;
  readonly short?: string;
  /** Another name that people try. It is refused, and the error names the right option. */
  readonly wrongName?: string;
  /** The possible values, for completion and for the default of `read`. */
  readonly words?: readonly string[];
  /** True if the option may be repeated. */
  readonly multiple?: true;
  /** The default value as text, which the help shows. */
  readonly default?: string;
  /** True if the command cannot run without this option. */
  readonly required?: true;
  /** Turns the text into the value, or throws; default: the text, one of `words` if set. `option` has its hyphens. */
  readonly read?: (text: string, option: string) => unknown;
}

export type Options = Readonly<Record<string, Option>>;

type ReadBy<O> = O extends { read: (text: string, option: string) => infer T }
  ? T
  : O extends { words: readonly (infer W)[] }
    ? W
    : string;
type Present<O> = O extends { multiple: true } ? ReadBy<O>[] : ReadBy<O>;
type ValueOf<O> = O extends { value: string }
  ? Present<O> | (O extends { default: string } | { required: true } ? never : undefined)
  : boolean;

/** The values of options: undefined if an option is absent, and false if a flag is. */
export type ValuesOf<T extends Options> = { readonly [Name in keyof T]: ValueOf<T[Name]> };

export interface Command<T extends Options = Options> {
  /** The words after `tamis`. */
  readonly usage: string;
  readonly summary: string;
  /** The first sentences of the help. */
  readonly about: string;
  /** The help text of each operand. */
  readonly operands: Readonly<Record<string, string>>;
  /** The minimum and maximum number of operands, and the message for any other number. */
  readonly expected: readonly [least: number, most: number, what: string];
  readonly options: T;
  /** The end of the help: paragraphs, or rows of a name and a text. */
  readonly notes?: ReadonlyArray<string | Readonly<Record<string, string>>>;
  /** Runs the command, and returns the exit code if that is not SUCCESS. */
  run(
    values: ValuesOf<T>,
    operands: readonly string[],
    terminal: Terminal,
  ): Promise<number> | Promise<void>;
}

/** Commands whose names begin with the same word. */
export interface Group {
  /** The subject of the group. */
  readonly what: string;
  /** The help texts before and after the commands. */
  readonly about: string;
  readonly note: string;
  /** The commands, by their second word. */
  readonly commands: Commands;
}

export type Commands = Readonly<Record<string, Command>>;

export type Groups = Readonly<Record<string, Group>>;

const quiet: Option = {
  short: 'q',
  help: 'prints only errors, and data that other programs read',
};

/** Defines a command. `run` gets the values that the options' readers return. Inserts --quiet before any groups. */
export function command<const T extends Options>(definition: Command<T>): Command {
  const entries = Object.entries<Option>(definition.options);
  const at = entries.findIndex(([, { heading }]) => heading !== undefined);
  entries.splice(at < 0 ? entries.length : at, 0, ['quiet', quiet]);
  // The cast gives the command the type that all commands share.
  return { ...definition, options: Object.fromEntries(entries) } as unknown as Command;
}

/** Runs a command on the words after its name, and returns its exit code. */
export async function runCommand(
  name: string,
  { options, expected, run }: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (args.some((one) => one.includes('-----BEGIN'))) {
    throw new UsageError(
      `${name}: expected the name of a file, got a key: pass - and its text on standard input`,
    );
  }
  const entries = Object.entries(options);
  const types = entries.map(([key, { value, short, multiple = false }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [key, { type, multiple, ...(short && { short }) }] as const;
  });
  const { tokens, values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    allowPositionals: true,
    // Not strict, because checkOption throws better errors, with hints.
    strict: false,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === 'option') checkOption(token, options);
  const [least, most, what] = expected;
  if (positionals.length < least || positionals.length > most) {
    throw new UsageError(`${name}: expected ${what}`);
  }
  const pairs = entries.map(([key, option]) => [key, readValue(key, option, values[key])]);
  // An empty value counts as missing, too.
  const missing = entries.filter(([key, { required }]) => required && !values[key]);
  if (missing.length > 0) {
    const forms = missing.map(([key, option]) => `${formsOf(key, option)[0]} ${option.value}`);
    throw new UsageError(`${name}: expected ${forms.join(', ')}`);
  }
  // With --json a program reads the output, and no person watches the progress.
  if (values.json === true || values.quiet === true) terminal.showsProgress = false;
  terminal.isQuiet = values.quiet === true;
  const result = await run(Object.fromEntries(pairs) as ValuesOf<Options>, positionals, terminal);
  return result ?? SUCCESS;
}

/** The forms of an option: `-o` and `--output`. */
export const formsOf = (name: string, { short }: Option): string[] => [
  ...(short === undefined ? [] : [`-${short}`]),
  `--${name}`,
];

/** The value of an option; `parsed` is what parseArgs returned for it. */
function readValue(name: string, option: Option, parsed: unknown): unknown {
  const { value, words, read = words && readOneOf(words), default: standard } = option;
  if (value === undefined) return parsed === true;
  const readText = (text: string): unknown => (read ? read(text, `--${name}`) : text);
  if (Array.isArray(parsed)) return parsed.map(readText);
  const text = parsed ?? standard;
  return typeof text === 'string' ? readText(text) : undefined;
}

/** An option on the command line. `rawName` has its hyphens. `inlineValue`: the value is in the same word. */
type OptionToken = Extract<
  NonNullable<ReturnType<typeof parseArgs>['tokens']>[number],
  { readonly kind: 'option' }
>;

/** A mistyped word may have one wrong letter for every three letters. */
const LETTERS_PER_MISTAKE = 3;

const sortLetters = (name: string): string => [...name].sort().join('');

/** The name that was probably meant: it begins with `word`, has its letters in another order, or is similar. */
function guessName(word: string, names: readonly string[]): string | undefined {
  if (word.length < 2) return undefined;
  const maxDistance = Math.floor(word.length / LETTERS_PER_MISTAKE);
  return (
    names.find((name) => name.startsWith(word)) ??
    names.find((name) => sortLetters(name) === sortLetters(word)) ??
    closestMatch(word, names, { maxDistance })
  );
}

/** `did you mean a?` if the word resembles a name or begins names; otherwise `expected one of a, b`. */
export function expectedOneOf(word: string, names: readonly string[]): string {
  const name = guessName(word, names);
  if (name === undefined) return `expected one of ${names.join(', ')}`;
  const longer = names.filter((one) => one.startsWith(word));
  return `did you mean ${longer.length > 1 ? longer.join(' or ') : name}?`;
}

export const readOneOf =
  <const W extends string>(words: readonly W[]) =>
  (text: string, option: string): W => {
    const word = words.find((one) => one === text);
    if (word !== undefined) return word;
    throw new UsageError(`${option} ${text}: ${expectedOneOf(text, words)}`);
  };

/** The error for an unknown `option`, which has its hyphens. `known` is the option that is meant, if known. */
export function unknownOptionError(
  option: string,
  names: readonly string[],
  known?: string,
): UsageError {
  const meant = known ?? (option.startsWith('--') ? guessName(option.slice(2), names) : undefined);
  return new UsageError(`unknown option ${option}${meant ? `: did you mean --${meant}?` : ''}`);
}

/** Throws a UsageError if the option does not exist, or its value is wrong or missing. */
function checkOption({ name, rawName, value, inlineValue }: OptionToken, options: Options): void {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) {
    const names = Object.keys(options);
    const meant = names.find((one) => options[one]?.wrongName === name);
    throw unknownOptionError(rawName, names, meant);
  }
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value, got ${value}`);
  } else if (value === undefined) {
    throw new UsageError(`${rawName}: expected a value`);
  } else if (!inlineValue && /^-./.test(value)) {
    const inline = `${rawName.startsWith('--') ? `${rawName}=` : rawName}${value}`;
    throw new UsageError(`${rawName}: expected a value; if that is ${value}, write ${inline}`);
  }
}

type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Drops members that are undefined, because the package refuses such options. */
export const dropUndefined = <T extends object>(all: T): Defined<T> =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Defined<T>;
