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

const group = (text: string, folder: string, names: readonly string[]): Item => ({
  text,
  items: names.map((name) => itemOf(`${folder}${name}`)),
});

/** Every page of a folder, by `order` of its front matter and then by title. */
function groupOf(text: string, folder: string): Item {
  const pages = readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.slice(0, -3)}`)
    .map((page) => ({ item: itemOf(page), ...frontMatterOf(page) }))
    .sort((a, b) => a.order - b.order || a.title.localeCompare(b.title));
  return { text, items: pages.map(({ item }) => item) };
}

const guide: Item[] = [
  group('Begin', '', ['guide/start', 'how-it-works', 'guide/choose', 'guide/examples']),
  group('Use', 'guide/', [
    'deleting',
    'growing',
    'fixed-lists',
    'exact',
    'maps',
    'two-sides',
    'static-host',
    'signing-keys',
    'urls',
    'feeds',
    'several-lists',
    'safe-browsing',
    'streams',
    'saving',
    'beyond-one-filter',
    'interop',
    'migrating',
    'command-line',
    'errors',
    'security',
    'runtimes',
  ]),
  group('Other languages', '', ['guide/from-python', 'guide/from-go', 'guide/from-java', 'cpp']),
];

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

export function makeSidebar(): DefaultTheme.SidebarMulti {
  const reference: Item = {
    text: 'Reference',
    items: [
      { text: 'API', link: '/api/' },
      { ...groupOf('Benchmarks', 'benchmarks'), link: '/benchmarks', collapsed: true },
      ...['format', 'glossary', 'papers'].map(itemOf),
    ],
  };
  return {
    '/api/': [{ text: 'API', link: '/api/', items: readApi() }],
    '/': [...guide, groupOf('Filters', 'filters'), groupOf('Recipes', 'recipes'), reference],
  };
}
