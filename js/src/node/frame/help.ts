// Formats the texts of --help for the width of a terminal.

import type { Command, Group, Groups, Options } from './command.js';
import type { Row } from './format.js';
import type { Look } from './terminal.js';

/** Where a line may break: at a blank, but not after `(default`, nor after a `-` that is a word. */
const BREAK = /(?<!\(default| -) /;

/** Wraps text into lines of at most `width`; a longer word gets a line of its own. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(BREAK)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}

const showHeading = (text: string, { width, paint }: Look): string =>
  `\n${wrap(text, width)
    .map((line) => paint('bold', line))
    .join('\n')}\n`;

const paragraph = (text: string, { width }: Look): string => `${wrap(text, width).join('\n')}\n`;

/** The column where texts begin: after an indent of 2, the longest name, and a gap of 2. */
const columnOf = (rows: readonly Row[]): number =>
  Math.max(...rows.map(([name]) => name.length)) + 4;

/** The minimum number of columns for texts beside their names. With fewer columns, the texts are below the names. */
const LEAST_TEXT = 30;
const INDENT_BELOW = 10;

/** Formats rows of names, with their texts from `column` on. */
function showRows(rows: readonly Row[], { width }: Look, column = columnOf(rows)): string {
  const isBeside = width - column >= LEAST_TEXT;
  const indent = ' '.repeat(isBeside ? column : INDENT_BELOW);
  const show = ([name, text]: Row): string => {
    const [first, ...others] = wrap(text, width - indent.length);
    const label = isBeside ? `  ${name}`.padEnd(column) : `  ${name}\n${indent}`;
    return [`${label}${first}`, ...others.map((line) => indent + line)].join('\n');
  };
  return rows.map((row) => `${show(row)}\n`).join('');
}

/** The rows of the options, by groups with a heading. */
function groupsOf(options: Options): { heading: string; rows: Row[] }[] {
  const groups: { heading: string; rows: Row[] }[] = [{ heading: 'Options:', rows: [] }];
  for (const [name, option] of Object.entries(options)) {
    const { short, value, help, heading, default: standard } = option;
    if (heading !== undefined) groups.push({ heading, rows: [] });
    const letter = short === undefined ? '    ' : `-${short}, `;
    const text = standard === undefined ? help : `${help} (default ${standard})`;
    groups.at(-1)?.rows.push([`${letter}--${name}${value === undefined ? '' : ` ${value}`}`, text]);
  }
  return groups.filter(({ rows }) => rows.length > 0);
}

export function helpOf(
  { usage, about, operands, options, notes = [] }: Command,
  look: Look,
): string {
  const operandRows = Object.entries(operands);
  const groups = groupsOf(options);
  const column = columnOf([...operandRows, ...groups.flatMap(({ rows }) => rows)]);
  return [
    `${look.paint('bold', `tamis ${usage}${groups.length > 0 ? ' [options]' : ''}`)}\n\n`,
    paragraph(about, look),
    `\n${showRows(operandRows, look, column)}`,
    ...groups.map((group) => showHeading(group.heading, look) + showRows(group.rows, look, column)),
    ...notes.map((note) => {
      if (typeof note !== 'string') return showRows(Object.entries(note), look);
      return note.endsWith(':') ? showHeading(note, look) : `\n${paragraph(note, look)}`;
    }),
  ].join('');
}

const summariesOf = (commands: readonly Command[]): Row[] =>
  commands.map(({ usage, summary }) => [`tamis ${usage}`, summary]);

export function generalHelp(
  filterCommands: readonly Command[],
  pageCommands: readonly Command[],
  groups: Groups,
  completion: Command,
  look: Look,
): string {
  const groupRows = Object.entries(groups).map(([name, { what, commands }]): Row => {
    return [`tamis ${name} COMMAND`, `${what}: ${Object.keys(commands).join(', ')}`];
  });
  const filters = summariesOf(filterCommands);
  const commands: Row[] = [...filters, ...groupRows, ...summariesOf([completion])];
  const others: Row[] = [
    ['tamis help COMMAND', 'the options of a command, as COMMAND --help'],
    ['tamis --version', 'the version of the package'],
  ];
  const pages = summariesOf(pageCommands);
  const column = columnOf([...commands, ...pages, ...others]);
  return [
    paragraph('tamis builds approximate-membership filters from lists, and looks keys up.', look),
    showHeading('Commands:', look) + showRows(commands, look, column),
    showHeading('Commands for more keys than one filter should hold:', look),
    showRows(pages, look, column),
    `\n${showRows(others, look, column)}`,
    `\n${paragraph('A filter answers "certainly absent" or "probably present". A false positive is a key that is "probably present", but not in the list.', look)}`,
    showHeading('Exit codes, like those of grep:', look),
    showRows(
      [
        ['0', 'some key is probably present, or the command did its work'],
        ['1', 'no key is present'],
        ['2', 'an error, or no command: nothing is known'],
      ],
      look,
    ),
    showHeading(
      'To complete commands and options with the Tab key, add a line to the file of your shell:',
      look,
    ),
    showRows(Object.entries(installations), look),
  ].join('');
}

/** For each shell, the file and the line that turn on completion. */
export const installations: Readonly<Record<string, string>> = {
  '~/.bashrc': 'source <(tamis completion bash)',
  '~/.zshrc': 'source <(tamis completion zsh), below compinit',
  '~/.config/fish/config.fish': 'tamis completion fish | source',
};

export function groupHelp(name: string, { about, commands, note }: Group, look: Look): string {
  const more: Row = [`tamis help ${name} COMMAND`, 'the options of a command'];
  return [
    paragraph(about, look),
    showHeading('Commands:', look),
    showRows([...summariesOf(Object.values(commands)), more], look),
    `\n${paragraph(note, look)}`,
  ].join('');
}
