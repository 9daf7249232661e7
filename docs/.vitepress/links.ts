// Where the links of Markdown lead on the site. They are written for a reader of the repository, and relative to
// their file; what is no page of the site leads to the repository.

import { existsSync, statSync } from 'node:fs';
import { posix, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** Files of the repository that are pages of the site: the page, and what it includes. */
export const INCLUDED: Readonly<Record<string, string>> = {
  'docs/format-lists.md': 'cpp/FORMAT.md',
  // The last of those that include the same file is where links to it lead.
  'docs/format.md': 'cpp/FORMAT.md',
  'docs/changelog.md': 'CHANGELOG.md',
  'docs/contributing.md': 'CONTRIBUTING.md',
  'docs/security-policy.md': 'SECURITY.md',
};
const pageOf = new Map(Object.entries(INCLUDED).map(([page, file]) => [file, page]));
pageOf.set('README.md', 'docs/index.md');

export interface Repository {
  /** Its folder on this machine. */
  readonly root: string;
  /** Its address for a browser. */
  readonly url: string;
}

/** Where a relative link of a page leads: relative to the page, or to the repository. */
export function resolveLink(page: string, target: string, { root, url }: Repository): string {
  if (/^([a-z]+:|[/#])/i.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  // The link may be one of the page, or of what it includes.
  const file = [page, INCLUDED[page] ?? page]
    .map((from) => posix.join(posix.dirname(from), path))
    .find((name) => existsSync(posix.join(root, name)));
  if (file === undefined) throw new Error(`${page}: the link ${target} leads nowhere`);
  const own = pageOf.get(file) ?? file;
  if (own.startsWith('docs/') && own.endsWith('.md') && file !== INCLUDED[page])
    return `${posix.relative(posix.dirname(page), own).replace(/^(?!\.)/, './')}${hash}`;
  const kind = statSync(posix.join(root, file)).isDirectory() ? 'tree' : 'blob';
  return `${url}/${kind}/main/${file}${hash}`;
}

/** Makes markdown-it lead every link of a page to where it leads on the site. */
export function leadLinks(md: MarkdownRenderer, repository: Repository): void {
  // Before "inline" is too early, since it makes the links; VitePress then checks and completes them.
  md.core.ruler.after('inline', 'lead-links', ({ tokens, env }) => {
    if (env.path === undefined) return; // a heading alone, which becomes a title
    const page = relative(repository.root, env.path).replaceAll('\\', '/');
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        const target = token.type === 'link_open' ? token.attrGet('href') : null;
        if (target !== null) token.attrSet('href', resolveLink(page, target, repository));
      }
    }
  });
}

/** From this many characters on, a cell of a table holds prose. */
const PROSE_LENGTH = 40;

/**
 * Makes markdown-it put tables into boxes that scroll sideways, also by keyboard. A head without text is the corner
 * of a table, and no head. A cell of prose has a class, which keeps it from becoming narrow.
 */
export function boxTables(md: MarkdownRenderer): void {
  const { rules } = md.renderer;
  rules.table_open = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n';
  rules.table_close = () => '</table></div>\n';
  md.core.ruler.push('cells', ({ tokens }) => {
    tokens.forEach((token, index) => {
      const length = tokens[index + 1]?.content.length ?? 0;
      if (token.type === 'td_open' && length >= PROSE_LENGTH) token.attrJoin('class', 'prose');
      if (token.type !== 'th_open' || tokens[index + 1]?.content !== '') return;
      const close = tokens[index + 2];
      token.tag = 'td';
      if (close) close.tag = 'td';
    });
  });
}

/** Makes markdown-it show indented code in the boxes of fenced code, which scroll. */
export function boxCode(md: MarkdownRenderer): void {
  const { rules } = md.renderer;
  rules.code_block = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token) token.info = 'text';
    return rules.fence?.(tokens, index, ...rest) ?? '';
  };
}
