// Lists of names: hosts files, plain domains, and the configuration of dnsmasq and unbound.

import { cutComment, isSinkhole, readHost } from './names.js';
import type { Findings, LineReader } from './report.js';

/** Text in the form of an address, of which none has 64 characters. */
const addressLike = /^([\da-f]*:[\da-f:.]*(%\w+)?|\d+(\.\d+){3})$/i;

/** Reads hosts(5): an address, then its names. A `#` anywhere starts a comment. */
export function readHostsLine(line: string, findings: Findings): undefined {
  const words = line.replace(/#.*/s, '').trim();
  if (words === '') return findings.comment();
  const [address = '', ...names] = words.split(/\s+/);
  const isBlocked = isSinkhole(address);
  const isAddress = isBlocked || (address.length < 64 && addressLike.test(address));
  if (names.length === 0 || !isAddress) return findings.skip('not-understood', line);
  for (const name of names) {
    const host = readHost(name, findings);
    if (host === undefined) continue;
    if (isBlocked) findings.add('host', host, { isExact: true });
    else findings.skip('not-understood', `${address} ${name}`);
  }
}

/** Reads one name a line. `x`, `.x` and `*.x` mean the same. */
export function readDomain(line: string, findings: Findings): undefined {
  const name = cutComment(line).trim();
  if (name === '' || name[0] === '!') return findings.comment();
  const host = readHost(name.replace(/^\*?\./, ''), findings);
  if (host !== undefined) findings.add('host', host);
}

/**
 * Reads dnsmasq(8): `option=/domain/target`, also of several domains, which cover all subdomains. Without a target, the
 * name does not exist. With one, `address` answers it (`#`: the null address), and the others forward the query to it.
 */
export function readDnsmasqLine(line: string, findings: Findings): undefined {
  const bare = cutComment(line).trim();
  if (bare === '') return findings.comment();
  const [, option, value = ''] = /^(address|server|local)\s*=(.*)$/.exec(bare) ?? [];
  const unquoted = value.trim().replace(/^"(.*)"$/, '$1');
  const [before, ...domains] = unquoted.split('/');
  const target = (domains.pop() ?? '').trim();
  if (option === undefined || before !== '' || domains.length === 0) {
    return findings.skip('not-understood', line);
  }
  const isAddress = option === 'address';
  const isBlocked = target === '' || (isAddress && (target === '#' || isSinkhole(target)));
  for (const domain of domains) {
    // `#` matches every name. Two slashes in a row match names of one label; no entry can say that.
    if (domain === '#' || domain === '') {
      findings.skip(domain ? 'wildcard' : 'not-understood', line);
      continue;
    }
    const host = readHost(domain.replace(/^\./, ''), findings);
    if (host === undefined) continue;
    if (isBlocked) findings.add('host', host);
    else if (isAddress) findings.skip('not-understood', line);
    else findings.add('allow-host', host); // its queries are forwarded
  }
}

/** Zone types that answer all queries themselves, and types that let them pass. */
const blocking = new Set([
  ...['deny', 'refuse', 'static', 'redirect', 'inform_deny', 'inform_redirect', 'always_refuse'],
  ...['always_nxdomain', 'always_nodata', 'always_deny', 'always_null'],
]);
const passing = /^((type|always_)?transparent|inform|nodefault)$/;
/** Zone types whose effect depends on the `local-data` that follows. Such a zone waits for the next one, or the end. */
const needsData = /^(transparent|typetransparent|inform|(inform_)?redirect)$/;

/** A token: text in quotes, or up to white space. A `#` at the start of a token starts a comment. */
const tokens = /#.*|"([^"]*)"|'([^']*)'|[^\s"']+/g;
const key = /^[a-z][a-z\d-]*:/;

/** The options of a line, each as its name and its values. The name is '' if the line does not start with one. */
function optionsIn(line: string): string[][] {
  const options: string[][] = [];
  for (const [word, ...groups] of line.matchAll(tokens)) {
    if (word[0] === '#') break;
    const [name = ''] = key.exec(word) ?? [];
    const last = options.at(-1);
    if (last === undefined || name !== '') {
      // The value may follow without a blank.
      options.push(word === name ? [name] : [name, word.slice(name.length)]);
    } else last.push(groups.find((text) => text !== undefined) ?? word); // the text in quotes, or the word
  }
  return options;
}

/** Reads unbound.conf(5). `local-zone` covers a domain and all its subdomains, `local-data` one name. */
export class UnboundReader implements LineReader {
  readonly #findings: Findings;
  /** The last zone, until the `local-data` that may change its effect has passed. */
  #pending: { host: string; type: string; line: number; shown: string } | undefined;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  read(line: string): void {
    const options = optionsIn(line);
    let isComment = options.length === 0;
    for (const [name, ...values] of options) {
      const [first = '', second = ''] = values;
      if (name === 'local-zone:' && values.length === 2) this.#readZone(line, first, second);
      else if (name === 'local-data:' && values.length === 1) this.#readData(line, first);
      // A heading, such as `server:`.
      else if (name !== '' && values.length === 0) isComment = true;
      else this.#findings.skip('not-understood', line);
    }
    if (isComment) this.#findings.comment();
  }

  /** Adds or skips the pending zone. */
  end(): undefined {
    if (this.#pending === undefined) return;
    const { host, type, line, shown } = this.#pending;
    this.#pending = undefined;
    if (blocking.has(type)) this.#findings.add('host', host, { line });
    else if (passing.test(type)) this.#findings.add('allow-host', host, { line });
    else this.#findings.skip('not-understood', shown, line);
  }

  #readZone(shown: string, name: string, type: string): undefined {
    this.end(); // of the zone before
    if (name === '.') return this.#findings.skip('wildcard', shown);
    const host = readHost(name, this.#findings);
    if (host === undefined) return;
    this.#pending = { host, type, line: this.#findings.report.lines, shown };
    if (!needsData.test(type)) this.end();
  }

  /** Reads a record such as `x.example A 0.0.0.0`, which may change the effect of the pending zone. */
  #readData(shown: string, data: string): undefined {
    const [name = '', ...rest] = data.trim().split(/\s+/);
    // The TTL and the class may be missing.
    while (/^(\d\w*|in)$/i.test(rest[0] ?? '') && rest.length > 2) rest.shift();
    const [type = '', address = ''] = rest;
    if (!/^(a|aaaa|cname)$/i.test(type)) return this.#findings.skip('not-understood', shown);
    const host = readHost(name, this.#findings);
    if (host === undefined) return;
    const isBlocked = /^a(aaa)?$/i.test(type) && isSinkhole(address);
    const zone = this.#pending;
    const isRedirect = zone?.type.endsWith('redirect');
    const isInZone = zone !== undefined && (host === zone.host || host.endsWith(`.${zone.host}`));
    if (isRedirect && host === zone?.host) {
      // This record answers for the whole zone: end() adds the zone as blocked, or the record redirects it elsewhere.
      if (isBlocked) return this.end();
      this.#pending = undefined;
    }
    if (!isBlocked) return this.#findings.skip('not-understood', shown);
    // end() would add any other zone as an exception, which would cover this blocked name too.
    if (isInZone && !isRedirect) this.#pending = undefined;
    this.#findings.add('host', host, { isExact: true });
  }
}
