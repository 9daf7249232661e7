// The public suffix list, as publicsuffix.org serves it, in a file.

import { domainToASCII } from 'node:url';
import { readText } from '../files/lists.js';
import { CommandError } from '../frame/errors.js';
import { formatCount } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';

/** A rule of the list: `co.uk`, `*.ck`, `!www.ck`. */
const RULE = /^(!|\*\.)?([^\s!*/]+)$/;
/** The list names its parts where they begin and where they end. */
const BORDER = /^\/\/ ===(BEGIN|END) [A-Z ]+===/;

/**
 * Whether a host is a public suffix by the list at `path`. So is the host of a rule `*.host`, for all below it are. A
 * rule `!host` takes one out. Throws a CommandError for what is no such list, and for half of one.
 */
export async function readPublicSuffixes(
  path: string,
  terminal: Terminal,
): Promise<(host: string) => boolean> {
  const suffixes = new Set<string>();
  const wildcards = new Set<string>();
  const exceptions = new Set<string>();
  let open = 0;
  const { name, text } = await readText(path, terminal);
  for (const [i, line] of text.split('\n').entries()) {
    const border = BORDER.exec(line)?.[1];
    if (border) open += border === 'BEGIN' ? 1 : -1;
    // A rule ends at white space.
    const [rule = ''] = line.trim().split(/\s/);
    if (rule === '' || rule.startsWith('//')) continue;
    const [, mark, suffix = ''] = RULE.exec(rule) ?? [];
    const host = domainToASCII(suffix);
    if (host === '') {
      const what = `line ${formatCount(i + 1)} '${rule.slice(0, 80)}' is no rule`;
      throw new CommandError(`${name}: not a public suffix list: ${what}`);
    }
    if (mark === undefined) suffixes.add(host);
    else (mark === '!' ? exceptions : wildcards).add(host);
  }
  if (suffixes.size === 0) throw new CommandError(`${name}: a public suffix list without rules`);
  if (open !== 0) throw new CommandError(`${name}: the public suffix list is cut short`);
  return (host) =>
    !exceptions.has(host) &&
    (suffixes.has(host) || wildcards.has(host) || wildcards.has(parentOf(host)));
}

const parentOf = (host: string): string => host.slice(host.indexOf('.') + 1);
