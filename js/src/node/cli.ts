#!/usr/bin/env node
import { version } from 'tamis';
import { build } from './build.js';
import { check } from './check.js';
import { CommandError, describe, isExpected, UsageError } from './errors.js';
import { help } from './help.js';
import { inspect } from './inspect.js';
import { merge } from './merge.js';
import { complain, complainOf, endQuietlyWhenNobodyReads, print } from './output.js';
import { plan } from './plan.js';
import { urlBuild } from './url-build.js';
import { urlCheck } from './url-check.js';
import { urlDiff } from './url-diff.js';
import { urlPublish } from './url-publish.js';

const commands = {
  plan,
  build,
  check,
  inspect,
  merge,
  'url build': urlBuild,
  'url diff': urlDiff,
  'url publish': urlPublish,
  'url check': urlCheck,
} as const;

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name);

/** The command's name and what follows it; the commands for lists of URLs have two words. */
function split([first, ...rest]: readonly string[]): [name: string | undefined, rest: string[]] {
  const [second = '', ...others] = rest;
  const name = `${first} ${second}`;
  return isCommand(name) ? [name, others] : [first, rest];
}

async function main(args: readonly string[]): Promise<void> {
  const [name, rest] = split(args);
  if (name === '--help' || name === '-h' || name === 'help') return print(help.general);
  if (name === '--version' || name === '-V') return print(`${version}\n`);
  const names = Object.keys(commands).join(', ');
  if (name === undefined) throw new UsageError(`expected a command: ${names}`);
  const options = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : rest.length);
  const wantsHelp = options.includes('--help') || options.includes('-h');
  if (wantsHelp && (name === 'url' || isCommand(name))) return print(help[name]);
  if (name === 'url') throw new UsageError('url: expected a command: build, diff, publish, check');
  if (!isCommand(name)) throw new UsageError(`unknown command ${name}: expected ${names}`);
  await commands[name](rest);
}

/**
 * Reports an error and ends with exit code 2 (Node's own for an uncaught one is 1, which says
 * "nothing present"): one line for what the user can mend, the whole stack for a bug.
 */
function fail(error: unknown): never {
  if (error instanceof Error && !isExpected(error)) console.error(error);
  else complain(describe(error));
  if (error instanceof CommandError) complainOf(error.details);
  if (error instanceof UsageError) {
    const [command = ''] = split(args);
    const topic = command === 'url' || isCommand(command) ? `${command} ` : '';
    process.stderr.write(`try: tamis ${topic}--help\n`);
  }
  process.exit(2);
}

const args = process.argv.slice(2);
process.on('uncaughtException', fail);
endQuietlyWhenNobodyReads();
// Ends also where standard input is still open, after an error that made reading on useless.
main(args).then(() => process.exit(), fail);
