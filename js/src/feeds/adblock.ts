// Reads rules of ad blockers, in AdGuard's syntax: rules that block or except a whole host, a page or a path.

import { addHost, addPage, addPath, cutComment, readHost } from './names.js';
import type { Findings, More } from './report.js';
import { isHostsLine, readHostsLine } from './resolvers.js';

/** The separator between the domains and the selector of a cosmetic rule. */
const cosmetic = /#@?([?$%]|@?\$\??)?#|\$\$|\$@\$/;
/** Modifiers with which a rule still covers all pages of a host. The modifier `_` means nothing. */
const plainModifiers = /^(all|document|important|popup|badfilter|_+)$/;
/** Matches a pattern without a star: `|` marks, a host, a path, a query, and `^` and `|` marks at the end. */
const parts = /^(\|{0,2})([^/^|:?.](?:[^/^|:?]*[^/^|:?.])?)(\/[^^|?#]*)?(\?[^^|#]+)?(\^?\|?)$/;

/** Matches the address of a page between two `|` marks. */
const pageRule = /^\|https?:\/\/[\w.-]*\w\/[^|^#]*\|$/i;

/**
 * The meaning of each pattern. A pattern is written as its marks (`|`, `^`) around a letter: `h` for a host, `r` for a
 * root page, `p` for a page, `f` for a page that ends in a slash, `q` for a page with a query. The `+` of a meaning
 * says that the pattern also matches other addresses, for instance all that begin in the same way.
 */
const meanings: Readonly<
  Record<string, 'host' | 'host+' | 'exact' | 'page' | 'page+' | 'path' | 'path+'>
> = {
  ...{ '||h^': 'host', '||h^|': 'host', '||r': 'host', '||h': 'host+' },
  ...{ '|h^': 'exact', '|h^|': 'exact', '|h|': 'exact' },
  ...{ '||r^': 'page', '||r|': 'page', '||r^|': 'page' },
  ...{ '||p|': 'page', '||p^|': 'page+', '||p^': 'path', '||p': 'path+' },
  ...{ '||f|': 'page', '||f^|': 'page', '||f^': 'page', '||f': 'page' },
  ...{ '||q|': 'page', '||q^|': 'page', '||q^': 'page+', '||q': 'page+' },
};
/** The meanings with a modifier such as `$document`, which only browsers know: they compare the whole address. */
const inBrowsers: Readonly<Record<string, 'page' | ''>> = {
  ...{ '||h^|': 'page', '|h^': '', '|h^|': '', '|h|': '' },
};
/** The meanings of exceptions without marks in front. */
const openExceptions: typeof meanings = { h: 'host+', 'h^': 'host+' };

function letterOf(path: string, query: string): string {
  if (query !== '') return 'q';
  if (path === '') return 'h';
  if (path === '/') return 'r';
  return path.endsWith('/') ? 'f' : 'p';
}

/** Matches most rules. This separate test saves half of the time. */
const plainRule = /^\|\|([a-z\d_-][a-z\d_.-]*[a-z\d_-])\^$/;
/** Matches a name or an IPv4 address alone in a line, which AdGuard Home blocks without subdomains. */
const plainHost = /^[\w-]+(\.[\w-]+)+$/;

/** Reads a line with one rule. `# text` is a comment, and so is `#text` unless it is a cosmetic rule. */
export function readRule(text: string, findings: Findings): undefined {
  const line = text.trim();
  const [, plain] = plainRule.exec(line) ?? [];
  if (plain !== undefined) return addHost(plain, findings);
  if (line === '' || line[0] === '!' || /^(\[.*\]|#(\s.*)?)$/.test(line)) {
    return findings.comment();
  }
  const isException = line.startsWith('@@');
  const rule = isException ? line.slice(2) : line;
  if (/^\/.*\/(\$|$)/.test(rule)) return findings.skip('regex', line);
  if (cosmetic.test(rule)) return findings.skip('cosmetic', line);
  if (line[0] === '#') return findings.comment();
  // In uBlock Origin, such a line continues the previous line.
  if (/^ {4}/.test(text)) return findings.skip('not-understood', line);
  const bare = cutComment(line).trim();
  if (isHostsLine(bare) && !bare.includes('#')) return readHostsLine(bare, findings);
  if (plainHost.test(bare)) {
    if (/\.\d+$/.test(bare)) findings.skip('narrowed', line); // AdGuard Home blocks all addresses that contain it
    return addHost(bare, findings, { isExact: true });
  }
  // An address contains none of these characters.
  if (/[\s<>"]/.test(rule)) return findings.skip('not-understood', line);
  const at = rule.lastIndexOf('$');
  const hasModifiers = at >= 0 && /^[~\w]/.test(rule.slice(at + 1));
  const pattern = hasModifiers ? rule.slice(0, at) : rule;
  const modifiers = hasModifiers ? rule.slice(at + 1).split(',') : [];
  readPattern(pattern, modifiers, isException, line, findings);
}

/** Reads a rule `pattern$modifier,modifier`. */
function readPattern(
  pattern: string,
  modifiers: readonly string[],
  isException: boolean,
  line: string,
  findings: Findings,
): undefined {
  const names = new Set(modifiers.map((name) => (name === 'doc' ? 'document' : name)));
  const isForDocuments = names.has('all') || names.has('document');
  const isForWindows = names.has('popup') && (isException || !isForDocuments);
  if (isForWindows || ![...names].every((name) => plainModifiers.test(name))) {
    return findings.skip('modifier', line);
  }
  if (pattern.includes('*')) return findings.skip('wildcard', line);
  const isCancel = names.delete('badfilter'); // it takes back another rule of the list
  const words = [...names].filter((name) => name[0] !== '_').sort();
  const [, start = '', host = '', path = '', query = '', end = ''] = parts.exec(pattern) ?? [];
  const isPageRule = pageRule.test(pattern);
  const form = isPageRule ? 'u' : start + letterOf(path, query) + end;
  // AdGuard compares the spelling of a rule with that of the rule that takes it back. One sign stands for all unusual
  // spellings, because a list may have any number of them.
  const isUnusual = /^\|http:|^\|*[^/]*[A-Z]|%|\/\.|\/\//.test(pattern.replace('://', ':'));
  const variant = `${form}${isUnusual ? '%' : ''}$${words}`;
  const more: More = {
    ...(isCancel && { cancels: 'host' }),
    // Only an important exception overrides an important rule.
    ...(names.has('important') && { isImportant: true }),
    ...(!/^(\|\|[hp]\^|u)\$$/.test(variant) && { variant }),
  };
  if (isPageRule && !isException) return addPage(pattern.slice(1, -1), findings, more);
  // DNS filters do not know the modifier `_` either.
  const isOfBrowsers = isForDocuments || words.length < names.size;
  const inBrowser = isOfBrowsers ? inBrowsers[form] : undefined;
  const ofException = isException ? openExceptions[form] : undefined;
  const meaning = host && (inBrowser ?? meanings[form] ?? ofException);
  if (!meaning || (isException && !/^(host|exact)/.test(meaning))) {
    return findings.skip('pattern', line);
  }
  // Look-ups go three folders deep.
  const isDeep = form === '||f' && path.split('/').length > 5;
  if ((isDeep || meaning.endsWith('+')) && !isCancel) findings.skip('narrowed', line);
  const kind = isException ? 'allow-host' : 'host';
  if (meaning === 'exact') return addHost(host, findings, { ...more, isExact: true }, kind);
  if (meaning.startsWith('host')) return addHost(host, findings, more, kind);
  if (meaning.startsWith('page'))
    return addPage(`https://${host}${path || '/'}${query}`, findings, more);
  const name = readHost(host, findings);
  if (name !== undefined) addPath(name, path.slice(1), line, findings, more);
}
