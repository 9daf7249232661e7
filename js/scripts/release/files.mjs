// The files of a release beside the source, from the dist and the parts of the wasm that a build left:
//
//   node js/scripts/release/files.mjs FOLDER
//
//   FOLDER/assets/tamis-1.2.3.tgz           the package that npm publishes
//   FOLDER/assets/tamis-1.2.3-wasm.tar.gz   the folder that `--wasm` of the build takes
//   FOLDER/assets/SHA256SUMS                the digests of both, as sha256sum --check reads them
//   FOLDER/notes.md                         the text of CHANGELOG, and the digests, also of dist/cdn
//
// The same dist and parts give the same bytes. The archives need GNU tar.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isProgram, root as repository } from '../run.mjs';
import { readParts } from '../wasm/parts.mjs';
import { manifestOf, notesOf } from './checks.mjs';

const read = (...path) => readFileSync(join(...path), 'utf8');
const digestOf = (kind, encoding, ...path) =>
  createHash(kind)
    .update(readFileSync(join(...path)))
    .digest(encoding);

/** The Emscripten that CONTRIBUTING names for releases. */
export function emscriptenOf(contributing) {
  const [, version] = /^Releases are made with (\d+\.\d+\.\d+)\b/m.exec(contributing) ?? [];
  if (version === undefined) throw new Error('CONTRIBUTING.md names no Emscripten for releases');
  return version;
}

/** The parts of the wasm as one archive, in a folder of its name. */
function archive(parts, name, file) {
  const paths = readdirSync(parts).sort();
  const bytes = execFileSync(
    'tar',
    [
      ...['--create', '--format=ustar', '--mtime=@0', '--mode=u=rw,go=r'],
      ...['--owner=0', '--group=0', '--numeric-owner', `--transform=s,^,${name}/,`],
      ...['--directory', parts, '--', ...paths],
    ],
    { maxBuffer: 2 ** 28 },
  );
  writeFileSync(file, gzipSync(bytes, { level: 9 }));
}

const tableOf = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** The notes of a release: its news, and digests to check downloads. */
function notes(root, version, sums) {
  const news = notesOf(read(root, 'CHANGELOG.md'), version);
  if (news === undefined) throw new Error(`CHANGELOG.md has no section of ${version}`);
  const cdn = join(root, 'dist/cdn');
  const ofCdn = readdirSync(cdn)
    .sort()
    .map((name) => [
      `\`dist/cdn/${name}\``,
      `\`sha384-${digestOf('sha384', 'base64', cdn, name)}\``,
    ]);
  return `${news}

## Digests

${tableOf(
  ['File', 'SHA-256'],
  sums.map(([name, sum]) => [`\`${name}\``, `\`${sum}\``]),
)}

For pages without a bundler, in the form that browsers read:

${tableOf(['File', 'Integrity'], ofCdn)}
`;
}

/** Makes the files of a release of the repository in `root`. */
function makeFiles(root, folder) {
  const parts = join(root, 'build/parts');
  const { emscripten } = readParts(parts);
  const wanted = emscriptenOf(read(root, 'CONTRIBUTING.md'));
  if (emscripten !== wanted)
    throw new Error(`Emscripten ${emscripten} made the wasm, and CONTRIBUTING.md names ${wanted}`);
  const { version } = manifestOf(root);
  const assets = join(folder, 'assets');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  const pack = ['pack', '--silent', '--pack-destination', assets];
  execFileSync('npm', pack, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const name = `tamis-${version}-wasm`;
  archive(parts, name, join(assets, `${name}.tar.gz`));
  const sums = [`tamis-${version}.tgz`, `${name}.tar.gz`].map((file) => [
    file,
    digestOf('sha256', 'hex', assets, file),
  ]);
  writeFileSync(
    join(assets, 'SHA256SUMS'),
    sums.map(([file, sum]) => `${sum}  ${file}\n`).join(''),
  );
  writeFileSync(join(folder, 'notes.md'), notes(root, version, sums));
}

if (isProgram(import.meta)) {
  const [folder] = process.argv.slice(2);
  try {
    if (folder === undefined) throw new Error('expected the folder to write');
    makeFiles(repository, resolve(folder));
  } catch (error) {
    console.error(`release: ${error.message}`);
    process.exitCode = 1;
  }
}
