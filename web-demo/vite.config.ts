import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type Rollup } from 'vite';

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const textOf = (output: Rollup.OutputBundle[string] | undefined): string =>
  output?.type === 'chunk' ? output.code : String(output?.source);

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
    worker.code = worker.code.replace('PAGE_FILES', JSON.stringify([...files]));
  },
};

export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: {
        index: file('index.html'),
        urls: file('urls.html'),
        figures: file('figures.html'),
        'service-worker': file('src/urls/service-worker.ts'),
      },
      output: {
        // Its name is its identity, and its folder is what it may serve.
        entryFileNames: ({ name }) =>
          name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js',
      },
    },
  },
  worker: { format: 'es' },
  plugins: [pageFiles],
});
