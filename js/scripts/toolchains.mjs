// npm run test:toolchains: builds and tests the package with compilers of other Debian releases, each in a folder.
//
// A root (a folder with an installed Debian) is made once and kept in ~/.cache/tamis/roots. Packages come from the
// sources that apt and npm use on this machine. All mounts end with the process, so a killed run leaves none.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { root as repository, run } from './run.mjs';
import { findProgram, setUp } from './setup.mjs';

/** The Debian releases, by the names that debootstrap uses. */
const releases = { trixie: 'Debian 13', testing: 'Debian testing' };

const rootsFolder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tamis/roots');
const clone = 'srv/tamis';

const ask = (program, ...args) => execFileSync(program, args, { encoding: 'utf8' }).trim();

/** Why the run is impossible on this machine, or undefined. */
function findObstacle() {
  if (!findProgram('apt-get')) return 'this is no Debian';
  if (process.getuid?.() !== 0) return 'only root may change the root of a process';
  const isAllowed = spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;
  return isAllowed ? undefined : 'this process may make no namespaces';
}

/** Runs a shell command in a root. If this process ends in any way, the command ends too. */
function runIn(root, command) {
  const script = `mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" &&
    exec chroot "$0" /usr/bin/env -u TMPDIR HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$1"`;
  const apart = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];
  const args = ['--pdeathsig', 'KILL', 'unshare', ...apart, 'sh', '-c', script, root, command];
  return run('setpriv', args);
}

/** Copies a file of this machine to the same place in a root, if it exists. */
function copy(root, ...files) {
  for (const file of files.filter(existsSync)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(file, join(root, file), { recursive: true, dereference: true });
  }
}

/** Makes a root for a release, unless there is a complete one. */
async function makeRoot(name) {
  const root = join(rootsFolder, name);
  const finished = join(root, 'finished');
  if (existsSync(finished)) return root;
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const targets = ask('apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages');
  const [from] = targets.split('\n');
  if (!from) throw new Error('apt has no source of packages; run apt-get update');
  const options = ['--variant=minbase', '--include=ca-certificates,git'];
  const make = ['--mount', '--propagation', 'private', 'debootstrap', ...options, name, root, from];
  await run('unshare', make, { write: () => {} });
  copy(root, '/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt');
  copy(root, '/etc/apt/apt.conf', '/etc/apt/apt.conf.d', '/etc/apt/auth.conf.d');
  for (const which of ['globalconfig', 'userconfig']) {
    const file = ask('npm', 'config', 'get', which);
    if (existsSync(file)) appendFileSync(join(root, 'root/.npmrc'), readFileSync(file));
  }
  writeFileSync(join(root, 'etc/apt/sources.list'), `deb ${from} ${name} main\n`);
  const install = 'apt-get install -y -qq --no-install-recommends nodejs npm';
  await runIn(root, `apt-get update -qq && DEBIAN_FRONTEND=noninteractive ${install} >/dev/null`);
  writeFileSync(finished, '');
  return root;
}

/** Everything that another compiler may affect. The last two use the root's own g++ and clang, without wasm. */
const checks = [
  'npm start',
  'TAMIS_LONG=1 npm test -- golden url-golden parts absent-parts border sizing sizes cut cut-refusals cut-parts part-sizes',
  'npx size-limit',
  'node --test tests/examples/embind.test.mjs',
  `cmake -S . -B build/native -G Ninja -DCMAKE_BUILD_TYPE=Release -DTAMIS_TESTS=ON &&
    cmake --build build/native --target tamis make_vectors`,
  'sh tests/cpp/installed/warnings.sh',
];

/** Builds and tests the last commit in a root. */
async function testIn(root) {
  rmSync(join(root, clone), { recursive: true, force: true });
  await run('git', ['clone', '--quiet', '--no-hardlinks', repository, join(root, clone)]);
  await runIn(root, `cd /${clone} && ${checks.join(' && ')}`);
}

/** Updates tests/vectors/part-sizes.json with the sizes from the builds in these folders. */
async function record(folders) {
  const { readParts, sizesOf } = await import('./wasm/parts.mjs');
  const file = join(repository, 'tests/vectors/part-sizes.json');
  const recorded = JSON.parse(readFileSync(file, 'utf8'));
  for (const folder of folders.map((one) => join(one, 'build/parts'))) {
    if (!existsSync(join(folder, 'parts.json'))) continue;
    const { emscripten, parts } = readParts(folder);
    recorded[emscripten] = sizesOf(parts);
  }
  writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`);
}

/** Tests with Debian 13, and if `all` is set also with Debian testing. `recording` saves the sizes of the parts. */
export async function testToolchains({ all, recording }) {
  const obstacle = findObstacle();
  if (obstacle !== undefined) {
    console.error(`\n!!! NOT TESTED: other compilers: ${obstacle}`);
    return;
  }
  await setUp('toolchains');
  if (ask('git', '-C', repository, 'status', '--porcelain') !== '')
    console.error('!!! The last commit is tested, without the changes in this work tree.');
  const failed = [];
  const tested = Object.entries(releases).slice(0, all ? undefined : 1);
  for (const [name, title] of tested) {
    try {
      await testIn(await makeRoot(name));
    } catch (error) {
      failed.push(`${title}: ${error.message}`);
    }
  }
  // Sizes are recorded even if a test failed, because it fails if sizes have changed.
  if (recording)
    await record([repository, ...tested.map(([name]) => join(rootsFolder, name, clone))]);
  console.log(`\n${tested.length - failed.length} passed, ${failed.length} failed`);
  if (failed.length > 0) throw new Error(failed.join('\n'));
}
