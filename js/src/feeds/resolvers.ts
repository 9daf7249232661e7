// Reads lists of names: hosts files, plain domains, and configuration files of dnsmasq and unbound.

import { addNameOrPage, cutComment, isOwnAddress, isSinkhole, readHost } from './names.js';
import type { Findings, LineReader } from './report.js';

/** True for a trimmed line that begins with an address. An address has fewer than 64 characters. */
export const isHostsLine = (line: string): boolean =>
  /^(?=\S{1,63}\s)(0|[\da-f]*:[\da-f:.]*(%\w+)?|\d+(\.\d+){3})\s/i.test(line);

/** Reads a line of hosts(5): an address, then its names. A `#` anywhere or a `!` at the start begins a comment. */
export function readHostsLine(line: string, findings: Findings): undefined {
  const words = line.replace(/#.*/s, '').trim();
  if (words === '' || words[0] === '!') return findings.comment();
  const [address = '', ...names] = words.split(/[ \t\v\f]+/);
  const isBlocked = isSinkhole(address, findings);
  const isRight = names.length > 0 && (isBlocked || isHostsLine(words));
  if (!isRight) return findings.skip('not-understood', line);
  for (const name of names) {
    const host = readHost(name, findings);
    if (host === undefined) continue;
    if (isBlocked) findings.add('host', host, { isExact: true });
    else findings.skip('not-understood', `${address} ${name}`);
  }
}

/** Reads a line with one name or one URL. */
export function readDomain(line: string, findings: Findings): undefined {
  const name = cutComment(line).trim();
  if (name === '' || name[0] === '!') return findings.comment();
  addNameOrPage(name, findings);
}

/**
 * Reads a line of dnsmasq(8): `option=/domain/target`, with one or more domains, which cover subdomains. No target: the
 * name does not exist. `address` answers with the target (`#`: the null address); others forward to it.
 */
export function readDnsmasqLine(line: string, findings: Findings): undefined {
  const bare = cutComment(line).trim();
  if (bare === '' || bare[0] === '!') return findings.comment();
  const [, option, value = ''] = /^(address|server|local)\s*=(.*)$/.exec(bare) ?? [];
  const unquoted = value.trim().replace(/^"(.*)"$/, '$1');
  const [before, ...domains] = unquoted.split('/');
  const target = (domains.pop() ?? '').trim();
  if (option === undefined || before !== '' || domains.length === 0) {
    return findings.skip('not-understood', line);
  }
  const isAddress = option === 'address';
  const isBlocked =
    target === '' || (isAddress && (target === '#' || isSinkhole(target, findings)));
  // dnsmasq ignores a target that is this machine.
  if (!isAddress && isOwnAddress(target.replace(/#53$/, ''))) {
    return findings.skip('no-effect', line);
  }
  for (const domain of domains) {
    // `#` matches every name. Two slashes in a row match names of one label; no entry can say that.
    if (domain === '#' || domain === '') {
      findings.skip(domain ? 'wildcard' : 'not-understood', line);
      continue;
    }
    const host = readHost(domain.replace(/^\./, ''), findings);
    if (host === undefined) continue;
    if (isBlocked) findings.add('host', host, target === '' ? { precedence: 'weak' } : undefined);
    else if (isAddress) findings.skip('not-understood', line);
    else findings.add('allow-host', host, { precedence: 'nearest' }); // its queries are forwarded
  }
}

/** Zone types that answer all queries themselves, and zone types that let queries pass. */
const blocking = new Set([
  ...['deny', 'refuse', 'static', 'redirect', 'inform_deny', 'inform_redirect', 'always_refuse'],
  ...['always_nxdomain', 'always_nodata', 'always_deny', 'always_null'],
]);
const passing = /^((type|always_)?transparent|inform)$/;
/** Matches a token: text in quotes, or text up to white space. A `#` at the start of a token starts a comment. */
const tokens = /#.*|"([^"]*)"|'([^']*)'|[^\s"']+/g;
const key = /^[a-z][a-z\d-]*:/;

/** Returns a line's options, each as [name, ...values]. If the line starts without a name, the first name is ''. */
function optionsIn(line: string): string[][] {
  const options: string[][] = [];
  for (const [word, ...groups] of line.matchAll(tokens)) {
    if (word[0] === '#') break;
    const [name = ''] = key.exec(word) ?? [];
    const last = options.at(-1);
    if (last === undefined || name !== '') {
      // The value may follow the name without a blank.
      options.push(word === name ? [name] : [name, word.slice(name.length)]);
    } else last.push(groups.find((text) => text !== undefined) ?? word); // the text in quotes, or the word
  }
  return options;
}

/** Stands for no zone: no host ends in a blank. */
const noZone = ' ';

/** Reads unbound.conf(5). `local-zone` covers a domain and all its subdomains, `local-data` one name. */
export class UnboundReader implements LineReader {
  readonly #findings: Findings;
  /** The last zone that blocks, after a dot. In most lists, its records follow, which say no more than the zone. */
  #zone = noZone;
  /** True within a view, which is for some clients only. */
  #isInView = false;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  read(line: string): void {
    const options = /^\s*!/.test(line) ? [] : optionsIn(line);
    let isComment = true;
    for (const [name = '', ...values] of options) {
      const [first = '', second = ''] = values;
      if (name !== '' && values.length === 0) {
        // A heading such as `server:`, or an option of a view with its value on the next line.
        if (!/^(name|local-|view-)/.test(name)) this.#isInView = name === 'view:';
        continue;
      }
      isComment = false;
      if (this.#isInView) this.#findings.skip('not-understood', line);
      else if (name === 'local-zone:' && values.length === 2) this.#readZone(line, first, second);
      else if (name === 'local-data:' && values.length === 1) this.#readData(line, first);
      else this.#findings.skip('not-understood', line);
    }
    if (isComment) this.#findings.comment();
  }

  #readZone(shown: string, name: string, type: string): undefined {
    this.#zone = noZone;
    if (name === '.') return this.#findings.skip('wildcard', shown);
    const host = readHost(name, this.#findings);
    if (host === undefined) return;
    if (passing.test(type)) {
      const precedence = type === 'always_transparent' ? 'final' : 'last';
      return this.#findings.add('allow-host', host, { precedence });
    }
    // The type says that the zone has no default data.
    if (type === 'nodefault') return this.#findings.skip('no-effect', shown);
    if (!blocking.has(type)) return this.#findings.skip('not-understood', shown);
    this.#zone = `.${host}`;
    const more = type.endsWith('redirect') ? { variant: 'redirect' } : undefined;
    this.#findings.add('host', host, more);
  }

  /** Reads a record such as `x.example A 0.0.0.0`. */
  #readData(shown: string, data: string): undefined {
    const [name = '', ...rest] = data.trim().split(/\s+/);
    // The TTL and the class may be missing.
    while (/^(\d\w*|in)$/i.test(rest[0] ?? '') && rest.length > 2) rest.shift();
    const [type = '', address = ''] = rest;
    if (!/^(a|aaaa|cname)$/i.test(type)) return this.#findings.skip('not-understood', shown);
    const host = readHost(name, this.#findings);
    if (host === undefined) return;
    if (!/^c/i.test(type) && isSinkhole(address, this.#findings)) {
      this.#findings.add('host', host, { isExact: true });
      if (`.${host}`.endsWith(this.#zone)) this.#findings.uncount();
      return;
    }
    this.#findings.skip('not-understood', shown);
    // In a zone of the type redirect, the record answers for the whole zone, wherever the record is in the file.
    this.#findings.add('host', host, { cancels: 'host', variant: 'redirect' });
  }
}
