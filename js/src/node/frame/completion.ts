// The command that prints a shell's script for completion.

import { readOneOf } from './arguments.js';
import { type Command, command, type Groups } from './command.js';
import { installations } from './help.js';
import { type Completed, completeBash, completeFish, completeZsh, type Word } from './shells.js';

const shells = { bash: completeBash, zsh: completeZsh, fish: completeFish };
const names = Object.keys(shells) as (keyof typeof shells)[];

/** `tamis completion SHELL`: prints a script for all `commands` and their `groups`. */
export function completionOf(commands: Completed['commands'], groups: Groups): Command {
  const completion = command({
    usage: 'completion SHELL',
    summary: 'prints a script for the Tab key: bash, zsh or fish',
    about: 'Prints a script by which a shell completes commands, options and their values.',
    operands: { SHELL: names.join(', ') },
    expected: [1, 1, `one SHELL: ${names.join(', ')}`],
    options: {},
    notes: ['Add a line to the file of your shell, and start a new one:', installations],
    async run(_, [shell]: readonly [string], terminal) {
      const complete = shells[readOneOf(names)(shell, 'completion')];
      await terminal.print(complete(completed(commands, groups, completion)));
    },
  });
  return completion;
}

/** The words that can be completed: names of commands, then each command's options. */
function completed(
  commands: Completed['commands'],
  groups: Groups,
  { summary }: Command,
): Completed {
  const wordsOf = (some: Completed['commands']): Word[] =>
    Object.entries(some)
      .filter(([word]) => !word.includes(' '))
      .map(([word, { summary }]) => ({ word, help: summary }));
  const ofGroups = Object.entries(groups).map(
    ([name, group]) => [name, wordsOf(group.commands)] as const,
  );
  const all = [
    ...wordsOf(commands),
    ...Object.entries(groups).map(([word, { what }]) => ({ word, help: what })),
    { word: 'completion', help: summary },
  ];
  const more = [
    { word: 'help', help: 'the options of a command' },
    { word: '--version', help: 'the version of the package' },
  ];
  return {
    words: {
      '': [...all, ...more],
      ...Object.fromEntries(ofGroups),
      help: all,
      ...Object.fromEntries(ofGroups.map(([name, words]) => [`help ${name}`, words])),
      completion: names.map((word) => ({ word, help: `a script for ${word}` })),
    },
    commands,
  };
}
