// Compares the C++ of tamis with other C++ libraries, using cpp/bench/peers.cpp. It is compiled twice: for any
// processor, as in a package, and for this processor. If a peer cannot be fetched, it is left out, and a line says why.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cmake, nativeOptions } from '../../js/scripts/build.mjs';
import { root } from '../../js/scripts/run.mjs';
import { figureOf } from './measure.mjs';
import { compilerOf } from './native.mjs';

const folder = join(root, 'build/native-peers');
const call = (program, ...args) =>
  execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Fetches Boost's headers from Debian testing, since earlier releases have no Boost.Bloom. */
function fetchBoost() {
  const uris = call('apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages');
  writeFileSync(join(folder, 'sources.list'), `deb ${uris.split('\n')[0]} testing main\n`);
  const places = {
    'Dir::Etc::sourcelist': 'sources.list',
    'Dir::Etc::sourceparts': 'none',
    'Dir::State::lists': 'lists',
    'Dir::Cache': 'cache',
  };
  const options = Object.entries(places).flatMap(([name, at]) => [
    '-o',
    `${name}=${join(folder, at)}`,
  ]);
  for (const at of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, at), { recursive: true });
  call('apt-get', ...options, '-q', 'update');
  call('apt-get', ...options, '-q', 'download', 'libboost1.92-dev');
  const [file] = readdirSync(folder).filter((name) => /^libboost1\.92-dev.*\.deb$/.test(name));
  call('dpkg-deb', '-x', file, 'boost');
}

/** Fetches xor_singleheader from the sources of pyfusefilter on PyPI. */
function fetchFuse() {
  const hash = 'sha256:5f13582b0ad1e5e942f17b1a06a0db28e1c702c4457ea74496428b1a89346bc4';
  writeFileSync(join(folder, 'fuse.txt'), `pyfusefilter==1.3.0 --hash=${hash}\n`);
  const options = ['--require-hashes', '--no-deps', '--no-binary', ':all:', '-q', '-r', 'fuse.txt'];
  call('python3', '-m', 'pip', 'download', ...options);
  call('tar', '-xzf', 'pyfusefilter-1.3.0.tar.gz');
}

const PEERS = {
  'Boost.Bloom 1.92': { headers: 'boost/usr/include', fetch: fetchBoost },
  'xor_singleheader of pyfusefilter 1.3.0': {
    headers: 'pyfusefilter-1.3.0/lib/xor_singleheader/include',
    fetch: fetchFuse,
  },
};

/** Fetches the peers, and returns the folders of their headers. */
function fetchPeers(say) {
  mkdirSync(folder, { recursive: true });
  return Object.entries(PEERS).flatMap(([name, { headers, fetch }]) => {
    const at = join(folder, headers);
    try {
      if (!existsSync(at)) fetch();
      return [at];
    } catch (error) {
      say(`!!! NOT MEASURED: ${name}: ${error.stderr || error.message}`);
      return [];
    }
  });
}

/** Adds the times per key to `times`, by filter, contender, number of keys and operation. Repetitions run in turn. */
function runBench(program, keys, repetitions, times) {
  const text = execFileSync(
    program,
    [
      `--benchmark_filter=/${keys}$`,
      '--benchmark_format=json',
      '--benchmark_min_time=0.1',
      `--benchmark_repetitions=${repetitions}`,
      '--benchmark_enable_random_interleaving=true',
    ],
    { encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  for (const { run_type, run_name, error_message, per_key } of JSON.parse(text).benchmarks) {
    if (error_message !== undefined) throw new Error(`${run_name}: ${error_message}`);
    if (run_type !== 'iteration') continue;
    const [filter, contender, operation] = run_name.split('/');
    const row = `${contender}, ${keys}`;
    times[filter] ??= {};
    times[filter][row] ??= {};
    times[filter][row][operation] ??= [];
    times[filter][row][operation].push(per_key * 1e9);
  }
}

/** Replaces each list of times by its minimum and median. */
const summarized = (value) =>
  Array.isArray(value)
    ? figureOf(value.map((ns) => [ns, ns]))
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, summarized(member)]));

export async function measurePeers({ quick, say }) {
  const TAMIS_PEERS = fetchPeers(say).join(';');
  const builds = {};
  for (const [name, tree, flags] of [
    ['any processor', 'peers', ''],
    // Warnings are off, because g++ 12 reports false ones about AVX-512.
    ['this processor', 'peers-native', '-march=native -w'],
  ]) {
    const options = { ...nativeOptions, TAMIS_TESTS: 'OFF', TAMIS_PEERS, CMAKE_CXX_FLAGS: flags };
    const program = join(await cmake(tree, options, { target: 'tamis_peers' }), 'tamis_peers');
    const times = {};
    for (const keys of quick ? [100_000] : [100_000, 1_000_000, 10_000_000]) {
      say(`C++ for ${name}, ${keys} keys`);
      runBench(program, keys, quick ? 2 : 5, times);
    }
    builds[name] = summarized(times);
  }
  return { ...compilerOf(), builds };
}
