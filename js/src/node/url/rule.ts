// The rules that choose the hosts to look up for a URL, by their names on the command line.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { HostRule } from 'tamis/url';
import { type Option, readOneOf } from '../frame/command.js';
import { CommandError, codeOf } from '../frame/errors.js';

/** The members of the package `tldts` that are used. */
interface Tldts {
  getDomain(host: string, options: Readonly<Record<string, boolean>>): string | null;
}

export const ruleNames = ['parents', 'labels5', 'tldts'] as const;

export const ruleOption = (help: string) =>
  ({
    value: 'RULE',
    help,
    words: ruleNames,
    read(text: string, option: string): HostRule {
      const name = readOneOf(ruleNames)(text, option);
      return name === 'tldts' ? makeTldtsRule() : name;
    },
  }) as const satisfies Option;

export const nameOfRule = (rule: HostRule): string => (typeof rule === 'object' ? rule.name : rule);

/** The rule of `tldts`, with private suffixes. Its name contains the version, which builds and look-ups must share. */
function makeTldtsRule(): HostRule {
  const { getDomain, version } = requireTldts();
  const options = {
    allowPrivateDomains: true,
    // A canonical host is used unchanged, even with underscores and escapes.
    detectIp: false,
    extractHostname: false,
    validateHostname: false,
  };
  return {
    name: `psl-icann+private@tldts-${version}`,
    registrableDomain: (host) => getDomain(host, options),
  };
}

/** Loads the package from the user's project, or else from beside this package, which does not depend on it. */
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
