// What a command is: the options and operands that it takes, what the help says of them, and what it does.

import { parseArgs } from 'node:util';
import { UsageError } from './errors.js';
import { guessName } from './suggestions.js';
import type { Terminal } from './terminal.js';

// Exit codes, as grep has them.

/** Something is probably present, or the command did its work. */
export const SUCCESS = 0;
export const NOTHING_FOUND = 1;
/** Nothing is known: never to be taken for "nothing present". */
export const ERROR = 2;

/** An option: how it is read, and what the help says of it. */
export interface Option {
  /** What the help calls its value; an option without one is a flag. */
  readonly value?: string;
  readonly help: string;
  /** What the help says above it, where a group of options begins. */
  readonly heading?: string;
  readonly short?: string;
  /** Another name that people try. It is not taken, and the error says this one. */
  readonly wrongName?: string;
  /** The texts that its value can be, for completion. */
  readonly words?: readonly string[];
  /** It may be given again. */
  readonly multiple?: true;
  /** The text that stands for an option that is not given; the help says it. */
  readonly default?: string;
  /** From the text to the value; without it the text is the value. `option` has its hyphens. Throws a UsageError. */
  readonly read?: (text: string, option: string) => unknown;
}

export type Options = Readonly<Record<string, Option>>;

type ReadBy<O> = O extends { read: (text: string, option: string) => infer T } ? T : string;
type Given<O> = O extends { multiple: true } ? ReadBy<O>[] : ReadBy<O>;
type ValueOf<O> = O extends { value: string }
  ? Given<O> | (O extends { default: string } ? never : undefined)
  : boolean;

/** The values of options: undefined where one was not given, and of a flag false. */
export type ValuesOf<T extends Options> = { readonly [Name in keyof T]: ValueOf<T[Name]> };

export interface Command<T extends Options = Options> {
  /** The words after `tamis`. */
  readonly usage: string;
  readonly summary: string;
  /** What the help says first: sentences. */
  readonly about: string;
  /** What the help says of each operand. */
  readonly operands: Readonly<Record<string, string>>;
  /** The fewest operands and the most, and what was expected where there are fewer or more. */
  readonly expected: readonly [least: number, most: number, what: string];
  readonly options: T;
  /** The end of the help: paragraphs, and rows that belong to the one before them. */
  readonly notes?: ReadonlyArray<string | Readonly<Record<string, string>>>;
  /** Gives the exit code where that is not SUCCESS. */
  run(
    values: ValuesOf<T>,
    operands: readonly string[],
    terminal: Terminal,
  ): Promise<number> | Promise<void>;
}

/** Commands whose names begin with the same word. */
export interface Group {
  /** What they are about. */
  readonly what: string;
  /** What the help says before and behind them. */
  readonly about: string;
  readonly note: string;
  /** By the words behind that one. */
  readonly commands: Readonly<Record<string, Command>>;
}

export type Groups = Readonly<Record<string, Group>>;

/** A command, whose options have the types that their readers give. */
export const command = <const T extends Options>(own: Command<T>): Command =>
  own as unknown as Command;

/** Runs a command on the words behind its name, and gives its exit code. */
export async function runCommand(
  name: string,
  { options, expected, run }: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const types = Object.entries(options).map(([option, { value, short, multiple = false }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [option, { type, multiple, ...(short === undefined ? {} : { short }) }] as const;
  });
  const { tokens, values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === 'option') checkOption(token, options);
  const [least, most, what] = expected;
  if (positionals.length < least || positionals.length > most) {
    throw new UsageError(`${name}: expected ${what}`);
  }
  const read = Object.entries(options).map(
    ([option, own]) => [option, readValue(option, own, values[option])] as const,
  );
  if (values.json === true || values.quiet === true) terminal.showsProgress = false;
  const code = await run(Object.fromEntries(read) as ValuesOf<Options>, positionals, terminal);
  return code ?? SUCCESS;
}

/** The value of an option, of which `given` is what parseArgs found. */
function readValue(name: string, { value, read, ...own }: Option, given: unknown): unknown {
  if (value === undefined) return given === true;
  const readText = (text: string): unknown => (read ? read(text, `--${name}`) : text);
  if (Array.isArray(given)) return given.map(readText);
  const text = given ?? own.default;
  return text === undefined ? undefined : readText(text as string);
}

/** An option as it was given: `rawName` with its hyphens, `inlineValue` where an = stands between. */
interface GivenOption {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** What to say of an option that is none of `names`; it has its hyphens. `known` is what is meant, if that is known. */
export function unknownOptionError(
  given: string,
  names: readonly string[],
  known?: string,
): UsageError {
  const meant = known ?? (given.startsWith('--') ? guessName(given.slice(2), names) : undefined);
  return new UsageError(`unknown option ${given}${meant ? `: did you mean --${meant}?` : ''}`);
}

function checkOption({ name, rawName, value, inlineValue }: GivenOption, options: Options): void {
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

/** An object's members that are not undefined, as the package takes options. */
export const dropUndefined = <T extends object>(
  all: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
