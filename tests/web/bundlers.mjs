// The bundlers of the web: each makes of every program one minified module without anything beside it.
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

async function bundleByEsbuild(folder, entries) {
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
  });
  return outputFiles.map(({ text }) => text);
}

async function bundleByRollup(folder, entries) {
  const made = [];
  for (const entry of entries) {
    const input = join(folder, entry);
    const bundle = await rollup({ input, plugins: [nodeResolve({ browser: true })] });
    const { output } = await bundle.generate({ format: 'es', inlineDynamicImports: true });
    const { code } = await esbuild.transform(output[0].code, {
      minify: true,
      format: 'esm',
      target,
    });
    made.push(code);
  }
  return made;
}

async function bundleByVite(folder, entries) {
  const made = [];
  for (const entry of entries) {
    const { output } = await vite({
      root: folder,
      configFile: false,
      logLevel: 'error',
      build: {
        target,
        write: false,
        modulePreload: false,
        rollupOptions: { input: join(folder, entry), output: { inlineDynamicImports: true } },
      },
    });
    made.push(...output.map(({ code }) => code));
  }
  return made;
}

async function bundleByWebpack(folder, entries) {
  const path = join(folder, 'by-webpack');
  const compiler = webpack({
    mode: 'production',
    target: ['web', target],
    context: folder,
    entry: Object.fromEntries(entries.map((entry) => [entry, `./${entry}`])),
    // A module, as the others write.
    experiments: { outputModule: true },
    output: { path, filename: '[name]', module: true },
    module: { parser: { javascript: { dynamicImportMode: 'eager' } } },
    performance: { hints: false },
  });
  const stats = await promisify(compiler.run).call(compiler);
  await promisify(compiler.close).call(compiler);
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  assert.deepEqual([...errors, ...warnings], []);
  assert.deepEqual(readdirSync(path).sort(), entries.toSorted());
  return entries.map((entry) => readFileSync(join(path, entry), 'utf8'));
}

/** By name: gives for each of some `entries` in `folder` the code of its bundle. */
export const bundlers = {
  esbuild: bundleByEsbuild,
  Rollup: bundleByRollup,
  Vite: bundleByVite,
  webpack: bundleByWebpack,
};
