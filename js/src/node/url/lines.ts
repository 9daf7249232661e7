// Reads lists with one entry per line into a list of URLs.

import type { UrlListBuilder } from 'tamis/url';
import { describeDropped } from '../files/list-lines.js';
import { type LineRules, type List, openList, showReading, textsOf } from '../files/lists.js';
import { CommandError, describe } from '../frame/errors.js';
import { formatCount, pluralize } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';

/** The builder's methods, by the kind of lines. */
export const adders = {
  hosts: 'addHosts',
  urls: 'addUrls',
  expressions: 'addExpressions',
} as const;

interface Values extends LineRules {
  readonly kind: (typeof adders)[keyof typeof adders] | undefined;
  readonly 'skip-invalid': boolean;
}

/** The lines of one list. */
export class Lines {
  readonly #path: string;
  readonly #builder: UrlListBuilder;
  readonly #values: Values;
  readonly #terminal: Terminal;
  readonly #skipped: SkippedLine[] = [];
  #list: List | undefined;

  constructor(
    [path]: readonly string[],
    builder: UrlListBuilder,
    values: Values,
    terminal: Terminal,
  ) {
    this.#path = path as string;
    this.#builder = builder;
    this.#values = values;
    this.#terminal = terminal;
  }

  async addAll(): Promise<void> {
    const builder = this.#builder;
    const { kind: add = adders.hosts } = this.#values;
    const list = await openList(this.#path, this.#values, this.#terminal);
    this.#list = list;
    await addLines(list, this.#terminal, (texts, numbers) => {
      const before = builder.skipped.first.length;
      builder[add](texts);
      const skipped = builder.skipped.first.slice(before);
      const lines = skipped.length > 0 ? numbers() : [];
      for (const { index, entry, message } of skipped) {
        this.#skipped.push({ line: lines[index] as number, entry, message: dropMethod(message) });
      }
    });
    tellSkipped(list, builder.skipped.count, this.#skipped, this.#terminal);
  }

  get from(): string {
    const { name, keys, extras } = this.#list as List;
    const dropped = this.#values.comments && describeDropped(extras);
    return `${pluralize(keys, 'line')} of ${name}, ${dropped ? `${dropped}, ` : ''}`;
  }

  get more(): object {
    const { keys: lines, extras } = this.#list as List;
    const left = { skipped: { count: this.#builder.skipped.count, first: this.#skipped } };
    return { lines, ...extras, ...(this.#values['skip-invalid'] && left) };
  }
}

/** The lines of a list, with their numbers. */
export async function addLines(
  list: List,
  terminal: Terminal,
  add: (texts: string[], numbers: () => number[]) => unknown,
): Promise<void> {
  for await (const batch of showReading(list, terminal)) {
    const texts = textsOf(batch);
    const numbers = (): number[] => list.lineNumbers(batch);
    try {
      add(texts, numbers);
    } catch (error) {
      const { index } = error as { index?: number };
      if (index === undefined) throw error;
      throw lineError(list.name, numbers()[index] as number, texts[index] as string, error);
    }
  }
}

/** A line of the list that is not an entry. */
interface SkippedLine {
  readonly line: number;
  /** The line, and the reason. */
  readonly entry: string;
  readonly message: string;
}

/** Prints the lines that --skip-invalid skipped. Throws if none is left: such a list would call everything safe. */
function tellSkipped(
  { name, keys }: List,
  count: number,
  first: readonly SkippedLine[],
  terminal: Terminal,
): void {
  if (count === 0) return;
  const details = first.map(({ line, message }) => `line ${formatCount(line)}: ${message}`);
  if (count === keys) {
    const [one = ''] = details;
    throw new CommandError(`${name}: every line is invalid: ${one}`);
  }
  terminal.warn(name, `${pluralize(count, 'invalid line')} skipped`);
  terminal.complainOf(details, count);
}

/** The builder's message, without the name of its method. */
const dropMethod = (message: string): string => message.replace(/^add\w+: /, '');

/** The letters of a line that a message shows. */
const MAX_SHOWN = 80;

export function lineError(name: string, line: number, text: string, error: unknown): CommandError {
  const message = dropMethod(describe(error));
  const start = text.slice(0, MAX_SHOWN);
  const shownText = message.includes(start)
    ? ''
    : ` '${start}${text.length > MAX_SHOWN ? '...' : ''}'`;
  const hint = text.startsWith('#') ? "; --comments '#' drops comments" : '';
  const place = `${name}: line ${formatCount(line)}${shownText}`;
  return new CommandError(`${place}: ${message}${hint}`, { cause: error });
}
