// Reads a file with the public suffix list of publicsuffix.org.

import { domainToASCII } from 'node:url';
import { readTextFile } from '../files/lists.js';
import { CommandError } from '../frame/errors.js';
import { formatCount } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';

/** A rule of the list: `co.uk`, `*.ck`, `!www.ck`. */
const RULE = /^(!|\*\.)?([^\s!*/]+)$/;
/** The marks at the start and the end of the list's parts. */
const BORDER = /^\/\/ ===(BEGIN|END) [A-Z ]+===/;

/**
 * Returns a test if a host is a public suffix by the list at `path`. The host of a rule `*.host` counts too, since all
 * below it do. A rule `!host` is an exception. Throws a CommandError if the file is not such a list, or is incomplete.
 */
export async function readPublicSuffixes(
  path: string,
  terminal: Terminal,
): Promise<(host: string) => boolean> {
  const suffixes = new Set<string>();
  const wildcards = new Set<string>();
  const exceptions = new Set<string>();
  let open = 0;
  const { name, text } = await readTextFile(path, terminal);
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
