#!/usr/bin/env node
import { version } from 'tamis';
import { build } from './build.js';
import { check } from './check.js';
import { describe, isExpected, UsageError } from './errors.js';
import { help } from './help.js';
import { inspect } from './inspect.js';
import { merge } from './merge.js';
import { complain, endQuietlyWhenNobodyReads, print } from './output.js';
import { plan } from './plan.js';

const commands = { plan, build, check, inspect, merge } as const;

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name);

async function main(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === '--help' || name === '-h' || name === 'help') return print(help.general);
  if (name === '--version' || name === '-V') return print(`${version}\n`);
  const names = Object.keys(commands).join(', ');
  if (name === undefined) throw new UsageError(`expected a command: ${names}`);
  if (!isCommand(name)) throw new UsageError(`unknown command ${name}: expected ${names}`);
  const options = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : rest.length);
  if (options.includes('--help') || options.includes('-h')) return print(help[name]);
  await commands[name](rest);
}

/**
 * Reports an error and ends with exit code 2 (Node's own for an uncaught one is 1, which says
 * "nothing present"): one line for what the user can mend, the whole stack for a bug.
 */
function fail(error: unknown): never {
  if (error instanceof Error && !isExpected(error)) console.error(error);
  else complain(describe(error));
  if (error instanceof UsageError) {
    const [command = ''] = args;
    const topic = isCommand(command) ? `${command} ` : '';
    process.stderr.write(`try: tamis ${topic}--help\n`);
  }
  process.exit(2);
}

const args = process.argv.slice(2);
process.on('uncaughtException', fail);
endQuietlyWhenNobodyReads();
// Ends also where standard input is still open, after an error that made reading on useless.
main(args).then(() => process.exit(), fail);
