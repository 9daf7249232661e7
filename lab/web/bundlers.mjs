// Runs the web bundlers. Each makes one minified module of a program or, with splitting, the chunks that it chooses.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import nodeResolve from '@rollup/plugin-node-resolve';
import esbuild from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import webpack from 'webpack';

const target = 'es2022';

/** Runs esbuild on some entries, with `more` options. */
async function runEsbuild(folder, entries, more) {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: folder,
    entryPoints: entries,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target,
    write: false,
    outdir: 'out',
    logLevel: 'error',
    ...more,
  });
  return outputFiles.map(({ text }) => text);
}

/** The parsed modules of the previous bundle. */
let cache;

/** Runs Rollup on an entry. Makes one file unless `isSplit`. */
async function runRollup(folder, entry, isSplit) {
  const input = join(folder, entry);
  const bundle = await rollup({ input, plugins: [nodeResolve({ browser: true })], cache });
  cache = bundle.cache;
  const { output } = await bundle.generate({ format: 'es', inlineDynamicImports: !isSplit });
  const options = { minify: true, format: 'esm', target };
  const made = output.map(({ code }) => esbuild.transform(code, options));
  return (await Promise.all(made)).map(({ code }) => code);
}

/** Runs Vite on an entry. Makes one file unless `isSplit`. */
async function runVite(folder, entry, isSplit) {
  const { output } = await vite({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: {
      target,
      write: false,
      modulePreload: false,
      rollupOptions: { input: join(folder, entry), output: { inlineDynamicImports: !isSplit } },
    },
  });
  return output.map(({ code }) => code);
}

/** Runs webpack on some entries. Returns the files by name. */
async function runWebpack(folder, entries, isSplit) {
  const path = join(folder, isSplit ? `chunks-by-webpack-${entries}` : 'by-webpack');
  const compiler = webpack({
    mode: 'production',
    target: ['web', target],
    context: folder,
    entry: Object.fromEntries(entries.map((entry) => [entry, `./${entry}`])),
    // The output is a module, as with the other bundlers.
    experiments: { outputModule: true },
    output: { path, filename: '[name]', module: true },
    module: { parser: { javascript: { dynamicImportMode: isSplit ? 'lazy' : 'eager' } } },
    performance: { hints: false },
  });
  const stats = await promisify(compiler.run).call(compiler);
  await promisify(compiler.close).call(compiler);
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  assert.deepEqual([...errors, ...warnings], []);
  return Object.fromEntries(
    readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]),
  );
}

/** Calls `make` for each entry, and checks that it makes one file. */
async function oneOfEach(make, entries) {
  const codes = [];
  for (const entry of entries) {
    const made = await make(entry);
    assert.equal(made.length, 1, `${entry}: one file`);
    codes.push(...made);
  }
  return codes;
}

/** For each bundler, a function that returns a bundle for each of `entries` in `folder`. */
export const bundlers = {
  esbuild: (folder, entries) => runEsbuild(folder, entries, {}),
  Rollup: (folder, entries) => oneOfEach((entry) => runRollup(folder, entry, false), entries),
  Vite: (folder, entries) => oneOfEach((entry) => runVite(folder, entry, false), entries),
  async webpack(folder, entries) {
    const files = await runWebpack(folder, entries, false);
    assert.deepEqual(Object.keys(files).sort(), entries.toSorted());
    return entries.map((entry) => files[entry]);
  },
};

/** For each bundler, a function that returns all files of one entry, split as in applications. */
export const splitters = {
  esbuild: (folder, entry) => runEsbuild(folder, [entry], { splitting: true }),
  Rollup: (folder, entry) => runRollup(folder, entry, true),
  Vite: (folder, entry) => runVite(folder, entry, true),
  webpack: async (folder, entry) => Object.values(await runWebpack(folder, [entry], true)),
};
