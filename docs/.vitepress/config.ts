import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { slug } from 'github-slugger';
import { defineConfig, type HeadConfig } from 'vitepress';
import { icon, repositoryIcon, SITE_LINKS, repository as url } from '../../web-demo/page-parts.js';
import { installTabs } from './install.js';
import { boxCode, boxTables, leadLinks } from './links.js';
import { docs, makeSidebar } from './sidebar.js';
import { tokens } from './tokens.js';

const root = join(docs, '..');
const { description, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// The address of the site, such as https://example.org/tamis/. The card beside links needs all of it.
const address = process.env.TAMIS_DOCS_URL?.replace(/\/*$/, '/');
const base = address === undefined ? '/' : new URL(address).pathname;
const card: HeadConfig[] =
  address === undefined
    ? []
    : [['meta', { property: 'og:image', content: new URL('og.png', address).href }]];

export default defineConfig({
  base,
  lang: 'en',
  title: 'tamis',
  description,
  srcExclude: ['node_modules/**'],
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: icon }],
    ['meta', { property: 'og:title', content: 'tamis' }],
    ['meta', { property: 'og:description', content: description }],
    ...card,
  ],
  // A reader who opens a page gets only that page, and no other before a click.
  router: { prefetchLinks: false },
  metaChunk: true,
  transformPageData(page) {
    if (page.relativePath !== 'index.md') return;
    const alone = { aside: false, sidebar: false, prev: false, next: false };
    Object.assign(page.frontmatter, { pageClass: 'home', ...alone });
  },
  markdown: {
    // The anchors are the same as in a repository's browser, so that links work in both.
    anchor: { slugify: slug },
    languageAlias: { mjs: 'js' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      leadLinks(md, { root, url }, base);
      boxTables(md);
      boxCode(md);
      installTabs(md, version);
    },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('tamis-') } } },
  vite: {
    plugins: [tokens(join(root, 'web-demo/styles/site.css'))],
    resolve: {
      alias: [
        { find: /^tamis(\/[\w-]+)?$/, replacement: `${root}/dist$1/index.js` },
        // VitePress's way to wrap a part of its theme.
        {
          find: './VPLocalSearchBox.vue',
          replacement: join(docs, '.vitepress/theme/search/box.ts'),
        },
      ],
    },
    // terser makes a page 3 kB smaller than esbuild. The index of the search is the largest file. It is fetched when
    // somebody searches.
    build: { minify: 'terser', chunkSizeWarningLimit: 3000 },
    server: { fs: { allow: [root] } },
  },
  themeConfig: {
    logo: { src: icon, alt: '' },
    nav: [
      ...SITE_LINKS.map(({ page, anchor = '', ...link }) => ({
        ...link,
        link: `/${page.replace(/^index$/, '')}${anchor}`,
      })),
      // Its pages are no pages of VitePress, so the browser opens them.
      { text: 'Try it', link: '/demo/index.html', target: '_self' },
    ],
    sidebar: makeSidebar(url),
    socialLinks: [{ icon: { svg: repositoryIcon }, link: url, ariaLabel: 'Repository' }],
    outline: [2, 3],
    search: { provider: 'local' },
    notFound: {
      title: 'There is no such page',
      quote: 'The page has moved, or its address is misspelt. The search finds every page.',
      linkText: 'Go to the first page',
      linkLabel: 'Go to the first page',
    },
    footer: { message: 'MIT licence' },
  },
});
