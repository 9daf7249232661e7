// The rules of host suffixes that the command line knows, by their names.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { HostRule } from 'tamis/url';
import type { Option } from '../frame/command.js';
import { CommandError, codeOf, UsageError } from '../frame/errors.js';

/** What is needed of the package `tldts`. */
interface Tldts {
  getDomain(host: string, options: Readonly<Record<string, boolean>>): string | null;
}

const ruleNames = ['labels5', 'tldts'];

/** An option that is a rule. */
export const ruleOption = (help: string) =>
  ({
    value: 'RULE',
    help,
    words: ruleNames,
    default: 'labels5',
    read: readRule,
  }) as const satisfies Option;

function readRule(name: string): HostRule {
  if (name === 'labels5') return name;
  if (name === 'tldts') return publicSuffixes();
  throw new UsageError(`--rule ${name}: expected ${ruleNames.join(' or ')}`);
}

/**
 * By the Public Suffix List of the package `tldts`, its private part too. The version is in the name: a
 * list that was built by one version refuses look-ups by another.
 */
function publicSuffixes(): HostRule {
  const { getDomain, version } = requireTldts();
  const options = {
    allowPrivateDomains: true,
    // A canonical host as it stands: with underscores and escapes too.
    detectIp: false,
    extractHostname: false,
    validateHostname: false,
  };
  return {
    name: `psl-icann+private@tldts-${version}`,
    registrableDomain: (host) => getDomain(host, options),
  };
}

/** The package as the user's project has it, else as it lies beside this one: it is none of ours. */
function requireTldts(): Tldts & { version: string } {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    const require = createRequire(from);
    try {
      const { version } = require('tldts/package.json') as { version: string };
      return { ...(require('tldts') as Tldts), version };
    } catch (error) {
      if (codeOf(error) !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new CommandError('--rule tldts: the package tldts is not installed: npm install tldts');
}
