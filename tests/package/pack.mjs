// Packs the package and installs the tarball: `node tests/package/pack.mjs FOLDER` leaves both in FOLDER, for the files
// of tests to which TAMIS_PACKED names it.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProgram } from '../../js/scripts/run.mjs';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The environment of a child, without the settings of the `npm test` that runs this, and without colours. */
export const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS$|NODE_TEST|FORCE_COLOR$)/i.test(name),
  ),
);

/** Runs a program to its end. Returns `{ status, stdout, stderr }`. */
export function run(file, args, options = {}) {
  const ended = spawnSync(file, args, { encoding: 'utf8', env: environment, ...options });
  if (ended.error) throw ended.error;
  return ended;
}

/** Runs a program that must succeed, and returns its output. */
export function output(file, args, options) {
  const { status, stdout, stderr } = run(file, args, options);
  if (status !== 0) {
    throw new Error(`${file} ${args.join(' ')}: exit code ${status}\n${stdout}\n${stderr}`);
  }
  return stdout;
}

/**
 * Packs a copy of the repository, as a release is packed: with the scripts of npm, which write files into it. So tests
 * that run at once do not meet.
 */
function pack(folder) {
  const copy = join(folder, 'repository');
  const left = /^(\.git|\.vitepress|node_modules|build|vectors)$/;
  cpSync(root, copy, { recursive: true, filter: (path) => !left.test(basename(path)) });
  const before = readdirSync(copy);
  const args = ['pack', '--json', '--foreground-scripts=false', '--pack-destination', folder];
  // An array, and from npm 12 on an object.
  const [made] = Object.values(JSON.parse(output('npm', args, { cwd: copy })));
  const leftBehind = readdirSync(copy).filter((name) => !before.includes(name));
  rmSync(copy, { recursive: true });
  return {
    tarball: join(folder, made.filename),
    files: made.files.map((file) => file.path).sort(),
    leftBehind,
  };
}

/** Installs a tarball without a network. Returns the folder of modules. */
function install(folder, tarball) {
  const project = join(folder, 'installed');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true }');
  const cache = `--cache=${join(folder, 'cache')}`;
  output('npm', ['install', '--offline', '--no-audit', '--no-fund', cache, tarball], {
    cwd: project,
  });
  return join(project, 'node_modules');
}

/** `{ tarball, files, leftBehind, installed }` from what lies in dist. */
export function makePacked(folder) {
  const packed = pack(folder);
  return { ...packed, installed: install(folder, packed.tarball) };
}

if (isProgram(import.meta)) {
  const folder = resolve(process.argv[2]);
  writeFileSync(join(folder, 'packed.json'), JSON.stringify(makePacked(folder)));
}
