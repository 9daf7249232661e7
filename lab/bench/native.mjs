// Measures the C++ with Google Benchmark, in turn with the same look-ups in WebAssembly.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { cmake, nativeOptions } from '../../js/scripts/build.mjs';
import { CONTENDERS, HASH, inCpp } from './contenders.mjs';

/** Measures the rows of cpp/bench that match, and returns their nanoseconds per key by operation. */
function runBench(program, filter, leastSeconds) {
  const args = [`--benchmark_filter=${filter}`, `--benchmark_min_time=${leastSeconds}`];
  const text = execFileSync(program, [...args, '--benchmark_format=json'], { encoding: 'utf8' });
  const times = {};
  for (const { run_name, error_message, per_key } of JSON.parse(text).benchmarks) {
    if (error_message !== undefined) throw new Error(`${run_name}: ${error_message}`);
    const operation = run_name.split('/').at(-2).replace('insert', 'build');
    times[operation] = [per_key * 1e9, per_key * 1e9];
  }
  return { times, counts: {} };
}

/** Functions that measure the C++, by their names in the results. Builds cpp/bench first. */
export async function nativeWays({ keyCount, quick, say }) {
  const folder = await cmake('native', nativeOptions, { target: 'tamis_bench' });
  const program = join(folder, 'tamis_bench');
  const ways = [HASH, ...Object.keys(CONTENDERS.native)].map((name) => {
    const rows = name === HASH ? '' : `(insert|build|(batch-)?(hit|miss))/${keyCount}(/.*)?$`;
    const way = (round) => {
      say(`round ${round}: ${inCpp(name)}`);
      return runBench(program, `^${name}/${rows}`, quick ? 0.01 : 0.1);
    };
    return [inCpp(name), way];
  });
  return Object.fromEntries(ways);
}

/** The compiler of the C++, for the results. */
export function compilerOf() {
  const { CMAKE_CXX_COMPILER: compiler } = nativeOptions;
  const [version] = execFileSync(compiler, ['--version'], { encoding: 'utf8' }).split('\n');
  return { compiler: version };
}
