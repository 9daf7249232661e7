// The packed tarball, and throw-away projects that install it as a user would.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const consumers = fileURLToPath(new URL('./consumers/', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'tamis-package-'));
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));

/** The environment of a child, without the settings of the `npm test` that runs this, and without colours. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS$|NODE_TEST|FORCE_COLOR$)/i.test(name),
  ),
);
environment.npm_config_cache = join(temporary, 'cache');

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
function pack() {
  const copy = join(temporary, 'repository');
  const left = /^(\.git|node_modules|build|vectors)$/;
  cpSync(root, copy, { recursive: true, filter: (path) => !left.test(basename(path)) });
  const before = readdirSync(copy);
  const args = ['pack', '--json', '--foreground-scripts=false', '--pack-destination', temporary];
  // An array, and from npm 12 on an object.
  const [packed] = Object.values(JSON.parse(output('npm', args, { cwd: copy })));
  const leftBehind = readdirSync(copy).filter((name) => !before.includes(name));
  const readme = readFileSync(join(copy, 'README.md'), 'utf8');
  rmSync(copy, { recursive: true });
  return {
    tarball: join(temporary, packed.filename),
    files: packed.files.map((file) => file.path).sort(),
    leftBehind,
    readme,
  };
}

/** `{ tarball, files, leftBehind, readme }`: made once, from what lies in dist. The last two are there after it. */
export const packed = pack();

let installed;

/** A new project with the tarball installed, without a network, and the consumers beside it. */
export function project(name, type = 'module') {
  const folder = join(temporary, name);
  mkdirSync(folder);
  cpSync(consumers, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, type }));
  // npm takes seconds, so it installs only into the first project.
  if (installed === undefined) {
    const args = ['install', '--offline', '--no-audit', '--no-fund', packed.tarball];
    output('npm', args, { cwd: folder });
    installed = join(temporary, 'installed');
    cpSync(join(folder, 'node_modules'), installed, { recursive: true, verbatimSymlinks: true });
  } else {
    const own = join(folder, 'node_modules');
    cpSync(installed, own, { recursive: true, verbatimSymlinks: true });
  }
  return folder;
}

const webGlobals = {
  AbortController,
  AbortSignal,
  ReadableStream,
  TextDecoder,
  TextEncoder,
  URL,
  atob,
  location: { href: 'https://page.example/' },
  performance,
  queueMicrotask,
  setTimeout,
};

/**
 * Runs a script with the globals of a web page and none of Node, under a policy without 'unsafe-eval'.
 * `wasm: false` also forbids the compilation of WebAssembly. Returns the script's `answer` and `failure`, or a
 * promise of them if the script leaves one in `done`.
 */
export function runInPage(code, { wasm = true, globals = {} } = {}) {
  const page = vm.createContext(
    { ...webGlobals, ...globals },
    { codeGeneration: { strings: false, wasm } },
  );
  vm.runInContext('globalThis.self = globalThis.window = globalThis', page);
  vm.runInContext(code, page);
  const left = 'JSON.stringify({ answer: self.answer, failure: self.failure })';
  const found = () => JSON.parse(vm.runInContext(left, page));
  return page.done === undefined ? found() : page.done.then(found);
}
