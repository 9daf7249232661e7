// Fills THIRD-PARTY-NOTICES.md: the licence of every package that the command line bundles, which esbuild
// names. `node js/scripts/notices.mjs [--check]`; with --check it writes nothing and fails where the file
// says something else.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { updateBlocks } from './marked-block.mjs';
import { root } from './run.mjs';

/** The folders of the packages of which the bundle holds a file. */
async function bundledPackages() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['js/src/node/cli.ts'],
    bundle: true,
    metafile: true,
    write: false,
    format: 'esm',
    platform: 'node',
    external: ['tamis'],
    outfile: 'cli.mjs',
    logLevel: 'error',
  });
  const used = Object.entries(metafile.outputs['cli.mjs'].inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(used.filter((folder) => folder !== undefined))].sort();
}

/** Name, licence and the text of the licence. */
function sectionOf(folder) {
  const { name, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${folder} has no file with its licence`);
  const text = readFileSync(join(root, folder, file), 'utf8')
    .replaceAll('\r\n', '\n')
    .trim();
  return `### ${name} (${license})\n\n\`\`\`text\n${text}\n\`\`\``;
}

const sections = [...new Set((await bundledPackages()).map(sectionOf))];
const isCurrent = updateBlocks(
  join(root, 'THIRD-PARTY-NOTICES.md'),
  { bundled: sections.join('\n\n') },
  { check: process.argv.includes('--check'), command: 'node js/scripts/notices.mjs' },
);
if (!isCurrent) process.exitCode = 1;
