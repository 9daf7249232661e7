// Reads rules of ad blockers, in AdGuard's syntax: those that block or except a whole host, a page or a path.

import { addPage, addPath, readHost } from './names.js';
import type { Findings, More } from './report.js';

/** The separator between the domains and the selector of a cosmetic rule. */
const cosmetic = /#@?([?$%]|@?\$\??)?#|\$\$|\$@\$/;
/** Modifiers with which a rule covers everything that a host serves; `badfilter` cancels such a rule. */
const plainModifiers = new Set(['all', 'doc', 'document', 'important', 'popup', 'badfilter']);

/** Reads one rule a line. `# text` is a comment, and so is `#text` unless it is a cosmetic rule. */
export function readRule(text: string, findings: Findings): undefined {
  const line = text.trim();
  if (line === '' || line[0] === '!' || /^(\[.*\]|#(\s.*)?)$/.test(line)) {
    return findings.comment();
  }
  const isException = line.startsWith('@@');
  const rule = isException ? line.slice(2) : line;
  if (/^\/.*\/(\$|$)/.test(rule)) return findings.skip('regex', line);
  if (cosmetic.test(rule)) return findings.skip('cosmetic', line);
  if (line[0] === '#') return findings.comment();
  // A rule is a pattern, or `pattern$modifier,modifier`.
  const at = rule.lastIndexOf('$');
  const hasModifiers = at >= 0 && /^[~a-z]/i.test(rule.slice(at + 1));
  const pattern = (hasModifiers ? rule.slice(0, at) : rule).trim();
  const modifiers = hasModifiers ? rule.slice(at + 1).split(',') : [];
  const isCancel = modifiers.includes('badfilter'); // it cancels another rule of the list
  const isPlain = modifiers.every((name) => plainModifiers.has(name));
  // An exception for popups alone does not except the host.
  if (!isPlain || (isException && modifiers.includes('popup'))) {
    return findings.skip('modifier', line);
  }
  // Only an important exception overrides an important rule.
  const more: More = modifiers.includes('important') ? { isImportant: true } : {};
  if (pattern.includes('*')) return findings.skip('wildcard', line);
  const [, name, path] = /^\|\|([^/^|:?]+)(?:\/([^^|]*))?/.exec(pattern) ?? []; // `||name`, or `||name/path`
  const rest = name === undefined ? '' : pattern.slice(2 + name.length); // behind `||name`
  // The rule covers the whole host: `||x^`, `||x^|`, `||x/` or `||x/^`.
  if (name !== undefined && /^(\^\|?|\/\^?)$/.test(rest)) {
    const host = readHost(name, findings);
    if (host === undefined) return;
    if (isCancel && isException) return findings.skip('modifier', line);
    if (isException) return findings.add('allow-host', host, more);
    return findings.add(isCancel ? 'cancel-host' : 'host', host, more);
  }
  if (isCancel) return findings.skip('modifier', line);
  if (isException) return findings.skip('not-understood', line);
  if (name !== undefined && path && rest === `/${path}^`) {
    const host = readHost(name, findings);
    if (host !== undefined) addPath(host, path.replace(/\/$/, ''), line, findings);
  } else if (/^\|https?:\/\/[^|^]+\|$/i.test(pattern)) {
    addPage(pattern.slice(1, -1), findings);
  } else {
    const hasOpenEnd = /^\|\|[^|^]+$|^\|https?:\/\/[^|^]+$/i.test(pattern);
    findings.skip(hasOpenEnd ? 'path-prefix' : 'not-understood', line);
  }
}
