import { inspect as showError } from 'node:util';
import { version } from 'tamis';
import { unknownOptionError } from './arguments.js';
import { build } from './build.js';
import { check } from './check.js';
import { CommandError, describe, isError, isExpected, UsageError } from './errors.js';
import { ERROR, SUCCESS } from './exit-codes.js';
import { help } from './help.js';
import { inspect } from './inspect.js';
import { merge } from './merge.js';
import { plan } from './plan.js';
import { expectedOneOf } from './suggestions.js';
import { type Streams, Terminal } from './terminal.js';
import { urlBuild } from './url-build.js';
import { urlCheck } from './url-check.js';
import { urlDiff } from './url-diff.js';
import { urlPublish } from './url-publish.js';

export { removeUnfinished } from './files.js';

const commands = {
  plan,
  build,
  check,
  merge,
  inspect,
  'url build': urlBuild,
  'url diff': urlDiff,
  'url publish': urlPublish,
  'url check': urlCheck,
} as const;

type CommandName = keyof typeof commands;

const commandNames = Object.keys(commands) as CommandName[];

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);

/** What a help text can be asked for: a command, `url` for all of its own, or the whole. */
type Topic = CommandName | 'url' | 'general';

const isHelp = (word: string | undefined): boolean =>
  word === '--help' || word === '-h' || word === 'help';

/**
 * Runs the command line on `args`, the words after `tamis`, and gives its exit code: as grep's, 0 where
 * something is probably present or the command did its work, 1 where nothing is present, 2 for an
 * error. What goes wrong is told on `stderr`; nothing is thrown.
 */
export async function main(args: readonly string[], streams: Streams): Promise<number> {
  const terminal = new Terminal(streams);
  try {
    return await run(args, terminal);
  } catch (error) {
    explain(error, args, terminal);
    return ERROR;
  } finally {
    await terminal.flush();
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first, second, ...others] = args;
  if (first === undefined || (first === 'url' && second === undefined)) {
    // No command was given, which a script must not take for "found".
    terminal.stderr.write(help[first === undefined ? 'general' : 'url']);
    return ERROR;
  }
  if (first === '--version' || first === '-V') return show(`${version}\n`);
  if (isHelp(first)) return show(help[topicOf(args.slice(1))]);
  if (first === 'url' && isHelp(second)) return show(help[topicOf([first, ...others])]);
  const name = topicOf(args) as CommandName;
  const rest = args.slice(name.split(' ').length);
  const options = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : rest.length);
  if (options.includes('--help') || options.includes('-h')) return show(help[name]);
  return commands[name](rest, terminal);

  async function show(text: string): Promise<number> {
    await terminal.print(text);
    return SUCCESS;
  }
}

/** What the first words name; a UsageError for what they do not. */
function topicOf([first, second]: readonly string[]): Topic {
  if (first === undefined) return 'general';
  if (first === 'url' && second === undefined) return first;
  const name = first === 'url' ? `${first} ${second}` : first;
  if (isCommand(name)) return name;
  const word = first === 'url' ? (second as string) : first;
  if (word.startsWith('-')) throw unknownOptionError(word, ['help', 'version']);
  const isOfUrls = (command: string): boolean => command.startsWith('url ');
  const rivals =
    first === 'url'
      ? commandNames.filter(isOfUrls)
      : [...commandNames.filter((command) => !isOfUrls(command)), 'url'];
  // `tamis publish` is plain, too.
  const whole = commandNames.find((command) => command === `url ${first}`);
  const hint = whole ? `did you mean ${whole}?` : expectedOneOf(name, rivals);
  throw new UsageError(`unknown command ${name}: ${hint}`);
}

/** One line for what the user can mend, the whole stack for a bug. */
function explain(error: unknown, args: readonly string[], terminal: Terminal): void {
  if (isError(error) && !isExpected(error)) terminal.stderr.write(`${showError(error)}\n`);
  else terminal.complain(describe(error));
  if (error instanceof CommandError) terminal.complainOf(error.details);
  if (error instanceof UsageError) {
    const words = args.slice(0, args[0] === 'url' ? 2 : 1).join(' ');
    const topic = isCommand(words) ? `${words} ` : args[0] === 'url' ? 'url ' : '';
    terminal.stderr.write(`try: tamis ${topic}--help\n`);
  }
}
