// Configuration files of resolvers: dnsmasq and unbound.

import { cutComment, isSinkhole, readHost } from './names.js';
import type { Findings, LineReader } from './report.js';

/**
 * Reads dnsmasq(8). `address` answers for a domain and all its subdomains; with `#`, by the null address. `server` and
 * `local` without an address answer that the name does not exist. With an address or `#` they forward the query.
 */
export const dnsmasqReader = (findings: Findings): LineReader => ({
  read(line) {
    const bare = cutComment(line).trim();
    if (bare === '') {
      findings.report.comments++;
      return;
    }
    const [, option, value = ''] = /^(address|server|local)\s*=(.*)$/.exec(bare) ?? [];
    const parts = value
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .split('/');
    const target = (parts.pop() as string).trim();
    if (option === undefined || parts.shift() !== '' || parts.length === 0) {
      return findings.skip('not-understood', line);
    }
    const isAddress = option === 'address';
    const isBlocked = target === '' || (isAddress && (target === '#' || isSinkhole(target)));
    for (const domain of parts) {
      // `#` matches every name. Two slashes in a row match names of one label; no entry can say that.
      if (domain === '#' || domain === '') {
        findings.skip(domain ? 'wildcard' : 'not-understood', line);
        continue;
      }
      const host = readHost(domain.replace(/^\./, ''), findings);
      if (host === undefined) continue;
      if (isBlocked) findings.add('host', host);
      else if (isAddress) findings.skip('not-understood', line);
      else findings.add('allow-host', host);
    }
  },
});

const blocking = new Set([
  ...['deny', 'refuse', 'static', 'redirect', 'inform_deny', 'inform_redirect', 'always_refuse'],
  ...['always_nxdomain', 'always_nodata', 'always_deny', 'always_null'],
]);
const passing = new Set([
  ...['transparent', 'typetransparent', 'always_transparent', 'inform', 'nodefault'],
]);
/** Zone types whose effect depends on the `local-data` that follows. */
const open = /^(transparent|typetransparent|inform|(inform_)?redirect)$/;

/** A token: text in quotes, or up to white space. A `#` at the start of a token starts a comment. */
const tokens = /#.*|"([^"]*)"|'([^']*)'|[^\s"']+/g;
const key = /^[a-z][a-z\d-]*:/;

/**
 * Reads unbound.conf(5). `local-zone` covers a domain and all its subdomains, `local-data` one name. A zone waits for
 * the data that follow it, because they decide the effect of `redirect` and `transparent`.
 */
export function unboundReader(findings: Findings): LineReader {
  let zone: { host: string; type: string; line: number; shown: string } | undefined;

  const flush = () => {
    if (zone === undefined) return;
    const { host, type, line, shown } = zone;
    zone = undefined;
    if (blocking.has(type)) findings.add('host', host, { line });
    else if (passing.has(type)) findings.add('allow-host', host, { line });
    else findings.skip('not-understood', shown, line);
  };

  const readZone = (shown: string, name: string, type: string) => {
    flush();
    if (name === '.') return findings.skip('wildcard', shown);
    const host = readHost(name, findings);
    if (host === undefined) return;
    zone = { host, type, line: findings.report.lines, shown };
    if (!open.test(type)) flush();
  };

  const readData = (shown: string, data: string) => {
    const [name = '', ...rest] = data.trim().split(/\s+/);
    while (/^(\d\w*|in)$/i.test(rest[0] ?? '') && rest.length > 2) rest.shift();
    const [type = '', address = ''] = rest;
    const isBlocked = /^a(aaa)?$/i.test(type) && isSinkhole(address);
    const leads = /^(a|aaaa|cname)$/i.test(type);
    if (!leads) return findings.skip('not-understood', shown);
    const host = readHost(name, findings);
    if (host === undefined) return;
    const isRedirect = zone?.type.endsWith('redirect');
    const isOfZone = zone !== undefined && (host === zone.host || host.endsWith(`.${zone.host}`));
    if (isRedirect && host === zone?.host) {
      // This record answers for the whole zone: it blocks, or redirects elsewhere.
      if (isBlocked) return flush();
      zone = undefined;
    }
    if (!isBlocked) return findings.skip('not-understood', shown);
    // An exception for the zone would except this name too.
    if (isOfZone && !isRedirect) zone = undefined;
    findings.add('host', host, { isExact: true });
  };

  return {
    read(line) {
      const words = [...line.matchAll(tokens)].filter(([text]) => text[0] !== '#');
      const textOf = (i: number) => words[i]?.[1] ?? words[i]?.[2] ?? words[i]?.[0];
      let isNamed = words.length === 0;
      for (let i = 0; i < words.length; ) {
        const word = words[i]?.[0] as string;
        const at = word.indexOf(':') + 1;
        const name = word.slice(0, at);
        // The value may follow without a blank.
        const values = word.length > at ? [word.slice(at)] : [];
        i++;
        while (i < words.length && !key.test(words[i]?.[0] as string))
          values.push(textOf(i++) as string);
        const [first, second] = values;
        if (name === 'local-zone:' && values.length === 2) {
          readZone(line, first as string, second as string);
        } else if (name === 'local-data:' && values.length === 1) {
          readData(line, first as string);
        } else if (key.test(name) && values.length === 0) {
          isNamed = true;
        } else {
          findings.skip('not-understood', line);
        }
      }
      if (isNamed) findings.report.comments++;
    },
    end: flush,
  };
}
