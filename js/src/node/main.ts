import { inspect as showError } from 'node:util';
import { version } from 'tamis';
import { filterBuild } from './filters/build.js';
import { filterCheck } from './filters/check.js';
import { convert } from './filters/convert.js';
import { inspect } from './filters/inspect.js';
import { merge } from './filters/merge.js';
import { plan } from './filters/plan.js';
import {
  type Command,
  type Commands,
  ERROR,
  expectedOneOf,
  type Groups,
  runCommand,
  SUCCESS,
  unknownOptionError,
} from './frame/command.js';
import { completionOf } from './frame/completion.js';
import { CommandError, describe, isError, isExpected, UsageError } from './frame/errors.js';
import { generalHelp, groupHelp, helpOf } from './frame/help.js';
import { type Look, type Streams, Terminal } from './frame/terminal.js';
import { hash } from './pages/hash.js';
import { manifest } from './pages/manifest.js';
import { pages } from './pages/pages.js';
import { shard } from './pages/shard.js';
import { redisCheck, redisLoad, redisPull, redisPush } from './redis/redis.js';
import { urlBuild } from './url/build.js';
import { urlCheck } from './url/check.js';
import { urlDiff } from './url/diff.js';
import { urlKey } from './url/key.js';
import { urlPublish } from './url/publish.js';

export { removeUnfinished } from '../disk/index.js';

const ofFilters = { plan, build: filterBuild, check: filterCheck, merge, convert, inspect };
const ofPages = { shard, hash, pages, manifest };
const groups: Groups = {
  url: {
    what: 'lists of URLs',
    about: 'tamis url builds, publishes and checks URL lists, like those of Safe Browsing.',
    note: 'Programs use the entry tamis/url of the package. UrlChecker keeps a published list up to date and checks URLs against it. createConfirmHandler answers for what hits.',
    commands: {
      build: urlBuild,
      diff: urlDiff,
      publish: urlPublish,
      check: urlCheck,
      key: urlKey,
    },
  },
  redis: {
    what: 'filters in Redis',
    about: 'tamis redis handles filters in Redis, which many processes share.',
    note: 'Programs use the entry tamis/redis of the package. A filter is plain strings: no module is needed.',
    commands: { load: redisLoad, check: redisCheck, pull: redisPull, push: redisPush },
  },
};
const ofGroups = Object.entries(groups).flatMap(([group, { commands }]) =>
  Object.entries(commands).map(([name, command]) => [`${group} ${name}`, command] as const),
);
const allButCompletion = { ...ofFilters, ...ofPages, ...Object.fromEntries(ofGroups) };
const completion = completionOf(allButCompletion, groups);
const commands: Commands = { ...allButCompletion, completion };

const isGroup = (word: string | undefined): word is string =>
  word !== undefined && Object.hasOwn(groups, word);

/** The help for a topic: a command, a group of commands, or everything if it is ''. */
function helpFor(topic: string, look: Look): string {
  if (topic === '')
    return generalHelp(Object.values(ofFilters), Object.values(ofPages), groups, completion, look);
  const group = isGroup(topic) ? groups[topic] : undefined;
  return group ? groupHelp(topic, group, look) : helpOf(commands[topic] as Command, look);
}

const isHelp = (word: string | undefined): boolean =>
  word === '--help' || word === '-h' || word === 'help';

/** Runs the command in the words after `tamis`. Returns the exit code; errors are printed, not thrown. */
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
  const show = (text: string) => terminal.print(text).then(() => SUCCESS);
  const help = (topic: string) => show(helpFor(topic, terminal.look));
  if (first === undefined || (isGroup(first) && second === undefined)) {
    // No command was given, which a script must not mistake for "found".
    terminal.stderr.write(helpFor(first ?? '', terminal.errorLook));
    return ERROR;
  }
  if (first === '--version' || first === '-V') return show(`${version}\n`);
  if (isHelp(first)) return help(topicOf(args.slice(1)));
  if (isGroup(first) && isHelp(second)) return help(topicOf([first, ...others]));
  const name = topicOf(args);
  const rest = args.slice(name.split(' ').length);
  const options = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : rest.length); // only the words before --
  if (options.includes('--help') || options.includes('-h')) return help(name);
  return runCommand(name, commands[name] as Command, rest, terminal);
}

/** The topic for helpFor that the first words name; '' if there are no words. Throws a UsageError for unknown words. */
function topicOf([first, second]: readonly string[]): string {
  if (first === undefined) return '';
  if (isGroup(first) && second === undefined) return first;
  const name = isGroup(first) ? `${first} ${second}` : first;
  if (Object.hasOwn(commands, name)) return name;
  const wrongWord = isGroup(first) ? (second as string) : first;
  if (wrongWord.startsWith('-')) throw unknownOptionError(wrongWord, ['help', 'version']);
  const candidates = isGroup(first)
    ? Object.keys(commands).filter((command) => command.startsWith(`${first} `))
    : [...Object.keys({ ...ofFilters, ...ofPages }), ...Object.keys(groups), 'completion'];
  // If the group is missing, as in `tamis publish`, the hint is url publish.
  const wholeName = Object.keys(commands).find((command) => command.endsWith(` ${first}`));
  const hint = wholeName ? `did you mean ${wholeName}?` : expectedOneOf(name, candidates);
  throw new UsageError(`unknown command ${name}: ${hint}`);
}

/** Prints an error: one line if the user can correct it, and the whole stack for a bug. */
function explain(error: unknown, args: readonly string[], terminal: Terminal): void {
  if (isError(error) && !isExpected(error)) terminal.stderr.write(`${showError(error)}\n`);
  else terminal.complain(describe(error));
  if (error instanceof CommandError) terminal.complainOf(error.details);
  if (error instanceof UsageError) {
    const [first = '', second] = args;
    const topic = [`${first} ${second}`, first].find((name) =>
      Object.hasOwn({ ...commands, ...groups }, name),
    );
    terminal.stderr.write(`try: tamis ${topic ? `${topic} ` : ''}--help\n`);
  }
}
