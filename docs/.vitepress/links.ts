// The targets of Markdown links on the site. Links are written for a reader of the repository, and are relative to
// their file. A link to a file that is not a page of the site leads to the repository.

import { existsSync, statSync } from 'node:fs';
import { posix, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

type Token = Parameters<MarkdownRenderer['renderer']['render']>[0][number];

/** Files of the repository that are pages of the site: the page, and what it includes. */
export const INCLUDED: Readonly<Record<string, string>> = {
  'docs/index.md': 'README.md',
  'docs/format.md': 'cpp/FORMAT.md',
};
const pageOf = new Map(Object.entries(INCLUDED).map(([page, file]) => [file, page]));

export interface Repository {
  /** Its folder on this machine. */
  readonly root: string;
  /** Its address for a browser. */
  readonly url: string;
}

/**
 * The site's address for what it has beside its pages, from the site's root: pages of the demo, and a folder as a zip.
 * Undefined for any other file.
 */
function besidePages(file: string): string | undefined {
  if (file === 'js/examples/extension') return 'extension.zip';
  const name = /^web-demo\/([\w-]+\.html)$/.exec(file)?.[1];
  return name && `demo/${name === 'index.html' ? '' : name}`;
}

/** The target of a link to a file of the repository: relative to the page, or in the repository. */
export function resolveLink(page: string, target: string, { root, url }: Repository): string {
  // README's links are absolute.
  const fromRoot = target.startsWith(`${url}/blob/main/`);
  if (/^([a-z]+:|[/#])/i.test(target) && !fromRoot) return target;
  const [path = '', anchor] = target.replace(`${url}/blob/main/`, '').split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  // The link may be in the page, or in a file that it includes.
  const file = (fromRoot ? ['.'] : [page, INCLUDED[page] ?? page])
    .map((from) => posix.join(posix.dirname(from), path))
    .find((name) => existsSync(posix.join(root, name)));
  if (file === undefined) throw new Error(`${page}: the link ${target} leads nowhere`);
  const own = pageOf.get(file) ?? file;
  const beside = besidePages(file);
  if (beside !== undefined) return `/${beside}${hash}`;
  if (own.startsWith('docs/') && own.endsWith('.md') && file !== INCLUDED[page])
    return `${posix.relative(posix.dirname(page), own).replace(/^(?!\.)/, './')}${hash}`;
  const kind = statSync(posix.join(root, file)).isDirectory() ? 'tree' : 'blob';
  return `${url}/${kind}/main/${file}${hash}`;
}

/** Makes markdown-it give every link its target on the site, which lies at `base` of its host. */
export function leadLinks(md: MarkdownRenderer, repository: Repository, base: string): void {
  // Before "inline" is too early, since it makes the links; VitePress then checks and completes them.
  md.core.ruler.after('inline', 'lead-links', ({ tokens, env }) => {
    if (env.path === undefined) return; // a heading alone, which becomes a title
    const page = relative(repository.root, env.path).replaceAll('\\', '/');
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        const target = token.type === 'link_open' ? token.attrGet('href') : null;
        if (target === null) continue;
        const address = resolveLink(page, target, repository);
        const isBeside = /^\/(?:demo\/|extension\.zip$)/.test(address);
        token.attrSet('href', isBeside ? base + address.slice(1) : address);
        // It is no page of the site, so the browser must load it.
        if (isBeside) token.attrSet('target', '_self');
      }
    }
  });
}

/** From this many characters beside code on, a cell of a table holds prose. */
const PROSE_LENGTH = 40;

/** Names of a page's tables: their heads, and a number if an earlier table has the same. */
function nameTables(tokens: readonly Token[]): Map<Token, string> {
  const names = new Map<Token, string>();
  const counts = new Map<string, number>();
  tokens.forEach((table, index) => {
    if (table.type !== 'table_open') return;
    const end = tokens.findIndex(({ type }, i) => i > index && type === 'thead_close');
    const heads = tokens
      .slice(index, end)
      .map(({ type, children }) => (type === 'inline' ? children : null) ?? [])
      .map((parts) => parts.map(({ content }) => content).join(''))
      .filter((head) => head !== '');
    const name = `Table: ${heads.join(', ')}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    names.set(table, count === 1 ? name : `${name} (${count})`);
  });
  return names;
}

/** The number of characters that a cell holds beside its code. */
const proseLength = (cell: Token | undefined): number =>
  (cell?.children ?? [])
    .filter(({ type }) => type === 'text')
    .reduce((sum, { content }) => sum + content.length, 0);

/** Marks the cells of prose, the corner of a table, and the code that may break. */
function markCells(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    const cell = tokens[index + 1];
    if (token.type !== 'td_open' && token.type !== 'th_open') return;
    for (const part of cell?.children ?? [])
      if (part.type === 'code_inline') part.meta = { mayBreak: true };
    if (token.type === 'td_open' && proseLength(cell) >= PROSE_LENGTH)
      token.attrJoin('class', 'prose');
    if (token.type !== 'th_open' || cell?.content !== '') return;
    const close = tokens[index + 2];
    token.tag = 'td';
    if (close) close.tag = 'td';
  });
}

/**
 * Makes markdown-it put tables into boxes that scroll sideways, also by keyboard. A head without text is only the
 * corner of a table. A cell of prose has a class, which keeps it from becoming narrow. Code in a cell may break
 * before a member's name and before an argument, and a hash after 32 digits. The box is a section, since Vue ships
 * elements with the attribute "role" twice.
 */
export function boxTables(md: MarkdownRenderer): void {
  const { rules } = md.renderer;
  rules.table_open = (tokens, index) => {
    const name = md.utils.escapeHtml(tokens[index]?.meta.name);
    return `<div class="table"><section class="scroll" tabindex="0" aria-label="${name}"><table>\n`;
  };
  rules.table_close = () => '</table></section></div>\n';
  const code = rules.code_inline;
  rules.code_inline = (tokens, index, ...rest) => {
    const html = code?.(tokens, index, ...rest) ?? '';
    return tokens[index]?.meta?.mayBreak
      ? html.replace(/\.(?=[a-z])|\((?=[\w[{])|[\da-f]{32}(?=[\da-f])/gi, '$&<wbr>')
      : html;
  };
  md.core.ruler.push('cells', ({ tokens }) => {
    for (const [table, name] of nameTables(tokens)) table.meta = { name };
    markCells(tokens);
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
