import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { slug } from 'github-slugger';
import type { DefaultTheme } from 'vitepress';
import { parse } from 'yaml';

/** The folder of the pages. */
export const docs = join(import.meta.dirname, '..');

type Item = DefaultTheme.SidebarItem;

/** The front matter of a page, by its name from docs/ and without `.md`. */
function frontMatterOf(page: string): { title: string; order: number } {
  const text = readFileSync(join(docs, `${page}.md`), 'utf8');
  const { title, order = 0 } = parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '') ?? {};
  if (typeof title !== 'string')
    throw new Error(`docs/${page}.md has no title in its front matter`);
  return { title, order };
}

const itemOf = (page: string): Item => ({
  text: frontMatterOf(page).title,
  link: `/${page.replace(/(^|\/)index$/, '$1')}`,
});

/** The groups of pages, by audience, with the names of their pages. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Begin: [
    'guide/start',
    'how-it-works',
    'guide/choose',
    'guide/fixed-lists',
    'guide/saving',
    'guide/after-a-true',
  ],
  'Front end': [
    'guide/frameworks',
    'guide/updating',
    'guide/privacy',
    'recipes/username-taken',
    'recipes/react',
    'recipes/workers',
    'guide/runtimes',
  ],
  'URLs and apps': [
    'guide/urls',
    'recipes/browser-extension',
    'recipes/apps',
    'guide/several-lists',
    'guide/safe-browsing',
  ],
  'Back end': [
    'recipes/cache-guard',
    'recipes/dedupe',
    'recipes/redis',
    'recipes/url-server',
    'guide/confirm-server',
    'guide/migrating',
  ],
  Publisher: [
    'guide/publishing',
    'guide/feeds',
    'recipes/breached-passwords',
    'guide/command-line',
  ],
  'Data and languages': [
    'guide/from-python',
    'guide/from-go',
    'guide/from-java',
    'cpp',
    'guide/interop',
    'recipes/spark-and-parquet',
  ],
  Filters: pagesOf('filters'),
  Reference: [
    'guide/errors',
    'guide/security',
    'benchmarks',
    'benchmarks/filters',
    'benchmarks/engines',
    'format',
    'glossary',
  ],
  Project: [
    'project/architecture',
    'project/build',
    'project/testing',
    'project/new-filter',
    'project/new-codec',
    'project/releasing',
  ],
};

/** The pages of a folder, by `order` of their front matter and then by title. */
function pagesOf(folder: string): string[] {
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.slice(0, -3)}`)
    .map((page) => ({ page, ...frontMatterOf(page) }))
    .sort((a, b) => a.order - b.order || a.title.localeCompare(b.title))
    .map(({ page }) => page);
}

/** Large groups of the API that readers seldom open. They are links to their list, since every page has the sidebar. */
const folded = new Set(['Interfaces', 'Type Aliases']);

/** A group of the API with a link to its part of the entry's page, since a group without a link is a false button. */
function linkGroup(entry: string, { text = '', items = [], ...group }: Item): Item {
  const link = `${entry}#${slug(text)}`;
  return folded.has(text) ? { text, link } : { ...group, text, link, items };
}

/** The sidebar that TypeDoc wrote: the entries, with their groups of pages. */
function readApi(): Item[] {
  const file = join(docs, 'api/typedoc-sidebar.json');
  if (!existsSync(file)) throw new Error('docs/api is missing: run `npm run docs` in the root');
  const entries: Item[] = JSON.parse(readFileSync(file, 'utf8'));
  return entries.map(({ items = [], ...entry }) => ({
    ...entry,
    items: items.map((item) => linkGroup(entry.link ?? '', item)),
  }));
}

/**
 * A group that is folded unless one of its pages is open, so that the names of all groups are in view. Its name is a link
 * to its first page, because VitePress's button for a group without a link has another button in it.
 */
const foldGroup = (text: string, items: Item[]): Item => ({
  text,
  link: items[0]?.link ?? '',
  docFooterText: items[0]?.text ?? '',
  items,
  collapsed: true,
});

/** Files of the repository that are no pages of the site. */
const inRepository = (repository: string): Item[] =>
  ['CONTRIBUTING', 'CHANGELOG', 'SECURITY'].map((name) => ({
    text: `${name[0]}${name.slice(1).toLowerCase()}`,
    link: `${repository}/blob/main/${name}.md`,
  }));

export function makeSidebar(repository: string): DefaultTheme.SidebarMulti {
  const groups = Object.entries(GROUPS).map(([text, pages]) => {
    const items = pages.map(itemOf);
    if (text === 'Reference') items.unshift({ text: 'API', link: '/api/' });
    if (text === 'Project') items.push(...inRepository(repository));
    return foldGroup(text, items);
  });
  return {
    '/api/': [{ text: 'API', link: '/api/', items: readApi() }],
    '/': groups,
  };
}
