// Builds and runs cpp/bench, and saves js/bench/results/native.json: the minimum and the median of some
// repetitions. It takes some minutes. Saves nothing with --quick, or with arguments, which go to Google
// Benchmark.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { number, table } from '../bench/report.mjs';
import { environment, HERE, save, summary } from '../bench/run.mjs';
import { cmake, nativeOptions } from './build.mjs';
import { run } from './run.mjs';

const REPETITIONS = 3;
const OPERATIONS = ['insert', 'build', 'hit', 'miss', 'batch-hit', 'batch-miss', 'erase', 'hash'];

const quick = process.argv.includes('--quick');
const more = process.argv.slice(2).filter((argument) => argument !== '--quick');

/** `cuckoo/hit/100000` and what the library measured there, its repetitions together. */
function rowsOf({ benchmarks }) {
  const found = new Map();
  for (const { run_type, run_name, error_message, per_key } of benchmarks) {
    if (error_message !== undefined) throw new Error(`${run_name}: ${error_message}`);
    if (run_type !== 'iteration') continue;
    found.set(run_name, [...(found.get(run_name) ?? []), per_key * 1e9]);
  }
  return [...found].map(([name, times]) => {
    const parts = name.replace(/\/repeats:\d+$/, '').split('/');
    const [operation, keys] = parts.splice(-2);
    if (!OPERATIONS.includes(operation)) throw new Error(`${name}: no operation is called so`);
    return { subject: parts.join('/'), operation, keys: Number(keys), ns: summary(times) };
  });
}

/** One line a type and size, one column an operation. */
function tableOf(rows) {
  const lines = new Map();
  for (const { subject, operation, keys, ns } of rows) {
    const name = `${subject}, ${number(keys, 0)}`;
    lines.set(name, { ...lines.get(name), [operation]: number(ns.min, 1) });
  }
  const shown = OPERATIONS.filter((operation) => rows.some((row) => row.operation === operation));
  return table(
    ['ns per key, minimum', ...shown],
    [...lines].map(([name, cells]) => [name, ...shown.map((operation) => cells[operation] ?? '-')]),
  );
}

const folder = await cmake('native', nativeOptions, { target: 'tamis_bench' });
const out = join(folder, 'bench.json');
await run(join(folder, 'tamis_bench'), [
  `--benchmark_out=${out}`,
  '--benchmark_out_format=json',
  ...(quick
    ? ['--benchmark_filter=/100000$', '--benchmark_min_time=0.01']
    : ['--benchmark_min_time=0.1', `--benchmark_repetitions=${REPETITIONS}`]),
  ...more,
]);
const rows = rowsOf(JSON.parse(readFileSync(out, 'utf8')));
process.stdout.write(`\n${tableOf(rows)}\n`);
if (!quick && more.length === 0) {
  const { clock: _clock, runtime: _runtime, ...where } = environment();
  const compiler = execFileSync(nativeOptions.CMAKE_CXX_COMPILER, ['--version'], {
    encoding: 'utf8',
  });
  const results = { ...where, compiler: compiler.split('\n')[0], repetitions: REPETITIONS, rows };
  save(results, join(HERE, 'results', 'native.json'));
}
