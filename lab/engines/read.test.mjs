// Checks the golden files and the published hashes with tamis/read in Bun, in Deno, and in Hermes (the engine of React
// Native, which has no WebAssembly). Run by `npm run test:engines`.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import swc from '@swc/core';
import esbuild from 'esbuild';
import { assertFound, checkPath, given } from '../../tests/e2e/read-golden.mjs';
import { output, project } from '../../tests/package/workspace.mjs';
import { programOf, runners } from './programs.mjs';

const folder = project('engines-read');

/** The check as a module. */
const module = join(folder, 'golden.mjs');
writeFileSync(
  module,
  `import * as read from 'tamis/read';
  import { checkGolden } from ${JSON.stringify(pathToFileURL(checkPath))};
  console.log(JSON.stringify(checkGolden(read, ...${given})));`,
);

for (const [name, runBy] of Object.entries(runners)) {
  test(name, (t) => {
    const program = programOf(t, name);
    if (program === undefined) return;
    assertFound(JSON.parse(runBy(program, module, folder)));
  });
}

/** The check as one script that calls `print`, compiled to the JavaScript that React Native passes to Hermes. */
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
  const hermes = programOf(t, 'Hermes');
  if (hermes === undefined) return;
  const [wasm, found] = JSON.parse(output(hermes, ['-O', '-w', await bundleForHermes()]));
  assert.equal(wasm, 'undefined');
  assertFound(found);
});
