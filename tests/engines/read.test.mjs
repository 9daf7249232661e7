// The golden files and the published hashes by tamis/read in Bun, in Deno, and in Hermes, the engine of React Native,
// which has no WebAssembly. Run by `npm run test:engines`.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import swc from '@swc/core';
import esbuild from 'esbuild';
import { installed } from '../package/from-npm.mjs';
import { output, project } from '../package/workspace.mjs';
import { assertFound, checkPath, given } from '../web/read-golden.mjs';

const folder = project('engines-read');

/** Machines that Hermes has a program for. */
const hermesOf = { 'linux-x64': 'linux64-bin/hermes', 'darwin-x64': 'osx-bin/hermes' };

/** By name the npm package that holds the engine, and where in node_modules its program lies. */
const engines = {
  // Its program is put in its place by a script, which not every npm runs.
  Bun: { version: 'bun@1.4.5', program: '.bin/bun', script: 'bun/install.js' },
  Deno: { version: 'deno@2.9.6', program: '.bin/deno' },
  Hermes: {
    version: 'hermes-engine-cli@0.12.0',
    program: `hermes-engine-cli/${hermesOf[`${process.platform}-${process.arch}`]}`,
  },
};

/** The path of an engine's program; undefined, and the test is skipped, where there is none to be had. */
function prepare(t, name) {
  const { version, program, script } = engines[name];
  const pathIn = (home) => join(home, 'node_modules', program);
  const home = installed(t, version, (folder) => {
    if (script) output('node', [join(folder, 'node_modules', script)]);
    if (!existsSync(pathIn(folder))) throw new Error('it has no program for this machine');
  });
  return home && pathIn(home);
}

/** The check as a module that reads what it is given. */
function writeModule() {
  const data = join(folder, 'golden.json');
  writeFileSync(data, given);
  const file = join(folder, 'golden.mjs');
  writeFileSync(
    file,
    `import { readFileSync } from 'node:fs';
    import * as read from 'tamis/read';
    import { checkGolden } from ${JSON.stringify(pathToFileURL(checkPath))};
    const given = JSON.parse(readFileSync(${JSON.stringify(data)}, 'utf8'));
    console.log(JSON.stringify(checkGolden(read, ...given)));`,
  );
  return file;
}

test('Bun', (t) => {
  const bun = prepare(t, 'Bun');
  if (bun === undefined) return;
  assertFound(JSON.parse(output(bun, ['run', writeModule()], { cwd: folder })));
});

test('Deno', (t) => {
  const deno = prepare(t, 'Deno');
  if (deno === undefined) return;
  const own = { DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1' };
  const said = output(deno, ['run', '--allow-read', writeModule()], {
    cwd: folder,
    env: { ...process.env, ...own },
  });
  assertFound(JSON.parse(said));
});

/** The check as one script that `print`s, in the JavaScript that React Native gives to Hermes. */
async function bundleForHermes() {
  const { outputFiles } = await esbuild.build({
    stdin: {
      contents: `import * as read from 'tamis/read';
        import { checkGolden } from ${JSON.stringify(checkPath)};
        print(JSON.stringify([typeof WebAssembly, checkGolden(read, ...JSON.parse(given))]));`,
      resolveDir: folder,
    },
    bundle: true,
    format: 'iife',
    platform: 'neutral',
    conditions: ['react-native'],
    target: 'es2022',
    write: false,
    logLevel: 'error',
  });
  // Hermes has no classes, and esbuild does not lower them.
  const { code } = await swc.transform(outputFiles[0].text, {
    configFile: false,
    swcrc: false,
    isModule: false,
    jsc: { target: 'es5', parser: { syntax: 'ecmascript' } },
  });
  const file = join(folder, 'hermes.js');
  writeFileSync(file, `var given = ${JSON.stringify(given)};\n${code}`);
  return file;
}

test('Hermes', async (t) => {
  const hermes = prepare(t, 'Hermes');
  if (hermes === undefined) return;
  const [wasm, found] = JSON.parse(output(hermes, ['-O', '-w', await bundleForHermes()]));
  assert.equal(wasm, 'undefined');
  assertFound(found);
});
