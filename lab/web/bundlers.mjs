// The bundlers of the web. Each makes of every program one minified module without anything beside it. Of a program by
// itself it makes whatever chunks the bundler would make.
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

/** What esbuild makes of some entries, with `more` options. */
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

/** What Rollup makes of an entry: all in one unless `isSplit`. */
async function runRollup(folder, entry, isSplit) {
  const input = join(folder, entry);
  const bundle = await rollup({ input, plugins: [nodeResolve({ browser: true })] });
  const { output } = await bundle.generate({ format: 'es', inlineDynamicImports: !isSplit });
  const options = { minify: true, format: 'esm', target };
  const made = output.map(({ code }) => esbuild.transform(code, options));
  return (await Promise.all(made)).map(({ code }) => code);
}

/** The same by Vite. */
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

/** The files that webpack makes of some entries, by name. */
async function runWebpack(folder, entries, isSplit) {
  const path = join(folder, isSplit ? `chunks-by-webpack-${entries}` : 'by-webpack');
  const compiler = webpack({
    mode: 'production',
    target: ['web', target],
    context: folder,
    entry: Object.fromEntries(entries.map((entry) => [entry, `./${entry}`])),
    // A module, as the others write.
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

async function bundleByWebpack(folder, entries) {
  const files = await runWebpack(folder, entries, false);
  assert.deepEqual(Object.keys(files).sort(), entries.toSorted());
  return entries.map((entry) => files[entry]);
}

/** The codes of what `make` makes of each entry, which must be one file. */
async function oneOfEach(make, entries) {
  const codes = [];
  for (const entry of entries) {
    const made = await make(entry);
    assert.equal(made.length, 1, `${entry}: one file`);
    codes.push(...made);
  }
  return codes;
}

/** By name: gives for each of some `entries` in `folder` the code of its bundle. */
export const bundlers = {
  esbuild: (folder, entries) => runEsbuild(folder, entries, {}),
  Rollup: (folder, entries) => oneOfEach((entry) => runRollup(folder, entry, false), entries),
  Vite: (folder, entries) => oneOfEach((entry) => runVite(folder, entry, false), entries),
  webpack: bundleByWebpack,
};

/** By name: gives the codes of all files that come of one entry where code is split, as applications split theirs. */
export const splitters = {
  esbuild: (folder, entry) => runEsbuild(folder, [entry], { splitting: true }),
  Rollup: (folder, entry) => runRollup(folder, entry, true),
  Vite: (folder, entry) => runVite(folder, entry, true),
  webpack: async (folder, entry) => Object.values(await runWebpack(folder, [entry], true)),
};
