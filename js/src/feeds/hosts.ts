// Lists of names: hosts files, and plain domains.

import { cutComment, isSinkhole, readHost } from './names.js';
import type { Findings, LineReader } from './report.js';

const addressLike = /^([\da-f]*:[\da-f:.]*(%\w+)?|\d+(\.\d+){3})$/i;

/** Reads hosts(5): an address, then its names. A `#` anywhere starts a comment. */
export const hostsReader = (findings: Findings): LineReader => ({
  read(line) {
    const at = line.indexOf('#');
    const words = (at < 0 ? line : line.slice(0, at)).trim();
    if (words === '') {
      findings.report.comments++;
      return;
    }
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
  },
});

/** Reads one name a line. `x`, `.x` and `*.x` mean the same. */
export const domainsReader = (findings: Findings): LineReader => ({
  read(line) {
    const name = cutComment(line).trim();
    if (name === '' || name[0] === '!') {
      findings.report.comments++;
      return;
    }
    const host = readHost(name.replace(/^\*?\./, ''), findings);
    if (host !== undefined) findings.add('host', host);
  },
});
