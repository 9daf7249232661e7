// What --help prints.

import type { Command } from './command.js';

/** Columns of a terminal. */
const WIDTH = 80;

/** Lines that fit behind an indent, with which the first one begins already. */
function wrap(text: string, indent = 0): string {
  const line = new RegExp(`\\S.{0,${WIDTH - indent - 1}}(?=\\s|$)`, 'g');
  return (text.match(line) ?? [text]).join(`\n${' '.repeat(indent)}`);
}

type Row = readonly [name: string, text: string];

const columnOf = (rows: readonly Row[]): number =>
  Math.max(...rows.map(([name]) => name.length)) + 4;

/** Names, and what is said of them from a column on. */
const showRows = (rows: readonly Row[], column = columnOf(rows)): string =>
  rows.map(([name, text]) => `  ${name.padEnd(column - 2)}${wrap(text, column)}\n`).join('');

/** What --help prints of a command. */
export function helpOf({ usage, operands, options, notes = [] }: Command): string {
  const ofOptions = Object.entries(options).map(([name, { short, value, help, heading }]) => {
    const letter = short === undefined ? '' : `-${short}, `;
    const row: Row = [`${letter}--${name}${value === undefined ? '' : ` ${value}`}`, help];
    return { row, heading };
  });
  const ofOperands = Object.entries(operands);
  const column = columnOf([...ofOperands, ...ofOptions.map(({ row }) => row)]);
  const shown = ofOptions.map(
    ({ row, heading }) => (heading ? `\n${wrap(heading)}\n\n` : '') + showRows([row], column),
  );
  const more = notes.map((note) =>
    typeof note === 'string' ? `\n${wrap(note)}\n` : showRows(Object.entries(note)),
  );
  return [`tamis ${usage} [options]\n\n`, showRows(ofOperands, column), ...shown, ...more].join('');
}

const summariesOf = (commands: readonly Command[]): Row[] =>
  commands.map(({ usage, summary }) => [`tamis ${usage}`, summary]);

/** What --help prints of the whole. */
export const generalHelp = (commands: readonly Command[]): string =>
  `tamis: approximate-membership filters, built from lists and asked from files

${showRows([...summariesOf(commands), ['tamis url COMMAND', 'lists of URLs: build, diff, publish, check']])}
${showRows([
  ['tamis help COMMAND', 'the options of a command, as COMMAND --help'],
  ['tamis --version', 'the version of the package'],
])}
A filter answers "certainly absent" or "probably present", never more.

Exit codes, as grep has them:
${showRows([
  ['0', 'some key is probably present, or the command did its work'],
  ['1', 'nothing is present'],
  ['2', 'an error, or no command: nothing is known'],
])}`;

/** What `tamis url --help` prints. */
export const urlHelp = (commands: readonly Command[]): string =>
  `tamis url: lists of hosts and URLs as Safe Browsing has them

${showRows([...summariesOf(commands), ['tamis help url COMMAND', 'the options of a command']])}
${wrap('Programs use the entry tamis/url of the package: UrlChecker keeps a published list up to date and checks by it. createConfirmHandler answers for what hits.')}
`;
