// The C++ alone, by Google Benchmark, and the cost of WebAssembly beside it.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cmake, nativeOptions } from '../../js/scripts/build.mjs';
import { run } from '../../js/scripts/run.mjs';
import { CONTENDERS, inTable, labelOf } from './contenders.mjs';
import { summary } from './measure.mjs';

const REPETITIONS = 3;
const OPERATIONS = ['insert', 'build', 'hit', 'miss', 'batch-hit', 'batch-miss', 'erase', 'hash'];
const KEYS = 1_000_000;

/** Figures by name, such as `cuckoo/hit/100000`. Each has all repetitions of the library. */
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

/** Builds and runs cpp/bench; `more` goes to Google Benchmark. */
export async function measureNative({ quick, more }) {
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
  const version = execFileSync(nativeOptions.CMAKE_CXX_COMPILER, ['--version'], {
    encoding: 'utf8',
  });
  const rows = rowsOf(JSON.parse(readFileSync(out, 'utf8')));
  const place = ({ operation }) => OPERATIONS.indexOf(operation);
  rows.sort((a, b) => place(a) - place(b));
  return { compiler: version.split('\n')[0], repetitions: REPETITIONS, rows };
}

/** Contenders of another part, with their names in cpp/bench. */
const PAIRS = [
  ['static', 'fuse8', 'binary-fuse/8-bit/4-wise'],
  ['static', 'fuse8-3', 'binary-fuse/8-bit/3-wise'],
  ['static', 'ribbon8', 'ribbon/8-bit'],
  ['static', 'ribbon16', 'ribbon/16-bit'],
  ['static', 'exact', 'exact'],
  ...inTable('dynamic')
    .filter((name) => !['cuckoo-12', 'scalable-grown', 'rotating-bloom'].includes(name))
    .map((name) => ['dynamic', name, name]),
];

/** The best time of the C++: key by key, or in a batch, as `hasHashes` does. */
function nativeTime(rows, subject, operation) {
  const times = rows
    .filter((row) => row.subject === subject && row.keys === KEYS)
    .filter((row) => [operation, `batch-${operation}`].includes(row.operation))
    .map(({ ns }) => ns.min);
  if (times.length === 0) throw new Error(`native.json has no ${subject}/${operation}`);
  return Math.min(...times);
}

/** Look-ups by hashes that are already there, from three saved parts. */
export function measureRatio({ readSaved }) {
  const saved = { static: readSaved('static'), dynamic: readSaved('dynamic') };
  const natives = readSaved('native').rows;
  const rows = PAIRS.map(([part, name, subject]) => {
    const { times } = saved[part].contenders[name];
    const both = (measure, operation) => ({
      wasm: times[measure].min,
      native: nativeTime(natives, subject, operation),
    });
    const label = labelOf(CONTENDERS[part][name]);
    return { label, hit: both('hashedHit', 'hit'), miss: both('hashedMiss', 'miss') };
  });
  return { keys: KEYS, rows };
}
