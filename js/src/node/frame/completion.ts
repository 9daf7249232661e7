// The command that prints what a shell needs to complete commands and options.

import { readOneOf } from './arguments.js';
import { type Command, command } from './command.js';
import { installations } from './help.js';
import { type Completed, completeBash, completeFish, completeZsh, type Word } from './shells.js';

const shells = { bash: completeBash, zsh: completeZsh, fish: completeFish };
const names = Object.keys(shells) as (keyof typeof shells)[];

/** `tamis completion SHELL`: a script of all that `commands` take, by their names. */
export function completionOf(commands: Readonly<Record<string, Command>>): Command {
  const own = command({
    usage: 'completion SHELL',
    summary: 'prints a script for the Tab key: bash, zsh or fish',
    about: 'Prints a script by which a shell completes commands, options and their values.',
    operands: { SHELL: names.join(', ') },
    expected: [1, 1, `one SHELL: ${names.join(', ')}`],
    options: {},
    notes: ['Add a line to the file of your shell, and start a new one:', installations],
    async run(_, [shell]: readonly [string], terminal) {
      const complete = shells[readOneOf(names)(shell, 'completion')];
      await terminal.print(complete(completed(commands, own)));
    },
  });
  return own;
}

/** What can be completed: the words where a command is expected, then each command's options. */
function completed(commands: Readonly<Record<string, Command>>, own: Command): Completed {
  const words = (prefix: string): Word[] =>
    Object.entries(commands)
      .filter(([name]) => name.startsWith(prefix) && !name.slice(prefix.length).includes(' '))
      .map(([name, { summary }]) => ({ word: name.slice(prefix.length), help: summary }));
  const ofUrls = words('url ');
  const ofRedis = words('redis ');
  const all = [
    ...words(''),
    { word: 'url', help: 'lists of URLs' },
    { word: 'redis', help: 'filters in Redis' },
    { word: 'completion', help: own.summary },
  ];
  const more = [
    { word: 'help', help: 'the options of a command' },
    { word: '--version', help: 'the version of the package' },
  ];
  return {
    words: {
      '': [...all, ...more],
      url: ofUrls,
      redis: ofRedis,
      help: all,
      'help url': ofUrls,
      'help redis': ofRedis,
      completion: names.map((word) => ({ word, help: `a script for ${word}` })),
    },
    commands,
  };
}
