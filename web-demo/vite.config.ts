import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, defineConfig, type Plugin, type Rollup } from 'vite';

/** A classic script can import nothing: the service worker is told of this file as of the others. */
const HISTORY_FILE = 'publisher-history.bin';

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const textOf = (output: Rollup.OutputBundle[string] | undefined): string =>
  output?.type === 'chunk' ? output.code : String(output?.source);

/** What build-data.mjs wrote of the list. */
const listInfo = () => JSON.parse(readFileSync(file('public/phishing.json'), 'utf8'));

const LIST_MODULE = 'virtual:list-info';

/** Where the documentation is: in the repository, or where a site that has the demo says. */
function docsPages(): string {
  const { homepage } = JSON.parse(readFileSync(file('../package.json'), 'utf8'));
  return process.env.TAMIS_DOCS_PAGES ?? homepage.replace(/#.*$/, '/blob/main/docs/*.md');
}

const icon = (): string =>
  `data:image/svg+xml,${encodeURIComponent(readFileSync(file('icon.svg'), 'utf8').replace(/\n\s*/g, ''))}`;

/** The list's figures as a module, and in the HTML with the icon: requests less before the first answer. */
const listFigures: Plugin = {
  name: 'list-figures',
  resolveId: (id) => (id === LIST_MODULE ? `\0${LIST_MODULE}` : null),
  load: (id) =>
    id === `\0${LIST_MODULE}` ? `export const listInfo = ${JSON.stringify(listInfo())};` : null,
  transformIndexHtml: {
    order: 'pre',
    handler(html) {
      const { hosts, filterBytes, textBytes } = listInfo();
      const kilobytes = (bytes: number): string => `${Number((bytes / 1000).toPrecision(3))} kB`;
      return html
        .replaceAll('%icon%', icon())
        .replaceAll('%hosts%', hosts.toLocaleString('en'))
        .replaceAll('%filterBytes%', kilobytes(filterBytes))
        .replaceAll('%textBytes%', kilobytes(textBytes));
    },
  },
};

/** Names in the service worker the files of the URL check, which are others after each build. */
const pageFiles: Plugin = {
  name: 'page-files',
  enforce: 'post',
  generateBundle(_, bundle) {
    const assets = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
    const files = new Set(['urls.html']);
    // What one of them names; this also sees those that are added on the way.
    for (const file of files) {
      const text = textOf(bundle[file]);
      for (const asset of assets) if (text.includes(basename(asset))) files.add(asset);
    }
    const worker = bundle['service-worker.js'];
    if (worker?.type !== 'chunk') throw new Error('there is no service worker');
    worker.code = worker.code.replace('PAGE_FILES', JSON.stringify([...files, HISTORY_FILE]));
  },
};

/** Builds the other pages after the first, which shares no file with them: it is one script so. */
const otherPages: Plugin = {
  name: 'other-pages',
  apply: 'build',
  async closeBundle(error?: Error) {
    if (error) return;
    await build({ root: file('.'), configFile: file('vite.config.ts'), mode: 'others' });
  },
};

const firstPage = { index: file('index.html') };
const others = {
  urls: file('urls.html'),
  figures: file('figures.html'),
  'service-worker': file('src/urls/service-worker.ts'),
};

export default defineConfig(({ mode }) => {
  const isFirst = mode !== 'others';
  return {
    base: './',
    define: { DOCS_PAGES: JSON.stringify(docsPages()) },
    build: {
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      emptyOutDir: isFirst,
      copyPublicDir: isFirst,
      rollupOptions: {
        input: isFirst ? firstPage : others,
        output: {
          // Its name is its identity, and its folder is what it may serve.
          entryFileNames: ({ name }) =>
            name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js',
        },
      },
    },
    worker: { format: 'es' },
    plugins: [listFigures, isFirst ? otherPages : pageFiles],
  };
});
