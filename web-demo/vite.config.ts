import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, defineConfig, type Plugin, type Rollup } from 'vite';
import { completePage, docsPages } from './page-parts.js';

/**
 * The files that the publisher of the URL check fetches. A service worker cannot import them, so the build tells it
 * their names.
 */
const PUBLISHER_FILES = ['first-list.tamis', 'publisher-history.bin'];

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const textOf = (output: Rollup.OutputBundle[string] | undefined): string =>
  output?.type === 'chunk' ? output.code : String(output?.source);

const stylesOf = (output: Rollup.OutputBundle[string] | undefined): Iterable<string> =>
  (output?.type === 'chunk' && output.viteMetadata?.importedCss) || [];

/** The descriptions of the lists and of the pages, which build-data.mjs wrote. */
const infoOf = (name: string) => JSON.parse(readFileSync(file(`public/${name}.json`), 'utf8'));
const listInfo = () => infoOf('phishing');
const pagesInfo = () => infoOf('passwords');

/** The modules with these names export the descriptions. */
const INFO_MODULES = new Map([
  ['virtual:first-list', () => `export const firstList = ${JSON.stringify(infoOf('first-list'))};`],
  ['virtual:list-info', () => `export const listInfo = ${JSON.stringify(listInfo())};`],
  ['virtual:pages-info', () => `export const pagesInfo = ${JSON.stringify(pagesInfo())};`],
]);

/**
 * Gives both lists' figures to modules and to the HTML. The HTML also receives the icon and the parts that all pages
 * have. This saves requests before the first answer.
 */
const listFigures: Plugin = {
  name: 'list-figures',
  resolveId: (id) => (INFO_MODULES.has(id) ? `\0${id}` : null),
  load: (id) => INFO_MODULES.get(id.slice(1))?.(),
  transformIndexHtml: {
    order: 'pre',
    handler(html, { path }) {
      const { hosts, filterBytes, textBytes } = listInfo();
      const { keys, pages, stride } = pagesInfo();
      const kilobytes = (bytes: number): string => `${Number((bytes / 1000).toPrecision(3))} kB`;
      return completePage(html, basename(path))
        .replaceAll('%hosts%', hosts.toLocaleString('en'))
        .replaceAll('%filterBytes%', kilobytes(filterBytes))
        .replaceAll('%textBytes%', kilobytes(textBytes))
        .replaceAll('%passwords%', keys.toLocaleString('en'))
        .replaceAll('%pages%', String(pages))
        .replaceAll('%pageBytes%', kilobytes(stride))
        .replaceAll('%pageKeys%', Number((keys / pages).toPrecision(3)).toLocaleString('en'));
    },
  },
};

/** Writes the names of the URL check's files into the service worker. These names change with each build. */
const pageFiles: Plugin = {
  name: 'page-files',
  enforce: 'post',
  generateBundle(_, bundle) {
    const assets = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
    const files = new Set(['urls.html']);
    // The files that one of them refers to. Files that are added during the loop are visited too.
    for (const file of files) {
      const text = textOf(bundle[file]);
      for (const asset of assets) if (text.includes(basename(asset))) files.add(asset);
      // Vite writes the names of a script's styles into the script after this point.
      for (const style of stylesOf(bundle[file])) files.add(style);
    }
    const worker = bundle['service-worker.js'];
    if (worker?.type !== 'chunk') throw new Error('there is no service worker');
    worker.code = worker.code.replace('PAGE_FILES', JSON.stringify([...files, ...PUBLISHER_FILES]));
  },
};

/** The input of each further build. Pages of different builds share no file, so no page waits for a shared file. */
const LATER_BUILDS: Readonly<Record<string, Record<string, string>>> = {
  urls: { urls: file('urls.html'), 'service-worker': file('src/urls/service-worker.ts') },
  calculator: { calculator: file('calculator.html') },
  figures: { figures: file('figures.html') },
  pages: { pages: file('pages.html') },
};

/** Builds the other pages after the first one. Each of them is then a single script. */
function otherPages(): Plugin {
  let outDir: string;
  return {
    name: 'other-pages',
    apply: 'build',
    configResolved(config) {
      outDir = config.build.outDir;
    },
    async closeBundle(error?: Error) {
      if (error) return;
      for (const mode of Object.keys(LATER_BUILDS)) {
        const configFile = file('vite.config.ts');
        await build({ root: file('.'), configFile, mode, build: { outDir } });
      }
    },
  };
}

const firstPage = { index: file('index.html') };

export default defineConfig(({ mode }) => {
  const later = LATER_BUILDS[mode];
  const isFirst = later === undefined;
  return {
    base: './',
    define: { DOCS_PAGES: JSON.stringify(docsPages) },
    build: {
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      emptyOutDir: isFirst,
      copyPublicDir: isFirst,
      rollupOptions: {
        input: later ?? firstPage,
        output: {
          // A service worker's name is its identity, and its folder limits the pages that it may serve.
          entryFileNames: ({ name }) =>
            name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js',
        },
      },
    },
    worker: { format: 'es' },
    // The pages import the package from its build.
    server: { fs: { allow: ['..'] } },
    plugins: [listFigures, isFirst && otherPages(), mode === 'urls' && pageFiles],
  };
});
