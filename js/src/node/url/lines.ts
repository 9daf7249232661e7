// Reads a list with one entry per line into a URL list.

import type { UrlListBuilder } from 'tamis/url';
import { type LineRules, type List, openList, showReading, textsOf } from '../files/lists.js';
import { CommandError, describe } from '../frame/errors.js';
import { formatCount, pluralize } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';

/** The builder's methods, by the kind of lines. */
const adders = { hosts: 'addHosts', urls: 'addUrls', expressions: 'addExpressions' } as const;

interface Values extends LineRules {
  readonly kind: keyof typeof adders | undefined;
  readonly 'skip-invalid': boolean;
}

/** Adds a list, and prints the skipped lines. Returns the start of the heading, and members for --json. */
export async function addList(
  path: string,
  builder: UrlListBuilder,
  values: Values,
  terminal: Terminal,
): Promise<{ from: string; more: object }> {
  const { kind = 'hosts', 'skip-invalid': skipInvalid } = values;
  const list = await openList(path, values, terminal);
  const first: { line: number; entry: string; message: string }[] = [];
  await addLines(list, terminal, (texts, findNumbers) => {
    const before = builder.skipped.first.length;
    builder[adders[kind]](texts);
    const skipped = builder.skipped.first.slice(before);
    const lines = skipped.length > 0 ? findNumbers() : [];
    for (const { index, entry, message } of skipped) {
      first.push({ line: lines[index] ?? 0, entry, message: dropMethod(message) });
    }
  });
  const { name, keys: lines, extras } = list;
  const { count } = builder.skipped;
  if (count > 0) {
    const details = first.map(({ line, message }) => `line ${formatCount(line)}: ${message}`);
    // A list without any entry would call every URL safe.
    if (count === lines) {
      throw new CommandError(withCure(`${name}: every line is invalid: ${details[0]}`));
    }
    terminal.warn(name, `${pluralize(count, 'invalid line')} skipped`, details, count);
  }
  const { widened } = builder;
  const { pages } = widened;
  const more = pages > 0 ? `${pluralize(pages, 'page')} widened to all below, ` : '';
  return {
    from: `${pluralize(lines, 'line')} of ${name}, ${list.dropped}${more}`,
    more: {
      ...{ lines, ...extras, ...(skipInvalid && { skipped: { count, first } }) },
      ...(pages > 0 && { widened }),
    },
  };
}

/** Passes lines to `add` in batches; `findNumbers` returns their numbers. Adds the line to an error with an `index`. */
export async function addLines(
  list: List,
  terminal: Terminal,
  add: (texts: string[], findNumbers: () => number[]) => unknown,
): Promise<void> {
  for await (const batch of showReading(list, terminal)) {
    const texts = textsOf(batch);
    const findNumbers = (): number[] => list.lineNumbers(batch);
    try {
      add(texts, findNumbers);
    } catch (error) {
      const { index }: { index?: number } = Object(error);
      if (index === undefined) throw error;
      throw lineError(list.name, findNumbers()[index] ?? 0, texts[index] ?? '', error);
    }
  }
}

/** The builder's message, without the name of its method. */
const dropMethod = (message: string): string => message.replace(/^add\w+: /, '');

/** Hints for lines in another syntax: the option that reads them. The patterns match error messages. */
const cures: readonly (readonly [RegExp, string])[] = [
  [/, but a line of a hosts file/, '; --format hosts reads such lines'],
  [/, but an AdGuard rule/, '; --format adblock reads such lines'],
  [/'(address|server|local)=\//, '; --format dnsmasq reads such lines'],
  [/'\s*<(!doctype|html)/i, '; this is HTML, perhaps the page of an error'],
  [/, but a URL/, '; --kind urls reads such lines'],
  [/: line [\d,]+:? '#/, "; --comments '#' drops comments"],
];
const withCure = (message: string): string =>
  message + (cures.find(([syntax]) => syntax.test(message))?.[1] ?? '');

/** The maximum number of letters of a line that a message shows. */
const MAX_SHOWN = 80;

/** The error for a line. It shows the start of the line, unless the message already does. */
export function lineError(name: string, line: number, text: string, error: unknown): CommandError {
  const message = dropMethod(describe(error));
  const start = text.slice(0, MAX_SHOWN);
  const end = text.length > MAX_SHOWN ? '...' : '';
  const shownText = message.includes(start) ? '' : ` '${start}${end}'`;
  const place = `${name}: line ${formatCount(line)}${shownText}`;
  return new CommandError(withCure(`${place}: ${message}`), { cause: error });
}
