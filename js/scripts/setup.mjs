// Prepares a machine: finds the tools that the build, the tests and the bench need, and installs missing ones with apt
// if it may. It also updates node_modules, in the root and in each FOLDER with a package.
//
//   node js/scripts/setup.mjs [GROUP] [FOLDER]...  (default: base)
//
// It runs before `npm ci`, so it uses only Node's own modules. Each probe looks for the tool itself (a program on PATH,
// a header, a library), never for a Debian package, so tools from elsewhere (emsdk, Homebrew) count too.
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isProgram, root, run } from './run.mjs';

/** True for a file that this process may run. */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The path of the first of `names` that is on PATH, or undefined. */
export function findProgram(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** The path of WebKitGTK's MiniBrowser, which is in a library folder and not on PATH; or undefined. */
export function findMiniBrowser() {
  const folders = ['/usr/lib', '/usr/libexec', '/usr/local/lib', '/usr/local/libexec'];
  const libraries = folders.flatMap((folder) => [folder, ...children(folder, /-linux-gnu/)]);
  return libraries
    .flatMap((folder) => children(folder, /^webkit(2gtk|gtk)-\d/).toReversed())
    .map((folder) => join(folder, 'MiniBrowser'))
    .find(existsSync);
}

/** The entries of a folder whose names match `name`, sorted. */
function children(folder, name) {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).filter((entry) => name.test(entry));
  return found.sort().map((entry) => join(folder, entry));
}

/** True if one of these compilers is installed and can build a program from `source`. */
function compiles(source, args, ...compilers) {
  const compiler = findProgram(...compilers);
  if (!compiler) return false;
  const folder = mkdtempSync(join(tmpdir(), 'tamis-'));
  try {
    const all = ['-x', 'c++', '-', '-o', join(folder, 'program'), ...args];
    return spawnSync(compiler, all, { input: `${source}\n` }).status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The folder in which Debian installs Go packages. */
export const goPath = '/usr/share/gocode';

const goPackage = (path, debian) => ({
  name: path,
  debian,
  found: () => existsSync(join(goPath, 'src', path)),
});

/** A Go library in that folder that tests use. */
export const goBloom = 'github.com/bits-and-blooms/bloom';
export const goCuckoo = 'github.com/seiflotfy/cuckoofilter';

/** Where Debian installs Guava's jar. */
export const guavaJar = '/usr/share/java/guava.jar';

/** True if Python runs with these arguments. */
const runsPython = (...args) => spawnSync('python3', args).status === 0;

// <cerrno> is included separately, because <vector> does not need it. It needs more headers for 32 bits.
const fuzzTarget = `#include <cerrno>
#include <vector>
extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, std::size_t) { return 0; }`;

/** True if clang can build fuzz targets with ASan. */
const hasFuzzer = (...args) =>
  compiles(fuzzTarget, ['-fsanitize=fuzzer,address', ...args], 'clang++');

/** True if this machine runs the fuzz targets for 32 bits too: only x86 has one compiler for both. */
export const runs32 = process.arch === 'x64';

/** A need for a program. Any of `names` is enough. */
const program = (name, debian, ...names) => ({
  name,
  debian,
  found: () => !!findProgram(...(names.length > 0 ? names : [name])),
});
const header = (name, debian) => ({
  name,
  debian,
  found: () => compiles(`#include <${name}>`, ['-E'], 'clang++', 'g++'),
});

const native = [
  program('cmake', 'cmake'),
  program('ninja', 'ninja-build'),
  program('a C++ compiler', 'g++', 'clang++', 'g++'),
  header('xxhash.h', 'libxxhash-dev'),
];
const emscripten = program('emcc', 'emscripten');
const python = program('python3', 'python3');
const chromium = program('chromium', 'chromium');
// Two packages contain a Chromium that can show a page. Debian's headless shell is the smaller one.
const headless = 'chromium-headless-shell';
const page = program('chromium', headless, headless, 'chromium');
// The shell opens a page with half of the CPU time. Where apt is missing, Chromium opens all pages.
const shell = {
  name: headless,
  debian: headless,
  found: () => !!findProgram(headless) || !findProgram('apt-get'),
};
const gtest = header('gtest/gtest.h', 'libgtest-dev');
// Python, because emcc is written in it.
const base = [emscripten, ...native, python];

// Debian 12 has only the second name; releases after Debian 13 have the first.
const webKitDriver = ['webkitgtk-webdriver', 'webkit2gtk-driver'];

const sanitized = [
  ...native,
  gtest,
  program('clang++', 'clang'),
  program('g++', 'g++'),
  program('pkg-config', 'pkg-config'),
  { name: "clang's fuzzer and ASan runtimes", debian: 'libclang-rt-dev', found: () => hasFuzzer() },
];

/**
 * The needs of the build, of each part of npm test, and of other modes: a probe, and all names of the Debian package.
 */
const groups = {
  base,
  modules: [],
  emscripten: [emscripten],
  python: [python],
  contract: [...native, gtest],
  page: [page],
  test: [...base, gtest, page],
  native: [
    ...sanitized,
    program('qemu-aarch64', 'qemu-user'),
    program('aarch64-linux-gnu-g++', 'g++-aarch64-linux-gnu'),
    program('s390x-linux-gnu-g++', 'g++-s390x-linux-gnu'),
    program('x86_64-w64-mingw32-g++', 'g++-mingw-w64-x86-64'),
  ],
  package: [shell, page],
  web: [
    chromium,
    shell,
    program('Firefox', 'firefox-esr', 'firefox-esr', 'firefox'),
    program('WebKitWebDriver', webKitDriver),
    { name: "WebKitGTK's MiniBrowser", debian: webKitDriver, found: () => !!findMiniBrowser() },
    program('Xvfb', 'xvfb'),
    python,
  ],
  docs: [chromium, shell, ...base],
  long: [
    ...sanitized,
    // The 32-bit runtimes are in the same package as the 64-bit ones.
    { name: 'C++ for 32 bits', debian: 'g++-multilib', found: () => !runs32 || hasFuzzer('-m32') },
  ],
  mutants: [python, ...native, gtest, program('g++', 'g++')],
  // Software whose filters tamis reads and writes, and the programs that download the rest of it.
  peers: [
    python,
    program('javac', 'default-jdk-headless'),
    { name: "Guava's jar", debian: 'libguava-java', found: () => existsSync(guavaJar) },
    program('go', 'golang-go'),
    goPackage(goBloom, 'golang-github-willf-bloom-dev'),
    goPackage(goCuckoo, 'golang-github-seiflotfy-cuckoofilter-dev'),
    program('redis-server', 'redis-server'),
    program('mvn', 'maven'),
    { name: 'pip', debian: 'python3-pip', found: () => runsPython('-m', 'pip', '--version') },
    program('protoc', 'protobuf-compiler'),
  ],
  engines: [
    python,
    chromium,
    shell,
    program('redis-server', 'redis-server'),
    program('redis-cli', 'redis-tools'),
    program('nginx', 'nginx-light'),
    program('unbound', 'unbound'),
    program('named', 'bind9'),
    program('dnsmasq', 'dnsmasq-base'),
    program('java', 'default-jre-headless'),
    {
      name: "Python's venv",
      debian: 'python3-venv',
      found: () => runsPython('-c', 'import ensurepip'),
    },
  ],
  toolchains: [program('debootstrap', 'debootstrap')],
  bench: [
    ...base,
    header('benchmark/benchmark.h', 'libbenchmark-dev'),
    program('redis-server', 'redis-server'),
  ],
};

/** The missing needs of `group` on this machine. */
export const findMissing = (group) => groups[group].filter((need) => !need.found());

/** True if apt on this machine has a package with that name. */
const isKnown = (name) => spawnSync('apt-cache', ['madison', name]).stdout?.length > 0;

/** The packages for these needs, by the names that apt on this machine uses. */
function packagesOf(needs) {
  const names = needs.map(({ debian }) => [debian].flat());
  return [...new Set(names.map((known) => known.slice(0, -1).find(isKnown) ?? known.at(-1)))];
}

/** The Debian command that installs the needs. */
export function adviceFor(needs) {
  const apt = process.getuid?.() === 0 ? 'apt-get' : 'sudo apt-get';
  // One broken source makes the whole update fail, but the present package lists may still be good enough.
  return `${apt} update; ${apt} install -y --no-install-recommends ${packagesOf(needs).join(' ')}`;
}

/** True if this script may run that command without asking for a password. */
const mayInstall = () =>
  findProgram('apt-get') !== undefined &&
  (process.getuid?.() === 0 || spawnSync('sudo', ['-n', 'true']).status === 0);

/** Updates a folder's node_modules to its package-lock.json. npm keeps a copy of the lock file in node_modules. */
async function setUpNodeModules(folder) {
  const copy = join(root, folder, 'node_modules/.package-lock.json');
  const lock = join(root, folder, 'package-lock.json');
  if (existsSync(copy) && statSync(copy).mtimeMs >= statSync(lock).mtimeMs) return;
  await run('npm', ['ci', '--prefix', folder, '--include=dev', '--no-audit', '--no-fund']);
}

/** Installs the missing needs of `group` with apt, if this script may. Returns the needs that are still missing. */
export async function installMissing(group) {
  const needs = findMissing(group);
  if (needs.length === 0 || !mayInstall()) return needs;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Two modes may install at the same time, and `apt-get update` fails if another one runs.
  await run('flock', ['/run/lock/tamis-apt', 'sh', '-c', adviceFor(needs)], { env });
  return findMissing(group);
}

export const namesOf = (needs) => needs.map(({ name }) => name).join(', ');

/** Updates node_modules in the root and in each of these folders. */
export const setUpModules = (...folders) => Promise.all(['.', ...folders].map(setUpNodeModules));

/**
 * Prepares this machine for `group`, and installs the npm packages of the root and of these folders. If nothing is
 * missing, it prints nothing. If something is missing and this script may not install it, it throws an Error that says
 * what to install.
 */
export async function setUp(group = 'base', ...folders) {
  const needs = await installMissing(group);
  if (needs.length > 0) {
    throw new Error(
      `missing: ${namesOf(needs)}. Install them, then run this again:\n${adviceFor(needs)}`,
    );
  }
  await setUpModules(...folders);
}

if (isProgram(import.meta)) {
  try {
    await setUp(...process.argv.slice(2));
  } catch (error) {
    console.error(`setup: ${error.message}`);
    process.exitCode = 1;
  }
}
